import type { Delivery } from "@balcao/contract";
import type { IntegrationType } from "@balcao/contract/integration-choices";
import type { Icon } from "@tabler/icons-react";
import {
  IconHierarchy3,
  IconMessageChatbot,
  IconRobotFace,
  IconWebhook,
} from "@tabler/icons-react";
import type { ReactNode } from "react";
import { formatNumber } from "../../i18n/format.ts";
import type { TFunction } from "../../i18n/index.ts";
import classes from "./integrations.module.css";

const glyphs: Readonly<Record<IntegrationType, Icon>> = {
  n8n: IconHierarchy3,
  webhook: IconWebhook,
  typebot: IconRobotFace,
  dialogflow: IconMessageChatbot,
};

/** The sign of a type, whose name stands beside it. */
export function TypeGlyph({ type }: { type: IntegrationType }): ReactNode {
  const Glyph = glyphs[type];
  return (
    <span className={classes["glyph"]} data-type={type} aria-hidden="true">
      <Glyph size={19} stroke={1.7} />
    </span>
  );
}

/** Why a try failed, in a few words: the status of the answer, or what came instead of one. */
export function failureWords(t: TFunction, { status, fault }: Pick<Delivery, "status" | "fault">) {
  if (fault !== null) return t(`integrations.faults.${fault}`);
  return status === null ? t("integrations.faults.unreachable") : String(status);
}

const SHORT_MS = 100;

/** "0,4 s"; shorter times as "12 ms". */
export function secondsText(t: TFunction, ms: number): string {
  if (ms < SHORT_MS) return `${ms} ms`;
  return t("integrations.seconds", { value: formatNumber(Math.round(ms / 100) / 10) });
}

/** What happened, in words; one that is not known here has its own name. */
export function kindWords(t: TFunction, kind: string): string {
  switch (kind) {
    case "message.received":
      return t("integrations.kinds.received");
    case "message.sent":
      return t("integrations.kinds.sent");
    case "ticket.changed":
      return t("integrations.kinds.changed");
    case "test":
      return t("integrations.kinds.test");
    default:
      return kind;
  }
}

export const isWebAddress = (text: string): boolean =>
  URL.canParse(text.trim()) && /^https?:\/\//i.test(text.trim());
