import type { Subscription } from "@balcao/contract";
import { IconReceipt } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Suspense, useState } from "react";
import { daysUntil, formatDate } from "../../i18n/format.ts";
import type { TFunction } from "../../i18n/index.ts";
import { useTranslation } from "../../i18n/index.ts";
import { useNavigate } from "../../router/index.tsx";
import { Button } from "../../ui/button.tsx";
import { useNow } from "../../ui/clock.ts";
import { ListSkeleton, LoadFailed } from "../../ui/index.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { Page } from "../../ui/page/page.tsx";
import { useSession } from "../auth/index.ts";
import { useSubscription } from "./api.ts";
import classes from "./invoices.module.css";
import { READ_EVERY_MS } from "./subscription-strip.tsx";

const FormDialog = lazyPart(
  async () => (await import("../../ui/dialogs/form-dialog.tsx")).FormDialog,
  "over",
  "provider",
);

/** How long the trial, or the subscription, lasts, and the way to pay for it (specification 2, Subscription). */
export function SubscriptionPage(): ReactNode {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { user } = useSession();
  const nowMs = useNow(READ_EVERY_MS);
  const { data, error, refetch } = useSubscription();
  const [isAsking, setAsking] = useState(false);
  return (
    <Page title={t("subscription.title")}>
      {data === undefined && error !== null ? (
        <LoadFailed icon={IconReceipt} error={error} onRetry={() => void refetch()} />
      ) : null}
      {data === undefined && error === null ? <ListSkeleton rows={3} /> : null}
      {data === undefined ? null : (
        <>
          <dl className={classes["terms"]}>
            <div>
              <dt>{t("subscription.state")}</dt>
              <dd>{stateWords(t, data.company, nowMs)}</dd>
            </div>
            <div>
              <dt>{t("invoices.plan")}</dt>
              <dd>{data.plan.name}</dd>
            </div>
            <div>
              <dt>{t("subscription.email")}</dt>
              <dd>{user.company.email}</dd>
            </div>
          </dl>
          <Button
            onClick={() => {
              if (data.invoice !== null || data.canPay) navigate("/financeiro?pay");
              else setAsking(true);
            }}
          >
            {t("subscription.subscribe")}
          </Button>
        </>
      )}
      <Suspense fallback={null}>
        {isAsking ? (
          <FormDialog
            title={t("subscription.contactTitle")}
            submitLabel={null}
            isBusy={false}
            error={null}
            onSubmit={(event) => event.preventDefault()}
            onClose={() => setAsking(false)}
          >
            <Contact address={data?.contact ?? ""} />
          </FormDialog>
        ) : null}
      </Suspense>
    </Page>
  );
}

/** Whom to write to where nothing can be paid here. */
function Contact({ address }: { address: string }): ReactNode {
  const { t } = useTranslation();
  if (address === "") return <p>{t("subscription.contactNobody")}</p>;
  return (
    <p>
      {t("subscription.contactText")} <a href={`mailto:${address}`}>{address}</a>
    </p>
  );
}

function stateWords(
  t: TFunction,
  { dueDate, trialExpiration }: Subscription["company"],
  nowMs: number,
): string {
  if (dueDate === null) return t("subscription.noEnd");
  const [count, date] = [daysUntil(dueDate, nowMs), formatDate(dueDate)];
  if (count < 0) return t("subscription.ended", { date });
  // Once it is paid for, the due date is later than the end of the trial.
  if (trialExpiration !== null && dueDate <= trialExpiration) {
    return count === 0 ? t("subscription.trialLastDay") : t("subscription.trial", { count });
  }
  return count === 0 ? t("subscription.lastDay") : t("subscription.active", { count, date });
}
