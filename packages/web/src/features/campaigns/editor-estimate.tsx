import type { CampaignEstimate } from "@balcao/contract";
import { IconBolt, IconCalendarOff, IconClock, IconShieldCheck } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { formatNumber } from "../../i18n/format.ts";
import { useTranslation } from "../../i18n/index.ts";
import { Link } from "../../router/index.tsx";
import classes from "./editor-estimate.module.css";
import { daysFrom, dayMonth, dayAndTime, shortWeekday } from "./campaign-dates.ts";

type Props = {
  estimate: CampaignEstimate | null;
  isComputing: boolean;
  hasFailed: boolean;
  listId: number | null;
  listName: string | null;
  /** Null: the campaign is only read. */
  onConnection: ((id: number) => void) | null;
};

/** Who gets the campaign, when it ends, and what takes the time, as the server computes it. */
export function EditorEstimate(props: Props): ReactNode {
  const { estimate, isComputing, hasFailed } = props;
  const { t } = useTranslation();
  const note = isComputing ? t("campaignEditor.computing") : null;
  return (
    <div className={classes["blocks"]} aria-busy={isComputing}>
      <section className={classes["block"]} aria-label={t("campaignEditor.receivers")}>
        <h3 className={classes["head"]}>
          {t("campaignEditor.receivers")} <span role="status">{note}</span>
        </h3>
        {estimate === null ? (
          <p className="bc-note">
            {t(hasFailed ? "campaignEditor.estimateFailed" : "campaignEditor.chooseList")}
          </p>
        ) : (
          <People {...props} people={estimate.people} />
        )}
      </section>
      <section className={classes["block"]} aria-label={t("campaignEditor.ends")}>
        <h3 className={classes["head"]}>
          {t("campaignEditor.ends")} {estimate === null ? null : <EndWords estimate={estimate} />}
        </h3>
        {estimate === null ? null : <Days estimate={estimate} />}
      </section>
      <section className={classes["block"]} aria-label={t("campaignEditor.holds")}>
        <h3 className={classes["head"]}>{t("campaignEditor.holds")}</h3>
        {estimate === null ? null : (
          <Limits estimate={estimate} onConnection={props.onConnection} />
        )}
      </section>
    </div>
  );
}

function EndWords({ estimate: { endsAt, people } }: { estimate: CampaignEstimate }): ReactNode {
  const { t } = useTranslation();
  if (people.total === 0) return null;
  return (
    <span>
      {endsAt === null
        ? t("campaignEditor.endsNever")
        : t("campaignEditor.endsAround", dayAndTime(endsAt))}
    </span>
  );
}

function People({
  people,
  listId,
  listName,
}: Props & { people: CampaignEstimate["people"] }): ReactNode {
  const { t } = useTranslation();
  const lines = [
    { key: "invalid", count: people.invalid, filter: "invalid" },
    { key: "optedOut", count: people.optedOut, filter: "optedOut" },
    { key: "repeated", count: people.repeated, filter: null },
  ] as const;
  const address = listId === null ? null : `/contact-lists/${listId}/contacts`;
  return (
    <>
      <dl className={classes["people"]}>
        <div>
          <dt>
            <Way to={address}>
              {listName === null
                ? t("campaignEditor.listed")
                : t("campaignEditor.onList", { name: listName })}
            </Way>
          </dt>
          <dd>{formatNumber(people.listed)}</dd>
        </div>
        {lines
          .filter(({ count }) => count > 0)
          .map(({ key, count, filter }) => (
            <div key={key}>
              <dt>
                <Way
                  to={filter === null || address === null ? null : `${address}?filter=${filter}`}
                >
                  {t(`campaignEditor.leftOut.${key}`)}
                </Way>
              </dt>
              <dd>– {formatNumber(count)}</dd>
            </div>
          ))}
        <div className={classes["total"]}>
          <dt>{t("campaignEditor.people")}</dt>
          <dd>{formatNumber(people.total)}</dd>
        </div>
      </dl>
      {people.total === 0 ? (
        <p className="bc-failure">{t("campaignEditor.nobody")}</p>
      ) : (
        people.unchecked > 0 && (
          <p className="bc-note">
            {t("campaignEditor.unchecked", {
              count: people.unchecked,
              shown: formatNumber(people.unchecked),
            })}
          </p>
        )
      )}
    </>
  );
}

/** Opens beside the editor, whose input stays. */
function Way({ to, children }: { to: string | null; children: ReactNode }): ReactNode {
  if (to === null) return children;
  return (
    <Link to={to} target="_blank" className={classes["way"] ?? ""}>
      {children}
    </Link>
  );
}

/** More days are shown as weeks. */
const DAYS_SHOWN = 14;
const BAR_PX = 60;

type Bar = {
  key: string;
  count: number;
  closed: "hours" | "holiday" | null;
  labels: readonly [weekday: string, date: string];
};

function barsOf(days: CampaignEstimate["days"]): Bar[] {
  if (days.length <= DAYS_SHOWN) {
    return days.map(({ day, count, closed }) => ({
      ...{ key: day, count, closed },
      labels: [shortWeekday(day), dayMonth(day)],
    }));
  }
  const perBar = Math.max(7, Math.ceil(days.length / DAYS_SHOWN));
  return Array.from({ length: Math.ceil(days.length / perBar) }, (_, index) => {
    const some = days.slice(index * perBar, (index + 1) * perBar);
    const day = some[0]?.day ?? "";
    const count = some.reduce((sum, one) => sum + one.count, 0);
    return { key: day, count, closed: null, labels: ["", dayMonth(day)] };
  });
}

function Days({ estimate: { days, people } }: { estimate: CampaignEstimate }): ReactNode {
  const { t } = useTranslation();
  const bars = barsOf(days);
  const most = Math.max(1, ...bars.map(({ count }) => count));
  const { known, total } = people;
  if (total === 0) return null;
  return (
    <>
      <ol className={classes["bars"]}>
        {bars.map(({ key, count, closed, labels }) => (
          <li key={key}>
            <span className={classes["number"]} data-closed={closed !== null || undefined}>
              {closed === null ? formatNumber(count) : t(`campaignEditor.closed.${closed}`)}
            </span>
            <span
              className={classes["bar"]}
              data-closed={closed !== null || undefined}
              style={{ height: Math.max(2, (BAR_PX * count) / most) }}
              aria-hidden="true"
            />
            <span className={classes["day"]}>
              <span>{labels[0]}</span>
              <span>{labels[1]}</span>
            </span>
          </li>
        ))}
      </ol>
      {known > 0 && known < total ? (
        <p className="bc-note">
          {t("campaignEditor.knownFirst", {
            known: formatNumber(known),
            new: formatNumber(total - known),
          })}
        </p>
      ) : null}
    </>
  );
}

const icons = {
  limit: IconShieldCheck,
  hours: IconClock,
  holidays: IconCalendarOff,
  pace: IconClock,
} as const;
const HOURS_AS_DAYS_FROM = 48;

type LimitsProps = { estimate: CampaignEstimate; onConnection: Props["onConnection"] };

function Limits({ estimate, onConnection }: LimitsProps): ReactNode {
  const { t } = useTranslation();
  const { limits, faster, startsAt } = estimate;
  const costing = limits.filter(({ costsHours }) => costsHours >= 1);
  if (costing.length === 0 && faster === null) {
    return <p className="bc-note">{t("campaignEditor.nothingHolds")}</p>;
  }
  return (
    <ul className={classes["limits"]}>
      {costing.map(({ kind, costsHours }) => {
        const Icon = icons[kind];
        return (
          <li key={kind}>
            <Icon size={17} stroke={1.7} aria-hidden="true" />
            <span>
              <LimitWords kind={kind} limit={estimate.limit} />
            </span>
            <span className={classes["cost"]}>
              {costsHours < HOURS_AS_DAYS_FROM
                ? t("campaignEditor.costsHours", { count: Math.round(costsHours) })
                : t("campaignEditor.costsDays", { count: Math.round(costsHours / 24) })}
            </span>
          </li>
        );
      })}
      {faster === null ? null : (
        <li>
          <IconBolt size={17} stroke={1.7} aria-hidden="true" />
          <span>
            {t("campaignEditor.faster", {
              name: faster.name,
              count: daysFrom(startsAt, faster.endsAt),
            })}{" "}
            {onConnection === null ? null : (
              <button
                type="button"
                className={classes["change"]}
                onClick={() => onConnection(faster.id)}
              >
                {t("campaignEditor.changeConnection")}
              </button>
            )}
          </span>
        </li>
      )}
    </ul>
  );
}

type WordsProps = Pick<CampaignEstimate, "limit"> & {
  kind: CampaignEstimate["limits"][number]["kind"];
};

function LimitWords({ kind, limit }: WordsProps): ReactNode {
  const { t } = useTranslation();
  if (kind !== "limit" || limit === null)
    return <strong>{t(`campaignEditor.limits.${kind}`)}</strong>;
  const { perDay, inUseDays, next } = limit;
  return (
    <>
      <strong>{t("campaignEditor.perDay", { count: perDay, shown: formatNumber(perDay) })}</strong>{" "}
      {inUseDays === null ? null : t("campaignEditor.inUse", { count: inUseDays })}
      {inUseDays === null || next === null
        ? null
        : `; ${t("campaignEditor.rises", { perDay: formatNumber(next.perDay), day: dayMonth(next.day) })}`}
    </>
  );
}
