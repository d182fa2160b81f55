import type { ReactNode } from "react";
import { formatDayLabel } from "../../i18n/format.ts";
import { useTranslation } from "../../i18n/index.ts";
import { MessageBubble } from "./message-bubble.tsx";
import classes from "./message-list.module.css";
import type { ListedMessage, MessageRow } from "./message-rows.ts";

type Props = {
  row: MessageRow;
  customerName: string;
  /** Messages of the ticket before the first loaded one. */
  unloaded: number;
  total: number;
  isFlashed: boolean;
  onRetry: (item: ListedMessage) => void;
  onDiscard: (item: ListedMessage) => void;
  onShowQuoted: ((messageId: string) => void) | null;
};

/** One row of the conversation: a day, the line of unread messages, or a message. */
export function MessageRowView({ row, unloaded, ...rest }: Props): ReactNode {
  const { t } = useTranslation();
  if (row.kind === "day") {
    return (
      <div className={classes["day"]}>
        <span>{formatDayLabel(row.at)}</span>
      </div>
    );
  }
  if (row.kind === "unread") {
    return (
      <div className={classes["unread"]}>
        <span>{t("messages.unread")}</span>
      </div>
    );
  }
  return (
    <MessageBubble
      {...rest}
      item={row.item}
      endsGroup={row.endsGroup}
      position={unloaded + row.position}
    />
  );
}
