import { IconMessageOff } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import classes from "./cells.module.css";

/** The content of a cell without a value: a dash, and a word for screen readers. */
export function EmptyCell(): ReactNode {
  const { t } = useTranslation();
  return (
    <>
      <span data-empty="" aria-hidden="true">
        –
      </span>
      <span className="bc-hidden-text">{t("contacts.empty")}</span>
    </>
  );
}

/** Marks, after the name, who gets no campaigns. */
export function OptOutMark(): ReactNode {
  const { t } = useTranslation();
  return (
    <span className={classes["mark"]}>
      <IconMessageOff size={13} stroke={1.7} aria-hidden="true" />
      {t("contacts.optOut.mark")}
    </span>
  );
}
