import type { DashboardFigures, TimePoint } from "@balcao/contract";
import { useMediaQuery } from "@mantine/hooks";
import { IconAdjustmentsHorizontal, IconCalendar, IconDeviceTv } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { FormEvent, ReactNode } from "react";
import { Suspense, useId, useState } from "react";
import { limits } from "@balcao/contract/limits";
import { dayKey, formatNumber } from "../../i18n/format.ts";
import type { TFunction } from "../../i18n/index.ts";
import { useTranslation } from "../../i18n/index.ts";
import { useNavigate, useSearchParams } from "../../router/index.tsx";
import { Button } from "../../ui/button.tsx";
import { nowIso } from "../../ui/clock.ts";
import { ExportButton } from "../../ui/export-button.tsx";
import { IconButton } from "../../ui/index.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { Page } from "../../ui/page/page.tsx";
import type { FiguresFilter, Period } from "../reports/index.ts";
import {
  addressWith,
  choiceOf,
  dayMonth,
  dayNumber,
  figuresOf,
  isLong,
  longWeekday,
  periodOf,
  readFilter,
  shortWeekday,
  useChoiceFilters,
  weekdays,
  wholeDay,
  writeFilter,
} from "../reports/index.ts";
import { chartQueries, saveFigures, useFigures } from "./api.ts";
import { Attendants, readSort, writeSort } from "./attendants.tsx";
import { Block, Cards, NowStrip, Ratings, WaitingQueues } from "./blocks.tsx";
import type { Mark } from "./charts.tsx";
import { Bars, ChartCard, HeatMap } from "./charts.tsx";
import classes from "./dashboard.module.css";
import { DateFields, FilterForm, usePeriodCheck } from "./filter-form.tsx";
import { useNowFigures } from "./now.tsx";

const FilterSheet = lazyPart(async () => (await import("./filter-sheet.tsx")).FilterSheet, "over");

/** The dashboard (ui-2.md): what is going on now, and the figures of a period. */
export function DashboardPage(): ReactNode {
  const { t } = useTranslation();
  const [params, setParams] = useSearchParams();
  const navigate = useNavigate();
  const isNarrow = useIsNarrow();
  const [isSheet, setSheet] = useState(false);
  const text = params.get("filter") ?? "";
  const filter = figuresOf(readFilter(text));
  const choice = choiceOf(filter);
  const sort = readSort(params.get("sort") ?? "");
  const figures = useFigures(filter);
  const now = useNowFigures(choice);
  const { data, isPlaceholderData: isOld } = figures;
  const failure = t("dashboard.failed");

  function show(next: { filter?: FiguresFilter; sort?: string | undefined }): void {
    const filterText = next.filter === undefined ? text : writeFilter(next.filter);
    const order = "sort" in next ? next.sort : (params.get("sort") ?? undefined);
    setParams(
      {
        ...(filterText === "" ? {} : { filter: filterText }),
        ...(order === undefined ? {} : { sort: order }),
      },
      { replace: next.filter === undefined },
    );
  }
  function onFilter(next: FiguresFilter): void {
    if (writeFilter(next) === writeFilter(filter)) {
      void figures.refetch();
      void now.refetch();
    } else {
      show({ filter: next });
    }
  }
  function openWall(): void {
    // Without the right to fill the screen, as in a frame, the wall fills the window.
    document.documentElement.requestFullscreen?.().catch(() => undefined);
    navigate(addressWith("/wall", choice));
  }

  const wait = isLong(filter) && (data === undefined || isOld) && figures.isFetching;
  return (
    <Page
      title={t("dashboard.title")}
      count={isNarrow || data === undefined ? null : <ComparedDays figures={data} />}
      tools={
        <>
          {isNarrow ? (
            <IconButton
              label={t("dashboard.filter")}
              icon={IconAdjustmentsHorizontal}
              onClick={() => setSheet(true)}
            />
          ) : null}
          <ExportButton isNamed={!isNarrow} save={(format) => saveFigures(filter, format)} />
          {isNarrow ? (
            <IconButton label={t("dashboard.wall")} icon={IconDeviceTv} onClick={openWall} />
          ) : (
            <Button
              variant="default"
              leftSection={<IconDeviceTv size={15} stroke={1.7} aria-hidden="true" />}
              onClick={openWall}
            >
              {t("dashboard.wall")}
            </Button>
          )}
        </>
      }
    >
      {isNarrow ? (
        <ChosenChips filter={filter} onOpen={() => setSheet(true)} />
      ) : (
        <FilterForm key={writeFilter(filter)} filter={filter} onFilter={onFilter} />
      )}
      {wait ? (
        <p className={classes["patience"]} role="status">
          {t("dashboard.longPeriod")}
        </p>
      ) : null}
      <div className={classes["dashboard"]} aria-busy={isOld || undefined}>
        <div className={classes["nowArea"]}>
          <Block query={now} heightPx={94}>
            {(known) => <NowStrip now={known} readAtMs={now.dataUpdatedAt} choice={choice} />}
          </Block>
        </div>
        <div className={classes["cardsArea"]}>
          <Block query={figures} heightPx={94} failure={failure}>
            {(known) => <Cards figures={known} filter={filter} />}
          </Block>
        </div>
        <Card
          title={t("dashboard.attendants")}
          aside={t(`dashboard.sortedBy.${sort.by}`)}
          className={classes["attendantsArea"]}
          isFlush
        >
          <Block query={figures} heightPx={290}>
            {({ users }) => (
              <Attendants
                users={users}
                filter={filter}
                sort={sort}
                onSort={(next) => show({ sort: writeSort(next) })}
                isNarrow={isNarrow}
              />
            )}
          </Block>
        </Card>
        <Card
          title={t("dashboard.waitingByQueue")}
          aside={
            now.data && t("dashboard.nowCount", { count: formatNumber(now.data.waiting.count) })
          }
          className={classes["waitingArea"]}
        >
          <Block query={now} heightPx={250}>
            {(known) => <WaitingQueues now={known} readAtMs={now.dataUpdatedAt} choice={choice} />}
          </Block>
        </Card>
        <UsersChart key={`users ${text}`} filter={filter} figures={figures} />
        <TimeChart key={`time ${text}`} filter={filter} figures={figures} />
        <HeatCard figures={figures} filter={filter} />
        <Card
          title={t("dashboard.ratings")}
          aside={
            data &&
            t("dashboard.answered", {
              some: formatNumber(data.measures.ratings.count),
              all: formatNumber(data.measures.resolved),
            })
          }
          className={classes["ratingsArea"]}
        >
          <Block query={figures} heightPx={200}>
            {(known) => <Ratings figures={known} filter={filter} />}
          </Block>
        </Card>
      </div>
      {isSheet ? (
        <Suspense fallback={null}>
          <FilterSheet filter={filter} onFilter={onFilter} onClose={() => setSheet(false)} />
        </Suspense>
      ) : null}
    </Page>
  );
}

function useIsNarrow(): boolean {
  return useMediaQuery(`(max-width: ${limits.drawerOverlayBelowPx - 1}px)`, false, {
    getInitialValueInEffect: false,
  });
}

/** "17/11 a 23/11, comparado com 10/11 a 16/11". */
function ComparedDays({ figures: { period, before } }: { figures: DashboardFigures }): ReactNode {
  const { t } = useTranslation();
  return (
    <span className={classes["versus"]}>
      {t("dashboard.compared", { shown: daysText(t, period), before: daysText(t, before) })}
    </span>
  );
}

/** "17/11 a 23/11", with the years where they differ; one day alone. */
function daysText(t: TFunction, { from, to }: { from: string; to: string }): string {
  const write = from.slice(0, 4) === to.slice(0, 4) ? dayMonth : wholeDay;
  return from === to ? dayMonth(from) : t("figures.range", { from: write(from), to: write(to) });
}

/** On narrow screens: what is set, as chips that open the filter. */
function ChosenChips(props: { filter: FiguresFilter; onOpen: () => void }): ReactNode {
  const { filter, onOpen } = props;
  const { t } = useTranslation();
  const chosen = useChoiceFilters(filter, () => undefined).filter(({ value }) => value !== null);
  const { days, dateFrom = "", dateTo = "" } = filter;
  return (
    <div className={classes["chips"]}>
      <button type="button" className={classes["chip"]} onClick={onOpen}>
        {days === undefined
          ? daysText(t, { from: dateFrom, to: dateTo })
          : t("figures.lastDays", { count: days })}
      </button>
      {chosen.map(({ id, title, value }) => (
        <button key={id} type="button" className={classes["chip"]} onClick={onOpen}>
          {title}: {value}
        </button>
      ))}
      {chosen.length > 0 || days === undefined ? null : (
        <span className={classes["versus"]}>{t("dashboard.comparedDays", { count: days })}</span>
      )}
    </div>
  );
}

type CardProps = {
  title: string;
  aside?: string | undefined;
  className: string | undefined;
  /** Its content reaches the sides. */
  isFlush?: boolean;
  children: ReactNode;
};

function Card({ title, aside, className, isFlush, children }: CardProps): ReactNode {
  const id = useId();
  return (
    <section
      className={`${classes["card"]} ${className}`}
      data-flush={isFlush || undefined}
      aria-labelledby={id}
    >
      <header className={classes["head"]}>
        <h2 id={id}>{title}</h2>
        {aside === undefined ? null : <span className={classes["aside"]}>{aside}</span>}
      </header>
      {children}
    </section>
  );
}

type FiguresQuery = ReturnType<typeof useFigures>;
type ChartProps = { filter: FiguresFilter; figures: FiguresQuery };

/** Resolved conversations of each user, for the dates of the page or its own. */
function UsersChart({ filter, figures }: ChartProps): ReactNode {
  const { t } = useTranslation();
  const [own, setOwn] = useState<Period | null>(null);
  const shown = { ...choiceOf(filter), ...(own ?? periodOf(filter)) };
  const alone = useQuery({ ...chartQueries.users(shown), enabled: own !== null });
  const query = own === null ? figures : alone;
  const { data } = query;
  const users = (data?.users ?? [])
    .filter(({ id, resolved }) => id !== null || resolved > 0)
    .map((user) => (user.id === null ? { ...user, name: t("figures.without.userIds") } : user));
  const bars = users.map(({ id, name, resolved }): Mark => ({
    id: String(id),
    label: id === null ? name : (name.trim().split(/\s+/)[0] ?? ""),
    value: resolved,
    name: t("dashboard.barName", { name, count: resolved }),
    to: addressWith("/reports", { ...shown, userIds: [id], state: "resolved" }),
  }));
  return (
    <ChartCard
      title={t("dashboard.byUser")}
      className={classes["usersArea"]}
      tools={<ChartDates period={data?.period} onDates={setOwn} />}
      table={
        data === undefined
          ? null
          : {
              head: [t("dashboard.columns.name"), t("dashboard.resolved")],
              rows: users.map(({ id, name, resolved }) => ({
                id: String(id),
                name,
                values: [resolved],
              })),
            }
      }
    >
      {(labelledBy) => (
        <Block query={query} heightPx={210} failure={t("dashboard.usersFailed")}>
          {() => <Bars labelledBy={labelledBy} bars={bars} isRoomy />}
        </Block>
      )}
    </ChartCard>
  );
}

/** Attendances by hour, day or week, for the dates of the page or its own. */
function TimeChart({ filter, figures }: ChartProps): ReactNode {
  const { t } = useTranslation();
  const [own, setOwn] = useState<Period | null>(null);
  const shown = { ...choiceOf(filter), ...(own ?? periodOf(filter)) };
  const alone = useQuery({ ...chartQueries.time(shown), enabled: own !== null });
  const query = own === null ? figures : alone;
  const { data } = query;
  const unit = data?.period.unit ?? "day";
  const today = dayKey(nowIso());
  const bars = (data?.series ?? []).map((point): Mark => {
    const { from, to, hour, attendances } = point;
    return {
      ...pointWords(t, point, unit, today),
      id: `${from} ${hour}`,
      value: attendances,
      name: t("dashboard.barName", {
        name: pointName(t, point, unit),
        count: attendances,
      }),
      to: addressWith("/reports", {
        ...choiceOf(filter),
        ...{ dateFrom: from, dateTo: to, ...(hour === null ? {} : { hour }) },
      }),
    };
  });
  return (
    <ChartCard
      title={t(`dashboard.byTime.${unit}`)}
      className={classes["timeArea"]}
      tools={<ChartDates period={data?.period} onDates={setOwn} />}
      table={
        data === undefined
          ? null
          : {
              head: [
                t(`dashboard.units.${unit}`),
                t("dashboard.attendances"),
                t("dashboard.resolved"),
              ],
              rows: data.series.map((point) => ({
                id: `${point.from} ${point.hour}`,
                name: pointName(t, point, unit),
                values: [point.attendances, point.resolved],
              })),
            }
      }
    >
      {(labelledBy) => (
        <Block query={query} heightPx={210}>
          {() => <Bars labelledBy={labelledBy} bars={bars} />}
        </Block>
      )}
    </ChartCard>
  );
}

type Unit = DashboardFigures["period"]["unit"];

/** Below a bar: "ter. 17", "hoje", "14", "17/11". */
function pointWords(
  t: TFunction,
  { from, hour }: TimePoint,
  unit: Unit,
  today: string,
): Pick<Mark, "label" | "before" | "isNow"> {
  if (unit === "hour") return { label: String(hour) };
  if (unit === "week") return { label: dayMonth(from) };
  if (from === today) return { label: t("dashboard.today"), isNow: true };
  return { label: dayNumber(from), before: shortWeekday(from) };
}

/** "terça, 17/11", "14 h", "17/11 a 23/11". */
function pointName(t: TFunction, { from, to, hour }: TimePoint, unit: Unit): string {
  if (unit === "hour") return t("dashboard.hour", { hour: hour ?? 0 });
  if (unit === "week") return daysText(t, { from, to });
  return `${longWeekday(from)}, ${dayMonth(from)}`;
}

/** The dates of one chart. */
function ChartDates(props: {
  period: { from: string; to: string } | undefined;
  onDates: (dates: Period) => void;
}): ReactNode {
  const { period, onDates } = props;
  const { t } = useTranslation();
  const [typed, setTyped] = useState<Period | null>(null);
  const [isOpen, setOpen] = useState(false);
  const { problem, check, fields } = usePeriodCheck();
  const dates = typed ?? { dateFrom: period?.from ?? "", dateTo: period?.to ?? "" };
  function submit(event: FormEvent): void {
    event.preventDefault();
    const { dateFrom = "", dateTo = "" } = dates;
    if (check({ dateFrom, dateTo })) onDates({ dateFrom, dateTo });
  }
  return (
    <>
      <span className="bc-narrow-only">
        <IconButton
          label={t("dashboard.chartDates")}
          icon={IconCalendar}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        />
      </span>
      <form
        className={classes["chartDates"]}
        data-open={isOpen || undefined}
        onSubmit={submit}
        noValidate
      >
        <DateFields ref={fields} dates={dates} problem={problem} size="xs" onDates={setTyped} />
        <Button type="submit" variant="default" size="xs">
          {t("dashboard.apply")}
        </Button>
      </form>
    </>
  );
}

/** When conversations begin, by weekday and hour. */
function HeatCard({ figures, filter }: ChartProps): ReactNode {
  const { t } = useTranslation();
  const { data } = figures;
  const rows = (data?.heatMap ?? []).map((hours, weekday) => {
    const day = weekdays[weekday] ?? "";
    return {
      label: shortWeekday(day).replace(/\.$/, ""),
      cells: hours.map((count, hour): Mark => {
        const at = t("dashboard.weekdayHour", { weekday: longWeekday(day), hour });
        return {
          id: `${weekday} ${hour}`,
          label: String(hour),
          value: count,
          name: t("dashboard.barName", { name: at, count }),
          to: addressWith("/reports", { ...filter, weekday, hour }),
        };
      }),
    };
  });
  const hours = Array.from({ length: 24 }, (_, hour) => hour);
  return (
    <ChartCard
      title={t("dashboard.heatMap")}
      className={classes["heatArea"]}
      tools={
        data === undefined ? null : (
          <span className={classes["heatDays"]}>
            {t("dashboard.heatDays", { days: daysText(t, data.period) })}
          </span>
        )
      }
      table={
        data === undefined
          ? null
          : {
              head: [t("dashboard.units.hour"), ...weekdays.map(longWeekday)],
              rows: hours.map((hour) => ({
                id: String(hour),
                name: t("dashboard.hour", { hour }),
                values: data.heatMap.map((day) => day[hour] ?? 0),
              })),
            }
      }
    >
      {(labelledBy) => (
        <Block query={figures} heightPx={250}>
          {() => <HeatMap labelledBy={labelledBy} rows={rows} />}
        </Block>
      )}
    </ChartCard>
  );
}
