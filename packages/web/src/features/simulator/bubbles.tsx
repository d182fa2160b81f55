import type { SimulatorMessage } from "@balcao/contract";
import { IconAlertCircle, IconCheck, IconChecks, IconClock } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { dayKey, formatDayLabel, formatTime } from "../../i18n/format.ts";
import { useTranslation } from "../../i18n/index.ts";
import { errorText } from "../../ui/index.ts";
import { FormattedText } from "../messages/index.ts";
import classes from "./bubbles.module.css";
import { MessageContent, Reactions } from "./message-content.tsx";
import type { MessageActions } from "./message-menu.tsx";
import { MessageMenu } from "./message-menu.tsx";
import type { UnsentMessage } from "./unsent.ts";

/** Messages of one side within this time are one group. */
const GROUP_MS = 5 * 60_000;

type Edges = { opensDay: boolean; starts: boolean; ends: boolean };

/** Where groups and days begin in an ascending list. */
export function edgesOf(
  messages: readonly Pick<SimulatorMessage, "at" | "fromCustomer">[],
): readonly Edges[] {
  const isApart = (index: number): boolean => {
    const [before, after] = [messages[index - 1], messages[index]];
    if (!before || !after || before.fromCustomer !== after.fromCustomer) return true;
    return Date.parse(after.at) - Date.parse(before.at) > GROUP_MS;
  };
  return messages.map((message, index) => {
    const before = messages[index - 1];
    return {
      opensDay: !before || dayKey(before.at) !== dayKey(message.at),
      starts: isApart(index),
      ends: isApart(index + 1),
    };
  });
}

type BubbleProps = { message: SimulatorMessage; edges: Edges; actions: MessageActions };

/** A message as the customer's phone shows it: his own at the right. */
export function Bubble({ message, edges, actions }: BubbleProps): ReactNode {
  return (
    <>
      {edges.opensDay ? <p className={classes["day"]}>{formatDayLabel(message.at)}</p> : null}
      <article
        className={classes["bubble"]}
        data-side={message.fromCustomer ? "customer" : "company"}
        data-starts={edges.starts || undefined}
        data-ends={edges.ends || undefined}
      >
        <MessageMenu message={message} actions={actions} />
        <MessageContent message={message} />
        <span className={`${classes["foot"]} bc-numbers`}>
          {formatTime(message.at)}
          {message.fromCustomer ? <AckIcon ack={message.ack} /> : null}
        </span>
      </article>
      <div className={classes["below"]} data-side={message.fromCustomer ? "customer" : "company"}>
        <Reactions message={message} />
      </div>
    </>
  );
}

/** How far a message of the customer has come: waiting, taken by the connection, read by an agent. */
function AckIcon({ ack }: { ack: number }): ReactNode {
  const { t } = useTranslation();
  const icon = { size: 15, stroke: 1.9, role: "img" } as const;
  if (ack >= 4) return <IconChecks {...icon} data-read aria-label={t("simulator.ackRead")} />;
  if (ack >= 2) return <IconCheck {...icon} aria-label={t("simulator.ackTaken")} />;
  return <IconClock {...icon} aria-label={t("simulator.ackWaiting")} />;
}

type UnsentProps = {
  message: UnsentMessage;
  onRetry: (message: UnsentMessage) => void;
  onDiscard: (id: string) => void;
};

/** A message on its way to the simulated network, or one that it could not take. */
export function UnsentBubble({ message, onRetry, onDiscard }: UnsentProps): ReactNode {
  const { t } = useTranslation();
  const hasFailed = message.error !== null;
  const icon = { size: 14, stroke: 1.9, role: "img" } as const;
  return (
    <>
      <article
        className={classes["bubble"]}
        data-side="customer"
        data-ends
        data-failed={hasFailed || undefined}
      >
        <FormattedText text={message.body} />
        <span className={classes["foot"]}>
          {hasFailed ? (
            <IconAlertCircle {...icon} aria-label={t("simulator.ackFailed")} />
          ) : (
            <IconClock {...icon} aria-label={t("simulator.ackSending")} />
          )}
        </span>
      </article>
      {hasFailed ? (
        <p className={classes["failure"]} role="alert">
          {t("simulator.notSent", { reason: errorText(t, message.error) })}
          <span className={classes["choices"]}>
            <button type="button" onClick={() => onRetry(message)}>
              {t("common.retry")}
            </button>
            <button type="button" onClick={() => onDiscard(message.id)}>
              {t("simulator.discard")}
            </button>
          </span>
        </p>
      ) : null}
    </>
  );
}
