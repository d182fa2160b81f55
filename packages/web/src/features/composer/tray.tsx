import { limits } from "@balcao/contract/limits";
import {
  IconArrowDown,
  IconArrowUp,
  IconFile,
  IconMusic,
  IconUpload,
  IconX,
} from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useRef } from "react";
import { createPortal } from "react-dom";
import { useTranslation } from "../../i18n/index.ts";
import { IconButton } from "../../ui/index.ts";
import { formatBytes } from "../messages/index.ts";
import type { Tray as TrayContent, TrayFile } from "./tray-store.ts";
import { captionFile, dismissRefused, moveInTray, removeFromTray } from "./tray-store.ts";
import classes from "./tray.module.css";
import type { DropZone } from "./use-composer-text.ts";

type Props = {
  ticketId: number;
  tray: TrayContent;
  onSend: () => void;
  /** Called when the last file was removed, so the focus needs a new place. */
  onEmptied: () => void;
};

/** The files to send, in order, each with its caption. */
export function Tray({ ticketId, tray, onSend, onEmptied }: Props): ReactNode {
  const { t } = useTranslation();
  const listRef = useRef<HTMLUListElement>(null);

  function remove(id: string, index: number): void {
    removeFromTray(ticketId, id);
    if (tray.files.length === 1) {
      onEmptied();
      return;
    }
    const rows = listRef.current?.children;
    const neighbour = rows?.[index + 1] ?? rows?.[index - 1];
    neighbour?.querySelector("input")?.focus({ preventScroll: true });
  }

  return (
    <div className={classes["tray"]}>
      {tray.refused.length === 0 ? null : (
        <div className={classes["refused"]} role="alert">
          <ul>
            {tray.refused.map(({ name, code }) => (
              <li key={`${name} ${code}`}>
                <strong>{name}</strong> {t(`errors.${code}`)}
              </li>
            ))}
          </ul>
          <IconButton
            size="small"
            icon={IconX}
            label={t("composer.dismiss")}
            onClick={() => dismissRefused(ticketId)}
          />
        </div>
      )}
      {tray.files.length === 0 ? null : (
        <ul ref={listRef} className={classes["files"]} aria-label={t("composer.tray")}>
          {tray.files.map((one, index) => (
            <TrayRow
              key={one.id}
              ticketId={ticketId}
              one={one}
              isFirst={index === 0}
              isLast={index === tray.files.length - 1}
              onSend={onSend}
              onRemove={() => remove(one.id, index)}
            />
          ))}
        </ul>
      )}
    </div>
  );
}

type RowProps = {
  ticketId: number;
  one: TrayFile;
  isFirst: boolean;
  isLast: boolean;
  onSend: () => void;
  onRemove: () => void;
};

function TrayRow({ ticketId, one, isFirst, isLast, onSend, onRemove }: RowProps): ReactNode {
  const { t } = useTranslation();
  const { name, size } = one.file;
  return (
    <li className={classes["row"]}>
      <FilePreview one={one} />
      <div className={classes["about"]}>
        <span className={classes["name"]} title={name}>
          {name}
        </span>
        <span className={classes["size"]}>{formatBytes(size)}</span>
        <input
          className={classes["caption"]}
          value={one.caption}
          maxLength={limits.messageBodyMax}
          placeholder={t("composer.captionHint")}
          aria-label={t("composer.caption", { name })}
          onChange={(event) => captionFile(ticketId, one.id, event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.nativeEvent.isComposing) return;
            event.preventDefault();
            onSend();
          }}
        />
      </div>
      {isFirst && isLast ? null : (
        <span className={classes["order"]}>
          <IconButton
            size="small"
            icon={IconArrowUp}
            label={t("composer.fileUp", { name })}
            disabled={isFirst}
            onClick={() => moveInTray(ticketId, one.id, -1)}
          />
          <IconButton
            size="small"
            icon={IconArrowDown}
            label={t("composer.fileDown", { name })}
            disabled={isLast}
            onClick={() => moveInTray(ticketId, one.id, 1)}
          />
        </span>
      )}
      <IconButton
        size="small"
        icon={IconX}
        label={t("composer.removeFile", { name })}
        onClick={onRemove}
      />
    </li>
  );
}

function FilePreview({ one }: { one: TrayFile }): ReactNode {
  if (one.previewUrl !== null && one.kind === "image") {
    return <img className={classes["preview"]} src={one.previewUrl} alt="" />;
  }
  if (one.previewUrl !== null) {
    return <video className={classes["preview"]} src={one.previewUrl} preload="metadata" muted />;
  }
  const FileIcon = one.kind === "audio" || one.kind === "voice" ? IconMusic : IconFile;
  return (
    <span className={classes["preview"]}>
      <FileIcon size={19} stroke={1.7} aria-hidden="true" />
    </span>
  );
}

/** Marks the conversation while files hover over it. */
export function DropOverlay({ zone }: { zone: DropZone }): ReactNode {
  const { t } = useTranslation();
  return createPortal(
    <div className={classes["overlay"]} style={zone}>
      <span className={classes["word"]}>
        <IconUpload size={19} stroke={1.7} aria-hidden="true" />
        {t("composer.drop")}
      </span>
    </div>,
    document.body,
  );
}
