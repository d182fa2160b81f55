import "@mantine/core/styles/Modal.layer.css";
import "@mantine/core/styles/ModalBase.layer.css";
import "@mantine/core/styles/Overlay.layer.css";
import { Modal } from "@mantine/core";
import { useMediaQuery, useMounted } from "@mantine/hooks";
import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import classes from "./shortcut-sheet.module.css";

type Props = { isOpen: boolean; onClose: () => void };

/** Every key of the product and what it does. */
export function ShortcutSheet({ isOpen, onClose }: Props): ReactNode {
  const { t } = useTranslation();
  const isNarrow = useMediaQuery("(max-width: 599px)");
  const isMounted = useMounted();
  return (
    <Modal
      opened={isMounted && isOpen}
      onClose={onClose}
      title={t("palette.sheetTitle")}
      size={640}
      centered
      fullScreen={isNarrow}
      closeButtonProps={{ "aria-label": t("common.close") }}
    >
      <div className={classes["groups"]}>
        {shortcutGroups.map(({ title, rows }) => (
          <section key={title}>
            <h3 className={classes["title"]}>{t(title)}</h3>
            <dl className={classes["rows"]}>
              {rows.map(({ keys, label }) => (
                <div key={label} className={classes["row"]}>
                  <dt className={classes["keys"]}>
                    {keys.map((key) => (
                      <kbd key={key} className={classes["key"]}>
                        {key}
                      </kbd>
                    ))}
                  </dt>
                  <dd className={classes["label"]}>{t(label)}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Modal>
  );
}

/** Every key of the product by what it is for (ui.md section 4), for the list that "?" opens. */
const shortcutGroups = [
  {
    title: "palette.groups.everywhere",
    rows: [
      { keys: ["Ctrl K"], label: "palette.keys.palette" },
      { keys: ["?"], label: "palette.keys.sheet" },
      { keys: ["Esc"], label: "palette.keys.escape" },
      { keys: ["Tab"], label: "palette.keys.skip" },
    ],
  },
  {
    title: "palette.groups.list",
    rows: [
      { keys: ["Alt ↓", "Alt ↑"], label: "palette.keys.step" },
      { keys: ["Alt 1", "Alt 2", "Alt 3"], label: "palette.keys.tabs" },
      { keys: ["↑", "↓", "Home", "End"], label: "palette.keys.move" },
      { keys: ["Alt A"], label: "palette.keys.accept" },
    ],
  },
  {
    title: "palette.groups.ticket",
    rows: [
      { keys: ["Alt R"], label: "palette.keys.resolve" },
      { keys: ["Alt T"], label: "palette.keys.transfer" },
      { keys: ["Alt I"], label: "palette.keys.contact" },
      { keys: ["Alt S"], label: "palette.keys.schedule" },
      { keys: ["R"], label: "palette.keys.reply" },
      { keys: ["M"], label: "palette.keys.menu" },
    ],
  },
  {
    title: "palette.groups.composer",
    rows: [
      { keys: ["Enter", "Ctrl Enter"], label: "palette.keys.send" },
      { keys: ["Shift Enter"], label: "palette.keys.newLine" },
      { keys: ["↑"], label: "palette.keys.editLast" },
      { keys: ["/"], label: "palette.keys.quickReplies" },
    ],
  },
] as const;
