import "@mantine/core/styles/Checkbox.layer.css";
import "@mantine/core/styles/InlineInput.layer.css";
import "@mantine/core/styles/Switch.layer.css";
import type { Company } from "@balcao/contract";
import type { NationalHolidayKey, OwnHoliday } from "@balcao/contract/holidays";
import {
  dayText,
  isNationalOn,
  nationalDate,
  nationalHolidayKeys,
} from "@balcao/contract/holidays";
import { limits } from "@balcao/contract/limits";
import { Checkbox, Switch, TextInput } from "@mantine/core";
import { IconTrash } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import type { FormEvent, ReactNode } from "react";
import { useRef, useState } from "react";
import { formatDate } from "../../i18n/format.ts";
import { useTranslation } from "../../i18n/index.ts";
import { Button } from "../../ui/button.tsx";
import { errorText, IconButton, notifySuccess } from "../../ui/index.ts";
import { changeHolidays } from "./api.ts";
import classes from "./holidays.module.css";
import { Section } from "./section.tsx";

type Calendar = Company["holidays"];
type Change = (calendar: Calendar) => Calendar;

/** The days on which the company is closed: national ones, each switched by itself, and its own. A change is saved at once. */
export function Holidays({ company }: { company: Company }): ReactNode {
  const { t } = useTranslation();
  const { id, holidays } = company;
  const save = useMutation({
    // Sequential, so that the last change stays.
    scope: { id: "holidays" },
    mutationFn: (change: Change) => changeHolidays(id, change),
    onSuccess: () => notifySuccess(t("settings.holidays.saved")),
  });
  const [today] = useState(() => dayText(Date.now()));
  const national = nationalHolidayKeys
    .map((key) => ({ key, date: nextDate(key, today) }))
    .toSorted((a, b) => a.date.localeCompare(b.date));
  const own = holidays.own
    .map((day, index) => ({ day, index }))
    .toSorted((a, b) => a.day.date.localeCompare(b.day.date));

  return (
    <Section title={t("settings.holidays.title")} text={t("settings.holidays.help")}>
      <h3 className={classes["subtitle"]}>{t("settings.holidays.national")}</h3>
      <ul className={classes["days"]}>
        {national.map(({ key, date }) => (
          <li key={key} className={classes["day"]}>
            <DaySwitch
              name={t(`openingHours.holidays.${key}`)}
              date={date}
              note={isByCustom(key) ? t("settings.holidays.byCustom") : null}
              isOn={isNationalOn(holidays, key)}
              onChange={(isOn) => save.mutate(switched(key, isOn))}
            />
          </li>
        ))}
      </ul>
      <h3 className={classes["subtitle"]}>{t("settings.holidays.own")}</h3>
      {own.length === 0 ? (
        <p className="bc-small">{t("settings.holidays.none")}</p>
      ) : (
        <ul className={classes["days"]}>
          {own.map(({ day, index }) => (
            <li key={`${day.date} ${day.name} ${index}`} className={classes["day"]}>
              <DaySwitch
                name={day.name}
                date={day.date}
                note={day.everyYear ? t("settings.holidays.repeats") : null}
                isOn={day.isOn}
                onChange={(isOn) => save.mutate(withOwn(day, { ...day, isOn }))}
              />
              <IconButton
                size="small"
                label={t("settings.holidays.remove", { name: day.name })}
                icon={IconTrash}
                onClick={() => save.mutate(withOwn(day, null))}
              />
            </li>
          ))}
        </ul>
      )}
      {holidays.own.length < limits.ownHolidaysMax ? (
        <NewDay
          today={today}
          onAdd={(day) => save.mutate((known) => ({ ...known, own: [...known.own, day] }))}
        />
      ) : null}
      {save.error === null ? null : (
        <p className="bc-failure" role="alert">
          {errorText(t, save.error)}
        </p>
      )}
    </Section>
  );
}

type DaySwitchProps = {
  name: string;
  date: string;
  note: string | null;
  isOn: boolean;
  onChange: (isOn: boolean) => void;
};

function DaySwitch({ name, date, note, isOn, onChange }: DaySwitchProps): ReactNode {
  const { t } = useTranslation();
  const shownDate = formatDate(`${date}T12:00:00.000Z`);
  return (
    <>
      <span className={classes["date"]}>{shownDate}</span>
      <span className={classes["name"]}>
        {name}
        {note === null ? null : <span className="bc-meta"> · {note}</span>}
      </span>
      <Switch
        aria-label={t("settings.holidays.switch", { name, date: shownDate })}
        checked={isOn}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
    </>
  );
}

type NewDayProps = { today: string; onAdd: (day: OwnHoliday) => void };

function NewDay({ today, onAdd }: NewDayProps): ReactNode {
  const { t } = useTranslation();
  const [date, setDate] = useState("");
  const [name, setName] = useState("");
  const [everyYear, setEveryYear] = useState(false);
  const [isChecked, setChecked] = useState(false);
  const dateField = useRef<HTMLInputElement>(null);
  const nameField = useRef<HTMLInputElement>(null);
  const isNamed = name.trim() !== "";

  function submit(event: FormEvent): void {
    event.preventDefault();
    setChecked(true);
    if (date === "") dateField.current?.focus();
    else if (!isNamed) nameField.current?.focus();
    else {
      onAdd({ date, name: name.trim(), everyYear, isOn: true });
      setDate("");
      setName("");
      setEveryYear(false);
      setChecked(false);
    }
  }

  return (
    <form noValidate className={classes["form"]} onSubmit={submit}>
      <TextInput
        ref={dateField}
        type="date"
        label={t("settings.holidays.date")}
        min={today}
        value={date}
        error={isChecked && date === "" ? t("settings.holidays.dateMissing") : undefined}
        onChange={(event) => setDate(event.currentTarget.value)}
      />
      <TextInput
        ref={nameField}
        className={classes["newName"] ?? ""}
        label={t("settings.holidays.name")}
        maxLength={limits.nameMax}
        value={name}
        error={isChecked && !isNamed ? t("settings.holidays.nameMissing") : undefined}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Checkbox
        className={classes["every"] ?? ""}
        label={t("settings.holidays.everyYear")}
        checked={everyYear}
        onChange={(event) => setEveryYear(event.currentTarget.checked)}
      />
      <Button type="submit" variant="default" className={classes["add"] ?? ""}>
        {t("settings.holidays.add")}
      </Button>
    </form>
  );
}

function switched(key: NationalHolidayKey, isOn: boolean): Change {
  return (known) => ({ ...known, national: { ...known.national, [key]: isOn } });
}

/** Changes or removes (null) a day of the company's own. */
function withOwn(day: OwnHoliday, next: OwnHoliday | null): Change {
  return (known) => {
    const index = known.own.findIndex(
      ({ date, name, everyYear }) =>
        date === day.date && name === day.name && everyYear === day.everyYear,
    );
    if (index === -1) return known;
    return { ...known, own: known.own.toSpliced(index, 1, ...(next === null ? [] : [next])) };
  };
}

/** Off until a company switches it on. */
function isByCustom(key: NationalHolidayKey): boolean {
  return !isNationalOn({ national: {}, own: [] }, key);
}

/** The date of this year, or of the next one where that is over. */
function nextDate(key: NationalHolidayKey, today: string): string {
  const year = Number(today.slice(0, 4));
  const date = nationalDate(key, year);
  return date < today ? nationalDate(key, year + 1) : date;
}
