import type { proto, WAMessageContent } from "baileys";
import type { Address, MessageRef } from "../../port.ts";
import type { Self } from "./addresses.ts";
import { isSelf, toAddress } from "./addresses.ts";
import { countOf, textOf } from "./fields.ts";

/** What a message tells beside its content: what it answers, where it comes from. */
export function contextOf(content: WAMessageContent): proto.IContextInfo | null {
  for (const value of Object.values(content)) {
    if (hasContext(value)) return value.contextInfo;
  }
  return null;
}

function hasContext(value: unknown): value is { contextInfo: proto.IContextInfo } {
  if (typeof value !== "object" || value === null || !("contextInfo" in value)) return false;
  return typeof value.contextInfo === "object" && value.contextInfo !== null;
}

export function isForwarded(context: proto.IContextInfo | null): boolean {
  return context?.isForwarded === true || countOf(context?.forwardingScore) > 0;
}

/** The message that is answered. Its author says whether it was ours; of a person's chat there are only two. */
export function quotedRef(
  context: proto.IContextInfo | null,
  { chat, self }: { chat: Address; self: Self },
): MessageRef | null {
  const id = textOf(context?.stanzaId);
  if (id === "") return null;
  const author = toAddress(context?.participant);
  return {
    chat: toAddress(context?.remoteJid) ?? chat,
    id,
    fromMe: author !== null && isSelf(author, self),
    ...(author && author.kind !== "group" ? { author } : {}),
  };
}
