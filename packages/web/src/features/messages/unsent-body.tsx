import type { Media } from "@balcao/contract";
import { IconX } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { useConversation } from "./conversation-context.ts";
import { DocumentCard } from "./document-card.tsx";
import pictureClasses from "./media-picture.module.css";
import type { UnsentFile, UnsentMessage } from "./unsent-messages.ts";
import classes from "./unsent-body.module.css";

/** The file of a message on its way, and how far it has got. */
export function UnsentBody({ unsent }: { unsent: UnsentMessage }): ReactNode {
  const { file } = unsent;
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
      {unsent.state === "failed" ? null : <Progress unsent={unsent} file={file} />}
    </div>
  );
}

function Progress({ unsent, file }: { unsent: UnsentMessage; file: UnsentFile }): ReactNode {
  const { t } = useTranslation();
  const { onDiscard } = useConversation();
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
        onClick={() => onDiscard({ kind: "unsent", unsent })}
      >
        <IconX size={15} stroke={1.9} aria-hidden="true" />
      </button>
    </div>
  );
}

/** A file of this browser as a card shows it: there is nothing to download yet. */
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
