import type { TextStorage } from "./drafts.ts";

/** A message that this browser has not got an answer for. It stays here until it is sent or discarded. */
export type UnsentMessage = Readonly<{
  /** The server takes a repeated request with the same one as the same message. */
  clientId: string;
  ticketId: number;
  body: string;
  createdAt: string;
  state: "sending" | "failed";
  /** Why it failed, as a code of ours. */
  errorCode: string | null;
}>;

export type UnsentMessages = {
  /** Of one ticket, oldest first. The same array until something changes. */
  of: (ticketId: number) => readonly UnsentMessage[];
  put: (message: UnsentMessage) => void;
  remove: (message: UnsentMessage) => void;
  subscribe: (listener: () => void) => () => void;
};

type FullStorage = TextStorage & Pick<Storage, "key" | "length">;

const none: readonly UnsentMessage[] = [];

/**
 * The unsent messages of one user. What an earlier page left as "sending" comes back as failed: nobody waits for its
 * answer any more, and sending it again cannot double it.
 */
export function createUnsentMessages(storage: FullStorage, userId: number): UnsentMessages {
  const prefix = `balcao.unsent.${userId}.`;
  const byTicket = new Map<number, readonly UnsentMessage[]>();
  const listeners = new Set<() => void>();

  const keyOf = (message: UnsentMessage): string =>
    `${prefix}${message.ticketId}.${message.clientId}`;

  function set(ticketId: number, messages: readonly UnsentMessage[]): void {
    const inOrder = messages.toSorted((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
    byTicket.set(ticketId, inOrder);
    for (const listener of listeners) listener();
  }

  function without(message: UnsentMessage): readonly UnsentMessage[] {
    const known = byTicket.get(message.ticketId) ?? none;
    return known.filter((other) => other.clientId !== message.clientId);
  }

  const keys = Array.from({ length: storage.length }, (_, index) => storage.key(index));
  for (const key of keys) {
    if (key === null || !key.startsWith(prefix)) continue;
    const message = read(storage.getItem(key));
    if (message) set(message.ticketId, [...without(message), message]);
  }

  return {
    of: (ticketId) => byTicket.get(ticketId) ?? none,
    put(message) {
      try {
        storage.setItem(keyOf(message), JSON.stringify(message));
      } catch {
        // The storage is full: the message is kept for this page only, which is better than refusing to send it.
      }
      set(message.ticketId, [...without(message), message]);
    },
    remove(message) {
      storage.removeItem(keyOf(message));
      set(message.ticketId, without(message));
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
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
  const errorCode = fields.get("errorCode");
  return {
    clientId,
    ticketId,
    body,
    createdAt,
    state: "failed",
    errorCode: typeof errorCode === "string" ? errorCode : "ERR_NETWORK",
  };
}
