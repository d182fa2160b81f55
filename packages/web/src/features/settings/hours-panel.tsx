import type { Company, ScheduleEntry } from "@balcao/contract";
import { hoursAt } from "@balcao/contract/hours-at";
import { limits } from "@balcao/contract/limits";
import { IconClock } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import type { FormEvent, ReactNode } from "react";
import { useState } from "react";
import { flushSync } from "react-dom";
import { formatTime } from "../../i18n/format.ts";
import { useTranslation } from "../../i18n/index.ts";
import { Link } from "../../router/index.tsx";
import { Button } from "../../ui/button.tsx";
import { useNow } from "../../ui/clock.ts";
import { errorText, ListSkeleton, LoadFailed, notifySuccess } from "../../ui/index.ts";
import type { DayEntry } from "../../ui/opening-hours/hours-rules.ts";
import { checkHours } from "../../ui/opening-hours/hours-rules.ts";
import { focusWrongTime, OpeningHours } from "../../ui/opening-hours/opening-hours.tsx";
import { useSession } from "../auth/index.ts";
import { useConnections } from "../connections/index.ts";
import { useCompany, useSetting } from "./api.ts";
import { saveHours } from "./changes.ts";
import { Holidays } from "./holidays.tsx";
import { Section } from "./section.tsx";
import classes from "./settings-page.module.css";

/** The opening hours of the company, where it has them, its holidays, and a link to the messages outside of the hours. */
export function HoursPanel(): ReactNode {
  const { user } = useSession();
  const isOfCompany = useSetting("scheduleType") === "company";
  const { data, error, refetch } = useCompany(user.companyId);
  if (data === undefined && error !== null) {
    return <LoadFailed icon={IconClock} error={error} onRetry={() => void refetch()} />;
  }
  if (data === undefined) return <ListSkeleton />;
  return (
    <div className={classes["panel"]}>
      {isOfCompany ? <HoursForm company={data} timeZone={user.company.timeZone} /> : null}
      <Holidays company={data} />
      {isOfCompany ? <TextsNote /> : null}
    </div>
  );
}

type FormProps = { company: Company; timeZone: string };

function HoursForm({ company, timeZone }: FormProps): ReactNode {
  const { t } = useTranslation();
  const { id: companyId, schedules: saved } = company;
  // Null without edits: then changes by colleagues are shown.
  const [draft, setDraft] = useState<readonly ScheduleEntry[] | null>(null);
  const [isChecked, setChecked] = useState(false);
  const value = draft ?? saved;
  const checked = checkHours(value);
  const save = useMutation({
    mutationFn: (schedules: DayEntry[]) => saveHours(companyId, schedules),
    onSuccess: (_saved, sent) => {
      notifySuccess(t("settings.hours.saved"));
      setChecked(false);
      // Later input stays.
      setDraft((now) => (now === null || isSame(checkHours(now).value, sent) ? null : now));
    },
  });

  function submit(event: FormEvent): void {
    event.preventDefault();
    if (save.isPending) return;
    if (checked.hasErrors) {
      flushSync(() => setChecked(true));
      focusWrongTime();
      return;
    }
    save.mutate(checked.value);
  }

  return (
    <Section
      title={t("settings.hours.heading")}
      text={
        <>
          {t("settings.hours.text")} <Now company={company} timeZone={timeZone} />
        </>
      }
    >
      <form className={classes["hours"]} noValidate onSubmit={submit}>
        <OpeningHours
          value={value}
          onChange={setDraft}
          errors={isChecked ? checked.errors : undefined}
          error={save.error === null ? null : errorText(t, save.error)}
        />
        <div className={classes["foot"]}>
          <Button type="submit" loading={save.isPending}>
            {t("common.save")}
          </Button>
        </div>
      </form>
    </Section>
  );
}

function isSame(one: readonly ScheduleEntry[], other: readonly ScheduleEntry[]): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** The state by the saved hours and holidays now, in the company's time zone. */
function Now({ company, timeZone }: FormProps): ReactNode {
  const { t } = useTranslation();
  const now = new Date(useNow(limits.timeLabelRefreshMs));
  const { isOpen } = hoursAt(company.schedules, now, timeZone, company.holidays);
  const values = { time: formatTime(now.toISOString()), zone: timeZone };
  return t(isOpen ? "settings.hours.openNow" : "settings.hours.closedNow", values);
}

/** Links to the texts for closed hours and names the connections without one. */
function TextsNote(): ReactNode {
  const { t } = useTranslation();
  const silent = useConnections().filter((one) => one.outOfHoursMessage.trim() === "");
  return (
    <Section title={t("settings.hours.textsTitle")} text={t("settings.hours.texts")}>
      <div className={classes["hours"]}>
        <p>
          <Link className={classes["link"]} to="/connections">
            {t("settings.hours.toConnections")}
          </Link>
        </p>
        {silent.length === 0 ? null : (
          <p className={classes["help"]}>
            {t("settings.hours.silent", {
              count: silent.length,
              names: silent.map(({ name }) => name).join(", "),
            })}
          </p>
        )}
      </div>
    </Section>
  );
}
