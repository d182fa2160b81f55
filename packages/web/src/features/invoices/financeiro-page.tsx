import type { Invoice, Subscription } from "@balcao/contract";
import { limits, pageSizes } from "@balcao/contract/limits";
import { useMediaQuery } from "@mantine/hooks";
import { IconReceipt } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Suspense, useState } from "react";
import type { Pages } from "../../api/use-pages.ts";
import { daysUntil, formatDate, formatMoney, formatNumber, formatTime } from "../../i18n/format.ts";
import type { TFunction } from "../../i18n/index.ts";
import { useTranslation } from "../../i18n/index.ts";
import { useLocation, useSearchParams, useStepBack } from "../../router/index.tsx";
import { Button } from "../../ui/button.tsx";
import { useNow } from "../../ui/clock.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";
import type { Tone } from "../../ui/marks.tsx";
import { Pill } from "../../ui/marks.tsx";
import { Page, PageSearch } from "../../ui/page/page.tsx";
import { useListAddress } from "../../ui/page/record-page.tsx";
import type { Column } from "../../ui/page/record-table.tsx";
import { RecordTable } from "../../ui/page/record-table.tsx";
import { useSession } from "../auth/index.ts";
import {
  invoicePages,
  invoiceWords,
  isPayable,
  planWords,
  shortDay,
  useSubscription,
} from "./api.ts";
import classes from "./invoices.module.css";
import { READ_EVERY_MS } from "./subscription-strip.tsx";

const Checkout = lazyPart(
  async () => (await import("./checkout.tsx")).Checkout,
  "over",
  "provider",
);

/** `?pay` opens the checkout at what is next, `?pay=plan` at the choice of the plan. */
const PAY = "pay";
/** Marks a step of the address that opened the checkout: the step before it is the list. */
const OPENING_STEP = "opening";

/** The company's invoices and the checkout (ui-2.md). The only page of a company whose subscription has ended. */
export function FinanceiroPage(): ReactNode {
  const { t } = useTranslation();
  const { isLocked } = useSession();
  const nowMs = useNow(READ_EVERY_MS);
  const { data: subscription } = useSubscription({ everyMs: isLocked ? READ_EVERY_MS : undefined });
  const address = useListAddress();
  const { words } = address;
  const checkout = useCheckoutAddress(words);
  const pages = invoicePages.usePages(words, { staleTime: 0 });
  const isNarrow = useMediaQuery(`(max-width: ${limits.drawerOverlayBelowPx - 1}px)`, false, {
    getInitialValueInEffect: false,
  });
  // Another number is another, empty field.
  const [clearings, setClearings] = useState(0);
  // The checkout goes on with what it began with: after the payment another invoice is the open one.
  const [begun, setBegun] = useState<Subscription | null>(null);
  if (checkout.open !== null && begun === null && subscription?.invoice) setBegun(subscription);
  if (checkout.open === null && begun !== null) setBegun(null);

  const charge = subscription?.charge ?? null;
  const payWords = (id: Invoice["id"]): string =>
    t(isPayable(charge, id) ? "invoices.showPix" : "invoices.pay");
  const pay = (): void => checkout.start("");
  const openInvoice = pages.rows?.find(({ status }) => status === "open");
  const contact = subscription?.contact ?? "";
  const isSearched = words !== "" || pages.count >= pageSizes.invoices;

  return (
    <Page
      title={t("invoices.title")}
      tools={
        isSearched ? (
          <PageSearch
            key={`${address.fieldKey} ${clearings}`}
            label={t("invoices.search")}
            start={words}
            onSearch={(next) => address.change({ words: next })}
          />
        ) : undefined
      }
    >
      {isNarrow && pages.rows === undefined && pages.error === null ? (
        <div className={classes["cardToCome"]} />
      ) : null}
      {isNarrow && openInvoice !== undefined ? (
        <OpenCard invoice={openInvoice} nowMs={nowMs} pay={payWords(openInvoice.id)} onPay={pay} />
      ) : null}
      <PlanSummary subscription={subscription} onChangePlan={() => checkout.start("plan")} />
      {isNarrow && openInvoice !== undefined && pages.count > 1 ? (
        <h2 className={classes["others"]}>{t("invoices.others")}</h2>
      ) : null}
      {isNarrow && openInvoice !== undefined && pages.count === 1 ? null : (
        <RecordTable
          label={t("invoices.title")}
          pages={isNarrow ? withoutOpen(pages) : pages}
          columns={columnsOf(t, nowMs)}
          sort={null}
          onSort={() => undefined}
          identify={({ id }) => id}
          tintOf={(invoice) => (stateOf(invoice, nowMs) === "overdue" ? "bad" : undefined)}
          renderActions={(invoice) => (
            <>
              {invoice.status === "open" ? (
                <Button size="xs" onClick={pay}>
                  {payWords(invoice.id)}
                </Button>
              ) : null}
              <NarrowFacts invoice={invoice} nowMs={nowMs} />
            </>
          )}
          empty={
            words === ""
              ? {
                  ...{ icon: IconReceipt, drawing: "sheet", title: t("invoices.noneTitle") },
                  text: subscription?.invoice === null ? t("invoices.noneText") : undefined,
                }
              : {
                  icon: IconReceipt,
                  drawing: "search",
                  title: t("common.noMatch", { words }),
                  action: (
                    <Button
                      variant="default"
                      onClick={() => {
                        address.change({ words: "" });
                        setClearings(clearings + 1);
                      }}
                    >
                      {t("common.clearSearch")}
                    </Button>
                  ),
                }
          }
        />
      )}
      {contact === "" ? null : (
        <p className={classes["contact"]}>
          {t("invoices.contact")} <a href={`mailto:${contact}`}>{contact}</a>
        </p>
      )}
      <Suspense fallback={null}>
        {begun === null ? null : (
          <Checkout
            begun={begun}
            startsAtPlan={checkout.open === "plan"}
            onClose={checkout.close}
          />
        )}
      </Suspense>
    </Page>
  );
}

/** The checkout in the address; null: it is not open. */
function useCheckoutAddress(words: string) {
  const [params, setParams] = useSearchParams();
  const { state } = useLocation();
  const stepBack = useStepBack();
  const list: Record<string, string> = words === "" ? {} : { search: words };
  return {
    open: params.get(PAY),
    start: (at: "" | "plan") => setParams({ ...list, [PAY]: at }, { state: OPENING_STEP }),
    close: () => {
      if (state === OPENING_STEP) stepBack();
      else setParams(list, { replace: true });
    },
  };
}

/** On a narrow screen the open invoice is a card above the list. */
function withoutOpen(pages: Pages<Invoice>): Pages<Invoice> {
  return { ...pages, rows: pages.rows?.filter(({ status }) => status !== "open") };
}

type State = "paid" | "cancelled" | "overdue" | "open";

/** The state on the screen (spec 4): overdue from the day after the due date on. */
function stateOf({ status, dueDate }: Invoice, nowMs: number): State {
  if (status !== "open") return status;
  return daysUntil(dueDate, nowMs) < 0 ? "overdue" : "open";
}

const tones: Readonly<Record<State, Tone | undefined>> = {
  paid: "ok",
  overdue: "bad",
  open: "info",
  cancelled: undefined,
};

type FactProps = { invoice: Invoice; nowMs: number };

function StatePill({ invoice, nowMs }: FactProps): ReactNode {
  const { t } = useTranslation();
  const state = stateOf(invoice, nowMs);
  return <Pill tone={tones[state]}>{t(`invoices.states.${state}`)}</Pill>;
}

function columnsOf(t: TFunction, nowMs: number): readonly Column<Invoice>[] {
  const wide = (content: ReactNode): ReactNode => <span className="bc-wide-only">{content}</span>;
  return [
    {
      id: "id",
      title: t("invoices.id"),
      fit: "content",
      renderCell: ({ id }) => wide(<span className="bc-numbers">{id}</span>),
    },
    {
      id: "detail",
      title: t("invoices.details"),
      isName: true,
      renderCell: (invoice) => invoiceWords(t, invoice),
    },
    {
      id: "value",
      title: t("invoices.value"),
      fit: "content",
      align: "end",
      renderCell: ({ value }) =>
        wide(<span className={classes["value"]}>{formatMoney(value)}</span>),
    },
    {
      id: "dueDate",
      title: t("invoices.dueDate"),
      fit: "content",
      renderCell: (invoice) => (
        <>
          {wide(<Due invoice={invoice} nowMs={nowMs} />)}
          <span className="bc-narrow-only">
            {t(daysUntil(invoice.dueDate, nowMs) < 0 ? "invoices.wasDue" : "invoices.isDue", {
              date: formatDate(invoice.dueDate),
            })}
          </span>
        </>
      ),
    },
    {
      id: "state",
      title: t("invoices.state"),
      fit: "content",
      renderCell: (invoice) => wide(<StatePill invoice={invoice} nowMs={nowMs} />),
    },
    {
      id: "payment",
      title: t("invoices.payment"),
      fit: "content",
      isExtra: true,
      renderCell: ({ paidAt }) =>
        paidAt === null
          ? null
          : wide(
              <span className="bc-detail">
                {t("invoices.paidOn", { day: shortDay(paidAt), time: formatTime(paidAt) })}
              </span>,
            ),
    },
  ];
}

function Due({ invoice, nowMs }: FactProps): ReactNode {
  const { t } = useTranslation();
  const { dueDate, status } = invoice;
  return (
    <>
      <span className="bc-numbers">{formatDate(dueDate)}</span>{" "}
      {status === "open" ? (
        <span className={classes["due"]} data-state={stateOf(invoice, nowMs)}>
          {dueWords(t, daysUntil(dueDate, nowMs))}
        </span>
      ) : null}
    </>
  );
}

function dueWords(t: TFunction, days: number): string {
  if (days === 0) return t("invoices.dueToday");
  return days < 0
    ? t("invoices.overdueDays", { count: -days })
    : t("invoices.dueDays", { count: days });
}

/** Value and state at the right of a row on a narrow screen. */
function NarrowFacts({ invoice, nowMs }: FactProps): ReactNode {
  const { t } = useTranslation();
  const state = stateOf(invoice, nowMs);
  return (
    <span className="bc-narrow-only">
      <span className={classes["facts"]}>
        <strong>{formatMoney(invoice.value)}</strong>
        <span data-state={state}>{t(`invoices.states.${state}`)}</span>
      </span>
    </span>
  );
}

type CardProps = FactProps & { pay: string; onPay: () => void };

function OpenCard({ invoice, nowMs, pay, onPay }: CardProps): ReactNode {
  const { t } = useTranslation();
  return (
    <section className={classes["card"]} aria-label={invoiceWords(t, invoice)}>
      <span className={classes["cardHead"]}>
        <span className="bc-detail">{invoiceWords(t, invoice)}</span>
        <StatePill invoice={invoice} nowMs={nowMs} />
      </span>
      <strong className={classes["amount"]}>{formatMoney(invoice.value)}</strong>
      <span className="bc-detail">
        <Due invoice={invoice} nowMs={nowMs} />
      </span>
      <Button fullWidth onClick={onPay}>
        {pay}
      </Button>
    </section>
  );
}

const uses = ["users", "connections", "queues"] as const;

type SummaryProps = { subscription: Subscription | undefined; onChangePlan: () => void };

/** The plan with its price, and how much of its limits is used. It keeps its height while it is read. */
function PlanSummary({ subscription, onChangePlan }: SummaryProps): ReactNode {
  const { t } = useTranslation();
  return (
    <section className={classes["summary"]} aria-label={t("invoices.plan")}>
      <p className={classes["brief"]}>
        <strong>{subscription ? planWords(t, subscription.plan.name) : NOTHING_YET}</strong>
        <span>
          {subscription
            ? uses.map((part) => t(`invoices.uses.${part}`, usageOf(subscription, part))).join(", ")
            : NOTHING_YET}
        </span>
      </p>
      <dl className={classes["cells"]}>
        <div>
          <dt>{t("invoices.plan")}</dt>
          <dd>{subscription ? planName(t, subscription.plan.name) : NOTHING_YET}</dd>
          <dd>{subscription ? priceWords(t, subscription) : NOTHING_YET}</dd>
        </div>
        {uses.map((part) => (
          <div key={part}>
            <dt>{t(`invoices.${part}`)}</dt>
            <dd>{subscription ? t("invoices.used", usageOf(subscription, part)) : NOTHING_YET}</dd>
            <dd>{subscription ? freeWords(t, subscription, part) : NOTHING_YET}</dd>
          </div>
        ))}
      </dl>
      {subscription?.invoice === null ? null : (
        <Button variant="default" disabled={subscription === undefined} onClick={onChangePlan}>
          {t("invoices.changePlan")}
        </Button>
      )}
    </section>
  );
}

/** Keeps the height of a line. */
const NOTHING_YET = "\u00A0";

const usageOf = ({ usage, plan }: Subscription, part: (typeof uses)[number]) => ({
  used: formatNumber(usage[part]),
  limit: formatNumber(plan[part]),
});

/** The cell is called "Plano": "Equipe", not "Plano Equipe". */
const planName = (t: TFunction, name: string): string =>
  name.toLowerCase().startsWith(`${t("invoices.plan").toLowerCase()} `)
    ? name.slice(t("invoices.plan").length + 1)
    : name;

function priceWords(t: TFunction, { plan, months }: Subscription): string {
  if (plan.value === 0) return t("invoices.noPrice");
  const value = formatMoney(Math.round(plan.value * months * 100) / 100);
  return months === 1
    ? t("invoices.priceMonth", { value })
    : t("invoices.priceMonths", { value, count: months });
}

function freeWords(
  t: TFunction,
  { usage, plan }: Subscription,
  part: (typeof uses)[number],
): string {
  const free = plan[part] - usage[part];
  if (free === 0) return t("invoices.full");
  return free > 0 ? t("invoices.free", { count: free }) : t("invoices.over", { count: -free });
}
