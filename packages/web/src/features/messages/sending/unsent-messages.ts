import type { MediaKind, Message } from "@balcao/contract";
import { unsentPrefix } from "../../../api/session-store.ts";
import { createStore } from "../../../store/index.ts";

/** The part of the browser's storage that is used here. */
export type TextStorage = Pick<Storage, "getItem" | "setItem" | "removeItem">;

/** The file of a message on its way; its content stands in `kept-files.ts`. */
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
  /** Its place: those of a ticket are sent in this order, and no two have the same. */
  createdAt: string;
  /** When the agent asked for it last: by writing it, or by trying again. */
  askedAt: string;
  /** `sending`: it is its turn, or soon; `uploading`: its file is moving; `waiting`: the line is away. */
  state: "sending" | "uploading" | "waiting" | "failed";
  /** Upload progress of the file, from 0 to 1. */
  progress: number;
  /** Why it failed, as a code of ours. */
  errorCode: string | null;
  file: UnsentFile | null;
  /** Whether it outlives the page; null while its file is still being written to the storage. */
  isKept: boolean | null;
  /** The message that it answers. After a reload only the id is known. */
  quotedMsgId: string | null;
  quotedMsg: Message | null;
  /** The time in which the agent can undo it. */
  undoSeconds: number;
}>;

export type UnsentMessages = ReturnType<typeof createUnsentMessages>;

type FullStorage = TextStorage & Pick<Storage, "key" | "length">;

/** Messages of other users of this browser are removed unread after this time. */
const OTHERS_KEPT_MS = 7 * 86_400_000;

const none: readonly UnsentMessage[] = [];

/**
 * The unsent messages of one user of one company, which all tabs share. One without a file is in the storage before it is
 * shown; one with a file as soon as the file is, so that what is read from the storage is whole.
 */
export function createUnsentMessages(
  storage: FullStorage,
  owner: { companyId: number; userId: number },
  nowMs: number,
) {
  const prefix = unsentPrefix(owner);
  const byTicket = createStore<ReadonlyMap<number, readonly UnsentMessage[]>>(new Map());
  const of = (ticketId: number): readonly UnsentMessage[] => byTicket.get().get(ticketId) ?? none;
  const all = (): readonly UnsentMessage[] => [...byTicket.get().values()].flat();
  const find = (clientId: string): UnsentMessage | undefined =>
    all().find((message) => message.clientId === clientId);

  const keyOf = (message: UnsentMessage): string =>
    `${prefix}${message.ticketId}.${message.clientId}`;

  function set(ticketId: number, messages: readonly UnsentMessage[]): void {
    const inOrder = messages.toSorted((a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt));
    const next = new Map(byTicket.get());
    if (inOrder.length === 0) next.delete(ticketId);
    else next.set(ticketId, inOrder);
    byTicket.set(next);
  }

  function forget(message: UnsentMessage): void {
    const others = of(message.ticketId).filter(({ clientId }) => clientId !== message.clientId);
    set(message.ticketId, others);
  }

  function show(message: UnsentMessage): void {
    const others = of(message.ticketId).filter(({ clientId }) => clientId !== message.clientId);
    set(message.ticketId, [...others, message]);
  }

  /** The message as it is shown: the storage may be full, and then this page alone has it. */
  function keep(message: UnsentMessage): UnsentMessage {
    if (message.file !== null && message.isKept !== true) return message;
    const { quotedMsg: _, progress: __, ...kept } = message;
    const file = message.file === null ? null : { ...message.file, previewUrl: null };
    try {
      const text = JSON.stringify({ ...kept, file, state: keptState(message) });
      if (storage.getItem(keyOf(message)) !== text) storage.setItem(keyOf(message), text);
      return { ...message, isKept: true };
    } catch {
      return { ...message, isKept: false };
    }
  }

  function put(message: UnsentMessage): void {
    show(keep(message));
  }

  function stored(): Map<string, UnsentMessage> {
    const found = new Map<string, UnsentMessage>();
    for (const key of keysOf(storage)) {
      const message = key.startsWith(prefix) ? read(storage.getItem(key)) : null;
      if (message) found.set(message.clientId, message);
    }
    return found;
  }

  for (const message of stored().values()) show(message);
  removeOldOfOthers(storage, prefix, nowMs);

  return {
    /** The unsent messages of a ticket, in their order. The same array until something changes. */
    of,
    all,
    find,
    put,
    /** Changes some fields of a message that is still here. */
    change(clientId: string, fields: Partial<UnsentMessage>): void {
      const message = find(clientId);
      if (message) put({ ...message, ...fields });
    },
    remove(message: UnsentMessage): void {
      storage.removeItem(keyOf(message));
      forget(message);
    },
    /** Takes over what other tabs did. Returns what they sent or discarded. */
    reload(): readonly UnsentMessage[] {
      const kept = stored();
      const gone = all().filter(({ clientId, isKept }) => isKept === true && !kept.has(clientId));
      for (const message of gone) forget(message);
      for (const message of kept.values()) {
        const known = find(message.clientId);
        if (!known) show(message);
        else if (keptState(known) !== message.state) {
          const { state, errorCode, askedAt } = message;
          show({ ...known, state, errorCode, askedAt });
        }
      }
      return gone;
    },
    /** A time for a new message, after those of all that wait in its ticket. */
    nextPlace(ticketId: number, now: string): string {
      const last = of(ticketId).at(-1)?.createdAt;
      if (last === undefined || last < now) return now;
      return new Date(Date.parse(last) + 1).toISOString();
    },
    subscribe: byTicket.subscribe,
  };
}

/** The progress of an upload is this page's matter. */
function keptState({ state }: UnsentMessage): UnsentMessage["state"] {
  return state === "uploading" ? "sending" : state;
}

function keysOf(storage: FullStorage): string[] {
  const keys = Array.from({ length: storage.length }, (_, index) => storage.key(index));
  return keys.filter((key) => key !== null);
}

function removeOldOfOthers(storage: FullStorage, own: string, nowMs: number): void {
  for (const key of keysOf(storage)) {
    if (!key.startsWith(unsentPrefix(null)) || key.startsWith(own)) continue;
    const message = read(storage.getItem(key));
    const isOld = message === null || nowMs - Date.parse(message.createdAt) > OTHERS_KEPT_MS;
    if (isOld) storage.removeItem(key);
  }
}

function read(stored: string | null): UnsentMessage | null {
  let value: unknown;
  try {
    value = JSON.parse(stored ?? "null");
  } catch {
    return null; // written by something else
  }
  const [textOf, numberOf] = [reader(value, "string"), reader(value, "number")];
  const [clientId, body, createdAt] = [textOf("clientId"), textOf("body"), textOf("createdAt")];
  const ticketId = numberOf("ticketId");
  if (clientId === null || ticketId === null || body === null || createdAt === null) return null;
  const state = textOf("state");
  return {
    clientId,
    ticketId,
    body,
    createdAt,
    askedAt: textOf("askedAt") ?? createdAt,
    state: state === "failed" || state === "waiting" ? state : "sending",
    progress: 0,
    errorCode: textOf("errorCode"),
    file: readFile(fieldOf(value, "file")),
    isKept: true,
    quotedMsgId: textOf("quotedMsgId"),
    quotedMsg: null,
    undoSeconds: numberOf("undoSeconds") ?? 0,
  };
}

const mediaKinds: readonly MediaKind[] = [
  "image",
  "video",
  "audio",
  "voice",
  "document",
  "sticker",
];

function readFile(value: unknown): UnsentFile | null {
  const [textOf, numberOf] = [reader(value, "string"), reader(value, "number")];
  const kind = mediaKinds.find((one) => one === textOf("kind"));
  const [name, mime, bytes] = [textOf("name"), textOf("mime"), numberOf("bytes")];
  if (kind === undefined || name === null || mime === null || bytes === null) return null;
  return { name, mime, bytes, kind, previewUrl: null };
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

/** Reads fields of one type; null where a field is missing or something else. */
function reader(value: unknown, type: "string"): (name: string) => string | null;
function reader(value: unknown, type: "number"): (name: string) => number | null;
function reader(value: unknown, type: string) {
  return (name: string): unknown => {
    const field = fieldOf(value, name);
    return typeof field === type ? field : null;
  };
}
