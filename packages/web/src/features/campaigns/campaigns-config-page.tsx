import type { CampaignSettings } from "@balcao/contract";
import { IconSettings } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Suspense, useEffect } from "react";
import { createSessionStore } from "../../api/session-store.ts";
import { useTranslation } from "../../i18n/index.ts";
import { useStore } from "../../store/index.ts";
import { Button } from "../../ui/button.tsx";
import { errorText, ListSkeleton, LoadFailed, notifyError, notifySuccess } from "../../ui/index.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { Page } from "../../ui/page/page.tsx";
import { CampaignTabs } from "./campaign-tabs.tsx";
import { saveCampaignSettings, useCampaignSettings } from "./settings-api.ts";

/** Comes with the settings, after the frame of the page. */
const ConfigCards = lazyPart(
  async () => (await import("./config-cards.tsx")).ConfigCards,
  "inline",
  "campaigns",
);

/** What is changed and not saved. A step back keeps it until the page is opened again. */
const draftStore = createSessionStore<Partial<CampaignSettings>>({});

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
        <Suspense fallback={<ListSkeleton rows={6} />}>
          <ConfigCards
            settings={settings}
            draft={draft}
            readDraft={draftStore.get}
            onDraft={draftStore.set}
          />
        </Suspense>
      )}
    </Page>
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
