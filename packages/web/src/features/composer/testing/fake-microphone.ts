import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { vi } from "vitest";

const SAMPLE_RATE = 48_000;
const require = createRequire(import.meta.url);

/** Fakes the browser's microphone, audio context and worklet. `sound` feeds samples; the encoder is real. */
export function fakeMicrophone(options: { refusedWith?: string } = {}) {
  const track = Object.assign(new EventTarget(), { isLive: true, stop: vi.fn() });
  track.stop.mockImplementation(() => {
    track.isLive = false;
  });
  const context = { isClosed: false };
  let port: EventTarget | null = null;

  const stream = { getTracks: () => [track], getAudioTracks: () => [track] };
  const getUserMedia = (): Promise<unknown> =>
    options.refusedWith === undefined
      ? Promise.resolve(stream)
      : Promise.reject(new DOMException("refused", options.refusedWith));
  vi.stubGlobal("navigator", Object.assign(navigator, { mediaDevices: { getUserMedia } }));

  vi.stubGlobal(
    "AudioContext",
    class {
      readonly sampleRate = SAMPLE_RATE;
      readonly audioWorklet = { addModule: () => Promise.resolve() };
      get state(): string {
        return context.isClosed ? "closed" : "running";
      }
      resume = (): Promise<void> => Promise.resolve();
      createMediaStreamSource = () => ({ connect: () => undefined });
      close(): Promise<void> {
        context.isClosed = true;
        return Promise.resolve();
      }
    },
  );
  vi.stubGlobal(
    "AudioWorkletNode",
    class {
      readonly port: EventTarget & { start: () => void; postMessage: () => void };
      constructor() {
        const own = Object.assign(new EventTarget(), {
          start: () => undefined,
          postMessage: () => own.dispatchEvent(new MessageEvent("message", { data: null })),
        });
        port = own;
        this.port = own;
      }
    },
  );
  const { fetch } = globalThis;
  vi.stubGlobal("fetch", async (url: string, init?: RequestInit) =>
    url.includes("mp3")
      ? new Response(await readFile(require.resolve("wasm-media-encoders/wasm/mp3")))
      : fetch(url, init),
  );

  return {
    isFree: (): boolean => !track.isLive && context.isClosed,
    isOpen: (): boolean => port !== null && track.isLive,
    /** A tone of this many seconds. */
    sound(seconds: number): void {
      for (let at = 0; at < seconds * SAMPLE_RATE; at += 4_096) {
        const data = Float32Array.from({ length: 4_096 }, (_, index) =>
          Math.sin(((at + index) * 2 * Math.PI * 440) / SAMPLE_RATE),
        );
        port?.dispatchEvent(new MessageEvent("message", { data }));
      }
    },
    unplug: (): boolean => track.dispatchEvent(new Event("ended")),
  };
}
