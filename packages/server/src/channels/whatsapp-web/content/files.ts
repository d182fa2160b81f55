import type { WAMessageContent, WAMessageKey } from "baileys";
import { z } from "zod";
import type { InboundContent, MediaRef } from "../../port.ts";
import { base64Of, bytesOf, countOf, firstText, numberOf, textOf } from "./fields.ts";

type FileKind = {
  media: MediaRef["media"];
  /** The network's kind: part of the derivation of the file's keys. */
  type: MediaLocator["type"];
  mime: string;
};

/** The fields of a file; every kind has some of them. */
type FileFields = {
  url?: unknown;
  directPath?: unknown;
  mediaKey?: unknown;
  fileSha256?: unknown;
  fileEncSha256?: unknown;
  fileLength?: unknown;
  mimetype?: unknown;
  seconds?: unknown;
  caption?: unknown;
  fileName?: unknown;
  title?: unknown;
  viewOnce?: unknown;
};

/** The file of a message with its caption; null without a file. */
export function fileContent(
  content: WAMessageContent,
  { key, isViewOnce }: { key: WAMessageKey; isViewOnce: boolean },
): InboundContent | null {
  const found = findFile(content);
  if (!found) return null;
  const { kind, fields } = found;
  const isOnce = isViewOnce || fields.viewOnce === true;
  // Linked devices often get only the announcement of a view-once file.
  const hasFile =
    bytesOf(fields.mediaKey).length > 0 && firstText(fields.url, fields.directPath) !== "";
  if (isOnce && !hasFile) return { kind: "view-once" };
  const caption = textOf(fields.caption);
  return {
    kind: "media",
    file: toMediaRef(kind, fields, key),
    ...(caption === "" ? {} : { caption }),
    ...(isOnce ? { isViewOnce: true } : {}),
  };
}

function findFile(content: WAMessageContent): { kind: FileKind; fields: FileFields } | null {
  const { imageMessage, videoMessage, ptvMessage, audioMessage, documentMessage, stickerMessage } =
    content;
  if (imageMessage) return { kind: IMAGE, fields: imageMessage };
  if (videoMessage) return { kind: VIDEO, fields: videoMessage };
  if (ptvMessage) return { kind: VIDEO, fields: ptvMessage };
  if (audioMessage)
    return { kind: audioMessage.ptt === true ? VOICE : AUDIO, fields: audioMessage };
  if (documentMessage) return { kind: DOCUMENT, fields: documentMessage };
  if (stickerMessage) return { kind: STICKER, fields: stickerMessage };
  return null;
}

const IMAGE: FileKind = { media: "image", type: "image", mime: "image/jpeg" };
const VIDEO: FileKind = { media: "video", type: "video", mime: "video/mp4" };
const AUDIO: FileKind = { media: "audio", type: "audio", mime: "audio/mp4" };
const VOICE: FileKind = { media: "voice", type: "audio", mime: "audio/ogg; codecs=opus" };
const DOCUMENT: FileKind = {
  media: "document",
  type: "document",
  mime: "application/octet-stream",
};
const STICKER: FileKind = { media: "sticker", type: "sticker", mime: "image/webp" };

function toMediaRef(kind: FileKind, fields: FileFields, key: WAMessageKey): MediaRef {
  const bytes = Math.floor(countOf(fields.fileLength));
  const seconds = numberOf(fields.seconds) ?? 0;
  const fileName = kind.media === "document" ? firstText(fields.fileName, fields.title) : "";
  return {
    media: kind.media,
    mime: firstText(fields.mimetype, kind.mime),
    locator: encodeLocator(toLocator(kind, fields, key)),
    ...(fileName === "" ? {} : { fileName }),
    ...(bytes > 0 ? { bytes } : {}),
    ...(seconds > 0 ? { durationMs: Math.round(seconds * 1000) } : {}),
  };
}

function toLocator({ type }: FileKind, fields: FileFields, key: WAMessageKey): MediaLocator {
  const facts = {
    url: textOf(fields.url),
    directPath: textOf(fields.directPath),
    fileSha256: base64Of(fields.fileSha256),
    fileEncSha256: base64Of(fields.fileEncSha256),
  };
  const participant = textOf(key.participant);
  return {
    type,
    mediaKey: base64Of(fields.mediaKey),
    ...nonEmpty(facts),
    key: {
      remoteJid: textOf(key.remoteJid),
      id: textOf(key.id),
      fromMe: key.fromMe === true,
      ...nonEmpty({ participant }),
    },
  };
}

function nonEmpty<T extends Record<string, string>>(texts: T): Partial<T> {
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== "")) as Partial<T>;
}

const base64 = z.string().regex(/^[A-Za-z0-9+/]*={0,2}$/);

const locator = z.object({
  type: z.enum(["image", "video", "audio", "document", "sticker"]),
  url: z.string().exactOptional(),
  directPath: z.string().exactOptional(),
  /** Secret: never logged. */
  mediaKey: base64,
  /** Hashes of the plain and of the encrypted file. */
  fileSha256: base64.exactOptional(),
  fileEncSha256: base64.exactOptional(),
  /** The message's ids, to request the file from its sender again. */
  key: z.object({
    remoteJid: z.string(),
    id: z.string(),
    fromMe: z.boolean(),
    participant: z.string().exactOptional(),
  }),
});

/** The place of a file on the network, and how it is decrypted. */
export type MediaLocator = z.infer<typeof locator>;

/** The journal would cut a longer text, so a longer address is left out. */
const LONGEST_ADDRESS = 2_000;

export function encodeLocator(place: MediaLocator): string {
  const { url = "", directPath = "", ...rest } = place;
  const usable = (text: string) => (text.length <= LONGEST_ADDRESS ? text : "");
  const addresses = { url: usable(url), directPath: usable(directPath) };
  return JSON.stringify({ ...rest, ...nonEmpty(addresses) });
}

/** Null when the text is no locator. */
export function decodeLocator(text: string): MediaLocator | null {
  try {
    return locator.parse(JSON.parse(text));
  } catch {
    return null;
  }
}
