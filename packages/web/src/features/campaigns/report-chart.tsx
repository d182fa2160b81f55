import type { CampaignReport } from "@balcao/contract";
import { IconChartBar, IconTable } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useState } from "react";
import { dayKey, formatNumber, formatTime } from "../../i18n/format.ts";
import { useTranslation } from "../../i18n/index.ts";
import { Button } from "../../ui/button.tsx";
import { nowIso } from "../../ui/clock.ts";
import classes from "./report-chart.module.css";
import { dayMonth } from "./campaign-dates.ts";

const HEIGHT_PX = 150;

/** What was sent and what is planned, by hour, day or week; as bars or as a table. */
export function ReportChart({ report: { chart } }: { report: CampaignReport }): ReactNode {
  const { t } = useTranslation();
  const [isTable, setTable] = useState(false);
  const { step, bars } = chart;
  const today = dayKey(nowIso());
  const labelOf = (at: string): string => {
    if (step === "hour") return formatTime(at);
    const day = dayKey(at);
    return step === "day" && day === today ? t("campaignReport.today") : dayMonth(day);
  };
  const most = Math.max(1, ...bars.map(({ done, planned }) => done + planned));
  const Icon = isTable ? IconChartBar : IconTable;
  return (
    <section className={classes["chart"]} aria-labelledby="campaign-chart">
      <header className={classes["head"]}>
        <h2 id="campaign-chart" className={classes["heading"]}>
          {t(`campaignReport.sendsBy.${step}`)}
        </h2>
        <span className={classes["legend"]} aria-hidden="true">
          <span data-of="done">{t("campaignReport.done")}</span>
          <span data-of="planned">{t("campaignReport.plannedSends")}</span>
        </span>
        {bars.length === 0 ? null : (
          <Button
            variant="subtle"
            size="xs"
            leftSection={<Icon size={15} stroke={1.7} aria-hidden="true" />}
            onClick={() => setTable(!isTable)}
          >
            {t(isTable ? "campaignReport.asChart" : "campaignReport.asTable")}
          </Button>
        )}
      </header>
      {bars.length === 0 ? <p className="bc-note">{t("campaignReport.noSends")}</p> : null}
      {bars.length > 0 && isTable ? (
        <div
          className={classes["sideways"]}
          tabIndex={0}
          role="group"
          aria-labelledby="campaign-chart"
        >
          <table className={classes["table"]}>
            <thead>
              <tr>
                <th scope="col">{t("campaignReport.when")}</th>
                <th scope="col">{t("campaignReport.done")}</th>
                <th scope="col">{t("campaignReport.plannedSends")}</th>
              </tr>
            </thead>
            <tbody>
              {bars.map(({ at, done, planned, closed }) => (
                <tr key={at}>
                  <th scope="row">{labelOf(at)}</th>
                  <td>{formatNumber(done)}</td>
                  <td>
                    {closed === null ? formatNumber(planned) : t(`campaignReport.closed.${closed}`)}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      ) : null}
      {bars.length > 0 && !isTable ? (
        <div
          className={classes["sideways"]}
          tabIndex={0}
          role="group"
          aria-labelledby="campaign-chart"
        >
          <ol className={classes["bars"]}>
            {bars.map(({ at, done, planned, closed }) => (
              <li key={at}>
                <span className={classes["number"]} data-done={done > 0 || undefined}>
                  {closed !== null && done + planned === 0
                    ? t(`campaignReport.closed.${closed}`)
                    : done > 0 && planned > 0
                      ? t("campaignReport.doneOf", {
                          done: formatNumber(done),
                          all: formatNumber(done + planned),
                        })
                      : formatNumber(done + planned)}
                </span>
                <span className={classes["stack"]} aria-hidden="true">
                  <span
                    data-of="planned"
                    style={{ height: (HEIGHT_PX * planned) / most }}
                    hidden={planned === 0}
                  />
                  <span
                    data-of="done"
                    data-alone={planned === 0 || undefined}
                    style={{ height: (HEIGHT_PX * done) / most }}
                    hidden={done === 0}
                  />
                </span>
                <span
                  className={classes["label"]}
                  data-now={labelOf(at) === t("campaignReport.today") || undefined}
                >
                  {labelOf(at)}
                </span>
              </li>
            ))}
          </ol>
        </div>
      ) : null}
    </section>
  );
}
