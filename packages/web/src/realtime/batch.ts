import { notifyManager } from "@tanstack/react-query";

/** A hidden page gets no animation frames; its title counters must move all the same. */
const HIDDEN_PAGE_MS = 250;

let pending: (() => void)[] = [];
let frame: number | null = null;
let timer: ReturnType<typeof setTimeout> | null = null;

/**
 * Runs `apply` with the other changes of this animation frame, in order, as one notification of the query cache:
 * a burst of events costs one render.
 */
export function batchPerFrame(apply: () => void): void {
  pending.push(apply);
  if (pending.length > 1) return;
  frame = requestAnimationFrame(flush);
  timer = setTimeout(flush, HIDDEN_PAGE_MS);
}

function flush(): void {
  if (frame !== null) cancelAnimationFrame(frame);
  if (timer !== null) clearTimeout(timer);
  const changes = pending;
  pending = [];
  notifyManager.batch(() => {
    for (const change of changes) {
      try {
        change();
      } catch (error) {
        reportError(error); // one broken event must not take the others of its frame with it
      }
    }
  });
}
