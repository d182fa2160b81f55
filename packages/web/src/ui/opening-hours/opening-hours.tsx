import type { ScheduleEntry } from "@balcao/contract";
import type { Weekday } from "@balcao/contract/weekdays";
import { weekdays } from "@balcao/contract/weekdays";
import { Input, NativeSelect } from "@mantine/core";
import { IconChevronDown, IconCopy, IconPlus, IconX } from "@tabler/icons-react";
import type { FocusEvent, ReactNode } from "react";
import { useId, useState } from "react";
import { useTranslation } from "../../i18n/index.ts";
import type { DayErrors, DayState, DayTime } from "./hours-rules.ts";
import {
  completeTime,
  dayAfter,
  dayStates,
  endAfterMidnight,
  hasSecond,
  inState,
  maskTime,
  sevenDays,
  stateOf,
  withoutSecond,
  withSecond,
  withTimesOf,
} from "./hours-rules.ts";
import classes from "./opening-hours.module.css";
import { Button } from "../button.tsx";
import { IconButton } from "../icon-button.tsx";

type Props = {
  value: readonly ScheduleEntry[];
  onChange: (next: ScheduleEntry[]) => void;
  /** One per day, as `checkHours` finds them. */
  errors?: readonly (DayErrors | null)[] | undefined;
  /** An error that belongs to no single day. */
  error?: string | null | undefined;
  disabled?: boolean | undefined;
};

const WORKING_DAYS = 5;

/**
 * The opening hours of a week. `value` may have incomplete times; `checkHours` completes them and returns the errors.
 */
export function OpeningHours(props: Props): ReactNode {
  const { value, onChange, errors, error, disabled = false } = props;
  const { t } = useTranslation();
  const days = sevenDays(value);
  const monday = days[0];

  function changeDay(index: number, change: (entry: ScheduleEntry) => ScheduleEntry): void {
    onChange(days.map((entry, at) => (at === index ? change(entry) : entry)));
  }

  function copyMonday(): void {
    if (!monday) return;
    onChange(
      days.map((entry, at) => (at > 0 && at < WORKING_DAYS ? withTimesOf(entry, monday) : entry)),
    );
  }

  return (
    <div className={classes["hours"]} data-opening-hours>
      <div className={classes["days"]}>
        {weekdays.map((day, index) => {
          const entry = days[index];
          if (!entry) return null;
          return (
            <Day
              key={day}
              day={day}
              entry={entry}
              like={monday ?? entry}
              errors={errors?.[index] ?? null}
              disabled={disabled}
              onChange={(change) => changeDay(index, change)}
            />
          );
        })}
      </div>
      {error ? (
        <p className={classes["error"]} role="alert">
          {error}
        </p>
      ) : null}
      <Button
        variant="default"
        size="xs"
        className={classes["copy"] ?? ""}
        disabled={disabled}
        leftSection={<IconCopy size={15} stroke={1.7} aria-hidden="true" />}
        onClick={copyMonday}
      >
        {t("openingHours.copyMonday")}
      </Button>
    </div>
  );
}

/** Focuses the first invalid time. */
export function focusWrongTime(): void {
  document.querySelector<HTMLElement>("[data-opening-hours] [aria-invalid='true']")?.focus();
}

type DayProps = {
  day: Weekday;
  entry: ScheduleEntry;
  /** The day whose hours a day takes when it is opened. */
  like: ScheduleEntry;
  errors: DayErrors | null;
  disabled: boolean;
  onChange: (change: (entry: ScheduleEntry) => ScheduleEntry) => void;
};

function Day({ day, entry, like, errors, disabled, onChange }: DayProps): ReactNode {
  const { t } = useTranslation();
  const id = useId();
  // The fields stay while equal or empty times are edited.
  const [isTyping, setTyping] = useState(false);
  const state = isTyping ? "open" : stateOf(entry);
  const name = t(`openingHours.days.${day}`);
  const errorId = errors === null ? undefined : `${id}-error`;

  function leave(event: FocusEvent<HTMLElement>): void {
    if (!event.currentTarget.contains(event.relatedTarget)) setTyping(false);
  }

  const field = (key: DayTime): ReactNode => (
    <Input
      className={classes["time"] ?? ""}
      value={entry[key] ?? ""}
      error={errors?.[key] !== undefined}
      // The library places a description below one field; this one belongs to both times.
      withAria={false}
      aria-invalid={errors?.[key] !== undefined}
      disabled={disabled}
      inputMode="numeric"
      autoComplete="off"
      placeholder="00:00"
      aria-label={t(`openingHours.${key}`, { day: name })}
      aria-describedby={errors?.[key] === undefined ? undefined : errorId}
      onChange={(event) => {
        const next = maskTime(event.currentTarget.value);
        setTyping(true);
        onChange((before) => ({ ...before, [key]: next }));
      }}
      onBlur={() => {
        const complete = completeTime(entry[key] ?? "");
        if (complete !== (entry[key] ?? "")) onChange((before) => ({ ...before, [key]: complete }));
      }}
    />
  );

  return (
    <div className={classes["day"]} role="group" aria-labelledby={`${id}-name`} onBlur={leave}>
      <span className={classes["name"]} id={`${id}-name`}>
        {name}
      </span>
      <NativeSelect
        value={state}
        disabled={disabled}
        aria-label={t("openingHours.state", { day: name })}
        rightSection={<IconChevronDown size={15} stroke={1.7} aria-hidden="true" />}
        data={dayStates.map((one) => ({ value: one, label: t(`openingHours.states.${one}`) }))}
        onChange={(event) => {
          const next = dayStates.find((one) => one === event.currentTarget.value);
          if (next === undefined) return;
          setTyping(false);
          onChange((before) => inState(before, next, like));
        }}
      />
      <div className={classes["times"]}>
        {state === "open" ? (
          <span className={classes["interval"]}>
            {field("startTime")}
            <span className="bc-small">{t("openingHours.until")}</span>
            {field("endTime")}
            {hasSecond(entry) ? null : (
              <IconButton
                size="small"
                label={t("openingHours.addInterval", { day: name })}
                icon={IconPlus}
                disabled={disabled}
                onClick={() => onChange(withSecond)}
              />
            )}
          </span>
        ) : null}
        {state === "open" && hasSecond(entry) ? (
          <span className={classes["interval"]}>
            {field("startTimeB")}
            <span className="bc-small">{t("openingHours.until")}</span>
            {field("endTimeB")}
            <IconButton
              size="small"
              label={t("openingHours.removeInterval", { day: name })}
              icon={IconX}
              disabled={disabled}
              onClick={() => onChange(withoutSecond)}
            />
          </span>
        ) : null}
        <Words day={day} entry={entry} state={state} isWrong={errors !== null} />
        {errors === null ? null : (
          <span className={classes["error"]} id={errorId}>
            {t(`openingHours.${worstOf(errors)}`)}
          </span>
        )}
      </div>
    </div>
  );
}

function worstOf(errors: DayErrors): "wrong" | "missing" | "overlap" {
  const found = Object.values(errors);
  return found.find((one) => one === "wrong") ?? found.at(0) ?? "missing";
}

type WordsProps = Pick<DayProps, "day" | "entry"> & { state: DayState; isWrong: boolean };

/** Explains times that are not obvious, such as hours past midnight. */
function Words({ day, entry, state, isWrong }: WordsProps): ReactNode {
  const { t } = useTranslation();
  const words = (): string | null => {
    if (isWrong) return null;
    const kept = stateOf(entry);
    if (kept !== "open") return t(`openingHours.meaning.${kept}`);
    const end = state === "open" ? endAfterMidnight(entry) : null;
    if (end === null) return null;
    const next = t(`openingHours.days.${dayAfter(day)}`);
    return t("openingHours.overMidnight", { time: end, day: next });
  };
  const text = words();
  return text === null ? null : <span className="bc-meta">{text}</span>;
}
