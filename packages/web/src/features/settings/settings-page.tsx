import "@mantine/core/styles/Tabs.layer.css";
import type { Company, ScheduleEntry } from "@balcao/contract";
import { automaticTextKeys } from "@balcao/contract/automatic-texts";
import { hoursAt } from "@balcao/contract/hours-at";
import { limits } from "@balcao/contract/limits";
import { Tabs } from "@mantine/core";
import { IconCheck, IconClock } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import type { FormEvent, ReactNode } from "react";
import { Suspense, useEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { formatTime } from "../../i18n/format.ts";
import type { PlainTextKey, TFunction } from "../../i18n/index.ts";
import { useTranslation } from "../../i18n/index.ts";
import { Link, useSearchParams } from "../../router/index.tsx";
import { Button } from "../../ui/button.tsx";
import { useNow } from "../../ui/clock.ts";
import { errorText, ListSkeleton, LoadFailed, notifySuccess } from "../../ui/index.ts";
import { matches } from "../../ui/matches.ts";
import type { DayEntry } from "../../ui/opening-hours/hours-rules.ts";
import { checkHours } from "../../ui/opening-hours/hours-rules.ts";
import { focusWrongTime, OpeningHours } from "../../ui/opening-hours/opening-hours.tsx";
import { Page, PageSearch } from "../../ui/page/page.tsx";
import { useSession } from "../auth/index.ts";
import { useConnections } from "../connections/index.ts";
import { HelpVideos } from "../helps/index.ts";
import { saveHours, useCompany, useSetting } from "./api.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { OptionsPanel } from "./options-panel.tsx";
import { Section } from "./section.tsx";
import classes from "./settings-page.module.css";

const TAB = "tab";
const SAVED_SHOWN_MS = 3_000;
const tabs = ["options", "hours", "texts", "reasons", "helps"] as const;
type SettingsTab = (typeof tabs)[number];
const tabTitles = {
  options: "settings.options",
  reasons: "settings.reasons.tab",
  hours: "settings.hours.title",
  texts: "settings.texts.tab",
  helps: "helps.title",
} as const satisfies Record<SettingsTab, PlainTextKey>;

const Holidays = lazyPart(async () => (await import("./holidays.tsx")).Holidays);
const ResolveReasons = lazyPart(async () => (await import("./resolve-reasons.tsx")).ResolveReasons);
const AutomaticTexts = lazyPart(async () => (await import("./automatic-texts.tsx")).AutomaticTexts);

/** The settings of the company (spec 2). Options save themselves; a search looks through all tabs. */
export function SettingsPage(): ReactNode {
  const { t } = useTranslation();
  const [search, setSearch] = useSearchParams();
  const hasHours = useSetting("scheduleType") !== "disabled";
  const { can } = useSession();
  const shown = tabs.filter(
    (tab) => (tab !== "hours" || hasHours) && (tab !== "helps" || can("helps:manage")),
  );
  const tab = shown.find((one) => one === search.get(TAB)) ?? "options";
  const [words, setWords] = useState("");
  // Another number is another, empty field.
  const [searches, setSearches] = useState(0);
  const [savedTimes, setSavedTimes] = useState(0);
  const content = useRef<HTMLDivElement>(null);
  const saved = (): void => setSavedTimes((times) => times + 1);
  const openTab = (next: string | null): void =>
    setSearch(next === null || next === "options" ? {} : { [TAB]: next }, { replace: true });

  /** The other tabs that have the words of the search. */
  const others = shown.filter((one) => matches(textOf(t, one), words));
  function leaveTo(next: SettingsTab): void {
    setWords("");
    setSearches(searches + 1);
    openTab(next);
  }
  function goToFirst(): void {
    content.current?.querySelector<HTMLElement>("input, select, button, a")?.focus();
  }

  return (
    <Page
      title={t("settings.title")}
      tools={
        <>
          <SavedNote times={savedTimes} />
          <PageSearch
            key={searches}
            label={t("settings.search")}
            start=""
            onSearch={setWords}
            onEnter={goToFirst}
          />
        </>
      }
    >
      <div ref={content}>
        {words === "" ? (
          <Tabs value={tab} keepMounted={false} onChange={openTab}>
            <Tabs.List>
              {shown.map((one) => (
                <Tabs.Tab key={one} value={one}>
                  {t(tabTitles[one])}
                </Tabs.Tab>
              ))}
            </Tabs.List>
            <Tabs.Panel value="options">
              <OptionsPanel words="" onSaved={saved} />
            </Tabs.Panel>
            <Tabs.Panel value="texts">
              <Suspense fallback={<ListSkeleton />}>
                <AutomaticTexts />
              </Suspense>
            </Tabs.Panel>
            <Tabs.Panel value="reasons">
              <div className={classes["panel"]}>
                <Suspense fallback={<ListSkeleton />}>
                  <ResolveReasons />
                </Suspense>
              </div>
            </Tabs.Panel>
            <Tabs.Panel value="helps">
              <Suspense fallback={<ListSkeleton />}>
                <HelpVideos />
              </Suspense>
            </Tabs.Panel>
            {hasHours ? (
              <Tabs.Panel value="hours">
                <HoursPanel />
              </Tabs.Panel>
            ) : null}
          </Tabs>
        ) : (
          <OptionsPanel words={words} onSaved={saved}>
            {others.length === 0
              ? null
              : others.map((one) => (
                  <p key={one} className={classes["found"]}>
                    <button type="button" className="bc-text-button" onClick={() => leaveTo(one)}>
                      {t(tabTitles[one])}
                    </button>
                  </p>
                ))}
          </OptionsPanel>
        )}
      </div>
    </Page>
  );
}

/** The texts by which a tab is found; options are found one by one. */
function textOf(t: TFunction, tab: SettingsTab): string {
  switch (tab) {
    case "options":
      return "";
    case "helps":
      return t("helps.title");
    case "reasons":
      return `${t("settings.reasons.title")} ${t("settings.reasons.help")}`;
    case "hours":
      return `${t("settings.hours.heading")} ${t("settings.hours.text")} ${t("settings.holidays.title")}`;
    case "texts":
      return `${t("settings.texts.tab")} ${automaticTextKeys.map((key) => t(`settings.texts.${key}.title`)).join(" ")}`;
  }
}

/** Says for a moment, beside the title, that an option was saved: `times` counts. */
function SavedNote({ times }: { times: number }): ReactNode {
  const { t } = useTranslation();
  const [overTimes, setOverTimes] = useState(0);
  useEffect(() => {
    const timer = setTimeout(() => setOverTimes(times), SAVED_SHOWN_MS);
    return () => clearTimeout(timer);
  }, [times]);
  return (
    <p role="status" className={classes["saved"]}>
      {times === overTimes ? null : (
        <>
          <IconCheck size={15} stroke={1.7} aria-hidden="true" />
          {t("settings.optionSaved")}
        </>
      )}
    </p>
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
