import type { WACallEvent } from "baileys";
import type { CallEvent } from "../../port.ts";
import type { Self } from "./addresses.ts";
import { isSelf, toAddress, toPeer } from "./addresses.ts";
import { createMemory } from "./contacts.ts";
import { textOf } from "./fields.ts";

/** Remembers calls that were told. */
export type CallMemory = { isNew(callId: string): boolean };

export function createCallMemory(limit = 1_000): CallMemory {
  return { isNew: createMemory(limit) };
}

/**
 * A customer rings, for the first time; null for everything else that happens to a call, and for calls of groups, which
 * are not with the company.
 */
export function toCallEvent(
  call: WACallEvent,
  { self, calls, now }: { self: Self; calls: CallMemory; now: Date },
): CallEvent | null {
  if (call?.status !== "offer" || call.isGroup === true) return null;
  const id = textOf(call.id);
  const chat = toAddress(call.from) ?? toAddress(call.chatId);
  if (id === "" || !chat || chat.kind === "group" || isSelf(chat, self)) return null;
  if (!calls.isNew(id)) return null;
  const from = toPeer([call.from, call.callerPn, call.chatId]) ?? { addresses: [chat] };
  const at = call.date instanceof Date && Number.isFinite(call.date.getTime()) ? call.date : now;
  return { type: "call", id, chat, from, isVideo: call.isVideo === true, at };
}
