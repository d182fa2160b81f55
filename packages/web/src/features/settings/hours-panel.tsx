import type { ScheduleEntry } from "@balcao/contract";
import { hoursAt } from "@balcao/contract/hours-at";
import { limits } from "@balcao/contract/limits";
import { Button } from "@mantine/core";
import { IconClock } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import type { FormEvent, ReactNode } from "react";
import { useState } from "react";
import { flushSync } from "react-dom";
import { Link } from "react-router";
import { formatTime } from "../../i18n/format.ts";
import { useTranslation } from "../../i18n/index.ts";
import { useNow } from "../../ui/clock.ts";
import { errorText, ListSkeleton, LoadFailed, notifySuccess } from "../../ui/index.ts";
import type { DayEntry } from "../../ui/opening-hours/hours-rules.ts";
import { checkHours } from "../../ui/opening-hours/hours-rules.ts";
import { focusWrongTime, OpeningHours } from "../../ui/opening-hours/opening-hours.tsx";
import { useSession } from "../auth/index.ts";
import { useConnections } from "../connections/index.ts";
import { saveHours, useCompany } from "./company-hours.ts";
import classes from "./settings-page.module.css";

/** The opening hours of the company, and where it is set what customers are told outside of them. */
export function HoursPanel(): ReactNode {
  const { user } = useSession();
  const { data, error, refetch } = useCompany(user.companyId);
  if (data === undefined && error !== null) {
    return <LoadFailed icon={IconClock} error={error} onRetry={() => void refetch()} />;
  }
  if (data === undefined) return <ListSkeleton />;
  return (
    <div className={classes["panel"]}>
      <HoursForm companyId={data.id} saved={data.schedules} timeZone={user.company.timeZone} />
      <TextsNote />
    </div>
  );
}

type FormProps = { companyId: number; saved: readonly ScheduleEntry[]; timeZone: string };

function HoursForm({ companyId, saved, timeZone }: FormProps): ReactNode {
  const { t } = useTranslation();
  // Null: nothing was touched, so that a colleague's change is shown.
  const [draft, setDraft] = useState<readonly ScheduleEntry[] | null>(null);
  const [isChecked, setChecked] = useState(false);
  const value = draft ?? saved;
  const checked = checkHours(value);
  const save = useMutation({
    mutationFn: (schedules: DayEntry[]) => saveHours(companyId, schedules),
    onSuccess: (_saved, sent) => {
      notifySuccess(t("settings.hours.saved"));
      setChecked(false);
      // What was typed meanwhile stays.
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
    <form
      className={`${classes["card"]} ${classes["hours"]}`}
      aria-labelledby="settings-hours"
      noValidate
      onSubmit={submit}
    >
      <div>
        <h2 id="settings-hours" className={classes["group"]}>
          {t("settings.hours.heading")}
        </h2>
        <p className={classes["help"]}>
          {t("settings.hours.text")} <Now saved={saved} timeZone={timeZone} />
        </p>
      </div>
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
  );
}

function isSame(one: readonly ScheduleEntry[], other: readonly ScheduleEntry[]): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** What the saved hours say at this moment, by the company's clock. */
function Now({ saved, timeZone }: Omit<FormProps, "companyId">): ReactNode {
  const { t } = useTranslation();
  const now = new Date(useNow(limits.timeLabelRefreshMs));
  const { isOpen } = hoursAt(saved, now, timeZone);
  const values = { time: formatTime(now.toISOString()), zone: timeZone };
  return t(isOpen ? "settings.hours.openNow" : "settings.hours.closedNow", values);
}

/** Where the text for closed hours is, and which connections have none. */
function TextsNote(): ReactNode {
  const { t } = useTranslation();
  const silent = useConnections().filter((one) => one.outOfHoursMessage.trim() === "");
  return (
    <section className={`${classes["card"]} ${classes["hours"]}`} aria-labelledby="settings-texts">
      <h2 id="settings-texts" className={classes["group"]}>
        {t("settings.hours.textsTitle")}
      </h2>
      <p className={classes["help"]}>
        {t("settings.hours.texts")}{" "}
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
    </section>
  );
}
