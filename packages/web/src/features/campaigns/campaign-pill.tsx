import type { CampaignStatus } from "@balcao/contract";
import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import type { Tone } from "../../ui/marks.tsx";
import classes from "./campaign-pill.module.css";
import { statusTones } from "./campaign-words.ts";

/** The status of a campaign in words. */
export function CampaignPill({ status }: { status: CampaignStatus }): ReactNode {
  const { t } = useTranslation();
  return <Pill tone={statusTones[status] ?? undefined}>{t(`campaigns.status.${status}`)}</Pill>;
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
