import { Readable } from "node:stream";
import type { AnyMediaMessageContent } from "baileys";
import { toPreview, UnreadablePicture } from "../../../platform/media/pictures.ts";
import type { OutboundFile, OutboundMedia, ProviderContext } from "../../port.ts";

/** Bars of a voice message on the phone. */
const BARS = 64;
const LOUDEST = 100;

/** A small picture is larger than this only when it is none. */
const THUMBNAIL_MAX_BYTES = 1_000_000;

/** What phones show until they have fetched the picture or film, as base64; empty where there is none. */
export async function previewOf(
  { thumbnailKey }: OutboundFile,
  openFile: ProviderContext["openFile"],
): Promise<string> {
  const opened = thumbnailKey ? await openFile(thumbnailKey) : null;
  if (!opened || opened.bytes > THUMBNAIL_MAX_BYTES) return "";
  const pieces: Uint8Array[] = [];
  for await (const piece of opened.content) pieces.push(piece);
  try {
    return Buffer.from(await toPreview(Buffer.concat(pieces))).toString("base64");
  } catch (error) {
    // The message is worth more than its preview.
    if (error instanceof UnreadablePicture) return "";
    throw error;
  }
}

/**
 * A file for the socket, as a stream. What the socket would find out by itself is always given: it does so with a second
 * copy of the file on disk, with any picture, and with a program that it starts by a shell and lets run for any time.
 */
export function fileToSend(
  { media, file, caption }: OutboundMedia,
  content: AsyncIterable<Uint8Array>,
  preview: string,
): AnyMediaMessageContent {
  const source = { stream: Readable.from(content, { objectMode: false }) };
  const words = caption ? { caption } : {};
  const seconds = secondsOf(file);
  const looks = { jpegThumbnail: preview, ...sizeOf(file) };
  switch (media) {
    case "image":
      return { ...looks, image: source, mimetype: file.mime, ...words };
    case "video":
      return { ...looks, ...seconds, video: source, mimetype: file.mime, ...words };
    case "audio":
      return { audio: source, mimetype: file.mime, ptt: false, ...seconds };
    case "voice":
      return { ...voice(file), ...seconds, audio: source, ptt: true };
    case "document":
      return { document: source, mimetype: file.mime, fileName: file.name, ...words };
    case "sticker":
      return { ...sizeOf(file), sticker: source, mimetype: file.mime };
  }
}

function sizeOf({ width, height }: OutboundFile): { width?: number; height?: number } {
  return width === undefined || height === undefined ? {} : { width, height };
}

function secondsOf({ durationMs }: OutboundFile): { seconds?: number } {
  return durationMs === undefined ? {} : { seconds: Math.max(1, Math.round(durationMs / 1000)) };
}

function voice({ mime, waveform }: OutboundFile) {
  return {
    // Phones play it as a voice message only under this name.
    mimetype: mime.startsWith("audio/ogg") ? "audio/ogg; codecs=opus" : mime,
    waveform: barsOf(waveform ?? []),
  };
}

/** As many bars as phones draw. */
function barsOf(levels: readonly number[]): Uint8Array {
  return Uint8Array.from({ length: BARS }, (_, bar) => {
    const level = levels[Math.floor((bar * levels.length) / BARS)] ?? 0;
    return Math.round(Math.min(LOUDEST, Math.max(0, level)));
  });
}
