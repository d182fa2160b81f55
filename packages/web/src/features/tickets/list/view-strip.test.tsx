import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { ticketView } from "@balcao/contract";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { startSession } from "../../../api/session-store.ts";
import { givenToken, givenUser } from "../../../testing/given.ts";
import { givenLayout } from "../../messages/testing/given-layout.ts";
import { givenTag } from "../testing/given-choices.ts";
import { givenTicket } from "../testing/given-ticket.ts";
import type { TicketServer } from "../testing/ticket-server.ts";
import { ticketServer } from "../testing/ticket-server.ts";
import { cardNames, chip, contactNamed, openTicketsScreen } from "../testing/tickets-screen.tsx";
import { sockets } from "../../../testing/sockets.ts";

vi.mock("../../../realtime/socket.ts", () => import("../../../testing/sockets.ts"));

const vip = { id: 5, name: "Cliente VIP", color: "#a4cccc" };
const ME = { userId: 7, user: { id: 7, name: "Marina Prado" } };
const helena = givenTicket(1, { ...ME, contact: contactNamed(1, "Helena Duarte"), tags: [vip] });
const diego = givenTicket(2, {
  ...{ status: "pending", contact: contactNamed(2, "Diego Nascimento"), tags: [vip] },
});
const otavio = givenTicket(3, { status: "pending", contact: contactNamed(3, "Otávio Ramos") });

let server: TicketServer;

function givenView(
  id: number,
  name: string,
  fields: Partial<Record<"isShared" | "userId", unknown>> = {},
) {
  const at = "2026-11-20T10:00:00.000Z";
  const filter = {
    ...{ status: "pending", showAll: false, isUnread: false, isSnoozed: false, waitMinutes: null },
    ...{ queueIds: [], tagIds: [5], userIds: [], connectionIds: [] },
  };
  const common = { companyId: 3, userId: 7, isShared: false, createdAt: at, updatedAt: at };
  return ticketView.parse({ ...common, id, name, filter, ...fields });
}

beforeEach(() => {
  localStorage.clear();
  givenLayout();
  startSession(givenToken("t"), givenUser());
  server = ticketServer([helena, diego, otavio]);
  server.tags = [givenTag(5, "Cliente VIP")];
});

afterEach(() => vi.restoreAllMocks());

const strip = () => screen.findByRole("group", { name: "Visões salvas" });
const view = (name: RegExp) => screen.findByRole("button", { name });

test("a press shows the list and the filter of a view, another one all again; counts end at 99", async () => {
  server.views = [givenView(2, "Da casa", { isShared: true }), givenView(1, "VIP", { userId: 7 })];
  server.viewCounts = { 1: 1, 2: 100 };
  const address = await openTicketsScreen(sockets);
  const shown = within(await strip());
  await waitFor(() => {
    expect(shown.getAllByRole("button").map((one) => one.textContent)).toEqual([
      "VIP1",
      "Da casa99+",
    ]);
  });
  await userEvent.click(await view(/^VIP/));
  await waitFor(() => expect(cardNames()).toEqual(["Diego Nascimento"]));
  expect(chip("Aguardando").getAttribute("aria-pressed")).toBe("true");
  expect(address()).toBe("/tickets?tags=5");
  await userEvent.click(await view(/^VIP/));
  await waitFor(() => expect(cardNames()).toHaveLength(2));
});

test("the present filters are saved with a name, for the user or for the team", async () => {
  await openTicketsScreen(sockets, "/tickets?tags=5");
  await userEvent.click(
    await screen.findByRole("button", { name: "Salvar os filtros como visão" }),
  );
  const dialog = await screen.findByRole("dialog", { name: "Salvar visão" });
  await userEvent.click(within(dialog).getByRole("button", { name: "Salvar" }));
  expect(await within(dialog).findByText("Informe o nome")).toBeTruthy();
  await userEvent.type(within(dialog).getByRole("textbox", { name: /^Nome da visão/ }), "VIP");
  await userEvent.click(within(dialog).getByRole("radio", { name: "Para a equipe" }));
  await userEvent.click(within(dialog).getByRole("button", { name: "Salvar" }));
  expect(await view(/^Da equipe VIP/)).toBeTruthy();
  expect(server.bodiesOf("POST /ticket-views")).toMatchObject([
    { name: "VIP", isShared: true, filter: { status: "open", tagIds: [5] } },
  ]);
});

test("a view is deleted by its menu, and comes back by an undo; events change the strip", async () => {
  server.views = [givenView(1, "VIP")];
  await openTicketsScreen(sockets);
  fireEvent.contextMenu(await view(/^VIP/));
  await userEvent.click(await screen.findByRole("menuitem", { name: "Excluir" }));
  expect(await screen.findByText(/^Visão VIP excluída\./)).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: "Desfazer" }));
  expect(await view(/^VIP/)).toBeTruthy();
  const renamed = givenView(1, "Muito VIP");
  act(() => sockets[0]?.receive("company-3-ticketView", { action: "update", view: renamed }));
  expect(await view(/^Muito VIP/)).toBeTruthy();
});

test("others' shared views have no menu for agents", async () => {
  startSession(givenToken("t"), givenUser({ profile: "user" }));
  server.views = [givenView(1, "VIP", { isShared: true, userId: 9 })];
  await openTicketsScreen(sockets);
  fireEvent.contextMenu(await view(/VIP/));
  expect(screen.queryByRole("menuitem")).toBeNull();
});

test("tickets that are put off have a place there", async () => {
  server.tickets = [{ ...helena, snooze: { until: null } }, diego];
  server.snoozed = { open: 1, pending: 0 };
  await openTicketsScreen(sockets);
  await userEvent.click(await view(/^Adiados/));
  await waitFor(() => expect(cardNames()).toEqual(["Helena Duarte"]));
});
