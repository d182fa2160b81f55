import type { MentionNotice, Ticket } from "@balcao/contract";
import { IconAt, IconBellOff, IconCircleCheck } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Link } from "../../router/index.tsx";
import { formatMoment } from "../../i18n/format.ts";
import { useTranslation } from "../../i18n/index.ts";
import { AppAvatar, EmptyState, QueueDot } from "../../ui/index.ts";
import { addressOf, stateOf } from "./notifier.tsx";
import { useDesktopPermission } from "./desktop-permission.ts";
import classes from "./unread-list.module.css";
import { useMentions } from "./mentions.ts";
import { useUnreadTickets } from "./unread-tickets.ts";
import { Button } from "../../ui/button.tsx";

/** The notes that mention the user, then the tickets with unread messages, newest first, each with its link. */
export function UnreadList({ onChosen }: { onChosen: () => void }): ReactNode {
  const { t } = useTranslation();
  const { tickets, count } = useUnreadTickets();
  const mentions = useMentions();
  return (
    <section className={classes["list"]} aria-label={t("notifications.title")}>
      {mentions.length === 0 ? null : (
        <>
          <h2 className={classes["title"]}>
            {t("notifications.mentions")}{" "}
            <span className={classes["count"]}>{mentions.length}</span>
          </h2>
          <ul className={classes["rows"]} data-mentions="">
            {mentions.map((mention) => (
              <li key={mention.note.id}>
                <MentionRow mention={mention} onChosen={onChosen} />
              </li>
            ))}
          </ul>
        </>
      )}
      <h2 className={classes["title"]}>
        {t("notifications.title")} <span className={classes["count"]}>{count}</span>
      </h2>
      {tickets.length === 0 ? (
        <EmptyState
          icon={IconCircleCheck}
          title={t("notifications.emptyTitle")}
          text={t("notifications.emptyText")}
        />
      ) : (
        <ul className={classes["rows"]} tabIndex={-1}>
          {tickets.map((ticket) => (
            <li key={ticket.id}>
              <UnreadRow ticket={ticket} onChosen={onChosen} />
            </li>
          ))}
        </ul>
      )}
      <DesktopOffer />
    </section>
  );
}

type MentionRowProps = { mention: MentionNotice; onChosen: () => void };

function MentionRow({ mention, onChosen }: MentionRowProps): ReactNode {
  const { t } = useTranslation();
  const { note, ticketUuid } = mention;
  return (
    <Link className={classes["row"] ?? ""} to={`/tickets/${ticketUuid}`} onClick={onChosen}>
      <AppAvatar name={note.user.name} id={note.userId ?? 0} size={34} />
      <span className="bc-fill">
        <span className={classes["line"]}>
          <span className={classes["name"]}>{note.user.name}</span>
          <span className={classes["time"]}>{formatMoment(note.createdAt)}</span>
        </span>
        <span className={classes["line"]}>
          <span className={classes["message"]}>{note.note}</span>
        </span>
        <span className={classes["foot"]}>
          <IconAt size={14} stroke={1.7} aria-hidden="true" />
          {t("notifications.mentionIn", { name: note.contact.name })}
        </span>
      </span>
    </Link>
  );
}

function UnreadRow({ ticket, onChosen }: { ticket: Ticket; onChosen: () => void }): ReactNode {
  const { t } = useTranslation();
  const { contact, queue, unreadMessages, lastMessage, lastMessageAt, status } = ticket;
  return (
    <Link
      className={classes["row"] ?? ""}
      to={addressOf(ticket)}
      {...stateOf(ticket)}
      onClick={onChosen}
    >
      <AppAvatar name={contact.name} id={contact.id} size={34} />
      <span className="bc-fill">
        <span className={classes["line"]}>
          <span className={classes["name"]}>{contact.name}</span>
          <span className={classes["time"]}>
            {lastMessageAt === null ? "" : formatMoment(lastMessageAt)}
          </span>
        </span>
        <span className={classes["line"]}>
          <span className={classes["message"]}>{lastMessage}</span>
          <span className={classes["unread"]}>
            <span aria-hidden="true">{unreadMessages > 99 ? "99+" : unreadMessages}</span>
            <span className="bc-hidden-text">
              {t("notifications.unread", { count: unreadMessages })}
            </span>
          </span>
        </span>
        <span className={classes["foot"]}>
          {queue === null ? null : <QueueDot color={queue.color} />}
          {queue === null ? t("notifications.noQueue") : queue.name}
          {status === "pending" ? ` · ${t("notifications.waiting")}` : null}
        </span>
      </span>
    </Link>
  );
}

/** Asks for desktop notifications; a refusal can be undone only in the browser's settings. */
function DesktopOffer(): ReactNode {
  const { t } = useTranslation();
  const [permission, ask] = useDesktopPermission();
  if (permission === "granted" || permission === "unsupported") return null;
  return (
    <div className={classes["offer"]}>
      {permission === "denied" ? (
        <p className={classes["refused"]}>
          <IconBellOff size={15} stroke={1.7} aria-hidden="true" />
          {t("notifications.desktopRefused")}
        </p>
      ) : (
        <Button variant="default" size="xs" onClick={() => void ask().catch(reportError)}>
          {t("notifications.allowDesktop")}
        </Button>
      )}
    </div>
  );
}
