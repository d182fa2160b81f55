import { limits } from "@balcao/contract/limits";
import { useEffect } from "react";
import { i18n } from "../../i18n/index.ts";
import { notifyInfo } from "../../ui/index.ts";

const DAY_MS = 86_400_000;
const SHOWN_KEY = "balcao.subscriptionWarned";

/** Whole days to the due date, rounded; null when it is not near (spec 8: fewer than 5) or past. */
export function daysToWarnAbout(dueDate: string | null, nowMs: number): number | null {
  if (dueDate === null) return null;
  const left = new Date(dueDate).getTime() - nowMs;
  if (left < 0) return null;
  const days = Math.round(left / DAY_MS);
  return days < limits.subscriptionWarningDays ? days : null;
}

type Props = { dueDate: string | null; sessionId: string };

/** Shows once per tab and sign-in that the company's subscription ends soon. */
export function SubscriptionWarning({ dueDate, sessionId }: Props): null {
  useEffect(() => {
    const days = daysToWarnAbout(dueDate, Date.now());
    if (days === null || sessionStorage.getItem(SHOWN_KEY) === sessionId) return;
    sessionStorage.setItem(SHOWN_KEY, sessionId);
    notifyInfo(
      days === 0
        ? i18n.t("auth.subscriptionEndsToday")
        : i18n.t("auth.subscriptionEnds", { count: days }),
    );
  }, [dueDate, sessionId]);
  return null;
}
