import type { Company } from "@balcao/contract";
import type { OwnHoliday } from "@balcao/contract/holidays";
import { isNationalOn, nationalDate, nationalHolidayKeys } from "@balcao/contract/holidays";
import { limits } from "@balcao/contract/limits";
import { Checkbox, TextInput } from "@mantine/core";
import { IconPlus, IconX } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import type { FormEvent, ReactNode } from "react";
import { useState } from "react";
import { dayKey } from "../../i18n/format.ts";
import { useTranslation } from "../../i18n/index.ts";
import { Button } from "../../ui/button.tsx";
import { epochMs, nowIso } from "../../ui/clock.ts";
import { errorText, IconButton, ListSkeleton } from "../../ui/index.ts";
import { useSession } from "../auth/index.ts";
import { changeHolidays, useCompany } from "../settings/index.ts";
import { dayMonth, shortWeekday } from "./campaign-words.ts";
import classes from "./config.module.css";

type Calendar = Company["holidays"];
type Day = { date: string; name: string; own: OwnHoliday | null };

const DAYS_SHOWN = 5;

/** The next holidays of the company, on which campaigns pause; its own ones are added and removed, at once. */
export function ConfigHolidays(): ReactNode {
  const { t } = useTranslation();
  const { user } = useSession();
  const { data: company } = useCompany(user.companyId);
  const [isAll, setAll] = useState(false);
  const [isOpen, setOpen] = useState(false);
  const save = useMutation({
    // Sequential, so that the last change stays.
    scope: { id: "holidays" },
    mutationFn: (change: (known: Calendar) => Calendar) => changeHolidays(user.companyId, change),
  });
  if (company === undefined) return <ListSkeleton rows={3} />;
  const today = dayKey(nowIso());
  const nowMs = epochMs();
  const { holidays } = company;
  const national = nationalHolidayKeys
    .filter((key) => isNationalOn(holidays, key))
    .map((key): Day => {
      const date = nextDate((year) => nationalDate(key, year), today);
      return { date, name: t(`openingHours.holidays.${key}`), own: null };
    });
  const own = holidays.own
    .filter((day) => day.isOn && (day.everyYear || day.date >= today))
    .map((day): Day => {
      const date = day.everyYear
        ? nextDate((year) => `${year}${day.date.slice(4)}`, today)
        : day.date;
      return { date, name: day.name, own: day };
    });
  const days = [...national, ...own].toSorted((a, b) => a.date.localeCompare(b.date));
  const shown = isAll ? days : days.slice(0, DAYS_SHOWN);
  return (
    <div className={classes["holidays"]}>
      <ul className="bc-plain-list">
        {shown.map(({ date, name, own: day }) => (
          <li key={`${date} ${name}`} className={classes["holiday"]}>
            <span className={classes["date"]}>
              {shortWeekday(date)}, {dayMonth(date, nowMs)}
            </span>
            <span className={classes["holidayName"]}>{name}</span>
            {day === null ? null : (
              <IconButton
                size="small"
                label={t("campaignConfig.holidays.remove", { name })}
                icon={IconX}
                onClick={() =>
                  save.mutate((known) => ({
                    ...known,
                    own: known.own.filter((one) => one.date !== day.date || one.name !== day.name),
                  }))
                }
              />
            )}
          </li>
        ))}
      </ul>
      {days.length > DAYS_SHOWN ? (
        <button
          type="button"
          className={classes["more"]}
          aria-expanded={isAll}
          onClick={() => setAll(!isAll)}
        >
          {isAll
            ? t("campaignConfig.holidays.fewer")
            : t("campaignConfig.holidays.all", { count: days.length })}
        </button>
      ) : null}
      {isOpen ? (
        <NewDay
          today={today}
          onAdd={(day) => {
            save.mutate((known) => ({ ...known, own: [...known.own, day] }));
            setOpen(false);
          }}
          onClose={() => setOpen(false)}
        />
      ) : holidays.own.length < limits.ownHolidaysMax ? (
        <button type="button" className={classes["more"]} onClick={() => setOpen(true)}>
          <IconPlus size={15} stroke={1.7} aria-hidden="true" />
          {t("campaignConfig.holidays.add")}
        </button>
      ) : null}
      {save.error === null ? null : (
        <p className="bc-failure" role="alert">
          {errorText(t, save.error)}
        </p>
      )}
    </div>
  );
}

/** This year's date, or the next year's where that is over. */
function nextDate(dateIn: (year: number) => string, today: string): string {
  const year = Number(today.slice(0, 4));
  const date = dateIn(year);
  return date < today ? dateIn(year + 1) : date;
}

type NewDayProps = { today: string; onAdd: (day: OwnHoliday) => void; onClose: () => void };

function NewDay({ today, onAdd, onClose }: NewDayProps): ReactNode {
  const { t } = useTranslation();
  const [date, setDate] = useState("");
  const [name, setName] = useState("");
  const [everyYear, setEveryYear] = useState(false);
  const [isChecked, setChecked] = useState(false);
  function submit(event: FormEvent): void {
    event.preventDefault();
    setChecked(true);
    if (date === "" || name.trim() === "") return;
    onAdd({ date, name: name.trim(), everyYear, isOn: true });
  }
  return (
    <form noValidate className={classes["newDay"]} onSubmit={submit}>
      <TextInput
        autoFocus
        type="date"
        label={t("campaignConfig.holidays.date")}
        min={today}
        value={date}
        error={isChecked && date === "" && t("campaignConfig.holidays.dateMissing")}
        onChange={(event) => setDate(event.currentTarget.value)}
      />
      <TextInput
        label={t("campaignConfig.holidays.name")}
        maxLength={limits.nameMax}
        value={name}
        error={isChecked && name.trim() === "" && t("campaignConfig.holidays.nameMissing")}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Checkbox
        label={t("campaignConfig.holidays.everyYear")}
        checked={everyYear}
        onChange={(event) => setEveryYear(event.currentTarget.checked)}
      />
      <div className={classes["formButtons"]}>
        <Button variant="default" onClick={onClose}>
          {t("common.cancel")}
        </Button>
        <Button type="submit" variant="default">
          {t("common.add")}
        </Button>
      </div>
    </form>
  );
}
