import { IconMessageReply } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useSyncExternalStore } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { useCompanyEvent } from "../../realtime/index.ts";
import { openAt } from "../messages/index.ts";
import type { AnswerWatch } from "./answer-watch.ts";
import classes from "./answered-strip.module.css";

type Props = {
  ticketId: number;
  watch: AnswerWatch;
  onSend: () => void;
};

/** Says that somebody else answered while the agent was writing, before he sends. */
export function AnsweredStrip({ ticketId, watch, onSend }: Props): ReactNode {
  const { t } = useTranslation();
  const answer = useSyncExternalStore(watch.subscribe, watch.current);
  useCompanyEvent("appMessage", (event) => {
    const isNew = event.action === "create" && event.message.ticketId === ticketId;
    if (isNew) watch.note(event.message);
  });
  const name = answer?.message.user?.name;
  return (
    <div role="status">
      {answer === null ? null : (
        <div className={classes["strip"]} data-held={answer.mustConfirm || undefined}>
          <IconMessageReply size={19} stroke={1.7} aria-hidden="true" />
          <span className={classes["text"]}>
            {name === undefined
              ? t("composer.answeredElsewhere")
              : t("composer.answered", { name })}
            {answer.mustConfirm ? (
              <span className={classes["again"]}>{t("composer.answeredAgain")}</span>
            ) : null}
          </span>
          <button
            type="button"
            className={classes["action"]}
            onClick={() => {
              openAt(ticketId, answer.message.id);
              watch.reset();
            }}
          >
            {t("composer.answeredShow")}
          </button>
          <button type="button" className={classes["action"]} onClick={onSend}>
            {t("composer.answeredSend")}
          </button>
        </div>
      )}
    </div>
  );
}
