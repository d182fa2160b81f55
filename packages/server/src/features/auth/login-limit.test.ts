import { expect, test } from "vitest";
import { accountSubject, addressSubject } from "./login-limit.ts";

test.each([
  ["192.0.2.7", "address:192.0.2.7"],
  ["::ffff:192.0.2.7", "address:192.0.2.7"],
  ["2001:db8:1:2:3:4:5:6", "address:2001:db8:1:2"],
  ["2001:0DB8:1:2::9", "address:2001:db8:1:2"],
  ["2001:db8::9", "address:2001:db8:0:0"],
  ["::1", "address:0:0:0:0"],
])("%s counts as %s", (address, subject) => {
  expect(addressSubject(address)).toBe(subject);
});

test("an account's subject does not show its e-mail", () => {
  expect(accountSubject("ana@empresa.example")).toMatch(/^account:[0-9a-f]{64}$/);
});
