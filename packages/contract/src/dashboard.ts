import { z } from "zod";
import { defineEndpoints } from "./endpoint.ts";
import { askedCompanyId, connectionId, queueId, tagId, ticketId, userId } from "./ids.ts";
import { limits } from "./limits.ts";
import {
  emptyReply,
  isoDate,
  queryCount,
  queryDay,
  queryJsonList,
  sheetFormats,
  sheetLanguages,
} from "./primitives.ts";
import { availabilityFields } from "./team.ts";

/*
 * Rules of all figures of a period (docs/dashboard.md):
 * - An attendance belongs to the period if it was queued (`queuedAt`) on one of its days, in the company's time zone. Every
 *   figure, chart, row and cell counts these attendances and no others, so their sums are equal.
 * - It is resolved at `ratingAt`, or else `finishedAt`: also while the customer's rating is awaited.
 * - Averages leave out attendances without a time, and times of 0.
 * - Times are seconds. An average is null when nothing has this time.
 */

/** Several queues, users, … at once, as a JSON list; `null` in the list stands for "without one". Absent or empty: all. */
export const figuresChoice = {
  queueIds: queryJsonList(queueId.nullable()).optional(),
  userIds: queryJsonList(userId.nullable()).optional(),
  whatsappIds: queryJsonList(connectionId.nullable()).optional(),
  /** The attendance's ticket has one of these tags now. */
  tagIds: queryJsonList(tagId).optional(),
};

/**
 * The period: `days` calendar days that end today, or from `dateFrom` to `dateTo` (`YYYY-MM-DD`, both included). Without
 * `dateTo` it ends today; `dateTo` alone is refused. No period at all is ERR_PERIOD_REQUIRED, reversed dates are
 * ERR_PERIOD_REVERSED, more than `limits.periodDaysMax` days ERR_PERIOD_TOO_LONG. `days` wins over dates.
 */
export const figuresPeriod = {
  days: queryCount(limits.periodDaysMax),
  dateFrom: queryDay,
  dateTo: queryDay,
};

/** What the dashboard is narrowed to; it stands in the address. */
export const figuresFilter = z.object({ ...figuresPeriod, ...figuresChoice });
export type FiguresFilter = z.output<typeof figuresFilter>;

/** The filter of "now", which has no period. */
export const nowFilter = z.object(figuresChoice);
export type NowFilter = z.output<typeof nowFilter>;

const count = z.number().int();
/** The mean of those that have such a time, and how many they are. */
const average = z.object({ seconds: z.number().nullable(), count });

/** The figures of a set of attendances. */
export const measures = z.object({
  /** All of them. */
  attendances: count,
  resolved: count,
  /** Not resolved yet: waiting or served. */
  running: count,
  /** Begun when a user reopened a resolved ticket. */
  reopened: count,
  /** The first attendance of a ticket: new contacts, on this connection. */
  newContacts: count,
  /** `startedAt` − `queuedAt`. */
  wait: average,
  /** From the customer's message to the first answer that a person wrote; not where the customer had not written. */
  firstAnswer: average,
  /** `ratingAt`, or else `finishedAt`, − `startedAt`. */
  support: average,
  /** `counts` are the answers 1 (not satisfied), 2 and 3 (very satisfied). */
  ratings: z.object({
    average: z.number().nullable(),
    count,
    counts: z.tuple([count, count, count]),
  }),
});
export type Measures = z.output<typeof measures>;

/** `isRemoved`: deleted since; the row is shown because of the period. */
const userFigures = z.object({
  /** Null: attendances that no user has served (the last row, only if there are some). */
  id: userId.nullable(),
  /** Empty without a user. */
  name: z.string(),
  isRemoved: z.boolean(),
  online: z.boolean(),
  /** Tickets that the user serves now; not bound to the period. */
  openNow: count,
  ...measures.shape,
});
export type UserFigures = z.output<typeof userFigures>;

const queueFigures = z.object({
  /** Null: attendances without a queue (the last row, only if there are some). */
  id: queueId.nullable(),
  /** Name and colour are empty without a queue. */
  name: z.string(),
  color: z.string(),
  isRemoved: z.boolean(),
  ...measures.shape,
});
export type QueueFigures = z.output<typeof queueFigures>;

export const figuresUnits = ["hour", "day", "week"] as const;
export type FiguresUnit = (typeof figuresUnits)[number];

const day = z.iso.date();

/** The period as it was read. */
const shownPeriod = z.object({
  from: day,
  to: day,
  days: count,
  timeZone: z.string(),
  /** One day: hours; up to a year: days; longer: weeks, from Monday. */
  unit: z.enum(figuresUnits),
});

/**
 * A bar of a chart by time, also of those without attendances, in order. `from` and `to` are its days within the period, and
 * `hour` is 0–23 for an hour: a report with them has these attendances. When clocks go back both equal hours are one bar.
 */
const timePoint = z.object({
  from: day,
  to: day,
  hour: z.number().int().nullable(),
  attendances: count,
  resolved: count,
});
export type TimePoint = z.output<typeof timePoint>;

/** A customer who waits. `since`: from when on. */
const longestWait = z.object({
  ticketId,
  ticketUuid: z.string(),
  contactName: z.string(),
  queueName: z.string().nullable(),
  since: isoDate,
});
export type LongestWait = z.output<typeof longestWait>;

const figuresReply = z.object({
  period: shownPeriod,
  /** The same number of days before, with the same filter. Null: the company has no attendance there. */
  before: z.object({ from: day, to: day, measures: measures.nullable() }),
  measures,
  /** Not satisfied (answer 1) after a wait of more than `limits.longWaitMinutes`: report `rates=[1]&waitOver=…`. */
  unhappyAfterWait: count,
  /** Every user of the company, also without attendances, by resolved ones and name; then removed ones. */
  users: z.array(userFigures),
  /** Every queue of the company in its order; then removed ones. */
  queues: z.array(queueFigures),
  series: z.array(timePoint),
  /** Seven days from Monday on, of 24 hours each: attendances by local weekday and hour. */
  heatMap: z.array(z.array(count)),
  /** For super users: the whole installation. Null for all others. */
  totals: z.object({ connections: count, companies: count }).nullable(),
});
export type DashboardFigures = z.output<typeof figuresReply>;

const nowQueue = z.object({
  /** Null: waiting without a queue (the last row, only if there are some). */
  id: queueId.nullable(),
  name: z.string(),
  color: z.string(),
  waiting: count,
  longest: longestWait.nullable(),
  /** The queue's target for the first answer. */
  targetMinutes: z.number().nullable(),
  /** Users of the queue, and those of them who are online. */
  people: count,
  online: count,
});
export type NowQueue = z.output<typeof nowQueue>;

const nowUser = z.object({
  id: userId,
  name: z.string(),
  online: z.boolean(),
  /** Null if never. For users who are offline: since when. */
  lastSeenAt: isoDate.nullable(),
  ...availabilityFields,
  open: count,
  /** Since when the customer waits who waits longest among the user's open tickets. */
  oldestSince: isoDate.nullable(),
  queueIds: z.array(queueId),
});
export type NowUser = z.output<typeof nowUser>;

/**
 * "Agora" and the wall. Waiting tickets are pending, not put off and not with the chatbot: `GET /tickets` with
 * `status=pending&showAll=true&snoozed=false` has them and those with the chatbot. Nobody serves a waiting ticket, so
 * `userIds` does not narrow what waits; it narrows open tickets, today's attendances, `people` and `team`. `queueIds` also
 * narrows `queues`, and `people` and `team` to users of these queues.
 */
const nowReply = z.object({
  /** The server's clock: waits count from here. */
  at: isoDate,
  timeZone: z.string(),
  /** The local day and hour at `at`. */
  today: day,
  hour: count,
  /** `hourAgo`: how many waited an hour ago. */
  waiting: z.object({ count, hourAgo: count, longest: longestWait.nullable() }),
  /** Open tickets, and those of them whose customer waits for an answer. */
  open: z.object({ count, unanswered: count }),
  withChatbot: z.object({ count, inMenu: count, outOfHours: count }),
  /** People of the team (of the filtered queues, if any), and those who are online. */
  people: z.object({ online: count, total: count }),
  /** Resolved today; `before` on the same weekday a week ago until this time. Report with `by=resolved`. */
  resolvedToday: z.object({ count, before: count, beforeDay: day }),
  /** Of the attendances that were queued today. */
  waitToday: average,
  /** Of the attendances that were resolved today. */
  ratingsToday: z.object({ average: z.number().nullable(), count }),
  /** The strictest target for the first answer among the queues shown; null: none has one. */
  targetMinutes: z.number().nullable(),
  queues: z.array(nowQueue),
  /** Online first, then by open tickets and name. */
  team: z.array(nowUser),
  /** The 24 hours of today: attendances queued, and their average on the last four same weekdays. */
  hours: z.array(z.object({ hour: count, attendances: count, usual: z.number() })),
});
export type DashboardNow = z.output<typeof nowReply>;

const common = { auth: "bearer", permission: "dashboard:view" } as const;
const periodErrors = ["ERR_PERIOD_REQUIRED", "ERR_PERIOD_REVERSED", "ERR_PERIOD_TOO_LONG"] as const;

/** Dates of other clients' charts; `companyId` is ignored. */
const chartDates = z.object({
  initialDate: queryDay,
  finalDate: queryDay,
  companyId: askedCompanyId,
});

/** Days of other clients: their period lists send 0 for "no choice". */
const olderDays = z
  .union([z.literal("0").transform(() => undefined), queryCount(limits.periodDaysMax)])
  .optional();

/*
 * Live: read "now" again on every event `figures` (action `update`, no data), `user` (presence, availability) and `queue`.
 * Admins get `figures` when tickets, messages or ratings change, at most once in two seconds, and once more after the last
 * change. Figures of a period have no event.
 */
export const dashboardEndpoints = defineEndpoints({
  "GET /dashboard": {
    ...common,
    summary: "Counters and attendants of a period, as other clients read them (wire-contract 5.24)",
    query: z.object({ days: olderDays, date_from: queryDay, date_to: queryDay }),
    reply: z.object({
      /** Times are minutes; null when nothing has one. */
      counters: z.object({
        avgSupportTime: z.number().nullable(),
        avgWaitTime: z.number().nullable(),
        supportHappening: count,
        supportPending: count,
        supportFinished: count,
        leads: count,
        totalCompanies: count,
        totalWhatsappSessions: count,
      }),
      attendants: z.array(
        z.object({
          id: userId,
          name: z.string(),
          rating: z.number(),
          avgSupportTime: z.number(),
          tickets: count,
          online: z.boolean(),
        }),
      ),
    }),
    errors: periodErrors,
  },
  "GET /dashboard/ticketsUsers": {
    ...common,
    summary: "Finished attendances by user, as other clients read them (wire-contract 5.24)",
    query: chartDates,
    reply: z.object({
      data: z.array(z.object({ nome: z.string(), quantidade: count })),
      count,
    }),
    errors: periodErrors,
  },
  "GET /dashboard/ticketsDay": {
    ...common,
    summary: "Attendances by hour or day, as other clients read them (wire-contract 5.24)",
    query: chartDates,
    reply: z.object({
      data: z.union([
        z.array(z.object({ horario: count, total: count })),
        z.array(z.object({ data: z.string(), total: count })),
      ]),
      count,
    }),
    errors: periodErrors,
  },
  "GET /dashboard/figures": {
    ...common,
    summary: "All figures of a period",
    query: figuresFilter,
    reply: figuresReply,
    errors: periodErrors,
  },
  /** The two charts, for dates of their own. */
  "GET /dashboard/by-user": {
    ...common,
    summary: "The attendances of a period by user",
    query: figuresFilter,
    reply: z.object({ period: shownPeriod, users: z.array(userFigures) }),
    errors: periodErrors,
  },
  "GET /dashboard/by-time": {
    ...common,
    summary: "The attendances of a period by hour, day or week",
    query: figuresFilter,
    reply: z.object({ period: shownPeriod, series: z.array(timePoint) }),
    errors: periodErrors,
  },
  "GET /dashboard/now": {
    ...common,
    summary: "What waits and is served now, and today's figures",
    query: nowFilter,
    reply: nowReply,
    errors: [],
  },
  "GET /dashboard/export": {
    ...common,
    summary: "The figures of a period as a spreadsheet; its first lines are the filter",
    query: figuresFilter.extend({
      format: z.enum(sheetFormats),
      language: z.enum(sheetLanguages).default("pt"),
    }),
    sendsFile: true,
    reply: emptyReply,
    errors: periodErrors,
  },
});
