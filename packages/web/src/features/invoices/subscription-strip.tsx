import { IconAlertCircle, IconAlertTriangle, IconLock } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useEffect } from "react";
import { renewToken } from "../../api/client.ts";
import { currentSession } from "../../api/session-store.ts";
import { formatDate, formatMoney } from "../../i18n/format.ts";
import { useTranslation } from "../../i18n/index.ts";
import { useNavigate } from "../../router/index.tsx";
import { useNow } from "../../ui/clock.ts";
import { EmptyState, MenuButton, NoticeStrip } from "../../ui/index.ts";
import { useSession } from "../auth/index.ts";
import { shortDay, useSubscription } from "./api.ts";
import classes from "./invoices.module.css";

/** A payment by a colleague, or one that the provider confirms, opens the product. */
export const READ_EVERY_MS = 60_000;

type Props = { dueDate: string; daysLeft: number; onClose: () => void };

/** Below the top bar, for admins: the subscription has ended, or ends soon. */
export function SubscriptionStrip({ dueDate, daysLeft, onClose }: Props): ReactNode {
  const { t } = useTranslation();
  const { isLocked } = useSession();
  const navigate = useNavigate();
  const pay = (): void => navigate("/financeiro?pay");
  if (isLocked) return <EndedStrip dueDate={dueDate} onPay={pay} />;
  return (
    <NoticeStrip
      tone="warn"
      icon={IconAlertTriangle}
      title={
        daysLeft <= 0
          ? t("invoices.strip.endsToday")
          : t("invoices.strip.ends", { count: daysLeft })
      }
      action={{ label: t("invoices.strip.pay"), onClick: pay }}
      close={{ label: t("invoices.strip.close"), onClick: onClose }}
    />
  );
}

function EndedStrip({ dueDate, onPay }: { dueDate: string; onPay: () => void }): ReactNode {
  const { t } = useTranslation();
  const { data } = useSubscription({ everyMs: READ_EVERY_MS });
  const nowMs = useNow(READ_EVERY_MS);
  const value = data?.invoice?.value;
  const canPay = data === undefined || data.canPay;
  const stopsAt = data?.stopsAt ?? null;
  return (
    <div className={classes["ended"]}>
      <NoticeStrip
        tone="bad"
        icon={IconAlertCircle}
        title={t("invoices.strip.ended", { date: formatDate(dueDate) })}
        action={
          canPay
            ? {
                label:
                  value === undefined
                    ? t("invoices.strip.pay")
                    : t("invoices.strip.payValue", { value: formatMoney(value) }),
                onClick: onPay,
              }
            : undefined
        }
      >
        {t(canPay ? "invoices.strip.untilPaid" : "invoices.strip.askProvider")}{" "}
        {stopsAt === null
          ? null
          : t(Date.parse(stopsAt) > nowMs ? "invoices.strip.goesOn" : "invoices.strip.stopped", {
              date: shortDay(stopsAt),
            })}
      </NoticeStrip>
    </div>
  );
}

/** In the place of every page of an agent, when the subscription has ended. */
export function AskAdmin(): ReactNode {
  const { t } = useTranslation();
  const { user } = useSession();
  const { dueDate } = user.company;
  // A renewed session has the new due date, which opens the product.
  useEffect(() => {
    const renew = (): void => {
      if (document.visibilityState !== "visible") return;
      renewToken(currentSession()?.token ?? null).catch(() => undefined);
    };
    renew();
    const timer = setInterval(renew, READ_EVERY_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <div className={classes["askAdmin"]}>
      <MenuButton />
      <EmptyState
        icon={IconLock}
        heading="h1"
        title={t("invoices.askAdmin.title")}
        text={t("invoices.askAdmin.text", { date: dueDate === null ? "" : formatDate(dueDate) })}
      />
    </div>
  );
}
