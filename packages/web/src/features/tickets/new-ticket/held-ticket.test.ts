import { expect, test } from "vitest";
import { ApiError } from "../../../api/client.ts";
import { heldTicketOf } from "./use-new-ticket-form.ts";

const data = {
  id: 4,
  uuid: "00000000-0000-4000-8000-000000000004",
  status: "open",
  userId: 8,
  user: { id: 8, name: "Caio" },
  queue: { id: 1, name: "Suporte", color: "#3b82c4" },
};

function refused(fields: object, code = "ERR_TICKET_EXISTS"): ApiError {
  return new ApiError({ status: 409, code, data: fields });
}

test("the error names the agent and the queue of the ticket", () => {
  expect(heldTicketOf(refused(data))).toEqual({
    uuid: data.uuid,
    userId: 8,
    userName: "Caio",
    queueName: "Suporte",
  });
});

test("the error of a ticket without an agent", () => {
  const unassigned = { ...data, userId: null, user: { id: null, name: "" } };
  expect(heldTicketOf(refused(unassigned))).toMatchObject({ userId: null, userName: "" });
});

test.each([
  ["another refusal", refused(data, "ERR_NO_CONTACT_FOUND")],
  ["a refusal without data", refused({})],
  ["no refusal at all", new TypeError("fetch failed")],
])("%s has no such ticket", (_, error) => {
  expect(heldTicketOf(error)).toBeNull();
});
