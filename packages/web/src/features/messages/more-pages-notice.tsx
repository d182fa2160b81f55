import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import type { PageSide } from "./api.ts";
import classes from "./message-list.module.css";
import type { MorePages } from "./use-more-on-scroll.ts";

/** Says that a page is on its way, or could not be had. */
export function MorePagesNotice({ side, pages }: { side: PageSide; pages: MorePages }): ReactNode {
  const { t } = useTranslation();
  if (!pages.isPending && !pages.isError) return null;
  return (
    <div className={classes["older"]} data-side={side} role="status">
      {pages.isError ? t(`messages.${side}Failed`) : t(`messages.${side}Loading`)}
      {pages.isError ? (
        <button type="button" onClick={pages.retry}>
          {t("common.retry")}
        </button>
      ) : null}
    </div>
  );
}
