import type { MediaKind } from "@balcao/contract";
import { limits } from "@balcao/contract";
import type { Ffmpeg } from "../../platform/media/ffmpeg.ts";
import { FfmpegFailed } from "../../platform/media/ffmpeg.ts";
import type { Thumbnail } from "../../platform/media/pictures.ts";
import { readPicture, UnreadablePicture } from "../../platform/media/pictures.ts";
import { readSound } from "../../platform/media/sounds.ts";
import { readVideo } from "../../platform/media/videos.ts";
import type { FileType } from "./known-types.ts";
import { FFMPEG_FORMATS } from "./known-types.ts";

/** What is to be seen and heard of a stored file. */
export type Facts = {
  kind: Exclude<MediaKind, "voice" | "sticker">;
  mime: string;
  width: number | null;
  height: number | null;
  durationMs: number | null;
  waveform: number[] | null;
  thumbnail: Thumbnail | null;
};

/** A picture or a sound that is none: what its beginning promised is not there. */
export class DamagedMedia extends Error {
  constructor(cause?: unknown) {
    super("the media cannot be played", { cause });
    this.name = "DamagedMedia";
  }
}

/**
 * Looks into a file. Throws DamagedMedia for a picture or sound that cannot be decoded; a video that cannot be is kept,
 * without facts: the receiver's phone may know its codec.
 */
export async function examine(ffmpeg: Ffmpeg, path: string, type: FileType): Promise<Facts> {
  switch (type.kind) {
    case "image":
      return examinePicture(path, type);
    case "video":
      return examineVideo(ffmpeg, path, type);
    case "audio":
      return examineSound(ffmpeg, path, type);
    case "document":
      return nothingToSee(type);
  }
}

export function nothingToSee({ kind, mime }: Pick<Facts, "kind" | "mime">): Facts {
  return {
    ...{ kind, mime, width: null, height: null },
    ...{ durationMs: null, waveform: null, thumbnail: null },
  };
}

async function examinePicture(path: string, type: FileType): Promise<Facts> {
  try {
    return { ...nothingToSee(type), ...(await readPicture(path, limits.imageMaxPixels)) };
  } catch (error) {
    if (error instanceof UnreadablePicture) throw new DamagedMedia(error);
    throw error;
  }
}

async function examineVideo(ffmpeg: Ffmpeg, path: string, type: FileType): Promise<Facts> {
  const format = FFMPEG_FORMATS.get(type.mime);
  if (format === undefined) return nothingToSee(type);
  try {
    const video = await readVideo(ffmpeg, { path, format }, limits.imageMaxPixels);
    if (video !== null) return { ...nothingToSee(type), ...video };
  } catch (error) {
    if (error instanceof FfmpegFailed || error instanceof UnreadablePicture) {
      return nothingToSee(type);
    }
    throw error;
  }
  // Recorders write sounds into containers of videos.
  const mime = type.mime.replace(/^video\//, "audio/");
  return FFMPEG_FORMATS.has(mime)
    ? examineSound(ffmpeg, path, { ...type, kind: "audio", mime })
    : nothingToSee(type);
}

async function examineSound(ffmpeg: Ffmpeg, path: string, type: FileType): Promise<Facts> {
  const format = FFMPEG_FORMATS.get(type.mime);
  if (format === undefined) return nothingToSee(type);
  try {
    const sound = await readSound(ffmpeg, { path, format });
    if (sound !== null) return { ...nothingToSee(type), ...sound };
  } catch (error) {
    if (!(error instanceof FfmpegFailed)) throw error;
    if (!error.isInputsFault) return nothingToSee(type);
    throw new DamagedMedia(error);
  }
  throw new DamagedMedia();
}
