import type { Ffmpeg, FfmpegInput } from "./ffmpeg.ts";
import { FfmpegFailed } from "./ffmpeg.ts";
import type { Thumbnail } from "./pictures.ts";
import { readPicture } from "./pictures.ts";

const TIME_LIMIT_MS = 30_000;
/** How the program says that nothing is left to write. */
const NO_PICTURE = "does not contain any stream";
const MAX_FRAME_BYTES = 32 * 1024 * 1024;

export type Video = {
  width: number;
  height: number;
  durationMs: number | null;
  thumbnail: Thumbnail;
};

/** Size, length and first frame; null when there is no picture in it. Throws FfmpegFailed or UnreadablePicture. */
export async function readVideo(
  ffmpeg: Ffmpeg,
  input: FfmpegInput,
  maxPixels: number,
): Promise<Video | null> {
  const frame = await firstFrame(ffmpeg, input);
  if (frame === null) return null;
  const { output, report } = frame;
  const { width, height, thumbnail } = await readPicture(output, maxPixels);
  return { width, height, durationMs: durationOf(report), thumbnail };
}

async function firstFrame(ffmpeg: Ffmpeg, input: FfmpegInput) {
  try {
    return await ffmpeg.collect({
      input,
      output: [
        ...["-map", "0:v:0?", "-an", "-frames:v", "1"],
        ...["-c:v", "mjpeg", "-q:v", "4", "-f", "mjpeg"],
      ],
      timeLimitMs: TIME_LIMIT_MS,
      maxOutputBytes: MAX_FRAME_BYTES,
    });
  } catch (error) {
    if (error instanceof FfmpegFailed && error.report.includes(NO_PICTURE)) return null;
    throw error;
  }
}

/** The container's own word on its length, as the program prints it. */
export function durationOf(report: string): number | null {
  const [, hours, minutes, seconds] = /Duration: (\d+):(\d\d):(\d\d\.\d+)/.exec(report) ?? [];
  if (hours === undefined) return null;
  return Math.round(((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1_000);
}
