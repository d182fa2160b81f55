import type { Message } from "@balcao/contract";
import { isLine, splitSignature } from "../bubble/message-content.ts";
import type { TimelineEntry } from "../history/timeline.ts";
import type { UnsentMessage } from "../sending/unsent-messages.ts";

/** A message in the list: one from the server, or an unsent one. */
export type ListedMessage =
  | Readonly<{ kind: "stored"; message: Message }>
  | Readonly<{ kind: "unsent"; unsent: UnsentMessage }>;

export type MessageRow =
  | Readonly<{ kind: "day"; key: string; at: string }>
  | Readonly<{ kind: "unread"; key: string }>
  /** The customer waits for an answer since the message below. */
  | Readonly<{ kind: "waiting"; key: string; at: string }>
  | Readonly<{ kind: "entry"; key: string; entry: TimelineEntry }>
  | Readonly<{
      kind: "message";
      key: string;
      item: ListedMessage;
      /**
       * The previous message has another author or is more than 5 minutes older: in a group chat it shows the author.
       */
      startsGroup: boolean;
      /**
       * The next message has another author or is more than 5 minutes later: a gap follows, and the corner is small.
       */
      endsGroup: boolean;
      /** It is the first one in its group that says who of us wrote it: a signed one, or the chatbot's. */
      showsAuthor: boolean;
      /** 1-based position among the loaded messages. */
      position: number;
    }>;

/** Messages of one sender within this time are one group. */
const GROUP_MS = 5 * 60_000;

/** The unread line: `count` messages of the customer up to `lastMessageId` were not read. */
export type UnreadMark = Readonly<{ count: number; lastMessageId: string }>;

export type RowOptions = {
  hasMore: boolean;
  hasNewer: boolean;
  unread: UnreadMark | null;
  /** When the first message arrived that nobody answered; null when nobody waits. */
  waitingSince: string | null;
  dayOf: (iso: string) => string;
  /** The entries between the messages, ascending by time. */
  entries: readonly TimelineEntry[];
  /** Messages that were once the first loaded one: they keep starting a group, so that no row changes. */
  pageStarts: ReadonlySet<string>;
};

/** The server's messages, then the unsent ones. A message that arrived meanwhile is shown once (by `clientId`). */
export function listedMessages(
  stored: readonly Message[],
  unsent: readonly UnsentMessage[],
): readonly ListedMessage[] {
  const items: ListedMessage[] = stored.map(storedItem);
  if (unsent.length === 0) return items;
  const arrived = new Set(stored.map((message) => message.clientId));
  for (const one of unsent) {
    if (!arrived.has(one.clientId)) items.push({ kind: "unsent", unsent: one });
  }
  return items;
}

type Placed =
  | { kind: "message"; at: string; item: ListedMessage; position: number }
  | { kind: "entry"; at: string; entry: TimelineEntry };

/**
 * The rows of the list, in order. The first message has no day label while older ones exist, so that an older page
 * never removes a row below it and the reading position stays.
 */
export function messageRows(
  items: readonly ListedMessage[],
  options: RowOptions,
): readonly MessageRow[] {
  const { hasMore, unread, dayOf } = options;
  const rows: MessageRow[] = [];
  const placed = inOrder(items, options);
  const firstUnread = unread ? firstUnreadIndex(items, unread) : -1;
  const firstWaiting = firstWaitingIndex(items, options);
  const first = placed[0];
  let ownDay = first ? dayOf(first.at) : "";
  let isFirstOfDay = !hasMore;
  let before: Placed | undefined;
  let shownName: string | null = null;
  for (let index = 0; index < placed.length; index += 1) {
    const one = placed[index];
    if (!one) continue;
    if (isFirstOfDay) rows.push({ kind: "day", key: `day ${ownDay}`, at: one.at });
    const startsDay = isFirstOfDay;
    const next = placed[index + 1];
    const nextDay = next ? dayOf(next.at) : "";
    isFirstOfDay = nextDay !== ownDay;
    ownDay = nextDay;
    if (one.kind === "entry") {
      rows.push({ kind: "entry", key: one.entry.key, entry: one.entry });
    } else {
      const { item, position } = one;
      const key = keyOf(item);
      if (position - 1 === firstUnread) rows.push({ kind: "unread", key: "unread" });
      if (position - 1 === firstWaiting) rows.push({ kind: "waiting", key: "waiting", at: one.at });
      const startsGroup =
        startsDay || options.pageStarts.has(key) || !before || !isSameGroup(before, one);
      const endsGroup = !next || isFirstOfDay || !isSameGroup(one, next);
      const { isBot, name } = signerOf(item);
      if (startsGroup) shownName = null;
      const showsAuthor = isBot ? startsGroup : name !== null && name !== shownName;
      shownName = name ?? shownName;
      rows.push({ kind: "message", key, item, startsGroup, endsGroup, showsAuthor, position });
    }
    before = one;
  }
  return rows;
}

/** Messages and entries by time. Entries outside of the loaded part wait for their page. */
function inOrder(items: readonly ListedMessage[], options: RowOptions): readonly Placed[] {
  const { entries, hasMore, hasNewer } = options;
  const first = items[0];
  const placed: Placed[] = [];
  let nextEntry = 0;
  const firstAt = first ? timeOf(first) : "";
  if (hasMore) while ((entries[nextEntry]?.at ?? "~") < firstAt) nextEntry += 1;
  for (let index = 0; index < items.length; index += 1) {
    const item = items[index];
    if (!item) continue;
    const at = timeOf(item);
    for (let entry = entries[nextEntry]; entry && entry.at < at; entry = entries[nextEntry]) {
      placed.push({ kind: "entry", at: entry.at, entry });
      nextEntry += 1;
    }
    placed.push({ kind: "message", at, item, position: index + 1 });
  }
  if (hasNewer) return placed;
  for (const entry of entries.slice(nextEntry)) placed.push({ kind: "entry", at: entry.at, entry });
  return placed;
}

function isSameGroup(one: Placed, next: Placed): boolean {
  if (one.kind === "entry" || next.kind === "entry") return false;
  if (isFromMe(one.item) !== isFromMe(next.item)) return false;
  if (isLineItem(one.item) || isLineItem(next.item)) return false;
  if (!isSameAuthor(one.item, next.item)) return false;
  return Date.parse(next.at) - Date.parse(one.at) <= GROUP_MS;
}

/** Own messages name their author only if they are signed or come from the chatbot. */
function isSameAuthor(one: ListedMessage, next: ListedMessage): boolean {
  if (!isFromMe(one)) return authorOf(one) === authorOf(next);
  const [before, after] = [signerOf(one), signerOf(next)];
  if (before.isBot || after.isBot) return before.isBot && after.isBot;
  return before.name === null || after.name === null || before.name === after.name;
}

/** The chatbot, or the name that one of our own messages is signed with. */
function signerOf(item: ListedMessage): { isBot: boolean; name: string | null } {
  if (!isFromMe(item)) return { isBot: false, name: null };
  if (item.kind === "stored" && item.message.isAutomatic) return { isBot: true, name: null };
  const { body } = item.kind === "stored" ? item.message : item.unsent;
  return { isBot: false, name: splitSignature(body).author };
}

function isLineItem(item: ListedMessage): boolean {
  return item.kind === "stored" && isLine(item.message);
}

function authorOf(item: ListedMessage): number | null {
  return item.kind === "stored" ? item.message.contactId : null;
}

export function timeOf(item: ListedMessage): string {
  return item.kind === "stored" ? item.message.createdAt : item.unsent.createdAt;
}

export function ticketIdOf(item: ListedMessage): number {
  return item.kind === "stored" ? item.message.ticketId : item.unsent.ticketId;
}

export function isFromMe(item: ListedMessage): boolean {
  return item.kind === "unsent" || item.message.fromMe;
}

/** The same for a message before and after it reaches the server, so that its row stays the same element. */
export function keyOf(item: ListedMessage): string {
  return item.kind === "stored" ? (item.message.clientId ?? item.message.id) : item.unsent.clientId;
}

/** The row index of a message from the server; -1 if it is not loaded. */
export function rowIndexOf(rows: readonly MessageRow[], messageId: string): number {
  return rows.findLastIndex(
    (row) =>
      row.kind === "message" && row.item.kind === "stored" && row.item.message.id === messageId,
  );
}

const storedItems = new WeakMap<Message, ListedMessage>();

/** The same object for the same message, so that an unchanged row is not rendered again. */
function storedItem(message: Message): ListedMessage {
  const known = storedItems.get(message);
  if (known) return known;
  const made: ListedMessage = { kind: "stored", message };
  storedItems.set(message, made);
  return made;
}

/** The message that nobody answered; -1 for none, and while it is not loaded. */
function firstWaitingIndex(
  items: readonly ListedMessage[],
  { waitingSince, hasMore }: RowOptions,
): number {
  if (waitingSince === null) return -1;
  const index = items.findIndex((item) => !isFromMe(item) && timeOf(item) >= waitingSince);
  const first = items[index];
  // The first loaded one may have others above it.
  return index === 0 && hasMore && first && timeOf(first) !== waitingSince ? -1 : index;
}

/** -1 while the line's place is not loaded. */
function firstUnreadIndex(items: readonly ListedMessage[], mark: UnreadMark): number {
  let index = items.findLastIndex(
    (item) => item.kind === "stored" && item.message.id === mark.lastMessageId,
  );
  let left = mark.count;
  for (; index >= 0; index -= 1) {
    const item = items[index];
    // A call is stored as read, so the count excludes it.
    if (!item || isFromMe(item) || isLineItem(item)) continue;
    left -= 1;
    if (left === 0) return index;
  }
  return -1;
}
