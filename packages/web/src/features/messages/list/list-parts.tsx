import type { TicketNote } from "@balcao/contract";
import { IconArrowDown, IconDots, IconNote } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Fragment, Suspense } from "react";
import { formatDayLabel, formatTime } from "../../../i18n/format.ts";
import { useTranslation } from "../../../i18n/index.ts";
import { IconButton } from "../../../ui/index.ts";
import { OnDemand } from "../../../ui/on-demand.tsx";
import { useSession } from "../../auth/index.ts";
import { LazyNoteMenu, notePieces } from "../../notes/index.ts";
import type { PageSide } from "../api.ts";
import { lazyPart } from "../../../ui/lazy-part.tsx";
import { SafePart } from "../../../ui/safe-part.tsx";
import { MessageBubble } from "../bubble/message-bubble.tsx";
import type { TimelineEntry } from "../history/timeline.ts";
import classes from "./list.module.css";
import type { MessageRow } from "./message-rows.ts";
import type { MorePages } from "./virtual-scroll.ts";

const SnoozeLine = lazyPart(async () => (await import("./snooze-line.tsx")).SnoozeLine);

type Props = {
  row: MessageRow;
  /** Messages of the ticket before the first loaded one. */
  unloaded: number;
  total: number;
  isFlashed: boolean;
  isMenuOpen: boolean;
  onMenuClose: () => void;
};

/** One row of the conversation: a day, the line of unread messages or of the wait, a step of the attendance, a note, a message. */
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
    case "waiting":
      return (
        <div className={classes["unread"]} data-waiting="">
          <span>{t("messages.waitingSince", { time: formatTime(row.at) })}</span>
        </div>
      );
    case "entry":
      return <Entry entry={row.entry} />;
    case "message":
      return (
        <SafePart of={row.item} text={t("messages.broken")}>
          <MessageBubble
            {...rest}
            rowKey={row.key}
            item={row.item}
            startsGroup={row.startsGroup}
            endsGroup={row.endsGroup}
            showsAuthor={row.showsAuthor}
            position={unloaded + row.position}
          />
        </SafePart>
      );
  }
}

function Entry({ entry }: { entry: TimelineEntry }): ReactNode {
  const { t } = useTranslation();
  if (entry.kind === "note") return <Note note={entry.note} />;
  if ("snooze" in entry) {
    return (
      <p className={classes["step"]}>
        <Suspense fallback={<>&nbsp;</>}>
          <SnoozeLine kind={entry.kind} snooze={entry.snooze} />
        </Suspense>
        , <time dateTime={entry.at}>{formatTime(entry.at)}</time>
      </p>
    );
  }
  const step = entry.name === null ? t(`messages.steps.${entry.kind}`) : byName(entry.name);
  return (
    <p className={classes["step"]}>
      {step}
      {entry.reason === undefined
        ? null
        : ` (${t("messages.steps.reason", { reason: entry.reason })})`}
      , <time dateTime={entry.at}>{formatTime(entry.at)}</time>
    </p>
  );

  function byName(name: string): string {
    return entry.kind === "resolved"
      ? t("messages.steps.resolvedBy", { name })
      : t("messages.steps.startedBy", { name });
  }
}

/** A note of the team: never a bubble, because the customer does not see it. */
function Note({ note }: { note: TicketNote }): ReactNode {
  const { t } = useTranslation();
  const { user, can } = useSession();
  return (
    <div className={classes["note"]} role="note" aria-label={t("messages.note")}>
      <p className={classes["noteBy"]}>
        <IconNote size={15} stroke={1.7} aria-hidden="true" />
        <strong>{note.user.name}</strong>
        {t("messages.noteAt", { time: formatTime(note.createdAt) })}
        {note.updatedAt === note.createdAt ? null : ` (${t("messages.edited")})`}
      </p>
      <p className={classes["noteText"]}>
        {notePieces(note.note, note.mentions).map(({ text, isMention }, index) =>
          // The pieces of a text have no other identity than their place.
          // oxlint-disable-next-line react/no-array-index-key
          isMention ? <mark key={index}>{text}</mark> : <Fragment key={index}>{text}</Fragment>,
        )}
      </p>
      {note.userId === user.id || can("notes:delete-any") ? (
        <span className={classes["noteMenu"]}>
          <OnDemand
            part={LazyNoteMenu}
            standIn={
              <IconButton
                size="small"
                icon={IconDots}
                label={t("messages.noteOptions")}
                aria-haspopup="menu"
                aria-expanded={false}
              />
            }
          >
            <LazyNoteMenu note={note} />
          </OnDemand>
        </span>
      ) : null}
    </div>
  );
}

/** Shows that a page is loading or failed to load. */
export function MorePagesNotice({ side, pages }: { side: PageSide; pages: MorePages }): ReactNode {
  const { t } = useTranslation();
  if (!pages.isPending && !pages.isError) return null;
  return (
    <div className={classes["older"]} data-side={side} role="status">
      {pages.isError ? t(`messages.${side}Failed`) : t(`messages.${side}Loading`)}
      {pages.isError ? (
        <button type="button" className="bc-retry" onClick={pages.retry}>
          {t("common.retry")}
        </button>
      ) : null}
    </div>
  );
}

/** The button to the newest message, with the number of new ones. */
export function JumpToEnd({ count, onClick }: { count: number; onClick: () => void }): ReactNode {
  const { t } = useTranslation();
  const news = count > 0 ? t("messages.jumpNew", { count }) : null;
  return (
    <button
      type="button"
      className={classes["jump"]}
      aria-label={news === null ? t("messages.jump") : `${t("messages.jump")}, ${news}`}
      onClick={onClick}
    >
      <IconArrowDown size={17} stroke={1.7} aria-hidden="true" />
      {news === null ? null : <span>{news}</span>}
    </button>
  );
}
