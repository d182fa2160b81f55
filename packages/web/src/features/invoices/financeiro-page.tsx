import type { CompanyId, Invoice, Subscription } from "@balcao/contract";
import { limits, pageSizes } from "@balcao/contract/limits";
import { useMediaQuery } from "@mantine/hooks";
import { IconClock, IconReceipt } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Suspense, useState } from "react";
import type { Pages } from "../../api/use-pages.ts";
import { formatMoney, formatNumber } from "../../i18n/format.ts";
import type { TFunction } from "../../i18n/index.ts";
import { useTranslation } from "../../i18n/index.ts";
import { Link, useLocation, useSearchParams, useStepBack } from "../../router/index.tsx";
import { Button } from "../../ui/button.tsx";
import { useNow } from "../../ui/clock.ts";
import { NoticeStrip } from "../../ui/index.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { Page, PageSearch } from "../../ui/page/page.tsx";
import { useListAddress } from "../../ui/page/record-page.tsx";
import { useSession } from "../auth/index.ts";
import { useCompany } from "../settings/index.ts";
import {
  checkWords,
  invoicePages,
  invoiceWords,
  isChecked,
  isPayable,
  planWords,
  useSubscription,
} from "./api.ts";
import type { FactProps } from "./invoice-table.tsx";
import { Due, InvoiceTable, StatePill } from "./invoice-table.tsx";
import classes from "./invoices.module.css";
import { ReceiptLink, ReceiptPage } from "./receipt.tsx";
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

/**
 * The company's invoices and the checkout (ui-2.md). The only page of a company whose subscription has ended. With
 * `?companyId` super users read another company's invoices, and `?receipt` shows the receipt of a paid one.
 */
export function FinanceiroPage(): ReactNode {
  const [params] = useSearchParams();
  const { user } = useSession();
  const receiptId = Number(params.get("receipt"));
  const companyId = Number(params.get("companyId"));
  if (receiptId > 0) return <ReceiptPage id={receiptId} />;
  if (user.super && companyId > 0 && companyId !== user.companyId) {
    return <CompanyInvoices companyId={companyId as CompanyId} />;
  }
  return <OwnInvoices />;
}

function OwnInvoices(): ReactNode {
  const { t } = useTranslation();
  const { isLocked } = useSession();
  const nowMs = useNow(READ_EVERY_MS);
  const { data: subscription } = useSubscription({ everyMs: isLocked ? READ_EVERY_MS : undefined });
  const address = useListAddress();
  const { words } = address;
  const checkout = useCheckoutAddress(words);
  const pages = invoicePages.usePages({ words }, { staleTime: 0 });
  const isNarrow = useMediaQuery(`(max-width: ${limits.drawerOverlayBelowPx - 1}px)`, false, {
    getInitialValueInEffect: false,
  });
  // The checkout goes on with what it began with: after the payment another invoice is the open one.
  const [begun, setBegun] = useState<Subscription | null>(null);
  if (checkout.open !== null && begun === null && subscription?.canPay) setBegun(subscription);
  if (checkout.open === null && begun !== null) setBegun(null);

  const charge = subscription?.charge ?? null;
  const payWords = (id: Invoice["id"]): string =>
    t(isPayable(charge, id) ? "invoices.showPix" : "invoices.pay");
  const pay = (): void => checkout.start("");
  const openInvoice = pages.rows?.find(({ status }) => status === "open");
  const contact = subscription?.contact ?? "";
  const search = useInvoiceSearch(address, pages.count);
  const check = subscription ? checkWords(t, subscription) : null;

  return (
    <Page title={t("invoices.title")} tools={search.field}>
      {isNarrow && pages.rows === undefined && pages.error === null ? (
        <div className={classes["cardToCome"]} />
      ) : null}
      {isNarrow && openInvoice !== undefined ? (
        <OpenCard invoice={openInvoice} nowMs={nowMs} pay={payWords(openInvoice.id)} onPay={pay} />
      ) : null}
      {check === null ? null : (
        <div className={classes["check"]}>
          <NoticeStrip tone={check.tone} icon={IconClock} title={check.title}>
            {check.text}
          </NoticeStrip>
        </div>
      )}
      <PlanSummary subscription={subscription} onChangePlan={() => checkout.start("plan")} />
      {isNarrow && openInvoice !== undefined && pages.count > 1 ? (
        <h2 className={classes["others"]}>{t("invoices.others")}</h2>
      ) : null}
      {isNarrow && openInvoice !== undefined && pages.count === 1 ? null : (
        <InvoiceTable
          label={t("invoices.title")}
          pages={isNarrow ? withoutOpen(pages) : pages}
          nowMs={nowMs}
          renderAction={(invoice) => {
            if (invoice.status === "paid") return <ReceiptLink id={invoice.id} />;
            if (invoice.status !== "open") return null;
            return (
              <Button size="xs" variant={isChecked(invoice) ? "default" : "filled"} onClick={pay}>
                {payWords(invoice.id)}
              </Button>
            );
          }}
          empty={
            words === ""
              ? {
                  ...{ icon: IconReceipt, drawing: "sheet", title: t("invoices.noneTitle") },
                  text: subscription?.invoice === null ? t("invoices.noneText") : undefined,
                }
              : search.nothing
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

/** The invoices of another company, which a super user only reads. */
function CompanyInvoices({ companyId }: { companyId: CompanyId }): ReactNode {
  const { t } = useTranslation();
  const nowMs = useNow(READ_EVERY_MS);
  const address = useListAddress({ companyId: String(companyId) });
  const { data: company } = useCompany(companyId);
  const pages = invoicePages.usePages({ words: address.words, companyId }, { staleTime: 0 });
  const search = useInvoiceSearch(address, pages.count);
  const title = company ? t("invoices.ofCompany", { company: company.name }) : t("invoices.title");
  return (
    <Page
      title={title}
      back={<Link to="/settings?tab=companies">{t("invoices.companies")}</Link>}
      tools={search.field}
    >
      <InvoiceTable
        label={title}
        pages={pages}
        nowMs={nowMs}
        empty={
          address.words === ""
            ? { icon: IconReceipt, drawing: "sheet", title: t("invoices.noneTitle") }
            : search.nothing
        }
      />
    </Page>
  );
}

/** The search, which comes with the first full page, and what stands in the place of a list in which nothing was found. */
function useInvoiceSearch(address: ReturnType<typeof useListAddress>, count: number) {
  const { t } = useTranslation();
  // Another number is another, empty field.
  const [clearings, setClearings] = useState(0);
  const { words } = address;
  return {
    field:
      words !== "" || count >= pageSizes.invoices ? (
        <PageSearch
          key={`${address.fieldKey} ${clearings}`}
          label={t("invoices.search")}
          start={words}
          onSearch={(next) => address.change({ words: next })}
        />
      ) : undefined,
    nothing: {
      icon: IconReceipt,
      drawing: "search" as const,
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
    },
  };
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
      {subscription?.canPay === false ? null : (
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
