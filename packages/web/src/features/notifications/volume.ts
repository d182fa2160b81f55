import { useSyncExternalStore } from "react";

/** The key that clients of the family share (spec 9). */
const STORAGE_KEY = "volume";
export const VOLUME_STEP = 0.1;
const DEFAULT_VOLUME = 1;

const listeners = new Set<() => void>();

/** The volume of alerts on this device, 0 (silent) to 1. */
export function currentVolume(): number {
  const stored = localStorage.getItem(STORAGE_KEY);
  const volume = stored === null ? DEFAULT_VOLUME : Number(stored);
  return volume >= 0 && volume <= 1 ? volume : DEFAULT_VOLUME;
}

export function chooseVolume(volume: number): void {
  localStorage.setItem(STORAGE_KEY, String(volume));
  for (const listener of listeners) listener();
}

export function useVolume(): number {
  return useSyncExternalStore(subscribe, currentVolume);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  window.addEventListener("storage", listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener("storage", listener);
  };
}
