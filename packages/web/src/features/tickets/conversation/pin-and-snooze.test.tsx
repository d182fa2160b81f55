import { act, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { startSession } from "../../../api/session-store.ts";
import { givenToken, givenUser } from "../../../testing/given.ts";
import { givenLayout } from "../../messages/testing/given-layout.ts";
import { givenTicket } from "../testing/given-ticket.ts";
import type { TicketServer } from "../testing/ticket-server.ts";
import { ticketServer } from "../testing/ticket-server.ts";
import { cardNames, chip, contactNamed, openTicketsScreen } from "../testing/tickets-screen.tsx";
import { sockets } from "../../../testing/sockets.ts";

vi.mock("../../../realtime/socket.ts", () => import("../../../testing/sockets.ts"));

const ME = { userId: 7, user: { id: 7, name: "Marina Prado" } };
const helena = givenTicket(1, { ...ME, contact: contactNamed(1, "Helena Duarte") });
const otavio = givenTicket(2, { ...ME, contact: contactNamed(2, "Otávio Ramos") });

let server: TicketServer;

beforeEach(() => {
  givenLayout();
  startSession(givenToken("t"), givenUser());
  server = ticketServer([helena, otavio]);
});

afterEach(() => vi.restoreAllMocks());

test("a ticket is put off until the customer answers: it leaves the list, the filter shows it, an undo brings it back", async () => {
  const address = await openTicketsScreen(sockets, `/tickets/${otavio.uuid}`);
  await userEvent.click(await screen.findByRole("button", { name: "Adiar" }));
  const dialog = await screen.findByRole("dialog", { name: "Adiar o atendimento de Otávio Ramos" });
  await userEvent.click(within(dialog).getByRole("button", { name: "Até o cliente responder" }));
  await waitFor(() => expect(cardNames()).toEqual(["Helena Duarte"]));
  expect(server.bodiesOf("PUT /tickets/2/snooze")).toEqual([{ until: null, undoSeconds: 7 }]);
  expect(chip("Atendendo").textContent).toBe("Atendendo 1");
  expect(address()).toBe("/tickets");

  await userEvent.click(screen.getByRole("button", { name: "Filtrar" }));
  await userEvent.click(await screen.findByRole("menuitemcheckbox", { name: "Adiados" }));
  await waitFor(() => expect(cardNames()).toEqual(["Otávio Ramos"]));
  expect(await screen.findByText("volta quando o cliente responder")).toBeTruthy();
  await userEvent.keyboard("{Escape}");

  await userEvent.click(await screen.findByRole("button", { name: "Desfazer" }));
  await waitFor(() => expect(address()).toContain(`/tickets/${otavio.uuid}`));
  await userEvent.click(await screen.findByRole("button", { name: "Remover o filtro Adiados" }));
  await waitFor(() => expect(cardNames()).toEqual(["Otávio Ramos", "Helena Duarte"]));
});

test("a ticket that is put off comes back by its event, or by a press", async () => {
  const away = { ...helena, snooze: { until: "2026-11-21T12:00:00.000Z" } };
  server.tickets = [away, otavio];
  await openTicketsScreen(sockets, `/tickets/${helena.uuid}`);
  await waitFor(() => expect(cardNames()).toEqual(["Otávio Ramos"]));
  await userEvent.click(await screen.findByRole("button", { name: "Trazer de volta" }));
  await waitFor(() => expect(cardNames()).toEqual(["Otávio Ramos", "Helena Duarte"]));
  const tell = (ticket: object) =>
    act(() => sockets[0]?.receive("company-3-ticket", { action: "update", ticket }));
  tell({ ...otavio, snooze: { until: null }, updatedAt: "2026-11-20T14:00:00.000Z" });
  await waitFor(() => expect(cardNames()).toEqual(["Helena Duarte"]));
  tell({ ...otavio, updatedAt: "2026-11-20T15:00:00.000Z" });
  await waitFor(() => expect(cardNames()).toEqual(["Otávio Ramos", "Helena Duarte"]));
});

test("a pinned ticket moves to the top and stays there, in every window of the user", async () => {
  await openTicketsScreen(sockets, `/tickets/${helena.uuid}`);
  await userEvent.click(await screen.findByRole("button", { name: "Fixar no topo" }));
  await waitFor(() => expect(cardNames()).toEqual(["Helena Duarte", "Otávio Ramos"]));
  expect(screen.getByRole("img", { name: "Fixado" })).toBeTruthy();
  const later = { ...otavio, updatedAt: "2026-11-20T15:00:00.000Z", unreadMessages: 1 };
  act(() => sockets[0]?.receive("company-3-ticket", { action: "update", ticket: later }));
  await screen.findByText("1 mensagem não lida");
  expect(cardNames()).toEqual(["Helena Duarte", "Otávio Ramos"]);
  act(() => sockets[0]?.receive("company-3-ticketPin", { ticketId: 1, isPinned: false }));
  await waitFor(() => expect(cardNames()).toEqual(["Otávio Ramos", "Helena Duarte"]));
  expect(await screen.findByRole("button", { name: "Fixar no topo" })).toBeTruthy();
});
