import { call, hasCode } from "../../../api/client.ts";
import { createSessionStore } from "../../../api/session-store.ts";
import { useStore } from "../../../store/index.ts";
import { notifyError } from "../../../ui/index.ts";
import type { MessageHistory, MessagePage } from "./message-history.ts";
import { endOf, hasMessage, loadedHistory, takeNewest, withLiveEvents } from "./message-history.ts";
import { teamSource } from "./team-source.ts";

/** A request to show one message; each request is a new object, also for the same message. */
type OpenWish = Readonly<{
  messageId: string;
  /** The message is in view and highlighted. */
  isShown: boolean;
}>;

const wishes = createSessionStore<ReadonlyMap<number, OpenWish>>(new Map());

/**
 * Shows the message in its ticket's conversation, now or when it is opened next: centred and highlighted once, after
 * loading the part around it if needed.
 */
export function openAt(ticketId: number, messageId: string): void {
  setWish(ticketId, { messageId, isShown: false });
}

/** The message to show in the ticket; null if none. */
export function openWish(ticketId: number): OpenWish | null {
  return wishes.get().get(ticketId) ?? null;
}

/** The message is in view. A newer request stays. */
export function showOpenWish(ticketId: number, wish: OpenWish): void {
  if (openWish(ticketId) === wish) setWish(ticketId, { ...wish, isShown: true });
}

/** The message to show in the ticket, until `settleOpenWish`. */
export function useOpenWish(ticketId: number): OpenWish | null {
  return useStore(wishes, () => openWish(ticketId));
}

/** The message was shown or cannot be. A newer request stays. */
export function settleOpenWish(ticketId: number, wish: OpenWish): void {
  if (openWish(ticketId) === wish) setWish(ticketId, null);
}

function setWish(ticketId: number, wish: OpenWish | null): void {
  const next = new Map(wishes.get());
  if (wish === null) next.delete(ticketId);
  else next.set(ticketId, wish);
  wishes.set(next);
}

/** The largest number of pages that are refetched: customers edit recent messages, not old ones. */
const REREAD_PAGES_MAX = 10;
/** The largest number of pages that are read at once to reach the first unread message. */
const UNREAD_PAGES_MAX = 5;

type PageQuery = { beforeId?: string; afterId?: string; aroundId?: string };

/**
 * The part of a conversation to show: around the searched message, else the shown part again if it is not the end, else
 * the end.
 */
export async function readHistory(ticketId: number, signal: AbortSignal): Promise<MessageHistory> {
  const loaded = loadedHistory(ticketId);
  const wish = openWish(ticketId);
  if (wish && !(loaded && hasMessage(loaded, wish.messageId))) {
    const around = await readAround(ticketId, wish, signal);
    if (around) return around;
  } else if (loaded?.hasNewer === true) {
    const again = await readPartAgain(ticketId, loaded, signal);
    if (again) return again;
  }
  const newest = await readNewest(ticketId, signal);
  const late = openWish(ticketId);
  if (late === null || late === wish || hasMessage(newest, late.messageId)) return newest;
  return (await readAround(ticketId, late, signal)) ?? newest;
}

/** The end alone, ignoring the loaded part. */
export function readEnd(ticketId: number): Promise<MessageHistory> {
  return withLiveEvents(ticketId, async () => {
    const newest = await readPage(ticketId, {});
    return () => endOf(newest);
  });
}

async function readAround(
  ticketId: number,
  wish: OpenWish,
  signal: AbortSignal,
): Promise<MessageHistory | null> {
  const { messageId } = wish;
  try {
    return await withLiveEvents(ticketId, async () => {
      const page = await readPage(ticketId, { aroundId: messageId }, signal);
      return () => ({ ...page, anchorId: messageId });
    });
  } catch (error) {
    if (!isGone(error)) throw error;
    settleOpenWish(ticketId, wish);
    notifyError(error);
    return null;
  }
}

/** Null if its beginning no longer exists. */
async function readPartAgain(
  ticketId: number,
  loaded: MessageHistory,
  signal: AbortSignal,
): Promise<MessageHistory | null> {
  const first = loaded.messages[0];
  const last = loaded.messages.at(-1);
  if (!first || !last) return null;
  try {
    return await withLiveEvents(ticketId, async () => {
      let part = await readPage(ticketId, { aroundId: first.id }, signal);
      for (let pages = 1; pages < REREAD_PAGES_MAX && part.hasNewer; pages += 1) {
        const reached = part.messages.at(-1);
        if (!reached || reached.createdAt >= last.createdAt) break;
        const newer = await readPage(ticketId, { afterId: reached.id }, signal);
        const messages = [...part.messages, ...newer.messages];
        part = { ...newer, messages, hasMore: part.hasMore };
      }
      const { anchorId } = loaded;
      return () => ({ ...part, anchorId });
    });
  } catch (error) {
    if (isGone(error)) return null;
    throw error;
  }
}

async function readNewest(ticketId: number, signal: AbortSignal): Promise<MessageHistory> {
  return withLiveEvents(ticketId, async () => {
    let newest = await readPage(ticketId, {}, signal);
    for (let pages = 1; pages < REREAD_PAGES_MAX; pages += 1) {
      const first = newest.messages[0];
      if (!first || !newest.hasMore || isFarEnough(loadedHistory(ticketId), newest, pages)) break;
      const older = await readPage(ticketId, { beforeId: first.id }, signal);
      const messages = [...older.messages, ...newest.messages];
      // The count of the first reply: later messages are counted by their events.
      newest = { ...older, messages, hasNewer: false, count: newest.count };
    }
    return (before) => takeNewest(before, newest);
  });
}

/** True if the pages read so far cover the needed part. */
function isFarEnough(
  loaded: MessageHistory | undefined,
  newest: MessagePage,
  pages: number,
): boolean {
  const first = newest.messages[0];
  if (!first) return true;
  // The agent continues at the first unread message, so it must be loaded.
  if (!first.fromMe && !first.read && pages < UNREAD_PAGES_MAX) return false;
  if (!loaded || loaded.hasNewer) return true;
  const loadedFrom = loaded.messages[0]?.createdAt ?? first.createdAt;
  return loadedFrom >= first.createdAt;
}

/** One page; the request does not mark messages as read. */
export function readPage(
  ticketId: number,
  query: PageQuery,
  signal?: AbortSignal,
): Promise<MessagePage> {
  const team = teamSource(ticketId);
  if (team !== null) return team.readPage(ticketId, query, signal);
  const request = { params: { ticketId }, query: { ...query, markRead: "false" as const } };
  return call("GET /messages/:ticketId", request, { signal });
}

function isGone(error: unknown): boolean {
  return hasCode(error, "ERR_NO_MESSAGE_FOUND");
}
