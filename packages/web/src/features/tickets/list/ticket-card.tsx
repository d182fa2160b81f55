import type { ListedTicket, Queue, SearchHit, Ticket } from "@balcao/contract";
import type { Icon } from "@tabler/icons-react";
import {
  IconAlertCircle,
  IconChartBar,
  IconCheck,
  IconCircleCheck,
  IconEye,
  IconFile,
  IconMapPin,
  IconMicrophone,
  IconMusic,
  IconPhone,
  IconPhoto,
  IconPin,
  IconRobot,
  IconSticker,
  IconUser,
  IconUsers,
  IconVideo,
} from "@tabler/icons-react";
import type { ReactNode } from "react";
import { memo, Suspense } from "react";
import { useTranslation } from "../../../i18n/index.ts";
import { Link } from "../../../router/index.tsx";
import { Button } from "../../../ui/button.tsx";
import { AppAvatar, IconButton, QueueDot } from "../../../ui/index.ts";
import { lazyPart } from "../../../ui/lazy-part.tsx";
import { AckIcon, plainText, splitSignature } from "../../messages/index.ts";
import { addressOf, cardName, cardTime, excerptOf, queueOf } from "./card-texts.ts";
import classes from "./ticket-card.module.css";

// Companies without targets never load it.
export const AnswerTarget = lazyPart(
  async () => (await import("./answer-target.tsx")).AnswerTarget,
);
const SnoozeMark = lazyPart(async () => (await import("./filters.tsx")).SnoozeMark);

/** The actions of a card. A stable object, so that cards are not rendered again. */
export type CardActions = Readonly<{
  accept: (ticket: Ticket) => void;
  finish: (ticket: Ticket) => void;
  /** Null if the user may not read waiting conversations. */
  spy: ((ticket: Ticket) => void) | null;
}>;

type Props = {
  ticket: ListedTicket;
  isSelected: boolean;
  /** For admins: shows the agent of a ticket if it is another user. */
  showsUser: boolean;
  /** In a list of all states. */
  showsStatus: boolean;
  /** The company has more than one connection. */
  showsConnection: boolean;
  /** The queue with a target for the answer that the customer waits for. */
  targetQueue: Queue | undefined;
  isAccepting: boolean;
  /** Chosen to be changed together with others. */
  isChosen: boolean;
  nowMs: number;
  actions: CardActions;
  onChoose: (ticketId: number, isRange: boolean) => void;
};

/** One ticket of the list. A pending ticket has no link: it must be accepted first (spec 2, tickets area). */
export const TicketCard = memo(function TicketCard(props: Props): ReactNode {
  const { ticket, isSelected, nowMs, actions } = props;
  const { t } = useTranslation();
  const { contact, status } = ticket;
  const time = cardTime(t, ticket, nowMs);
  return (
    <article
      className={classes["card"]}
      data-selected={isSelected || undefined}
      data-unread={ticket.unreadMessages > 0 || undefined}
      data-status={status}
      data-chosen={props.isChosen || undefined}
    >
      <span className={classes["avatar"]}>
        <AppAvatar name={contact.name} id={contact.id} />
        {ticket.isGroup ? (
          <span className={classes["group"]} role="img" aria-label={t("tickets.group")}>
            <IconUsers size={12} stroke={1.7} aria-hidden="true" />
          </span>
        ) : null}
        <label className={classes["choose"]}>
          <input
            type="checkbox"
            tabIndex={-1}
            aria-label={t("tickets.choose", { name: contact.name })}
            checked={props.isChosen}
            onChange={({ nativeEvent }) =>
              props.onChoose(ticket.id, "shiftKey" in nativeEvent && nativeEvent.shiftKey === true)
            }
          />
        </label>
      </span>
      <div className={classes["lines"]}>
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
          {ticket.isPinned ? (
            <IconPin
              className={classes["pin"]}
              size={14}
              stroke={1.7}
              role="img"
              aria-label={t("tickets.pinned")}
            />
          ) : null}
          <span className={classes["when"]} data-tone={time.tone}>
            {time.shown}
          </span>
        </div>
        <CardMessage ticket={ticket} />
        <Origin {...props} />
        {props.targetQueue ? (
          <div className={classes["target"]}>
            <Suspense fallback={null}>
              <AnswerTarget ticket={ticket} queue={props.targetQueue} nowMs={nowMs} place="card" />
            </Suspense>
          </div>
        ) : null}
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

/** They lie in the third line while the card is in use, so that no card changes its height. */
function WaitingActions({ ticket, isAccepting, actions }: Props): ReactNode {
  const { t } = useTranslation();
  const { name } = ticket.contact;
  const { spy } = actions;
  return (
    <div className={classes["actions"]}>
      {spy === null ? null : (
        <IconButton
          className={classes["spy"]}
          icon={IconEye}
          size="small"
          label={t("tickets.spyNamed", { name })}
          onClick={() => spy(ticket)}
        />
      )}
      <Button
        className={classes["accept"]}
        size="compact"
        loading={isAccepting}
        aria-label={t("tickets.acceptNamed", { name })}
        data-card-target
        onClick={() => actions.accept(ticket)}
      >
        {t("tickets.accept")}
      </Button>
    </div>
  );
}

/** Queue, connection, chatbot and agent of a ticket. */
function Origin({ ticket, showsUser, showsStatus, showsConnection }: Props): ReactNode {
  const { t } = useTranslation();
  const queue = queueOf(ticket);
  const user = showsUser ? (ticket.user ?? ticket.servedUser) : ticket.servedUser;
  return (
    <div className={classes["origin"]}>
      <span className={`${classes["part"]} ${classes["queue"]}`}>
        <QueueDot color={queue?.color ?? "var(--bc-line2)"} />
        <span className={classes["cut"]}>{queue?.name ?? t("tickets.noQueue")}</span>
      </span>
      {showsConnection && ticket.whatsapp ? (
        <span className={`${classes["cut"]} ${classes["connection"]}`}>{ticket.whatsapp.name}</span>
      ) : null}
      {ticket.chatbot ? (
        <span className={classes["part"]}>
          <IconRobot size={13} stroke={1.7} aria-hidden="true" />
          {t("tickets.chatbot")}
        </span>
      ) : null}
      {ticket.snooze === null ? null : (
        <Suspense fallback={null}>
          <SnoozeMark snooze={ticket.snooze} />
        </Suspense>
      )}
      {user ? (
        <span
          className={`${classes["part"]} ${classes["user"]}`}
          title={t("tickets.servedBy", { name: user.name })}
        >
          <IconUser size={13} stroke={1.7} aria-hidden="true" />
          <span className={classes["cut"]}>{user.name}</span>
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

const UNREAD_SHOWN_MAX = 99;
/** A card shows one line; a message can be very long. */
const PREVIEW_CHARACTERS = 300;

/** The second line of a card: the found words or the last message, and the unread count. */
function CardMessage({ ticket }: { ticket: ListedTicket }): ReactNode {
  const { t } = useTranslation();
  const { hit, unreadMessages } = ticket;
  return (
    <div className={`${classes["line"]} ${classes["message"]}`}>
      {hit === null ? <LastMessage ticket={ticket} /> : <Found hit={hit} />}
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

function LastMessage({ ticket }: { ticket: ListedTicket }): ReactNode {
  const { t } = useTranslation();
  const { lastMessageFailed, lastMessageFromMe, lastMessageKind } = ticket;
  const body = ticket.lastMessage.slice(0, PREVIEW_CHARACTERS);
  const text = isHidden(ticket)
    ? t("tickets.hiddenMessage")
    : plainText(lastMessageFromMe ? splitSignature(body).text : body);
  return (
    <span className={classes["last"]}>
      {lastMessageFailed ? (
        <IconAlertCircle className={classes["failed"]} size={15} stroke={1.7} aria-hidden="true" />
      ) : null}
      {lastMessageFromMe && !lastMessageFailed ? (
        <AckIcon ack={ticket.lastMessageAck} isUnconfirmed={ticket.lastMessageUnconfirmed} />
      ) : null}
      <KindIcon kind={lastMessageKind} />
      <span className={classes["text"]}>{shownText()}</span>
    </span>
  );

  function shownText(): string {
    if (lastMessageFailed) return t("tickets.notSent", { text });
    if (ticket.lastMessageUnconfirmed) return t("tickets.unconfirmed", { text });
    return text || t("tickets.noMessage");
  }
}

/** The user may not read the last message. */
function isHidden({ lastMessage, lastMessageKind, lastMessageAt }: ListedTicket): boolean {
  return lastMessage === "" && lastMessageKind === "text" && lastMessageAt !== null;
}

function Found({ hit }: { hit: SearchHit }): ReactNode {
  const { t } = useTranslation();
  const { before, match, after } = excerptOf(hit);
  return (
    <span className={classes["last"]}>
      <span className={classes["found"]}>
        {hit.fromMe ? <span className={classes["ours"]}>{t("tickets.foundOurs")} </span> : null}
        {before}
        <mark className={classes["match"]}>{match}</mark>
        {after}
      </span>
    </span>
  );
}

type Kind = Ticket["lastMessageKind"];

const kindIcons: Readonly<Record<Exclude<Kind, "text">, Icon>> = {
  image: IconPhoto,
  video: IconVideo,
  audio: IconMusic,
  voice: IconMicrophone,
  document: IconFile,
  sticker: IconSticker,
  location: IconMapPin,
  contact: IconUser,
  poll: IconChartBar,
  call: IconPhone,
};

/** The icon of a last message that is more than text; its text can be a caption. */
function KindIcon({ kind }: { kind: Kind }): ReactNode {
  const { t } = useTranslation();
  if (kind === "text") return null;
  const KindSign = kindIcons[kind];
  return (
    <span className={classes["kind"]} role="img" aria-label={t(`tickets.kinds.${kind}`)}>
      <KindSign size={15} stroke={1.7} aria-hidden="true" />
    </span>
  );
}
