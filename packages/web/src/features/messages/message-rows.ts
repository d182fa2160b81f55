import type { Message } from "@balcao/contract";
import type { UnsentMessage } from "./unsent-messages.ts";

/** What stands in the list: a message of the server, or one that is still on its way there. */
export type ListedMessage =
  | Readonly<{ kind: "stored"; message: Message }>
  | Readonly<{ kind: "unsent"; unsent: UnsentMessage }>;

export type MessageRow =
  | Readonly<{ kind: "day"; key: string; at: string }>
  | Readonly<{ kind: "unread"; key: string }>
  | Readonly<{
      kind: "message";
      key: string;
      item: ListedMessage;
      /** The next one is of another sender, or more than 5 minutes later: a gap follows, and the corner is small. */
      endsGroup: boolean;
      /** 1-based place among the loaded messages. */
      position: number;
    }>;

/** Messages of one sender this close together stand as one group. */
const GROUP_MS = 5 * 60_000;

/** Where reading stopped: so many of the customer's messages up to `lastMessageId` had not been read. */
export type UnreadMark = Readonly<{ count: number; lastMessageId: string }>;

/** The server's messages, then what is not there yet. What has arrived meanwhile stands once (by `clientId`). */
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

/**
 * The rows of the list, in order. No day stands above the first message while older ones may still come, so a page
 * that arrives above never takes a row away from below: the reading position cannot move.
 */
export function messageRows(
  items: readonly ListedMessage[],
  options: { hasMore: boolean; unread: UnreadMark | null; dayOf: (iso: string) => string },
): readonly MessageRow[] {
  const { hasMore, unread, dayOf } = options;
  const rows: MessageRow[] = [];
  const firstUnread = unread ? firstUnreadIndex(items, unread) : -1;
  const first = items[0];
  let ownDay = first ? dayOf(timeOf(first)) : "";
  let isFirstOfDay = !hasMore;
  for (let index = 0; index < items.length; index += 1) {
    const item = items[index];
    if (!item) continue;
    if (isFirstOfDay) rows.push({ kind: "day", key: `day ${ownDay}`, at: timeOf(item) });
    if (index === firstUnread) rows.push({ kind: "unread", key: "unread" });

    const next = items[index + 1];
    const nextDay = next ? dayOf(timeOf(next)) : "";
    isFirstOfDay = nextDay !== ownDay;
    const endsGroup = next === undefined || isFirstOfDay || !isSameGroup(item, next);
    rows.push({ kind: "message", key: keyOf(item), item, endsGroup, position: index + 1 });
    ownDay = nextDay;
  }
  return rows;
}

function isSameGroup(item: ListedMessage, next: ListedMessage): boolean {
  if (isFromMe(item) !== isFromMe(next)) return false;
  return Date.parse(timeOf(next)) - Date.parse(timeOf(item)) <= GROUP_MS;
}

export function timeOf(item: ListedMessage): string {
  return item.kind === "stored" ? item.message.createdAt : item.unsent.createdAt;
}

export function isFromMe(item: ListedMessage): boolean {
  return item.kind === "unsent" || item.message.fromMe;
}

/** The same for a message before and after it reaches the server, so that its row stays the same element. */
function keyOf(item: ListedMessage): string {
  return item.kind === "stored" ? (item.message.clientId ?? item.message.id) : item.unsent.clientId;
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

/** -1 while the line's place is not loaded yet. */
function firstUnreadIndex(items: readonly ListedMessage[], mark: UnreadMark): number {
  let index = items.findLastIndex(
    (item) => item.kind === "stored" && item.message.id === mark.lastMessageId,
  );
  let left = mark.count;
  for (; index >= 0; index -= 1) {
    const item = items[index];
    if (!item || isFromMe(item)) continue;
    left -= 1;
    if (left === 0) return index;
  }
  return -1;
}
