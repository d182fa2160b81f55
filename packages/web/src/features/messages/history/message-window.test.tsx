import type { Message } from "@balcao/contract";
import { act, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { startSession } from "../../../api/session-store.ts";
import type { SeenRequest } from "../../../testing/fake-server.ts";
import { givenToken, givenUser } from "../../../testing/given.ts";
import { loadedHistory, writeMessageEvent } from "./message-history.ts";
import { MessageList } from "../list/message-list.tsx";
import { openAt, openWish } from "./read-history.ts";
import { conversationServer } from "../testing/conversation-server.ts";
import { givenScrollingLayout } from "../testing/given-layout.ts";
import { givenMessage, messageIdOf } from "../testing/given-message.ts";
import { renderOnCache } from "../testing/render-feature.tsx";

const COUNT = 200;
let stored: Message[];
let requests: SeenRequest[];

beforeEach(() => {
  givenScrollingLayout();
  startSession(givenToken("t"), givenUser());
  stored = Array.from({ length: COUNT }, (_, index) => givenMessage(index + 1, { read: true }));
  ({ requests } = conversationServer(() => stored));
});

afterEach(() => vi.restoreAllMocks());

function show(props: { unread?: number; isReader?: boolean } = {}) {
  return renderOnCache(
    <MessageList
      ticketId={1}
      customerName="Helena"
      unread={props.unread ?? 0}
      isReader={props.isReader ?? false}
    />,
  );
}

const pages = (): string[] =>
  requests
    .filter((one) => one.call.startsWith("GET /api/messages/1"))
    .map((one) => one.call.replace(/.*\?/, "").replace("&markRead=false", ""));
const flashed = (): string =>
  document.querySelector("article[data-flashed]")?.textContent ?? "nothing";
const loaded = (): Message[] => [...(loadedHistory(1)?.messages ?? [])];

describe("a searched message", () => {
  test("is shown with the messages around it, and highlighted once", async () => {
    openAt(1, messageIdOf(50));
    show();
    await waitFor(() => expect(flashed()).toContain("mensagem 50"));
    expect(pages()[0]).toBe(`aroundId=${messageIdOf(50)}`);
    expect(loaded().length).toBeLessThan(COUNT);
    await waitFor(() => expect(openWish(1)).toBeNull());
    expect(flashed()).toBe("nothing");
  });

  test("in an open ticket loads its part", async () => {
    show();
    await screen.findByText("mensagem 200");
    act(() => openAt(1, messageIdOf(50)));
    await waitFor(() => expect(flashed()).toContain("mensagem 50"));
    expect(screen.queryByText("mensagem 200")).toBeNull();
  });

  test("that is loaded is shown without a request", async () => {
    show();
    await screen.findByText("mensagem 200");
    const before = pages().length;
    act(() => openAt(1, messageIdOf(190)));
    await waitFor(() => expect(flashed()).toContain("mensagem 190"));
    expect(pages()).toHaveLength(before);
  });

  test("that is deleted shows an error and keeps the conversation", async () => {
    openAt(1, messageIdOf(999));
    show();
    await screen.findByText("mensagem 200");
    expect(openWish(1)).toBeNull();
  });

  test("is opened by a press on its quote", async () => {
    const [original] = stored.slice(49, 50);
    if (!original) throw new Error("no message");
    const answer = givenMessage(201, { quotedMsg: original, quotedMsgId: original.id });
    stored = [...stored, answer];
    show();
    await userEvent.click(await screen.findByTitle("Mostrar a mensagem respondida"));
    await waitFor(() => expect(flashed()).toContain("mensagem 50"));
  });
});

describe("a part that is not the end", () => {
  async function showPart(props: Parameters<typeof show>[0] = {}) {
    openAt(1, messageIdOf(50));
    const view = show(props);
    await waitFor(() => expect(flashed()).toContain("mensagem 50"));
    return view;
  }

  test("ignores new messages at the end", async () => {
    await showPart();
    act(() => writeMessageEvent({ action: "create", message: givenMessage(201) }));
    expect(loaded().some((message) => message.id === messageIdOf(201))).toBe(false);
    expect(loadedHistory(1)?.hasNewer).toBe(true);
  });

  test("applies changes in it", async () => {
    await showPart();
    const later = new Date(Date.UTC(2027, 0, 1)).toISOString();
    const edited = givenMessage(50, { body: "outra coisa", updatedAt: later });
    act(() => writeMessageEvent({ action: "update", message: edited }));
    expect(await screen.findByText("outra coisa")).toBeTruthy();
  });

  test("has a button to the end, which is refetched", async () => {
    await showPart();
    await userEvent.click(screen.getByRole("button", { name: "Ir para a última mensagem" }));
    await screen.findByText("mensagem 200");
    expect(screen.queryByRole("button", { name: "Ir para a última mensagem" })).toBeNull();
    expect(loadedHistory(1)).toMatchObject({ hasNewer: false, anchorId: null });
  });

  test("does not mark messages as read: only the end does", async () => {
    await showPart({ unread: 3, isReader: true });
    await waitFor(() => expect(openWish(1)).toBeNull());
    await userEvent.click(screen.getByRole("button", { name: "Ir para a última mensagem" }));
    const calls = (): string[] => requests.map((one) => one.call);
    await waitFor(() => expect(calls()).toContain("POST /api/messages/1/read"));
    const endRead = calls().indexOf("GET /api/messages/1?markRead=false");
    expect(calls().indexOf("POST /api/messages/1/read")).toBeGreaterThan(endRead);
  });

  test("is dropped when the ticket is left, so that it opens at its end again", async () => {
    const { unmount } = await showPart();
    unmount();
    expect(loadedHistory(1)).toBeUndefined();
  });
});

describe("many unread messages", () => {
  test("are loaded back to the first one, with the line above it", async () => {
    stored = stored.map((one, index) => ({ ...one, read: index < COUNT - 45 }));
    show({ unread: 45, isReader: true });
    const line = await screen.findByText("Mensagens não lidas");
    expect(line).toBeTruthy();
    expect(pages().slice(0, 3)).toEqual([
      "markRead=false",
      `beforeId=${messageIdOf(181)}`,
      `beforeId=${messageIdOf(161)}`,
    ]);
  });
});

test("the rows before the view are rendered, so that the page key finds them", async () => {
  // Unread ones are all loaded at once.
  stored = stored.map((one, index) => ({ ...one, read: index < COUNT - 60 }));
  show();
  await screen.findByText("mensagem 200");
  const scroller = screen.getByRole("log", { name: "Mensagens" });
  expect(scroller.scrollTop).toBeGreaterThan(scroller.clientHeight);
  // Once the end is painted.
  await waitFor(() => {
    const rows = [...scroller.querySelectorAll<HTMLElement>("[data-index]")];
    const tops = rows.map((row) => Number(/translateY\((.*)px\)/.exec(row.style.transform)?.[1]));
    const drawnAbovePx = scroller.scrollTop - Math.min(...tops);
    expect(drawnAbovePx).toBeGreaterThanOrEqual(scroller.clientHeight);
  });
});

describe("two tabs", () => {
  test("a message that is deleted, edited or reacted to elsewhere changes here", async () => {
    show();
    await screen.findByText("mensagem 200");
    const later = (second: number): string =>
      new Date(Date.UTC(2027, 0, 1, 0, 0, second)).toISOString();
    const reaction = { emoji: "🙏", fromMe: false, contactId: null, name: "Helena" };
    const change = (n: number, fields: Parameters<typeof givenMessage>[1]) =>
      act(() => writeMessageEvent({ action: "update", message: givenMessage(n, fields) }));
    change(200, { body: "nova", isEdited: true, updatedAt: later(1) });
    change(199, { isDeleted: true, updatedAt: later(1) });
    change(198, { reactions: [reaction], updatedAt: later(1) });
    expect(await screen.findByText("nova")).toBeTruthy();
    expect(screen.queryByText("mensagem 199")).toBeNull();
    const reacted = screen.getByText("mensagem 198").closest("article");
    if (!reacted) throw new Error("no message");
    expect(within(reacted).getByText("🙏")).toBeTruthy();
  });

  test("a message undone in another tab is removed here", async () => {
    show();
    await screen.findByText("mensagem 200");
    act(() => writeMessageEvent({ action: "delete", message: givenMessage(200) }));
    await waitFor(() => expect(screen.queryByText("mensagem 200")).toBeNull());
  });
});
