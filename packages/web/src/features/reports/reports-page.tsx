import type { Measures, ReportRow } from "@balcao/contract";
import { IconClipboardText } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useState } from "react";
import { formatDate, formatDayLabel, formatNumber, formatTime } from "../../i18n/format.ts";
import { useTranslation } from "../../i18n/index.ts";
import { Link } from "../../router/index.tsx";
import { ExportButton } from "../../ui/export-button.tsx";
import { ErrorWords } from "../../ui/index.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { Button } from "../../ui/button.tsx";
import { QueueDot } from "../../ui/marks.tsx";
import { EmptyCell } from "../../ui/page/cells.tsx";
import { FilterBar } from "../../ui/page/filter-bar.tsx";
import { ListPage, useListAddress } from "../../ui/page/record-page.tsx";
import type { Column } from "../../ui/page/record-table.tsx";
import { RowName } from "../../ui/page/record-table.tsx";
import { saveReport, useReport } from "./api.ts";
import type { ReportFilter } from "./figure-filter.ts";
import { periodOf, readFilter, writeFilter } from "./figure-filter.ts";
import { durationText, oneDigit, percent } from "./figure-words.ts";
import { useReportFilters } from "./report-filters.tsx";
import classes from "./reports.module.css";

const FilterDialog = lazyPart(
  async () => (await import("./report-menus.tsx")).FilterDialog,
  "over",
);

/** The attendances behind every figure, filtered, summed up and saved as a spreadsheet. */
export function ReportsPage(): ReactNode {
  const { t } = useTranslation();
  const address = useListAddress();
  const filter = readFilter(address.filter);
  const report = useReport(filter, address.words);
  const [asked, setAsked] = useState<"period" | "protocol" | null>(null);
  const onFilter = (next: ReportFilter): void => address.change({ filter: writeFilter(next) });
  const filters = useReportFilters(filter, onFilter, setAsked);
  const { pages, sums } = report;
  return (
    <ListPage
      texts="reports"
      icon={IconClipboardText}
      address={address}
      pages={pages}
      columns={useColumns()}
      {...(sums === null ? {} : { count: sums.attendances })}
      tools={
        <ExportButton
          isNamed
          count={sums?.attendances ?? 0}
          disabled={(sums?.attendances ?? 0) === 0}
          save={(format) => saveReport(filter, address.words, format)}
        />
      }
      filters={
        <>
          <FilterBar
            filters={filters}
            onClear={() => address.change({ filter: writeFilter(periodOf(filter)) })}
          />
          {pages.rows !== undefined && pages.error !== null && !pages.hasMore ? (
            <p className={classes["failed"]} role="alert">
              <ErrorWords error={pages.error} />{" "}
              <Button variant="default" size="xs" onClick={pages.retry}>
                {t("common.retry")}
              </Button>
            </p>
          ) : null}
          {sums === null || sums.attendances === 0 ? null : <Sums sums={sums} />}
        </>
      }
    >
      {asked === null ? null : (
        <FilterDialog
          what={asked}
          filter={filter}
          onFilter={onFilter}
          onClose={() => setAsked(null)}
        />
      )}
    </ListPage>
  );
}

/** The figures of everything that was found. */
function Sums({ sums }: { sums: Measures }): ReactNode {
  const { t } = useTranslation();
  const { ratings } = sums;
  const parts = [
    { name: t("reports.sums.resolved"), value: formatNumber(sums.resolved) },
    { name: t("reports.sums.running"), value: formatNumber(sums.running) },
    { name: t("dashboard.times.wait"), value: durationText(t, sums.wait.seconds) },
    {
      name: t("dashboard.times.firstAnswer"),
      value: durationText(t, sums.firstAnswer.seconds, true),
    },
    { name: t("dashboard.times.support"), value: durationText(t, sums.support.seconds) },
    {
      name: t("dashboard.rating"),
      value: ratings.average === null ? t("figures.noData") : oneDigit(ratings.average),
      note: ratings.count === 0 ? undefined : t("reports.answers", { count: ratings.count }),
    },
    {
      name: t("dashboard.reopened"),
      value: formatNumber(sums.reopened),
      note: percent(sums.reopened / sums.attendances, 1),
    },
    { name: t("dashboard.newContacts"), value: formatNumber(sums.newContacts) },
  ];
  return (
    <dl className={classes["sums"]} aria-label={t("reports.sumsOf")}>
      {parts.map(({ name, value, note }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            {value} {note === undefined ? null : <small>{note}</small>}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function useColumns(): readonly Column<ReportRow>[] {
  const { t } = useTranslation();
  const none = <EmptyCell />;
  const person = (one: { name: string; isRemoved: boolean } | null): ReactNode => {
    if (one === null) return none;
    const name = one.name === "" ? t("reports.removed") : one.name;
    return one.isRemoved ? <em title={t("reports.removed")}>{name}</em> : name;
  };
  return [
    {
      id: "contact",
      title: t("reports.contact"),
      isName: true,
      renderCell: ({ contact, ticketUuid, ticketId, isReopened, isNew }) => (
        <RowName
          after={
            isReopened || isNew ? (
              <span className="bc-label">
                {t(isReopened ? "reports.isReopened" : "reports.isNew")}
              </span>
            ) : null
          }
          name={
            ticketUuid === null ? (
              <em>{t("reports.ticketDeleted")}</em>
            ) : (
              <Link to={`/tickets/${ticketUuid}`} className={classes["link"]}>
                {contact === null || contact.name === "" ? `${ticketId}` : contact.name}
              </Link>
            )
          }
        />
      ),
    },
    {
      id: "protocol",
      isHiddenAtFirst: true,
      title: t("reports.protocol"),
      fit: "content",
      isExtra: true,
      renderCell: ({ ticketId }) => (ticketId === null ? none : String(ticketId)),
    },
    {
      id: "queued",
      title: t("reports.queuedAt"),
      fit: "content",
      renderCell: ({ queuedAt }) => (
        <span title={formatDate(queuedAt)}>
          {formatDayLabel(queuedAt)}, {formatTime(queuedAt)}
        </span>
      ),
    },
    {
      id: "user",
      title: t("figures.choices.userIds"),
      renderCell: ({ user }) => person(user),
    },
    {
      id: "queue",
      title: t("figures.choices.queueIds"),
      renderCell: ({ queue }) =>
        queue === null ? (
          none
        ) : (
          <RowName before={<QueueDot color={queue.color} />} name={person(queue)} />
        ),
    },
    {
      id: "connection",
      isHiddenAtFirst: true,
      title: t("figures.choices.whatsappIds"),
      isExtra: true,
      renderCell: ({ whatsapp }) => person(whatsapp),
    },
    {
      id: "wait",
      title: t("reports.wait"),
      fit: "content",
      renderCell: ({ waitSeconds }) =>
        waitSeconds === null ? none : durationText(t, waitSeconds, true),
    },
    {
      id: "firstAnswer",
      isHiddenAtFirst: true,
      title: t("reports.firstAnswer"),
      fit: "content",
      isExtra: true,
      renderCell: ({ firstAnswerSeconds }) =>
        firstAnswerSeconds === null ? none : durationText(t, firstAnswerSeconds, true),
    },
    {
      id: "support",
      title: t("reports.support"),
      fit: "content",
      renderCell: ({ supportSeconds }) =>
        supportSeconds === null ? none : durationText(t, supportSeconds, true),
    },
    {
      id: "rating",
      title: t("dashboard.rating"),
      fit: "content",
      renderCell: ({ rate }) =>
        isRate(rate) ? (
          <span title={t(`figures.rates.r${rate}`)}>{t("reports.rate", { rate })}</span>
        ) : (
          none
        ),
    },
    {
      id: "state",
      title: t("reports.state"),
      fit: "content",
      renderCell: ({ resolvedAt }) =>
        t(resolvedAt === null ? "reports.isRunning" : "reports.isResolved"),
    },
  ];
}

function isRate(rate: number | null): rate is 1 | 2 | 3 {
  return rate === 1 || rate === 2 || rate === 3;
}
