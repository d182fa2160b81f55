import type { Announcement, AnnouncementPriority } from "@balcao/contract";
import type { Icon } from "@tabler/icons-react";
import { IconAlertCircle, IconAlertTriangle, IconInfoCircle } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useLayoutEffect, useRef, useState } from "react";
import { formatDayLabel, formatTime } from "../../i18n/format.ts";
import { useTranslation } from "../../i18n/index.ts";
import classes from "./announcement-card.module.css";

const icons: Readonly<Record<AnnouncementPriority, Icon>> = {
  1: IconAlertCircle,
  2: IconAlertTriangle,
  3: IconInfoCircle,
};

/** The priority as icon and word. */
export function PriorityMark({ priority }: { priority: AnnouncementPriority }): ReactNode {
  const { t } = useTranslation();
  const Sign = icons[priority];
  return (
    <span className={classes["priority"]} data-priority={priority}>
      <Sign size={15} stroke={1.7} aria-hidden="true" />
      {t(`announcements.priority${priority}`)}
    </span>
  );
}

type Props = {
  announcement: Pick<Announcement, "title" | "text" | "priority" | "mediaPath"> & {
    /** Null: only a preview. */
    publishedAt: string | null;
  };
  isNew: boolean;
  /** Null: the image cannot be opened. */
  onImage: (() => void) | null;
};

/** One announcement as everybody reads it. Its text is text: only line breaks and links are more than that. */
export function AnnouncementCard({ announcement, isNew, onImage }: Props): ReactNode {
  const { t } = useTranslation();
  const { title, text, priority, mediaPath, publishedAt } = announcement;
  const image =
    mediaPath === null ? null : (
      <img className={classes["image"]} src={mediaPath} alt={title} loading="lazy" />
    );
  return (
    <article className={classes["card"]} data-priority={priority}>
      <p className={classes["head"]}>
        <PriorityMark priority={priority} />
        {publishedAt === null ? null : (
          <time className={classes["time"]} dateTime={publishedAt}>
            {t("announcements.at", {
              day: formatDayLabel(publishedAt).toLocaleLowerCase(),
              time: formatTime(publishedAt),
            })}
          </time>
        )}
        {isNew ? <span className={classes["new"]}>{t("announcements.isNew")}</span> : null}
      </p>
      <h3 className={classes["title"]}>{title}</h3>
      <FoldedText key={text} text={text} />
      {image === null || onImage === null ? (
        image
      ) : (
        <button
          type="button"
          className={classes["open"]}
          aria-label={t("announcements.openImage", { name: title })}
          onClick={onImage}
        >
          {image}
        </button>
      )}
    </article>
  );
}

/** Six lines, and the rest after a press. */
function FoldedText({ text }: { text: string }): ReactNode {
  const { t } = useTranslation();
  const place = useRef<HTMLParagraphElement>(null);
  const [isWhole, setWhole] = useState(false);
  const [isCut, setCut] = useState(false);
  useLayoutEffect(() => {
    const element = place.current;
    if (element && !isWhole) setCut(element.scrollHeight > element.clientHeight + 1);
  }, [isWhole]);
  return (
    <>
      <p ref={place} className={classes["text"]} data-folded={!isWhole || undefined}>
        {linked(text)}
      </p>
      {isCut && !isWhole ? (
        <button type="button" className={classes["readAll"]} onClick={() => setWhole(true)}>
          {t("announcements.readAll")}
        </button>
      ) : null}
    </>
  );
}

const address = /https?:\/\/[^\s<>"]+/g;
/** The sentence around an address goes on behind it. */
const sentenceEnd = /[.,;:!?'")\]}]+$/;

/** The text with its web addresses as links. */
function linked(text: string): ReactNode[] {
  const parts: ReactNode[] = [];
  let end = 0;
  for (const { 0: found, index } of text.matchAll(address)) {
    const href = found.replace(sentenceEnd, "");
    parts.push(
      text.slice(end, index),
      <a key={index} href={href} target="_blank" rel="noopener noreferrer">
        {href}
      </a>,
    );
    end = index + href.length;
  }
  return [...parts, text.slice(end)];
}
