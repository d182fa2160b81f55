import type { CompanyUseRow } from "@balcao/contract";
import { IconChartBar, IconServerOff } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useId, useState } from "react";
import { call } from "../../api/client.ts";
import { formatNumber } from "../../i18n/format.ts";
import { useTranslation } from "../../i18n/index.ts";
import { Link, useSearchParams } from "../../router/index.tsx";
import { ListSkeleton, LoadFailed } from "../../ui/index.ts";
import type { Column, Sort } from "../../ui/page/record-table.tsx";
import { RecordTable } from "../../ui/page/record-table.tsx";
import { Segmented } from "../../ui/segmented.tsx";
import { bytesText } from "../../ui/sheet-drop.tsx";
import classes from "./usage-panel.module.css";

const READ_EVERY_MS = 10_000;
const FIRST = 5;

type Span = "hour" | "day";

/** Which companies use the installation the most, and whose work waits now. */
export function UsagePanel(): ReactNode {
  const { t } = useTranslation();
  const [search, setSearch] = useSearchParams();
  const span: Span = search.get("span") === "day" ? "day" : "hour";
  const [sort, setSort] = useState<Sort>({ by: "database", descending: true });
  const label = useId();
  const { data, error, refetch } = useQuery({
    queryKey: ["operation", "usage", span],
    queryFn: ({ signal }) => call("GET /operation/usage", { query: { span } }, { signal }),
    refetchInterval: READ_EVERY_MS,
    staleTime: 0,
    retry: false,
  });
  if (data === undefined) {
    return error === null ? (
      <ListSkeleton rows={6} />
    ) : (
      <LoadFailed icon={IconServerOff} error={error} onRetry={() => void refetch()} />
    );
  }
  const shareOf = (ms: number): string =>
    `${formatNumber(Math.round((100 * ms) / Math.max(1, data.totalDatabaseMs)))} %`;
  const top = data.companies.slice(0, FIRST).filter(({ databaseMs }) => databaseMs > 0);
  // Narrow screens have no header, so each cell repeats the title.
  function amount(
    id: string,
    of: (row: CompanyUseRow) => number,
    shown: (value: number) => string = formatNumber,
  ): Column<CompanyUseRow> {
    const title = t(`operation.usage.${id as "calls"}`);
    return {
      ...{ id, title, fit: "content", align: "end", sortBy: of },
      renderCell: (row) => (
        <>
          <span className="bc-narrow-only">{title}: </span>
          {shown(of(row))}
        </>
      ),
    };
  }
  return (
    <div className={classes["usage"]}>
      <div className={classes["bar"]}>
        <span id={label} className={classes["label"]}>
          {t("operation.usage.span")}
        </span>
        <Segmented<Span>
          aria-labelledby={label}
          value={span}
          choices={[
            { value: "hour", label: t("operation.usage.hour") },
            { value: "day", label: t("operation.usage.day") },
          ]}
          onChange={(next) => setSearch({ tab: "usage", span: next }, { replace: true })}
        />
      </div>
      {data.waiting.length > 0 && (
        <section className={classes["card"]}>
          <h2>{t("operation.usage.waitingTitle")}</h2>
          <ul>
            {data.waiting.map(({ companyId, name, waiting, running, oldestMs }) => (
              <li key={companyId}>
                <b>{name}</b>{" "}
                {t("operation.usage.waitingNow", {
                  waiting: formatNumber(waiting),
                  running: formatNumber(running),
                  seconds: formatNumber(Math.round(oldestMs / 100) / 10),
                })}
              </li>
            ))}
          </ul>
        </section>
      )}
      {top.length > 0 && (
        <section className={classes["card"]}>
          <h2>{t("operation.usage.top")}</h2>
          <ol>
            {top.map(({ companyId, name, databaseMs }) => (
              <li key={companyId}>
                <b>{name}</b> {secondsText(databaseMs)} · {shareOf(databaseMs)}
              </li>
            ))}
          </ol>
        </section>
      )}
      <RecordTable
        label={t("operation.tabs.usage")}
        pages={{
          ...{ rows: data.companies, count: data.companies.length, error, hasMore: false },
          ...{ isPrevious: false, isLoadingMore: false, loadMore: () => undefined },
          retry: () => void refetch(),
        }}
        sort={sort}
        onSort={setSort}
        identify={({ companyId }) => companyId}
        renderActions={null}
        columns={[
          {
            id: "company",
            title: t("operation.usage.company"),
            isName: true,
            sortBy: ({ name }) => name,
            renderCell: ({ companyId, name }) => (
              <Link to={`/settings?tab=companies&edit=${companyId}`}>{name}</Link>
            ),
          },
          amount("database", ({ databaseMs }) => databaseMs, secondsText),
          amount("calls", ({ calls }) => calls),
          amount("searches", ({ searches }) => searches),
          amount("inbound", ({ inbound }) => inbound),
          amount("outbound", ({ outbound }) => outbound),
          amount("media", ({ mediaBytes }) => mediaBytes, bytesText),
          amount("waited", ({ waitedMs }) => waitedMs, secondsText),
          amount("refused", ({ refused }) => refused),
        ]}
        empty={{ icon: IconChartBar, title: t("operation.usage.empty") }}
      />
    </div>
  );
}

const secondsText = (ms: number): string => `${formatNumber(Math.round(ms / 100) / 10)} s`;
