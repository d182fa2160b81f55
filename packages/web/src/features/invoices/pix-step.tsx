import type { Charge, Invoice, Subscription } from "@balcao/contract";
import { IconArrowLeft, IconCheck, IconClock, IconCopy } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { QRCodeSVG } from "qrcode.react";
import type { ReactNode } from "react";
import { memo, useEffect, useRef, useState } from "react";
import { hasCode } from "../../api/client.ts";
import { formatDate, formatMoney } from "../../i18n/format.ts";
import { useTranslation } from "../../i18n/index.ts";
import { Link } from "../../router/index.tsx";
import { Button } from "../../ui/button.tsx";
import { epochMs, useNow } from "../../ui/clock.ts";
import { copyText } from "../../ui/copy-text.ts";
import { errorText, notifyError } from "../../ui/index.ts";
import type { Tone } from "../../ui/marks.tsx";
import { useStoredSession } from "../auth/index.ts";
import { checkWords, planWords, saidPaidWords, sayPaid } from "./api.ts";
import classes from "./checkout.module.css";

const QR_PX = 228;
/** Modules of the quiet zone around the code. */
const QR_MARGIN = 4;
const COPIED_MS = 2_000;
/** From here on the counter warns. */
const SOON_MS = 5 * 60_000;

type Renewal = { isPending: boolean; error: Error | null; mutate: () => void };

type Props = {
  current: Subscription;
  begun: Subscription;
  /** The one that is paid; null until the chosen plan has made it. */
  invoiceId: Invoice["id"] | null;
  isPaid: boolean;
  /** Asks for another PIX when this one has ended. */
  renewing: Renewal;
  canRenew: boolean;
  onBack: () => void;
  onClose: () => void;
};

/** The PIX with its QR code, and whether it has arrived. */
export function PixStep(props: Props): ReactNode {
  const { current, begun, invoiceId, isPaid, renewing, canRenew, onBack, onClose } = props;
  const { t } = useTranslation();
  const nowMs = useNow(1_000);
  // The server leaves out a PIX that has ended; it stays on the screen with the offer of another one.
  const [kept, setKept] = useState<Charge | null>(begun.charge);
  const ours = current.charge?.invoiceId === invoiceId ? current.charge : null;
  if (ours !== null && ours !== kept) setKept(ours);
  const charge = ours ?? kept;
  if (isPaid) {
    return (
      <div className={classes["paid"]}>
        <StateBox tone="ok" title={t("checkout.paid")}>
          {current.company.dueDate === null
            ? null
            : t("checkout.paidUntil", { date: formatDate(current.company.dueDate) })}
        </StateBox>
      </div>
    );
  }
  if (charge === null) return null;
  const leftMs = charge.expiresAt === null ? null : Date.parse(charge.expiresAt) - nowMs;
  const isOver = leftMs !== null && leftMs <= 0;
  return (
    <>
      <div className={classes["pix"]}>
        <Facts subscription={current} charge={charge} />
        <CopyCode code={charge.qrcode.qrcode} isOver={isOver} />
        <p className={classes["other"]}>
          <span>{t("checkout.otherDevice")}</span>
        </p>
        <div className={classes["scan"]}>
          <div className={classes["qr"]} data-over={isOver || undefined}>
            <Qr code={charge.qrcode.qrcode} title={t("checkout.qr")} />
            {isOver ? (
              <div className={classes["ended"]}>
                <strong>{t("checkout.expired")}</strong>
                <Button
                  loading={renewing.isPending}
                  onClick={() => (canRenew ? renewing.mutate() : onBack())}
                >
                  {t("checkout.another")}
                </Button>
              </div>
            ) : null}
          </div>
          {leftMs === null ? null : <Counter leftMs={leftMs} />}
          {charge.bank === "simulated" ? <TestBank /> : null}
        </div>
        <ol className={classes["how"]}>
          <li>{t("checkout.how1")}</li>
          <li>{t("checkout.how2")}</li>
          <li>{t("checkout.how3")}</li>
        </ol>
        <div className={classes["state"]}>
          <PaymentState subscription={current} charge={charge} isOver={isOver} />
          <PaymentError error={renewing.error} onRetry={renewing.mutate} />
        </div>
      </div>
      <div className={classes["foot"]}>
        <BackButton onClick={onBack} />
        <Button variant="default" onClick={onClose}>
          {t("checkout.later")}
        </Button>
      </div>
    </>
  );
}

function Facts({ subscription, charge }: { subscription: Subscription; charge: Charge }) {
  const { t } = useTranslation();
  const { invoice, plan, months, paidUntil } = subscription;
  return (
    <dl className={classes["facts"]}>
      <div className={classes["amount"]}>
        <dt>{t("checkout.value")}</dt>
        <dd>{formatMoney(Number(charge.valor.original))}</dd>
      </div>
      {charge.receiver === "" ? null : (
        <div className={classes["receiver"]}>
          <dt>{t("checkout.receiver")}</dt>
          <dd>{charge.receiver}</dd>
        </div>
      )}
      <div>
        <dt>{planWords(t, invoice?.detail ?? plan.name)}</dt>
        <dd>{t("checkout.months", { count: months })}</dd>
      </div>
      {paidUntil === null ? null : (
        <div>
          <dt>{t("checkout.activeUntil")}</dt>
          <dd>
            <strong>{formatDate(paidUntil)}</strong>
          </dd>
        </div>
      )}
    </dl>
  );
}

function CopyCode({ code, isOver }: { code: string; isOver: boolean }): ReactNode {
  const { t } = useTranslation();
  const [copiedTimes, setCopiedTimes] = useState(0);
  const [overTimes, setOverTimes] = useState(0);
  const isCopied = copiedTimes !== overTimes;
  useEffect(() => {
    const timer = setTimeout(() => setOverTimes(copiedTimes), COPIED_MS);
    return () => clearTimeout(timer);
  }, [copiedTimes]);
  async function copy(): Promise<void> {
    try {
      await copyText(code);
      setCopiedTimes((times) => times + 1);
    } catch {
      notifyError(t("checkout.copyFailed"));
    }
  }
  return (
    <div className={classes["copy"]}>
      <label className={classes["label"]} htmlFor="pix-code">
        {t("checkout.code")}
      </label>
      <div className={classes["code"]}>
        <input
          id="pix-code"
          readOnly
          value={code}
          className={classes["codeText"]}
          onFocus={(event) => event.currentTarget.select()}
        />
        <Button
          disabled={isOver}
          leftSection={
            isCopied ? (
              <IconCheck size={15} stroke={1.7} aria-hidden="true" />
            ) : (
              <IconCopy size={15} stroke={1.7} aria-hidden="true" />
            )
          }
          onClick={() => void copy()}
        >
          {t(isCopied ? "checkout.copied" : "checkout.copy")}
        </Button>
      </div>
      <span className="bc-hidden-text" role="status">
        {isCopied ? t("checkout.codeCopied") : ""}
      </span>
      <p className={classes["copyHelp"]}>{t("checkout.copyHelp")}</p>
    </div>
  );
}

type QrProps = { code: string; title: string };

/** Drawn once, not at each second of the counter. */
const Qr = memo(function Qr({ code, title }: QrProps) {
  return (
    <QRCodeSVG
      value={code}
      size={QR_PX}
      marginSize={QR_MARGIN}
      fgColor="currentColor"
      bgColor="transparent"
      title={title}
      role="img"
    />
  );
});

function Counter({ leftMs }: { leftMs: number }): ReactNode {
  const { t } = useTranslation();
  const seconds = Math.max(0, Math.ceil(leftMs / 1_000));
  const two = (value: number): string => String(value).padStart(2, "0");
  return (
    <p className={classes["counter"]} data-soon={leftMs < SOON_MS || undefined} role="timer">
      <IconClock size={15} stroke={1.7} aria-hidden="true" /> {t("checkout.validFor")}{" "}
      <strong>
        {two(Math.floor(seconds / 60))}:{two(seconds % 60)}
      </strong>
    </p>
  );
}

/** Says that no real bank knows this code. Super users get to the page where they pay it. */
function TestBank(): ReactNode {
  const { t } = useTranslation();
  const isSuper = useStoredSession()?.user.super === true;
  return (
    <p className={classes["test"]}>
      {t("checkout.testBank")}{" "}
      {isSuper ? <Link to="/settings?tab=billing">{t("checkout.openTestBank")}</Link> : null}
    </p>
  );
}

type CheckProps = { subscription: Subscription; charge?: Charge };

/** That a payment waits for a person, until it is settled. */
export function CheckBox({ subscription, charge }: CheckProps): ReactNode {
  const { t } = useTranslation();
  const isSaid = (charge?.saidPaidAt ?? null) !== null;
  const check = checkWords(t, subscription) ?? (isSaid ? saidPaidWords(t) : null);
  if (check === null) return null;
  return (
    <StateBox tone={check.tone} title={check.title}>
      {check.text}
    </StateBox>
  );
}

type StateProps = { subscription: Subscription; charge: Charge; isOver: boolean };

function PaymentState({ subscription, charge, isOver }: StateProps): ReactNode {
  const { t } = useTranslation();
  const { bank, saidPaidAt, invoiceId } = charge;
  const saying = useMutation({ mutationFn: () => sayPaid(invoiceId) });
  if (saidPaidAt !== null || checkWords(t, subscription) !== null) {
    return <CheckBox subscription={subscription} charge={charge} />;
  }
  if (bank === "by-hand") {
    return (
      <StateBox tone="info" title={t("checkout.waiting")} isPulsing>
        {t("checkout.byHandText")}
        <span className={classes["said"]}>
          <Button variant="default" loading={saying.isPending} onClick={() => saying.mutate()}>
            {t("checkout.sayPaid")}
          </Button>
          {saying.error === null ? null : (
            <span className="bc-failure" role="alert">
              {errorText(t, saying.error)}
            </span>
          )}
        </span>
      </StateBox>
    );
  }
  if (isOver) return <StateBox tone="warn" title={t("checkout.expired")} />;
  return (
    <StateBox tone="info" title={t("checkout.waiting")} isPulsing>
      {t("checkout.waitingText")}
    </StateBox>
  );
}

type ErrorProps = { error: Error | null; onRetry: () => void };

/** Why there is no PIX. */
export function PaymentError({ error, onRetry }: ErrorProps): ReactNode {
  const { t } = useTranslation();
  if (error === null) return null;
  if (hasCode(error, "ERR_BANK_AWAY")) return <BankAway onRetry={onRetry} />;
  return (
    <p className="bc-failure" role="alert">
      {errorText(t, error)}
    </p>
  );
}

const BANK_AGAIN_SECONDS = 8;

/** Asks the bank again by itself; it gives the same charge. Mounted anew for each failure. */
function BankAway({ onRetry }: { onRetry: () => void }): ReactNode {
  const { t } = useTranslation();
  const [sinceMs] = useState(epochMs);
  const passed = Math.floor((useNow(1_000) - sinceMs) / 1_000);
  const seconds = Math.max(0, BANK_AGAIN_SECONDS - passed);
  const newest = useRef(onRetry);
  useEffect(() => {
    newest.current = onRetry;
  });
  useEffect(() => {
    if (seconds === 0) newest.current();
  }, [seconds]);
  return (
    <StateBox tone="warn" title={t("checkout.bankAway", { seconds })}>
      <span className={classes["said"]}>
        <Button variant="default" onClick={onRetry}>
          {t("checkout.tryNow")}
        </Button>
      </span>
    </StateBox>
  );
}

type BoxProps = { tone: Tone; title: string; isPulsing?: boolean; children?: ReactNode };

/** What is known of the payment; changes are said politely. */
function StateBox({ tone, title, isPulsing = false, children }: BoxProps): ReactNode {
  return (
    <div className={classes["box"]} data-tone={tone} role="status">
      <span className={classes["dot"]} data-pulse={isPulsing || undefined} aria-hidden="true" />
      <span>
        <strong>{title}</strong>
        {children === undefined || children === null ? null : (
          <span className={classes["boxText"]}>{children}</span>
        )}
      </span>
    </div>
  );
}

/** Leads to the step before, at the start of the line of buttons. */
export function BackButton({ onClick }: { onClick: () => void }): ReactNode {
  const { t } = useTranslation();
  return (
    <span className={classes["back"]}>
      <Button
        variant="subtle"
        leftSection={<IconArrowLeft size={15} stroke={1.7} aria-hidden="true" />}
        onClick={onClick}
      >
        {t("common.back")}
      </Button>
    </span>
  );
}
