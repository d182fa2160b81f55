import type { Message } from "@balcao/contract";
import type { ReactNode } from "react";
import { Suspense } from "react";
import { useCompanyEvent } from "../../realtime/index.ts";
import { createStore, useStore } from "../../store/index.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { openAt } from "../messages/index.ts";

const AnsweredStrip = lazyPart(
  async () => (await import("./answered-strip.tsx")).AnsweredStrip,
  "inline",
  "first",
);

type Props = {
  ticketId: number;
  watch: AnswerWatch;
  onSend: () => void;
};

/** Follows the ticket for `watch`, and shows what it found. */
export function MeanwhileAnswered({ ticketId, watch, onSend }: Props): ReactNode {
  const answer = useStore(watch.answer);
  useCompanyEvent("appMessage", (event) => {
    const isNew = event.action === "create" && event.message.ticketId === ticketId;
    if (isNew) watch.note(event.message);
  });
  function show(): void {
    if (answer) openAt(ticketId, answer.message.id);
    watch.reset();
  }
  return (
    <div role="status">
      <Suspense fallback={null}>
        {answer === null ? null : (
          <AnsweredStrip
            name={answer.message.user?.name}
            mustConfirm={answer.mustConfirm}
            onShow={show}
            onSend={onSend}
          />
        )}
      </Suspense>
    </div>
  );
}

/** An answer by somebody else while the agent was writing; with `mustConfirm` the first Enter did not send. */
type MeanwhileAnswer = Readonly<{ message: Message; mustConfirm: boolean }>;

type AnswerWatch = ReturnType<typeof createAnswerWatch>;

/**
 * Detects answers by a colleague or the company's own phone between the first letter and the sending. `loaded` returns
 * the newest loaded messages, ascending: it has those that came while the live channel was down.
 */
export function createAnswerWatch(userId: number, loaded: () => readonly Message[]) {
  const answer = createStore<MeanwhileAnswer | null>(null);
  let isWriting = false;
  /** The last message when the writing began; null if none was loaded. */
  let lastIdBefore: string | null = null;

  const isOfAnother = (message: Message): boolean =>
    message.fromMe && !message.isDeleted && message.user?.id !== userId;

  function missed(): Message | null {
    const messages = loaded();
    const index = messages.findIndex((message) => message.id === lastIdBefore);
    if (index < 0) return null;
    return messages.slice(index + 1).findLast(isOfAnother) ?? null;
  }

  return {
    answer,
    /** Called when the composer becomes empty or gets content. */
    writing(isNow: boolean): void {
      if (isNow === isWriting) return;
      isWriting = isNow;
      lastIdBefore = isNow ? (loaded().at(-1)?.id ?? null) : null;
      if (!isNow) answer.set(null);
    },
    /** A message was stored in the ticket. */
    note(message: Message): void {
      if (isWriting && isOfAnother(message)) answer.set({ message, mustConfirm: false });
    },
    /** True if the message may be sent. Otherwise the reason is shown, and the next call returns true. */
    maySend(): boolean {
      const known = answer.get();
      if (known?.mustConfirm) return true;
      const message = known?.message ?? missed();
      if (message === null) return true;
      answer.set({ message, mustConfirm: true });
      return false;
    },
    /** The agent saw the answer or sent: only later answers count. */
    reset(): void {
      lastIdBefore = isWriting ? (loaded().at(-1)?.id ?? null) : null;
      answer.set(null);
    },
  };
}
