import { IconCloudCheck, IconCloudOff } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "../i18n/index.ts";
import { NoticeStrip } from "../ui/notice-strip.tsx";
import { retryLiveConnection, useLiveStatus } from "./live.ts";

/** Shows that live updates are lost, the time of the next attempt, and briefly that they are back. */
export function LiveNotice(): ReactNode {
  const { t } = useTranslation();
  const { state, secondsToRetry, wasOffline } = useLiveStatus();
  if (!wasOffline) return null;
  if (state === "online") {
    return (
      <NoticeStrip tone="ok" icon={IconCloudCheck} title={t("common.backOnline")}>
        {t("common.upToDate")}
      </NoticeStrip>
    );
  }
  return (
    <NoticeStrip
      tone="info"
      icon={IconCloudOff}
      title={t("common.offline")}
      action={
        state === "offline" ? { label: t("common.retry"), onClick: retryLiveConnection } : undefined
      }
    >
      {state === "offline"
        ? t("common.retryIn", { seconds: secondsToRetry ?? 0 })
        : t("common.retrying")}
    </NoticeStrip>
  );
}
