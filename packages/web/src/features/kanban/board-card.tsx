import type { BoardCard as Card } from "@balcao/contract";
import { IconAlertCircle, IconDotsVertical } from "@tabler/icons-react";
import type { ComponentProps, KeyboardEvent, PointerEvent, ReactNode } from "react";
import { memo } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { Link } from "../../router/index.tsx";
import { AppAvatar, IconButton, QueueDot } from "../../ui/index.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { OnDemand } from "../../ui/on-demand.tsx";
import { formatPhone } from "../../ui/phone-number.ts";
import { plainText, splitSignature } from "../messages/index.ts";
import { cardTime } from "../tickets/index.ts";
import classes from "./kanban.module.css";

const MoveMenu = lazyPart(
  async () => (await import("./kanban-menus.tsx")).MoveMenu,
  "inline",
  "kanban",
);

/** A card shows two lines; a message can be very long. */
const PREVIEW_CHARACTERS = 200;
const UNREAD_SHOWN_MAX = 99;

/** What a card of the board can do. A stable object, so that cards are not rendered again. */
export type BoardCardActions = Readonly<{
  open: (card: Card) => void;
  move: (ticketId: number, from: number | null, to: number | null) => void;
  pointerDown: (event: PointerEvent<HTMLElement>, card: Card, laneId: number | null) => void;
  key: (event: KeyboardEvent<HTMLElement>, card: Card, laneId: number | null) => void;
}>;

type Props = {
  card: Card;
  laneId: number | null;
  lanes: readonly { id: number | null; name: string; color: string }[];
  isOpen: boolean;
  /** It is lifted: here is its old place. */
  isGap: boolean;
  nowMs: number;
  actions: BoardCardActions;
};

/** One ticket of the board. The whole card opens the panel; its link opens the page of the ticket. */
export const BoardCard = memo(function BoardCard(props: Props): ReactNode {
  const { card, laneId, isOpen, isGap, actions } = props;
  const { t } = useTranslation();
  return (
    <article
      className={classes["card"]}
      data-open={isOpen || undefined}
      data-gap={isGap || undefined}
      data-unread={card.unreadMessages > 0 || undefined}
      onPointerDown={(event) => actions.pointerDown(event, card, laneId)}
    >
      <CardFace card={card} nowMs={props.nowMs}>
        <button
          type="button"
          className={classes["name"]}
          data-card={card.id}
          aria-label={nameOf(t, card)}
          aria-describedby="kanban-keys"
          aria-expanded={isOpen}
          onClick={() => actions.open(card)}
          onKeyDown={(event) => actions.key(event, card, laneId)}
        >
          {card.contact.name}
        </button>
        <span className={classes["more"]} data-own-press>
          <OnDemand
            part={MoveMenu}
            standIn={<More name={card.contact.name} aria-haspopup="menu" aria-expanded={false} />}
          >
            <MoveMenu
              lanes={props.lanes}
              laneId={laneId}
              target={<More name={card.contact.name} />}
              onMove={(to) => actions.move(card.id, laneId, to)}
            />
          </OnDemand>
        </span>
      </CardFace>
    </article>
  );
});

/** The card that follows the pointer. */
export function CardGhost({ card, nowMs }: { card: Card; nowMs: number }): ReactNode {
  return (
    <div className={classes["card"]} data-lifted>
      <CardFace card={card} nowMs={nowMs}>
        <span className={classes["name"]}>{card.contact.name}</span>
      </CardFace>
    </div>
  );
}

function nameOf(t: ReturnType<typeof useTranslation>["t"], card: Card): string {
  const parts = [card.contact.name, t("tickets.number", { id: card.id })];
  if (card.unreadMessages > 0) parts.push(t("tickets.unread", { count: card.unreadMessages }));
  return parts.join(", ");
}

/** `children`: the name, and the menu. */
function CardFace({
  card,
  nowMs,
  children,
}: {
  card: Card;
  nowMs: number;
  children: ReactNode;
}): ReactNode {
  const { t } = useTranslation();
  const { contact, queue, user, unreadMessages } = card;
  const time = cardTime(t, { ...card, hit: null }, nowMs);
  return (
    <>
      <div className={classes["top"]}>
        {children}
        <span className={classes["when"]} data-tone={time.tone}>
          <span aria-hidden="true">{time.shown}</span>
          <span className="bc-hidden-text">{time.spoken}</span>
        </span>
      </div>
      <div className={classes["meta"]}>
        <span>{t("kanban.number", { id: card.id })}</span>
        <span className={classes["cut"]}>
          {contact.number === "" ? "" : formatPhone(contact.number)}
        </span>
      </div>
      <div className={classes["message"]}>
        <LastMessage card={card} />
        {unreadMessages > 0 ? (
          <span className={classes["badge"]} aria-hidden="true">
            {unreadMessages > UNREAD_SHOWN_MAX ? `${UNREAD_SHOWN_MAX}+` : unreadMessages}
          </span>
        ) : null}
      </div>
      <div className={classes["foot"]}>
        <span className={classes["part"]}>
          <QueueDot color={queue?.color ?? "var(--bc-line2)"} />
          <span className={classes["cut"]}>{queue?.name ?? t("tickets.noQueue")}</span>
        </span>
        {user ? (
          <span className={classes["part"]} title={t("tickets.servedBy", { name: user.name })}>
            <AppAvatar name={user.name} id={user.id} size={18} />
            <span className={classes["cut"]}>{user.name.split(" ")[0]}</span>
          </span>
        ) : null}
        <Link
          to={`/tickets/${card.uuid}`}
          className={classes["link"]}
          aria-label={t("kanban.showNamed", { id: card.id })}
          draggable={false}
        >
          {t("kanban.show")}
        </Link>
      </div>
    </>
  );
}

function LastMessage({ card }: { card: Card }): ReactNode {
  const { t } = useTranslation();
  const { lastMessage, lastMessageKind, lastMessageAt, lastMessageFromMe, lastMessageFailed } =
    card;
  const body = lastMessage.slice(0, PREVIEW_CHARACTERS);
  const isHidden = lastMessage === "" && lastMessageKind === "text" && lastMessageAt !== null;
  const plain = plainText(lastMessageFromMe ? splitSignature(body).text : body);
  const kind = lastMessageKind === "text" ? "" : t(`tickets.kinds.${lastMessageKind}`);
  const text = isHidden ? t("tickets.hiddenMessage") : plain || kind || t("tickets.noMessage");
  return (
    <span className={classes["text"]}>
      {lastMessageFailed ? (
        <>
          <IconAlertCircle size={14} stroke={1.7} aria-hidden="true" />{" "}
          {t("tickets.notSent", { text })}
        </>
      ) : (
        text
      )}
    </span>
  );
}

type MoreProps = Omit<ComponentProps<typeof IconButton>, "label" | "icon"> & { name: string };

function More({ name, ...rest }: MoreProps): ReactNode {
  const { t } = useTranslation();
  return (
    <IconButton
      {...rest}
      size="small"
      label={t("kanban.moreNamed", { name })}
      icon={IconDotsVertical}
    />
  );
}
