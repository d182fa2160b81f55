import { act, screen, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { startSession } from "../../../api/session-store.ts";
import { givenToken, givenUser } from "../../../testing/given.ts";
import { givenLayout } from "../../messages/testing/given-layout.ts";
import { givenTicket } from "../testing/given-ticket.ts";
import { ticketServer } from "../testing/ticket-server.ts";
import { openTicketsScreen } from "../testing/tickets-screen.tsx";
import { sockets } from "../../../testing/sockets.ts";

vi.mock("../../../realtime/socket.ts", () => import("../../../testing/sockets.ts"));

const ME = { userId: 7, user: { id: 7, name: "Marina Prado" } };

beforeEach(() => {
  givenLayout();
  startSession(givenToken("t"), givenUser());
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

async function showCard(fields: Parameters<typeof givenTicket>[1]): Promise<HTMLElement> {
  ticketServer([givenTicket(1, { ...ME, ...fields })]);
  await openTicketsScreen(sockets);
  return screen.findByRole("listitem");
}

test("the queue has its colour beside its name", async () => {
  const card = await showCard({ queue: { id: 1, name: "Suporte", color: "#c2410c" } });
  const queue = within(card).getByText("Suporte").parentElement;
  const dot = queue?.querySelector<HTMLElement>("[style]");
  expect(dot?.style.background).toBe("#c2410c");
});

test("the waiting time is updated every 30 seconds", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"] });
  const waitingSince = new Date(Date.now() - 3.7 * 60_000).toISOString();
  const card = await showCard({ waitingSince });
  expect(within(card).getByText("3 min")).toBeTruthy();
  act(() => void vi.advanceTimersByTime(29_900));
  expect(within(card).getByText("3 min")).toBeTruthy();
  act(() => void vi.advanceTimersByTime(200));
  expect(within(card).getByText("4 min")).toBeTruthy();
});
