import type { WAMessageContent, WAMessageKey } from "baileys";
import type { InboundContent, MediaRef } from "../../port.ts";
import { base64Of, bytesOf, countOf, firstText, numberOf, textOf } from "./fields.ts";
import type { MediaLocator } from "./locator.ts";
import { encodeLocator } from "./locator.ts";

type FileKind = {
  media: MediaRef["media"];
  /** The network's kind, which goes into the file's keys. */
  type: MediaLocator["type"];
  mime: string;
};

/** What the network tells of a file; every kind has some of it. */
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

/** The file of a message, with what is written under it; null when it has none. */
export function fileContent(
  content: WAMessageContent,
  { key, isViewOnce }: { key: WAMessageKey; isViewOnce: boolean },
): InboundContent | null {
  const found = findFile(content);
  if (!found) return null;
  const { kind, fields } = found;
  const isOnce = isViewOnce || fields.viewOnce === true;
  // Of a photo to be seen once, linked devices often get the announcement only.
  if (isOnce && !hasFile(fields)) return { kind: "view-once" };
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

function hasFile({ url, directPath, mediaKey }: FileFields): boolean {
  return bytesOf(mediaKey).length > 0 && firstText(url, directPath) !== "";
}

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
  const [url, directPath] = [textOf(fields.url), textOf(fields.directPath)];
  const [fileSha256, fileEncSha256] = [base64Of(fields.fileSha256), base64Of(fields.fileEncSha256)];
  const participant = textOf(key.participant);
  return {
    type,
    mediaKey: base64Of(fields.mediaKey),
    ...(url === "" ? {} : { url }),
    ...(directPath === "" ? {} : { directPath }),
    ...(fileSha256 === "" ? {} : { fileSha256 }),
    ...(fileEncSha256 === "" ? {} : { fileEncSha256 }),
    key: {
      remoteJid: textOf(key.remoteJid),
      id: textOf(key.id),
      fromMe: key.fromMe === true,
      ...(participant === "" ? {} : { participant }),
    },
  };
}
