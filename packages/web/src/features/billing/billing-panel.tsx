import type { OpenCharge, UnclearPayment } from "@balcao/contract";
import { reaisOf } from "@balcao/contract/company-choices";
import { limits } from "@balcao/contract/limits";
import { TextInput } from "@mantine/core";
import { IconCashBanknote, IconReceipt } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Suspense, useId, useState } from "react";
import { call } from "../../api/client.ts";
import { formatDayLabel, formatMoney, formatTime } from "../../i18n/format.ts";
import type { TFunction } from "../../i18n/index.ts";
import { useTranslation } from "../../i18n/index.ts";
import { livePages } from "../../realtime/live-list.ts";
import { Button } from "../../ui/button.tsx";
import { minutesSince, useNow } from "../../ui/clock.ts";
import { QuestionDialog } from "../../ui/dialogs/question-dialog.tsx";
import { notifySuccess } from "../../ui/index.ts";
import { Pill } from "../../ui/marks.tsx";
import { ActionQuestion } from "../../ui/page/record-page.tsx";
import type { Column } from "../../ui/page/record-table.tsx";
import { RecordTable } from "../../ui/page/record-table.tsx";
import { SettingsCard } from "./billing-settings.tsx";
import classes from "./billing.module.css";

/** No event tells of other companies. */
const READ_EVERY_MS = 30_000;
const MONEY_LENGTH = 13;

const chargePages = livePages<OpenCharge, "all">({
  key: ["billing", "charges"],
  identify: ({ id }) => id,
  async read(_all, pageNumber, signal) {
    const reply = await call("GET /billing/charges", { query: { pageNumber } }, { signal });
    const { charges: rows, ...totals } = reply;
    return { rows, ...totals };
  },
});

const paymentPages = livePages<UnclearPayment, "all">({
  key: ["billing", "payments"],
  identify: ({ id }) => id,
  async read(_all, pageNumber, signal) {
    const reply = await call("GET /billing/payments", { query: { pageNumber } }, { signal });
    const { payments: rows, ...totals } = reply;
    return { rows, ...totals };
  },
});

const live = { staleTime: 0, refetchInterval: READ_EVERY_MS };

/** How companies pay, and the payments that wait for a person: a tab of the settings for super users. */
export function BillingPanel(): ReactNode {
  const { t } = useTranslation();
  const nowMs = useNow(READ_EVERY_MS);
  const charges = chargePages.usePages("all", live);
  const payments = paymentPages.usePages("all", live);
  const [paid, setPaid] = useState<OpenCharge | null>(null);
  const [settled, setSettled] = useState<Settlement | null>(null);
  return (
    <div className={classes["panel"]}>
      <Section title={t("billing.how")} text={t("billing.howText")}>
        <SettingsCard />
      </Section>
      <Section title={t("billing.unclear")} text={t("billing.unclearText")}>
        <RecordTable
          label={t("billing.unclear")}
          pages={payments}
          columns={paymentColumns(t, nowMs)}
          sort={null}
          onSort={() => undefined}
          identify={({ id }) => id}
          renderActions={(payment) => (
            <Actions>
              <Button
                size="xs"
                aria-label={t("billing.acceptNamed", { name: payment.company.name })}
                onClick={() => setSettled({ payment, as: "accepted" })}
              >
                {t("billing.accept")}
              </Button>
              <Button
                size="xs"
                variant="default"
                aria-label={t("billing.returnNamed", { name: payment.company.name })}
                onClick={() => setSettled({ payment, as: "returned" })}
              >
                {t("billing.return")}
              </Button>
            </Actions>
          )}
          empty={{ icon: IconCashBanknote, title: t("billing.noneUnclear") }}
        />
      </Section>
      <Section title={t("billing.charges")} text={t("billing.chargesText")}>
        <RecordTable
          label={t("billing.charges")}
          pages={charges}
          columns={chargeColumns(t, nowMs)}
          sort={null}
          onSort={() => undefined}
          identify={({ id }) => id}
          renderActions={(charge) => (
            <Actions>
              <Button
                size="xs"
                variant={charge.saidPaidAt === null ? "default" : "filled"}
                aria-label={t(`billing.${actionOf(charge)}Named`, { name: charge.company.name })}
                onClick={() => setPaid(charge)}
              >
                <span className="bc-wide-only">{t(`billing.${actionOf(charge)}`)}</span>
                <span className="bc-narrow-only">{t(`billing.${actionOf(charge)}Short`)}</span>
              </Button>
            </Actions>
          )}
          empty={{ icon: IconReceipt, title: t("billing.noCharges") }}
        />
      </Section>
      <Suspense fallback={null}>
        {paid === null ? null : <PayQuestion charge={paid} onClose={() => setPaid(null)} />}
        {settled === null ? null : <SettleQuestion {...settled} onClose={() => setSettled(null)} />}
      </Suspense>
    </div>
  );
}

/** At the simulated bank a super user pays; otherwise the provider confirms what arrived. */
const actionOf = ({ bank }: OpenCharge): "pay" | "confirm" =>
  bank === "simulated" ? "pay" : "confirm";

function readListsAgain(): void {
  chargePages.readAgain();
  paymentPages.readAgain();
}

function Actions({ children }: { children: ReactNode }): ReactNode {
  return <span className={classes["actions"]}>{children}</span>;
}

type SectionProps = { title: string; text: string; children: ReactNode };

function Section({ title, text, children }: SectionProps): ReactNode {
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <h2 id={id} className={classes["title"]}>
        {title}
      </h2>
      <p className={classes["about"]}>{text}</p>
      {children}
    </section>
  );
}

type Billed = Pick<OpenCharge, "company" | "detail" | "invoiceId">;

function companyColumns<Row extends Billed>(t: TFunction): Column<Row>[] {
  return [
    {
      id: "company",
      title: t("billing.company"),
      isName: true,
      renderCell: ({ company }) => company.name,
    },
    {
      id: "invoice",
      title: t("billing.invoice"),
      renderCell: ({ detail, invoiceId }) =>
        t("billing.invoiceOf", { plan: detail, id: invoiceId }),
    },
  ];
}

function chargeColumns(t: TFunction, nowMs: number): readonly Column<OpenCharge>[] {
  return [
    ...companyColumns<OpenCharge>(t),
    {
      id: "value",
      title: t("billing.value"),
      fit: "content",
      align: "end",
      renderCell: ({ value }) => <strong className={classes["value"]}>{formatMoney(value)}</strong>,
    },
    {
      id: "since",
      title: t("billing.since"),
      fit: "content",
      renderCell: ({ createdAt }) => agoWords(t, createdAt, nowMs),
    },
    {
      id: "state",
      title: t("billing.state"),
      fit: "content",
      renderCell: ({ saidPaidAt, expiresAt }) => {
        if (saidPaidAt !== null) {
          const when = agoWords(t, saidPaidAt, nowMs);
          return <Pill tone="warn">{t("billing.saidPaid", { when })}</Pill>;
        }
        const hasEnded = expiresAt !== null && Date.parse(expiresAt) <= nowMs;
        return hasEnded ? (
          <Pill tone={undefined}>{t("billing.ended")}</Pill>
        ) : (
          <Pill tone="info">{t("billing.waiting")}</Pill>
        );
      },
    },
  ];
}

function paymentColumns(t: TFunction, nowMs: number): readonly Column<UnclearPayment>[] {
  return [
    ...companyColumns<UnclearPayment>(t),
    {
      id: "value",
      title: t("billing.value"),
      fit: "content",
      align: "end",
      renderCell: ({ value, expected }) => (
        <span className={classes["value"]}>
          {t("billing.receivedOf", {
            received: formatMoney(value),
            expected: formatMoney(expected),
          })}
        </span>
      ),
    },
    {
      id: "reason",
      title: t("billing.reason"),
      fit: "content",
      renderCell: ({ fault }) => <Pill tone="warn">{t(`billing.faults.${fault}`)}</Pill>,
    },
    {
      id: "receivedAt",
      title: t("billing.receivedAt"),
      fit: "content",
      isExtra: true,
      renderCell: ({ receivedAt }) => (
        <span className="bc-numbers">
          {formatDayLabel(receivedAt, nowMs)}, {formatTime(receivedAt)}
        </span>
      ),
    },
  ];
}

const MINUTES_PER_HOUR = 60;
const MINUTES_PER_DAY = 24 * MINUTES_PER_HOUR;

function agoWords(t: TFunction, iso: string, nowMs: number): string {
  const minutes = minutesSince(iso, nowMs);
  if (minutes === 0) return t("billing.ago.now");
  if (minutes < MINUTES_PER_HOUR) return t("billing.ago.minutes", { count: minutes });
  return minutes < MINUTES_PER_DAY
    ? t("billing.ago.hours", { count: Math.floor(minutes / MINUTES_PER_HOUR) })
    : t("billing.ago.days", { count: Math.floor(minutes / MINUTES_PER_DAY) });
}

type PayProps = { charge: OpenCharge; onClose: () => void };

/** Asks for the value that arrived, which is that of the charge until it is changed. */
function PayQuestion({ charge, onClose }: PayProps): ReactNode {
  const { t } = useTranslation();
  const { id: chargeId, company } = charge;
  const { name } = company;
  const action = actionOf(charge);
  const [typed, setTyped] = useState(() => charge.value.toFixed(2).replace(".", ","));
  const [isWrong, setWrong] = useState(false);
  const value = reaisOf(typed);
  const isValid = value !== null && value > 0 && value <= limits.planValueMax;
  const paying = useMutation({
    mutationFn: (reais: number) =>
      call("POST /billing/charges/:chargeId/pay", { params: { chargeId }, body: { value: reais } }),
    onSuccess: () => {
      notifySuccess(t("billing.done"));
      onClose();
    },
    // A refused charge was paid by somebody else meanwhile.
    onSettled: readListsAgain,
  });
  return (
    <QuestionDialog
      opened
      title={t(`billing.${action}Title`, { name })}
      text={t(`billing.${action}Text`)}
      confirm={t(`billing.${action}`)}
      isBusy={paying.isPending}
      error={paying.error}
      onConfirm={() => {
        setWrong(!isValid);
        if (isValid) paying.mutate(value);
      }}
      onClose={onClose}
    >
      <TextInput
        label={t("billing.received")}
        value={typed}
        error={isWrong && !isValid ? t("billing.valueWrong") : undefined}
        leftSection="R$"
        inputMode="decimal"
        maxLength={MONEY_LENGTH}
        autoComplete="off"
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
    </QuestionDialog>
  );
}

type Settlement = { payment: UnclearPayment; as: "accepted" | "returned" };

function SettleQuestion({ payment, as, onClose }: Settlement & { onClose: () => void }): ReactNode {
  const { t } = useTranslation();
  const { id: paymentId, company } = payment;
  const verb = as === "accepted" ? "accept" : "return";
  const values = { name: company.name, value: formatMoney(payment.value) };
  async function settle(): Promise<void> {
    try {
      await call("POST /billing/payments/:paymentId/settle", {
        params: { paymentId },
        body: { as },
      });
    } finally {
      readListsAgain();
    }
  }
  return (
    <ActionQuestion
      title={t(`billing.${verb}Title`, values)}
      text={t(`billing.${verb}Text`)}
      confirm={t(`billing.${verb}`)}
      run={settle}
      onDone={() => notifySuccess(t(`billing.${as}`))}
      onClose={onClose}
    />
  );
}
