import type { MediaKind, Message } from "@balcao/contract";
import { createStore } from "../../../store/index.ts";

/** The part of the browser's storage that is used here. */
export type TextStorage = Pick<Storage, "getItem" | "setItem" | "removeItem">;

/** The file of a message on its way; its content is held beside, for this page only. */
export type UnsentFile = Readonly<{
  name: string;
  mime: string;
  bytes: number;
  kind: MediaKind;
  /** An address within this page that shows it, null when there is nothing to show. */
  previewUrl: string | null;
}>;

/** A message that this browser has not got an answer for. It stays here until it is sent or discarded. */
export type UnsentMessage = Readonly<{
  /** The server takes a repeated request with the same one as the same message. */
  clientId: string;
  ticketId: number;
  /** The text, or the caption of the file. */
  body: string;
  createdAt: string;
  /** `uploading`: its file is moving; before that it waits its turn as `sending`. */
  state: "sending" | "uploading" | "failed";
  /** Upload progress of the file, from 0 to 1. */
  progress: number;
  /** Why it failed, as a code of ours. */
  errorCode: string | null;
  file: UnsentFile | null;
  /** The message that it answers. After a reload only the id is known. */
  quotedMsgId: string | null;
  quotedMsg: Message | null;
  /** The time in which the agent can undo it. */
  undoSeconds: number;
}>;

export type UnsentMessages = {
  /** The unsent messages of a ticket, oldest first. The same array until something changes. */
  of: (ticketId: number) => readonly UnsentMessage[];
  put: (message: UnsentMessage) => void;
  remove: (message: UnsentMessage) => void;
  subscribe: (listener: () => void) => () => void;
};

type FullStorage = TextStorage & Pick<Storage, "key" | "length">;

const none: readonly UnsentMessage[] = [];

/**
 * The unsent messages of one user. What an earlier page left as "sending" comes back as failed: nobody waits for its
 * answer any more, and sending it again cannot double it. Files do not outlive the page, so their messages are not kept.
 */
export function createUnsentMessages(storage: FullStorage, userId: number): UnsentMessages {
  const prefix = `balcao.unsent.${userId}.`;
  const byTicket = createStore<ReadonlyMap<number, readonly UnsentMessage[]>>(new Map());
  const of = (ticketId: number): readonly UnsentMessage[] => byTicket.get().get(ticketId) ?? none;

  const keyOf = (message: UnsentMessage): string =>
    `${prefix}${message.ticketId}.${message.clientId}`;

  function set(ticketId: number, messages: readonly UnsentMessage[]): void {
    const inOrder = messages.toSorted((a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt));
    byTicket.set(new Map(byTicket.get()).set(ticketId, inOrder));
  }

  function without(message: UnsentMessage): readonly UnsentMessage[] {
    return of(message.ticketId).filter((other) => other.clientId !== message.clientId);
  }

  /** In its old place, so that files chosen together keep their order. */
  function withIt(message: UnsentMessage): readonly UnsentMessage[] {
    const known = of(message.ticketId);
    const isKnown = known.some((other) => other.clientId === message.clientId);
    if (!isKnown) return [...known, message];
    return known.map((other) => (other.clientId === message.clientId ? message : other));
  }

  function keep(message: UnsentMessage): void {
    if (message.file !== null) return;
    const { quotedMsg: _, ...kept } = message;
    try {
      storage.setItem(keyOf(message), JSON.stringify(kept));
    } catch {
      // The storage is full: the message is kept for this page only, which is better than refusing to send it.
    }
  }

  const keys = Array.from({ length: storage.length }, (_, index) => storage.key(index));
  for (const key of keys) {
    if (key === null || !key.startsWith(prefix)) continue;
    const message = read(storage.getItem(key));
    if (message) set(message.ticketId, withIt(message));
  }

  return {
    of,
    put(message) {
      keep(message);
      set(message.ticketId, withIt(message));
    },
    remove(message) {
      storage.removeItem(keyOf(message));
      set(message.ticketId, without(message));
    },
    subscribe: byTicket.subscribe,
  };
}

function read(stored: string | null): UnsentMessage | null {
  let value: unknown;
  try {
    value = JSON.parse(stored ?? "null");
  } catch {
    return null; // written by something else
  }
  if (typeof value !== "object" || value === null) return null;
  const fields = new Map<string, unknown>(Object.entries(value));
  const [clientId, ticketId, body, createdAt] = [
    fields.get("clientId"),
    fields.get("ticketId"),
    fields.get("body"),
    fields.get("createdAt"),
  ];
  if (typeof clientId !== "string" || typeof ticketId !== "number") return null;
  if (typeof body !== "string" || typeof createdAt !== "string") return null;
  const [errorCode, quotedMsgId] = [fields.get("errorCode"), fields.get("quotedMsgId")];
  return {
    clientId,
    ticketId,
    body,
    createdAt,
    state: "failed",
    progress: 0,
    errorCode: typeof errorCode === "string" ? errorCode : "ERR_NETWORK",
    file: null,
    quotedMsgId: typeof quotedMsgId === "string" ? quotedMsgId : null,
    quotedMsg: null,
    undoSeconds: 0,
  };
}
