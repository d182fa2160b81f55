import type { Message } from "@balcao/contract";
import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { useNow } from "../../ui/clock.ts";
import { useConversation } from "./conversation-context.ts";
import classes from "./message-bubble.module.css";

const TICK_MS = 250;

/** Takes a message back that has not left yet, as long as that can be done. */
export function UndoLine({
  message,
  undoUntil,
}: {
  message: Message;
  undoUntil: string;
}): ReactNode {
  const { t } = useTranslation();
  const { onUndo } = useConversation();
  const nowMs = useNow(TICK_MS);
  const seconds = Math.ceil((Date.parse(undoUntil) - nowMs) / 1_000);
  if (seconds <= 0) return null;
  return (
    <p className={classes["undo"]}>
      <button type="button" className={classes["again"]} onClick={() => onUndo(message)}>
        {t("messages.undo", { seconds })}
      </button>
    </p>
  );
}
