import type { CampaignSettings } from "@balcao/contract";
import type { ReactNode } from "react";
import classes from "./config.module.css";
import { LimitCard } from "./config-limit.tsx";
import { PaceCard } from "./config-pace.tsx";
import { VariablesCard } from "./config-variables.tsx";
import { HoursCard, OptOutCard } from "./config-when.tsx";
import { LeaveQuestion } from "./leave-question.tsx";

type Draft = Partial<CampaignSettings>;

type Props = {
  /** As they are stored. */
  settings: CampaignSettings;
  draft: Draft;
  /** The draft at this moment: two changes may come before the next render. */
  readDraft: () => Draft;
  onDraft: (draft: Draft) => void;
};

/** The cards of the settings of campaigns, and the question before a link leads away from a draft. */
export function ConfigCards({ settings, draft, readDraft, onDraft }: Props): ReactNode {
  const value = { ...settings, ...draft };
  /** A change back to what is stored is none. */
  function change(next: Draft): void {
    const all = { ...readDraft(), ...next };
    const entries = Object.entries(all).filter(
      ([key, one]) =>
        JSON.stringify(one) !== JSON.stringify(settings[key as keyof CampaignSettings]),
    );
    onDraft(Object.fromEntries(entries));
  }
  const props = { value, change };
  return (
    <>
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
      <LeaveQuestion isAsked={Object.keys(draft).length > 0} onLeave={() => onDraft({})} />
    </>
  );
}
