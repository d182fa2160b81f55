import { expect, test } from "vitest";
import { ApiError } from "../../../api/client.ts";
import { holderOf } from "./ticket-actions.ts";

const refused = (data: unknown, code = "ERR_OTHER_OPEN_TICKET") =>
  new ApiError({ status: 400, code, data });

test("the error names the agent of the ticket", () => {
  const data = { ticketId: 1, user: { id: 2, name: "Caio" }, queue: null };
  expect(holderOf(refused(data))).toEqual({ name: "Caio" });
});

test.each([
  ["a refusal without a holder", refused({ ticketId: 1, user: null, queue: null })],
  ["a refusal without data", refused(null)],
  ["another refusal", refused({ user: { name: "Caio" } }, "ERR_TICKET_TRANSITION")],
  ["no refusal of the server", new Error("x")],
])("%s has no agent", (_, error) => {
  expect(holderOf(error)).toBeNull();
});
