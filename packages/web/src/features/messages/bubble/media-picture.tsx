import type { Media, Message } from "@balcao/contract";
import { IconCloudDown, IconFileOff, IconPhotoX, IconPlayerPlayFilled } from "@tabler/icons-react";
import type { CSSProperties, ReactNode } from "react";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "../../../i18n/index.ts";
import { useLiveStatus } from "../../../realtime/index.ts";
import { useConversation } from "../list/conversation.ts";
import classes from "./cards.module.css";
import { formatDuration, pictureSize } from "./message-content.ts";

/** A picture, video or sticker. Its space is reserved before it loads, so that nothing moves. */
export function MediaPicture({ message, media }: { message: Message; media: Media }): ReactNode {
  const { t } = useTranslation();
  const { onOverlay } = useConversation();
  const [failedUrl, setFailedUrl] = useState<string | null>(null);
  const { widthPx, heightPx } = pictureSize(media);
  const style: CSSProperties = { width: widthPx, aspectRatio: `${widthPx} / ${heightPx}` };
  const isVideo = media.kind === "video";
  const isSticker = media.kind === "sticker";
  // A sticker may be animated, its thumbnail is not; a video is no picture.
  const still = isVideo ? media.thumbnailUrl : (media.thumbnailUrl ?? media.url);
  const shown = isSticker ? media.url : still;

  if (media.state !== "ready") {
    return (
      <div className={classes["room"]} style={style}>
        <MediaWait media={media} />
      </div>
    );
  }
  if (!isVideo && (shown === null || shown === failedUrl)) {
    return (
      <div className={classes["room"]} style={style}>
        <FailedPicture name={media.name} onRetry={() => setFailedUrl(null)} />
      </div>
    );
  }
  const picture =
    shown === null || shown === failedUrl ? null : (
      <img
        src={shown}
        alt={isSticker ? t("messages.kinds.sticker") : ""}
        className={classes["picture"]}
        data-fit={isSticker ? "contain" : "cover"}
        draggable={false}
        onError={() => setFailedUrl(shown)}
      />
    );
  if (isSticker) {
    return (
      <div className={classes["sticker"]} style={style}>
        {picture}
      </div>
    );
  }
  const kind = t(`messages.kinds.${media.kind}`);
  return (
    <button
      type="button"
      className={classes["room"]}
      style={style}
      aria-label={t("messages.openMedia", { kind })}
      data-media={message.id}
      onClick={() => onOverlay({ kind: "view", message })}
    >
      {picture}
      {isVideo ? (
        <span className={classes["play"]}>
          <IconPlayerPlayFilled size={20} aria-hidden="true" />
        </span>
      ) : null}
      {isVideo && media.durationMs !== null ? (
        <span className={classes["length"]}>{formatDuration(media.durationMs)}</span>
      ) : null}
    </button>
  );
}

/** In place of a picture that could not be loaded. It is tried again by its button, and when the line is back. */
function FailedPicture({ name, onRetry }: { name: string; onRetry: () => void }): ReactNode {
  const { t } = useTranslation();
  const isOnline = useLiveStatus().state === "online";
  const wasOnline = useRef(isOnline);
  useEffect(() => {
    if (isOnline && !wasOnline.current) onRetry();
    wasOnline.current = isOnline;
  });
  return (
    <span className={classes["missing"]} role="group" aria-label={name}>
      <IconPhotoX size={24} stroke={1.5} aria-hidden="true" />
      <span className={classes["missingName"]}>{name}</span>
      {t("messages.mediaFailed")}
      <button type="button" className={classes["missingRetry"]} onClick={onRetry}>
        {t("common.retry")}
      </button>
    </span>
  );
}

/** The placeholder of a file that is loading from the chat network or unavailable. */
export function MediaWait({ media }: { media: Media }): ReactNode {
  const { t } = useTranslation();
  const isLoading = media.state === "loading";
  const WaitIcon = isLoading ? IconCloudDown : IconFileOff;
  return (
    <span className={classes["wait"]} data-loading={isLoading || undefined}>
      <WaitIcon size={22} stroke={1.5} aria-hidden="true" />
      {t(isLoading ? "messages.mediaLoading" : "messages.mediaUnavailable")}
    </span>
  );
}
