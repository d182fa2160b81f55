import "@mantine/core/styles/Tabs.layer.css";
import { Tabs } from "@mantine/core";
import type { ReactNode } from "react";
import { useSearchParams } from "react-router";
import { useTranslation } from "../../i18n/index.ts";
import { Page } from "../../ui/page/page.tsx";
import { HoursPanel } from "./hours-panel.tsx";
import { useSetting } from "./live-settings.ts";
import { OptionsPanel } from "./options-panel.tsx";

const TAB = "tab";
const HOURS = "hours";
const OPTIONS = "options";

/** What the company decides for itself (spec 2): how it is served, and when it is open. */
export function SettingsPage(): ReactNode {
  const { t } = useTranslation();
  const [search, setSearch] = useSearchParams();
  const hasHours = useSetting("scheduleType") === "company";
  const tab = hasHours && search.get(TAB) === HOURS ? HOURS : OPTIONS;
  return (
    <Page title={t("settings.title")}>
      <Tabs
        value={tab}
        keepMounted={false}
        onChange={(next) => setSearch(next === HOURS ? { [TAB]: HOURS } : {}, { replace: true })}
      >
        <Tabs.List>
          <Tabs.Tab value={OPTIONS}>{t("settings.options")}</Tabs.Tab>
          {hasHours ? <Tabs.Tab value={HOURS}>{t("settings.hours.title")}</Tabs.Tab> : null}
        </Tabs.List>
        <Tabs.Panel value={OPTIONS}>
          <OptionsPanel />
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
