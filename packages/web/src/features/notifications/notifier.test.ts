import { expect, test } from "vitest";
import { givenUser } from "../../testing/given.ts";
import { givenMessage } from "../messages/testing/given-message.ts";
import { givenTicket } from "../tickets/testing/given-ticket.ts";
import { addressOf, alertOf, stateOf } from "./notifier.tsx";

const user = givenUser({ id: 1, profile: "admin" });
const ticket = givenTicket(1, { unreadMessages: 1, lastMessage: "Imagem" });

const arrival = (fields: Parameters<typeof givenMessage>[1] = {}, of = ticket) =>
  ({
    action: "create",
    message: givenMessage(1, { body: "Bom dia", ...fields }),
    ticket: of,
    contact: of.contact,
  }) as const;

test("a customer's message alerts with the customer's name and the text", () => {
  expect(alertOf(arrival(), user, null)).toMatchObject({ title: "Cliente 1", text: "Bom dia" });
});

test("a message that is not plain text alerts with the text of its card", () => {
  const details = { kind: "call", isVideo: false } as const;
  expect(alertOf(arrival({ details }), user, null)?.text).toBe("Imagem");
});

test.each([
  ["the company's own message", arrival({ fromMe: true }), null],
  ["the ticket before one's eyes", arrival(), ticket.uuid],
  ["a colleague's ticket", arrival({}, givenTicket(1, { unreadMessages: 1, userId: 9 })), null],
  ["a message that was read meanwhile", arrival({}, givenTicket(1)), null],
  ["an acknowledgement", { action: "update", message: givenMessage(1) } as const, null],
])("%s does not alert", (_, event, shown) => {
  expect(alertOf(event, user, shown)).toBeNull();
});

test("a notification opens an open ticket, and shows a waiting one where it can be accepted", () => {
  expect(addressOf(ticket)).toBe(`/tickets/${ticket.uuid}`);
  const waiting = givenTicket(4, { status: "pending" });
  expect([addressOf(waiting), stateOf(waiting)]).toEqual([
    "/tickets",
    { state: { waitingTicketId: 4 } },
  ]);
});
