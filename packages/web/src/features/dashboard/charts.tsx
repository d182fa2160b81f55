import { IconChartBar, IconTable } from "@tabler/icons-react";
import type { CSSProperties, KeyboardEvent, ReactNode } from "react";
import { useId, useState } from "react";
import { formatNumber } from "../../i18n/format.ts";
import { useTranslation } from "../../i18n/index.ts";
import { Link } from "../../router/index.tsx";
import { IconButton } from "../../ui/index.ts";
import { tip } from "../../ui/tooltip.tsx";
import classes from "./charts.module.css";

type Style = CSSProperties & Record<`--${string}`, string | number>;

/** What stands behind one bar or one cell. */
export type Mark = {
  id: string;
  /** Below the bar. */
  label: string;
  /** Before the label where there is room: "ter." before "17". */
  before?: string;
  value: number;
  /** For screen readers and as the tooltip: "Caio Nunes: 142 atendimentos". */
  name: string;
  to: string;
  isNow?: boolean;
};

/** With more bars than this, only some have a label, and the value is in the tooltip. */
const LABELLED_MAX = 16;
/** A chart has about this many labels when not all bars have one. */
const LABELS = 10;

/** Steps of a scale with at most four lines, which are round numbers: 50, 100, 150 for 142. */
export function scaleOf(most: number): { step: number; top: number } {
  const least = Math.max(1, most / 3);
  const power = 10 ** Math.floor(Math.log10(least));
  const factor = [1, 2, 3, 4, 5, 10].find((one) => one * power >= least) ?? 10;
  const step = factor * power;
  return { step, top: step * Math.max(1, Math.ceil(most / step)) };
}

type BarsProps = {
  /** The id of the chart's heading. */
  labelledBy: string;
  bars: readonly Mark[];
  /** Each bar keeps room for its label, and the chart scrolls sideways. */
  isRoomy?: boolean;
};

/** One bar per row, each a link. One stop of the Tab key; the arrow keys move inside. */
export function Bars({ labelledBy, bars, isRoomy = false }: BarsProps): ReactNode {
  const stops = useArrowStops(bars.length, 1, bars.length - 1);
  const { step, top } = scaleOf(Math.max(0, ...bars.map(({ value }) => value)));
  const lines = Array.from({ length: Math.round(top / step) }, (_, index) => step * (index + 1));
  const isLabelled = isRoomy || bars.length <= LABELLED_MAX;
  const every = isLabelled ? 1 : Math.ceil(bars.length / LABELS);
  return (
    <div className={classes["chart"]}>
      <div className={classes["lines"]} aria-hidden="true">
        {lines.map((line) => (
          <span key={line} style={{ bottom: `${(100 * line) / top}%` }}>
            {formatNumber(line)}
          </span>
        ))}
      </div>
      <div className={classes["sideways"]}>
        <ol
          {...stops.list}
          className={classes["bars"]}
          data-roomy={isRoomy || undefined}
          data-few={bars.length <= 8 || undefined}
          aria-labelledby={labelledBy}
        >
          {bars.map((bar, index) => {
            const style: Style = { "--share": `${(100 * bar.value) / top}%` };
            return (
              <li key={bar.id}>
                <Link
                  {...stops.stop(index)}
                  {...tip(bar.name)}
                  to={bar.to}
                  className={classes["mark"]}
                  data-now={bar.isNow || undefined}
                  style={style}
                >
                  <span className="bc-hidden-text">{bar.name}</span>
                  <span className={classes["column"]} aria-hidden="true">
                    <span className={classes["bar"]} />
                    {isLabelled ? (
                      <span className={classes["value"]}>{formatNumber(bar.value)}</span>
                    ) : null}
                  </span>
                  <span className={classes["label"]} aria-hidden="true">
                    {(bars.length - 1 - index) % every === 0 ? (
                      <>
                        {bar.before === undefined ? null : (
                          <span className={classes["before"]}>{bar.before} </span>
                        )}
                        {bar.label}
                      </>
                    ) : null}
                  </span>
                </Link>
              </li>
            );
          })}
        </ol>
      </div>
    </div>
  );
}

type HeatMapProps = {
  labelledBy: string;
  /** One row per weekday, with all its hours. */
  rows: readonly { label: string; cells: readonly Mark[] }[];
};

/** These hours are shown even when nothing happens in them. */
const ALWAYS_FROM = 8;
const ALWAYS_TO = 18;

/** Weekdays and hours as a grid of links, darker with more. One stop of the Tab key; the arrow keys move inside. */
export function HeatMap({ labelledBy, rows }: HeatMapProps): ReactNode {
  const { t } = useTranslation();
  const hours = rows[0]?.cells.map((_, hour) => hour) ?? [];
  const used = hours.filter((hour) => rows.some(({ cells }) => (cells[hour]?.value ?? 0) > 0));
  const from = Math.min(ALWAYS_FROM, ...used);
  const to = Math.max(ALWAYS_TO, ...used);
  const shown = hours.slice(from, to + 1);
  const cells = rows.flatMap((row) => row.cells.slice(from, to + 1));
  const most = Math.max(1, ...cells.map(({ value }) => value));
  const busiest = Math.max(
    0,
    cells.findIndex(({ value }) => value === most),
  );
  const stops = useArrowStops(cells.length, shown.length, busiest);
  const columns: Style = { "--columns": shown.length };
  return (
    <>
      <div className={classes["sideways"]}>
        <div className={classes["heat"]} style={columns}>
          <div className={classes["weekdays"]} aria-hidden="true">
            {rows.map(({ label }) => (
              <span key={label}>{label}</span>
            ))}
          </div>
          <div
            {...stops.list}
            className={classes["cells"]}
            role="group"
            aria-labelledby={labelledBy}
          >
            {cells.map((cell, index) => {
              const style: Style = { "--share": cell.value / most };
              return (
                <Link
                  {...stops.stop(index)}
                  {...tip(cell.name)}
                  key={cell.id}
                  to={cell.to}
                  className={classes["cell"]}
                  aria-label={cell.name}
                  style={style}
                />
              );
            })}
          </div>
          <div className={classes["hours"]} aria-hidden="true">
            {shown.map((hour) => (
              <span key={hour}>{hour}</span>
            ))}
          </div>
        </div>
      </div>
      <p className={classes["scale"]} aria-hidden="true">
        {t("dashboard.less")}
        {[0, 0.25, 0.5, 0.75, 1].map((share) => {
          const style: Style = { "--share": share };
          return <span key={share} className={classes["cell"]} style={style} />;
        })}
        {t("dashboard.more")}
      </p>
    </>
  );
}

/** Props of the links of a chart, of which one is reached by Tab and the others by the arrow keys. */
function useArrowStops(count: number, perRow: number, start: number) {
  const [chosen, setChosen] = useState<number | null>(null);
  const at = Math.max(0, Math.min(chosen ?? start, count - 1));
  const steps: Readonly<Record<string, number>> = {
    ...{ ArrowLeft: -1, ArrowRight: 1, Home: -count, End: count },
    ...(perRow > 1 ? { ArrowUp: -perRow, ArrowDown: perRow } : {}),
  };
  function onKeyDown(event: KeyboardEvent<HTMLElement>): void {
    const step = steps[event.key];
    if (step === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const isVertical = perRow > 1 && Math.abs(step) === perRow;
    const wanted = at + step;
    // Up from the first row stays where it is.
    if (isVertical && (wanted < 0 || wanted >= count)) return;
    const next = Math.max(0, Math.min(count - 1, wanted));
    event.currentTarget.querySelectorAll<HTMLElement>("a")[next]?.focus();
  }
  return {
    list: { onKeyDown },
    stop: (index: number) => ({
      tabIndex: index === at ? 0 : -1,
      onFocus: () => setChosen(index),
    }),
  };
}

/** The numbers of a chart: a head of column names, and rows of a name and numbers. */
export type ChartTable = {
  head: readonly string[];
  rows: readonly { id: string; name: string; values: readonly number[] }[];
};

type CardProps = {
  title: string;
  /** At the right of the title. */
  tools?: ReactNode;
  /** Null while there are no numbers: then the chart cannot become a table. */
  table: ChartTable | null;
  className?: string | undefined;
  /** The chart; it is named by the heading with this id. */
  children: (headingId: string) => ReactNode;
};

/** A card with a chart that can be read as a table. */
export function ChartCard({ title, tools, table, className, children }: CardProps): ReactNode {
  const { t } = useTranslation();
  const id = useId();
  const [isTable, setTable] = useState(false);
  return (
    <section className={`${classes["card"]} ${className ?? ""}`} aria-labelledby={id}>
      <header className={classes["head"]}>
        <h2 id={id}>{title}</h2>
        {tools}
        <IconButton
          label={t(isTable ? "dashboard.asChart" : "dashboard.asTable")}
          icon={isTable ? IconChartBar : IconTable}
          disabled={table === null}
          onClick={() => setTable(!isTable)}
        />
      </header>
      {isTable && table !== null ? (
        <div className={classes["tableBox"]} tabIndex={0} role="group" aria-labelledby={id}>
          <table className={classes["table"]}>
            <thead>
              <tr>
                {table.head.map((name) => (
                  <th key={name} scope="col">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {table.rows.map((row) => (
                <tr key={row.id}>
                  <th scope="row">{row.name}</th>
                  {row.values.map((value, index) => (
                    <td key={table.head[index + 1]}>{formatNumber(value)}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      ) : (
        children(id)
      )}
    </section>
  );
}
