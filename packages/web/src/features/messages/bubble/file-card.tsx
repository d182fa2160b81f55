import type { Media, Message } from "@balcao/contract";
import type { Icon } from "@tabler/icons-react";
import {
  IconDownload,
  IconFile,
  IconFileSpreadsheet,
  IconFileText,
  IconFileTypePdf,
  IconFileZip,
} from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "../../../i18n/index.ts";
import { openAt } from "../history/read-history.ts";
import bubbleClasses from "./bubble.module.css";
import classes from "./cards.module.css";
import { fileEnding, formatBytes, previewText, splitSignature } from "./message-content.ts";

type CardProps = {
  icon: Icon;
  /** The link of the card; null if there is nothing to open. */
  href: string | null;
  /** The name that the address is stored under; without it the address opens in a new tab. */
  download?: string;
  children: ReactNode;
};

/** A line with an icon, as a link where there is something to open. */
export function Card({ icon: CardIcon, href, download, children }: CardProps): ReactNode {
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
