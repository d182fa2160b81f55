import type {
  CompanyId,
  PushChoices,
  PushKind,
  PushLanguage,
  PushNoticeKind,
  PushPayload,
  UserId,
} from "@balcao/contract";
import { tz } from "@date-fns/tz";
import { addMilliseconds } from "date-fns/addMilliseconds";
import { addMinutes } from "date-fns/addMinutes";
import { getHours } from "date-fns/getHours";
import { getMinutes } from "date-fns/getMinutes";
import { subDays } from "date-fns/subDays";
import type { Authenticator, UserCtx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import { toIso } from "../../platform/db/records.ts";
import { DueWorker } from "../../platform/jobs/due-worker.ts";
import type { Seal } from "../../platform/secrets/seal.ts";
import type { IdSource } from "../../platform/sources.ts";
import { oldestUse } from "../auth/index.ts";
import type { NoticesDeps } from "./notices.ts";
import { PUSH_TOPIC, tagOf } from "./notices.ts";
import type { PushOutcome, PushServices } from "./services.ts";
import { openSubscription } from "./subscriptions.ts";
import type { Target } from "./targets.ts";
import { findTarget } from "./targets.ts";
import { actionFor, sayTold } from "./words.ts";

export type SendingDeps = NoticesDeps & {
  ids: IdSource;
  seal: Seal;
  authenticator: Pick<Authenticator, "reload">;
  services: PushServices;
};

type Claim = {
  id: number;
  companyId: CompanyId;
  userId: UserId;
  kind: PushNoticeKind;
  targetId: number;
  version: number;
  tries: number;
  /** The subscriptions that the try before has left; null: all. */
  leftFor: number[] | null;
  dueAt: Date;
};

const LOOK_EVERY_MS = 15_000;
const AT_ONCE = 16;
const HELD_MAX = 64;
const PER_COMPANY = 16;
/** Longer than all tries of one notice may take. A claim that ran out was lost with its process. */
const CLAIM_MS = 60_000;
const FIRST_RETRY_MS = 15_000;
const TRIES_MAX = 6;
/** A notice that was told keeps the next one about the same thing at a distance for so long, and then goes. */
const KEPT_DAYS = 1;
/** Browsers of one user that get a message. */
const BROWSERS_MAX = 20;
const OPEN_MAX = 20;

/**
 * Sends the notices that are due, in any number of processes: at least once, and newer ones about the same thing in the place
 * of older ones. The rights are those of the moment of sending.
 */
export function createSending(deps: SendingDeps): DueWorker<Claim> {
  const { db, clock, wake, log } = deps;
  return new DueWorker<Claim>({
    name: "push",
    log,
    lookEveryMs: LOOK_EVERY_MS,
    wokenBy: { wake, topic: PUSH_TOPIC, inMs: deps.settings.graceMs },
    async look(limit) {
      const now = clock.now();
      return db.acrossCompanies(async (tx) => {
        const values = [now, addMilliseconds(now, CLAIM_MS), PER_COMPANY, limit];
        const due = await tx.query<Claim>(claimStatement, values);
        const [next] = await tx.query<{ at: Date | null }>(nextStatement, [now]);
        return { due, nextInMs: next?.at ? next.at.getTime() - now.getTime() : null };
      });
    },
    work: {
      atOnce: AT_ONCE,
      batch: HELD_MAX,
      idOf: ({ id, dueAt }) => `${id} ${dueAt.getTime()}`,
      companyOf: ({ companyId }) => companyId,
      run: (claim, stopping) => sendNotice(deps, claim, stopping),
      giveBack: (claims) =>
        db.acrossCompanies(async (tx) => {
          const values = [claims.map(({ id }) => id), claims.map(({ dueAt }) => dueAt)];
          await tx.query(giveBackStatement, [...values, clock.now()]);
        }),
    },
  });
}

async function sendNotice(deps: SendingDeps, claim: Claim, stopping: AbortSignal): Promise<void> {
  try {
    await tryNotice(deps, claim, stopping);
  } catch (error) {
    // A claim that only ran out would be sent again for ever.
    const isLast = claim.tries + 1 >= TRIES_MAX;
    await record(deps, claim, isLast ? "drop" : again(deps, claim, {}));
    throw error;
  }
}

type Later = { dueAt: Date; tries: number; leftFor: number[] | null };

/** The next try; each waits twice as long as the one before, or as long as a service asks for. */
function again(
  { clock }: Pick<SendingDeps, "clock">,
  { tries, leftFor }: Claim,
  { waitMs = 0, left = leftFor }: { waitMs?: number; left?: number[] | null },
): Later {
  const ms = Math.max(FIRST_RETRY_MS * 2 ** tries, waitMs);
  return { dueAt: addMilliseconds(clock.now(), ms), tries: tries + 1, leftFor: left };
}

async function tryNotice(deps: SendingDeps, claim: Claim, stopping: AbortSignal): Promise<void> {
  const { db, clock, authenticator, ids } = deps;
  const now = clock.now();
  const ctx = await authenticator.reload(claim.companyId, claim.userId, ids.uuid());
  const ready = ctx && (await db.transaction(ctx, (tx) => prepare(ctx, tx, claim, now)));
  if (!ready) {
    await record(deps, claim, "drop");
    return;
  }
  if ("quietUntil" in ready) {
    await record(deps, claim, { dueAt: ready.quietUntil, tries: 0, leftFor: null });
    return;
  }
  const outcomes = await Promise.all(
    ready.browsers.map((browser) => sendTo(deps, claim, browser, ready, stopping)),
  );
  // The browsers whose service took it are not told again.
  const left = ready.browsers.flatMap(({ id }, index) =>
    outcomes[index]?.kind === "later" ? [id] : [],
  );
  if (left.length === 0 || claim.tries + 1 >= TRIES_MAX) {
    await record(deps, claim, "told");
    return;
  }
  const waits = outcomes.map((outcome) => (outcome.kind === "later" ? (outcome.afterMs ?? 0) : 0));
  await record(deps, claim, again(deps, claim, { waitMs: Math.max(...waits), left }));
}

type Browser = { id: number; endpoint: string; secrets: Buffer; language: PushLanguage };
type Ready = {
  browsers: Browser[];
  target: Target;
  choices: PushChoices | null;
  badge: number;
  open: string[];
};

/** Reads the message and its browsers; null when the user need not or may not know it any more. */
async function prepare(
  ctx: UserCtx,
  tx: Tx,
  claim: Claim,
  now: Date,
): Promise<Ready | { quietUntil: Date } | null> {
  const values = [ctx.companyId, ctx.actor.userId, BROWSERS_MAX, oldestUse(now), claim.leftFor];
  const browsers = await tx.query<Browser>(browsersStatement, values);
  if (browsers.length === 0) return null;
  type Row = { choices: PushChoices | null; badge: number; open: string[] };
  const [own] = await tx.query<Row>(ownStatement, [ctx.companyId, ctx.actor.userId, OPEN_MAX]);
  const choices = own?.choices ?? null;
  if (choices && !choices.kinds.includes(kindOf(claim.kind))) return null;
  // Quiet for the whole day: it would wait for ever.
  if (choices?.quiet && choices.quiet.from === choices.quiet.to) return null;
  const quietUntil = choices && endOfQuiet(choices, now);
  if (quietUntil) return { quietUntil };
  const target = await findTarget(ctx, tx, claim);
  if (!target) return null;
  const open = [...new Set([tagOf(claim), ...(own?.open ?? [])])];
  return { browsers, target, choices, badge: own?.badge ?? 0, open };
}

/** The choice that a notice belongs to. */
function kindOf(kind: PushNoticeKind): PushKind {
  switch (kind) {
    case "assigned":
    case "message":
      return "tickets";
    case "waiting":
      return "waiting";
    case "mention":
      return "mentions";
    case "chat":
      return "chats";
    case "connection":
      return "connections";
  }
}

/** When the quiet hours end in which `now` is; null outside of them. From and to at the same minute: the whole day. */
export function endOfQuiet({ quiet, timeZone }: PushChoices, now: Date): Date | null {
  if (quiet === null) return null;
  const zone = { in: tz(timeZone) };
  const minute = getHours(now, zone) * 60 + getMinutes(now, zone);
  const sinceFrom = (minute - quiet.from + DAY_MINUTES) % DAY_MINUTES;
  const lasts = (quiet.to - quiet.from + DAY_MINUTES) % DAY_MINUTES || DAY_MINUTES;
  if (sinceFrom >= lasts) return null;
  const wholeMinute = addMilliseconds(now, -(now.getTime() % 60_000));
  return addMinutes(wholeMinute, lasts - sinceFrom);
}

const DAY_MINUTES = 24 * 60;

async function sendTo(
  deps: SendingDeps,
  claim: Claim,
  browser: Browser,
  ready: Ready,
  stopping: AbortSignal,
): Promise<PushOutcome> {
  const { target, choices } = ready;
  const { language } = browser;
  const { kind } = claim;
  const tag = tagOf(claim);
  const payload: PushPayload = {
    ...sayTold(language, { kind, ...target }, choices?.content ?? "full"),
    userId: claim.userId,
    ...{ tag, url: target.url, at: toIso(target.at), lang: language },
    ...(target.ticketId === null ? {} : { ticketId: target.ticketId }),
    ...(target.acceptedUrl === undefined ? {} : { acceptedUrl: target.acceptedUrl }),
    ...actionFor(language, kind),
    ...{ badge: ready.badge, open: ready.open },
  };
  const subscription = openSubscription(deps.seal, claim.companyId, browser);
  // A topic has at most 32 characters of base64url.
  const how = { topic: tag, isUrgent: kind !== "connection" };
  const outcome: PushOutcome = subscription
    ? await deps.services.send(subscription, JSON.stringify(payload), how, stopping)
    : { kind: "gone" };
  const host = new URL(browser.endpoint).host;
  if (outcome.kind === "refused") {
    deps.log.warn({ companyId: claim.companyId, host, why: outcome.why }, "a push was refused");
  }
  if (outcome.kind === "gone") {
    await deps.db.acrossCompanies((tx) => tx.query(goneStatement, [browser.id, browser.endpoint]));
  }
  return outcome;
}

/** Records the outcome in the row. A message that came meanwhile has raised its version: it is sent after its distance. */
async function record(
  { db, clock, settings }: SendingDeps,
  { id, version }: Claim,
  next: "drop" | "told" | Later,
): Promise<void> {
  const now = clock.now();
  await db.acrossCompanies(async (tx) => {
    if (next === "drop") await tx.query(dropStatement, [id, version, now]);
    else if (next === "told") {
      const againAt = addMilliseconds(now, settings.apartMs);
      await tx.query(toldStatement, [id, version, now, againAt]);
    } else await tx.query(laterStatement, [id, next.dueAt, next.tries, next.leftFor, version]);
  });
}

/** Removes what was told long ago, and the subscriptions of sessions that have ended. */
export async function sweepPush({ db, clock }: Pick<SendingDeps, "db" | "clock">): Promise<void> {
  await db.acrossCompanies(async (tx) => {
    await tx.query(sweepStatement, [subDays(clock.now(), KEPT_DAYS)]);
    await tx.query(sweepEndedStatement, [oldestUse(clock.now())]);
  });
}

const claimStatement = {
  name: "push.claim-across-companies",
  text: `
with ranked as (
  select id, row_number() over (partition by company_id order by due_at, id) as place
  from push_notices where due_at <= $1
), chosen as (
  select n.id from push_notices n join ranked r on r.id = n.id and r.place <= $3
  where n.due_at <= $1 order by r.place, n.due_at limit $4 for update of n skip locked
)
update push_notices n set due_at = $2 from chosen c where n.id = c.id
returning n.id, n.company_id as "companyId", n.user_id as "userId", n.kind, n.target_id as "targetId", n.version,
  n.tries, n.left_for as "leftFor", n.due_at as "dueAt"`,
};

const nextStatement = {
  name: "push.next-across-companies",
  text: `select min(due_at) as at from push_notices where due_at > $1`,
};

const giveBackStatement = {
  name: "push.give-back-across-companies",
  text: `
update push_notices n set due_at = $3
from unnest($1::int[], $2::timestamptz[]) as c(id, due_at) where n.id = c.id and n.due_at = c.due_at`,
};

/** A subscription lives as long as the session that made it; one that was not renewed since `oldestUse` is over. */
const isAlive = (oldestUse: "$1" | "$4"): string => `
  s.token_version = u.token_version and (s.session_id is null or exists (
    select from sessions x
    where x.company_id = s.company_id and x.user_id = s.user_id and x.id = s.session_id and x.ended_at is null
      and x.used_at > ${oldestUse}))`;

const browsersStatement = {
  name: "push.browsers",
  text: `
select s.id, s.endpoint, s.secrets, s.language
from push_subscriptions s join users u on u.company_id = s.company_id and u.id = s.user_id
where s.company_id = $1 and s.user_id = $2 and ${isAlive("$4")}
  and ($5::int[] is null or s.id = any($5))
order by s.updated_at desc limit $3`,
};

/** The choices of the user, and the things that are unread now: other notifications are out of date. */
const ownStatement = {
  name: "push.own",
  text: `
select
  (select c.choices from push_choices c where c.company_id = $1 and c.user_id = $2) as choices,
  (select count(*)::int from tickets t
   where t.company_id = $1 and t.user_id = $2 and t.status = 'open' and t.unread_messages > 0) as badge,
  array(select n.subject from push_notices n
    where n.company_id = $1 and n.user_id = $2 and n.told_at is not null and case
      when n.kind in ('message', 'assigned') then exists (select from tickets t
        where t.company_id = $1 and t.id = n.target_id and t.status = 'open' and t.user_id = $2
          and (t.unread_messages > 0 or n.kind = 'assigned'))
      when n.kind = 'waiting' then exists (select from tickets t
        where t.company_id = $1 and t.id = n.target_id and t.status = 'pending')
      when n.kind = 'mention' then exists (select from mention_notices k
        where k.company_id = $1 and k.user_id = $2 and k.note_id = n.target_id and k.read_at is null)
      when n.kind = 'chat' then exists (select from chat_members m
        where m.company_id = $1 and m.user_id = $2 and m.chat_id = n.target_id and m.unreads > 0)
      else true end
    order by n.told_at desc limit $3) as open`,
};

const dropStatement = {
  name: "push.drop-across-companies",
  text: `
with gone as (delete from push_notices where id = $1 and version = $2)
update push_notices set due_at = $3 where id = $1 and version <> $2`,
};

const toldStatement = {
  name: "push.told-across-companies",
  text: `
update push_notices set told_at = $3, tries = 0, left_for = null, due_at = case when version = $2 then null else $4::timestamptz end where id = $1`,
};

const laterStatement = {
  name: "push.later-across-companies",
  text: `update push_notices set due_at = $2,
  tries = case when version = $5 then $3 else 0 end, left_for = case when version = $5 then $4::int[] end where id = $1`,
};

const goneStatement = {
  name: "push.gone-across-companies",
  text: `delete from push_subscriptions where id = $1 and endpoint = $2`,
};

const sweepStatement = {
  name: "push.sweep-across-companies",
  text: `delete from push_notices where due_at is null and told_at < $1`,
};

const sweepEndedStatement = {
  name: "push.sweep-ended-across-companies",
  text: `
delete from push_subscriptions s using users u
where u.company_id = s.company_id and u.id = s.user_id and (u.deleted_at is not null or not (${isAlive("$1")}))`,
};
