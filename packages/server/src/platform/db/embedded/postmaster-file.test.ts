import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { afterAll, expect, test } from "vitest";

import { disown, isServer, parseClaim, readClaim, withPid } from "./postmaster-file.ts";
import { cleanUp, makeDirectory } from "./testing/launched.ts";

afterAll(cleanUp);

const text = "4711\n/data/cluster\n1700000000\n35123\n\n127.0.0.1\n  1234  5678\nready   \n";

test("the claim is the process number and the port", () => {
  expect(parseClaim(text)).toEqual({ pid: 4711, port: 35_123 });
});

test.each([
  ["an empty file", ""],
  ["a half-written file", "4711\n/data"],
  ["a port of zero", "4711\n/data\n1700000000\n0\n"],
  ["something else", "hello\nworld\n!\n?\n"],
])("%s claims nothing", (_name, broken) => {
  expect(parseClaim(broken)).toBeUndefined();
});

test("a longer and a shorter process number leave the other lines as they are", () => {
  expect(withPid(text, 123_456)).toBe(text.replace("4711", "123456"));
  expect(withPid(text, 42)).toBe(text.replace("4711", "42  "));
});

test("a stale claim is disowned, keeping the shared memory to be checked; a newer one is left alone", async () => {
  const directory = join(await makeDirectory(0o755), "data");
  await mkdir(directory);
  const file = join(directory, "postmaster.pid");

  await writeFile(file, text);
  await disown(directory, { pid: 9999, port: 35_123 });
  expect(await readFile(file, "utf8")).toBe(text);

  await disown(directory, { pid: 4711, port: 35_123 });
  expect(await readClaim(directory)).toEqual({ pid: process.pid, port: 35_123 });
  expect(await readFile(file, "utf8")).toContain("\n  1234  5678\n");
});

test("disowning a claim that is gone does nothing", async () => {
  const directory = await makeDirectory(0o755);
  await disown(directory, { pid: 4711, port: 35_123 });
  expect(await readClaim(directory)).toBeUndefined();
});

test("a living process that is not the server is not taken for it", async () => {
  expect(await isServer(process.pid, "balcao-0123456789ab")).toBe(false);
});
