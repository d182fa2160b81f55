import type { Message } from "@balcao/contract";
import { IconNotes } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { formatDayLabel, formatTime } from "../../i18n/format.ts";
import { useTranslation } from "../../i18n/index.ts";
import { MessageBubble } from "./message-bubble.tsx";
import classes from "./message-list.module.css";
import type { MessageRow } from "./message-rows.ts";
import type { TimelineEntry } from "./timeline.ts";

type Props = {
  row: MessageRow;
  /** Messages of the ticket before the first loaded one. */
  unloaded: number;
  total: number;
  isFlashed: boolean;
  isMenuOpen: boolean;
  onMenuClose: () => void;
  onShowQuoted: (messageId: string) => void;
  onDelete: (message: Message) => void;
};

/** One row of the conversation: a day, the line of unread messages, a step of the attendance, a note, a message. */
export function MessageRowView({ row, unloaded, ...rest }: Props): ReactNode {
  const { t } = useTranslation();
  switch (row.kind) {
    case "day":
      return (
        <div className={classes["day"]}>
          <span>{formatDayLabel(row.at)}</span>
        </div>
      );
    case "unread":
      return (
        <div className={classes["unread"]}>
          <span>{t("messages.unread")}</span>
        </div>
      );
    case "entry":
      return <Entry entry={row.entry} />;
    case "message":
      return (
        <MessageBubble
          {...rest}
          rowKey={row.key}
          item={row.item}
          startsGroup={row.startsGroup}
          endsGroup={row.endsGroup}
          position={unloaded + row.position}
        />
      );
  }
}

function Entry({ entry }: { entry: TimelineEntry }): ReactNode {
  const { t } = useTranslation();
  if (entry.kind === "note") {
    const { note } = entry;
    return (
      <div className={classes["note"]} role="note" aria-label={t("messages.note")}>
        <p className={classes["noteText"]}>{note.note}</p>
        <p className={classes["noteBy"]}>
          <IconNotes size={14} stroke={1.7} aria-hidden="true" />
          {[t("messages.note"), note.user.name, formatTime(note.createdAt)]
            .filter(Boolean)
            .join(", ")}
        </p>
      </div>
    );
  }
  const step = entry.name === null ? t(`messages.steps.${entry.kind}`) : byName(entry.name);
  return (
    <p className={classes["step"]}>
      {step}, <time dateTime={entry.at}>{formatTime(entry.at)}</time>
    </p>
  );

  function byName(name: string): string {
    return entry.kind === "resolved"
      ? t("messages.steps.resolvedBy", { name })
      : t("messages.steps.startedBy", { name });
  }
}
