import type { ListedTicket, SearchHit } from "@balcao/contract";
import { IconAlertCircle } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { AckIcon, plainText, splitSignature } from "../messages/index.ts";
import { excerptOf } from "./found-excerpt.ts";
import { KindIcon } from "./kind-icon.tsx";
import classes from "./ticket-card.module.css";

const UNREAD_SHOWN_MAX = 99;
/** A card shows one line; a message can be very long. */
const PREVIEW_CHARACTERS = 300;

/** The second line of a card: what was found, else the last message; and how many are unread. */
export function CardMessage({ ticket }: { ticket: ListedTicket }): ReactNode {
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
  const text = plainText(lastMessageFromMe ? splitSignature(body).text : body);
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
