import type { BinaryNode } from "baileys";
import type { AckEvent } from "../../port.ts";
import type { Self } from "./addresses.ts";
import { isSelf, toAddress } from "./addresses.ts";
import { textOf } from "./fields.ts";

/** By the receipt's type; others say nothing of how far a message came. */
const levels: Readonly<Record<string, AckEvent["level"]>> = { "": 3, read: 4, played: 5 };

/** What another person's phone says of our messages: that it has them, that they were read or heard. Never throws. */
export function toReceiptEvents({ attrs, content }: BinaryNode, self: Self): AckEvent[] {
  const chat = toAddress(attrs["from"]);
  const level = levels[textOf(attrs["type"])];
  // One with a recipient tells of another device of our own account.
  if (!chat || !level || attrs["recipient"] || isSelf(chat, self)) return [];
  const isGroup = chat.kind === "group";
  const member = toAddress(attrs["participant"]);
  if (isGroup && (!member || isSelf(member, self))) return [];
  const ids = [textOf(attrs["id"]), ...furtherIds(content)].filter((id) => id !== "");
  // In a group the first member who has or reads a message says it for all; that one heard it is not told.
  const told = isGroup && level === 5 ? 4 : level;
  return ids.map((providerId) => ({ type: "ack", providerId, chat, level: told }));
}

/** A receipt for several messages lists all but the first. */
function furtherIds(content: BinaryNode["content"]): string[] {
  const [list] = Array.isArray(content) ? content : [];
  if (list?.tag !== "list" || !Array.isArray(list.content)) return [];
  return list.content.map(({ attrs }) => textOf(attrs["id"]));
}
