import type { ConnectionId } from "@balcao/contract";
import { z } from "zod";
import type { Wake } from "../../platform/db/wake.ts";
import type { Address } from "../port.ts";
import { address, parseStored } from "./durable-events.ts";
import { TYPING_TOPIC } from "./topics.ts";

export type Typing = { connectionId: ConnectionId; chat: Address; isTyping: boolean };

const message = z.object({ chat: address, isTyping: z.boolean() });

/**
 * Tells the connection's owner, whichever process that is, that somebody of the company writes to a chat or has stopped.
 * Nothing is stored: what does not arrive is soon not true any more.
 */
export function tellTyping(wake: Wake, { connectionId, chat, isTyping }: Typing): void {
  wake.send(`${TYPING_TOPIC}${connectionId}:${JSON.stringify({ chat, isTyping })}`);
}

/** What a topic of `tellTyping` says; null for what is none. */
export function typingOf(topic: string): Typing | null {
  const [, id, text] = /^(\d+):(.*)$/s.exec(topic.slice(TYPING_TOPIC.length)) ?? [];
  if (id === undefined || text === undefined) return null;
  const { chat, isTyping } = message.parse(parseStored(text));
  return { connectionId: Number(id) as ConnectionId, chat, isTyping };
}
