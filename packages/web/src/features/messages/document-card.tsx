import type { Media } from "@balcao/contract";
import {
  IconDownload,
  IconFile,
  IconFileSpreadsheet,
  IconFileText,
  IconFileTypePdf,
  IconFileZip,
} from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import classes from "./card.module.css";
import { fileEnding, formatBytes } from "./media-labels.ts";

/** A file that is not shown but had: what it is called, what it is, how large. */
export function DocumentCard({ media }: { media: Media }): ReactNode {
  const { t } = useTranslation();
  const DocumentIcon = icons[sortOf(media)];
  const facts = [fileEnding(media.name), media.bytes > 0 ? formatBytes(media.bytes) : ""];
  const content = (
    <>
      <span className={classes["icon"]}>
        <DocumentIcon size={22} stroke={1.6} aria-hidden="true" />
      </span>
      <span className={classes["words"]}>
        <span className={classes["title"]}>{media.name}</span>
        <span className={classes["line"]}>{stateText()}</span>
      </span>
    </>
  );
  if (media.state !== "ready" || media.url === null) {
    return <div className={classes["card"]}>{content}</div>;
  }
  return (
    <a className={classes["card"]} href={media.url} download={media.name}>
      <span className="bc-hidden-text">{t("messages.download")} </span>
      {content}
      <IconDownload className={classes["act"]} size={19} stroke={1.7} aria-hidden="true" />
    </a>
  );

  function stateText(): string {
    if (media.state === "loading") return t("messages.mediaLoading");
    if (media.state === "unavailable") return t("messages.mediaUnavailable");
    return facts.filter(Boolean).join(", ");
  }
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
