import type { Ticket } from "@balcao/contract";
import { IconBellOff, IconCircleCheck } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Link } from "../../router/index.tsx";
import { formatMoment } from "../../i18n/format.ts";
import { useTranslation } from "../../i18n/index.ts";
import { AppAvatar, EmptyState, QueueDot } from "../../ui/index.ts";
import { addressOf, stateOf } from "./notifier.tsx";
import { useDesktopPermission } from "./desktop-permission.ts";
import classes from "./unread-list.module.css";
import { useUnreadTickets } from "./unread-tickets.ts";
import { Button } from "../../ui/button.tsx";

/** The tickets with unread messages, newest first, each with a link to where it can be answered or accepted. */
export function UnreadList({ onChosen }: { onChosen: () => void }): ReactNode {
  const { t } = useTranslation();
  const { tickets, count } = useUnreadTickets();
  return (
    <section className={classes["list"]} aria-label={t("notifications.title")}>
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
