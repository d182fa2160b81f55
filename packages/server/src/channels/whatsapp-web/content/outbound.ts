import type {
  AnyMediaMessageContent,
  AnyMessageContent,
  MiscMessageGenerationOptions,
  WAMessage,
  WAMessageKey,
} from "baileys";
import { Readable } from "node:stream";
import { toPreview, UnreadablePicture } from "../../../platform/media/pictures.ts";
import type {
  Address,
  MessageRef,
  OutboundBody,
  OutboundChange,
  OutboundFile,
  OutboundMedia,
  ProviderContext,
  ProviderFailure,
  Quote,
  SendCommand,
} from "../../port.ts";
import { keyOf, toJid } from "./addresses.ts";

type OutboundDeps = {
  openFile: ProviderContext["openFile"];
  /** How long the network may be silent during the upload of a file; default a minute. */
  uploadMs?: number;
};

/** The arguments of the socket's `sendMessage`. The wire id is `options.messageId`. */
type SocketContent = {
  jid: string;
  content: AnyMessageContent;
  options: MiscMessageGenerationOptions;
};

/** The message is certainly not sent. */
export class CannotSend extends Error {
  readonly failure: ProviderFailure;

  constructor(failure: ProviderFailure, message: string) {
    super(message);
    this.name = "CannotSend";
    this.failure = failure;
  }
}

const UPLOAD_MS = 60_000;

/** Rejects with CannotSend. A file is opened here, and the socket reads it piece by piece. */
export async function toSocketContent(
  { providerId, to, body, quote }: SendCommand,
  deps: OutboundDeps,
): Promise<SocketContent> {
  if (to.kind === "bsuid") {
    throw new CannotSend({ kind: "recipient-unknown" }, "an address of another channel");
  }
  const { uploadMs = UPLOAD_MS } = deps;
  return {
    jid: toJid(to),
    content: await contentOf(body, to, deps),
    options: {
      messageId: providerId,
      mediaUploadTimeoutMs: uploadMs,
      ...(quote ? { quoted: quoted(quote, to) } : {}),
    },
  };
}

async function contentOf(
  body: OutboundBody | OutboundChange,
  to: Address,
  { openFile }: OutboundDeps,
): Promise<AnyMessageContent> {
  switch (body.kind) {
    case "text":
      return { ...textContent(body.text), ...forwardedMark(body) };
    case "media": {
      const opened = await openFile(body.file.key);
      if (!opened) throw new CannotSend({ kind: "media-missing" }, "the file is gone");
      const file = fileToSend(body, opened.content, await previewOf(body.file, openFile));
      return { ...file, ...forwardedMark(body) };
    }
    case "template":
      throw new CannotSend({ kind: "unsupported" }, "this channel has no templates");
    case "edit":
      return { ...textContent(body.text), edit: keyIn(to, body.target) };
    case "revoke":
      return { delete: keyIn(to, body.target) };
    case "reaction":
      return { react: { text: body.emoji ?? "", key: keyIn(to, body.target) } };
  }
}

function forwardedMark({ isForwarded }: { isForwarded?: true }) {
  return isForwarded ? { contextInfo: { isForwarded, forwardingScore: 1 } } : {};
}

/** Without a link preview: the socket would fetch any address an agent writes, from inside our network. */
function textContent(text: string) {
  return { text, linkPreview: null };
}

/**
 * The key of a message in the chat that is written to. A person's chat has a number and a privacy id: the key must name
 * the one in use, else the message seems to belong to another chat.
 */
function keyIn(to: Address, ref: MessageRef): WAMessageKey {
  return { ...keyOf(ref), ...(to.kind === "group" ? {} : { remoteJid: toJid(to) }) };
}

/** The quoted message as a text, because the receiver's phone may not have it. */
function quoted(quote: Quote, to: Address): WAMessage {
  const author = quote.author ?? (quote.chat.kind === "group" ? undefined : quote.chat);
  return {
    key: {
      ...keyIn(to, quote),
      ...(author && !quote.fromMe ? { participant: toJid(author) } : {}),
    },
    message: { conversation: quote.text },
  };
}

const BARS = 64;
const LOUDEST = 100;

const THUMBNAIL_MAX_BYTES = 1_000_000;

/** The tiny picture that phones show before they have fetched the file, as base64; empty without one. */
async function previewOf(
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
    // The message is sent without its preview.
    if (error instanceof UnreadablePicture) return "";
    throw error;
  }
}

/**
 * A file for the socket, as a stream. Size, length, preview and waveform are always given: else the socket finds them
 * out with a second copy on disk, an unguarded picture decoder, and a program in a shell without a time limit.
 */
function fileToSend(
  { media, file, caption }: OutboundMedia,
  content: AsyncIterable<Uint8Array>,
  preview: string,
): AnyMediaMessageContent {
  const source = { stream: Readable.from(content, { objectMode: false }) };
  const { width, height, durationMs } = file;
  const captioned = caption ? { caption } : {};
  const seconds =
    durationMs === undefined ? {} : { seconds: Math.max(1, Math.round(durationMs / 1000)) };
  const size = width === undefined || height === undefined ? {} : { width, height };
  const looks = { jpegThumbnail: preview, ...size };
  switch (media) {
    case "image":
      return { ...looks, image: source, mimetype: file.mime, ...captioned };
    case "video":
      return { ...looks, ...seconds, video: source, mimetype: file.mime, ...captioned };
    case "audio":
      return { audio: source, mimetype: file.mime, ptt: false, ...seconds };
    case "voice":
      return { ...voice(file), ...seconds, audio: source, ptt: true };
    case "document":
      return { document: source, mimetype: file.mime, fileName: file.name, ...captioned };
    case "sticker":
      return { ...size, sticker: source, mimetype: file.mime };
  }
}

function voice({ mime, waveform }: OutboundFile) {
  return {
    // Phones play a voice message only with this type.
    mimetype: mime.startsWith("audio/ogg") ? "audio/ogg; codecs=opus" : mime,
    waveform: barsOf(waveform ?? []),
  };
}

/** Resamples the waveform to the bars that phones draw. */
function barsOf(levels: readonly number[]): Uint8Array {
  return Uint8Array.from({ length: BARS }, (_, bar) => {
    const level = levels[Math.floor((bar * levels.length) / BARS)] ?? 0;
    return Math.round(Math.min(LOUDEST, Math.max(0, level)));
  });
}
