import type { ConnectionStatus } from "@balcao/contract";
import { weekdays } from "@balcao/contract";
import { act, screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { startSession } from "../../../api/session-store.ts";
import { givenToken, givenUser } from "../../../testing/given.ts";
import { sessionEvent } from "../../connections/testing/connections-screen.tsx";
import { givenLayout } from "../../messages/testing/given-layout.ts";
import { givenConnection } from "../testing/given-choices.ts";
import { givenTicket } from "../testing/given-ticket.ts";
import type { TicketServer } from "../testing/ticket-server.ts";
import { ticketServer } from "../testing/ticket-server.ts";
import { openTicketsScreen } from "../testing/tickets-screen.tsx";
import { sockets } from "../../../testing/sockets.ts";

vi.mock("../../../realtime/socket.ts", () => import("../../../testing/sockets.ts"));

const helena = givenTicket(1, { userId: 7, user: { id: 7, name: "Marina Prado" } });
let server: TicketServer;

beforeEach(() => {
  givenLayout();
  startSession(givenToken("t"), givenUser());
  server = ticketServer([helena]);
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const down = "Loja Paulista desconectada.";
const shop = givenConnection(1, "Loja Paulista");

async function openWith(status: ConnectionStatus): Promise<void> {
  server.connections = [{ ...shop, status }];
  await openTicketsScreen(sockets, `/tickets/${helena.uuid}`);
}

function holdTime(): void {
  const frames = ["requestAnimationFrame", "cancelAnimationFrame"] as const;
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", ...frames] });
}

const pass = (ms: number): void => act(() => void vi.advanceTimersByTime(ms));

/** Events are applied in the next frame. */
function tell(status: ConnectionStatus): void {
  sessionEvent(sockets, shop, { status });
  pass(20);
}

test("a connection lost for 2 s is shown; an admin can restart it", async () => {
  await openWith("DISCONNECTED");
  expect(await screen.findByText(down)).toBeTruthy();
  holdTime();
  tell("CONNECTED");
  expect(screen.queryByText(down)).toBeNull();
  tell("DISCONNECTED");
  pass(1_999);
  expect(screen.queryByText(down)).toBeNull();
  pass(1);
  expect(screen.getByText(down)).toBeTruthy();
  vi.useRealTimers();
  await userEvent.click(screen.getByRole("button", { name: "Reconectar" }));
  await waitFor(() => expect(server.calls()).toContain("POST /whatsappsession/1"));
});

test("an agent sees the notice without the admin's button", async () => {
  startSession(givenToken("t"), givenUser({ profile: "user" }));
  await openWith("DISCONNECTED");
  expect(await screen.findByText(down)).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Reconectar" })).toBeNull();
});

test("one notice at a time, the most important first: being offline hides a lost connection and the hours", async () => {
  server.settings = [{ id: 2, key: "scheduleType", value: "company", companyId: helena.companyId }];
  server.companySchedules = weekdays.map((weekdayEn) => {
    return { weekday: weekdayEn, weekdayEn, startTime: "00:00", endTime: "00:00" };
  });
  await openWith("CONNECTED");
  expect(await screen.findByText("Fora do horário.")).toBeTruthy();
  act(() => sockets[0]?.receive("disconnect"));
  expect(screen.getByText("Sem conexão.", { exact: false })).toBeTruthy();
  expect(screen.queryByText("Fora do horário.")).toBeNull();
  holdTime();
  tell("DISCONNECTED");
  pass(2_000);
  expect(screen.getByText("Sem conexão.", { exact: false })).toBeTruthy();
  expect(screen.queryByText(down)).toBeNull();
});

test("a working connection shows no notice", async () => {
  await openWith("CONNECTED");
  await screen.findByRole("button", { name: "Resolver" });
  expect(screen.queryByText(/desconectada/)).toBeNull();
});
