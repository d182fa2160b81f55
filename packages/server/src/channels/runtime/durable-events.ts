import { z } from "zod";
import type { Address, CallEvent, DurableEvent, InboundContent, MediaRef } from "../port.ts";
import { cut, list, longText, picture, shortText } from "./bounds.ts";

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

/** Partition of strict order: events and sends of one chat keep their order, chats are independent. */
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

/** The event as it was stored; throws when the text is none (written by another version). */
export function decodeEvent(text: string): DurableEvent {
  return durableEvent.parse(parseStored(text));
}

/** A text this short has nothing that would have to be cut. */
const SURELY_IN_BOUNDS = 1_000;

/**
 * The event and its text for the journal: what is too long is cut (bounds.ts), and both are without NUL characters,
 * which PostgreSQL cannot store. Nearly always the event is the given one.
 */
export function encodeEvent(event: DurableEvent): { event: DurableEvent; text: string } {
  const text = JSON.stringify(event);
  const hasNul = text.includes("\\u0000");
  if (!hasNul && text.length <= SURELY_IN_BOUNDS) return { event, text };
  const clean = hasNul ? JSON.stringify(event, withoutNul) : text;
  const bounded = durableEvent.safeParse(parseStored(clean));
  // Kept as it is: its handling will fail, and it stays in the journal for people to look at.
  if (!bounded.success) return { event, text: clean };
  return { event: bounded.data, text: JSON.stringify(bounded.data) };
}

function withoutNul(_key: string, value: unknown): unknown {
  return typeof value === "string" ? value.replaceAll("\u0000", "") : value;
}

/** JSON.parse would put a piece of the text, which is a customer's, into its error and so into the log. */
export function parseStored(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error("what is stored is not JSON");
  }
}
