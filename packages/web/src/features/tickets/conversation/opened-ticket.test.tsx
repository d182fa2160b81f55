import { screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { startSession } from "../../../api/session-store.ts";
import { givenToken, givenUser } from "../../../testing/given.ts";
import { givenLayout } from "../../messages/testing/given-layout.ts";
import { givenMessage } from "../../messages/testing/given-message.ts";
import { givenTicket } from "../testing/given-ticket.ts";
import type { TicketServer } from "../testing/ticket-server.ts";
import { ticketServer } from "../testing/ticket-server.ts";
import { chip, contactNamed, openTicketsScreen } from "../testing/tickets-screen.tsx";
import { sockets } from "../../../testing/sockets.ts";

vi.mock("../../../realtime/socket.ts", () => import("../../../testing/sockets.ts"));

const ME = { userId: 7, user: { id: 7, name: "Marina Prado" } };
const vip = { id: 5, name: "Cliente VIP", color: "#a4cccc" };
const helena = givenTicket(1, { ...ME, contact: contactNamed(1, "Helena Duarte"), tags: [vip] });
const diego = givenTicket(2, { status: "pending", contact: contactNamed(2, "Diego Nascimento") });
const ana = givenTicket(3, { status: "closed", contact: contactNamed(3, "Ana Lima") });
const group = givenTicket(4, {
  status: "pending",
  isGroup: true,
  contact: contactNamed(4, "Família Silva"),
});

let server: TicketServer;

beforeEach(() => {
  givenLayout();
  startSession(givenToken("t"), givenUser());
  server = ticketServer([helena, diego, ana, group]);
});

afterEach(() => vi.restoreAllMocks());

const pane = (name: string) => screen.findByRole("region", { name });

describe("the header of a ticket", () => {
  test.each([
    [helena, ["Agendar", "Transferir", "Devolver", "Resolver"], ["Excluir"]],
    [diego, ["Agendar", "Transferir", "Aceitar"], ["Excluir"]],
    [ana, ["Agendar", "Reabrir"], ["Excluir"]],
  ])("names the contact and has the allowed commands", async (ticket, buttons, inMenu) => {
    await openTicketsScreen(sockets, `/tickets/${ticket.uuid}`);
    const of = within(await pane(ticket.contact.name));
    expect(of.getByRole("heading", { name: ticket.contact.name })).toBeTruthy();
    for (const name of buttons) expect(of.getByRole("button", { name })).toBeTruthy();
    const others = ["Aceitar", "Devolver", "Resolver", "Reabrir"].filter(
      (name) => !buttons.includes(name),
    );
    for (const name of others) expect(of.queryByRole("button", { name })).toBeNull();
    const more = await waitFor(() => {
      const button = of.getByRole("button", { name: "Mais ações" });
      expect(button.hasAttribute("disabled")).toBe(false); // once the menu's code is there
      return button;
    });
    await userEvent.click(more);
    for (const name of inMenu) expect(await screen.findByRole("menuitem", { name })).toBeTruthy();
  });

  test("has the ticket's tags and the tag picker below it", async () => {
    await openTicketsScreen(sockets, `/tickets/${helena.uuid}`);
    const of = within(await pane("Helena Duarte"));
    expect(await of.findByRole("button", { name: "Remover a etiqueta Cliente VIP" })).toBeTruthy();
    expect(of.getByRole("button", { name: "Etiqueta" })).toBeTruthy();
  });
});

test("a conversation has days, messages and a composer", async () => {
  server.messages[1] = [
    givenMessage(1, { createdAt: "2026-11-18T13:00:00.000Z", body: "anteontem" }),
    givenMessage(2, { createdAt: "2026-11-18T14:00:00.000Z" }),
    givenMessage(3, { createdAt: "2020-03-01T02:30:00.000Z", body: "há muito" }),
  ].toSorted((a, b) => a.createdAt.localeCompare(b.createdAt));
  await openTicketsScreen(sockets, `/tickets/${helena.uuid}`);
  const log = await screen.findByRole("log", { name: "Mensagens" });
  // In the company's time zone the first message is of the previous evening.
  const days = [within(log).getByText("29/02/2020"), within(log).getByText(/^18\/11/)];
  expect(days).toHaveLength(2);
  const [first, second] = within(log).getAllByRole("article");
  const isBefore = (one: Node | undefined, other: Node | undefined): boolean =>
    one !== undefined &&
    other !== undefined &&
    (one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
  expect([isBefore(days[0], first), isBefore(first, days[1]), isBefore(days[1], second)]).toEqual([
    true,
    true,
    true,
  ]);
  expect(screen.getByRole("textbox", { name: "Mensagem para Helena Duarte" })).toBeTruthy();
});

test("reopening a ticket assigns it to the user in its last queue, and keeps it open", async () => {
  const address = await openTicketsScreen(sockets, `/tickets/${ana.uuid}`);
  await userEvent.click(await screen.findByRole("button", { name: "Reabrir" }));
  await waitFor(() => expect(server.bodiesOf("PUT /tickets/3")).toHaveLength(1));
  const [body] = server.bodiesOf("PUT /tickets/3");
  expect(body).toEqual({ status: "open", userId: 7 });
  await screen.findByRole("button", { name: "Resolver" });
  expect(address()).toBe(`/tickets/${ana.uuid}`);
});

test("a ticket accepted in its header opens and stays selected", async () => {
  const address = await openTicketsScreen(sockets, `/tickets/${diego.uuid}`);
  const of = within(await pane("Diego Nascimento"));
  await userEvent.click(of.getByRole("button", { name: "Aceitar" }));
  await waitFor(() =>
    expect(server.bodiesOf("PUT /tickets/2")).toEqual([{ status: "open", userId: 7 }]),
  );
  expect(await of.findByRole("button", { name: "Resolver" })).toBeTruthy();
  expect(address()).toBe(`/tickets/${diego.uuid}`);
});

test("a group is never greeted", async () => {
  const settings = [{ id: 1, key: "sendGreetingAccepted", value: "enabled", companyId: 3 }];
  server.settings = settings as typeof server.settings;
  await openTicketsScreen(sockets);
  await userEvent.click(chip("Aguardando"));
  for (const name of ["Família Silva", "Diego Nascimento"]) {
    await userEvent.click(
      await screen.findByRole("button", { name: `Aceitar atendimento de ${name}` }),
    );
    await userEvent.click(await screen.findByRole("button", { name: /^Aguardando/ }));
  }
  // The greeting is sent after the group was accepted.
  await waitFor(() => expect(server.calls()).toContain("POST /messages/2"));
  expect(server.calls()).not.toContain("POST /messages/4");
});
