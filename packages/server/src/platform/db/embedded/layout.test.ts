import { expect, test } from "vitest";

import { findUnprivilegedAccount } from "./layout.ts";

const root = "root:x:0:0:root:/root:/bin/bash";
const nobody = "nobody:x:65534:65533:nobody:/nonexistent:/usr/sbin/nologin";
const postgres = "postgres:x:101:104:PostgreSQL administrator,,,:/var/lib/postgresql:/bin/bash";

test.each([
  ["postgres is preferred", [root, nobody, postgres], { uid: 101, gid: 104 }],
  ["nobody is the second choice", [root, nobody], { uid: 65_534, gid: 65_533 }],
  ["no other user is ever taken", [root, "ana:x:1000:1000::/home/ana:/bin/sh"], undefined],
  ["a user with root's number is not taken", ["postgres:x:0:0::/:/bin/sh"], undefined],
])("%s", (_name, lines, expected) => {
  expect(findUnprivilegedAccount(lines.join("\n"))).toEqual(expected);
});
