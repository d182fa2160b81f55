import type { Measures, NowFilter } from "@balcao/contract";
import { limits } from "@balcao/contract";

/** When an attendance `a` was resolved, also while the customer's rating is awaited: the expression of an index. */
export const resolvedAt =
  "(case when a.rating_at is not null then a.rating_at else a.finished_at end)";

/** The times of an attendance `a` as from and to. One that is not after 0 counts nowhere. */
export const times = {
  wait: ["a.queued_at", "a.started_at"],
  firstAnswer: ["a.asked_at", "a.answered_at"],
  support: ["a.started_at", resolvedAt],
} as const;

/** Whether an attendance `a` counts in this average. */
export function timed(name: keyof typeof times): string {
  const [from, to] = times[name];
  return `${to} > ${from}`;
}

const waitsLong = `a.started_at - a.queued_at > make_interval(mins => ${limits.longWaitMinutes})`;

/**
 * The company's choice as conditions of an attendance or ticket `a`, on four parameters in this order: queues, users,
 * connections, tags. Null is everything; 0 in a list stands for "without one".
 */
export const chosenBy = (first: number, ticketId = "a.ticket_id", withUser = true): string => {
  const among = (column: string, at: number): string =>
    `($${at}::int[] is null or coalesce(${column}, 0) = any($${at}::int[]))`;
  const tags = `$${first + 3}::int[]`;
  return [
    among("a.queue_id", first),
    withUser ? among("a.user_id", first + 1) : `($${first + 1}::int[] is null or true)`,
    among("a.connection_id", first + 2),
    `(${tags} is null or exists (select from ticket_tags g
      where g.company_id = $1 and g.ticket_id = ${ticketId} and g.tag_id = any(${tags})))`,
  ].join("\n    and ");
};

/** The values of `chosenBy`. */
export function chosenValues({ queueIds, userIds, whatsappIds, tagIds }: NowFilter): unknown[] {
  return [queueIds, userIds, whatsappIds, tagIds].map((ids) =>
    ids === undefined || ids.length === 0 ? null : ids.map((id) => id ?? 0),
  );
}

/** The sums that `measures` are made of; averages are divided at the end, so that groups can be added up. */
export type Sums = {
  n: number;
  resolved: number;
  reopened: number;
  firsts: number;
  waited: number;
  waitMs: number;
  answered: number;
  answerMs: number;
  supported: number;
  supportMs: number;
  rate1: number;
  rate2: number;
  rate3: number;
};

const sumOf = (name: keyof typeof times, count: string, ms: string): string => {
  const [from, to] = times[name];
  const filter = `filter (where ${timed(name)})`;
  return `count(*) ${filter} as ${count},
  coalesce((extract(epoch from sum(${to} - ${from}) ${filter}) * 1000)::bigint, 0) as "${ms}"`;
};

/** Select list of `Sums` over attendances `a`. */
export const sums = `count(*) as n, count(${resolvedAt}) as resolved,
  count(*) filter (where a.is_reopened) as reopened, count(*) filter (where a.is_first) as firsts,
  ${sumOf("wait", "waited", "waitMs")},
  ${sumOf("firstAnswer", "answered", "answerMs")},
  ${sumOf("support", "supported", "supportMs")},
  count(*) filter (where a.rate = 1) as rate1, count(*) filter (where a.rate = 2) as rate2,
  count(*) filter (where a.rate = 3) as rate3`;

const sumNames = [
  ...(["n", "resolved", "reopened", "firsts", "waited", "waitMs", "answered"] as const),
  ...(["answerMs", "supported", "supportMs", "rate1", "rate2", "rate3"] as const),
];

const columnOf = (name: string): string => name.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`);

/** How many gave the worst rating after a long wait, over attendances `a`. */
export const unhappy = `count(*) filter (where a.rate = 1 and ${waitsLong}) as unhappy`;

/** Columns of `attendance_days` for `sums`, in their order. */
export const summedColumns = sumNames.map(columnOf).join(", ");

/** Select list of `Sums` of rows `a` that have them: one of `attendance_days`. */
export const storedSums = sumNames.map((name) => `a.${columnOf(name)} as "${name}"`).join(", ");

/** Select list of `Sums` over rows `s` that have them. */
export const addedSums = sumNames.map((name) => `sum(s."${name}")::bigint as "${name}"`).join(", ");

/** The sums of several groups; zero for none. */
export function addUp(groups: readonly Sums[]): Sums {
  const total = Object.fromEntries(sumNames.map((name) => [name, 0])) as Sums;
  for (const group of groups) for (const name of sumNames) total[name] += group[name];
  return total;
}

const averageOf = (ms: number, count: number) => ({
  seconds: count === 0 ? null : ms / count / 1000,
  count,
});

export function toMeasures(s: Sums): Measures {
  const rated = s.rate1 + s.rate2 + s.rate3;
  return {
    attendances: s.n,
    resolved: s.resolved,
    running: s.n - s.resolved,
    reopened: s.reopened,
    newContacts: s.firsts,
    wait: averageOf(s.waitMs, s.waited),
    firstAnswer: averageOf(s.answerMs, s.answered),
    support: averageOf(s.supportMs, s.supported),
    ratings: {
      average: rated === 0 ? null : (s.rate1 + 2 * s.rate2 + 3 * s.rate3) / rated,
      count: rated,
      counts: [s.rate1, s.rate2, s.rate3],
    },
  };
}
