import type { UnsentMessage } from "./unsent-messages.ts";

type Held = { file: File; previewUrl: string | null; upload: AbortController | null };

/**
 * The contents of files on their way, which only this page has: while there is one, the browser asks before the page is
 * left.
 */
export function createUnsentFiles() {
  const held = new Map<string, Held>();

  function forget(clientId: string): Held | undefined {
    const one = held.get(clientId);
    if (!one) return undefined;
    held.delete(clientId);
    if (one.previewUrl !== null) URL.revokeObjectURL(one.previewUrl);
    if (held.size === 0) window.removeEventListener("beforeunload", askBeforeLeaving);
    return one;
  }

  function drop(clientId: string): void {
    forget(clientId)?.upload?.abort();
  }

  return {
    hold(message: UnsentMessage, file: File): void {
      if (held.size === 0) window.addEventListener("beforeunload", askBeforeLeaving);
      const previewUrl = message.file?.previewUrl ?? null;
      held.set(message.clientId, { file, previewUrl, upload: null });
    },
    /** The content and the signal that ends its upload; null when it is not held any more. */
    start(clientId: string): { file: File; signal: AbortSignal } | null {
      const one = held.get(clientId);
      if (!one) return null;
      one.upload = new AbortController();
      return { file: one.file, signal: one.upload.signal };
    },
    /** Its message has arrived. */
    release: (clientId: string): void => void forget(clientId),
    /** Its message was given up; an upload under way ends. */
    drop,
    dropAll(): void {
      for (const clientId of [...held.keys()]) drop(clientId);
    },
  };
}

function askBeforeLeaving(event: BeforeUnloadEvent): void {
  event.preventDefault();
}
