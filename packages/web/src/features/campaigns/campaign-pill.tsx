import type { CampaignStatus } from "@balcao/contract";
import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import type { Tone } from "../../ui/marks.tsx";
import { Pill } from "../../ui/marks.tsx";

const tones: Readonly<Record<CampaignStatus, Tone | undefined>> = {
  INATIVA: undefined,
  PROGRAMADA: "info",
  EM_ANDAMENTO: "ok",
  CANCELADA: undefined,
  FINALIZADA: undefined,
};

/** The status of a campaign in words. */
export function CampaignPill({ status }: { status: CampaignStatus }): ReactNode {
  const { t } = useTranslation();
  return <Pill tone={tones[status]}>{t(`campaignReport.campaignStatus.${status}`)}</Pill>;
}
