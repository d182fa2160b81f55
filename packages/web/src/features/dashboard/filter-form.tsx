import { NativeSelect, TextInput } from "@mantine/core";
import { IconChevronDown } from "@tabler/icons-react";
import type { ComponentProps, FormEvent, ReactNode, Ref } from "react";
import { useId, useRef, useState } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { Button } from "../../ui/button.tsx";
import type { ListFilter } from "../../ui/filter-menu.tsx";
import { notifyError } from "../../ui/index.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { OnDemand } from "../../ui/on-demand.tsx";
import { Segmented } from "../../ui/segmented.tsx";
import type { FiguresFilter, Period } from "../reports/index.ts";
import {
  choiceOf,
  daysOf,
  monthUntilNow,
  periodProblem,
  periods,
  useChoiceFilters,
} from "../reports/index.ts";
import classes from "./filter.module.css";

const FilterMenu = lazyPart(async () => (await import("../../ui/filter-menu.tsx")).FilterMenu);

type Props = {
  filter: FiguresFilter;
  /** Called with the new filter by "Filtrar", also with an equal one: then all is read again. */
  onFilter: (filter: FiguresFilter) => void;
};

/** The filter of the dashboard: a period, and what its figures are narrowed to. Nothing is read before "Filtrar". */
export function FilterForm({ filter, onFilter }: Props): ReactNode {
  const { t } = useTranslation();
  const id = useId();
  const [mode, setMode] = useState<"dates" | "days">(filter.days === undefined ? "dates" : "days");
  const [days, setDays] = useState(filter.days ?? daysOf(filter));
  const [dates, setDates] = useState<Period>(() =>
    filter.days === undefined ? filter : monthUntilNow(),
  );
  const [choice, setChoice] = useState(choiceOf(filter));
  const filters = useChoiceFilters(choice, setChoice);
  const { problem, check, fields } = usePeriodCheck();

  function submit(event: FormEvent): void {
    event.preventDefault();
    const period =
      mode === "days" ? { days } : { dateFrom: dates.dateFrom ?? "", dateTo: dates.dateTo ?? "" };
    if (check(period)) onFilter({ ...period, ...choice });
  }

  return (
    <form
      className={classes["form"]}
      onSubmit={submit}
      noValidate
      aria-label={t("dashboard.filter")}
    >
      <span id={id} className="bc-hidden-text">
        {t("dashboard.filterType")}
      </span>
      <Segmented
        aria-labelledby={id}
        value={mode}
        choices={[
          { value: "dates", label: t("dashboard.byDate") },
          { value: "days", label: t("dashboard.byPeriod") },
        ]}
        onChange={setMode}
      />
      {mode === "days" ? (
        <NativeSelect
          aria-label={t("dashboard.period")}
          value={String(days)}
          onChange={(event) => setDays(Number(event.currentTarget.value))}
          data={[...new Set([...periods, days])]
            .sort((a, b) => a - b)
            .map((count) => ({
              value: String(count),
              label: t("figures.lastDays", { count }),
            }))}
        />
      ) : (
        <DateFields ref={fields} dates={dates} problem={problem} onDates={setDates} />
      )}
      {filters.map((one) => (
        <OnDemand
          key={one.id}
          part={FilterMenu}
          standIn={<Choose filter={one} aria-haspopup="menu" aria-expanded={false} />}
        >
          <FilterMenu filters={[one]} target={<Choose filter={one} />} />
        </OnDemand>
      ))}
      <Button type="submit" className={classes["submit"] ?? ""}>
        {t("dashboard.apply")}
      </Button>
    </form>
  );
}

/** "Fila: todas", or the chosen ones. */
function Choose({ filter, ...rest }: ComponentProps<"button"> & { filter: ListFilter }): ReactNode {
  const { t } = useTranslation();
  const all = filter.id === "userIds" ? t("dashboard.everybody") : t("dashboard.all");
  return (
    <button {...rest} type="button" className={classes["choose"]}>
      <span className="bc-ellipsis">
        {filter.title}: <strong>{filter.value ?? all}</strong>
      </span>
      <IconChevronDown size={15} stroke={1.7} aria-hidden="true" />
    </button>
  );
}

type Problem = ReturnType<typeof periodProblem>;

/** Refuses a period that cannot be read, beside its field. */
export function usePeriodCheck() {
  const { t } = useTranslation();
  const [problem, setProblem] = useState<Problem>(null);
  const fields = useRef<HTMLSpanElement>(null);
  function check(period: Period): boolean {
    const found = periodProblem(period);
    setProblem(found);
    if (found === null) return true;
    if (found === "missing") notifyError(t("figures.periodRequired"));
    const inputs = fields.current?.querySelectorAll("input") ?? [];
    const wrong =
      found === "reversed" ? 1 : Array.from(inputs).findIndex(({ value }) => value === "");
    inputs[Math.max(0, wrong)]?.focus();
    return false;
  }
  return { problem, check, fields };
}

type DatesProps = {
  ref: Ref<HTMLSpanElement>;
  dates: Period;
  problem: Problem;
  size?: "xs" | "sm";
  onDates: (dates: Period) => void;
};

/** The first and the last day. */
export function DateFields({ ref, dates, problem, size = "sm", onDates }: DatesProps): ReactNode {
  const { t } = useTranslation();
  const { dateFrom = "", dateTo = "" } = dates;
  const reversed = problem === "reversed" ? t("figures.periodReversed") : null;
  const missing = problem === "missing" ? t("figures.periodRequired") : null;
  return (
    <span ref={ref} className={classes["dates"]}>
      <TextInput
        type="date"
        size={size}
        aria-label={t("dashboard.from")}
        value={dateFrom}
        error={dateFrom === "" ? missing : null}
        onChange={(event) => onDates({ dateFrom: event.currentTarget.value, dateTo })}
      />
      <span aria-hidden="true">{t("dashboard.until")}</span>
      <TextInput
        type="date"
        size={size}
        aria-label={t("dashboard.to")}
        value={dateTo}
        error={reversed ?? (dateTo === "" ? missing : null)}
        onChange={(event) => onDates({ dateFrom, dateTo: event.currentTarget.value })}
      />
    </span>
  );
}
