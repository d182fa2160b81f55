import { limits } from "@balcao/contract/limits";
import { createEncoder } from "wasm-media-encoders";
import mp3Encoder from "wasm-media-encoders/wasm/mp3?url";
import { epochMs } from "../../../ui/clock.ts";

const WORKLET = "/recorder-worklet.js";
const LOADING_LIMIT_MS = 20_000;
/** The last samples arrive at once or never. */
const LAST_CHUNK_MS = 1_000;

/** The microphone cannot be used, for `reason`. */
export class MicrophoneError extends Error {
  override readonly name = "MicrophoneError";
  readonly reason: MicrophoneFailure;

  constructor(reason: MicrophoneFailure, cause?: unknown) {
    super(reason, { cause });
    this.reason = reason;
  }
}

export type Recording = {
  /** Ends the recording and returns the file, or null if it is too short. Releases the microphone. */
  finish: () => Promise<File | null>;
  /** Ends the recording without a file and releases the microphone. May be called at any time, also twice. */
  cancel: () => void;
};

type Listeners = {
  /** Called about twelve times a second with the length so far and the last level. */
  onSound: (durationMs: number, level: number) => void;
  /** Called when the recording stops by itself: the size limit is reached, or the microphone is gone. */
  onEnded: (why: "full" | "lost") => void;
};

/**
 * Records the microphone as mp3 at 128 kbps. Throws `MicrophoneError`. If `signal` aborts, it releases the microphone
 * and throws an `AbortError`.
 */
export async function startRecording(
  { onSound, onEnded }: Listeners,
  signal: AbortSignal,
): Promise<Recording> {
  const encoder = loadEncoder();
  encoder.catch(() => undefined); // awaited below; until then its failure is nobody's
  const stream = await openMicrophone();
  const context = new AudioContext();
  const release = (): void => {
    for (const track of stream.getTracks()) track.stop();
    if (context.state !== "closed") context.close().catch(reportError);
  };
  try {
    const [mp3] = await Promise.all([encoder, context.audioWorklet.addModule(WORKLET)]);
    signal.throwIfAborted();
    await context.resume();
    const { sampleRate } = context;
    mp3.configure({
      sampleRate,
      channels: 1,
      bitrate: limits.recordingKbps,
      outputSampleRate: mp3RateFor(sampleRate),
    });
    const node = new AudioWorkletNode(context, "balcao-recorder", {
      numberOfOutputs: 0,
      channelCount: 1,
      channelCountMode: "explicit",
    });
    return capture({ context, stream, node, mp3, release, onSound, onEnded });
  } catch (error) {
    release();
    if (signal.aborted) throw error;
    throw new MicrophoneError("failed", error);
  }
}

type Parts = Listeners & {
  context: AudioContext;
  stream: MediaStream;
  node: AudioWorkletNode;
  mp3: Awaited<ReturnType<typeof loadEncoder>>;
  release: () => void;
};

function capture({ context, stream, node, mp3, release, onSound, onEnded }: Parts): Recording {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let samples = 0;
  let isRecording = true;
  const lastChunk = Promise.withResolvers<void>();

  function end(why: "full" | "lost"): void {
    if (!isRecording) return;
    isRecording = false;
    release();
    onEnded(why);
  }

  // The encoder reuses its memory, so its output is copied.
  node.port.addEventListener("message", ({ data }: MessageEvent<unknown>) => {
    if (data === null) lastChunk.resolve();
    if (!isRecording || !(data instanceof Float32Array) || data.length === 0) return;
    samples += data.length;
    chunks.push(mp3.encode([data]).slice());
    const durationMs = (samples / context.sampleRate) * 1_000;
    onSound(durationMs, levelOf(data));
    if (durationMs >= RECORDING_MAX_MS) end("full");
  });
  node.port.start();
  for (const track of stream.getAudioTracks()) {
    track.addEventListener("ended", () => end("lost"));
  }
  context.createMediaStreamSource(stream).connect(node);

  return {
    async finish() {
      if (isRecording) {
        // A port between page and worklet has no origin.
        // oxlint-disable-next-line unicorn/require-post-message-target-origin
        node.port.postMessage("end");
        await Promise.race([
          lastChunk.promise,
          new Promise((resolve) => setTimeout(resolve, LAST_CHUNK_MS)),
        ]);
      }
      isRecording = false;
      release();
      chunks.push(mp3.finalize().slice());
      return recordingFile(chunks, epochMs());
    },
    cancel() {
      isRecording = false;
      release();
    },
  };
}

async function openMicrophone(): Promise<MediaStream> {
  // Browsers hide the microphone from pages without TLS.
  const devices: MediaDevices | undefined = navigator.mediaDevices;
  if (devices === undefined) throw new MicrophoneError("insecure");
  try {
    return await devices.getUserMedia({
      audio: { channelCount: 1, echoCancellation: true, noiseSuppression: true },
    });
  } catch (error) {
    throw new MicrophoneError(microphoneFailure(error), error);
  }
}

async function loadEncoder() {
  const response = await fetch(mp3Encoder, { signal: AbortSignal.timeout(LOADING_LIMIT_MS) });
  if (!response.ok) throw new Error(`${mp3Encoder} answered ${response.status}`);
  return await createEncoder("audio/mpeg", await response.arrayBuffer());
}

/** A second less than the largest audio, so that every recording can be sent. */
export const RECORDING_MAX_MS = Math.floor(
  (limits.audioMaxBytes * 8) / limits.recordingKbps - 1_000,
);

/** The output rates of the encoder; other rates are resampled to the second one. */
const MP3_RATES = [48_000, 44_100, 32_000] as const;

export function mp3RateFor(sampleRate: number): (typeof MP3_RATES)[number] {
  return MP3_RATES.find((rate) => rate === sampleRate) ?? 44_100;
}

/** The recorded file with the name of the family's clients; null if it is too short (spec 5). */
function recordingFile(chunks: readonly Uint8Array<ArrayBuffer>[], nowMs: number): File | null {
  const bytes = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  if (bytes < limits.recordingMinBytes) return null;
  return new File([...chunks], `audio-record-site-${nowMs}.mp3`, { type: "audio/mpeg" });
}

/** The loudness of samples, from 0 to 1; speech reaches the upper half. */
export function levelOf(samples: Float32Array): number {
  if (samples.length === 0) return 0;
  const power = samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length;
  return Math.min(1, Math.sqrt(power) * 4);
}

export type MicrophoneFailure = "denied" | "missing" | "busy" | "insecure" | "failed";

/** The reason for an error of the browser's microphone API. */
function microphoneFailure(error: unknown): MicrophoneFailure {
  const name = error instanceof DOMException ? error.name : "";
  if (name === "NotAllowedError" || name === "SecurityError") return "denied";
  if (name === "NotFoundError" || name === "OverconstrainedError") return "missing";
  return name === "NotReadableError" || name === "AbortError" ? "busy" : "failed";
}
