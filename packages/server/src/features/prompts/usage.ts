import type { PromptFault, PromptId, TicketId } from "@balcao/contract";
import type { Ctx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import type { prompts } from "../../platform/db/schema/index.ts";
import type { PromptsDeps } from "./prompts.ts";
import { tellPrompt } from "./prompts.ts";
import { ProviderFault } from "./provider.ts";

/** A prompt as it is when a customer is to be answered. */
export type FoundPrompt = typeof prompts.$inferSelect & {
  contactName: string;
  /** The company's day. */
  day: string;
  /** Tokens of the day: of all, and of the ticket. */
  usedOfDay: number;
  usedOfTicket: number;
  answersOfTicket: number;
  /** Automatic messages of the ticket in the last minutes. */
  recentMessages: number;
};

/** Answers for one ticket in a day: more is no conversation with a person. */
const ANSWERS_OF_TICKET = 30;
/** Messages in a few minutes without a person: two machines write to each other. */
const RECENT_MESSAGES = 8;
const RECENT_MINUTES = 2;

/** After these only a change helps. The others are over with the next answer. */
export const lastingFaults: ReadonlySet<PromptFault> = new Set([
  "key",
  "credit",
  "address",
  "model",
]);

/** For calls whose caller waits as long as the provider is given. */
export const never = (): AbortSignal => new AbortController().signal;

/** Throws the code of a provider's fault in its place. */
export async function orCode<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    throw error instanceof ProviderFault ? new DomainError(codeOf[error.fault]) : error;
  }
}

/** The code that tells people of a fault. */
const codeOf = {
  key: "ERR_PROMPT_KEY_REFUSED",
  credit: "ERR_PROMPT_NO_CREDIT",
  rate: "ERR_PROMPT_RATE_LIMITED",
  address: "ERR_PROMPT_ADDRESS_INVALID",
  model: "ERR_PROMPT_MODEL_UNKNOWN",
  reply: "ERR_PROMPT_BAD_REPLY",
  slow: "ERR_PROMPT_NO_ANSWER",
} as const satisfies Record<PromptFault, string>;

/** Why a prompt does not answer now. */
export type Pause = "fault" | "day" | "ticket" | "loop";

export function pauseOf(found: FoundPrompt): Pause | null {
  if (found.fault !== null && lastingFaults.has(found.fault)) return "fault";
  if (isUsedUp(found.dayTokens, found.usedOfDay)) return "day";
  if (isUsedUp(found.ticketTokens, found.usedOfTicket)) return "ticket";
  if (found.answersOfTicket >= ANSWERS_OF_TICKET) return "ticket";
  return found.recentMessages >= RECENT_MESSAGES ? "loop" : null;
}

/** A budget of 0 has no end. */
export const isUsedUp = (budget: number, used: number): boolean => budget > 0 && used >= budget;

export async function findPrompt(
  { clock }: Pick<PromptsDeps, "clock">,
  { companyId }: Ctx,
  tx: Tx,
  id: PromptId,
  ticketId: TicketId | null,
): Promise<FoundPrompt | null> {
  const values = [companyId, id, ticketId, clock.now(), `${RECENT_MINUTES} minutes`];
  const [row] = await tx.query<FoundPrompt>(findStatement, values);
  return row ?? null;
}

export type Spent = { read: number; written: number };

/** Counts an answer after its call: its tokens are spent, whatever becomes of it. A success ends a fault. */
export async function countAnswer(
  deps: Pick<PromptsDeps, "db" | "realtime">,
  ctx: Ctx,
  { id, name, day, fault, updatedAt }: Counted,
  spent: Spent,
  of: { ticketId: TicketId } | "trial",
): Promise<void> {
  await deps.db.transaction(ctx, async (tx) => {
    const ticketId = of === "trial" ? null : of.ticketId;
    const values = [ctx.companyId, id, day, spent.read, spent.written, ticketId];
    await tx.query(countStatement, values);
    if (ticketId === null || fault === null) return;
    const cleared = await tx.query(faultStatement, [ctx.companyId, id, null, null, updatedAt]);
    if (cleared.length > 0) tellPrompt(deps, ctx, tx, { id, name });
  });
}

type Counted = Pick<FoundPrompt, "id" | "name" | "day" | "fault" | "updatedAt">;

/** Stores why the provider did not answer, unless the prompt was changed meanwhile, and tells the admins once. */
export async function noteFault(
  deps: Pick<PromptsDeps, "db" | "realtime" | "clock" | "domainEvents">,
  ctx: Ctx,
  { id, name, updatedAt }: Pick<FoundPrompt, "id" | "name" | "updatedAt">,
  fault: PromptFault | null,
): Promise<void> {
  await deps.db.transaction(ctx, async (tx) => {
    const at = fault === null ? null : deps.clock.now();
    const values = [ctx.companyId, id, fault, at, updatedAt];
    const changed = await tx.query(faultStatement, values);
    if (changed.length === 0) return;
    tellPrompt(deps, ctx, tx, { id, name });
    if (fault === null || !lastingFaults.has(fault)) return;
    await deps.domainEvents.publish(tx, ctx, "helper.stopped", {
      what: "prompt",
      name,
      why: fault,
    });
  });
}

/** Tells the company once a day that the budget of the day is used up. */
export async function tellBudget(
  deps: Pick<PromptsDeps, "db" | "realtime" | "clock" | "domainEvents">,
  ctx: Ctx,
  { id, name, day }: Pick<FoundPrompt, "id" | "name" | "day">,
): Promise<void> {
  await deps.db.transaction(ctx, async (tx) => {
    const told = await tx.query(toldStatement, [ctx.companyId, id, day, deps.clock.now()]);
    if (told.length === 0) return;
    tellPrompt(deps, ctx, tx, { id, name });
    const stop = { what: "prompt", name, why: "tokens" } as const;
    await deps.domainEvents.publish(tx, ctx, "helper.stopped", stop);
  });
}

/**
 * Counters of tickets are needed for a day; in another time zone it may be the day before. Voice notes that could not be
 * written down for a day stay as they are.
 */
export async function sweepUsageAcrossCompanies(db: Database): Promise<void> {
  await db.acrossCompanies(async (tx) => {
    await tx.query(sweepStatement);
    await tx.query(sweepTranscriptsStatement);
  });
}

// By hand: one round trip each, on the way of every answer.
const dayOf = "($4::timestamptz at time zone n.time_zone)::date";
const findStatement = {
  name: "prompts.find",
  text: `
select p.id, p.company_id as "companyId", p.name, p.prompt, p.base_url as "baseUrl", p.model, p.api_key as "apiKey",
  p.api_key_end as "apiKeyEnd", p.voice, p.voice_key as "voiceKey", p.voice_key_end as "voiceKeyEnd",
  p.voice_region as "voiceRegion", p.max_tokens as "maxTokens", p.temperature, p.max_messages as "maxMessages",
  p.day_tokens as "dayTokens", p.ticket_tokens as "ticketTokens", p.price_in as "priceIn", p.price_out as "priceOut", p.use_knowledge as "useKnowledge",
  p.queue_id as "queueId", p.prompt_tokens as "promptTokens", p.completion_tokens as "completionTokens",
  p.fault, p.fault_at as "faultAt", p.created_at as "createdAt", p.updated_at as "updatedAt",
  coalesce(c.name, '') as "contactName", ${dayOf}::text as day,
  coalesce(d.prompt_tokens + d.completion_tokens, 0) as "usedOfDay", coalesce(k.tokens, 0) as "usedOfTicket",
  coalesce(k.answers, 0) as "answersOfTicket", (
    select count(*)::int from messages m
    where m.company_id = $1 and m.ticket_id = $3 and m.from_me and m.is_automatic
      and m.created_at > $4::timestamptz - $5::interval) as "recentMessages"
from prompts p
join companies n on n.id = p.company_id
left join prompt_days d on d.company_id = $1 and d.prompt_id = p.id and d.day = ${dayOf}
left join prompt_tickets k
  on k.company_id = $1 and k.prompt_id = p.id and k.ticket_id = $3 and k.day = ${dayOf}
left join tickets t on t.company_id = $1 and t.id = $3
left join contacts c on c.company_id = $1 and c.id = t.contact_id
where p.company_id = $1 and p.id = $2`,
};

/** `$6`: the ticket; without one it is a trial. Nothing is counted of a prompt that was deleted meanwhile. */
const countStatement = {
  name: "prompts.count",
  text: `
with p as (
  update prompts set prompt_tokens = prompt_tokens + $4, completion_tokens = completion_tokens + $5
  where company_id = $1 and id = $2
  returning id
), of_day as (
  insert into prompt_days (company_id, prompt_id, day, prompt_tokens, completion_tokens, answers, test_tokens)
  select $1, id, $3, $4, $5, case when $6::int is null then 0 else 1 end, case when $6::int is null then $4::bigint + $5 else 0 end from p
  on conflict (company_id, prompt_id, day) do update set
    prompt_tokens = prompt_days.prompt_tokens + excluded.prompt_tokens,
    completion_tokens = prompt_days.completion_tokens + excluded.completion_tokens,
    answers = prompt_days.answers + excluded.answers, test_tokens = prompt_days.test_tokens + excluded.test_tokens
)
insert into prompt_tickets (company_id, ticket_id, prompt_id, day, tokens, answers)
select $1, t.id, p.id, $3, $4::int + $5::int, 1 from p join tickets t on t.company_id = $1 and t.id = $6
on conflict (company_id, ticket_id, prompt_id, day) do update set
  tokens = prompt_tickets.tokens + excluded.tokens, answers = prompt_tickets.answers + 1`,
};

const faultStatement = {
  name: "prompts.fault",
  text: `
update prompts set fault = $3, fault_at = $4
where company_id = $1 and id = $2 and fault is distinct from $3 and updated_at = $5
returning id`,
};

const toldStatement = {
  name: "prompts.told",
  text: `
update prompt_days set told_at = $4
where company_id = $1 and prompt_id = $2 and day = $3 and told_at is null
returning prompt_id`,
};

const sweepStatement = {
  name: "prompts.sweep",
  text: `delete from prompt_tickets where day < current_date - 1`,
};

const sweepTranscriptsStatement = {
  name: "transcripts.sweep",
  text: `delete from transcript_jobs where created_at < now() - interval '1 day'`,
};
