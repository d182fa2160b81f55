import type {
  DayCellInfo,
  DayHeaderInfo,
  EventClickInfo,
  EventDisplayInfo,
  EventDropInfo,
  EventInput,
} from "@fullcalendar/react";
import FullCalendar from "@fullcalendar/react";
import dayGrid from "@fullcalendar/react/daygrid";
import interaction from "@fullcalendar/react/interaction";
import librarySheet from "@fullcalendar/react/skeleton.css?inline";
import timeGrid from "@fullcalendar/react/timegrid";
import { IconRepeat } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useEffect, useMemo, useRef } from "react";
import { useTranslation } from "../../i18n/index.ts";
import type { ShownSchedule } from "./calendar-api.ts";
import type { CalendarView } from "./calendar-view.ts";
import {
  isChangeable,
  localNow,
  monthName,
  rangeOf,
  stateOf,
  statusText,
} from "./calendar-view.ts";
import { localOf, shortWeekday } from "./schedule-words.ts";
import { StateIcon } from "./state-icon.tsx";

/** An entry was pressed once, or twice or with Enter. */
export type OnEntry = (
  schedule: ShownSchedule,
  element: HTMLElement,
  what: "card" | "dialog",
) => void;

type Props = {
  view: Exclude<CalendarView, "agenda">;
  day: string;
  schedules: readonly ShownSchedule[];
  /** How many each day has. */
  counts: ReadonlyMap<string, number>;
  onEntry: OnEntry;
  onDay: (day: string) => void;
  /** A press on a free place: a day of the month, or a time. */
  onFree: (local: string) => void;
  /** A message was dropped at another time; `putBack` returns it. */
  onMove: (schedule: ShownSchedule, local: string, putBack: () => void) => void;
};

const views = { month: "dayGridMonth", week: "timeGridWeek", day: "timeGridDay" } as const;
const plugins = [dayGrid, timeGrid, interaction];
/** A message takes no time; this is how long its entry is. */
const SHOWN_MINUTES = 44;

/**
 * The grid of a month, a week or a day. The library reckons in UTC: it gets the company's local times as such, so that no
 * clock change and no zone of the browser moves an entry.
 */
export function CalendarGrid(props: Props): ReactNode {
  const { view, day, schedules, counts, onEntry, onDay, onFree, onMove } = props;
  const { t } = useTranslation();
  const isCancelled = useRef(false);
  const isDragging = useRef(false);
  const byId = useMemo(() => new Map(schedules.map((one) => [String(one.id), one])), [schedules]);
  const events = useMemo(
    () => [
      ...schedules.map(entryOf),
      ...(view === "month"
        ? moreOf(schedules, counts, (count) => t("schedules.more", { count }))
        : []),
    ],
    [view, schedules, counts, t],
  );
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.key !== "Escape" || !isDragging.current) return;
      isCancelled.current = true;
      document.dispatchEvent(new MouseEvent("mouseup", { bubbles: true }));
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, []);

  function press({ event, el, jsEvent }: EventClickInfo): void {
    const schedule = byId.get(event.id);
    if (schedule === undefined) return onDay(event.startStr.slice(0, 10));
    const isDialog = jsEvent.type === "keydown" || jsEvent.detail !== 1;
    onEntry(schedule, el, isDialog ? "dialog" : "card");
  }

  function drop({ event, revert }: EventDropInfo): void {
    const schedule = byId.get(event.id);
    if (schedule === undefined || isCancelled.current) return revert();
    onMove(schedule, event.startStr.slice(0, 16), revert);
  }

  return (
    <div className="sc-grid" data-view={view}>
      <style href="calendar" precedence="low">
        {librarySheet}
      </style>
      <FullCalendar
        key={`${view} ${rangeOf(view, day).first}`}
        plugins={plugins}
        initialView={views[view]}
        initialDate={day}
        timeZone="UTC"
        now={() => `${localNow()}:00Z`}
        firstDay={0}
        fixedWeekCount={false}
        headerToolbar={false}
        height="auto"
        allDaySlot={false}
        slotDuration="00:30"
        slotHeaderInterval="01:00"
        slotMinHeight={30}
        snapDuration="00:15"
        slotHeaderFormat={hourFormat}
        defaultTimedEventDuration={{ minutes: SHOWN_MINUTES }}
        slotEventOverlap={false}
        eventMaxStack={view === "week" ? 3 : 8}
        eventOrder="start,order"
        eventDisplay="block"
        nowIndicator
        nowIndicatorHeaderContent={() => localNow().slice(11)}
        editable
        eventDurationEditable={false}
        eventInteractive
        eventDragMinDistance={4}
        dragRevertDuration={160}
        eventAllow={({ start }) => start.toISOString().slice(0, 16) > localNow()}
        events={events}
        eventContent={(info) =>
          renderEntry(info, byId.get(info.event.id), (one) => t(statusText(one)))
        }
        eventClick={press}
        eventDragStart={() => {
          isDragging.current = true;
          isCancelled.current = false;
        }}
        eventDragStop={() => {
          isDragging.current = false;
        }}
        eventDrop={drop}
        dateClick={({ dateStr, allDay }) => {
          const local = allDay ? `${dateStr.slice(0, 10)}T09:00` : dateStr.slice(0, 16);
          if ((allDay ? `${dateStr.slice(0, 10)}T23:59` : local) > localNow()) onFree(local);
        }}
        moreLinkContent={({ num }) => t("schedules.more", { count: num })}
        moreLinkHint={(num) => t("schedules.more", { count: num })}
        moreLinkClick={({ date }) => onDay(date.toISOString().slice(0, 10))}
        viewClass="sc-view"
        tableHeaderClass="sc-header"
        dayHeaderClass="sc-day-header"
        dayHeaderInnerClass="sc-day-header-inner"
        dayHeaderContent={(info) => renderHeader(info)}
        dayCellClass={(info) =>
          classOf(
            "sc-cell",
            !info.isPast && "sc-free",
            info.isOther && "sc-other",
            dayOf(info) === day && !info.isToday && "sc-chosen",
          )
        }
        dayCellTopClass="sc-cell-top"
        dayCellTopContent={(info) => renderNumber(info)}
        dayLaneClass={({ isPast }) => classOf("sc-lane", isPast && "sc-past")}
        slotLaneClass={({ isMinor }) => classOf("sc-slot", isMinor && "sc-minor")}
        slotHeaderClass="sc-slot-header"
        slotHeaderInnerClass="sc-slot-header-inner"
        slotHeaderDividerClass="sc-slot-divider"
        eventClass={(info) => entryClass(info, byId.get(info.event.id))}
        columnMoreLinkClass="sc-column-more"
        nowIndicatorLineClass="sc-now"
        nowIndicatorHeaderClass="sc-now-time"
        nowIndicatorDotClass="sc-now-dot"
      />
    </div>
  );

  function renderHeader({ date }: DayHeaderInfo): ReactNode {
    const of = date.toISOString().slice(0, 10);
    if (view === "month") return shortWeekday(of);
    const count = counts.get(of) ?? 0;
    return (
      <span className="sc-day-title">
        {shortWeekday(of)}
        <strong data-today={of === localNow().slice(0, 10) || undefined}>
          {Number(of.slice(8))}
        </strong>
        {count === 0 ? null : <span className="sc-day-count">{count}</span>}
      </span>
    );
  }
}

function renderNumber(info: DayCellInfo): ReactNode {
  const of = dayOf(info);
  const isFirst = info.isOther && of.endsWith("-01");
  return (
    <span className="sc-number" data-today={info.isToday || undefined}>
      {isFirst ? `1 ${monthName(of).slice(0, 3)}` : Number(of.slice(8))}
    </span>
  );
}

function renderEntry(
  info: EventDisplayInfo,
  schedule: ShownSchedule | undefined,
  stateText: (schedule: ShownSchedule) => string,
): ReactNode {
  const { event, view } = info;
  if (schedule === undefined) return <span className="sc-more">{event.title}</span>;
  const state = stateText(schedule);
  const time = event.startStr.slice(11, 16);
  const isWaiting = stateOf(schedule) === "waiting" && schedule.status === "PENDENTE";
  const loop =
    schedule.series === null ? null : (
      <IconRepeat className="sc-loop" size={13} stroke={1.7} aria-hidden="true" />
    );
  const sign = isWaiting ? null : <StateIcon schedule={schedule} />;
  if (view.type === views.month) {
    return (
      <span className="sc-line">
        {sign}
        <span className="bc-hidden-text">{state}</span>
        <span className="sc-time">{time}</span>
        <span className="bc-ellipsis">{schedule.contact.name}</span>
        {loop}
      </span>
    );
  }
  return (
    <span className="sc-block">
      <span className="sc-line">
        <strong className="bc-ellipsis">
          {time} {schedule.contact.name}
        </strong>
      </span>
      <span className="sc-line">
        {sign}
        <span className="bc-hidden-text">{state}</span>
        <span className="bc-ellipsis">{schedule.body}</span>
        {loop}
      </span>
    </span>
  );
}

function entryClass(info: EventDisplayInfo, schedule: ShownSchedule | undefined): string {
  if (schedule === undefined) return "sc-entry sc-entry-more";
  return classOf(
    "sc-entry",
    `sc-${stateOf(schedule)}`,
    info.isDraggable && "sc-movable",
    info.isMirror && "sc-mirror",
    info.isDragging && !info.isMirror && "sc-left",
  );
}

function entryOf(schedule: ShownSchedule): EventInput {
  const start = Date.parse(`${localOf(schedule.sendAt)}:00Z`);
  const dayEnd = Date.parse(`${localOf(schedule.sendAt).slice(0, 10)}T23:59:59Z`);
  return {
    id: String(schedule.id),
    title: schedule.contact.name,
    start: new Date(start).toISOString(),
    // Never on the next day.
    end: new Date(Math.min(start + SHOWN_MINUTES * 60_000, dayEnd)).toISOString(),
    startEditable: isChangeable(schedule) && schedule.status === "PENDENTE",
    extendedProps: { order: 0 },
  };
}

/** An entry at the end of each day that has more messages than it shows. */
function moreOf(
  schedules: readonly ShownSchedule[],
  counts: ReadonlyMap<string, number>,
  textOf: (count: number) => string,
): EventInput[] {
  const shown = new Map<string, number>();
  for (const { sendAt } of schedules) {
    const day = localOf(sendAt).slice(0, 10);
    shown.set(day, (shown.get(day) ?? 0) + 1);
  }
  return [...counts].flatMap(([day, count]) => {
    const more = count - (shown.get(day) ?? 0);
    if (more <= 0) return [];
    return {
      id: `more ${day}`,
      title: textOf(more),
      start: `${day}T23:59:00Z`,
      end: `${day}T23:59:30Z`,
      startEditable: false,
      extendedProps: { order: 1 },
    };
  });
}

const dayOf = ({ date }: { date: Date }): string => date.toISOString().slice(0, 10);

const hourFormat = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;

const classOf = (...names: (string | false)[]): string => names.filter(Boolean).join(" ");
