import type { Message } from "@balcao/contract";
import type { SeenRequest } from "../../../testing/fake-server.ts";
import { fakeServer } from "../../../testing/fake-server.ts";

const PAGE = 20;

type Handlers = Parameters<typeof fakeServer>[0];

/** Serves ticket 1 in pages as the server does; `messages` may change between requests. */
export function conversationServer(
  messages: () => readonly Message[],
  handlers: Handlers = {},
): { requests: SeenRequest[] } {
  return fakeServer({
    "GET /api/messages/1": ({ call }) => messagePageOf(messages(), call),
    "GET /api/tickets/1/attendances": () => ({
      body: { attendances: [], count: 0, hasMore: false },
    }),
    "POST /api/messages/1/read": () => ({ body: { unreadMessages: 0 } }),
    ...handlers,
  });
}

/** The server's reply to a call for a page of the conversation `all`. */
export function messagePageOf(
  all: readonly Message[],
  call: string,
): { status?: number; body: unknown } {
  const query = new URLSearchParams(call.split("?")[1]);
  const [before, after, around] = [
    query.get("beforeId"),
    query.get("afterId"),
    query.get("aroundId"),
  ];
  const at = all.findIndex((message) => message.id === (before ?? after ?? around));
  if (at === -1 && (before ?? after ?? around) !== null) {
    return { status: 404, body: { error: "ERR_NO_MESSAGE_FOUND", code: "ERR_NO_MESSAGE_FOUND" } };
  }
  let from = all.length - PAGE;
  if (before !== null) from = at - PAGE;
  if (after !== null) from = at + 1;
  if (around !== null) from = at - PAGE / 2;
  const to = before === null ? from + PAGE : at;
  const messages = all.slice(Math.max(0, from), to);
  const hasNewer = Math.min(to, all.length) < all.length;
  return { body: { messages, count: all.length, ticket: null, hasMore: from > 0, hasNewer } };
}
