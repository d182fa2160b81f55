import "@mantine/core/styles/Modal.layer.css";
import "@mantine/core/styles/ModalBase.layer.css";
import "@mantine/core/styles/Overlay.layer.css";
import { Modal } from "@mantine/core";
import { useMediaQuery, useMounted } from "@mantine/hooks";
import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import classes from "./shortcut-sheet.module.css";
import { shortcutGroups } from "./shortcuts.ts";

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
