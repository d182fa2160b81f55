import type { CompanyState } from "@balcao/contract";
import type { ReactNode } from "react";
import { formatMoney, formatNumber } from "../../i18n/format.ts";
import type { TFunction } from "../../i18n/index.ts";
import { useTranslation } from "../../i18n/index.ts";
import type { Totals } from "./api.ts";
import classes from "./companies.module.css";
import { monthName } from "./usage-section.tsx";

type FiguresProps = {
  totals: Totals | null;
  nowMs: number;
  chosen: CompanyState | null;
  onChoose: (state: CompanyState | null) => void;
};

/** What came in and what is owed, and how many connections are lost. Two of the numbers filter the list. */
export function Figures({ totals, nowMs, chosen, onChoose }: FiguresProps): ReactNode {
  const { t } = useTranslation();
  const money = (of: { value: number } | undefined) => of && formatMoney(of.value);
  const number = (count: number | undefined) => (count === undefined ? null : formatNumber(count));
  const filter = (state: CompanyState) => ({
    isChosen: chosen === state,
    onPress: () => onChoose(chosen === state ? null : state),
  });
  return (
    <div role="group" aria-label={t("companies.figures")} className={classes["figures"]}>
      <Figure
        label={t("companies.revenue", { month: monthName(nowMs, PROVIDER_ZONE) })}
        value={totals && formatMoney(totals.revenue)}
        words={totals && comparison(t, totals, monthName(nowMs, PROVIDER_ZONE, 1))}
      />
      <Figure
        label={t("companies.openInvoices")}
        value={number(totals?.open.count)}
        words={money(totals?.open)}
      />
      <Figure
        label={t("companies.late")}
        value={number(totals?.late.count)}
        words={money(totals?.late)}
        tone={totals?.late.count ? "bad" : undefined}
        filter={filter("overdue")}
      />
      <Figure
        label={t("companies.lostConnections")}
        value={number(totals?.connectionsDown)}
        words={
          totals &&
          t("companies.ofCompanies", {
            count: totals.down,
            all: formatNumber(totals.all),
          })
        }
        tone={totals?.connectionsDown ? "warn" : undefined}
        filter={filter("down")}
      />
    </div>
  );
}

type FigureProps = {
  label: string;
  /** Null or undefined while it is unknown. */
  value: string | null | undefined;
  words: string | null | undefined;
  tone?: "bad" | "warn" | undefined;
  filter?: { isChosen: boolean; onPress: () => void };
};

function Figure({ label, value, words, tone, filter }: FigureProps): ReactNode {
  const lines = (
    <>
      <span>{label}</span> <strong>{value ?? "–"}</strong>{" "}
      <span data-tone={tone}>{words ?? "–"}</span>
    </>
  );
  if (!filter) return <p className={classes["figure"]}>{lines}</p>;
  return (
    <button
      type="button"
      className={classes["figure"]}
      aria-pressed={filter.isChosen}
      onClick={filter.onPress}
    >
      {lines}
    </button>
  );
}

/** The calendar of the provider's money. */
const PROVIDER_ZONE = "America/Sao_Paulo";

function comparison(t: TFunction, { revenue, revenueBefore }: Totals, month: string): string {
  const more = revenue - revenueBefore;
  if (more === 0) return t("companies.same", { month });
  const value = formatMoney(Math.abs(more));
  return t(more > 0 ? "companies.more" : "companies.less", { value, month });
}
