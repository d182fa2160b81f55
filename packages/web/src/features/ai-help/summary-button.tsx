import { IconSparkles } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useEffect, useEffectEvent } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { useAiOffer } from "../../realtime/ai-offer.ts";
import { ErrorWords } from "../../ui/index.ts";
import classes from "./ai-help.module.css";
import { isTooSlow, useProposal } from "./use-proposal.ts";

type Props = { ticketId: number; onSummary: (text: string) => void };

/** Asks for a summary of the conversation, which the user can change before anybody reads it. A second press stops it. */
export function SummaryButton({ ticketId, onSummary }: Props): ReactNode {
  const { t } = useTranslation();
  const { helps } = useAiOffer();
  const { asked, ask, close } = useProposal<null>(ticketId);
  const take = useEffectEvent((text: string) => {
    close();
    onSummary(text);
  });
  const ready = asked?.state === "ready" ? asked.proposal.text : null;
  useEffect(() => {
    if (ready !== null) take(ready);
  }, [ready]);
  if (!helps) return null;
  const isWaiting = asked?.state === "waiting";
  return (
    <>
      <button
        type="button"
        className={classes["summary"]}
        aria-busy={isWaiting}
        onClick={() => (isWaiting ? close() : ask({ kind: "summary" }, null))}
      >
        <IconSparkles size={16} stroke={1.7} aria-hidden="true" />
        {t(isWaiting ? "aiHelp.stopSummary" : "aiHelp.summary")}
      </button>
      {asked?.state === "failed" ? (
        <p className={classes["summaryFailure"]} role="alert">
          {isTooSlow(asked.error) ? t("aiHelp.slow") : <ErrorWords error={asked.error} />}
        </p>
      ) : null}
    </>
  );
}
