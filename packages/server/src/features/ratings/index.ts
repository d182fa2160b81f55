import { addMinutes } from "date-fns/addMinutes";
import { subHours } from "date-fns/subHours";
import type { Ctx } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import { requireRow } from "../../platform/db/records.ts";
import type { Clock } from "../../platform/sources.ts";
import type { FindGivenRating, GivenRating, SendAutomatically } from "../messages/index.ts";
import type { DomainEvents } from "../../platform/events.ts";
import type { StoredTexts } from "../settings/index.ts";
import { storedText, storedTexts, textIn } from "../settings/index.ts";
import type { SendClosingMessage, TicketRow } from "../tickets/index.ts";

type RatingsDeps = {
  db: Database;
  clock: Clock;
  domainEvents: DomainEvents;
  sendAutomatically: SendAutomatically;
};

export type RatingsFeature = {
  sendClosingMessage: SendClosingMessage;
  /** Finishes attendances that waited too long for their rating, without one. */
  endOverdue(signal?: AbortSignal): Promise<void>;
};

/** Customers rate their attendances (behaviour 2.8, 2.9). */
export function createRatingsFeature(deps: RatingsDeps): RatingsFeature {
  deps.domainEvents.on("message.stored", async (ctx, tx, { ticket, arrival }) => {
    if (arrival?.rating) await takeRating(deps, ctx, tx, ticket, arrival.rating);
  });
  return {
    sendClosingMessage: (...args) => sendClosingMessage(deps, ...args),
    endOverdue: (signal) => endOverdueWaits(deps, signal),
  };
}

/** The texts for a customer whose ticket is closed. */
type Texts = {
  /** The connection's, or else the company's; empty for none. */
  completion: string;
  ratingIntroduction: string;
  texts: StoredTexts;
  /** The company asks for ratings, a user has served the customer, and the customer was not asked before. */
  canBeRated: boolean;
  disableBot: boolean;
};

/** Where the request cannot be sent, the ticket is closed without waiting for a rating. */
async function sendClosingMessage(
  deps: RatingsDeps,
  ctx: Ctx,
  tx: Tx,
  ticket: TicketRow,
  delaySeconds: number,
): Promise<{ awaitsRating: boolean }> {
  if (ticket.isGroup) return { awaitsRating: false };
  const texts = await findTexts(ctx, tx, ticket);
  if (ticket.status === "open" && texts.canBeRated && !texts.disableBot) {
    const request = ratingRequest(texts.ratingIntroduction, textIn(texts.texts, "ratingRequest"));
    const asked = await deps.sendAutomatically(ctx, tx, ticket, request, delaySeconds);
    return { awaitsRating: asked !== null };
  }
  await sendCompletion(deps, ctx, tx, ticket, texts, delaySeconds);
  return { awaitsRating: false };
}

async function sendCompletion(
  { sendAutomatically }: RatingsDeps,
  ctx: Ctx,
  tx: Tx,
  ticket: TicketRow,
  { completion, disableBot }: Texts,
  delaySeconds: number,
): Promise<void> {
  if (!disableBot) await sendAutomatically(ctx, tx, ticket, completion, delaySeconds);
}

/** For a locked ticket. */
async function findTexts({ companyId }: Ctx, tx: Tx, ticket: TicketRow): Promise<Texts> {
  return requireRow(await tx.query<Texts>(textsStatement, [companyId, ticket.id]));
}

/** The rating in a customer's text, if one is awaited. */
export const findGivenRating: FindGivenRating = async (ctx, tx, ticket, { text, at, now }) => {
  const rate = ticket.status === "closed" && !ticket.isGroup ? rateIn(text) : null;
  if (rate === null) return null;
  const asked = [ctx.companyId, ticket.id, overdueSince(now), latestRequest(at)];
  const [awaited] = await tx.query<{ attendanceId: number }>(awaitedStatement, asked);
  return awaited ? { attendanceId: awaited.attendanceId, rate } : null;
};

/** Stores the rating; sends the company's thanks and the completion message. */
async function takeRating(
  deps: RatingsDeps,
  ctx: Ctx,
  tx: Tx,
  ticket: TicketRow,
  { attendanceId, rate }: GivenRating,
): Promise<void> {
  await tx.query(takeStatement, [ctx.companyId, attendanceId, rate, deps.clock.now()]);
  const texts = await findTexts(ctx, tx, ticket);
  const thanks = texts.disableBot ? "" : textIn(texts.texts, "ratingThanks");
  const thanked = await deps.sendAutomatically(ctx, tx, ticket, thanks);
  await sendCompletion(deps, ctx, tx, thanked ?? ticket, texts, 0);
}

/** Waits ended by one statement, far below the statement's time limit. */
const WAITS_AT_ONCE = 1_000;

async function endOverdueWaits({ db, clock }: RatingsDeps, signal?: AbortSignal): Promise<void> {
  for (let ended = WAITS_AT_ONCE; ended === WAITS_AT_ONCE;) {
    signal?.throwIfAborted();
    const now = clock.now();
    const values = [overdueSince(now), now, WAITS_AT_ONCE];
    ended = (await db.acrossCompanies((tx) => tx.query(overdueStatement, values))).length;
  }
}

// By hand: incoming messages run them, and each is one round trip.
const textsStatement = {
  name: "ratings.texts",
  text: `
select coalesce(nullif(w.complation_message, ''), ${storedText("$1", "completion")}) as completion,
  coalesce(w.rating_message, '') as "ratingIntroduction", ${storedTexts("$1", ["ratingRequest", "ratingThanks"])} as texts,
  c.disable_bot as "disableBot",
  coalesce(s.value = 'enabled', false) and a.user_id is not null and a.rating_at is null as "canBeRated"
from tickets t
join contacts c on c.company_id = t.company_id and c.id = t.contact_id
left join connections w on w.company_id = t.company_id and w.id = t.connection_id and w.deleted_at is null
left join settings s on s.company_id = t.company_id and s.key = 'userRating'
left join attendances a on a.company_id = t.company_id and a.ticket_id = t.id and a.finished_at is null
where t.company_id = $1 and t.id = $2`,
};

const awaitedStatement = {
  name: "ratings.lock-awaited",
  text: `
select id as "attendanceId" from attendances
where company_id = $1 and ticket_id = $2 and finished_at is null and rating_at > $3 and rating_at <= $4
for no key update`,
};

const takeStatement = {
  name: "ratings.take",
  text: `
with rated as (
  update attendances set finished_at = $4, rated = true, rate = $3
  where company_id = $1 and id = $2 and finished_at is null
  returning id, ticket_id, user_id
)
insert into ratings (company_id, attendance_id, ticket_id, user_id, rate, created_at)
select $1, id, ticket_id, user_id, $3, $4 from rated`,
};

export const overdueStatement = {
  name: "ratings.end-overdue",
  text: `
update attendances set finished_at = $2
where id in (
  select id from attendances
  where finished_at is null and rating_at is not null and rating_at <= $1
  order by rating_at limit $3 for no key update skip locked)
returning id`,
};

/** From not satisfied to very satisfied (behaviour 2.8). */
type Rate = 1 | 2 | 3;

/** Later answers are not ratings. */
const WAIT_HOURS = 24;

const rates: ReadonlyMap<string, Rate> = new Map([
  ["1", 1],
  ["2", 2],
  ["3", 3],
]);

/** The request to the customer; `introduction` is the connection's own text, which may be empty. */
export function ratingRequest(introduction: string, scale: string): string {
  return introduction.trim() === "" ? scale : `${introduction}\n\n${scale}`;
}

/** Exactly one of the three digits, trimmed; null for every other text. */
export function rateIn(text: string): Rate | null {
  return rates.get(text.trim()) ?? null;
}

/**
 * The latest request that a message of this time can answer, as the message may arrive late. Networks' clocks have whole
 * seconds and differ from ours.
 */
export function latestRequest(writtenAt: Date): Date {
  return addMinutes(writtenAt, 1);
}

/** Requests of this time or earlier no longer wait for an answer. */
export function overdueSince(now: Date): Date {
  return subHours(now, WAIT_HOURS);
}
