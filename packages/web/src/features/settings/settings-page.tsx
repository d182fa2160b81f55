import "@mantine/core/styles/Tabs.layer.css";
import { Input, Switch, Tabs } from "@mantine/core";
import type { FormEvent, ReactNode } from "react";
import { Link, useSearchParams } from "../../router/index.tsx";
import { useTranslation } from "../../i18n/index.ts";
import { Page } from "../../ui/page/page.tsx";
import "@mantine/core/styles/InlineInput.layer.css";
import "@mantine/core/styles/Switch.layer.css";
import { IconClock, IconSettings } from "@tabler/icons-react";
import { Suspense, useId, useState } from "react";
import type { TFunction } from "../../i18n/index.ts";
import { errorText, ListSkeleton, LoadFailed, notifySuccess } from "../../ui/index.ts";
import type { Option, OptionGroup } from "./api.ts";
import classes from "./settings-page.module.css";
import type { Company, ScheduleEntry } from "@balcao/contract";
import { hoursAt } from "@balcao/contract/hours-at";
import { limits } from "@balcao/contract/limits";
import { useMutation } from "@tanstack/react-query";
import { flushSync } from "react-dom";
import { formatTime } from "../../i18n/format.ts";
import { useNow } from "../../ui/clock.ts";
import type { DayEntry } from "../../ui/opening-hours/hours-rules.ts";
import { checkHours } from "../../ui/opening-hours/hours-rules.ts";
import { focusWrongTime, OpeningHours } from "../../ui/opening-hours/opening-hours.tsx";
import { useSession } from "../auth/index.ts";
import { useConnections } from "../connections/index.ts";
import {
  optionGroups,
  saveHours,
  useCompany,
  useSetting,
  useSettingChange,
  useSettings,
} from "./api.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { ResolveReasons } from "./resolve-reasons.tsx";
import { Button } from "../../ui/button.tsx";

const TAB = "tab";
const HOURS = "hours";
const OPTIONS = "options";
const TEXTS = "texts";

const Holidays = lazyPart(async () => (await import("./holidays.tsx")).Holidays);
const AutomaticTexts = lazyPart(async () => (await import("./automatic-texts.tsx")).AutomaticTexts);

/** The settings of the company (spec 2): options and opening hours. */
export function SettingsPage(): ReactNode {
  const { t } = useTranslation();
  const [search, setSearch] = useSearchParams();
  const hasHours = useSetting("scheduleType") !== "disabled";
  const tabs = hasHours ? [OPTIONS, HOURS, TEXTS] : [OPTIONS, TEXTS];
  const tab = tabs.find((one) => one === search.get(TAB)) ?? OPTIONS;
  return (
    <Page title={t("settings.title")}>
      <Tabs
        value={tab}
        keepMounted={false}
        onChange={(next) =>
          setSearch(next === null || next === OPTIONS ? {} : { [TAB]: next }, { replace: true })
        }
      >
        <Tabs.List>
          <Tabs.Tab value={OPTIONS}>{t("settings.options")}</Tabs.Tab>
          {hasHours ? <Tabs.Tab value={HOURS}>{t("settings.hours.title")}</Tabs.Tab> : null}
          <Tabs.Tab value={TEXTS}>{t("settings.texts.tab")}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value={OPTIONS}>
          <OptionsPanel />
        </Tabs.Panel>
        <Tabs.Panel value={TEXTS}>
          <Suspense fallback={<ListSkeleton />}>
            <AutomaticTexts />
          </Suspense>
        </Tabs.Panel>
        {hasHours ? (
          <Tabs.Panel value={HOURS}>
            <HoursPanel />
          </Tabs.Panel>
        ) : null}
      </Tabs>
    </Page>
  );
}

/** Every option of the company with its effect. A change applies at once, for all users. */
function OptionsPanel(): ReactNode {
  const { data, error, refetch } = useSettings();
  if (data === undefined && error !== null) {
    return <LoadFailed icon={IconSettings} error={error} onRetry={() => void refetch()} />;
  }
  if (data === undefined) return <ListSkeleton />;
  return (
    <div className={classes["panel"]}>
      {optionGroups.map((group) => (
        <Group key={group.name} group={group} />
      ))}
      <ResolveReasons />
    </div>
  );
}

function Group({ group }: { group: OptionGroup }): ReactNode {
  const { t } = useTranslation();
  const id = useId();
  return (
    <section className={classes["card"]} aria-labelledby={id}>
      <h2 id={id} className={classes["group"]}>
        {t(`settings.groups.${group.name}`)}
      </h2>
      {group.options.map((option) => (
        <OptionRow key={option.key} option={option} />
      ))}
    </section>
  );
}

function OptionRow({ option }: { option: Option }): ReactNode {
  const { t } = useTranslation();
  const id = useId();
  const value = useSetting(option.key);
  const change = useSettingChange(option.key);
  const names = { "aria-labelledby": `${id}-label`, "aria-describedby": `${id}-help` };

  function choose(next: string): void {
    change.mutate(next, { onSuccess: () => notifySuccess(t("settings.saved")) });
  }

  return (
    <div className={classes["option"]} data-wide={option.kind !== "switch" || undefined}>
      <div>
        <label className={classes["label"]} id={`${id}-label`} htmlFor={id}>
          {t(`settings.${option.key}.label`)}
        </label>
        <p className={classes["help"]} id={`${id}-help`}>
          {t(`settings.${option.key}.help`)} <FurtherOn option={option} value={value} />
        </p>
      </div>
      {option.kind === "switch" ? (
        <div className={classes["switch"]}>
          <Switch
            {...names}
            id={id}
            checked={value === "enabled"}
            onChange={(event) => choose(event.currentTarget.checked ? "enabled" : "disabled")}
          />
        </div>
      ) : null}
      {option.kind === "lines" ? (
        <Lines names={names} id={id} value={value} onSave={choose} />
      ) : null}
      {option.kind === "choice" ? (
        <Input
          {...names}
          component="select"
          pointer
          // The library sets the id only together with its own description.
          withAria={false}
          ref={(select: HTMLSelectElement | null) => select?.setAttribute("id", id)}
          className={classes["select"] ?? ""}
          value={value}
          onChange={(event) => choose(event.currentTarget.value)}
        >
          {choicesOf(t, option).map((one) => (
            <option key={one.value} value={one.value}>
              {one.label}
            </option>
          ))}
        </Input>
      ) : null}
      {change.error === null ? null : (
        <p className={classes["failure"]} role="alert">
          {errorText(t, change.error)}
        </p>
      )}
    </div>
  );
}

const LINES_SHOWN = 4;
/** Characters of all lines. */
const LINES_MAX = 1_000;

type LinesProps = {
  id: string;
  names: { "aria-labelledby": string; "aria-describedby": string };
  value: string;
  onSave: (value: string) => void;
};

/** A text of several lines, saved when the field is left. */
function Lines({ id, names, value, onSave }: LinesProps): ReactNode {
  // Null without edits: then changes by colleagues are shown.
  const [typed, setTyped] = useState<string | null>(null);
  return (
    <Input
      {...names}
      component="textarea"
      multiline
      rows={LINES_SHOWN}
      // As of the select.
      withAria={false}
      ref={(field: HTMLTextAreaElement | null) => field?.setAttribute("id", id)}
      maxLength={LINES_MAX}
      value={typed ?? value}
      onChange={(event) => setTyped(event.currentTarget.value)}
      onBlur={() => {
        if (typed !== null && typed.trim() !== value) onSave(typed.trim());
        setTyped(null);
      }}
    />
  );
}

type Choice = { value: string; label: string };

function choicesOf(t: TFunction, option: Extract<Option, { kind: "choice" }>): Choice[] {
  switch (option.key) {
    case "chatBotType":
      return option.values.map((value) => ({
        value,
        label: t(`settings.chatBotType.values.${value}`),
      }));
    case "scheduleType":
      return option.values.map((value) => ({
        value,
        label: t(`settings.scheduleType.values.${value}`),
      }));
    case "waitingPreview":
      return option.values.map((value) => ({
        value,
        label: t(`settings.waitingPreview.values.${value}`),
      }));
    case "passwordMinLength":
      return option.values.map((value) => ({
        value,
        label: t("settings.passwordMinLength.value", { min: value }),
      }));
  }
}

/** Links to the page with the rest of an option. */
function FurtherOn({ option, value }: { option: Option; value: string }): ReactNode {
  const { t } = useTranslation();
  if (option.key !== "scheduleType" || value === "disabled") return null;
  return value === "company" ? (
    <Link className={classes["link"]} to="?tab=hours">
      {t("settings.scheduleType.toHours")}
    </Link>
  ) : (
    <Link className={classes["link"]} to="/queues">
      {t("settings.scheduleType.toQueues")}
    </Link>
  );
}

/** The opening hours of the company, where it has them, its holidays, and a link to the messages outside of the hours. */
function HoursPanel(): ReactNode {
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
      <Suspense fallback={<ListSkeleton />}>
        <Holidays company={data} />
      </Suspense>
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
          {t("settings.hours.text")} <Now company={company} timeZone={timeZone} />
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
