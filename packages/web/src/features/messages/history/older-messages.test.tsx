import type { Message } from "@balcao/contract";
import { act, fireEvent, screen, waitFor } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { startSession } from "../../../api/session-store.ts";
import type { SeenRequest } from "../../../testing/fake-server.ts";
import { givenToken, givenUser } from "../../../testing/given.ts";
import { MessageList } from "../list/message-list.tsx";
import { conversationServer } from "../testing/conversation-server.ts";
import { givenScrollingLayout } from "../testing/given-layout.ts";
import { givenMessage, messageIdOf } from "../testing/given-message.ts";
import { renderOnCache } from "../testing/render-feature.tsx";

let requests: SeenRequest[];

beforeEach(() => {
  givenScrollingLayout();
  startSession(givenToken("t"), givenUser());
  const stored: Message[] = Array.from({ length: 60 }, (_, index) =>
    givenMessage(index + 1, { read: true }),
  );
  ({ requests } = conversationServer(() => stored));
});

afterEach(() => vi.restoreAllMocks());

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
  // A page that was asked for is on its way once what is due has been done.
  await act(async () => new Promise((resolve) => setTimeout(resolve)));
  expect(older()).toEqual([]);
  scrollTo(50);
  await waitFor(() => expect(older()).toEqual([messageIdOf(41)]));
});
