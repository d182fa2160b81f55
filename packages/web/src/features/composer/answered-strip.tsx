import { IconMessageReply } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import classes from "./composer.module.css";

type Props = {
  /** Who answered; undefined for the company's own phone. */
  name: string | undefined;
  /** An Enter has not sent: the next one does. */
  mustConfirm: boolean;
  onShow: () => void;
  onSend: () => void;
};

/** Shows before sending that somebody else answered while the agent was writing. */
export function AnsweredStrip({ name, mustConfirm, onShow, onSend }: Props): ReactNode {
  const { t } = useTranslation();
  return (
    <div className={classes["strip"]} data-held={mustConfirm || undefined}>
      <IconMessageReply size={19} stroke={1.7} aria-hidden="true" />
      <span className={classes["answeredText"]}>
        {name === undefined ? t("composer.answeredElsewhere") : t("composer.answered", { name })}
        {mustConfirm ? (
          <span className={classes["answeredAgain"]}>{t("composer.answeredAgain")}</span>
        ) : null}
      </span>
      <button type="button" className={classes["answeredAction"]} onClick={onShow}>
        {t("composer.answeredShow")}
      </button>
      <button type="button" className={classes["answeredAction"]} onClick={onSend}>
        {t("composer.answeredSend")}
      </button>
    </div>
  );
}
