import { Loader } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "../i18n/index.ts";
import classes from "./page.module.css";

/** While a page's chunk is on its way; shows itself only after 150 ms. */
export function PageLoading(): ReactNode {
  const { t } = useTranslation();
  return (
    <div className={classes["center"]}>
      <div className={classes["loading"]} role="status" aria-label={t("common.loading")}>
        <Loader size={26} />
      </div>
    </div>
  );
}
