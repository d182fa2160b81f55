import type { CampaignStatus } from "@balcao/contract";
import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import type { Tone } from "../../ui/marks.tsx";
import classes from "./campaign-pill.module.css";

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

type Props = { tone: Tone | undefined; children: ReactNode };

/** A dot and a word on a tinted background; without a tone it is neutral. */
export function Pill({ tone, children }: Props): ReactNode {
  return (
    <span className={classes["pill"]} data-tone={tone}>
      {children}
    </span>
  );
}
