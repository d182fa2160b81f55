import { limits } from "@balcao/contract/limits";

/** A second short of the largest audio, so that what is recorded can always be sent. */
export const RECORDING_MAX_MS = Math.floor(
  (limits.audioMaxBytes * 8) / limits.recordingKbps - 1_000,
);

/** What the encoder can give out; other rates are brought to the second one. */
const MP3_RATES = [48_000, 44_100, 32_000] as const;

export function mp3RateFor(sampleRate: number): (typeof MP3_RATES)[number] {
  return MP3_RATES.find((rate) => rate === sampleRate) ?? 44_100;
}

/** The recorded file as the family of clients names it; null when it is too short to be meant (spec 5). */
export function recordingFile(
  chunks: readonly Uint8Array<ArrayBuffer>[],
  nowMs: number,
): File | null {
  const bytes = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  if (bytes < limits.recordingMinBytes) return null;
  return new File([...chunks], `audio-record-site-${nowMs}.mp3`, { type: "audio/mpeg" });
}

/** How loud some samples are, from 0 to 1; speech reaches the upper half. */
export function levelOf(samples: Float32Array): number {
  if (samples.length === 0) return 0;
  const power = samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length;
  return Math.min(1, Math.sqrt(power) * 4);
}

export type MicrophoneFailure = "denied" | "missing" | "busy" | "insecure" | "failed";

/** Why there is no sound, from what the browser throws. */
export function microphoneFailure(error: unknown): MicrophoneFailure {
  const name = error instanceof DOMException ? error.name : "";
  if (name === "NotAllowedError" || name === "SecurityError") return "denied";
  if (name === "NotFoundError" || name === "OverconstrainedError") return "missing";
  return name === "NotReadableError" || name === "AbortError" ? "busy" : "failed";
}
