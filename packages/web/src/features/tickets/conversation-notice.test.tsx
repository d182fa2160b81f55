import type { ConnectionStatus } from "@balcao/contract";
import { act, screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { startSession } from "../../api/session-store.ts";
import type { FakeSocket } from "../../testing/fake-socket.ts";
import { createFakeSocket } from "../../testing/fake-socket.ts";
import { givenToken, givenUser } from "../../testing/given.ts";
import { givenLayout } from "../messages/testing/given-layout.ts";
import { givenConnection } from "./testing/given-choices.ts";
import { givenTicket } from "./testing/given-ticket.ts";
import type { TicketServer } from "./testing/ticket-server.ts";
import { ticketServer } from "./testing/ticket-server.ts";
import { openTicketsScreen } from "./testing/tickets-screen.tsx";

const sockets = vi.hoisted((): FakeSocket[] => []);
vi.mock("socket.io-client", () => ({
  io: () => {
    const socket = createFakeSocket();
    sockets.push(socket);
    return socket;
  },
}));

const helena = givenTicket(1, { userId: 7, user: { id: 7, name: "Marina Prado" } });
let server: TicketServer;

beforeEach(() => {
  sockets.length = 0;
  givenLayout();
  startSession(givenToken("t"), givenUser());
  server = ticketServer([helena]);
});

afterEach(() => vi.restoreAllMocks());

async function openWith(status: ConnectionStatus): Promise<void> {
  server.connections = [givenConnection(1, "Loja Paulista", { status })];
  await openTicketsScreen(sockets, `/tickets/${helena.uuid}`);
}

const down = { timeout: 4_000 };

test("a connection that is down for 2 s is said; an admin can start it again", async () => {
  await openWith("DISCONNECTED");
  expect(screen.queryByText("Loja Paulista desconectada.")).toBeNull();
  expect(await screen.findByText("Loja Paulista desconectada.", {}, down)).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: "Reconectar" }));
  await waitFor(() => expect(server.calls()).toContain("POST /whatsappsession/1"));
});

test("an agent is told, and offered nothing that he may not do", async () => {
  startSession(givenToken("t"), givenUser({ profile: "user" }));
  await openWith("DISCONNECTED");
  expect(await screen.findByText("Loja Paulista desconectada.", {}, down)).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Reconectar" })).toBeNull();
});

test("one thing at a time, the worst first: a dead connection hides that one is offline", async () => {
  await openWith("DISCONNECTED");
  act(() => sockets[0]?.receive("disconnect"));
  expect(await screen.findByText("Sem conexão.", { exact: false })).toBeTruthy();
  expect(await screen.findByText("Loja Paulista desconectada.", {}, down)).toBeTruthy();
  expect(screen.queryByText("Sem conexão.", { exact: false })).toBeNull();
});

test("a working connection is no news", async () => {
  await openWith("CONNECTED");
  await screen.findByRole("button", { name: "Resolver" });
  expect(screen.queryByText(/desconectada/)).toBeNull();
});
