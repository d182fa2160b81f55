import type { WAMessageUpdate } from "baileys";
import { proto } from "baileys";
import type { AckEvent, DurableEvent, MessageRef } from "../../port.ts";
import type { Self } from "./addresses.ts";
import { isSelf, toAddress } from "./addresses.ts";
import { editedText } from "./changes.ts";
import { refusalEvent } from "./failures.ts";
import { momentOf, textOf } from "./fields.ts";
import { unwrap } from "./unwrap.ts";

/**
 * One entry of `messages.update`: acks of our own messages, refusals after the fact, edits and deletions. What it says of
 * edits and deletions is also in `messages.upsert`, and there whose message an admin deleted. Never throws.
 */
export function toUpdateEvents(
  { key, update }: WAMessageUpdate,
  { self, now }: { self: Self; now: Date },
): DurableEvent[] {
  const chat = toAddress(key?.remoteJid);
  const id = textOf(key?.id);
  if (!chat || id === "" || isSelf(chat, self) || !update) return [];
  const author = chat.kind === "group" ? toAddress(key.participant) : null;
  const ref = { chat, id, fromMe: key.fromMe === true, ...(author ? { author } : {}) };
  const at = momentOf(update.messageTimestamp, now);
  const found = [
    ref.fromMe ? (ackOf(ref, update.status) ?? refusal(ref, update)) : null,
    editOf(ref, update.message, at),
    isRevoked(update) ? { type: "revoke" as const, target: ref, at } : null,
  ];
  return found.filter((event) => event !== null);
}

function refusal(ref: MessageRef, { status, messageStubParameters }: WAMessageUpdate["update"]) {
  return refusalEvent(ref, status, messageStubParameters);
}

function isRevoked({ messageStubType }: WAMessageUpdate["update"]): boolean {
  return messageStubType === proto.WebMessageInfo.StubType.REVOKE;
}

function ackOf({ chat, id }: MessageRef, status: unknown): AckEvent | null {
  switch (status) {
    case 2:
    case 3:
    case 4:
    case 5:
      return { type: "ack", providerId: id, chat, level: status };
    default:
      return null;
  }
}

function editOf(target: MessageRef, message: unknown, at: Date): DurableEvent | null {
  if (unwrap(message)?.isEdit !== true) return null;
  const text = editedText(message);
  return text === "" ? null : { type: "edit", target, text, at };
}
