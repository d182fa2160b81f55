import type { Media, MessageDetails, Message } from "@balcao/contract";
import type { Icon } from "@tabler/icons-react";
import {
  IconChartBar,
  IconCheck,
  IconCheckbox,
  IconCopy,
  IconDownload,
  IconEyeOff,
  IconFile,
  IconFileSpreadsheet,
  IconFileText,
  IconFileTypePdf,
  IconFileZip,
  IconMapPin,
  IconMessagePlus,
  IconSpeakerphone,
} from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useState } from "react";
import { useTranslation } from "../../../i18n/index.ts";
import { copyText } from "../../../ui/copy-text.ts";
import { AppAvatar, notifyError } from "../../../ui/index.ts";
import { useConversation } from "../list/conversation.ts";
import classes from "./cards.module.css";
import { fileEnding, formatBytes, previewText, splitSignature } from "./message-content.ts";
import { openAt } from "../history/read-history.ts";
import bubbleClasses from "./bubble.module.css";

type Shared = Extract<MessageDetails, { kind: "contacts" }>["contacts"][number];

/** Shared contacts. Showing one does nothing: only a press starts a conversation. */
export function ContactCards({ contacts }: { contacts: readonly Shared[] }): ReactNode {
  return (
    <div className="bc-column">
      {contacts.map((contact, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- a card's contacts never change their order
        <ContactCard key={index} contact={contact} />
      ))}
    </div>
  );
}

function ContactCard({ contact }: { contact: Shared }): ReactNode {
  const { t } = useTranslation();
  const { onTalkTo } = useConversation();
  const { name, phones } = contact;
  return (
    <div className={classes["contact"]}>
      <AppAvatar name={name} id={phones[0] ?? name} size={36} />
      <div className="bc-column bc-fill">
        <span className={classes["title"]}>{name}</span>
        {phones.map((phone) => (
          <div key={phone} className={classes["phone"]}>
            <span className={classes["line"]}>{phone}</span>
            <span className={classes["actions"]}>
              {onTalkTo === null ? null : (
                <button
                  type="button"
                  className={classes["action"]}
                  aria-label={t("messages.talkToNamed", { name, phone })}
                  onClick={() => onTalkTo({ name, phone })}
                >
                  <IconMessagePlus size={15} stroke={1.7} aria-hidden="true" />
                  {t("messages.talkTo")}
                </button>
              )}
              <CopyButton text={phone} />
            </span>
          </div>
        ))}
      </div>
    </div>
  );
}

function CopyButton({ text }: { text: string }): ReactNode {
  const { t } = useTranslation();
  const [isCopied, setIsCopied] = useState(false);
  const CopyIcon = isCopied ? IconCheck : IconCopy;
  return (
    <button
      type="button"
      className={classes["action"]}
      aria-label={t("messages.copyNamed", { text })}
      onClick={() => {
        copyText(text)
          .then(() => setIsCopied(true))
          .catch(notifyError);
      }}
    >
      <CopyIcon size={15} stroke={1.7} aria-hidden="true" />
      {t(isCopied ? "messages.copied" : "messages.copy")}
    </button>
  );
}

type DetailsOf<K extends MessageDetails["kind"]> = Extract<MessageDetails, { kind: K }>;

type CardProps = {
  icon: Icon;
  /** The link of the card; null if there is nothing to open. */
  href: string | null;
  /** The name that the address is stored under; without it the address opens in a new tab. */
  download?: string;
  children: ReactNode;
};

function Card({ icon: CardIcon, href, download, children }: CardProps): ReactNode {
  const { t } = useTranslation();
  const content = (
    <>
      <span className={classes["icon"]}>
        <CardIcon size={22} stroke={1.6} aria-hidden="true" />
      </span>
      <span className="bc-column bc-fill">{children}</span>
    </>
  );
  if (href === null) return <div className={classes["card"]}>{content}</div>;
  if (download === undefined) {
    return (
      <a className={classes["card"]} href={href} target="_blank" rel="noopener noreferrer">
        {content}
      </a>
    );
  }
  return (
    <a className={classes["card"]} href={href} download={download}>
      <span className="bc-hidden-text">{t("messages.download")} </span>
      {content}
      <IconDownload className={classes["act"]} size={19} stroke={1.7} aria-hidden="true" />
    </a>
  );
}

/** A location. It is a link: showing it sends no request to a map service. */
export function LocationCard({ place }: { place: DetailsOf<"location"> }): ReactNode {
  const { t } = useTranslation();
  const { latitude, longitude, name, address, isLive } = place;
  const coordinates = `${latitude.toFixed(5)}, ${longitude.toFixed(5)}`;
  const kind = t(isLive ? "messages.kinds.liveLocation" : "messages.kinds.location");
  const href = `https://maps.google.com/maps?q=${latitude}%2C${longitude}&z=17`;
  return (
    <Card icon={IconMapPin} href={href}>
      <span className={classes["title"]}>{name || kind}</span>
      <span className={classes["line"]}>{address || coordinates}</span>
      <span className={classes["link"]}>{t("messages.openMap")}</span>
    </Card>
  );
}

/** A poll with its options. The network does not reveal the votes. */
export function PollCard({ poll }: { poll: DetailsOf<"poll"> }): ReactNode {
  const { t } = useTranslation();
  return (
    <div className={classes["poll"]}>
      <span className={classes["line"]}>
        <IconChartBar size={15} stroke={1.7} aria-hidden="true" /> {t("messages.kinds.poll")}
        {poll.severalAllowed ? `, ${t("messages.pollSeveral")}` : ""}
      </span>
      <span className={classes["title"]}>{poll.question}</span>
      <ul className={classes["options"]}>
        {poll.options.map((option) => (
          <li key={option}>{option}</li>
        ))}
      </ul>
    </div>
  );
}

export function PollVote({ vote }: { vote: DetailsOf<"poll-vote"> }): ReactNode {
  const { t } = useTranslation();
  return (
    <span className={classes["note"]}>
      <IconCheckbox size={15} stroke={1.7} aria-hidden="true" />
      {vote.options.length === 0
        ? t("messages.pollVoteNone")
        : t("messages.pollVote", { options: vote.options.join(", ") })}
    </span>
  );
}

/** A view-once message, which only the phone can show. */
export function ViewOnceNote(): ReactNode {
  const { t } = useTranslation();
  return (
    <span className={classes["note"]}>
      <IconEyeOff size={15} stroke={1.7} aria-hidden="true" /> {t("messages.viewOnceOnPhone")}
    </span>
  );
}

/** The advertisement that led to the conversation. */
export function AdCard({ ad }: { ad: DetailsOf<"ad"> }): ReactNode {
  const { t } = useTranslation();
  // A received address is a link only if it is a web address.
  const href = /^https?:\/\//.test(ad.sourceUrl) ? ad.sourceUrl : null;
  return (
    <Card icon={IconSpeakerphone} href={href}>
      <span className={classes["line"]}>{t("messages.cameByAd")}</span>
      <span className={classes["title"]}>{ad.title}</span>
      {ad.body === "" ? null : <span className={classes["line"]}>{ad.body}</span>}
    </Card>
  );
}

/** A file to download: its name, type and size. */
export function DocumentCard({ media }: { media: Media }): ReactNode {
  const { t } = useTranslation();
  const { state, name, bytes, url } = media;
  const states = {
    ready: [fileEnding(name), bytes > 0 ? formatBytes(bytes) : ""].filter(Boolean).join(", "),
    loading: t("messages.mediaLoading"),
    unavailable: t("messages.mediaUnavailable"),
  };
  return (
    <Card icon={icons[sortOf(media)]} href={state === "ready" ? url : null} download={name}>
      <span className={classes["title"]}>{name}</span>
      <span className={classes["line"]}>{states[state]}</span>
    </Card>
  );
}

const icons = {
  pdf: IconFileTypePdf,
  archive: IconFileZip,
  table: IconFileSpreadsheet,
  text: IconFileText,
  other: IconFile,
};

function sortOf({ mime, name }: Media): keyof typeof icons {
  if (mime === "application/pdf") return "pdf";
  if (/zip|compressed|rar|7z/.test(mime)) return "archive";
  if (/sheet|excel|csv/.test(mime) || name.endsWith(".csv")) return "table";
  return /^text\/|word|document/.test(mime) ? "text" : "other";
}

type QuoteProps = {
  quoted: NonNullable<Message["quotedMsg"]>;
  customerName: string;
  ticketId: number;
};

/** The quoted message in two lines; a press shows it in the conversation. */
export function Quote({ quoted, customerName, ticketId }: QuoteProps): ReactNode {
  const { t } = useTranslation();
  const author = quoted.fromMe
    ? (splitSignature(quoted.body).author ?? t("messages.quotedOurs"))
    : (quoted.contact?.name ?? customerName);
  const thumbnailUrl = quoted.isDeleted ? null : (quoted.media?.thumbnailUrl ?? null);
  return (
    <button
      type="button"
      className={bubbleClasses["quote"]}
      title={t("messages.showQuoted")}
      onClick={() => openAt(ticketId, quoted.id)}
    >
      <span className="bc-fill">
        <span className={bubbleClasses["quoteAuthor"]}>{author}</span>
        <span className={bubbleClasses["quoteText"]}>{previewText(t, quoted)}</span>
      </span>
      {thumbnailUrl === null ? null : (
        <img className={bubbleClasses["thumbnail"]} src={thumbnailUrl} alt="" draggable={false} />
      )}
    </button>
  );
}
