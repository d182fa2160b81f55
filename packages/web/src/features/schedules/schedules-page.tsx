import type { CalendarState, Schedule } from "@balcao/contract";
import { addDays } from "@balcao/contract/schedule-repeat";
import { IconCalendarEvent, IconPlus } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Suspense, useEffect, useMemo, useRef, useState } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { Button } from "../../ui/button.tsx";
import { DraftOf } from "../../ui/drafts.ts";
import { EmptyState, ListSkeleton, LoadFailed, notifyError } from "../../ui/index.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { Page, PageSearch } from "../../ui/page/page.tsx";
import { offerUndo } from "../../ui/undo.tsx";
import type { Scope } from "./api.ts";
import type { ShownSchedule } from "./calendar-api.ts";
import { foundSchedules, useCalendar, useContactName } from "./calendar-api.ts";
import { CalendarAgenda } from "./calendar-agenda.tsx";
import type { CalendarAddress } from "./calendar-address.ts";
import { useCalendarAddress } from "./calendar-address.ts";
import { CalendarToolbar, StateCounts, ZoneLine } from "./calendar-toolbar.tsx";
import { freeTime, localNow, monthName, perDayOf, rangeOf, shownStates } from "./calendar-view.ts";
import { LazyScheduleDialog } from "./lazy-schedule-dialog.ts";
import { ScheduleCard } from "./schedule-card.tsx";
import { ScheduleStyles } from "./schedule-styles.tsx";
import { localOf, momentOf } from "./schedule-words.ts";

const CalendarGrid = lazyPart(async () => (await import("./calendar-grid.tsx")).CalendarGrid);
const loadQuestions = () => import("./series-questions.tsx");
const loadMoving = () => import("./api.ts");
const DeleteQuestion = lazyPart(async () => (await loadQuestions()).DeleteQuestion, "over");
const MoveQuestion = lazyPart(async () => (await loadQuestions()).MoveQuestion, "over");

/** What stands over the calendar. */
type Over =
  | { what: "card"; schedule: ShownSchedule; anchor: HTMLElement }
  | { what: "edit" | "delete"; schedule: ShownSchedule }
  | { what: "new"; time: string | undefined }
  | { what: "move"; schedule: Schedule; to: string; putBack: () => void };

/** The calendar of scheduled messages (ui-2.md, Schedules). */
export function SchedulesPage(): ReactNode {
  const { t } = useTranslation();
  const address = useCalendarAddress();
  const { view, day, words, newFor, change, isNarrow } = address;
  const [over, setOver] = useState<Over | null>(null);
  const close = (): void => setOver(null);
  const calendar = useRange(address);
  const add = (time?: string): void => setOver({ what: "new", time });
  const move = useMove((question) => setOver(question));
  const showDay = (one: string): void => change({ view: "day", day: one });
  useCalendarKeys(address, () => add(day === today() ? undefined : freeTime(`${day}T09:00`)));
  const newContact = useContactName(newFor);
  const onEntry = (schedule: ShownSchedule, anchor: HTMLElement, what: "card" | "dialog"): void =>
    setOver(what === "card" ? { what, schedule, anchor } : { what: "edit", schedule });

  const { data, error, refetch } = calendar.query;
  let body: ReactNode = null;
  if (words !== "") body = <Found address={address} onEntry={onEntry} onDay={showDay} />;
  else if (data === undefined)
    body = error ? (
      <LoadFailed icon={IconCalendarEvent} error={error} onRetry={() => void refetch()} />
    ) : (
      <ListSkeleton rows={6} />
    );
  else if (view === "agenda") {
    const from = day.slice(0, 7) === today().slice(0, 7) ? maxOf(day, addDays(today(), -1)) : null;
    body =
      data.schedules.length === 0 ? (
        <EmptyState
          icon={IconCalendarEvent}
          title={t("schedules.emptyIn", { month: monthName(day) })}
        />
      ) : (
        <CalendarAgenda
          key={day}
          schedules={data.schedules}
          counts={calendar.counts}
          from={from}
          onEntry={onEntry}
          onDay={showDay}
        />
      );
  } else {
    body = (
      <Suspense fallback={<ListSkeleton rows={6} />}>
        <CalendarGrid
          view={view}
          day={day}
          schedules={data.schedules}
          counts={calendar.counts}
          onEntry={onEntry}
          onDay={showDay}
          onFree={(local) => add(freeTime(local))}
          onMove={move}
        />
      </Suspense>
    );
  }

  return (
    <Page
      title={t("schedules.title")}
      count={words === "" && data !== undefined ? calendar.total : null}
      panes="below"
      tools={
        <>
          <PageSearch
            label={t("schedules.search")}
            start={words}
            onSearch={(next) => change({ words: next })}
          />
          <Button
            leftSection={<IconPlus size={16} stroke={1.9} aria-hidden="true" />}
            onClick={() => add()}
          >
            {t(isNarrow ? "schedules.new" : "common.add")}
          </Button>
        </>
      }
    >
      <ScheduleStyles />
      <CalendarToolbar address={address} />
      <div className="sc-facts">
        <StateCounts
          counts={words === "" ? calendar.byState : undefined}
          states={address.states}
          onStates={(states) => change({ states })}
        />
        <ZoneLine />
      </div>
      {words === "" && data !== undefined && view !== "agenda" ? (
        <RangeNotice view={view} day={day} total={calendar.total} listed={data.schedules.length} />
      ) : null}
      <CalendarScroller
        view={view}
        day={day}
        firstTime={calendar.firstTime}
        isReady={data !== undefined}
      >
        {body}
      </CalendarScroller>
      {over?.what === "card" ? (
        <ScheduleCard
          key={over.schedule.id}
          schedule={over.schedule}
          anchor={over.anchor}
          onEdit={() => setOver({ what: "edit", schedule: over.schedule })}
          onDelete={() => setOver({ what: "delete", schedule: over.schedule })}
          onClose={close}
        />
      ) : null}
      {over?.what === "edit" ? (
        <DraftOf value={`schedule ${over.schedule.id}`}>
          <LazyScheduleDialog
            contact={over.schedule.contact}
            schedule={over.schedule}
            onClose={close}
          />
        </DraftOf>
      ) : null}
      {over?.what === "delete" ? <DeleteQuestion schedule={over.schedule} onClose={close} /> : null}
      {over?.what === "new" ? (
        <LazyScheduleDialog contact={null} initialTime={over.time} onClose={close} />
      ) : null}
      {over?.what === "move" ? (
        <MoveQuestion
          schedule={over.schedule}
          to={over.to}
          move={(scope) => moveTo(over.schedule, over.to, scope, t)}
          onMoved={close}
          onClose={() => {
            over.putBack();
            close();
          }}
        />
      ) : null}
      {newFor !== null && newContact.data ? (
        <LazyScheduleDialog contact={newContact.data} onClose={() => change({})} />
      ) : null}
    </Page>
  );
}

const today = (): string => localNow().slice(0, 10);
const maxOf = (a: string, b: string): string => (a > b ? a : b);

/** The messages in view, with their counts by state and, of the states that are shown, by day. */
function useRange(address: CalendarAddress) {
  const { view, day, words, userId, connectionId, contactId, states } = address;
  const { first, last } = rangeOf(view, day);
  const perDay = view === "month" && window.innerWidth < TWO_A_DAY_BELOW_PX ? 2 : perDayOf[view];
  const query = useCalendar(
    { first, last, perDay, userId, connectionId, contactId, states },
    { enabled: words === "" },
  );
  const { data } = query;
  return useMemo(() => {
    const byState: Record<CalendarState, number> = { waiting: 0, sent: 0, failed: 0, optedOut: 0 };
    const counts = new Map<string, number>();
    for (const one of data?.days ?? []) {
      for (const state of shownStates) byState[state] += one.counts[state];
      const shown = states ?? shownStates;
      counts.set(
        one.day,
        shown.reduce((sum, state) => sum + one.counts[state], 0),
      );
    }
    const total = shownStates.reduce((sum, state) => sum + byState[state], 0);
    const firstTime = data?.schedules.map(({ sendAt }) => sendAt).toSorted()[0];
    return { query, byState, counts, total, firstTime };
  }, [query, data, states]);
}

const TWO_A_DAY_BELOW_PX = 1_000;

/** Moves a message to another time: at once, or after a question for one of a series. A refusal puts it back. */
function useMove(ask: (question: Over) => void) {
  const { t } = useTranslation();
  return (schedule: Schedule, to: string, putBack: () => void): void => {
    if (schedule.series !== null) return ask({ what: "move", schedule, to, putBack });
    moveTo(schedule, to, "one", t).catch((error: unknown) => {
      putBack();
      notifyError(error);
    });
  };
}

async function moveTo(
  schedule: Schedule,
  to: string,
  scope: Scope,
  t: ReturnType<typeof useTranslation>["t"],
): Promise<void> {
  const { moveSchedule } = await loadMoving();
  await moveSchedule(schedule, to, scope);
  offerUndo({
    kind: "scheduleMoved",
    name: t("schedules.when", momentOf(to)),
    undo: async () => void (await moveSchedule(schedule, schedule.sendAt, scope)),
  });
}

type FoundProps = {
  address: CalendarAddress;
  onEntry: Parameters<typeof CalendarAgenda>[0]["onEntry"];
  onDay: (day: string) => void;
};

/** The messages that a search finds, over all dates. */
function Found({ address, onEntry, onDay }: FoundProps): ReactNode {
  const { t } = useTranslation();
  const { words, userId, connectionId, contactId, states } = address;
  const pages = foundSchedules.usePages({ words, userId, connectionId, contactId, states });
  const { rows, error, hasMore, isLoadingMore, loadMore, retry } = pages;
  if (rows === undefined) {
    if (error) return <LoadFailed icon={IconCalendarEvent} error={error} onRetry={retry} />;
    return <ListSkeleton rows={6} />;
  }
  if (rows.length === 0) {
    return <EmptyState icon={IconCalendarEvent} title={t("schedules.nothingFound", { words })} />;
  }
  return (
    <CalendarAgenda
      schedules={rows}
      counts={null}
      from={null}
      onEntry={onEntry}
      onDay={onDay}
      foot={
        hasMore ? (
          <Button variant="subtle" loading={isLoadingMore} onClick={loadMore}>
            {t("schedules.moreFound")}
          </Button>
        ) : null
      }
    />
  );
}

type NoticeProps = { view: CalendarAddress["view"]; day: string; total: number; listed: number };

/** A quiet line: nothing is scheduled, or a day has more than can be shown. */
function RangeNotice({ view, day, total, listed }: NoticeProps): ReactNode {
  const { t } = useTranslation();
  if (total === 0) {
    const text =
      view === "month" ? t("schedules.emptyIn", { month: monthName(day) }) : t("schedules.empty");
    return <p className="sc-notice">{text}</p>;
  }
  if (view === "month" || listed < perDayOf[view]) return null;
  return <p className="sc-notice">{t("schedules.notAll")}</p>;
}

type ScrollerProps = {
  view: CalendarAddress["view"];
  day: string;
  /** When the first message in view is sent. */
  firstTime: string | undefined;
  isReady: boolean;
  children: ReactNode;
};

/** The part of the page that scrolls. The hours of a week or day open at 8, or at an earlier first message. */
function CalendarScroller(props: ScrollerProps): ReactNode {
  const { view, day, firstTime, isReady, children } = props;
  const { t } = useTranslation();
  const element = useRef<HTMLDivElement>(null);
  const range = `${view} ${rangeOf(view, day).first}`;
  const shown = useRef("");
  useEffect(() => {
    if (!isReady || shown.current === range) return undefined;
    shown.current = range;
    if (view !== "week" && view !== "day") return undefined;
    const hour = Math.min(FIRST_HOUR, firstTime === undefined ? FIRST_HOUR : hourOf(firstTime));
    // The grid comes with its code, and is as high as it will be a frame later.
    const timer = setInterval(() => {
      const { current } = element;
      if (current === null || current.scrollHeight < 24 * HOUR_PX) return;
      clearInterval(timer);
      current.scrollTop = hour * HOUR_PX - LABEL_PX;
    }, 50);
    return () => clearInterval(timer);
  }, [isReady, range, view, firstTime]);
  return (
    <div
      ref={element}
      className="sc-scroller"
      role="region"
      aria-label={t("schedules.calendar")}
      tabIndex={0}
      data-page-scroller
    >
      {children}
    </div>
  );
}

const FIRST_HOUR = 8;
const HOUR_PX = 60;
/** The upper half of the hour's label. */
const LABEL_PX = 9;

const hourOf = (iso: string): number => Number(localOf(iso).slice(11, 13));

/** Arrow keys go over the days, T to today, M S D A change the view, N begins a message. */
function useCalendarKeys({ view, words, change }: CalendarAddress, onNew: () => void): void {
  const handle = useRef((_event: KeyboardEvent): boolean => false);
  useEffect(() => {
    handle.current = ({ key }) => {
      const letter = key.toLowerCase();
      const next = viewKeys[letter];
      const step = arrowDays[key];
      if (letter === "n") onNew();
      else if (words !== "") return false;
      else if (letter === "t") change({ day: today() });
      else if (next !== undefined) change({ view: next });
      else if (step !== undefined && view !== "agenda")
        change((shown) => ({ day: addDays(shown.day, step) }));
      else return false;
      return true;
    };
  });
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      const { target, altKey, ctrlKey, metaKey, defaultPrevented } = event;
      if (altKey || ctrlKey || metaKey || defaultPrevented) return;
      if (document.querySelector("[role=dialog], [role=menu]")) return;
      if (target instanceof Element && target.closest("input, textarea, select")) return;
      if (handle.current(event)) event.preventDefault();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, []);
}

const viewKeys: Readonly<Record<string, CalendarAddress["view"]>> = {
  m: "month",
  s: "week",
  d: "day",
  a: "agenda",
};
const arrowDays: Readonly<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowRight: 1,
  ArrowUp: -7,
  ArrowDown: 7,
};
