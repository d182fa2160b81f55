import { IconAlertTriangleFilled } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import classes from "./connections-warning.module.css";
import { useIsAnyDown } from "./api.ts";

/** The mark of the menu entry: a triangle while any connection is lost for over 2 s (ui.md section 2). */
export function ConnectionsWarning(): ReactNode {
  const { t } = useTranslation();
  if (!useIsAnyDown()) return null;
  return (
    <span className={classes["warning"]}>
      <IconAlertTriangleFilled size={15} aria-hidden="true" />
      <span className="bc-hidden-text">{t("shell.connectionWarning")}</span>
    </span>
  );
}
