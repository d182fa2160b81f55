import { IconLanguage } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useLanguage, useTranslation } from "../../i18n/index.ts";
import classes from "./ai-help.module.css";
import { Failure, WaitingDots } from "./proposal-strip.tsx";
import { askHelp } from "./use-proposal.ts";

type Props = { ticketId: number; messageId: string; onClose: () => void };

/** What a message says in the user's language, quietly below it. Kept in memory only. */
export function MessageTranslation({ ticketId, messageId, onClose }: Props): ReactNode {
  const { t } = useTranslation();
  const language = useLanguage();
  const { data, error, refetch, isFetching } = useQuery({
    queryKey: ["message-translation", messageId, language],
    queryFn: ({ signal }) =>
      askHelp(ticketId, { kind: "translateMessage", messageId, language }, signal),
    // Each call costs tokens.
    ...{ staleTime: Number.POSITIVE_INFINITY, retry: false, retryOnMount: false },
  });
  const isWaiting = data === undefined && (isFetching || error === null);
  return (
    <div className={classes["translation"]} role="note" aria-label={t("aiHelp.translation")}>
      <div role="status">
        {isWaiting ? <WaitingDots text={t("aiHelp.translating")} /> : null}
        {data === undefined ? null : (
          <>
            <IconLanguage size={14} stroke={1.7} aria-hidden="true" /> {data.text}
          </>
        )}
      </div>
      {error === null || isFetching ? null : (
        <Failure error={error} onAgain={() => void refetch()} />
      )}
      <button type="button" className="bc-text-button" onClick={onClose}>
        {t("aiHelp.close")}
      </button>
    </div>
  );
}
