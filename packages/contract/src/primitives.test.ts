import { expect, test } from "vitest";
import { id } from "./ids.ts";
import { pageNumber, queryBoolean, queryJsonList, text } from "./primitives.ts";
import { ticketChange, ticketListQuery } from "./tickets.ts";

test.each([
  ["7", 7],
  [7, 7],
  ["2147483647", 2_147_483_647],
])("the id %j is %j", (given, expected) => {
  expect(id.parse(given)).toBe(expected);
});

test.each([
  0,
  -1,
  1.5,
  "",
  "0",
  "-1",
  "1e3",
  "0x10",
  " 7",
  "2147483648",
  "99999999999",
  true,
  null,
  [],
  {},
])("%j is no id", (given) => {
  expect(id.safeParse(given).success).toBe(false);
});

test("text refuses NUL and what is too long", () => {
  expect(text(3).safeParse("abc").success).toBe(true);
  expect(text(3).safeParse("abcd").success).toBe(false);
  expect(text(3).safeParse("a\u0000").success).toBe(false);
});

test.each([
  [undefined, 1],
  ["", 1],
  ["0", 1],
  ["3", 3],
  [2, 2],
])("page %j is page %j", (given, expected) => {
  expect(pageNumber.parse(given)).toBe(expected);
});

test.each(["-1", "x", "1.5", "99999999"])("page %j is refused", (given) => {
  expect(pageNumber.safeParse(given).success).toBe(false);
});

test("booleans of a query are the texts true and false", () => {
  expect(queryBoolean.parse("true")).toBe(true);
  expect(queryBoolean.parse(undefined)).toBe(false);
  expect(queryBoolean.safeParse("yes").success).toBe(false);
});

test("a JSON list is parsed, a broken one refused", () => {
  const list = queryJsonList(id);
  expect(list.parse("[1,2]")).toEqual([1, 2]);
  expect(list.parse(undefined)).toBeUndefined();
  expect(list.parse("")).toBeUndefined();
  for (const broken of ["[1", "1", '{"a":1}', '["x"]', "[null]", "[-1]"]) {
    expect(list.safeParse(broken).success, broken).toBe(false);
  }
});

test("the list query of an older client with empty values is no filter", () => {
  const parsed = ticketListQuery.parse({ searchParam: "", status: "", date: "", tags: "[]" });
  expect(parsed).toMatchObject({ searchParam: "", pageNumber: 1, showAll: false, tags: [] });
  expect(parsed.status).toBeUndefined();
  expect(parsed.date).toBeUndefined();
});

test("a ticket change reads absent, null, false and empty as wire-contract 6.1 says", () => {
  const change = ticketChange.parse({
    status: "closed",
    userId: null,
    queueId: "",
    whatsappId: "",
    promptId: false,
    integrationId: false,
    contact: { id: 1 },
  });
  expect(change).toEqual({ status: "closed", userId: null, promptId: null, integrationId: null });
});
