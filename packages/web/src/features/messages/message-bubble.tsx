import type { Message } from "@balcao/contract";
import { IconAlertCircle, IconBan } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { memo } from "react";
import { ApiError } from "../../api/api-error.ts";
import { formatTime } from "../../i18n/format.ts";
import type { TFunction } from "../../i18n/index.ts";
import { useTranslation } from "../../i18n/index.ts";
import { errorText } from "../../ui/index.ts";
import { AckIcon, ackState } from "./ack-icon.tsx";
import { FormattedText } from "./formatted-text.tsx";
import classes from "./message-bubble.module.css";
import type { ListedMessage } from "./message-rows.ts";
import { isFromMe, timeOf } from "./message-rows.ts";
import { Quote } from "./quote.tsx";
import { splitSignature } from "./signature.ts";

type Props = {
  item: ListedMessage;
  customerName: string;
  endsGroup: boolean;
  /** Place among all messages of the ticket, 1-based. */
  position: number;
  /** How many there are in all. */
  total: number;
  isFlashed: boolean;
  onRetry: (item: ListedMessage) => void;
  onDiscard: (item: ListedMessage) => void;
  onShowQuoted: ((messageId: string) => void) | null;
};

/** One message with all that belongs to it. */
export const MessageBubble = memo(function MessageBubble(props: Props): ReactNode {
  const { t } = useTranslation();
  const { item, customerName, endsGroup, position, total, onRetry, onDiscard } = props;
  const isOwn = isFromMe(item);
  const stored = item.kind === "stored" ? item.message : null;
  const body = stored ? stored.body : item.kind === "unsent" ? item.unsent.body : "";
  const isDeleted = stored?.isDeleted ?? false;
  const { author, text } = isOwn ? splitSignature(body) : { author: null, text: body };
  const failure = failureOf(item);
  const time = formatTime(timeOf(item));
  const sender = isOwn ? (author ?? t("messages.ours")) : customerName;

  return (
    <article
      className={classes["message"]}
      data-own={isOwn || undefined}
      data-ends-group={endsGroup || undefined}
      data-flashed={props.isFlashed || undefined}
      aria-label={[sender, time, stateText(t, item)].filter(Boolean).join(", ")}
      aria-posinset={position}
      aria-setsize={total}
    >
      <div className={classes["bubble"]} data-failed={failure !== null || undefined}>
        {stored?.quotedMsg && !isDeleted ? (
          <Quote
            quoted={stored.quotedMsg}
            customerName={customerName}
            onShow={props.onShowQuoted}
          />
        ) : null}
        {author === null || isDeleted ? null : <div className={classes["author"]}>{author}:</div>}
        <div className={classes["text"]}>
          {isDeleted ? (
            <span className={classes["deleted"]}>
              <IconBan size={15} stroke={1.7} aria-hidden="true" /> {t("messages.deleted")}
            </span>
          ) : (
            <FormattedText text={text} />
          )}
          <span className={classes["meta"]}>
            {stored?.isEdited && !isDeleted ? <span>{t("messages.edited")}</span> : null}
            <time dateTime={timeOf(item)}>{time}</time>
            <State item={item} isFailed={failure !== null} />
          </span>
        </div>
      </div>
      {failure === null ? null : (
        <p
          className={classes["failure"]}
          title={errorText(t, new ApiError({ status: 0, code: failure }))}
        >
          {t("messages.failed")}
          <button type="button" className={classes["again"]} onClick={() => onRetry(item)}>
            {t("messages.retry")}
          </button>
          <button type="button" className={classes["again"]} onClick={() => onDiscard(item)}>
            {t("messages.discard")}
          </button>
        </p>
      )}
    </article>
  );
});

/** The sign beside the time: of own messages only. */
function State({ item, isFailed }: { item: ListedMessage; isFailed: boolean }): ReactNode {
  const { t } = useTranslation();
  if (!isFromMe(item)) return null;
  if (isFailed) {
    return (
      <span className={classes["failedIcon"]} role="img" aria-label={t("messages.failedName")}>
        <IconAlertCircle size={14} stroke={1.9} aria-hidden="true" />
      </span>
    );
  }
  if (item.kind === "stored" && item.message.isDeleted) return null;
  return <AckIcon ack={item.kind === "stored" ? item.message.ack : 0} />;
}

/** Why it did not go out, as a code; null when it may still, or has. */
function failureOf(item: ListedMessage): string | null {
  if (item.kind === "stored") return item.message.failedCode;
  return item.unsent.state === "failed" ? (item.unsent.errorCode ?? "ERR_NETWORK") : null;
}

function stateText(t: TFunction, item: ListedMessage): string {
  if (!isFromMe(item)) return "";
  if (failureOf(item) !== null) return t("messages.failedName");
  const message: Pick<Message, "ack" | "isDeleted"> =
    item.kind === "stored" ? item.message : { ack: 0, isDeleted: false };
  return message.isDeleted ? "" : t(`messages.ack.${ackState(message.ack)}`);
}
