import type { ListedTicket, Ticket } from "@balcao/contract";
import { Button } from "@mantine/core";
import { IconCheck, IconCircleCheck, IconRobot, IconUser, IconUsers } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { memo } from "react";
import { Link } from "react-router";
import { useTranslation } from "../../i18n/index.ts";
import { AppAvatar, QueueDot } from "../../ui/index.ts";
import { CardMessage } from "./card-message.tsx";
import { addressOf, cardName, cardTime } from "./card-words.ts";
import classes from "./ticket-card.module.css";

/** What can be done on a card; the same object as long as nothing changes, so that cards need not be drawn anew. */
export type CardActions = Readonly<{
  accept: (ticket: Ticket) => void;
  finish: (ticket: Ticket) => void;
  /** Null for who may not read a waiting conversation. */
  spy: ((ticket: Ticket) => void) | null;
}>;

type Props = {
  ticket: ListedTicket;
  isSelected: boolean;
  /** For admins: who serves it, when it is somebody else. */
  showsUser: boolean;
  /** In a list of all states. */
  showsStatus: boolean;
  isAccepting: boolean;
  nowMs: number;
  actions: CardActions;
};

/** One ticket of the list. A pending one is no link: it has to be accepted first (spec 2, tickets area). */
export const TicketCard = memo(function TicketCard(props: Props): ReactNode {
  const { ticket, isSelected, showsUser, showsStatus, nowMs, actions } = props;
  const { t } = useTranslation();
  const { contact, status } = ticket;
  const time = cardTime(t, ticket, nowMs);
  return (
    <article
      className={classes["card"]}
      data-selected={isSelected || undefined}
      data-unread={ticket.unreadMessages > 0 || undefined}
      data-status={status}
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
          {status === "pending" ? (
            <span className={classes["name"]}>{contact.name}</span>
          ) : (
            <Link
              to={addressOf(ticket)}
              className={classes["name"]}
              aria-label={cardName(t, ticket, time.spoken)}
              aria-current={isSelected ? "page" : undefined}
              data-card-target
            >
              {contact.name}
            </Link>
          )}
          <span className={classes["when"]} data-tone={time.tone}>
            {time.shown}
          </span>
        </div>
        <CardMessage ticket={ticket} />
        <Origin ticket={ticket} showsUser={showsUser} showsStatus={showsStatus} />
        {status === "pending" ? <WaitingActions {...props} /> : null}
      </div>
      {status === "open" ? (
        <button
          type="button"
          className={classes["finish"]}
          aria-label={t("tickets.finishNamed", { name: contact.name })}
          title={`${t("tickets.finish")} (Alt R)`}
          onClick={() => actions.finish(ticket)}
        >
          <IconCircleCheck size={17} stroke={1.7} aria-hidden="true" />
        </button>
      ) : null}
    </article>
  );
});

function WaitingActions({ ticket, isAccepting, actions }: Props): ReactNode {
  const { t } = useTranslation();
  const { name } = ticket.contact;
  const { spy } = actions;
  return (
    <div className={classes["actions"]}>
      <Button
        size="xs"
        loading={isAccepting}
        aria-label={t("tickets.acceptNamed", { name })}
        data-card-target
        onClick={() => actions.accept(ticket)}
      >
        {t("tickets.accept")}
      </Button>
      {spy === null ? null : (
        <Button
          size="xs"
          variant="default"
          aria-label={t("tickets.spyNamed", { name })}
          onClick={() => spy(ticket)}
        >
          {t("tickets.spy")}
        </Button>
      )}
    </div>
  );
}

/** Where it came from and who has it: queue, connection, chatbot, agent. */
function Origin(props: Pick<Props, "ticket" | "showsUser" | "showsStatus">): ReactNode {
  const { ticket, showsUser, showsStatus } = props;
  const { t } = useTranslation();
  return (
    <div className={classes["origin"]}>
      <span className={`${classes["part"]} ${classes["queue"]}`}>
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
      {showsStatus && ticket.status === "closed" ? (
        <span className={classes["part"]}>
          <IconCheck size={13} stroke={1.7} aria-hidden="true" />
          {t("tickets.resolved")}
        </span>
      ) : null}
    </div>
  );
}
