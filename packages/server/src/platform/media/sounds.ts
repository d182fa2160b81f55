import type { Ffmpeg, FfmpegInput } from "./ffmpeg.ts";

/** For levels that a thumb's width shows this is plenty. */
const SAMPLES_PER_SECOND = 8_000;
/** One level each tenth of a second, before they are gathered. */
const WINDOW_SAMPLES = 800;
const LEVELS = 32;
const LONGEST_SECONDS = 4 * 3_600;
const TIME_LIMIT_MS = 60_000;
const CONVERSION_LIMIT_MS = 120_000;

export type Sound = {
  durationMs: number;
  /** 32 levels from 0 to 100, the loudest is 100. */
  waveform: number[];
};

/** Length and levels of a sound, or of a video's sound; null when there is none. Throws FfmpegFailed. */
export async function readSound(ffmpeg: Ffmpeg, input: FfmpegInput): Promise<Sound | null> {
  const pcm = ffmpeg.stream({
    input,
    output: [
      ...["-vn", "-sn", "-dn", "-t", String(LONGEST_SECONDS)],
      ...["-ac", "1", "-ar", String(SAMPLES_PER_SECOND), "-c:a", "pcm_s16le", "-f", "s16le"],
    ],
    timeLimitMs: TIME_LIMIT_MS,
    maxOutputBytes: 2 * SAMPLES_PER_SECOND * (LONGEST_SECONDS + 1),
  });
  const { samples, loudness } = await measure(pcm);
  if (samples === 0) return null;
  return {
    durationMs: Math.round((samples / SAMPLES_PER_SECOND) * 1_000),
    waveform: toLevels(loudness),
  };
}

/** What the chat app plays as a voice note: Ogg with Opus. Throws FfmpegFailed while it is read. */
export function toVoice(
  ffmpeg: Ffmpeg,
  input: FfmpegInput,
  maxOutputBytes: number,
): AsyncGenerator<Uint8Array> {
  return ffmpeg.stream({
    input,
    output: [
      ...["-vn", "-ac", "1", "-ar", "48000"],
      ...["-c:a", "libopus", "-b:a", "32k", "-application", "voip", "-f", "ogg"],
    ],
    timeLimitMs: CONVERSION_LIMIT_MS,
    maxOutputBytes,
  });
}

/** MP3 of 192 kbit/s, which every phone plays. Throws FfmpegFailed while it is read. */
export function toMp3(
  ffmpeg: Ffmpeg,
  input: FfmpegInput,
  maxOutputBytes: number,
): AsyncGenerator<Uint8Array> {
  return ffmpeg.stream({
    input,
    output: [
      ...["-vn", "-ar", "44100", "-c:a", "libmp3lame", "-b:a", "192k"],
      ...["-write_xing", "0", "-f", "mp3"],
    ],
    timeLimitMs: CONVERSION_LIMIT_MS,
    maxOutputBytes,
  });
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

/** Gathers any number of windows into 32 levels; a short sound repeats its windows. */
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
