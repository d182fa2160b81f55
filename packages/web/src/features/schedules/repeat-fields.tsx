import type { ScheduleRepeat } from "@balcao/contract/schedule-repeat";
import {
  addDays,
  lastRepeatDay,
  repeatDays,
  repeatSendsMax,
  weekdayOf,
} from "@balcao/contract/schedule-repeat";
import { NativeSelect, TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { dayMonth, shortWeekday } from "./schedule-words.ts";

/** A repetition as the form has it. */
export type RepeatValues = {
  every: "never" | ScheduleRepeat["every"];
  weekdays: number[];
  monthDay: string;
  until: string;
};

/** How many of the next days are listed. */
const DAYS_LISTED = 4;
/** A new repetition ends after four weeks. */
const DAYS_AT_FIRST = 28;

/** The values of a form for a message that is sent on this day. */
export function repeatValues(repeat: ScheduleRepeat | null, day: string): RepeatValues {
  return {
    every: repeat?.every ?? "never",
    weekdays: repeat?.every === "week" ? repeat.weekdays : [weekdayOf(day)],
    monthDay: repeat?.every === "month" ? String(repeat.day) : String(Number(day.slice(8))),
    until: repeat?.until ?? addDays(day, DAYS_AT_FIRST),
  };
}

/** What the form's values mean; null for a message that does not repeat. */
export function repeatOf({
  every,
  weekdays,
  monthDay,
  until,
}: RepeatValues): ScheduleRepeat | null {
  switch (every) {
    case "never":
      return null;
    case "day":
      return { every, until };
    case "week":
      return { every, weekdays: weekdays.toSorted((a, b) => a - b), until };
    case "month":
      return { every, day: Number(monthDay), until };
  }
}

type Props = {
  values: RepeatValues;
  /** The first day of the message. */
  day: string;
  /** Null: it is only read. */
  onChange: ((values: RepeatValues) => void) | null;
  error: string | undefined;
};

/** How a scheduled message repeats, with its next days. */
export function RepeatFields({ values, day, onChange, error }: Props): ReactNode {
  const { t } = useTranslation();
  const { every, weekdays, monthDay, until } = values;
  const isFixed = onChange === null;
  const change = (next: Partial<RepeatValues>): void => onChange?.({ ...values, ...next });
  const repeat = repeatOf(values);
  const days = repeat && day !== "" ? repeatDays(repeat, day) : null;
  return (
    <div className="sc-repeat">
      <div className="sc-pair">
        <NativeSelect
          label={t("schedules.repeat.label")}
          value={every}
          disabled={isFixed}
          onChange={(event) => {
            const { value } = event.currentTarget;
            change({ every: everies.find((one) => one === value) ?? "never" });
          }}
          data={everies.map((value) => ({ value, label: t(`schedules.repeat.${value}`) }))}
        />
        {every === "month" ? (
          <NativeSelect
            label={t("schedules.repeat.monthDay")}
            value={monthDay}
            disabled={isFixed}
            onChange={(event) => change({ monthDay: event.currentTarget.value })}
            data={monthDays.map((value) => ({
              value,
              label: value === "31" ? t("schedules.repeat.lastDay") : value,
            }))}
          />
        ) : null}
        {every === "never" ? null : (
          <TextInput
            type="date"
            label={t("schedules.repeat.until")}
            value={until}
            min={day}
            max={day === "" ? undefined : lastRepeatDay(day)}
            disabled={isFixed}
            onChange={(event) => change({ until: event.currentTarget.value })}
          />
        )}
      </div>
      {every === "week" ? (
        <div role="group" aria-label={t("schedules.repeat.weekdays")} className="sc-weekdays">
          {[0, 1, 2, 3, 4, 5, 6].map((weekday) => {
            const isOn = weekdays.includes(weekday);
            return (
              <button
                key={weekday}
                type="button"
                className="bc-chip"
                aria-pressed={isOn}
                disabled={isFixed}
                onClick={() =>
                  change({
                    weekdays: isOn
                      ? weekdays.filter((one) => one !== weekday)
                      : [...weekdays, weekday],
                  })
                }
              >
                {shortWeekday(addDays(A_SUNDAY, weekday))}
              </button>
            );
          })}
        </div>
      ) : null}
      {days === null ? null : (
        <p className="sc-days" aria-live="polite">
          {days.slice(0, DAYS_LISTED).map((one) => (
            <span key={one}>{dayMonth(one)}</span>
          ))}
          {t("schedules.repeat.sends", { count: days.length })}
        </p>
      )}
      {error === undefined ? null : (
        <p className="bc-failure" role="alert">
          {error}
        </p>
      )}
    </div>
  );
}

/** Why a repetition cannot be saved; undefined if it can. */
export function repeatProblem(
  values: RepeatValues,
  day: string,
): "noWeekday" | "limit" | "none" | undefined {
  const repeat = repeatOf(values);
  if (repeat === null || day === "") return undefined;
  if (repeat.every === "week" && repeat.weekdays.length === 0) return "noWeekday";
  if (repeatDays(repeat, day) !== null) return undefined;
  return repeat.until < day ? "none" : "limit";
}

export const sendsMax = repeatSendsMax;

const A_SUNDAY = "2026-11-01";
const everies = ["never", "day", "week", "month"] as const;
const monthDays = Array.from({ length: 31 }, (_, index) => String(index + 1));
