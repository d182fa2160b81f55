import type { Invoice, Plan, Subscription } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import type { PlanFlag } from "@balcao/contract/permissions";
import { planFlags } from "@balcao/contract/permissions";
import { NativeSelect, TextInput } from "@mantine/core";
import { IconCheck, IconReceipt } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useEffect, useRef, useState } from "react";
import { useForm } from "react-hook-form";
import { hasCode, renewToken } from "../../api/client.ts";
import { currentSession } from "../../api/session-store.ts";
import { formatDate, formatMoney, formatNumber } from "../../i18n/format.ts";
import type { TFunction } from "../../i18n/index.ts";
import { useTranslation } from "../../i18n/index.ts";
import { useNavigate } from "../../router/index.tsx";
import { Button } from "../../ui/button.tsx";
import { DialogFrame } from "../../ui/dialogs/dialog-frame.tsx";
import { EmptyState, ListSkeleton, LoadFailed, notifySuccess } from "../../ui/index.ts";
import { Pill } from "../../ui/marks.tsx";
import type { Offer } from "./api.ts";
import { isPayable, planWords, startPayment, useOfferedPlans, useSubscription } from "./api.ts";
import classes from "./checkout.module.css";
import { BackButton, CheckBox, PaymentError, PixStep } from "./pix-step.tsx";

const steps = ["data", "plan", "review", "pay"] as const;
type Step = (typeof steps)[number];

/** How often the payment is asked for, besides its event. */
const ASK_EVERY_MS = 5_000;
/** How long the confirmation stands before the start page follows (spec 9). */
const REDIRECT_MS = 4_000;

type PayerValues = Record<"firstName" | "address2" | "city" | "state" | "zipcode", string> & {
  country: "" | "BR" | "usa";
};

type Props = {
  /** The subscription when the checkout opened. */
  begun: Subscription;
  /** Otherwise it opens at the PIX, if one can still be paid. */
  startsAtPlan: boolean;
  /** Called some seconds after the payment; default: the start page. */
  onPaid?: () => void;
  onClose: () => void;
};

/**
 * Pays the open invoice by PIX, with another plan if one is chosen (ui-2.md, Checkout). A company whose plan costs nothing has
 * no invoice; the plan that it chooses makes one.
 */
export function Checkout({ begun, startsAtPlan, onPaid, onClose }: Props): ReactNode {
  const { t } = useTranslation();
  const { invoice } = begun;
  const [step, setStep] = useState<Step>(() => {
    const hasPix = invoice !== null && isPayable(begun.charge, invoice.id);
    return hasPix && !startsAtPlan ? "pay" : "plan";
  });
  const waits = step === "pay" ? { everyMs: ASK_EVERY_MS } : {};
  const { data: current = begun, refetch } = useSubscription(waits);
  const [madeId, setMadeId] = useState<Invoice["id"] | null>(null);
  const isPaid =
    current.company.dueDate !== begun.company.dueDate ||
    (invoice === null ? current.plan.id !== begun.plan.id : current.invoice?.id !== invoice.id);
  const [payer, setPayer] = useState<PayerValues | null>(begun.payer);
  const [chosenId, setChosenId] = useState<number | null>(null);
  const offers = useOffers(current);
  const billed = offers.find(({ name }) => name === current.invoice?.detail);
  const chosen = offers.find(({ id }) => id === chosenId) ?? (step === "pay" ? billed : undefined);
  const content = useFocusOnChange(step);
  useGoOn(isPaid ? current.company.dueDate : null, onPaid);

  const paying = useMutation({
    mutationFn: async () => {
      if (payer === null || chosen === undefined) return;
      // The form has refused an empty country.
      const country = payer.country === "" ? "BR" : payer.country;
      const wish = { ...payer, country, lastName: "" };
      setMadeId((await startPayment(invoice?.id, wish, chosen)).invoiceId);
    },
    onSuccess: () => setStep("pay"),
    onError: (error) => {
      if (hasCode(error, "ERR_INVOICE_PAID")) void refetch();
    },
  });
  if (!begun.canPay) return null;

  const done: Readonly<Record<Step, boolean>> = {
    data: payer !== null,
    plan: chosen !== undefined,
    review: step === "pay",
    pay: false,
  };
  const shown: Step = isPaid ? "pay" : step;

  function renderStep(): ReactNode {
    switch (shown) {
      case "data":
        return (
          <DataStep
            payer={payer}
            onDone={(values) => {
              setPayer(values);
              setStep(chosen === undefined ? "plan" : "review");
            }}
          />
        );
      case "plan":
        return (
          <PlanStep
            subscription={current}
            offers={offers}
            chosen={chosen}
            onChoose={({ id }) => {
              setChosenId(id);
              setStep("review");
            }}
            onBack={() => setStep("data")}
          />
        );
      case "review":
        return chosen === undefined ? null : (
          <ReviewStep
            subscription={current}
            payer={payer}
            offer={chosen}
            isBusy={paying.isPending}
            error={paying.error}
            onPay={() =>
              paying.mutate(undefined, {
                onSuccess: () => notifySuccess(t("checkout.started")),
              })
            }
            onGo={setStep}
          />
        );
      case "pay":
        return (
          <PixStep
            current={current}
            begun={begun}
            invoiceId={invoice?.id ?? madeId}
            isPaid={isPaid}
            renewing={paying}
            canRenew={payer !== null && chosen !== undefined}
            onBack={() => {
              if (chosen) setChosenId(chosen.id);
              setStep(chosen === undefined ? "plan" : "review");
            }}
            onClose={onClose}
          />
        );
    }
  }

  return (
    <DialogFrame
      opened
      size={820}
      onClose={onClose}
      title={
        <span className={classes["title"]}>
          {t("checkout.title")}{" "}
          {invoice === null ? null : (
            <span className={classes["number"]}>{t("checkout.invoice", { id: invoice.id })}</span>
          )}
        </span>
      }
    >
      <StepLine step={shown} done={done} isOver={isPaid} onGo={setStep} />
      <section
        ref={content}
        tabIndex={-1}
        data-autofocus
        className={classes["content"]}
        aria-label={t(`checkout.steps.${shown}`)}
      >
        {shown === "plan" || shown === "review" ? <CheckBox subscription={current} /> : null}
        {renderStep()}
      </section>
    </DialogFrame>
  );
}

/** The plans that can be paid, the cheapest first, with what the invoice's months cost; also the company's own plan. */
function useOffers({ plan, months }: Subscription): readonly (Plan & Offer)[] {
  const { data: offered = [] } = useOfferedPlans();
  const all = offered.some(({ id }) => id === plan.id) ? offered : [plan, ...offered];
  return all
    .filter(({ value }) => value > 0)
    .toSorted((a, b) => a.value - b.value)
    .map((one) => ({ ...one, price: Math.round(one.value * months * 100) / 100 }));
}

/** The pressed button is gone with its step, so the focus goes to the next one. */
function useFocusOnChange(step: Step) {
  const content = useRef<HTMLElement>(null);
  const last = useRef(step);
  useEffect(() => {
    if (last.current === step) return;
    last.current = step;
    content.current?.focus({ preventScroll: true });
  }, [step]);
  return content;
}

/** Says that the subscription is paid, and goes on a little later. `dueDate` is null until then. */
function useGoOn(dueDate: string | null, onPaid: (() => void) | undefined): void {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const newest = useRef<() => void>(() => undefined);
  useEffect(() => {
    newest.current = onPaid ?? (() => navigate("/tickets"));
  });
  const told = useRef(false);
  useEffect(() => {
    if (dueDate === null) return undefined;
    if (!told.current) {
      told.current = true;
      notifySuccess(t("checkout.renewed", { date: formatDate(dueDate) }));
      // The features of another plan come with the session.
      renewToken(currentSession()?.token ?? null).catch(() => undefined);
    }
    const timer = setTimeout(() => newest.current(), REDIRECT_MS);
    return () => clearTimeout(timer);
  }, [dueDate, t]);
}

type VisitorProps = { onPaid: () => void; onClose: () => void };

/** The checkout of a company whose sessions have all ended, with a token that only pays (`setPayToken`). */
export function VisitorCheckout({ onPaid, onClose }: VisitorProps): ReactNode {
  const { t } = useTranslation();
  const { data, error, refetch } = useSubscription();
  const [begun, setBegun] = useState<Subscription | null>(null);
  if (begun === null && data !== undefined) setBegun(data);
  if (begun?.canPay) {
    return <Checkout begun={begun} startsAtPlan={false} onPaid={onPaid} onClose={onClose} />;
  }
  return (
    <DialogFrame opened size={820} title={t("checkout.title")} onClose={onClose}>
      {error === null && begun === null ? <ListSkeleton /> : null}
      {error === null ? null : (
        <LoadFailed icon={IconReceipt} error={error} onRetry={() => void refetch()} />
      )}
      {begun === null ? null : (
        <EmptyState
          icon={IconReceipt}
          title={t("invoices.noneTitle")}
          text={t("invoices.strip.askProvider")}
        />
      )}
    </DialogFrame>
  );
}

type LineProps = {
  step: Step;
  done: Readonly<Record<Step, boolean>>;
  isOver: boolean;
  onGo: (step: Step) => void;
};

/** The steps in a line; under 600 px their number in words. Those that are done are buttons. */
function StepLine({ step, done, isOver, onGo }: LineProps): ReactNode {
  const { t } = useTranslation();
  const at = steps.indexOf(step);
  return (
    <div className={classes["line"]}>
      <ol className={classes["steps"]} aria-label={t("checkout.stepsLabel")}>
        {steps.map((one, index) => {
          const isDone = (done[one] && one !== step) || isOver;
          const content = (
            <>
              <span className={classes["mark"]}>
                {isDone ? <IconCheck size={15} stroke={2} aria-hidden="true" /> : index + 1}
              </span>
              {t(`checkout.steps.${one}`)}
            </>
          );
          return (
            <li
              key={one}
              className={classes["step"]}
              data-state={isDone ? "done" : undefined}
              aria-current={one === step ? "step" : undefined}
            >
              {isDone && !isOver ? (
                <button type="button" className={classes["stepButton"]} onClick={() => onGo(one)}>
                  {content}
                </button>
              ) : (
                <span className={classes["stepButton"]}>{content}</span>
              )}
            </li>
          );
        })}
      </ol>
      <p className={classes["position"]}>
        {t("checkout.position", {
          at: at + 1,
          of: steps.length,
          name: t(`checkout.steps.${step}`),
        })}
      </p>
      <span className={classes["bars"]} aria-hidden="true">
        {steps.map((one, index) => (
          <span key={one} data-on={index <= at || undefined} />
        ))}
      </span>
    </div>
  );
}

type DataProps = { payer: PayerValues | null; onDone: (values: PayerValues) => void };

const noPayer: PayerValues = {
  ...{ firstName: "", address2: "", city: "", state: "", zipcode: "" },
  country: "BR",
};
const ZIPCODE_MAX = 20;

function DataStep({ payer, onDone }: DataProps): ReactNode {
  const { t } = useTranslation();
  const { register, handleSubmit, formState } = useForm<PayerValues>({
    defaultValues: payer ?? noPayer,
  });
  const { errors } = formState;
  const field = (
    name: keyof PayerValues,
    missing: string | null,
    maxLength: number = limits.payerTextMax,
  ) => ({
    ...register(name, {
      validate: (value) => missing === null || value.trim() !== "" || missing,
    }),
    label: t(`checkout.${name}`),
    error: errors[name]?.message,
    maxLength,
  });
  return (
    <form
      noValidate
      className={classes["form"]}
      onSubmit={(event) => void handleSubmit((values) => onDone(trimmed(values)))(event)}
    >
      <p className="bc-small">{t("checkout.dataHelp")}</p>
      <TextInput {...field("firstName", t("checkout.firstNameMissing"))} autoComplete="name" />
      <TextInput
        {...field("address2", t("checkout.address2Missing"))}
        autoComplete="street-address"
      />
      <div className={classes["fields"]}>
        <TextInput {...field("city", t("checkout.cityMissing"))} autoComplete="address-level2" />
        <TextInput {...field("state", null)} autoComplete="address-level1" />
      </div>
      <div className={classes["fields"]}>
        <TextInput
          {...field("zipcode", t("checkout.zipcodeMissing"), ZIPCODE_MAX)}
          autoComplete="postal-code"
        />
        <NativeSelect
          {...register("country", {
            validate: (value) => value !== "" || t("checkout.countryMissing"),
          })}
          label={t("checkout.country")}
          error={errors.country?.message}
          autoComplete="country"
          data={[
            { value: "", label: t("checkout.chooseCountry") },
            { value: "BR", label: t("checkout.countries.BR") },
            { value: "usa", label: t("checkout.countries.usa") },
          ]}
        />
      </div>
      <div className={classes["foot"]}>
        <Button type="submit">{t("checkout.next")}</Button>
      </div>
    </form>
  );
}

const trimmed = ({ firstName, address2, city, state, zipcode, country }: PayerValues) => ({
  ...{ firstName: firstName.trim(), address2: address2.trim(), city: city.trim() },
  ...{ state: state.trim(), zipcode: zipcode.trim(), country },
});

type PlanProps = {
  subscription: Subscription;
  offers: readonly (Plan & Offer)[];
  chosen: Offer | undefined;
  onChoose: (offer: Offer) => void;
  onBack: () => void;
};

function PlanStep({ subscription, offers, chosen, onChoose, onBack }: PlanProps): ReactNode {
  const { t } = useTranslation();
  const { plan, months } = subscription;
  return (
    <>
      <ul className={classes["offers"]}>
        {offers.map((offer) => (
          <li key={offer.id}>
            <button
              type="button"
              className={classes["offer"]}
              data-chosen={offer.id === chosen?.id || undefined}
              onClick={() => onChoose(offer)}
            >
              <span className={classes["offerHead"]}>
                <strong>{planWords(t, offer.name)}</strong>
                {offer.id === plan.id ? <Pill tone="ok">{t("checkout.presentPlan")}</Pill> : null}
                <span className={classes["price"]}>
                  <strong>{formatMoney(offer.price)}</strong>{" "}
                  {months === 1
                    ? t("checkout.perMonth")
                    : t("checkout.perMonths", { count: months })}
                </span>
              </span>
              <span className="bc-detail">{limitWords(t, offer)}</span>
              <span className="bc-detail">{featureWords(t, offer)}</span>
              {overLimit(t, subscription, offer).map((words) => (
                <span key={words} className={classes["over"]}>
                  {words}
                </span>
              ))}
            </button>
          </li>
        ))}
      </ul>
      <div className={classes["foot"]}>
        <BackButton onClick={onBack} />
      </div>
    </>
  );
}

const parts = ["users", "connections", "queues"] as const;

const limitWords = (t: TFunction, offer: Offer): string =>
  parts
    .map((part) =>
      t(`checkout.limits.${part}`, { count: offer[part], limit: formatNumber(offer[part]) }),
    )
    .join(", ");

function featureWords(t: TFunction, plan: Record<PlanFlag, boolean>): string {
  const included = planFlags.filter((flag) => plan[flag]);
  if (included.length === 0) return t("checkout.onlyService");
  return t("checkout.includes", {
    features: included.map((flag) => t(`checkout.features.${flag}`)).join(", "),
  });
}

/** A sentence for each limit of another plan that the company is over, and that nothing is deleted. */
function overLimit(t: TFunction, { usage, plan }: Subscription, offer: Offer): string[] {
  const over = offer.id === plan.id ? [] : parts.filter((part) => usage[part] > offer[part]);
  if (over.length === 0) return [];
  const sentences = over.map((part) =>
    t(`checkout.over.${part}`, { count: usage[part], limit: formatNumber(offer[part]) }),
  );
  return [...sentences, t("checkout.nothingDeleted")];
}

type ReviewProps = {
  subscription: Subscription;
  payer: PayerValues | null;
  offer: Offer;
  isBusy: boolean;
  error: Error | null;
  onPay: () => void;
  onGo: (step: Step) => void;
};

function ReviewStep(props: ReviewProps): ReactNode {
  const { subscription, payer, offer, isBusy, error, onPay, onGo } = props;
  const { t } = useTranslation();
  const { plan, months, paidUntil } = subscription;
  const price = formatMoney(offer.price);
  return (
    <>
      <dl className={classes["review"]}>
        <div>
          <dt>{t("checkout.plan")}</dt>
          <dd>
            {planWords(t, offer.name)}{" "}
            <TextButton label={t("checkout.changePlan")} onClick={() => onGo("plan")} />
          </dd>
        </div>
        <div>
          <dt>{t("checkout.period")}</dt>
          <dd>{t("checkout.months", { count: months })}</dd>
        </div>
        {paidUntil === null ? null : (
          <div>
            <dt>{t("checkout.activeUntil")}</dt>
            <dd className="bc-numbers">{formatDate(paidUntil)}</dd>
          </div>
        )}
        <div>
          <dt>{t("checkout.payer")}</dt>
          <dd>
            {payer === null ? (
              t("checkout.noPayer")
            ) : (
              <>
                {payer.firstName}
                <span className={classes["address"]}>{addressWords(t, payer)}</span>
              </>
            )}{" "}
            {payer === null ? null : (
              <TextButton label={t("checkout.changeData")} onClick={() => onGo("data")} />
            )}
          </dd>
        </div>
        <div className={classes["total"]}>
          <dt>{t("checkout.value")}</dt>
          <dd>{price}</dd>
        </div>
      </dl>
      {offer.id === plan.id ? null : (
        <p className="bc-small">{t("checkout.planLater", { plan: planWords(t, offer.name) })}</p>
      )}
      <div>
        {overLimit(t, subscription, offer).map((words) => (
          <p key={words} className={classes["over"]}>
            {words}
          </p>
        ))}
      </div>
      <PaymentError error={error} onRetry={onPay} />
      <div className={classes["foot"]}>
        <BackButton onClick={() => onGo("plan")} />
        {payer === null ? (
          <Button onClick={() => onGo("data")}>{t("checkout.giveData")}</Button>
        ) : (
          <Button loading={isBusy} onClick={onPay}>
            {t("checkout.start", { value: price })}
          </Button>
        )}
      </div>
    </>
  );
}

function addressWords(t: TFunction, payer: PayerValues): string {
  const { address2, city, state, zipcode, country } = payer;
  const land = country === "" ? "" : t(`checkout.countries.${country}`);
  return [address2, city, state, zipcode, land].filter((part) => part !== "").join(", ");
}

function TextButton({ label, onClick }: { label: string; onClick: () => void }): ReactNode {
  return (
    <button type="button" className={classes["change"]} onClick={onClick}>
      {label}
    </button>
  );
}
