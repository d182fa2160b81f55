import { expect, test } from "vitest";
import { neighbourOf, successorOf } from "./card-focus.ts";
import { givenTicket } from "../testing/given-ticket.ts";

const list = [givenTicket(3), givenTicket(2), givenTicket(1)];

test.each([
  ["after the first", 3, 1, 2],
  ["before the last", 1, -1, 2],
  ["after the last there is none", 1, 1, undefined],
  ["before the first there is none", 3, -1, undefined],
  ["without a start it is the first", null, 1, 3],
  ["from a ticket that is not listed it is the first", 9, -1, 3],
] as const)("the neighbour: %s", (_, from, by, expected) => {
  expect(neighbourOf(list, from, by)?.id).toBe(expected);
});

test.each([
  ["the next one", 2, 1],
  ["of the last one, the one before", 1, 2],
  ["of a ticket that is not listed, nobody", 9, undefined],
])("the successor is %s", (_, gone, expected) => {
  expect(successorOf(list, gone)?.id).toBe(expected);
});

test("an only ticket has no successor", () => {
  expect(successorOf([givenTicket(1)], 1)).toBeUndefined();
});
