import type { CampaignSettings } from "@balcao/contract";
import { IconSettings } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useEffect } from "react";
import { createSessionStore } from "../../api/session-store.ts";
import { useTranslation } from "../../i18n/index.ts";
import { useStore } from "../../store/index.ts";
import { Button } from "../../ui/button.tsx";
import { errorText, ListSkeleton, LoadFailed, notifyError, notifySuccess } from "../../ui/index.ts";
import { Page } from "../../ui/page/page.tsx";
import { CampaignTabs } from "./campaign-tabs.tsx";
import classes from "./config.module.css";
import { HoursCard, OptOutCard } from "./config-when.tsx";
import { LimitCard } from "./config-limit.tsx";
import { PaceCard } from "./config-pace.tsx";
import { VariablesCard } from "./config-variables.tsx";
import { LeaveQuestion } from "./leave-question.tsx";
import { saveCampaignSettings, useCampaignSettings } from "./settings-api.ts";

/** What is changed and not saved. A step back keeps it until the page is opened again. */
const draftStore = createSessionStore<Partial<CampaignSettings>>({});

/** What each card gets: the settings with what was changed, and how to change them. */
export type CardProps = {
  value: CampaignSettings;
  change: (next: Partial<CampaignSettings>) => void;
};

/** Settings by which somebody decides what would otherwise be offered. */
const decisive = ["varies", "hours", "pausesOnHolidays", "limitsByDay"] as const;

/** The pace and limits of campaigns, their variables, hours, and the words with which people leave. */
export function CampaignsConfigPage(): ReactNode {
  const { t } = useTranslation();
  const { settings, error, retry } = useCampaignSettings();
  const draft = useStore(draftStore);
  const isChanged = Object.keys(draft).length > 0;
  const save = useMutation({
    mutationFn: (sent: Partial<CampaignSettings>) =>
      saveCampaignSettings({
        ...sent,
        ...(decisive.some((key) => key in sent) ? { isDecided: true } : {}),
      }),
    onSuccess: (_saved, sent) => {
      notifySuccess(t("campaignConfig.saved"));
      // Later input stays.
      if (draftStore.get() === sent) draftStore.set({});
    },
    onError: (failure) => notifyError(errorText(t, failure)),
  });
  useUnloadQuestion(isChanged);

  return (
    <Page
      title={t("campaignConfig.title")}
      tools={
        isChanged ? (
          <>
            <span className="bc-detail" role="status">
              {t("campaignConfig.unsaved")}
            </span>
            <Button variant="default" disabled={save.isPending} onClick={() => draftStore.set({})}>
              {t("campaignConfig.discard")}
            </Button>
            <Button loading={save.isPending} onClick={() => save.mutate(draft)}>
              {t("common.save")}
            </Button>
          </>
        ) : null
      }
    >
      <CampaignTabs />
      {settings === undefined ? (
        error === null ? (
          <ListSkeleton rows={6} />
        ) : (
          <LoadFailed icon={IconSettings} error={error} onRetry={retry} />
        )
      ) : (
        <Cards settings={settings} draft={draft} />
      )}
      <LeaveQuestion isAsked={isChanged} onLeave={() => draftStore.set({})} />
    </Page>
  );
}

type CardsProps = { settings: CampaignSettings; draft: Partial<CampaignSettings> };

function Cards({ settings, draft }: CardsProps): ReactNode {
  const value = { ...settings, ...draft };
  /** A change back to what is stored is none. */
  function change(next: Partial<CampaignSettings>): void {
    const all = { ...draftStore.get(), ...next };
    const entries = Object.entries(all).filter(
      ([key, one]) =>
        JSON.stringify(one) !== JSON.stringify(settings[key as keyof CampaignSettings]),
    );
    draftStore.set(Object.fromEntries(entries));
  }
  const props = { value, change };
  return (
    <div className={classes["columns"]}>
      <div className={classes["column"]}>
        <PaceCard {...props} />
        <LimitCard {...props} />
        <VariablesCard {...props} />
      </div>
      <div className={classes["column"]}>
        <HoursCard {...props} />
        <OptOutCard {...props} />
      </div>
    </div>
  );
}

/** The browser asks before it leaves the page with unsaved changes. */
function useUnloadQuestion(isAsked: boolean): void {
  useEffect(() => {
    if (!isAsked) return undefined;
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener("beforeunload", ask);
    return () => removeEventListener("beforeunload", ask);
  }, [isAsked]);
}
