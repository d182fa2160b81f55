import { Menu, TextInput } from "@mantine/core";
import type { FormEvent, ReactNode } from "react";
import { useState } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { Button } from "../../ui/button.tsx";
import { DialogFrame } from "../../ui/dialogs/dialog-frame.tsx";
import type { Period, ReportFilter } from "./figure-filter.ts";
import { monthUntilNow, periodProblem, periods } from "./figure-filter.ts";

type OneOfProps = {
  /** Null: none. */
  value: string | null;
  options: readonly { value: string; label: string }[];
  onChoose: (value: string) => void;
};

/** Items of a menu of which one can be chosen. */
export function OneOf({ value, options, onChoose }: OneOfProps): ReactNode {
  return (
    <Menu.RadioGroup value={value ?? ""} onChange={onChoose}>
      {options.map((option) => (
        <Menu.RadioItem key={option.value} value={option.value}>
          {option.label}
        </Menu.RadioItem>
      ))}
    </Menu.RadioGroup>
  );
}

type PeriodProps = {
  period: Period;
  onPeriod: (period: Period) => void;
  /** Asks for two dates, which have no place in a menu. */
  onAsk: () => void;
};

/** The last days, or two dates. */
export function PeriodChoice({ period, onPeriod, onAsk }: PeriodProps): ReactNode {
  const { t } = useTranslation();
  return (
    <>
      <OneOf
        value={period.days === undefined ? null : String(period.days)}
        options={periods.map((count) => ({
          value: String(count),
          label: t("figures.lastDays", { count }),
        }))}
        onChoose={(days) => onPeriod({ days: Number(days) })}
      />
      <Menu.Divider />
      <AskItem label={t("reports.chooseDates")} onAsk={onAsk} />
    </>
  );
}

/** An item of a menu that closes it and asks for something in a dialog. */
export function AskItem({ label, onAsk }: { label: string; onAsk: () => void }): ReactNode {
  return (
    <Menu.Item closeMenuOnClick onClick={onAsk}>
      {label}
    </Menu.Item>
  );
}

type DialogProps = {
  what: "period" | "protocol";
  filter: ReportFilter;
  onFilter: (filter: ReportFilter) => void;
  onClose: () => void;
};

const PROTOCOL_MAX = 999_999_999;

/** Asks for the dates of a report, or for the number of one attendance or its ticket. */
export function FilterDialog({ what, filter, onFilter, onClose }: DialogProps): ReactNode {
  const { t } = useTranslation();
  const [dates, setDates] = useState<Period>(() =>
    filter.days === undefined ? filter : monthUntilNow(),
  );
  const [number, setNumber] = useState(String(filter.protocol ?? ""));
  const [problem, setProblem] = useState<ReturnType<typeof periodProblem>>(null);
  const { dateFrom = "", dateTo = "" } = dates;
  const { days: _days, protocol: _protocol, ...rest } = filter;

  function submit(event: FormEvent): void {
    event.preventDefault();
    if (what === "period") {
      const found = periodProblem({ dateFrom, dateTo });
      setProblem(found);
      if (found !== null) return;
      const { protocol } = filter;
      onFilter({ ...rest, dateFrom, dateTo, ...(protocol === undefined ? {} : { protocol }) });
    } else {
      const protocol = Number(number);
      const isNumber = protocol > 0 && protocol <= PROTOCOL_MAX;
      const period = filter.days === undefined ? {} : { days: filter.days };
      onFilter({ ...rest, ...period, ...(isNumber ? { protocol } : {}) });
    }
    onClose();
  }

  const missing = (value: string): string | null =>
    problem === "missing" && value === "" ? t("figures.periodRequired") : null;
  return (
    <DialogFrame
      opened
      onClose={onClose}
      title={t(what === "period" ? "reports.chooseDates" : "reports.enterNumber")}
    >
      <form className="bc-form" onSubmit={submit} noValidate>
        {what === "period" ? (
          <>
            <TextInput
              type="date"
              label={t("dashboard.from")}
              value={dateFrom}
              error={missing(dateFrom)}
              data-autofocus
              onChange={(event) => setDates({ dateFrom: event.currentTarget.value, dateTo })}
            />
            <TextInput
              type="date"
              label={t("dashboard.to")}
              value={dateTo}
              error={problem === "reversed" ? t("figures.periodReversed") : missing(dateTo)}
              onChange={(event) => setDates({ dateFrom, dateTo: event.currentTarget.value })}
            />
          </>
        ) : (
          <TextInput
            label={t("reports.protocolLabel")}
            value={number}
            inputMode="numeric"
            maxLength={9}
            data-autofocus
            onChange={(event) => setNumber(event.currentTarget.value.replaceAll(/\D/g, ""))}
          />
        )}
        <div className="bc-dialog-foot">
          <Button variant="default" onClick={onClose}>
            {t("common.cancel")}
          </Button>
          <Button type="submit">{t("dashboard.apply")}</Button>
        </div>
      </form>
    </DialogFrame>
  );
}
