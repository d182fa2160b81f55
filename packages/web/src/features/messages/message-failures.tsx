import type { ReactNode } from "react";
import { ApiError } from "../../api/api-error.ts";
import { useTranslation } from "../../i18n/index.ts";
import { errorText } from "../../ui/index.ts";
import { useConversation } from "./conversation-context.ts";
import classes from "./message-bubble.module.css";
import type { ListedMessage } from "./message-rows.ts";

/** What went wrong with a message, and what can be done about it. */
export function FailureLines({ item }: { item: ListedMessage }): ReactNode {
  const { t } = useTranslation();
  const { onRetry, onDiscard } = useConversation();
  const code = codeOf(item);
  if (isUnconfirmed(item)) {
    return (
      <p className={classes["failure"]} data-unconfirmed>
        {t("messages.unconfirmed")}
        <span className={classes["reason"]}>{t("messages.unconfirmedText")}</span>
        <button type="button" className={classes["again"]} onClick={() => onRetry(item)}>
          {t("messages.sendAgain")}
        </button>
      </p>
    );
  }
  const changeCode = item.kind === "stored" ? item.message.changeFailedCode : null;
  if (code === null && changeCode === null) return null;
  if (code === null) {
    return (
      <p className={classes["failure"]}>
        {t("messages.changeFailed")}
        <span className={classes["reason"]}>{reason(changeCode ?? "")}</span>
      </p>
    );
  }
  return (
    <p className={classes["failure"]}>
      {t("messages.failed")}
      <span className={classes["reason"]}>{reason(code)}</span>
      <button type="button" className={classes["again"]} onClick={() => onRetry(item)}>
        {t("messages.retry")}
      </button>
      <button type="button" className={classes["again"]} onClick={() => onDiscard(item)}>
        {t("messages.discard")}
      </button>
    </p>
  );

  function reason(why: string): string {
    return errorText(t, new ApiError({ status: 0, code: why }));
  }
}

/** Nobody can say whether it was sent: sending it again may double it. */
function isUnconfirmed(item: ListedMessage): boolean {
  return item.kind === "stored" && item.message.isUnconfirmed && !item.message.isDeleted;
}

/** Why it did not go out, as a code; null when it may still, or has. */
export function codeOf(item: ListedMessage): string | null {
  if (item.kind === "stored") return item.message.failedCode;
  return item.unsent.state === "failed" ? (item.unsent.errorCode ?? "ERR_NETWORK") : null;
}
