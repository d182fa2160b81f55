import type { Invoice } from "@balcao/contract";
import type { ReactNode } from "react";
import type { Pages } from "../../api/use-pages.ts";
import { daysUntil, formatDate, formatMoney, formatTime } from "../../i18n/format.ts";
import type { TFunction } from "../../i18n/index.ts";
import { useTranslation } from "../../i18n/index.ts";
import type { Tone } from "../../ui/marks.tsx";
import { Pill } from "../../ui/marks.tsx";
import { RecordTable } from "../../ui/page/record-table.tsx";
import type { Column } from "../../ui/page/record-table.tsx";
import type { EmptyProps } from "../../ui/states.tsx";
import { invoiceWords, isChecked, shortDay } from "./api.ts";
import classes from "./invoices.module.css";

type Props = {
  label: string;
  pages: Pages<Invoice>;
  nowMs: number;
  empty: EmptyProps;
  /** What can be done with a row; nothing where rows are only read. */
  renderAction?: (invoice: Invoice) => ReactNode;
};

/** A company's invoices, each with its state in words. */
export function InvoiceTable({ label, pages, nowMs, empty, renderAction }: Props): ReactNode {
  const { t } = useTranslation();
  return (
    <RecordTable
      label={label}
      pages={pages}
      columns={columnsOf(t, nowMs)}
      sort={null}
      onSort={() => undefined}
      identify={({ id }) => id}
      tintOf={(invoice) => (stateOf(invoice, nowMs) === "overdue" ? "bad" : undefined)}
      renderActions={(invoice) => (
        <>
          {renderAction?.(invoice)}
          <NarrowFacts invoice={invoice} nowMs={nowMs} />
        </>
      )}
      empty={empty}
    />
  );
}

type State = "paid" | "cancelled" | "overdue" | "open" | "checking";

/** The state on the screen (spec 4): overdue from the day after the due date on, unless a payment of it is checked. */
function stateOf(invoice: Invoice, nowMs: number): State {
  const { status, dueDate } = invoice;
  if (isChecked(invoice)) return "checking";
  if (status !== "open") return status;
  return daysUntil(dueDate, nowMs) < 0 ? "overdue" : "open";
}

const tones: Readonly<Record<State, Tone | undefined>> = {
  paid: "ok",
  overdue: "bad",
  open: "info",
  cancelled: undefined,
  checking: "warn",
};

export type FactProps = { invoice: Invoice; nowMs: number };

export function StatePill({ invoice, nowMs }: FactProps): ReactNode {
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

export function Due({ invoice, nowMs }: FactProps): ReactNode {
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
