import { limits } from "@balcao/contract/limits";
import type { ReactNode } from "react";
import { Suspense, useState } from "react";
import { daysUntil } from "../../i18n/format.ts";
import { useNow } from "../../ui/clock.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { useSession } from "../auth/index.ts";
import classes from "./subscription-notice.module.css";

const SubscriptionStrip = lazyPart(
  async () => (await import("./subscription-strip.tsx")).SubscriptionStrip,
  "inline",
  "provider",
);

/** The warning that was closed, on this device: its due date with the days that were left. */
const CLOSED_KEY = "balcao.dueDateSeen";
const HOUR_MS = 3_600_000;

/**
 * Tells admins on every page that the subscription has ended, or ends within five days; the warning can be closed for the day.
 * Its place is kept while its code loads.
 */
export function SubscriptionNotice(): ReactNode {
  const { user, can, isLocked } = useSession();
  const nowMs = useNow(HOUR_MS);
  const [closed, setClosed] = useState(() => localStorage.getItem(CLOSED_KEY));
  const { dueDate } = user.company;
  if (dueDate === null || user.super || !can("invoices:pay")) return null;
  const daysLeft = daysUntil(dueDate, nowMs);
  const warning = `${dueDate} ${daysLeft}`;
  const isNear = daysLeft <= limits.subscriptionWarningDays && closed !== warning;
  if (!isLocked && !isNear) return null;
  function close(): void {
    localStorage.setItem(CLOSED_KEY, warning);
    setClosed(warning);
  }
  return (
    <div className={classes["place"]} data-locked={isLocked || undefined}>
      <Suspense fallback={null}>
        <SubscriptionStrip dueDate={dueDate} daysLeft={daysLeft} onClose={close} />
      </Suspense>
    </div>
  );
}
