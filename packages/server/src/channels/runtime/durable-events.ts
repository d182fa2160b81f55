import { z } from "zod";
import type { Address, DurableEvent, OutboundBody } from "../port.ts";

const address = z.object({
  kind: z.enum(["pn", "lid", "bsuid", "group"]),
  value: z.string(),
});
const messageRef = z.object({
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
    "unconfirmed",
    "lease-lost",
  ]),
  code: z.string().exactOptional(),
  retryAfterMs: z.number().exactOptional(),
});

const durableEvent: z.ZodType<DurableEvent> = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("message"),
    ref: messageRef,
    from: z.object({ addresses: z.array(address), displayName: z.string().exactOptional() }),
    at: z.coerce.date(),
    origin: z.enum(["live", "offline", "history", "own-device"]),
    content: z.object({ kind: z.literal("text"), text: z.string() }),
    quoted: messageRef.exactOptional(),
  }),
  z.object({
    type: z.literal("ack"),
    providerId: z.string(),
    chat: address,
    level: z.literal([1, 2, 3, 4, 5]),
  }),
  z.object({ type: z.literal("send-failed"), providerId: z.string(), chat: address, failure }),
]);

/** Partition of strict order: events and sends of one chat keep their order, chats are independent. */
export function chatKeyOf(address: Address): string {
  return `${address.kind}:${address.value}`;
}

export function chatOf(event: DurableEvent): Address {
  return event.type === "message" ? event.ref.chat : event.chat;
}

/** The event as it was stored; throws when the text is none (written by another version). */
export function decodeEvent(text: string): DurableEvent {
  return durableEvent.parse(parseStored(text));
}

/**
 * The event and its text for the journal, both without NUL characters, which PostgreSQL cannot store (nearly always
 * there are none and the event is the given one).
 */
export function encodeEvent(event: DurableEvent): { event: DurableEvent; text: string } {
  const text = JSON.stringify(event);
  if (!text.includes("\\u0000")) return { event, text };
  const clean = JSON.stringify(event, (_key, value: unknown) =>
    typeof value === "string" ? value.replaceAll("\u0000", "") : value,
  );
  return { event: decodeEvent(clean), text: clean };
}

const outboundBody: z.ZodType<OutboundBody> = z.object({
  kind: z.literal("text"),
  text: z.string(),
});

/** The body of an outbound row; throws when the text is none (written by another version). */
export function decodeBody(text: string): OutboundBody {
  return outboundBody.parse(parseStored(text));
}

/** JSON.parse would put a piece of the text, which is a customer's, into its error and so into the log. */
function parseStored(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error("what is stored is not JSON");
  }
}
