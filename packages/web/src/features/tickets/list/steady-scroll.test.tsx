import { act, fireEvent, screen, waitFor } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { startSession } from "../../../api/session-store.ts";
import { givenToken, givenUser } from "../../../testing/given.ts";
import { givenListLayout } from "../testing/given-list-layout.ts";
import { givenTicket } from "../testing/given-ticket.ts";
import { ticketServer } from "../testing/ticket-server.ts";
import { cardNames, openTicketsScreen } from "../testing/tickets-screen.tsx";
import { sockets } from "../../../testing/sockets.ts";

vi.mock("../../../realtime/socket.ts", () => import("../../../testing/sockets.ts"));

const ME = { userId: 7, user: { id: 7, name: "Marina Prado" } };
const COUNT = 30;

beforeEach(() => {
  givenListLayout();
  startSession(givenToken("t"), givenUser());
  ticketServer(Array.from({ length: COUNT }, (_, index) => givenTicket(index + 1, ME)));
});

afterEach(() => vi.restoreAllMocks());

/** Renders the list, scrolled so that this customer's card is the first in view. */
async function openAtCard(n: number): Promise<HTMLElement> {
  await openTicketsScreen(sockets);
  await waitFor(() => expect(cardNames()[0]).toBe(`Cliente ${COUNT}`));
  const list = screen.getByRole("list", { name: "Lista de atendimentos" }).parentElement;
  if (!list) throw new Error("the list is not in a scroller");
  list.scrollTop = startPx(n);
  fireEvent.scroll(list);
  return list;
}

/** The position of a card in the list. */
function startPx(n: number): number {
  const card = document.querySelector<HTMLElement>(`[data-ticket-id="${n}"]`);
  const [, start] = /translateY\((.+)px\)/.exec(card?.style.transform ?? "") ?? [];
  return Number(start);
}

/** A ticket changes and moves to the top. */
function moveToTop(n: number): void {
  const ticket = givenTicket(n, { ...ME, updatedAt: `2026-11-20T15:00:${n}.000Z` });
  act(() => sockets[0]?.receive("company-3-ticket", { action: "update", ticket }));
}

test("the visible cards stay when a card from below moves to the top", async () => {
  const list = await openAtCard(26);
  const before = list.scrollTop;
  moveToTop(10);
  await waitFor(() => expect(list.scrollTop).toBeGreaterThan(before));
  expect(startPx(26) - list.scrollTop).toBe(0);
});

test("the card below stays when the first one in view moves to the top", async () => {
  const list = await openAtCard(26);
  const belowPx = startPx(25) - list.scrollTop;
  moveToTop(26);
  await waitFor(() => expect(cardNames()[0]).toBe("Cliente 26"));
  expect(startPx(25) - list.scrollTop).toBe(belowPx);
});

test("the visible cards stay when a card above is removed", async () => {
  const list = await openAtCard(26);
  const before = list.scrollTop;
  act(() => sockets[0]?.receive("company-3-ticket", { action: "delete", ticketId: COUNT }));
  await waitFor(() => expect(list.scrollTop).toBeLessThan(before));
  expect(startPx(26) - list.scrollTop).toBe(0);
});

test("at the top new cards come into view", async () => {
  const list = await openAtCard(COUNT);
  moveToTop(10);
  await waitFor(() => expect(cardNames()[0]).toBe("Cliente 10"));
  expect(list.scrollTop).toBe(0);
});

test.each(["pointerUp", "contextMenu"] as const)(
  "no card moves under a press, until %s",
  async (end) => {
    await openAtCard(COUNT);
    const [first] = screen.getAllByRole("article");
    if (!first) throw new Error("the list has no card");
    fireEvent.pointerDown(first);
    moveToTop(10);
    act(() => sockets[0]?.receive("company-3-ticket", { action: "delete", ticketId: 5 }));
    await screen.findByRole("button", { name: `Atendendo ${COUNT - 1}` });
    expect(cardNames()[0]).toBe(`Cliente ${COUNT}`);
    fireEvent[end](first);
    await waitFor(() => expect(cardNames()[0]).toBe("Cliente 10"));
  },
);

test("a card that leaves the list fades where it stood, out of reach, and the others close up at once", async () => {
  const list = await openAtCard(COUNT);
  const placePx = startPx(COUNT - 1);
  // It stands there for 120 ms only.
  const pictures: HTMLElement[] = [];
  const observer = new MutationObserver((changes) => {
    const added = changes.flatMap(({ addedNodes }) => [...addedNodes]);
    for (const node of added) {
      if (node instanceof HTMLElement && node.matches("li[aria-hidden]")) pictures.push(node);
    }
  });
  observer.observe(list, { childList: true, subtree: true });
  act(() => sockets[0]?.receive("company-3-ticket", { action: "delete", ticketId: COUNT - 1 }));
  await waitFor(() => expect(cardNames()[1]).toBe(`Cliente ${COUNT - 2}`));
  await waitFor(() => expect(pictures).toHaveLength(1));
  observer.disconnect();
  const [picture] = pictures;
  expect(picture?.textContent).toContain(`Cliente ${COUNT - 1}`);
  expect([picture?.inert, picture?.style.transform]).toEqual([true, `translateY(${placePx}px)`]);
  await waitFor(() => expect(picture?.isConnected).toBe(false));
});
