import { epochMs } from "../../ui/clock.ts";

/**
 * One person has several tabs, and one message alerts once: the tab that has the focus decides, and where none has it,
 * the one that holds this lock.
 */
const LOCK = "balcao.alerts";
/** When a tab last said that it has the focus; a tab that crashed is forgotten. */
const FOCUS_KEY = "balcao.focus";
const SAY_AGAIN_MS = 20_000;
const FORGOTTEN_MS = 45_000;

let holdsLock = false;

/** Takes part in the choice of the tab that alerts. Returns the way to stop. */
export function joinSpeakers(): () => void {
  const ended = new AbortController();
  let release: () => void = () => undefined;
  // Not there on an insecure origin, whatever the types say.
  const { locks }: { locks?: LockManager | null } = navigator;
  if (locks) {
    locks
      .request(LOCK, { signal: ended.signal }, () => {
        holdsLock = true;
        return new Promise<void>((resolve) => {
          release = resolve;
        });
      })
      .catch((error: unknown) => {
        if (!ended.signal.aborted) reportError(error);
      });
  } else {
    // Then every tab alerts.
    holdsLock = true;
  }
  const say = (): void => {
    if (document.hasFocus()) localStorage.setItem(FOCUS_KEY, String(epochMs()));
  };
  const leave = (): void => localStorage.removeItem(FOCUS_KEY);
  say();
  const timer = setInterval(say, SAY_AGAIN_MS);
  window.addEventListener("focus", say);
  window.addEventListener("blur", leave);
  window.addEventListener("pagehide", leave);
  return () => {
    ended.abort();
    release();
    holdsLock = false;
    clearInterval(timer);
    window.removeEventListener("focus", say);
    window.removeEventListener("blur", leave);
    window.removeEventListener("pagehide", leave);
  };
}

/** Whether this tab is the one that alerts. */
export function isSpeaker(): boolean {
  if (document.hasFocus()) return true;
  const saidAt = Number(localStorage.getItem(FOCUS_KEY) ?? 0);
  const isOtherFocused = epochMs() - saidAt < FORGOTTEN_MS;
  return holdsLock && !isOtherFocused;
}
