import type { DashboardFigures, DashboardNow, Measures, NowQueue } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import { IconArrowDown, IconArrowUp, IconArrowUpRight, IconClock } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useId } from "react";
import { formatNumber, formatTime } from "../../i18n/format.ts";
import type { TFunction } from "../../i18n/index.ts";
import { useTranslation } from "../../i18n/index.ts";
import { Link } from "../../router/index.tsx";
import { Button } from "../../ui/button.tsx";
import type { Choice, FiguresFilter, ReportFilter } from "../reports/index.ts";
import {
  addressWith,
  durationText,
  oneDigit,
  percent,
  sinceText,
  waitTone,
} from "../reports/index.ts";
import classes from "./dashboard.module.css";
import { QueueMark, ticketsAddress, useServerNow } from "./now.tsx";

/** What a block needs of a query. */
type Query<Data> = {
  data: Data | undefined;
  error: Error | null;
  refetch: () => unknown;
};

type BlockProps<Data> = {
  query: Query<Data>;
  /** The height of its skeleton in px. */
  heightPx: number;
  /** Where another block has said that the common reading failed, this one only offers to try again. */
  failure?: string;
  children: (data: Data) => ReactNode;
};

/** A part of the dashboard that waits and fails alone. Numbers that are known stay while others are read. */
export function Block<Data>(props: BlockProps<Data>): ReactNode {
  const { query, heightPx, failure, children } = props;
  const { t } = useTranslation();
  const { data, error, refetch } = query;
  const failed =
    error === null ? null : (
      <p className={classes["failed"]} role="alert">
        {failure ?? t("dashboard.failed")}{" "}
        <Button variant="default" size="xs" onClick={() => void refetch()}>
          {t("common.retry")}
        </Button>
      </p>
    );
  if (data === undefined && failed === null) {
    return (
      <div
        className={classes["skeleton"]}
        style={{ height: heightPx }}
        role="status"
        aria-label={t("common.loading")}
      />
    );
  }
  return (
    <>
      {failed}
      {data === undefined ? null : children(data)}
    </>
  );
}

type FigureProps = {
  label: string;
  value: string;
  /** After the number, smaller: "de 3", "3,9%". */
  unit?: string;
  /** Null where nothing stands behind the number. */
  to: string | null;
  tone?: string | undefined;
  /** Below. */
  children?: ReactNode;
};

/** One number with its name; it opens what was counted. */
function Figure({ label, value, unit, to, tone, children }: FigureProps): ReactNode {
  const { t } = useTranslation();
  const shown = (
    <span className={classes["number"]} data-tone={tone}>
      {value}
    </span>
  );
  return (
    <div className={classes["cell"]}>
      <span className={classes["label"]}>
        {label}
        {to === null ? null : (
          <IconArrowUpRight size={14} stroke={1.9} className={classes["go"]} aria-hidden="true" />
        )}
      </span>
      <span className={classes["values"]}>
        {to === null ? (
          shown
        ) : (
          <Link
            to={to}
            className={classes["open"]}
            aria-label={t("dashboard.openFigure", { value, label: label.toLowerCase() })}
          >
            {shown}
          </Link>
        )}
        {unit === undefined ? null : <span className={classes["unit"]}>{unit}</span>}
      </span>
      <span className={classes["note"]}>{children}</span>
    </div>
  );
}

type NowProps = { now: DashboardNow; readAtMs: number; choice: Choice };

/** The strip "Agora", which ignores the period. */
export function NowStrip({ now, readAtMs, choice }: NowProps): ReactNode {
  const { t } = useTranslation();
  const id = useId();
  const nowMs = useServerNow(now.at, readAtMs);
  const { waiting, open, people, resolvedToday, withChatbot } = now;
  const more = waiting.count - waiting.hourAgo;
  const changed = more > 0 ? "dashboard.moreThanHourAgo" : "dashboard.fewerThanHourAgo";
  const tickets = ticketsAddress(choice);
  const { longest } = waiting;
  return (
    <section className={classes["now"]} aria-labelledby={id}>
      <div className={classes["present"]}>
        <h2 id={id} className={classes["nowTitle"]}>
          <IconClock size={16} stroke={1.7} aria-hidden="true" />
          {t("dashboard.now")}
        </h2>
        <dl>
          <dt>{t("dashboard.open")}</dt>
          <dd>
            <Link
              to={tickets}
              className={classes["open"]}
              aria-label={t("dashboard.openFigure", {
                value: formatNumber(open.count),
                label: t("dashboard.open").toLowerCase(),
              })}
            >
              {formatNumber(open.count)}
            </Link>
          </dd>
          <dt>{t("dashboard.online")}</dt>
          <dd>{t("dashboard.ofAll", { some: people.online, all: people.total })}</dd>
        </dl>
      </div>
      <Figure label={t("dashboard.waiting")} value={formatNumber(waiting.count)} to={tickets}>
        {more === 0 ? t("dashboard.sameAsHourAgo") : t(changed, { count: Math.abs(more) })}
      </Figure>
      <Figure
        label={t("dashboard.longestWait")}
        value={longest === null ? "–" : sinceText(t, longest.since, nowMs)}
        to={longest === null ? null : `/tickets/${longest.ticketUuid}`}
        tone={longest === null ? undefined : waitTone(longest.since, nowMs)}
      >
        {longest === null
          ? t("dashboard.nobodyWaits")
          : `${longest.contactName}, ${longest.queueName ?? t("figures.without.queueIds").toLowerCase()}`}
      </Figure>
      <Figure
        label={t("dashboard.resolvedToday")}
        value={formatNumber(resolvedToday.count)}
        to={addressWith("/reports", {
          ...choice,
          ...{ dateFrom: now.today, dateTo: now.today, by: "resolved", state: "resolved" },
        })}
      >
        {t("dashboard.weekAgo", {
          value: formatNumber(resolvedToday.before),
          time: formatTime(now.at),
        })}
      </Figure>
      <Figure label={t("dashboard.withBot")} value={formatNumber(withChatbot.count)} to={tickets}>
        {t("dashboard.botParts", { menu: withChatbot.inMenu, closed: withChatbot.outOfHours })}
      </Figure>
    </section>
  );
}

/** Changes below this share are neither better nor worse. */
const NOTABLE_SHARE = 0.05;

/** A change against the period before: its words, and whether it is good. Null: nothing to compare. */
export type Change = Readonly<{
  direction: "up" | "down" | null;
  amount: string;
  before: string;
  verdict: "better" | "worse" | null;
}>;

type Compared = { now: number | null; before: number | null };

function directionOf(difference: number): Change["direction"] {
  if (difference === 0) return null;
  return difference > 0 ? "up" : "down";
}

/** A plain count has no good or bad side. */
export function countChange({ now, before }: Compared): Change | null {
  if (now === null || before === null) return null;
  const share = before === 0 ? 0 : (now - before) / before;
  const isShown = before > 0 && Math.round(share * 100) !== 0;
  return {
    direction: isShown ? directionOf(share) : null,
    amount: isShown ? percent(Math.abs(share)) : "",
    before: formatNumber(before),
    verdict: null,
  };
}

/** `isHigherBetter` and `write` say what the number means; `digits` is how exactly its change is shown. */
export function valueChange(
  { now, before }: Compared,
  options: {
    isHigherBetter: boolean;
    step: number;
    write: (value: number) => string;
    writeBefore?: (value: number) => string;
  },
): Change | null {
  if (now === null || before === null) return null;
  const { isHigherBetter, step, write, writeBefore = write } = options;
  const difference = Math.round((now - before) / step) * step;
  const isNotable = Math.abs(now - before) >= NOTABLE_SHARE * before && difference !== 0;
  const isBetter = difference > 0 === isHigherBetter;
  return {
    direction: directionOf(difference),
    amount: difference === 0 ? "" : write(Math.abs(difference)),
    before: writeBefore(before),
    verdict: isNotable ? (isBetter ? "better" : "worse") : null,
  };
}

function ChangeLine({ change }: { change: Change | null }): ReactNode {
  const { t } = useTranslation();
  if (change === null) return t("dashboard.noComparison");
  const { direction, amount, before, verdict } = change;
  const Arrow = direction === "up" ? IconArrowUp : IconArrowDown;
  return (
    <>
      {direction === null ? null : (
        <strong className={classes["change"]} data-verdict={verdict ?? undefined}>
          <Arrow size={12} stroke={2.2} aria-hidden="true" />
          <span className="bc-hidden-text">{t(`dashboard.${direction}`)} </span>
          {amount}
          {verdict === null ? null : (
            <span className="bc-hidden-text">, {t(`dashboard.${verdict}`)}</span>
          )}
        </strong>
      )}{" "}
      {t("dashboard.before", { value: before })}
    </>
  );
}

const PRECISE_STEP_S = 1;
const MINUTE_S = 60;

/** "8", "3:10" or "1 h 20": a time of the period before, shorter than the one above it. */
function shortDuration(t: TFunction, seconds: number, isPrecise: boolean): string {
  const text = durationText(t, seconds, isPrecise);
  if (seconds < MINUTE_S || seconds >= 60 * MINUTE_S) return text;
  if (!isPrecise) return String(Math.round(seconds / MINUTE_S));
  const whole = Math.round(seconds);
  return `${Math.floor(whole / MINUTE_S)}:${String(whole % MINUTE_S).padStart(2, "0")}`;
}

type FiguresProps = { figures: DashboardFigures; filter: FiguresFilter };

/** The cards: each figure of the period beside the same number of days before. */
export function Cards({ figures, filter }: FiguresProps): ReactNode {
  const { t } = useTranslation();
  const { measures, totals } = figures;
  const before = figures.before.measures;
  const report = (part: ReportFilter): string => addressWith("/reports", { ...filter, ...part });
  const share = ({ reopened, attendances }: Measures): number | null =>
    attendances === 0 ? null : reopened / attendances;

  function time(name: "wait" | "firstAnswer" | "support", isPrecise: boolean): ReactNode {
    const now = measures[name].seconds;
    const change = valueChange(
      { now, before: before?.[name].seconds ?? null },
      {
        isHigherBetter: false,
        step: isPrecise ? PRECISE_STEP_S : MINUTE_S,
        write: (seconds) => durationText(t, seconds, isPrecise),
        writeBefore: (seconds) => shortDuration(t, seconds, isPrecise),
      },
    );
    return (
      <Figure
        label={t(`dashboard.times.${name}`)}
        value={durationText(t, now, isPrecise)}
        to={now === null ? null : report({ time: name })}
      >
        <ChangeLine change={now === null ? null : change} />
      </Figure>
    );
  }

  const shareNow = share(measures);
  return (
    <section className={classes["cards"]} aria-label={t("dashboard.figures")}>
      {totals === null ? null : (
        <>
          <Figure
            label={t("dashboard.connections")}
            value={formatNumber(totals.connections)}
            to={null}
          >
            {t("dashboard.installation")}
          </Figure>
          <Figure label={t("dashboard.companies")} value={formatNumber(totals.companies)} to={null}>
            {t("dashboard.installation")}
          </Figure>
        </>
      )}
      <Figure
        label={t("dashboard.resolved")}
        value={formatNumber(measures.resolved)}
        to={report({ state: "resolved" })}
      >
        <ChangeLine
          change={countChange({ now: measures.resolved, before: before?.resolved ?? null })}
        />
      </Figure>
      {time("wait", false)}
      {time("firstAnswer", true)}
      {time("support", false)}
      <Figure
        label={t("dashboard.rating")}
        value={
          measures.ratings.average === null
            ? t("figures.noData")
            : oneDigit(measures.ratings.average)
        }
        {...(measures.ratings.average === null ? {} : { unit: t("dashboard.ofThree") })}
        to={measures.ratings.average === null ? null : report({ state: "rated" })}
      >
        <ChangeLine
          change={valueChange(
            { now: measures.ratings.average, before: before?.ratings.average ?? null },
            { isHigherBetter: true, step: 0.1, write: oneDigit },
          )}
        />
      </Figure>
      <Figure
        label={t("dashboard.reopened")}
        value={formatNumber(measures.reopened)}
        {...(shareNow === null ? {} : { unit: percent(shareNow, 1) })}
        to={report({ state: "reopened" })}
      >
        <ChangeLine
          change={valueChange(
            { now: shareNow, before: before === null ? null : share(before) },
            {
              isHigherBetter: false,
              step: 0.001,
              write: (value) => t("dashboard.points", { value: oneDigit(100 * value) }),
              writeBefore: (value) => percent(value, 1),
            },
          )}
        />
      </Figure>
      <Figure
        label={t("dashboard.newContacts")}
        value={formatNumber(measures.newContacts)}
        to={report({ state: "new" })}
      >
        <ChangeLine
          change={countChange({ now: measures.newContacts, before: before?.newContacts ?? null })}
        />
      </Figure>
    </section>
  );
}

/** Customers of one queue that are drawn one by one. */
const BLOCKS_MAX = 12;

/** Who waits in each queue, as one block per customer. */
export function WaitingQueues({ now, readAtMs, choice }: NowProps): ReactNode {
  const { t } = useTranslation();
  const nowMs = useServerNow(now.at, readAtMs);
  const waiting = now.queues.filter((queue) => queue.waiting > 0);
  if (waiting.length === 0) return <p className={classes["none"]}>{t("dashboard.nobodyWaits")}</p>;
  return (
    <ul className={classes["queues"]}>
      {waiting.map((queue) => (
        <li key={queue.id}>
          <QueueRow queue={queue} nowMs={nowMs} choice={choice} />
        </li>
      ))}
    </ul>
  );
}

type QueueRowProps = { queue: NowQueue; nowMs: number; choice: Choice };

function QueueRow({ queue, nowMs, choice }: QueueRowProps): ReactNode {
  const { t } = useTranslation();
  const { id, color, waiting, longest } = queue;
  const name = id === null ? t("figures.without.queueIds") : queue.name;
  const tone = longest === null ? undefined : waitTone(longest.since, nowMs);
  const tickets = ticketsAddress(id === null ? choice : { ...choice, queueIds: [id] });
  return (
    <>
      <p className={classes["queue"]}>
        <QueueMark color={color} />
        <span className={classes["queueName"]}>{name}</span>
        <Link
          to={tickets}
          className={classes["open"]}
          aria-label={t("dashboard.openFigure", {
            value: formatNumber(waiting),
            label: t("dashboard.waitingIn", { queue: name }),
          })}
        >
          {formatNumber(waiting)}
        </Link>
        {longest === null ? null : (
          <span className={classes["wait"]} data-tone={tone}>
            {sinceText(t, longest.since, nowMs)}
          </span>
        )}
      </p>
      <p className={classes["people"]} aria-hidden="true">
        {Array.from({ length: Math.min(waiting, BLOCKS_MAX) }, (_, index) => (
          <span key={index} data-tone={index === 0 && tone !== "ok" ? tone : undefined} />
        ))}
        {waiting > BLOCKS_MAX ? <em>+ {waiting - BLOCKS_MAX}</em> : null}
      </p>
      {longest === null ? null : (
        <p className={classes["longest"]}>
          {t("dashboard.longestName")}{" "}
          <Link to={`/tickets/${longest.ticketUuid}`}>{longest.contactName}</Link>
        </p>
      )}
    </>
  );
}

/** The best rating first; the mouth of each face. */
const moods: readonly { rate: 1 | 2 | 3; mouth: string }[] = [
  { rate: 3, mouth: "M8 13h8a4 4 0 0 1 -8 0z" },
  { rate: 2, mouth: "M9 14.5a3.6 3.6 0 0 0 6 0" },
  { rate: 1, mouth: "M9 16.2a3.6 3.6 0 0 1 6 0" },
];

/** The icons of the library for moods come with the conversation. */
function Face({ mouth }: { mouth: string }): ReactNode {
  return (
    <svg
      width={18}
      height={18}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={1.7}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <circle cx="12" cy="12" r="9" />
      <path d={`M9 9.5v.01M15 9.5v.01${mouth}`} />
    </svg>
  );
}

/** How many customers were satisfied, and in which queues. */
export function Ratings({ figures, filter }: FiguresProps): ReactNode {
  const { t } = useTranslation();
  const { counts, count: all } = figures.measures.ratings;
  const report = (part: ReportFilter): string => addressWith("/reports", { ...filter, ...part });
  const rated = figures.queues.filter(({ ratings }) => ratings.average !== null);
  const after = figures.unhappyAfterWait;
  return (
    <>
      <ul className={classes["ratings"]}>
        {moods.map(({ rate, mouth }) => {
          const count = counts[rate - 1] ?? 0;
          const share = all === 0 ? 0 : count / all;
          const label = t(`figures.rates.r${rate}`);
          return (
            <li key={rate}>
              <Link to={report({ rates: [rate] })} className={classes["rating"]}>
                <span className="bc-hidden-text">
                  {t("dashboard.openRating", {
                    ...{ value: formatNumber(count), label, share: percent(share) },
                  })}
                </span>
                <span className={classes["mood"]} aria-hidden="true">
                  <Face mouth={mouth} />
                  <span className="bc-fill">{label}</span>
                  <strong>{formatNumber(count)}</strong>
                  <span className={classes["share"]}>{percent(share)}</span>
                </span>
                <span className={classes["track"]}>
                  <span data-rate={rate} style={{ width: `${100 * share}%` }} />
                </span>
              </Link>
            </li>
          );
        })}
      </ul>
      {rated.length === 0 ? null : (
        <ul className={classes["rated"]}>
          {rated.map(({ id, name, color, ratings }) => (
            <li key={id}>
              <Link
                to={report({ queueIds: [id], state: "rated" })}
                aria-label={t("dashboard.openFigure", {
                  value: oneDigit(ratings.average ?? 0),
                  label: t("dashboard.ratingOf", { queue: name }),
                })}
              >
                <QueueMark color={color} />
                {id === null ? t("figures.without.queueIds") : name}{" "}
                <strong>{oneDigit(ratings.average ?? 0)}</strong>
              </Link>
            </li>
          ))}
        </ul>
      )}
      {after === 0 ? null : (
        <p className={classes["unhappy"]}>
          {t("dashboard.unhappy", {
            count: after,
            all: formatNumber(counts[0]),
            minutes: limits.longWaitMinutes,
          })}{" "}
          <Link to={report({ rates: [1], waitOver: limits.longWaitMinutes })}>
            {t("dashboard.showTickets")}
          </Link>
        </p>
      )}
    </>
  );
}
