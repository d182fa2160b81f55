import type { SupportVisit } from "@balcao/contract";
import type { ReactNode } from "react";
import { call } from "../../api/client.ts";
import { usePages } from "../../api/use-pages.ts";
import { formatDate, formatTime } from "../../i18n/format.ts";
import { useTranslation } from "../../i18n/index.ts";
import { Button } from "../../ui/button.tsx";
import { errorText } from "../../ui/index.ts";
import { Section } from "./section.tsx";
import classes from "./settings-page.module.css";

/** When people of the provider were in the company, and why. */
export function SupportVisits(): ReactNode {
  const { t } = useTranslation();
  const { rows, error, hasMore, isLoadingMore, loadMore } = usePages(
    ["support-visits"],
    async (pageNumber, signal) => {
      const reply = await call("GET /support-visits", { query: { pageNumber } }, { signal });
      return { ...reply, rows: reply.visits };
    },
    ({ id }) => id,
    { staleTime: 0 },
  );
  return (
    <Section title={t("support.visits")} text={t("support.visitsHelp")}>
      {error !== null && rows === undefined ? (
        <p className={classes["failure"]} role="alert">
          {errorText(t, error)}
        </p>
      ) : null}
      {rows?.length === 0 ? <p className={classes["noVisit"]}>{t("support.noVisit")}</p> : null}
      {rows === undefined || rows.length === 0 ? null : (
        <ul className={classes["visits"]}>
          {rows.map((visit) => (
            <Visit key={visit.id} visit={visit} />
          ))}
        </ul>
      )}
      {hasMore ? (
        <div className={classes["moreVisits"]}>
          <Button variant="default" loading={isLoadingMore} onClick={loadMore}>
            {t("support.more")}
          </Button>
        </div>
      ) : null}
    </Section>
  );
}

function Visit({ visit }: { visit: SupportVisit }): ReactNode {
  const { t } = useTranslation();
  const { startedAt, endedAt, endsAt, visitorName, adminName, reason } = visit;
  return (
    <li className={classes["visit"]}>
      <span className={classes["label"]}>{reason}</span>
      <span className={classes["help"]}>
        {t("support.visit", {
          visitor: visitorName,
          admin: adminName,
          day: formatDate(startedAt),
          from: formatTime(startedAt),
          until: formatTime(endedAt ?? endsAt),
        })}
      </span>
    </li>
  );
}
