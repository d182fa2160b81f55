import type { Message } from "@balcao/contract";

/** What was answered by somebody else while the agent was writing; `mustConfirm`: his first Enter was held back. */
export type MeanwhileAnswer = Readonly<{ message: Message; mustConfirm: boolean }>;

export type AnswerWatch = ReturnType<typeof createAnswerWatch>;

/**
 * Notices that somebody else (a colleague, or the company's own phone) answered in the ticket between the first letter
 * and the sending. `loaded` gives the newest loaded messages, ascending: what came while the live channel was down is
 * found there.
 */
export function createAnswerWatch(userId: number, loaded: () => readonly Message[]) {
  const listeners = new Set<() => void>();
  let isWriting = false;
  /** The last message when the writing began; null when none was loaded. */
  let lastIdBefore: string | null = null;
  let answer: MeanwhileAnswer | null = null;

  function set(next: MeanwhileAnswer | null): void {
    if (next === answer) return;
    answer = next;
    for (const listener of listeners) listener();
  }

  const isOfAnother = (message: Message): boolean =>
    message.fromMe && !message.isDeleted && message.user?.id !== userId;

  function missed(): Message | null {
    const messages = loaded();
    const index = messages.findIndex((message) => message.id === lastIdBefore);
    if (index < 0) return null;
    return messages.slice(index + 1).findLast(isOfAnother) ?? null;
  }

  return {
    current: (): MeanwhileAnswer | null => answer,
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    /** There is something in the composer, or not any more. */
    writing(isNow: boolean): void {
      if (isNow === isWriting) return;
      isWriting = isNow;
      lastIdBefore = isNow ? (loaded().at(-1)?.id ?? null) : null;
      if (!isNow) set(null);
    },
    /** A message was stored in the ticket. */
    note(message: Message): void {
      if (isWriting && isOfAnother(message)) set({ message, mustConfirm: false });
    },
    /** Whether it may be sent now; when not, the agent is shown why and the next call lets it through. */
    maySend(): boolean {
      if (answer?.mustConfirm) return true;
      const message = answer?.message ?? missed();
      if (message === null) return true;
      set({ message, mustConfirm: true });
      return false;
    },
    /** The agent has seen it, or has sent: what comes from now on counts. */
    reset(): void {
      lastIdBefore = isWriting ? (loaded().at(-1)?.id ?? null) : null;
      set(null);
    },
  };
}
