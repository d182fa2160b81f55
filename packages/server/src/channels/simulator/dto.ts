import type {
  ConnectionId,
  SimulatorChat,
  SimulatorMember,
  SimulatorMessage,
} from "@balcao/contract";
import { toIso, toIsoOrNull } from "../../platform/db/row-dates.ts";
import type { Chat, PhoneMessage } from "./phone-rows.ts";
import { COMPANY } from "./stored.ts";

export function toChatDto({ members, ...chat }: Chat): SimulatorChat {
  return {
    ...chat,
    lastMessageAt: toIsoOrNull(chat.lastMessageAt),
    isGroup: members !== null,
    members: members ?? [],
  };
}

export function toMessageDto(connectionId: ConnectionId, message: PhoneMessage): SimulatorMessage {
  const { details } = message;
  const url = `/simulator/connections/${connectionId}/messages/${encodeURIComponent(message.id)}/file`;
  return {
    id: message.id,
    fromCustomer: message.fromCustomer,
    kind: message.kind,
    body: message.body,
    at: toIso(message.at),
    ack: message.ack,
    author: authorOf(message),
    file: details?.file
      ? {
          url,
          name: details.file.name,
          mime: details.file.mime,
          bytes: details.file.bytes,
          durationMs: details.file.durationMs ?? null,
        }
      : null,
    content: details?.content ?? null,
    call: details?.call ?? null,
    quoted: quotedOf(message),
    reactions: Object.entries(message.reactions).map(([by, emoji]) => ({
      emoji,
      fromCompany: by === COMPANY,
      phone: by === COMPANY ? null : by,
    })),
    isEdited: message.isEdited,
    isDeleted: message.isDeleted,
    isForwarded: message.isForwarded,
    isViewOnce: message.isViewOnce,
  };
}

function authorOf({ author, members }: PhoneMessage): SimulatorMember | null {
  if (author === null) return null;
  return members?.find(({ phone }) => phone === author) ?? { phone: author, name: author };
}

function quotedOf(message: PhoneMessage): SimulatorMessage["quoted"] {
  const { quotedId: id, quotedBody, quotedFromCustomer, details } = message;
  if (id === null) return null;
  if (quotedBody !== null)
    return { id, body: quotedBody, fromCustomer: quotedFromCustomer ?? false };
  const quote = details?.quote;
  return quote ? { id, body: quote.text, fromCustomer: !quote.fromMe } : null;
}
