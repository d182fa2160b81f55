import type { Ticket } from "@balcao/contract";
import { Button } from "@mantine/core";
import { IconAlertCircle, IconRobot, IconUser, IconUsers } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { memo } from "react";
import { Link } from "react-router";
import { formatMoment, formatTime } from "../../i18n/format.ts";
import type { TFunction } from "../../i18n/index.ts";
import { useTranslation } from "../../i18n/index.ts";
import { AppAvatar, QueueDot } from "../../ui/index.ts";
import { AckIcon, plainText, splitSignature } from "../messages/index.ts";
import classes from "./ticket-card.module.css";
import { waitingLabel } from "./waiting-label.ts";

type Props = {
  ticket: Ticket;
  isSelected: boolean;
  /** For admins: who serves it, when it is somebody else. */
  showsUser: boolean;
  isAccepting: boolean;
  nowMs: number;
  onAccept: (ticket: Ticket) => void;
};

const UNREAD_SHOWN_MAX = 99;
/** A card shows one line; a message can be very long. */
const PREVIEW_CHARACTERS = 300;

/** One ticket of the list. A pending one is no link: it has to be accepted first (spec 2, tickets area). */
export const TicketCard = memo(function TicketCard(props: Props): ReactNode {
  const { ticket, isSelected, showsUser, isAccepting, nowMs, onAccept } = props;
  const { t } = useTranslation();
  const { contact, unreadMessages } = ticket;
  const when = whenOf(t, ticket, nowMs);
  return (
    <article
      className={classes["card"]}
      data-selected={isSelected || undefined}
      data-unread={unreadMessages > 0 || undefined}
      data-pending={ticket.status === "pending" || undefined}
    >
      <span className={classes["avatar"]}>
        <AppAvatar name={contact.name} id={contact.id} />
        {ticket.isGroup ? (
          <span className={classes["group"]} role="img" aria-label={t("tickets.group")}>
            <IconUsers size={12} stroke={1.7} aria-hidden="true" />
          </span>
        ) : null}
      </span>
      <div className={classes["body"]}>
        <div className={classes["line"]}>
          {ticket.status === "pending" ? (
            <span className={classes["name"]}>{contact.name}</span>
          ) : (
            <Link
              to={`/tickets/${ticket.uuid}`}
              className={classes["name"]}
              aria-label={describe(t, ticket, when.spoken)}
              aria-current={isSelected ? "page" : undefined}
              data-card-target
            >
              {contact.name}
            </Link>
          )}
          <span className={classes["when"]} data-tone={when.tone}>
            {when.shown}
          </span>
        </div>
        <LastMessage ticket={ticket} />
        <Origin ticket={ticket} showsUser={showsUser} />
        {ticket.status === "pending" ? (
          <div className={classes["actions"]}>
            <Button
              size="xs"
              loading={isAccepting}
              aria-label={t("tickets.acceptNamed", { name: contact.name })}
              data-card-target
              onClick={() => onAccept(ticket)}
            >
              {t("tickets.accept")}
            </Button>
          </div>
        ) : null}
      </div>
    </article>
  );
});

function LastMessage({ ticket }: { ticket: Ticket }): ReactNode {
  const { t } = useTranslation();
  const { unreadMessages, lastMessageFailed, lastMessageFromMe } = ticket;
  const body = ticket.lastMessage.slice(0, PREVIEW_CHARACTERS);
  const text = plainText(lastMessageFromMe ? splitSignature(body).text : body);
  return (
    <div className={`${classes["line"]} ${classes["message"]}`}>
      <span className={classes["last"]}>
        {lastMessageFailed ? (
          <IconAlertCircle
            className={classes["failed"]}
            size={15}
            stroke={1.7}
            aria-hidden="true"
          />
        ) : null}
        {lastMessageFromMe && !lastMessageFailed ? <AckIcon ack={ticket.lastMessageAck} /> : null}
        <span className={classes["text"]}>
          {lastMessageFailed ? t("tickets.notSent", { text }) : text || t("tickets.noMessage")}
        </span>
      </span>
      {unreadMessages > 0 ? (
        <span className={classes["badge"]}>
          <span aria-hidden="true">
            {unreadMessages > UNREAD_SHOWN_MAX ? `${UNREAD_SHOWN_MAX}+` : unreadMessages}
          </span>
          <span className="bc-hidden-text">{t("tickets.unread", { count: unreadMessages })}</span>
        </span>
      ) : null}
    </div>
  );
}

/** Where it came from and who has it: queue, connection, chatbot, agent. */
function Origin({ ticket, showsUser }: { ticket: Ticket; showsUser: boolean }): ReactNode {
  const { t } = useTranslation();
  return (
    <div className={classes["origin"]}>
      <span className={classes["part"]}>
        <QueueDot color={ticket.queue?.color ?? "var(--bc-line2)"} />
        <span className={classes["cut"]}>{ticket.queue?.name ?? t("tickets.noQueue")}</span>
      </span>
      {ticket.whatsapp ? (
        <span className={`${classes["cut"]} ${classes["connection"]}`}>{ticket.whatsapp.name}</span>
      ) : null}
      {ticket.chatbot ? (
        <span className={classes["part"]}>
          <IconRobot size={13} stroke={1.7} aria-hidden="true" />
          {t("tickets.chatbot")}
        </span>
      ) : null}
      {showsUser && ticket.user ? (
        <span
          className={`${classes["part"]} ${classes["user"]}`}
          title={t("tickets.servedBy", { name: ticket.user.name })}
        >
          <IconUser size={13} stroke={1.7} aria-hidden="true" />
          <span className={classes["cut"]}>{ticket.user.name}</span>
        </span>
      ) : null}
    </div>
  );
}

type When = { shown: string; spoken: string; tone: "ok" | "warn" | "bad" | undefined };

function whenOf(t: TFunction, ticket: Ticket, nowMs: number): When {
  const at = ticket.lastMessageAt ?? ticket.updatedAt;
  const waiting = ticket.status === "closed" ? null : waitingLabel(Date.parse(at), nowMs);
  if (waiting) {
    const spokenKeys = {
      minutes: "tickets.sinceMinutes",
      hours: "tickets.sinceHours",
      days: "tickets.sinceDays",
    } as const;
    return {
      shown: t(`tickets.${waiting.unit}`, { value: waiting.value }),
      spoken: t(spokenKeys[waiting.unit], { count: waiting.value }),
      tone: waiting.tone,
    };
  }
  const shown = ticket.status === "closed" ? formatMoment(at, nowMs) : formatTime(at);
  return { shown, spoken: t("tickets.lastAt", { when: shown }), tone: undefined };
}

/** The card in words: contact, unread count, waiting time, queue (ui.md section 5). */
function describe(t: TFunction, ticket: Ticket, when: string): string {
  const parts = [ticket.contact.name];
  if (ticket.unreadMessages > 0) parts.push(t("tickets.unread", { count: ticket.unreadMessages }));
  parts.push(when);
  parts.push(
    ticket.queue ? t("tickets.queueNamed", { name: ticket.queue.name }) : t("tickets.noQueue"),
  );
  return parts.join(", ");
}
