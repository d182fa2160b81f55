import { z } from "zod";
import type { Database, Tx } from "../../platform/db/database.ts";
import type { Origin } from "../../platform/observing/work.ts";
import { inWork, originHere } from "../../platform/observing/work.ts";
import type { Address, CallEvent, DurableEvent, InboundContent, MediaRef } from "../port.ts";
import { LeaseLost } from "../port.ts";
import type { Lease } from "./deps.ts";
import { heldLease, leaseValues } from "./lease.ts";

/** A stored event; ids grow in the order of the commits. */
export type JournalRow = {
  id: number;
  chatKey: string;
  attempts: number;
  /** JSON when read from the journal: decoded when it is handled, so that an invalid one fails alone. */
  event: DurableEvent | string;
  /** Where its trace began, unless it was read from the journal. */
  origin?: Origin;
};

const insertEvents = {
  name: "journal-insert",
  text: `with ${heldLease}
         insert into inbound_journal (company_id, connection_id, chat_key, event)
         select $1, $2, arrived.chat_key, arrived.event
           from held, unnest($5::text[], $6::text[]) with ordinality as arrived (chat_key, event, place)
          order by arrived.place
         returning id`,
};
const readEvents = {
  name: "journal-read",
  text: `select id, chat_key as "chatKey", attempts, event from inbound_journal
          where company_id = $1 and connection_id = $2 and id > $3 and failed_at is null
          order by id limit $4`,
};

type Waiting = {
  events: readonly DurableEvent[];
  resolve: () => void;
  reject: (error: unknown) => void;
};

/** Most events in one insert: more of them occupy the thread for longer than a call takes. */
const BATCH = 200;

/**
 * Stores delivered events before they are handled. One insert runs at a time, so the order of ids is the order of
 * commits; events that arrive meanwhile share the next insert.
 */
export class Journal {
  readonly #db: Database;
  readonly #lease: Lease;
  readonly #onStored: (rows: JournalRow[]) => void;
  readonly #onDoubt: () => void;
  readonly #onWaiting: (change: number) => void;
  #waiting: Waiting[] = [];
  #isWriting = false;

  /**
   * `stored` gets the rows in order, before their `store` resolves. `doubt` is called when an insert failed: its rows
   * may exist all the same (the database connection broke at the commit). `waiting` is called when the number of events
   * that are not stored yet changes.
   */
  constructor(
    db: Database,
    lease: Lease,
    on: {
      stored: (rows: JournalRow[]) => void;
      doubt: () => void;
      waiting: (change: number) => void;
    },
  ) {
    this.#db = db;
    this.#lease = lease;
    this.#onStored = on.stored;
    this.#onDoubt = on.doubt;
    this.#onWaiting = on.waiting;
  }

  /** Resolves after COMMIT; rejects with LeaseLost when the fence is stale. */
  store(events: readonly DurableEvent[]): Promise<void> {
    if (events.length === 0) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.#waiting.push({ events, resolve, reject });
      this.#onWaiting(events.length);
      void this.#write();
    });
  }

  get isIdle(): boolean {
    return !this.#isWriting && this.#waiting.length === 0;
  }

  async #write(): Promise<void> {
    if (this.#isWriting) return;
    this.#isWriting = true;
    while (this.#waiting.length > 0) {
      const calls = this.#nextBatch();
      const events = calls.flatMap((call) => call.events);
      try {
        this.#onStored(await this.#insert(events));
        for (const { resolve } of calls) resolve();
      } catch (error) {
        if (!(error instanceof LeaseLost)) this.#onDoubt();
        for (const { reject } of calls) reject(error);
      }
      this.#onWaiting(-events.length);
    }
    this.#isWriting = false;
  }

  /** Whole calls up to the batch size, at least one. */
  #nextBatch(): Waiting[] {
    let count = 0;
    let size = 0;
    for (const { events } of this.#waiting) {
      if (count > 0 && size + events.length > BATCH) break;
      count += 1;
      size += events.length;
    }
    return this.#waiting.splice(0, count);
  }

  async #insert(events: DurableEvent[]): Promise<JournalRow[]> {
    const encoded = events.map(encodeEvent);
    const chatKeys = encoded.map(({ event }) => chatKeyOf(chatOf(event)));
    const { companyId } = this.#lease;
    let origin: Origin | undefined;
    const store = () => {
      origin = originHere();
      const insert = async (tx: Tx): Promise<number[]> => {
        const rows = await tx.query<{ id: number }>(insertEvents, [
          ...leaseValues(this.#lease),
          chatKeys,
          encoded.map(({ text }) => text),
        ]);
        if (rows.length !== events.length) throw new LeaseLost();
        return rows.map((row) => row.id);
      };
      return this.#db.transaction({ companyId }, insert, { isFirst: true });
    };
    const ids = await inWork({ kind: "message", name: "inbound store", companyId }, store);
    return encoded.map(({ event }, place) => ({
      id: ids[place] ?? 0,
      chatKey: chatKeys[place] ?? "",
      attempts: 0,
      event,
      ...(origin === undefined ? {} : { origin }),
    }));
  }
}

/** Unhandled rows after an id, in order. */
export async function readJournal(
  db: Database,
  lease: Lease,
  page: { afterId: number; limit: number },
): Promise<JournalRow[]> {
  return db.transaction({ companyId: lease.companyId }, (tx) =>
    tx.query<JournalRow & { event: string }>(readEvents, [
      lease.companyId,
      lease.connectionId,
      page.afterId,
      page.limit,
    ]),
  );
}

const LONG_TEXT = 65_536;
const SHORT_TEXT = 2_000;
const LIST = 300;
const PICTURE = 200_000;

/** The first characters of a text; never half of a surrogate pair. */
function cut(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const end = /[\uD800-\uDBFF]/.test(text.charAt(longest - 1)) ? longest - 1 : longest;
  return text.slice(0, end);
}

/** Message texts, cut at the chat app's own limit. */
const longText = z.string().transform((text) => cut(text, LONG_TEXT));
/** Names, titles, addresses. */
const shortText = z.string().transform((text) => cut(text, SHORT_TEXT));
/** A small picture as base64. Part of a larger one would be unreadable, so that becomes an empty text. */
const picture = z.string().transform((text) => (text.length > PICTURE ? "" : text));
const list = <T extends z.ZodType>(item: T) =>
  z
    .array(z.unknown())
    .transform((items) => items.slice(0, LIST))
    .pipe(z.array(item));

export const address = z.object({
  kind: z.enum(["pn", "lid", "bsuid", "group"]),
  value: z.string(),
});
const peer = z.object({ addresses: list(address), displayName: shortText.exactOptional() });
export const messageRef = z.object({
  chat: address,
  id: z.string(),
  fromMe: z.boolean(),
  author: address.exactOptional(),
});
const failure = z.object({
  kind: z.enum([
    "not-connected",
    "logged-out",
    "rate-limited",
    "recipient-unknown",
    "bad-request",
    "temporary",
    "auth",
    "banned",
    "restricted",
    "window-closed",
    "unsupported",
    "media-missing",
    "media-too-big",
    "recipient-unchecked",
    "unconfirmed",
    "lease-lost",
  ]),
  code: z.string().exactOptional(),
  retryAfterMs: z.number().exactOptional(),
});

export const mediaRef: z.ZodType<MediaRef> = z.object({
  media: z.enum(["image", "video", "audio", "voice", "document", "sticker"]),
  mime: shortText,
  fileName: shortText.exactOptional(),
  bytes: z.number().exactOptional(),
  durationMs: z.number().exactOptional(),
  locator: z.string().transform((text) => cut(text, 8_000)),
});

const ad = z.object({ title: shortText, body: longText, sourceUrl: shortText });

const content: z.ZodType<InboundContent> = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("text"),
    text: longText,
    ad: ad.exactOptional(),
  }),
  z.object({
    kind: z.literal("media"),
    file: mediaRef,
    caption: longText.exactOptional(),
    isViewOnce: z.boolean().exactOptional(),
    ad: ad.exactOptional(),
  }),
  z.object({
    kind: z.literal("location"),
    latitude: z.number(),
    longitude: z.number(),
    name: shortText.exactOptional(),
    address: shortText.exactOptional(),
    isLive: z.boolean().exactOptional(),
    thumbnail: picture.exactOptional(),
  }),
  z.object({
    kind: z.literal("contacts"),
    contacts: list(z.object({ name: shortText, phones: list(shortText), vcard: longText })),
  }),
  z.object({
    kind: z.literal("poll"),
    type: shortText,
    question: longText,
    options: list(shortText),
    severalAllowed: z.boolean(),
  }),
  z.object({ kind: z.literal("poll-vote"), options: list(shortText) }),
  z.object({
    kind: z.literal("choice"),
    type: shortText,
    id: shortText,
    text: shortText.exactOptional(),
  }),
  z.object({ kind: z.literal("pending") }),
  z.object({ kind: z.literal("view-once") }),
  z.object({ kind: z.literal("other"), type: shortText, text: longText }),
]);

const call = z.object({
  type: z.literal("call"),
  id: z.string(),
  chat: address,
  from: peer,
  isVideo: z.boolean(),
  at: z.coerce.date(),
});

export const callEvent: z.ZodType<CallEvent> = call;

const durableEvent: z.ZodType<DurableEvent> = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("message"),
    ref: messageRef,
    from: peer,
    chatName: shortText.exactOptional(),
    at: z.coerce.date(),
    origin: z.enum(["live", "offline", "history", "own-device"]),
    content,
    quoted: messageRef.exactOptional(),
    isForwarded: z.boolean().exactOptional(),
  }),
  z.object({
    type: z.literal("ack"),
    providerId: z.string(),
    chat: address,
    level: z.literal([1, 2, 3, 4, 5]),
  }),
  z.object({ type: z.literal("send-failed"), providerId: z.string(), chat: address, failure }),
  z.object({
    type: z.literal("edit"),
    target: messageRef,
    text: longText,
    at: z.coerce.date(),
  }),
  z.object({ type: z.literal("revoke"), target: messageRef, at: z.coerce.date() }),
  z.object({
    type: z.literal("reaction"),
    target: messageRef,
    from: peer,
    fromMe: z.boolean(),
    emoji: shortText.nullable(),
    at: z.coerce.date(),
  }),
  call,
  z.object({
    type: z.literal("contact"),
    chat: address,
    peer,
    isNewNumber: z.boolean().exactOptional(),
    at: z.coerce.date(),
  }),
]);

/** The partition key: events and sends of one chat keep their order, chats are independent. */
export function chatKeyOf(address: Address): string {
  return `${address.kind}:${address.value}`;
}

export function chatOf(event: DurableEvent): Address {
  switch (event.type) {
    case "message":
      return event.ref.chat;
    case "edit":
    case "revoke":
    case "reaction":
      return event.target.chat;
    case "ack":
    case "send-failed":
    case "call":
    case "contact":
      return event.chat;
  }
}

/** Parses a stored event; throws if another version wrote its JSON. */
export function decodeEvent(text: string): DurableEvent {
  return durableEvent.parse(parseStored(text));
}

/** JSON of at most this length needs no cutting. */
const NEVER_CUT = 1_000;

/**
 * The event and its JSON for the journal. Cuts values that are too long, and removes NUL characters, which PostgreSQL
 * cannot store.
 */
export function encodeEvent(event: DurableEvent): { event: DurableEvent; text: string } {
  const text = JSON.stringify(event);
  const hasNul = text.includes("\\u0000");
  if (!hasNul && text.length <= NEVER_CUT) return { event, text };
  const clean = hasNul ? JSON.stringify(event, withoutNul) : text;
  const bounded = durableEvent.safeParse(parseStored(clean));
  // Stored unchanged: its handling fails, and the row stays in the journal for diagnosis.
  if (!bounded.success) return { event, text: clean };
  return { event: bounded.data, text: JSON.stringify(bounded.data) };
}

function withoutNul(_key: string, value: unknown): unknown {
  return typeof value === "string" ? value.replaceAll("\u0000", "") : value;
}

/** Parses stored JSON. The error of JSON.parse would quote the text, a customer's, in the log. */
export function parseStored(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error("a stored value is not JSON");
  }
}
