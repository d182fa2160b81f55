import { IconCheck, IconChecks, IconClock, IconHelpCircle } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import classes from "./ack-icon.module.css";

type AckState = "waiting" | "sent" | "delivered" | "read" | "unconfirmed";

type Fate = { ack: number; isUnconfirmed?: boolean };

/** What an acknowledgement level means to people (spec 4). */
export function ackState({ ack, isUnconfirmed = false }: Fate): AckState {
  if (isUnconfirmed) return "unconfirmed";
  if (ack >= 4) return "read";
  if (ack === 3) return "delivered";
  return ack >= 1 ? "sent" : "waiting";
}

const icons = {
  waiting: IconClock,
  sent: IconCheck,
  delivered: IconChecks,
  read: IconChecks,
  unconfirmed: IconHelpCircle,
};

/** The clock or the checks of one of our own messages, with their meaning in words. */
export function AckIcon(fate: Fate): ReactNode {
  const { t } = useTranslation();
  const state = ackState(fate);
  const StateIcon = icons[state];
  return (
    <span
      className={classes["ack"]}
      data-state={state}
      role="img"
      aria-label={t(`messages.ack.${state}`)}
      title={state === "unconfirmed" ? t("messages.unconfirmedText") : undefined}
    >
      <StateIcon size={state === "waiting" ? 13 : 15} stroke={1.9} aria-hidden="true" />
    </span>
  );
}
