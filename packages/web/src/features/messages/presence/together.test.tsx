import { act, render, screen, waitFor } from "@testing-library/react";
import type { ReactNode } from "react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { endSession, startSession } from "../../../api/session-store.ts";
import { useLiveConnection } from "../../../realtime/index.ts";
import { fakeServer } from "../../../testing/fake-server.ts";
import type { FakeSocket } from "../../../testing/fake-socket.ts";
import { givenToken, givenUser } from "../../../testing/given.ts";
import { useMessageEvents } from "../history/message-history.ts";
import { tellWriting } from "./presence.ts";
import { Viewers } from "./viewers.tsx";
import { sockets } from "../../../testing/sockets.ts";

vi.mock("../../../realtime/socket.ts", () => import("../../../testing/sockets.ts"));

const VIEWERS = "company-3-ticketViewers";

beforeEach(() => {
  fakeServer({});
  startSession(givenToken("t", 3_600), givenUser());
});

afterEach(() => {
  vi.restoreAllMocks();
  endSession("logout");
});

function Connected({ children }: { children: ReactNode }): ReactNode {
  useLiveConnection(3);
  return children;
}

function Ticket({ id }: { id: number }): ReactNode {
  useMessageEvents(id);
  return <Viewers ticketId={id} />;
}

async function open(ticket: ReactNode) {
  const view = render(<Connected>{ticket}</Connected>);
  await waitFor(() => expect(sockets).toHaveLength(1));
  const [socket] = sockets;
  if (!socket) throw new Error("no socket was opened");
  act(() => socket.receive("ready"));
  return { ...view, socket };
}

const told = (socket: FakeSocket): string[] =>
  socket.sent
    .filter(([event]) => event === "ticketViewing")
    .map(([, payload]) => {
      const { ticketId, state } = payload as { ticketId: number; state: string };
      return `${ticketId} ${state}`;
    });

function hear(socket: FakeSocket, name: string, state: string, ticketId = 11): void {
  const user = { id: name.length, name };
  act(() => socket.receive(VIEWERS, { ticketId, user, windowId: name, state }));
}

test("the window reports the open ticket after joining its room, and its leaving", async () => {
  const { socket, rerender } = await open(<Ticket id={11} />);
  await waitFor(() => expect(told(socket)).toEqual(["11 viewing"]));
  const events = socket.sent.map(([event]) => event);
  expect(events.indexOf("joinChatBox")).toBeLessThan(events.indexOf("ticketViewing"));
  rerender(<Connected>{null}</Connected>);
  expect(told(socket)).toEqual(["11 viewing", "11 left"]);
});

test("writing is reported once, not with each key", async () => {
  const { socket } = await open(<Ticket id={11} />);
  await waitFor(() => expect(told(socket)).toHaveLength(1));
  tellWriting(11, "typing");
  tellWriting(11, "typing");
  tellWriting(12, "typing");
  tellWriting(11, "viewing");
  expect(told(socket).slice(1)).toEqual(["11 typing", "11 viewing"]);
});

test("a preview joins the room and is not reported", async () => {
  function Preview(): ReactNode {
    useMessageEvents(11);
    return null;
  }
  const { socket } = await open(<Preview />);
  await waitFor(() => expect(socket.sent.some(([event]) => event === "joinChatBox")).toBe(true));
  expect(told(socket)).toEqual([]);
});

test("a page in the background is not reported", async () => {
  const { socket } = await open(<Ticket id={11} />);
  await waitFor(() => expect(told(socket)).toEqual(["11 viewing"]));
  vi.spyOn(document, "visibilityState", "get").mockReturnValue("hidden");
  act(() => void document.dispatchEvent(new Event("visibilitychange")));
  expect(told(socket)).toEqual(["11 viewing", "11 left"]);
});

test("the strip names the viewers, writers first", async () => {
  const { socket } = await open(<Ticket id={21} />);
  hear(socket, "Ana", "viewing", 21);
  expect(screen.getByRole("status").textContent).toContain("Ana está vendo");
  hear(socket, "Bruno", "typing", 21);
  expect(screen.getByRole("status").textContent).toContain("Bruno está digitando…");
  hear(socket, "Bruno", "viewing", 21);
  expect(screen.getByRole("status").textContent).toContain("Ana, Bruno estão vendo");
  hear(socket, "Ana", "left", 21);
  hear(socket, "Bruno", "left", 21);
  expect(screen.queryByRole("status")).toBeNull();
});

test("viewers of other tickets and the user's own windows are not shown", async () => {
  const { socket } = await open(<Ticket id={31} />);
  hear(socket, "Ana", "viewing", 32);
  const me = { id: givenUser().id, name: "Marina Prado" };
  act(() => socket.receive(VIEWERS, { ticketId: 31, user: me, windowId: "w", state: "viewing" }));
  expect(screen.queryByRole("status")).toBeNull();
});

test("a new window gets a reply, so that it shows the viewers at once", async () => {
  const { socket } = await open(<Ticket id={41} />);
  await waitFor(() => expect(told(socket)).toEqual(["41 viewing"]));
  hear(socket, "Newcomer", "viewing", 41);
  await waitFor(() => expect(told(socket)).toEqual(["41 viewing", "41 viewing"]));
});
