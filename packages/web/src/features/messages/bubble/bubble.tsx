import type { ReactNode } from "react";
import classes from "./bubble.module.css";
import { IconCheck, IconChecks, IconClock, IconHelpCircle } from "@tabler/icons-react";
import { useTranslation } from "../../../i18n/index.ts";

type BubbleProps = {
  /** Written by the user of the screen: the agent in the inbox, the customer on a customer's phone. */
  isOwn: boolean;
  /** The last one of its group has a small corner on its sender's side. */
  endsGroup?: boolean;
  hasFailed?: boolean;
  /** A picture fills its bubble; a sticker has none. */
  look?: "picture" | "sticker" | undefined;
  /** A picture without text: time and state stand on it. */
  isBare?: boolean;
  text: ReactNode;
  /** Time and state, at the end of the last line. */
  foot?: ReactNode;
  footTitle?: string | undefined;
  /** Everything above the text. */
  children?: ReactNode;
};

/** The bubble of a message, for every view of a conversation. The parent limits its width. */
export function Bubble(props: BubbleProps): ReactNode {
  const { isOwn, endsGroup = false, hasFailed = false, look, text, foot, footTitle } = props;
  const { isBare = false } = props;
  return (
    <div
      className={classes["bubble"]}
      data-own={isOwn || undefined}
      data-ends-group={endsGroup || undefined}
      data-failed={hasFailed || undefined}
      data-look={look}
      data-bare={isBare || undefined}
    >
      {props.children}
      <div className={classes["text"]}>
        {text}
        {foot === undefined ? null : (
          <span className={classes["meta"]} title={footTitle}>
            {foot}
          </span>
        )}
      </div>
    </div>
  );
}

type AckState = "waiting" | "sent" | "delivered" | "read" | "unconfirmed";

type Delivery = { ack: number; isUnconfirmed?: boolean };

/** The delivery state of an acknowledgement level (spec 4). */
export function ackState({ ack, isUnconfirmed = false }: Delivery): AckState {
  if (isUnconfirmed) return "unconfirmed";
  if (ack >= 4) return "read";
  if (ack === 3) return "delivered";
  return ack >= 1 ? "sent" : "waiting";
}

const ackIcons = {
  waiting: IconClock,
  sent: IconCheck,
  delivered: IconChecks,
  read: IconChecks,
  unconfirmed: IconHelpCircle,
};

/** The clock or the checks of one of our own messages, with their meaning in words. */
export function AckIcon(delivery: Delivery): ReactNode {
  const { t } = useTranslation();
  const state = ackState(delivery);
  const StateIcon = ackIcons[state];
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
