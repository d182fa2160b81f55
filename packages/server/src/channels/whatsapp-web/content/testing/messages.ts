import type { WAMessage, WAMessageContent, WAMessageKey } from "baileys";
import { proto } from "baileys";
import type { DurableEvent, InboundMessage } from "../../../port.ts";
import type { InboundContext } from "../inbound.ts";
import { toDurableEvents } from "../inbound.ts";

export const SELF = { pn: "5511900000000", lid: "900000000000000" };
export const ANA = "5511988887777@s.whatsapp.net";
export const ANA_LID = "123456789012345@lid";
export const GROUP = "120363041234567890@g.us";
export const AT = new Date("2026-11-20T12:00:00Z");

type Extras = Partial<Omit<WAMessage, "key" | "message">> & { key?: Partial<WAMessageKey> };

/** A message as the socket gives it: its content went through the network's encoding. */
export function arrived(
  content: WAMessageContent | null,
  { key, ...extras }: Extras = {},
): WAMessage {
  const { message, messageTimestamp } = proto.WebMessageInfo.decode(
    proto.WebMessageInfo.encode({
      key: {},
      messageTimestamp: AT.getTime() / 1000,
      ...(content ? { message: content } : {}),
    }).finish(),
  );
  return {
    ...(message ? { message } : {}),
    ...(messageTimestamp ? { messageTimestamp } : {}),
    pushName: "Ana",
    ...extras,
    key: { remoteJid: ANA, id: "3EB0AAAA", fromMe: false, ...key },
  };
}

export const context: InboundContext = { self: SELF, origin: "live", now: AT };

export function eventsOf(message: WAMessage, more: Partial<InboundContext> = {}): DurableEvent[] {
  return toDurableEvents(message, { ...context, ...more });
}

/** The one message that is told. */
export function messageOf(message: WAMessage, more: Partial<InboundContext> = {}): InboundMessage {
  const messages = eventsOf(message, more).filter((event) => event.type === "message");
  const [only, ...others] = messages;
  if (!only || others.length > 0) throw new Error(`told ${messages.length} messages`);
  return only;
}

export function contentOf(content: WAMessageContent): InboundMessage["content"] {
  return messageOf(arrived(content)).content;
}
