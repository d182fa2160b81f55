import type { CompanyId, MediaKind } from "@balcao/contract";
import { limits } from "@balcao/contract";
import { DomainError } from "../../platform/context.ts";
import type { Ffmpeg } from "../../platform/media/ffmpeg.ts";
import { FfmpegFailed } from "../../platform/media/ffmpeg.ts";
import type { MediaKey } from "../../platform/media/media-store.ts";
import { MediaTooLarge, peek, sniff } from "../../platform/media/media-store.ts";
import type { Thumbnail } from "../../platform/media/pictures.ts";
import { readPicture, UnreadablePicture } from "../../platform/media/pictures.ts";
import { readSound, readVideo, toMp3, toVoice } from "../../platform/media/recordings.ts";
import type { FileRefusal, FileType } from "./file-type.ts";
import {
  agentFileType,
  customerFileType,
  FFMPEG_FORMATS,
  PLAYED_AS_THEY_ARE,
  safeFileName,
  withExtension,
} from "./file-type.ts";
import type { Keeper, Write, Written } from "./files.ts";
import type { CustomerFile, FileRules, IncomingFile, StoredFile } from "./media.ts";

type StoringDeps = { keeper: Keeper; ffmpeg: Ffmpeg };

const maxBytesOf: Record<FileType["kind"], number> = {
  image: limits.imageMaxBytes,
  audio: limits.audioMaxBytes,
  video: limits.videoMaxBytes,
  document: limits.documentMaxBytes,
};

/** The file name of the web client's voice recorder. */
const RECORDING = "audio-record-site";
/** The types of a call that accepts pictures only. */
const PICTURES = new Set(["image/jpeg", "image/png"]);

/** Stores a user's file, or refuses it; see `MediaFiles`. */
export async function storeAgentFile(
  { keeper, ffmpeg }: StoringDeps,
  companyId: CompanyId,
  file: IncomingFile,
  rules: FileRules,
): Promise<StoredFile> {
  const { head, content } = await peek(file.content);
  const sniffed = await sniff(head);
  const given = safeFileName(file.name, "");
  const type = acceptedType(agentFileType(given, head, sniffed), head, rules);
  if (typeof type === "string") {
    await content.return(undefined);
    throw new DomainError(type, { name: given });
  }
  const name = safeFileName(given, type.extension);
  const maxBytes = Math.min(maxBytesOf[type.kind], rules.maxBytes ?? Infinity);

  return keeper.keep(companyId, async (write) => {
    try {
      const whole = type.mustStayText === true ? onlyText(content, name) : content;
      const original = await write(whole, { ...type, maxBytes });
      const looking = async (path: string) => {
        const facts = await examine(ffmpeg, { companyId, path }, type);
        const played = { original, facts, name };
        return { ...(await playable(ffmpeg, { companyId, path }, write, played)), facts };
      };
      return await finish(write, await look(keeper, companyId, original.key, type, looking));
    } catch (error) {
      throw toRefusal(error, name, maxBytes);
    }
  });
}

/** Stores a customer's file by its content; see `MediaFiles`. */
export async function storeCustomerFile(
  { keeper, ffmpeg }: StoringDeps,
  companyId: CompanyId,
  file: CustomerFile,
): Promise<StoredFile> {
  const { head, content } = await peek(file.content);
  const type = customerFileType(file.name, head, await sniff(head));
  const name = safeFileName(file.name, type.extension);
  const maxBytes = limits.documentMaxBytes;

  return keeper.keep(companyId, async (write) => {
    try {
      const original = await write(content, { ...type, maxBytes });
      const facts = await examineIfPossible({ keeper, ffmpeg }, companyId, original.key, type);
      const kind = kindAsSent(file.claimedKind, facts);
      const played = { ...original, mime: facts.mime };
      return await finish(write, { file: played, kind, name, facts });
    } catch (error) {
      throw toRefusal(error, name, maxBytes);
    }
  });
}

/** Lets a program read a stored file by its path. Documents are not read, so they are not fetched either. */
async function look<T>(
  { withLocalFile }: Pick<Keeper, "withLocalFile">,
  companyId: CompanyId,
  key: MediaKey,
  { kind }: FileType,
  work: (path: string) => Promise<T>,
): Promise<T> {
  return kind === "document" ? work("") : withLocalFile(companyId, key, work);
}

/** The facts of a file. One that cannot be decoded as its type becomes a document. */
export async function examineIfPossible(
  { keeper, ffmpeg }: StoringDeps,
  companyId: CompanyId,
  key: MediaKey,
  type: FileType,
): Promise<Facts> {
  try {
    return await look(keeper, companyId, key, type, (path) =>
      examine(ffmpeg, { companyId, path }, type),
    );
  } catch (error) {
    if (error instanceof DamagedMedia) return nothingToSee({ ...type, kind: "document" });
    throw error;
  }
}

/** Writes the thumbnail; returns the stored file and the written files that are kept. */
export async function finish(
  write: Write,
  { file, kind, name, facts }: { file: Written; kind: MediaKind; name: string; facts: Facts },
): Promise<{ result: StoredFile; kept: Written[] }> {
  const { thumbnail, width, height, durationMs, waveform } = facts;
  const small =
    thumbnail === null
      ? null
      : await write([thumbnail.content], { ...thumbnail, maxBytes: limits.imageMaxBytes });
  const result: StoredFile = {
    ...{ key: file.key, thumbnailKey: small?.key ?? null, bytes: file.bytes, mime: file.mime },
    ...{ kind, name, width, height, durationMs, waveform },
  };
  return { result, kept: small === null ? [file] : [file, small] };
}

/** The file's type if the call accepts it. */
function acceptedType(
  type: FileType | FileRefusal,
  head: Uint8Array,
  { accept }: FileRules,
): FileType | FileRefusal | "ERR_FILE_DAMAGED" {
  if (head.byteLength === 0) return "ERR_FILE_DAMAGED";
  if (typeof type === "string" || accept === "any") return type;
  return PICTURES.has(type.mime) ? type : "ERR_FILE_TYPE_FORBIDDEN";
}

type Playable = { file: Written; kind: MediaKind; name: string };

/** Sounds as the chat app plays them (behaviour 1.10): recordings as voice notes, rare formats as MP3. */
async function playable(
  ffmpeg: Ffmpeg,
  local: LocalFile,
  write: Write,
  { original, facts, name }: { original: Written; facts: Facts; name: string },
): Promise<Playable> {
  const unchanged = { file: { ...original, mime: facts.mime }, kind: facts.kind, name };
  if (facts.kind !== "audio") return unchanged;
  const isVoice = name.includes(RECORDING);
  const target = isVoice ? voiceNote : mp3;
  if (facts.mime === target.mime || (!isVoice && PLAYED_AS_THEY_ARE.has(facts.mime))) {
    return { ...unchanged, kind: isVoice ? "voice" : "audio" };
  }
  const format = FFMPEG_FORMATS.get(facts.mime);
  if (format === undefined) return unchanged;
  const input = { ...local, format };
  const maxBytes = limits.audioMaxBytes;
  // One byte more than may be stored, so that a long sound is refused as too long.
  const converted = target.convert(ffmpeg, input, 2 * maxBytes);
  const file = await write(converted, { ...target, maxBytes });
  return {
    file,
    kind: isVoice ? "voice" : "audio",
    name: withExtension(name, target.extension),
  };
}

const voiceNote = { mime: "audio/ogg; codecs=opus", extension: "ogg", convert: toVoice };
const mp3 = { mime: "audio/mpeg", extension: "mp3", convert: toMp3 };

/** The network's kind of the file, if its content allows it. */
function kindAsSent(claimed: MediaKind, { kind }: Facts): MediaKind {
  if (claimed === "document") return "document";
  if (claimed === "sticker") return kind === "image" ? "sticker" : kind;
  if (claimed === "voice") return kind === "audio" ? "voice" : kind;
  return kind;
}

/** Throws if a file with a text extension contains binary data. */
async function* onlyText(
  content: AsyncIterable<Uint8Array>,
  name: string,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of content) {
    if (chunk.includes(0)) throw new DomainError("ERR_FILE_TYPE_MISMATCH", { name });
    yield chunk;
  }
}

function toRefusal(error: unknown, name: string, maxBytes: number): unknown {
  if (error instanceof MediaTooLarge) {
    return new DomainError("ERR_FILE_TOO_LARGE", { name, maxBytes });
  }
  const isDamaged =
    error instanceof DamagedMedia || (error instanceof FfmpegFailed && error.isInputsFault);
  return isDamaged ? new DomainError("ERR_FILE_DAMAGED", { name }) : error;
}

/** The dimensions, duration, thumbnail and waveform of a stored file. */
type Facts = {
  kind: Exclude<MediaKind, "voice" | "sticker">;
  mime: string;
  width: number | null;
  height: number | null;
  durationMs: number | null;
  waveform: number[] | null;
  thumbnail: Thumbnail | null;
};

/** A picture or sound that cannot be decoded. */
class DamagedMedia extends Error {
  constructor(cause?: unknown) {
    super("the media cannot be played", { cause });
    this.name = "DamagedMedia";
  }
}

/** A company's file that a program can read. */
type LocalFile = { companyId: CompanyId; path: string };

/**
 * Reads a file's facts. Throws DamagedMedia for a picture or sound that cannot be decoded; such a video is kept without
 * facts, because the receiver's phone may support its codec.
 */
async function examine(ffmpeg: Ffmpeg, file: LocalFile, type: FileType): Promise<Facts> {
  switch (type.kind) {
    case "image":
      return examinePicture(file, type);
    case "video":
      return examineVideo(ffmpeg, file, type);
    case "audio":
      return examineSound(ffmpeg, file, type);
    case "document":
      return nothingToSee(type);
  }
}

function nothingToSee({ kind, mime }: Pick<Facts, "kind" | "mime">): Facts {
  return {
    ...{ kind, mime, width: null, height: null },
    ...{ durationMs: null, waveform: null, thumbnail: null },
  };
}

async function examinePicture(file: LocalFile, type: FileType): Promise<Facts> {
  try {
    const picture = await readPicture(file.path, limits.imageMaxPixels, file);
    return { ...nothingToSee(type), ...picture };
  } catch (error) {
    if (error instanceof UnreadablePicture) throw new DamagedMedia(error);
    throw error;
  }
}

async function examineVideo(ffmpeg: Ffmpeg, file: LocalFile, type: FileType): Promise<Facts> {
  const format = FFMPEG_FORMATS.get(type.mime);
  if (format === undefined) return nothingToSee(type);
  try {
    const video = await readVideo(ffmpeg, { ...file, format }, limits.imageMaxPixels);
    if (video !== null) return { ...nothingToSee(type), ...video };
  } catch (error) {
    if (error instanceof FfmpegFailed || error instanceof UnreadablePicture) {
      return nothingToSee(type);
    }
    throw error;
  }
  // Recorders write sounds into video containers.
  const mime = type.mime.replace(/^video\//, "audio/");
  return FFMPEG_FORMATS.has(mime)
    ? examineSound(ffmpeg, file, { ...type, kind: "audio", mime })
    : nothingToSee(type);
}

async function examineSound(ffmpeg: Ffmpeg, file: LocalFile, type: FileType): Promise<Facts> {
  const format = FFMPEG_FORMATS.get(type.mime);
  if (format === undefined) return nothingToSee(type);
  try {
    const sound = await readSound(ffmpeg, { ...file, format });
    if (sound !== null) return { ...nothingToSee(type), ...sound };
  } catch (error) {
    if (!(error instanceof FfmpegFailed)) throw error;
    if (!error.isInputsFault) return nothingToSee(type);
    throw new DamagedMedia(error);
  }
  throw new DamagedMedia();
}
