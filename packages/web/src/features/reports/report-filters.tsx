import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { call } from "../../api/client.ts";
import { useTranslation } from "../../i18n/index.ts";
import type { ListFilter } from "../../ui/filter-menu.tsx";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { useChoiceFilters } from "./figure-choices.tsx";
import type { ReportFilter } from "./figure-filter.ts";
import { choiceOf, periodOf, reportStateNames, withoutChoice } from "./figure-filter.ts";
import { dayMonth, longWeekday, weekdays, wholeDay } from "./figure-words.ts";

const OneOf = lazyPart(async () => (await import("./report-menus.tsx")).OneOf);
const PeriodChoice = lazyPart(async () => (await import("./report-menus.tsx")).PeriodChoice);
const AskItem = lazyPart(async () => (await import("./report-menus.tsx")).AskItem);

/** Waits that can be chosen, in minutes. */
const waits = [5, 10, 20, 30, 60];
const hours = Array.from({ length: 24 }, (_, hour) => hour);
const rates = [3, 2, 1] as const;
const times = ["wait", "firstAnswer", "support"] as const;

/** The filters of a report, in words and as menus. */
export function useReportFilters(
  filter: ReportFilter,
  onFilter: (filter: ReportFilter) => void,
  onAsk: (what: "period" | "protocol") => void,
): readonly ListFilter[] {
  const { t } = useTranslation();
  const contact = useContactName(filter.contactId);
  const others = useChoiceFilters(choiceOf(filter), (choice) =>
    onFilter({ ...withoutChoice(filter), ...choice }),
  );
  const { days, dateFrom = "", dateTo = "" } = filter;
  const { contactId, protocol, ...rest } = filter;
  const isOneYear = dateFrom.slice(0, 4) === dateTo.slice(0, 4);
  const write = isOneYear ? dayMonth : wholeDay;

  /** One value of a few; undefined is none. */
  function oneOf<Value extends string | number>(
    name: keyof ReportFilter,
    title: string,
    value: Value | undefined,
    options: readonly { value: Value; label: string }[],
    fieldOf: (value: Value) => ReportFilter,
  ): ListFilter {
    const { [name]: _, ...without } = filter;
    const label = options.find((option) => option.value === value)?.label ?? String(value);
    return {
      id: name,
      title,
      value: value === undefined ? null : label,
      turnOn: null,
      renderValues: (): ReactNode => (
        <OneOf
          value={value === undefined ? null : String(value)}
          options={options.map((option) => ({ ...option, value: String(option.value) }))}
          onChoose={(chosen) => {
            const found = options.find((option) => String(option.value) === chosen);
            if (found !== undefined) onFilter({ ...without, ...fieldOf(found.value) });
          }}
        />
      ),
      clear: () => onFilter(without),
    };
  }

  const [rate, ...moreRates] = filter.rates ?? [];
  return [
    {
      id: "period",
      title: t("reports.period"),
      value:
        days === undefined
          ? t("figures.range", { from: write(dateFrom), to: write(dateTo) })
          : t("figures.lastDays", { count: days }),
      turnOn: null,
      renderValues: () => (
        <PeriodChoice
          onAsk={() => onAsk("period")}
          period={periodOf(filter)}
          onPeriod={(period) => onFilter({ ...withoutPeriod(filter), ...period })}
        />
      ),
      clear: () => onFilter(withoutPeriod(filter)),
    },
    oneOf(
      "state",
      t("reports.state"),
      filter.state,
      reportStateNames.map((value) => ({ value, label: t(`reports.states.${value}`) })),
      (state) => ({ state }),
    ),
    ...others,
    oneOf(
      "rates",
      t("dashboard.rating"),
      moreRates.length > 0 ? undefined : rate,
      rates.map((value) => ({ value: value as number, label: t(`figures.rates.r${value}`) })),
      (value) => ({ rates: [value] }),
    ),
    oneOf(
      "by",
      t("reports.by"),
      filter.by,
      [{ value: "resolved" as const, label: t("reports.byResolved") }],
      (by) => ({ by }),
    ),
    oneOf(
      "waitOver",
      t("reports.waitOver"),
      filter.waitOver,
      waits.map((value) => ({ value, label: t("figures.minutes", { m: value }) })),
      (waitOver) => ({ waitOver }),
    ),
    oneOf(
      "weekday",
      t("reports.weekday"),
      filter.weekday,
      weekdays.map((day, value) => ({ value, label: longWeekday(day) })),
      (weekday) => ({ weekday }),
    ),
    oneOf(
      "hour",
      t("reports.hour"),
      filter.hour,
      hours.map((value) => ({ value, label: t("dashboard.hour", { hour: value }) })),
      (hour) => ({ hour }),
    ),
    oneOf(
      "time",
      t("reports.time"),
      filter.time,
      times.map((value) => ({ value, label: t(`dashboard.times.${value}`) })),
      (time) => ({ time }),
    ),
    {
      id: "protocol",
      title: t("reports.protocol"),
      value: protocol === undefined ? null : String(protocol),
      turnOn: null,
      renderValues: () => (
        <AskItem label={t("reports.enterNumber")} onAsk={() => onAsk("protocol")} />
      ),
      clear: () => onFilter({ ...rest, ...(contactId === undefined ? {} : { contactId }) }),
    },
    // The search finds contacts by name; one alone comes by an address.
    ...(contactId === undefined
      ? []
      : [
          {
            id: "contact",
            title: t("reports.contact"),
            value: contact ?? String(contactId),
            turnOn: () => undefined,
            clear: () => onFilter({ ...rest, ...(protocol === undefined ? {} : { protocol }) }),
          } satisfies ListFilter,
        ]),
  ];
}

function withoutPeriod(filter: ReportFilter): ReportFilter {
  const { days: _days, dateFrom: _from, dateTo: _to, ...rest } = filter;
  return rest;
}

function useContactName(contactId: number | undefined): string | undefined {
  return useQuery({
    queryKey: ["reports", "contact-name", contactId],
    queryFn: ({ signal }) =>
      call("GET /contacts/:contactId", { params: { contactId: contactId ?? 0 } }, { signal }),
    select: ({ name }) => name,
    enabled: contactId !== undefined,
  }).data;
}
