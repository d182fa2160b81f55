import type { Ffmpeg, FfmpegInput } from "./ffmpeg.ts";
import { FfmpegFailed } from "./ffmpeg.ts";
import type { Thumbnail } from "./pictures.ts";
import { readPicture } from "./pictures.ts";

/** Enough for the levels of a small waveform. */
const SAMPLES_PER_SECOND = 8_000;
/** A tenth of a second. */
const WINDOW_SAMPLES = 800;
const LEVELS = 32;
const LONGEST_SECONDS = 4 * 3_600;
const SOUND_LIMIT_MS = 60_000;
const CONVERSION_LIMIT_MS = 120_000;

export type Sound = {
  durationMs: number;
  /** 32 levels from 0 to 100, the loudest is 100. */
  waveform: number[];
};

/** Reads length and levels of a sound or a video's sound; null when there is none. Throws FfmpegFailed. */
export async function readSound(ffmpeg: Ffmpeg, input: FfmpegInput): Promise<Sound | null> {
  const pcm = ffmpeg.stream({
    input,
    output: [
      ...["-vn", "-sn", "-dn", "-t", String(LONGEST_SECONDS)],
      ...["-ac", "1", "-ar", String(SAMPLES_PER_SECOND), "-c:a", "pcm_s16le", "-f", "s16le"],
    ],
    timeLimitMs: SOUND_LIMIT_MS,
    maxOutputBytes: 2 * SAMPLES_PER_SECOND * (LONGEST_SECONDS + 1),
  });
  const { samples, loudness } = await measure(pcm);
  if (samples === 0) return null;
  return {
    durationMs: Math.round((samples / SAMPLES_PER_SECOND) * 1_000),
    waveform: toLevels(loudness),
  };
}

/** Converts to Ogg with Opus, which the chat app plays as a voice note. Throws FfmpegFailed while it is read. */
export const toVoice = conversionTo([
  ...["-vn", "-ac", "1", "-ar", "48000"],
  ...["-c:a", "libopus", "-b:a", "32k", "-application", "voip", "-f", "ogg"],
]);

/** Converts to MP3 of 192 kbit/s, which every phone plays. Throws FfmpegFailed while it is read. */
export const toMp3 = conversionTo([
  ...["-vn", "-ar", "44100", "-c:a", "libmp3lame", "-b:a", "192k"],
  ...["-write_xing", "0", "-f", "mp3"],
]);

function conversionTo(output: readonly string[]) {
  return (ffmpeg: Ffmpeg, input: FfmpegInput, maxOutputBytes: number): AsyncGenerator<Uint8Array> =>
    ffmpeg.stream({ input, output, timeLimitMs: CONVERSION_LIMIT_MS, maxOutputBytes });
}

/** Mean loudness of each window of 16-bit samples; a sample may be split between two chunks. */
async function measure(
  pcm: AsyncIterable<Uint8Array>,
): Promise<{ samples: number; loudness: number[] }> {
  const loudness: number[] = [];
  let samples = 0;
  let sum = 0;
  let rest = Buffer.alloc(0);
  for await (const chunk of pcm) {
    const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : Buffer.from(chunk);
    const even = bytes.length - (bytes.length % 2);
    for (let index = 0; index < even; index += 2) {
      sum += Math.abs(bytes.readInt16LE(index));
      samples += 1;
      if (samples % WINDOW_SAMPLES === 0) {
        loudness.push(sum / WINDOW_SAMPLES);
        sum = 0;
      }
    }
    rest = bytes.subarray(even);
  }
  const left = samples % WINDOW_SAMPLES;
  if (left > 0) loudness.push(sum / left);
  return { samples, loudness };
}

/** Averages any number of windows into 32 levels; a short sound repeats its windows. */
export function toLevels(loudness: readonly number[]): number[] {
  const gathered = Array.from({ length: LEVELS }, (_, level) => {
    const from = Math.floor((level * loudness.length) / LEVELS);
    const to = Math.max(from + 1, Math.floor(((level + 1) * loudness.length) / LEVELS));
    const part = loudness.slice(from, to);
    return part.reduce((sum, value) => sum + value, 0) / Math.max(1, part.length);
  });
  const loudest = Math.max(...gathered, 1);
  return gathered.map((value) => Math.round((100 * value) / loudest));
}

const FRAME_LIMIT_MS = 30_000;
/** ffmpeg's message when the input has no picture. */
const NO_PICTURE = "does not contain any stream";
const MAX_FRAME_BYTES = 32 * 1024 * 1024;

export type Video = {
  width: number;
  height: number;
  durationMs: number | null;
  thumbnail: Thumbnail;
};

/** Reads size, length and first frame; null when there is no picture. Throws FfmpegFailed or UnreadablePicture. */
export async function readVideo(
  ffmpeg: Ffmpeg,
  input: FfmpegInput,
  maxPixels: number,
): Promise<Video | null> {
  const frame = await firstFrame(ffmpeg, input);
  if (frame === null) return null;
  const { output, report } = frame;
  const { width, height, thumbnail } = await readPicture(output, maxPixels, input);
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
      timeLimitMs: FRAME_LIMIT_MS,
      maxOutputBytes: MAX_FRAME_BYTES,
    });
  } catch (error) {
    if (error instanceof FfmpegFailed && error.report.includes(NO_PICTURE)) return null;
    throw error;
  }
}

/** The container's length as ffmpeg prints it. */
export function durationOf(report: string): number | null {
  const [, hours, minutes, seconds] = /Duration: (\d+):(\d\d):(\d\d\.\d+)/.exec(report) ?? [];
  if (hours === undefined) return null;
  return Math.round(((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1_000);
}
