import { useSyncExternalStore } from "react";

/** What is being heard. There is one player on the page, so only one audio plays at a time. */
export type Playback = Readonly<{
  messageId: string | null;
  isPlaying: boolean;
  positionMs: number;
  /** Known once the file has begun to load. */
  durationMs: number | null;
  /** The file could not be played. */
  hasFailed: boolean;
}>;

export const speeds = [1, 1.5, 2] as const;
export type Speed = (typeof speeds)[number];

const SPEED_KEY = "balcao.audio-speed";
const silence: Playback = {
  messageId: null,
  isPlaying: false,
  positionMs: 0,
  durationMs: null,
  hasFailed: false,
};

let playback = silence;
let speed: Speed | null = null;
let element: HTMLAudioElement | null = null;
const listeners = new Set<() => void>();

/** What a message's audio is doing; `silence`'s fields while another one is heard. */
export function usePlayback(messageId: string): Playback {
  return useSyncExternalStore(subscribe, () =>
    playback.messageId === messageId ? playback : silence,
  );
}

/** How fast audios play, kept on this device. */
export function useSpeed(): Speed {
  return useSyncExternalStore(subscribe, currentSpeed);
}

/** Plays the audio, or goes on with it; another one stops. */
export function play(messageId: string, url: string, fromMs?: number): void {
  const audio = player();
  if (playback.messageId !== messageId) {
    audio.src = url;
    change({ ...silence, messageId, isPlaying: true, positionMs: fromMs ?? 0 });
  } else if (playback.hasFailed) {
    audio.src = url;
    change({ hasFailed: false, isPlaying: true });
  }
  if (fromMs !== undefined) audio.currentTime = fromMs / 1_000;
  audio.playbackRate = currentSpeed();
  audio.play().catch((error: unknown) => {
    // Replaced or paused before it began is no failure.
    if (error instanceof DOMException && error.name === "AbortError") return;
    if (playback.messageId === messageId) change({ isPlaying: false, hasFailed: true });
  });
}

export function pause(): void {
  element?.pause();
}

/** Goes to a moment of the audio that is being heard. */
export function seek(positionMs: number): void {
  if (element) element.currentTime = positionMs / 1_000;
  change({ positionMs });
}

/** Nothing is heard any more: its conversation is closed. */
export function stopPlayback(): void {
  if (playback.messageId === null) return;
  element?.pause();
  element?.removeAttribute("src");
  change(silence);
}

/** The next speed, for this audio and those after it. */
export function nextSpeed(): void {
  const next = speeds[(speeds.indexOf(currentSpeed()) + 1) % speeds.length] ?? 1;
  speed = next;
  localStorage.setItem(SPEED_KEY, String(next));
  if (element) element.playbackRate = next;
  change({});
}

function currentSpeed(): Speed {
  const kept = Number(localStorage.getItem(SPEED_KEY));
  speed ??= speeds.find((one) => one === kept) ?? 1;
  return speed;
}

function player(): HTMLAudioElement {
  if (element) return element;
  const audio = new Audio();
  audio.preload = "metadata";
  audio.addEventListener("play", () => change({ isPlaying: true }));
  audio.addEventListener("pause", () => change({ isPlaying: false }));
  audio.addEventListener("ended", () => change({ isPlaying: false, positionMs: 0 }));
  audio.addEventListener("timeupdate", () => change({ positionMs: audio.currentTime * 1_000 }));
  audio.addEventListener("durationchange", () => {
    const { duration } = audio;
    change({ durationMs: Number.isFinite(duration) ? duration * 1_000 : null });
  });
  audio.addEventListener("error", () => {
    // Taking the source away is reported as an error as well.
    if (playback.messageId !== null) change({ isPlaying: false, hasFailed: true });
  });
  element = audio;
  return audio;
}

function change(next: Partial<Playback>): void {
  playback = { ...playback, ...next };
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
