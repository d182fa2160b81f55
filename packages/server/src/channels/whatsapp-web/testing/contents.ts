import { proto } from "baileys";
import type { KeptFile, MediaHost, SentFile } from "./media-host.ts";

/** A person's message: a text, a file, or a message in the network's own format. */
export type Said = string | SaidFile | { message: proto.IMessage };

export type SaidFile = {
  kind: "image" | "video" | "audio" | "voice" | "document" | "sticker";
  bytes: Uint8Array;
  mimetype: string;
  caption?: string;
  fileName?: string;
  seconds?: number;
};

export async function messageOf(said: Said, media: MediaHost): Promise<proto.IMessage> {
  if (typeof said === "string") return { conversation: said };
  if ("message" in said) return said.message;
  const kept = await media.keep(said.bytes, said.kind === "voice" ? "ptt" : said.kind);
  return fileMessage(said, kept);
}

function fileMessage(said: SaidFile, kept: KeptFile): proto.IMessage {
  const { mimetype, caption = null, fileName = null, seconds = null } = said;
  const file = { ...kept, mimetype };
  switch (said.kind) {
    case "image":
      return { imageMessage: { ...file, caption } };
    case "video":
      return { videoMessage: { ...file, caption, seconds } };
    case "audio":
      return { audioMessage: { ...file, seconds } };
    case "voice":
      return { audioMessage: { ...file, seconds, ptt: true } };
    case "document":
      return { documentMessage: { ...file, caption, fileName, title: fileName } };
    case "sticker":
      return { stickerMessage: file };
  }
}

export function fileOf(message: proto.IMessage): SentFile | undefined {
  return (
    message.imageMessage ??
    message.videoMessage ??
    message.audioMessage ??
    message.documentMessage ??
    message.stickerMessage ??
    undefined
  );
}

/** The kind of stanza that carries a message. */
export function stanzaType(message: proto.IMessage): string {
  if (message.reactionMessage) return "reaction";
  if (message.pollCreationMessage || message.pollCreationMessageV3 || message.pollUpdateMessage) {
    return "poll";
  }
  const isMedia = fileOf(message) ?? message.contactMessage ?? message.locationMessage;
  return isMedia ? "media" : "text";
}

/** The text of a message; null when it has none. */
export function textOf(message: proto.IMessage): string | null {
  const edited = message.protocolMessage?.editedMessage;
  if (edited) return textOf(edited);
  return (
    message.conversation ??
    message.extendedTextMessage?.text ??
    message.imageMessage?.caption ??
    message.videoMessage?.caption ??
    message.documentMessage?.caption ??
    message.documentWithCaptionMessage?.message?.documentMessage?.caption ??
    null
  );
}

export function editOf(key: proto.IMessageKey, text: string): proto.IMessage {
  return {
    protocolMessage: {
      key,
      type: proto.Message.ProtocolMessage.Type.MESSAGE_EDIT,
      editedMessage: { conversation: text },
      timestampMs: Date.now(),
    },
  };
}

export function revokeOf(key: proto.IMessageKey): proto.IMessage {
  return { protocolMessage: { key, type: proto.Message.ProtocolMessage.Type.REVOKE } };
}

/** An empty emoji takes a reaction back. */
export function reactionOf(key: proto.IMessageKey, emoji: string | null): proto.IMessage {
  return { reactionMessage: { key, text: emoji ?? "", senderTimestampMs: Date.now() } };
}
