import type { Announcement } from "@balcao/contract";
import { Popover } from "@mantine/core";
import { IconCheck } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { ComponentType, ReactNode } from "react";
import { Suspense, useEffect, useState } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { Button } from "../../ui/button.tsx";
import { DialogFrame } from "../../ui/dialogs/dialog-frame.tsx";
import type { IconTargetProps } from "../../ui/index.ts";
import { EmptyState, ListSkeleton } from "../../ui/index.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { AnnouncementCard } from "./announcement-card.tsx";
import { announcementPages, markSeen, shownOnes, unseenQuery } from "./api.ts";
import classes from "./announcements-popover.module.css";

const ImageViewer = lazyPart(
  async () => (await import("../../ui/dialogs/image-viewer.tsx")).ImageViewer,
  "over",
);

/** Announcements that are shown before the user asks for more. */
const SHOWN_FIRST = 3;
const WIDTH_PX = 404;

/** The button and, after a press, the announcements below it. */
export function AnnouncementsPopover(props: { target: ComponentType<IconTargetProps> }): ReactNode {
  const { target: Target } = props;
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const [image, setImage] = useState<Announcement | null>(null);
  const isCovered = image !== null;
  return (
    <>
      <Popover
        opened={isOpen}
        onChange={setOpen}
        position="bottom-end"
        width={WIDTH_PX}
        trapFocus={!isCovered}
        closeOnClickOutside={!isCovered}
        closeOnEscape={!isCovered}
        returnFocus
      >
        <Popover.Target>
          <Target isActive={isOpen} onClick={() => setOpen(!isOpen)} />
        </Popover.Target>
        <Popover.Dropdown className={classes["panel"] ?? ""} aria-label={t("announcements.title")}>
          <AnnouncementList onImage={setImage} />
        </Popover.Dropdown>
      </Popover>
      <ShownImage announcement={image} onClose={() => setImage(null)} />
    </>
  );
}

/** The same in a dialog, where the button is not on the screen. */
export function AnnouncementsDialog({ onClose }: { onClose: () => void }): ReactNode {
  const { t } = useTranslation();
  const [image, setImage] = useState<Announcement | null>(null);
  return (
    <>
      <DialogFrame
        opened
        title={t("announcements.title")}
        onClose={() => {
          if (image === null) onClose();
        }}
      >
        <AnnouncementList onImage={setImage} />
      </DialogFrame>
      <ShownImage announcement={image} onClose={() => setImage(null)} />
    </>
  );
}

type ImageProps = { announcement: Announcement | null; onClose: () => void };

function ShownImage({ announcement, onClose }: ImageProps): ReactNode {
  if (announcement === null || announcement.mediaPath === null) return null;
  const { title, mediaPath, mediaName } = announcement;
  return (
    <Suspense fallback={null}>
      <ImageViewer url={mediaPath} alt={title} name={mediaName ?? title} onClose={onClose} />
    </Suspense>
  );
}

/** By priority, then newest. Opening it marks all as seen; the mark "new" stays until it is closed. */
function AnnouncementList({ onImage }: { onImage: (one: Announcement) => void }): ReactNode {
  const { t } = useTranslation();
  const pages = announcementPages.usePages(shownOnes);
  const newIds = useNewIds();
  const [isWhole, setWhole] = useState(false);
  const { rows, count, error } = pages;
  if (rows === undefined) {
    if (error === null) return <ListSkeleton />;
    return (
      <div className={classes["failed"]} role="alert">
        <p>{t("announcements.failed")}</p>
        <Button variant="default" onClick={pages.retry}>
          {t("common.retry")}
        </Button>
      </div>
    );
  }
  if (rows.length === 0) {
    return <EmptyState icon={IconCheck} title={t("announcements.none")} heading="h2" />;
  }
  const lastNew = rows.findLastIndex(({ id }) => newIds.has(id));
  const shown = isWhole ? rows : rows.slice(0, Math.max(SHOWN_FIRST, lastNew + 1));
  const more = count - shown.length;
  return (
    <section className={classes["list"]} aria-label={t("announcements.title")}>
      <h2 className={classes["title"]}>
        {t("announcements.title")} <span className={classes["count"]}>{count}</span>
      </h2>
      <ul className={classes["rows"]} tabIndex={-1}>
        {shown.map((one) => (
          <li key={one.id}>
            <AnnouncementCard
              announcement={one}
              isNew={newIds.has(one.id)}
              onImage={() => onImage(one)}
            />
          </li>
        ))}
      </ul>
      {more <= 0 ? null : (
        <button
          type="button"
          className={classes["more"]}
          aria-busy={pages.isLoadingMore || undefined}
          onClick={() => (isWhole ? pages.loadMore() : setWhole(true))}
        >
          {t("announcements.more", { count: more })}
        </button>
      )}
    </section>
  );
}

/** What was unseen when the list opened, and what has come since. */
function useNewIds(): ReadonlySet<number> {
  const { data } = useQuery(unseenQuery);
  const [newIds, setNewIds] = useState<ReadonlySet<number>>(new Set());
  const unseen = data?.unseen ?? [];
  if (unseen.some(({ id }) => !newIds.has(id))) {
    setNewIds(new Set([...newIds, ...unseen.map(({ id }) => id)]));
  }
  const unseenIds = unseen.map(({ id }) => id).join();
  useEffect(() => {
    // Without an answer the badge stays, and the next opening says it again.
    if (unseenIds !== "") markSeen().catch(() => undefined);
  }, [unseenIds]);
  return newIds;
}
