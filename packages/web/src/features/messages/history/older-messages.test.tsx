import type { Message } from "@balcao/contract";
import { act, fireEvent, screen, waitFor } from "@testing-library/react";
import type { ReactNode } from "react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { endSession, startSession } from "../../../api/session-store.ts";
import { useLiveConnection } from "../../../realtime/index.ts";
import type { SeenRequest } from "../../../testing/fake-server.ts";
import { givenToken, givenUser } from "../../../testing/given.ts";
import { MessageList } from "../list/message-list.tsx";
import { conversationServer, messagePageOf } from "../testing/conversation-server.ts";
import { givenScrollingLayout } from "../testing/given-layout.ts";
import { givenMessage, messageIdOf } from "../testing/given-message.ts";
import { renderOnCache } from "../testing/render-feature.tsx";
import { sockets } from "../../../testing/sockets.ts";

vi.mock("../../../realtime/socket.ts", () => import("../../../testing/sockets.ts"));

let requests: SeenRequest[];
let stored: Message[];

beforeEach(() => {
  givenScrollingLayout();
  startSession(givenToken("t"), givenUser());
  stored = Array.from({ length: 60 }, (_, index) => givenMessage(index + 1, { read: true }));
  ({ requests } = conversationServer(() => stored));
});

afterEach(() => {
  vi.restoreAllMocks();
  endSession("logout");
});

const older = (): string[] =>
  requests.flatMap(({ call }) => {
    const before = new URLSearchParams(call.split("?")[1]).get("beforeId");
    return before === null ? [] : [before];
  });

test("older messages are loaded within 50 px of the top, not sooner", async () => {
  renderOnCache(<MessageList ticketId={1} customerName="Helena" unread={0} isReader={false} />);
  await screen.findByText("mensagem 60");
  const scroller = screen.getByRole("log", { name: "Mensagens" });
  const scrollTo = (topPx: number): void => {
    scroller.scrollTop = topPx;
    fireEvent.scroll(scroller);
  };
  scrollTo(51);
  // After this the request of a page has been sent.
  await act(async () => new Promise((resolve) => setTimeout(resolve)));
  expect(older()).toEqual([]);
  scrollTo(50);
  await waitFor(() => expect(older()).toEqual([messageIdOf(41)]));
});

test("an older page that failed without a connection is loaded when the connection is back", async () => {
  let isLineBroken = true;
  ({ requests } = conversationServer(() => stored, {
    "GET /api/messages/1": ({ call }) =>
      isLineBroken && call.includes("beforeId") ? "unreachable" : messagePageOf(stored, call),
  }));
  renderOnCache(<ConnectedList />);
  const scroller = await screen.findByRole("log", { name: "Mensagens" });
  await screen.findByText("mensagem 60");
  scroller.scrollTop = 0;
  fireEvent.scroll(scroller);
  await screen.findByRole("button", { name: "Tentar de novo" });
  const asked = older().length;
  isLineBroken = false;
  fireEvent.scroll(scroller);
  expect(older(), "scrolling does not repeat what failed").toHaveLength(asked);
  const [socket] = sockets;
  if (!socket) throw new Error("no socket was opened");
  act(() => socket.receive("ready"));
  await screen.findByText("mensagem 40");
  expect(screen.queryByRole("button", { name: "Tentar de novo" })).toBeNull();
});

function ConnectedList(): ReactNode {
  useLiveConnection(3);
  return <MessageList ticketId={1} customerName="Helena" unread={0} isReader={false} />;
}
