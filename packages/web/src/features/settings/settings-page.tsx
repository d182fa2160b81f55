import "@mantine/core/styles/Tabs.layer.css";
import { automaticTextKeys } from "@balcao/contract/automatic-texts";
import type { Permission } from "@balcao/contract/permissions";
import { Tabs } from "@mantine/core";
import { IconCheck } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Suspense, useEffect, useRef, useState } from "react";
import type { PlainTextKey, TFunction } from "../../i18n/index.ts";
import { useTranslation } from "../../i18n/index.ts";
import { useSearchParams } from "../../router/index.tsx";
import { ListSkeleton } from "../../ui/index.ts";
import { matches } from "../../ui/matches.ts";
import { Page, PageSearch } from "../../ui/page/page.tsx";
import { useSession } from "../auth/index.ts";
import { BillingPanel } from "../billing/index.ts";
import { BrandsPanel } from "../brands/index.ts";
import { CompaniesPanel } from "../companies/index.ts";
import { HelpVideos } from "../helps/index.ts";
import { MailsPanel } from "../mails/index.ts";
import { PlansPanel } from "../plans/index.ts";
import { PrivacyPanel } from "../privacy/index.ts";
import { useSetting } from "./api.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { OptionsPanel } from "./options-panel.tsx";
import classes from "./settings-page.module.css";

const TAB = "tab";
const SAVED_SHOWN_MS = 3_000;
/** The last ones are of super users, for the whole installation. */
const tabs = [
  "options",
  "hours",
  "texts",
  "reasons",
  "lookups",
  "audit",
  "privacy",
  "companies",
  "plans",
  "billing",
  "mails",
  "brands",
  "helps",
] as const;
type SettingsTab = (typeof tabs)[number];
const tabTitles = {
  options: "settings.options",
  reasons: "settings.reasons.tab",
  lookups: "settings.lookups.tab",
  hours: "settings.hours.title",
  texts: "settings.texts.tab",
  companies: "companies.title",
  plans: "plans.title",
  billing: "billing.title",
  mails: "mails.title",
  brands: "brands.title",
  helps: "helps.title",
  audit: "settings.audit",
  privacy: "settings.privacy",
} as const satisfies Record<SettingsTab, PlainTextKey>;
const needed: Readonly<Partial<Record<SettingsTab, Permission>>> = {
  lookups: "integrations:manage",
  audit: "audit:view",
  privacy: "privacy:manage",
  companies: "companies:manage-any",
  plans: "plans:manage",
  billing: "billing:manage",
  mails: "mails:manage",
  brands: "companies:manage-any",
  helps: "helps:manage",
};
/** Tabs about the company itself, though they need a permission. */
const ofCompany: ReadonlySet<SettingsTab> = new Set(["lookups", "audit", "privacy"]);
/** They have a search of their own. */
const searched: ReadonlySet<SettingsTab> = new Set([
  "companies",
  "plans",
  "mails",
  "audit",
  "privacy",
]);

const HoursPanel = lazyPart(async () => (await import("./hours-panel.tsx")).HoursPanel);
const ResolveReasons = lazyPart(async () => (await import("./resolve-reasons.tsx")).ResolveReasons);
const AutomaticTexts = lazyPart(async () => (await import("./automatic-texts.tsx")).AutomaticTexts);

const AuditTab = lazyPart(
  async () => (await import("./audit-tab.tsx")).AuditTab,
  "inline",
  "trust",
);

const BillingLookups = lazyPart(
  async () => (await import("./billing-lookups.tsx")).BillingLookups,
  "inline",
  "provider",
);

/** The settings of the company (spec 2). Options save themselves; a search looks through all tabs. */
export function SettingsPage(): ReactNode {
  const { t } = useTranslation();
  const [search, setSearch] = useSearchParams();
  const hasHours = useSetting("scheduleType") !== "disabled";
  const { can } = useSession();
  const shown = tabs.filter((tab) => {
    const permission = needed[tab];
    return (tab !== "hours" || hasHours) && (permission === undefined || can(permission));
  });
  const firstOfAll = shown.find((one) => !ofCompany.has(one) && needed[one] !== undefined);
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
          {searched.has(tab) && words === "" ? null : (
            <PageSearch
              key={searches}
              label={t("settings.search")}
              start=""
              onSearch={setWords}
              onEnter={goToFirst}
            />
          )}
        </>
      }
    >
      <div ref={content}>
        {words === "" ? (
          <Tabs value={tab} keepMounted={false} onChange={openTab}>
            <Tabs.List className={classes["tabs"] ?? ""}>
              {shown.map((one) => (
                <Tabs.Tab
                  key={one}
                  value={one}
                  ref={one === tab ? bringIntoView : null}
                  className={one === firstOfAll ? (classes["afterLine"] ?? "") : ""}
                >
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
            <Tabs.Panel value="lookups">
              <Suspense fallback={<ListSkeleton />}>
                <BillingLookups onSaved={saved} />
              </Suspense>
            </Tabs.Panel>
            <Tabs.Panel value="audit">
              <Suspense fallback={<ListSkeleton rows={6} />}>
                <AuditTab onSaved={saved} />
              </Suspense>
            </Tabs.Panel>
            <Tabs.Panel value="privacy">
              <Suspense fallback={<ListSkeleton rows={6} />}>
                <PrivacyPanel onSaved={saved} />
              </Suspense>
            </Tabs.Panel>
            <Tabs.Panel value="companies">
              <Suspense fallback={<ListSkeleton rows={6} />}>
                <CompaniesPanel />
              </Suspense>
            </Tabs.Panel>
            <Tabs.Panel value="plans">
              <Suspense fallback={<ListSkeleton />}>
                <PlansPanel />
              </Suspense>
            </Tabs.Panel>
            <Tabs.Panel value="billing">
              <Suspense fallback={<ListSkeleton rows={6} />}>
                <BillingPanel />
              </Suspense>
            </Tabs.Panel>
            <Tabs.Panel value="mails">
              <Suspense fallback={<ListSkeleton />}>
                <MailsPanel />
              </Suspense>
            </Tabs.Panel>
            <Tabs.Panel value="brands">
              <Suspense fallback={<ListSkeleton />}>
                <BrandsPanel />
              </Suspense>
            </Tabs.Panel>
            <Tabs.Panel value="helps">
              <Suspense fallback={<ListSkeleton />}>
                <HelpVideos />
              </Suspense>
            </Tabs.Panel>
            {hasHours ? (
              <Tabs.Panel value="hours">
                <Suspense fallback={<ListSkeleton />}>
                  <HoursPanel />
                </Suspense>
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

/** On a narrow screen the tabs scroll sideways. */
function bringIntoView(tab: HTMLElement | null): void {
  tab?.scrollIntoView({ block: "nearest", inline: "nearest" });
}

/** The texts by which a tab is found; options are found one by one. */
function textOf(t: TFunction, tab: SettingsTab): string {
  switch (tab) {
    case "options":
      return "";
    case "audit":
    case "privacy":
      return t(tabTitles[tab]);
    case "companies":
    case "plans":
    case "billing":
    case "mails":
    case "brands":
    case "helps":
      return t(tabTitles[tab]);
    case "reasons":
      return `${t("settings.reasons.title")} ${t("settings.reasons.help")}`;
    case "lookups":
      return `${t("settings.lookups.tab")} ${t("settings.lookups.title")} MK-Auth Asaas IXC`;
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
