import { IconRepeat } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Fragment, useEffect, useRef } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { useNow } from "../../ui/clock.ts";
import type { ShownSchedule } from "./calendar-api.ts";
import type { OnEntry } from "./calendar-grid.tsx";
import { stateOf, statusText } from "./calendar-view.ts";
import {
  capital,
  companyZone,
  dayMonth,
  localOf,
  localTime,
  weekdayName,
} from "./schedule-words.ts";
import { addDays } from "@balcao/contract/schedule-repeat";
import { StateIcon } from "./state-icon.tsx";

type Props = {
  schedules: readonly ShownSchedule[];
  /** How many each day has; a day with more than are listed can be opened. Null for the results of a search. */
  counts: ReadonlyMap<string, number> | null;
  /** A day that the list scrolls to when it opens: the first one from this on. */
  from: string | null;
  onEntry: OnEntry;
  onDay: (day: string) => void;
  /** Below the list. */
  foot?: ReactNode;
};

/** Scheduled messages as a list by days, in the order in which they are given. */
export function CalendarAgenda(props: Props): ReactNode {
  const { schedules, counts, from, onEntry, onDay, foot } = props;
  const { t } = useTranslation();
  const now = localTime(useNow(60_000), companyZone());
  const days = byDay(schedules);
  const first = days.find(([day]) => from !== null && day >= from)?.[0];
  const start = useRef<HTMLElement>(null);
  useEffect(() => {
    if (first !== undefined) start.current?.scrollIntoView({ block: "start" });
  }, [first]);
  return (
    <div className="sc-agenda">
      {days.map(([day, rows]) => {
        const more = (counts?.get(day) ?? 0) - rows.length;
        const nowBefore =
          counts !== null && day === now.slice(0, 10)
            ? rows.findIndex(({ sendAt }) => localOf(sendAt) > now)
            : -1;
        return (
          <section key={day} ref={day === first ? start : null} aria-labelledby={`day-${day}`}>
            <h2 id={`day-${day}`} className="sc-agenda-day">
              {dayLabel(day)} <span>{dayMonth(day)}</span>
            </h2>
            <ul className="sc-agenda-list">
              {rows.map((schedule, index) => (
                <Fragment key={schedule.id}>
                  {index === nowBefore ? <NowLine time={now.slice(11)} /> : null}
                  <Row schedule={schedule} onEntry={onEntry} />
                </Fragment>
              ))}
            </ul>
            {more > 0 ? (
              <button type="button" className="sc-agenda-more" onClick={() => onDay(day)}>
                {t("schedules.more", { count: more })}
              </button>
            ) : null}
          </section>
        );
      })}
      {foot}
    </div>
  );

  function dayLabel(day: string): string {
    const today = now.slice(0, 10);
    const near = {
      [today]: t("common.today"),
      [addDays(today, -1)]: t("common.yesterday"),
      [addDays(today, 1)]: t("schedules.tomorrow"),
    }[day];
    return near === undefined ? capital(weekdayName(day)) : `${near}, ${weekdayName(day)}`;
  }
}

function Row({ schedule, onEntry }: { schedule: ShownSchedule; onEntry: OnEntry }): ReactNode {
  const { t } = useTranslation();
  const { sendAt, contact, body, series, user } = schedule;
  const state = stateOf(schedule);
  return (
    <li>
      <button
        type="button"
        className="sc-agenda-row"
        data-state={state}
        // A key press counts no clicks: it opens the dialog, as a double click does.
        onClick={(event) =>
          onEntry(schedule, event.currentTarget, event.detail === 1 ? "card" : "dialog")
        }
      >
        <span className="sc-agenda-time">{localOf(sendAt).slice(11)}</span>
        <span className="bc-fill">
          <span className="sc-agenda-name">
            {contact.name}
            {series === null ? null : <IconRepeat size={14} stroke={1.7} aria-hidden="true" />}
          </span>
          <span className="sc-agenda-body">{body}</span>
          <span className="sc-agenda-state">
            <StateIcon schedule={schedule} />
            {t(statusText(schedule))}
            {user.name === "" ? "" : `, ${user.name}`}
          </span>
        </span>
      </button>
    </li>
  );
}

function NowLine({ time }: { time: string }): ReactNode {
  return (
    <li className="sc-agenda-now" aria-hidden="true">
      {time}
    </li>
  );
}

function byDay(schedules: readonly ShownSchedule[]): [day: string, rows: ShownSchedule[]][] {
  const days = new Map<string, ShownSchedule[]>();
  for (const schedule of schedules) {
    const day = localOf(schedule.sendAt).slice(0, 10);
    const rows = days.get(day);
    if (rows) rows.push(schedule);
    else days.set(day, [schedule]);
  }
  return [...days];
}
