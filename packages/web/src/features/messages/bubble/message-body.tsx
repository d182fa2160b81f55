import type { Media, Message } from "@balcao/contract";
import { IconX } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Suspense } from "react";
import { useTranslation } from "../../../i18n/index.ts";
import { lazyPart } from "../../../ui/lazy-part.tsx";
import { discard } from "../list/conversation.ts";
import type { UnsentFile, UnsentMessage } from "../sending/unsent-messages.ts";
import { useIsQueued } from "./below-bubble.tsx";
import pictureClasses from "./cards.module.css";
import classes from "./cards.module.css";
import { DocumentCard } from "./file-card.tsx";
import { MediaPicture } from "./media-picture.tsx";
import { otherContent } from "./message-content.ts";

// Most conversations have none of them.
const AudioPlayer = lazyPart(
  async () => (await import("./audio-player.tsx")).AudioPlayer,
  "inline",
);
const DetailsCard = lazyPart(
  async () => (await import("./cards.tsx")).DetailsCard,
  "inline",
  "first",
);

const OtherCard = lazyPart(async () => (await import("./cards.tsx")).OtherCard, "inline", "first");

/** The content of a message beside its text, such as a file or a card; empty for a text. */
export function MessageBody({ message }: { message: Message }): ReactNode {
  return (
    <>
      <File message={message} />
      <Details message={message} />
      <Other message={message} />
    </>
  );
}

function File({ message }: { message: Message }): ReactNode {
  const { media } = message;
  if (media === null) return null;
  switch (media.kind) {
    case "image":
    case "video":
    case "sticker":
      return <MediaPicture message={message} media={media} />;
    case "audio":
    case "voice":
      return (
        <Suspense fallback={<div className={classes["audioRoom"]} />}>
          <AudioPlayer messageId={message.id} media={media} transcript={message.transcript} />
        </Suspense>
      );
    case "document":
      return <DocumentCard media={media} />;
  }
}

function Details({ message: { details } }: { message: Message }): ReactNode {
  if (details === null) return null;
  // The text of a choice is the message's; the other two are lines of their own.
  if (details.kind === "choice" || details.kind === "call") return null;
  if (details.kind === "number-changed") return null;
  return (
    <Suspense fallback={<div className={classes["cardRoom"]} />}>
      <DetailsCard details={details} />
    </Suspense>
  );
}

/** The words for a kind of message that the product cannot draw, above its text. */
function Other({ message }: { message: Message }): ReactNode {
  const other = otherContent(message);
  return other === null ? null : (
    <Suspense fallback={<div className={classes["cardRoom"]} />}>
      <OtherCard kind={other.kind} />
    </Suspense>
  );
}

/** The file of an unsent message with its progress. */
export function UnsentBody({ unsent }: { unsent: UnsentMessage }): ReactNode {
  const { file } = unsent;
  const isQueued = useIsQueued(unsent);
  if (file === null) return null;
  const isPicture = file.kind === "image" && file.previewUrl !== null;
  return (
    <div>
      {isPicture ? (
        <div className={`${pictureClasses["room"]} ${classes["preview"]}`}>
          <img className={pictureClasses["picture"]} src={file.previewUrl ?? ""} alt={file.name} />
        </div>
      ) : (
        <DocumentCard media={asMedia(file)} />
      )}
      {unsent.state === "failed" || isQueued ? null : <Progress unsent={unsent} file={file} />}
    </div>
  );
}

function Progress({ unsent, file }: { unsent: UnsentMessage; file: UnsentFile }): ReactNode {
  const { t } = useTranslation();
  const percent = Math.round(unsent.progress * 100);
  return (
    <div className={classes["progress"]}>
      <progress
        className={classes["bar"]}
        max={100}
        value={percent}
        aria-label={t("messages.uploading", { name: file.name })}
      />
      <span className={classes["percent"]}>{percent} %</span>
      <button
        type="button"
        className={classes["cancel"]}
        aria-label={t("messages.cancelUpload", { name: file.name })}
        title={t("common.cancel")}
        onClick={() => discard({ kind: "unsent", unsent })}
      >
        <IconX size={15} stroke={1.9} aria-hidden="true" />
      </button>
    </div>
  );
}

/** The card of a local file, without a download. */
function asMedia({ name, mime, bytes, kind }: UnsentFile): Media {
  return {
    state: "ready",
    kind,
    name,
    mime,
    bytes,
    width: null,
    height: null,
    durationMs: null,
    waveform: null,
    isViewOnce: false,
    url: null,
    thumbnailUrl: null,
  };
}
