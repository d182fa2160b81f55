import { IconUpload } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { createPortal } from "react-dom";
import { useTranslation } from "../../i18n/index.ts";
import classes from "./drop-overlay.module.css";
import type { DropZone } from "./use-file-drop.ts";

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
