import type { Message } from "@balcao/contract";
import { IconMessageReply } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { useCompanyEvent } from "../../realtime/index.ts";
import { createStore, useStore } from "../../store/index.ts";
import { openAt } from "../messages/index.ts";
import classes from "./composer.module.css";

type Props = {
  ticketId: number;
  watch: AnswerWatch;
  onSend: () => void;
};

/** Shows before sending that somebody else answered while the agent was writing. */
export function AnsweredStrip({ ticketId, watch, onSend }: Props): ReactNode {
  const { t } = useTranslation();
  const answer = useStore(watch.answer);
  useCompanyEvent("appMessage", (event) => {
    const isNew = event.action === "create" && event.message.ticketId === ticketId;
    if (isNew) watch.note(event.message);
  });
  const name = answer?.message.user?.name;
  return (
    <div role="status">
      {answer === null ? null : (
        <div className={classes["strip"]} data-held={answer.mustConfirm || undefined}>
          <IconMessageReply size={19} stroke={1.7} aria-hidden="true" />
          <span className={classes["answeredText"]}>
            {name === undefined
              ? t("composer.answeredElsewhere")
              : t("composer.answered", { name })}
            {answer.mustConfirm ? (
              <span className={classes["answeredAgain"]}>{t("composer.answeredAgain")}</span>
            ) : null}
          </span>
          <button
            type="button"
            className={classes["answeredAction"]}
            onClick={() => {
              openAt(ticketId, answer.message.id);
              watch.reset();
            }}
          >
            {t("composer.answeredShow")}
          </button>
          <button type="button" className={classes["answeredAction"]} onClick={onSend}>
            {t("composer.answeredSend")}
          </button>
        </div>
      )}
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
