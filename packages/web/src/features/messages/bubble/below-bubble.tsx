import type { Message } from "@balcao/contract";
import type { ReactNode } from "react";
import { ApiError } from "../../../api/client.ts";
import { useTranslation } from "../../../i18n/index.ts";
import { useLiveStatus } from "../../../realtime/index.ts";
import { useNow } from "../../../ui/clock.ts";
import { ErrorWords } from "../../../ui/index.ts";
import { tip } from "../../../ui/tooltip.tsx";
import {
  cancelQueued,
  discard,
  react,
  retry,
  takeBack,
  useConversation,
} from "../list/conversation.ts";
import type { ListedMessage } from "../list/message-rows.ts";
import type { UnsentMessage } from "../sending/unsent-messages.ts";
import classes from "./bubble.module.css";
import type { ReactionChip } from "./message-content.ts";
import { chipsOf } from "./message-content.ts";

/** The error of a message and its actions. */
export function FailureLines({ item }: { item: ListedMessage }): ReactNode {
  const { t } = useTranslation();
  const { onOverlay } = useConversation();
  const code = codeOf(item);
  const stored = item.kind === "stored" ? item.message : null;
  // It is unknown if the message was sent: sending it again may send it twice.
  const isUnconfirmed = stored?.isUnconfirmed === true && !stored.isDeleted;
  const reasonCode = code ?? stored?.changeFailedCode ?? null;
  if (!isUnconfirmed && reasonCode === null) return null;
  const change = code === null ? "messages.changeFailed" : "messages.failed";
  return (
    <p className={classes["failure"]} data-unconfirmed={isUnconfirmed || undefined}>
      {t(isUnconfirmed ? "messages.unconfirmed" : change)}
      <span className="bc-small">
        {isUnconfirmed || reasonCode === null ? (
          t("messages.unconfirmedText")
        ) : (
          <ErrorWords error={new ApiError({ status: 0, code: reasonCode })} />
        )}
      </span>
      {isUnconfirmed || (code !== null && code !== "ERR_FILE_NOT_KEPT") ? (
        <LineButton onClick={() => retry(item, onOverlay)}>
          {t(isUnconfirmed ? "messages.sendAgain" : "messages.retry")}
        </LineButton>
      ) : null}
      {!isUnconfirmed && code !== null ? (
        <LineButton onClick={() => discard(item)}>{t("messages.discard")}</LineButton>
      ) : null}
    </p>
  );
}

/** Whether a message waits for the line: it was tried, or it is known that trying is in vain. */
export function useIsQueued({ state }: UnsentMessage): boolean {
  const live = useLiveStatus();
  const isLineAway = live.wasOffline && live.state !== "online";
  return state === "waiting" || (state !== "failed" && isLineAway);
}

/** Says that a message waits for the line, and takes it out of the queue. */
export function QueuedLines({ unsent }: { unsent: UnsentMessage }): ReactNode {
  const { t } = useTranslation();
  const isQueued = useIsQueued(unsent);
  if (!isQueued && unsent.isKept !== false) return null;
  return (
    <p className={classes["failure"]} data-queued={unsent.isKept !== false || undefined}>
      {isQueued ? t("messages.queued") : null}
      {unsent.isKept === false ? <span className="bc-small">{t("messages.notKept")}</span> : null}
      {isQueued ? (
        <LineButton onClick={() => cancelQueued(unsent)}>{t("common.cancel")}</LineButton>
      ) : null}
    </p>
  );
}

function LineButton(props: { onClick: () => void; children: ReactNode }): ReactNode {
  return (
    <button type="button" className={classes["again"]} onClick={props.onClick}>
      {props.children}
    </button>
  );
}

/** The code of the failure; null if the message is sent or pending. */
export function codeOf(item: ListedMessage): string | null {
  if (item.kind === "stored") return item.message.failedCode;
  return item.unsent.state === "failed" ? (item.unsent.errorCode ?? "ERR_NETWORK") : null;
}

const TICK_MS = 250;

/** Undoes a message while that is possible. */
export function UndoLine({
  message,
  undoUntil,
}: {
  message: Message;
  undoUntil: string;
}): ReactNode {
  const { t } = useTranslation();
  const nowMs = useNow(TICK_MS);
  const seconds = Math.ceil((Date.parse(undoUntil) - nowMs) / 1_000);
  if (seconds <= 0) return null;
  return (
    <p className={classes["undo"]}>
      <LineButton onClick={() => takeBack(message)}>{t("messages.undo", { seconds })}</LineButton>
    </p>
  );
}

/** The reactions to a message; a press adds or removes the own one. */
export function ReactionChips({ message }: { message: Message }): ReactNode {
  const { t } = useTranslation();
  const { canWrite } = useConversation();
  if (message.reactions.length === 0 || message.isDeleted) return null;
  return (
    <div className={classes["chips"]} role="group" aria-label={t("messages.reactions")}>
      {chipsOf(message.reactions).map((chip) => (
        <button
          key={chip.emoji}
          {...tip(chip.names.join(", "))}
          type="button"
          className={classes["chip"]}
          data-own={chip.isOwn || undefined}
          aria-label={chipLabel(chip)}
          aria-pressed={chip.isOwn}
          disabled={!canWrite}
          onClick={() => react(message, chip.isOwn ? "" : chip.emoji)}
        >
          <span aria-hidden="true">{chip.emoji}</span>
          {chip.count > 1 ? <span className={classes["chipCount"]}>{chip.count}</span> : null}
        </button>
      ))}
    </div>
  );

  function chipLabel({ emoji, count, names, isOwn }: ReactionChip): string {
    const shown = count > 1 ? `${emoji} ${count}` : emoji;
    const who = t("messages.reactionBy", { emoji: shown, names: names.join(", ") });
    return isOwn && canWrite ? `${who}, ${t("messages.removeReaction")}` : who;
  }
}
