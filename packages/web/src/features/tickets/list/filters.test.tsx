import { act, screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { startSession } from "../../../api/session-store.ts";
import { givenToken, givenUser } from "../../../testing/given.ts";
import { givenLayout } from "../../messages/testing/given-layout.ts";
import { givenColleague, givenConnection, givenQueue, givenTag } from "../testing/given-choices.ts";
import { givenTicket } from "../testing/given-ticket.ts";
import type { TicketServer } from "../testing/ticket-server.ts";
import { ticketServer } from "../testing/ticket-server.ts";
import { cardNames, chip, contactNamed, openTicketsScreen } from "../testing/tickets-screen.tsx";
import { sockets } from "../../../testing/sockets.ts";

vi.mock("../../../realtime/socket.ts", () => import("../../../testing/sockets.ts"));

const ME = { userId: 7, user: { id: 7, name: "Marina Prado" } };
const vip = { id: 5, name: "Cliente VIP", color: "#a4cccc" };
const helena = givenTicket(1, { ...ME, contact: contactNamed(1, "Helena Duarte"), tags: [vip] });
const otavio = givenTicket(2, {
  ...ME,
  contact: contactNamed(2, "Otávio Ramos"),
  unreadMessages: 2,
});
const diego = givenTicket(3, {
  ...{ status: "pending", contact: contactNamed(3, "Diego Nascimento"), whatsappId: 2 },
});

let server: TicketServer;

beforeEach(() => {
  localStorage.clear();
  givenLayout();
  startSession(givenToken("t"), givenUser());
  server = ticketServer([helena, otavio, diego]);
  server.queues = [givenQueue(1, "Suporte"), givenQueue(2, "Vendas")];
  server.tags = [givenTag(5, "Cliente VIP"), givenTag(6, "Troca")];
  server.connections = [givenConnection(1, "Loja"), givenConnection(2, "Atacado")];
  server.colleagues = [givenColleague(7, "Marina Prado", []), givenColleague(8, "Caio Reis", [])];
});

afterEach(() => vi.restoreAllMocks());

const filterButton = () => screen.getByRole("button", { name: "Filtrar" });
const openMenu = () => userEvent.click(filterButton());
const removeButton = (name: string) =>
  screen.findByRole("button", { name: `Remover o filtro ${name}` });

test("every part narrows the lists and their counts, stands in the address, and has a chip that removes it", async () => {
  const address = await openTicketsScreen(sockets);
  await waitFor(() => expect(cardNames()).toHaveLength(2));
  await openMenu();
  await userEvent.click(await screen.findByRole("menuitem", { name: /^Etiqueta/ }));
  await userEvent.click(await screen.findByRole("menuitemcheckbox", { name: "Cliente VIP" }));
  await waitFor(() => expect(cardNames()).toEqual(["Helena Duarte"]));
  expect(chip("Atendendo").textContent).toBe("Atendendo 1");
  expect(chip("Aguardando").textContent).toBe("Aguardando 0");
  expect(address()).toBe("/tickets?tags=5");
  // Back to the parts; the focus is on the one that was left.
  await userEvent.click(screen.getByRole("menuitem", { name: "Etiqueta" }));
  expect(document.activeElement?.textContent).toBe("Etiqueta1");
  await userEvent.click(screen.getByRole("menuitemcheckbox", { name: "Não lidas" }));
  expect(await screen.findByText("Nenhum atendimento com estes filtros")).toBeTruthy();
  expect(address()).toBe("/tickets?tags=5&unread");
  await userEvent.keyboard("{Escape}");

  await userEvent.click(await removeButton("Cliente VIP"));
  await waitFor(() => expect(cardNames()).toEqual(["Otávio Ramos"]));
  (await removeButton("Não lidas")).focus();
  await userEvent.keyboard("{Backspace}");
  await waitFor(() => expect(cardNames()).toHaveLength(2));
  expect(address()).toBe("/tickets");
  expect(document.activeElement).toBe(filterButton());
});

test("a list without tickets offers to clear the filters", async () => {
  const address = await openTicketsScreen(sockets, "/tickets?tags=6&queues=1,2");
  expect(await removeButton("2 filas")).toBeTruthy();
  await screen.findByText("Nenhum atendimento com estes filtros");
  await userEvent.click(screen.getByRole("button", { name: "Limpar filtros" }));
  await waitFor(() => expect(cardNames()).toHaveLength(2));
  expect(address()).toBe("/tickets");
});

test("a filter stays while tickets are opened and lists changed", async () => {
  const address = await openTicketsScreen(sockets, "/tickets?connections=2");
  await screen.findByText("Nenhum atendimento com estes filtros");
  await userEvent.click(chip("Aguardando"));
  await waitFor(() => expect(cardNames()).toEqual(["Diego Nascimento"]));
  await userEvent.click(screen.getByRole("button", { name: /^Aceitar atendimento de Diego/ }));
  await waitFor(() => expect(address()).toBe(`/tickets/${diego.uuid}?connections=2`));
  await waitFor(() => expect(cardNames()).toEqual(["Diego Nascimento"]));
});

test("live events add and remove tickets under a filter; a deleted tag leaves it", async () => {
  const address = await openTicketsScreen(sockets, "/tickets?tags=5");
  await waitFor(() => expect(cardNames()).toEqual(["Helena Duarte"]));
  const later = "2026-11-20T15:00:00.000Z";
  const tell = (ticket: object) =>
    act(() => sockets[0]?.receive("company-3-ticket", { action: "update", ticket }));
  tell({ ...otavio, tags: [vip], updatedAt: later });
  await waitFor(() => expect(cardNames()).toEqual(["Otávio Ramos", "Helena Duarte"]));
  tell({ ...helena, tags: [], updatedAt: later });
  await waitFor(() => expect(cardNames()).toEqual(["Otávio Ramos"]));
  expect(await removeButton("Cliente VIP")).toBeTruthy();
  const renamed = givenTag(5, "Cliente ouro");
  const change = { action: "update", tag: renamed, tags: renamed, tagId: 5 };
  act(() => sockets[0]?.receive("company-3-tag", change));
  expect(await removeButton("Cliente ouro")).toBeTruthy();
  act(() => sockets[0]?.receive("company-3-tag", { action: "delete", tagId: 5 }));
  await waitFor(() => expect(address()).toBe("/tickets"));
});

test("only admins filter by agents; one queue or connection leaves nothing to choose", async () => {
  startSession(givenToken("t"), givenUser({ profile: "user" }));
  server.connections = [givenConnection(1, "Loja")];
  await openTicketsScreen(sockets);
  await openMenu();
  expect(await screen.findByRole("menuitem", { name: /^Etiqueta/ })).toBeTruthy();
  for (const part of [/^Atendente/, /^Conexão/, /^Fila/]) {
    expect(screen.queryByRole("menuitem", { name: part })).toBeNull();
  }
  expect(server.calls()).not.toContain("GET /users/list");
});

test("the chosen queues are remembered on this device", async () => {
  await openTicketsScreen(sockets);
  await openMenu();
  await userEvent.click(await screen.findByRole("menuitem", { name: /^Fila/ }));
  await userEvent.click(await screen.findByRole("menuitemcheckbox", { name: "Vendas" }));
  expect(await removeButton("Vendas")).toBeTruthy();
  expect(localStorage.getItem("balcao.list.7")).toContain('"queueIds":[2]');
});
