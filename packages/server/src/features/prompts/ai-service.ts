import type { AiService, AiServiceBody, PromptFault, ResultOf } from "@balcao/contract";
import { aiServiceBounds, promptDefaults, secretMask } from "@balcao/contract";
import { eq } from "drizzle-orm";
import type { Ctx, UserCtx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import { requireRow, toIsoOrNull } from "../../platform/db/records.ts";
import { aiServices } from "../../platform/db/schema/index.ts";
import type { DomainEvents } from "../../platform/events.ts";
import type { Logger } from "../../platform/logging/logger.ts";
import type { Realtime } from "../../platform/realtime/hub.ts";
import { rooms } from "../../platform/realtime/hub.ts";
import type { Seal } from "../../platform/secrets/seal.ts";
import type { Clock } from "../../platform/sources.ts";
import type { Stop } from "../mails/index.ts";
import { endOf, filledAccount, purposeOf, requireReachable } from "./prompts.ts";
import type { Account, ChatLine, Provider } from "./provider.ts";
import { ProviderFault } from "./provider.ts";
import { isUsedUp, lastingFaults, never, orCode } from "./usage.ts";

export type AiServiceDeps = {
  db: Database;
  clock: Clock;
  realtime: Realtime;
  domainEvents: DomainEvents;
  seal: Seal;
  log: Logger;
  provider: Provider;
};

type Used = { tokens: number; answers: number; sounds: number };

/** The company's day, and its service with what that used; without one its columns are null. */
type ServiceRow = Pick<
  typeof aiServices.$inferSelect,
  "baseUrl" | "model" | "transcriptionModel" | "apiKey" | "apiKeyEnd" | "helps" | "transcribes"
> &
  Pick<typeof aiServices.$inferSelect, "dayTokens" | "daySounds" | "fault" | "faultAt"> & {
    updatedAt: Date;
  };
type FoundRow = { isInPlan: boolean; day: string; today: Used; month: Used } & (
  | ServiceRow
  | Record<keyof ServiceRow, null>
);

/** A company's service that answers, with its key in clear. It stays in the server. */
export type FoundService = ServiceRow & { day: string; today: Used; account: Account };

export async function showAiService(deps: AiServiceDeps, ctx: UserCtx): Promise<AiService> {
  return deps.db.transaction(ctx, (tx) => readService(deps, ctx, tx));
}

/** Throws ERR_PROMPT_APIKEY_INVALID where the key is missing, or belongs to another host. */
export async function saveAiService(
  deps: AiServiceDeps,
  ctx: UserCtx,
  { apiKey, baseUrl, model, ...given }: AiServiceBody,
): Promise<AiService> {
  const { companyId } = ctx;
  return deps.db.transaction(ctx, async (tx) => {
    const isOwn = eq(aiServices.companyId, companyId);
    const [stored] = await tx.orm.select().from(aiServices).where(isOwn).for("update");
    if (apiKey === "") await tx.orm.delete(aiServices).where(isOwn);
    else {
      const before = stored && openAccount(deps.seal, ctx, stored);
      const account = filledAccount({ apiKey, baseUrl, model }, before);
      requireReachable(account);
      const isSame = (["apiKey", "baseUrl", "model"] as const).every(
        (field) => account[field] === before?.[field],
      );
      const kept = { ...newService, ...stored };
      const { transcriptionModel = kept.transcriptionModel } = given;
      const { helps = kept.helps, transcribes = kept.transcribes } = given;
      const { dayTokens = kept.dayTokens, daySounds = kept.daySounds } = given;
      const isMended = !isSame || transcriptionModel !== kept.transcriptionModel;
      const values = {
        ...{ transcriptionModel, helps, transcribes, dayTokens, daySounds },
        ...{ baseUrl: account.baseUrl, model: account.model },
        apiKey: deps.seal.close(Buffer.from(account.apiKey), purposeOf(ctx)),
        apiKeyEnd: endOf(account.apiKey),
        ...(isMended ? { fault: null, faultAt: null } : {}),
        ...{ companyId, updatedAt: deps.clock.now() },
      };
      await tx.orm
        .insert(aiServices)
        .values(values)
        .onConflictDoUpdate({ target: aiServices.companyId, set: values });
    }
    tellService(deps, ctx, tx);
    return readService(deps, ctx, tx);
  });
}

/** What the service offers now. */
export async function offerOf(
  deps: AiServiceDeps,
  ctx: UserCtx,
): Promise<ResultOf<"GET /aiService/offer">> {
  const row = await deps.db.transaction(ctx, (tx) => findRow(deps, ctx, tx));
  const answers = row.apiKey !== null && !isStopped(row);
  return { helps: answers && row.helps, transcribes: answers && (row.helps || row.transcribes) };
}

/** Asks the provider whether it takes a key. If it is the stored one, a lasting fault ends with that. */
export async function checkAiService(
  deps: AiServiceDeps,
  ctx: UserCtx,
  given: { baseUrl: string; model: string; apiKey: string },
): Promise<string[]> {
  const row = await deps.db.transaction(ctx, (tx) => findRow(deps, ctx, tx));
  const before = row.apiKey === null ? undefined : openAccount(deps.seal, ctx, row);
  const account = filledAccount(given, before);
  requireReachable(account);
  const models = await orCode(deps.provider.models(account, never()));
  const isStored = (["apiKey", "baseUrl", "model"] as const).every(
    (field) => account[field] === before?.[field],
  );
  if (isStored && row.apiKey !== null) await noteServiceFault(deps, ctx, row, null);
  return models;
}

/**
 * Reads the company's service. Throws ERR_AI_NOT_OFFERED where there is none, a fault stops it, or it does not do this, and
 * ERR_PROMPT_BUDGET_USED.
 */
export async function findService(
  deps: Pick<AiServiceDeps, "db" | "clock" | "seal">,
  ctx: Ctx,
  purpose: "answer" | "sound",
): Promise<FoundService> {
  const row = await deps.db.transaction(ctx, (tx) => findRow(deps, ctx, tx));
  if (row.apiKey === null || !row.isInPlan || isStopped(row)) {
    throw new DomainError("ERR_AI_NOT_OFFERED");
  }
  if (!row.helps && (purpose === "answer" || !row.transcribes)) {
    throw new DomainError("ERR_AI_NOT_OFFERED");
  }
  const isOver =
    purpose === "answer"
      ? isUsedUp(row.dayTokens, row.today.tokens)
      : isUsedUp(row.daySounds, row.today.sounds);
  if (isOver) throw new DomainError("ERR_PROMPT_BUDGET_USED");
  return { ...row, account: openAccount(deps.seal, ctx, row) };
}

/** What the company's own people ask: all lines are made by the server, with customers' text in `user` lines only. */
export type AiQuestion = { lines: readonly ChatLine[]; maxTokens: number; temperature: number };
export type AiAnswer = { text: string; tokens: number };

/**
 * One answer of the company's AI service to its own people; outside of any transaction. Tokens and answers are counted for the
 * day. Throws ERR_AI_NOT_OFFERED, ERR_PROMPT_BUDGET_USED and the codes of the provider's faults, which are stored.
 */
export async function askAiService(
  deps: AiServiceDeps,
  ctx: Ctx,
  question: AiQuestion,
  signal: AbortSignal,
): Promise<AiAnswer> {
  const found = await findService(deps, ctx, "answer");
  const { provider } = deps;
  const wish = { ...question, account: found.account, withoutTools: true } as const;
  const asked = provider.answer(wish, signal, provider.timeLimit());
  const { text, tokens } = await orCode(notingFaults(deps, ctx, found, asked));
  const used = tokens.read + tokens.written;
  await countUse(deps, ctx, found, { tokens: used, answers: 1, sounds: 0 });
  return { text, tokens: used };
}

/** Stores why a call failed, if that says something about the service. */
export async function notingFaults<T>(
  deps: AiServiceDeps,
  ctx: Ctx,
  found: FoundService,
  asked: Promise<T>,
  isOfService: (fault: PromptFault) => boolean = () => true,
): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    if (!(error instanceof ProviderFault)) throw error;
    const { companyId } = ctx;
    deps.log.warn({ err: error, companyId }, "the company's AI service did not answer");
    if (isOfService(error.fault)) await noteServiceFault(deps, ctx, found, error.fault);
    throw error;
  }
}

/** Counts a call after it: it is paid for, whatever becomes of it. A success ends a fault. */
export async function countUse(
  deps: Pick<AiServiceDeps, "db" | "realtime" | "domainEvents">,
  ctx: Ctx,
  { day, fault, updatedAt, dayTokens, daySounds }: FoundService,
  { tokens, answers, sounds }: Used,
): Promise<void> {
  await deps.db.transaction(ctx, async (tx) => {
    const values = [ctx.companyId, day, tokens, answers, sounds];
    const after = requireRow(
      await tx.query<Pick<Used, "tokens" | "sounds">>(countStatement, values),
    );
    // The call that reaches a limit tells of it.
    const reached = (limit: number, now: number, added: number): boolean =>
      isUsedUp(limit, now) && !isUsedUp(limit, now - added);
    if (reached(dayTokens, after.tokens, tokens)) await tellStop(deps, ctx, tx, "tokens");
    if (reached(daySounds, after.sounds, sounds)) await tellStop(deps, ctx, tx, "sounds");
    if (fault === null) return;
    const cleared = await tx.query(faultStatement, [ctx.companyId, null, null, updatedAt]);
    if (cleared.length > 0) tellService(deps, ctx, tx);
  });
}

/** Stores a fault, unless the service was changed meanwhile, and tells the company once. */
async function noteServiceFault(
  deps: Pick<AiServiceDeps, "db" | "realtime" | "clock" | "domainEvents">,
  ctx: Ctx,
  { updatedAt }: Pick<ServiceRow, "updatedAt">,
  fault: PromptFault | null,
): Promise<void> {
  await deps.db.transaction(ctx, async (tx) => {
    const at = fault === null ? null : deps.clock.now();
    const changed = await tx.query(faultStatement, [ctx.companyId, fault, at, updatedAt]);
    if (changed.length === 0) return;
    tellService(deps, ctx, tx);
    if (fault !== null && lastingFaults.has(fault)) await tellStop(deps, ctx, tx, fault);
  });
}

const tellStop = (
  { domainEvents }: Pick<AiServiceDeps, "domainEvents">,
  ctx: Ctx,
  tx: Tx,
  why: Stop["why"],
): Promise<void> =>
  domainEvents.publish(tx, ctx, "helper.stopped", { what: "aiService", name: "", why });

const isStopped = ({ fault }: Pick<ServiceRow, "fault">): boolean =>
  fault !== null && lastingFaults.has(fault);

const newService = {
  transcriptionModel: promptDefaults.transcriptionModel,
  helps: true,
  transcribes: false,
  dayTokens: aiServiceBounds.dayTokens.default,
  daySounds: aiServiceBounds.daySounds.default,
} as const;

function openAccount(
  seal: Seal,
  ctx: Pick<Ctx, "companyId">,
  { baseUrl, model, apiKey }: Pick<ServiceRow, "baseUrl" | "model" | "apiKey">,
): Account {
  return { baseUrl, model, apiKey: seal.open(apiKey, purposeOf(ctx)).toString() };
}

async function readService(
  deps: Pick<AiServiceDeps, "clock">,
  ctx: Ctx,
  tx: Tx,
): Promise<AiService> {
  const row = await findRow(deps, ctx, tx);
  const used = { usedToday: row.today, usedThisMonth: row.month };
  if (row.apiKey === null) {
    const { baseUrl, model } = promptDefaults;
    return { ...newService, baseUrl, model, apiKey: "", ...used, fault: null, faultAt: null };
  }
  const { baseUrl, model, transcriptionModel, helps, transcribes, dayTokens, daySounds } = row;
  return {
    ...{ baseUrl, model, transcriptionModel, helps, transcribes, dayTokens, daySounds },
    ...{ apiKey: secretMask + row.apiKeyEnd, ...used },
    ...{ fault: row.fault, faultAt: toIsoOrNull(row.faultAt) },
  };
}

async function findRow(
  { clock }: Pick<AiServiceDeps, "clock">,
  { companyId }: Pick<Ctx, "companyId">,
  tx: Tx,
): Promise<FoundRow> {
  return requireRow(await tx.query<FoundRow>(findStatement, [companyId, clock.now()]));
}

/** Tells the company, on commit, that the service and its offer are to be read again. */
function tellService(
  { realtime }: Pick<AiServiceDeps, "realtime">,
  { companyId }: Pick<Ctx, "companyId">,
  tx: Tx,
): void {
  const payload = { action: "update" } as const;
  tx.onCommit(() => realtime.publish(companyId, "aiService", payload, [rooms.main(companyId)]));
}

// By hand: one round trip each, on the way of every answer.
const sums = (where: string): string => `
  json_build_object('tokens', coalesce(sum(d.tokens)${where}, 0), 'answers', coalesce(sum(d.answers)${where}, 0),
    'sounds', coalesce(sum(d.sounds)${where}, 0))`;
const findStatement = {
  name: "aiService.find",
  text: `
select s.base_url as "baseUrl", s.model, s.transcription_model as "transcriptionModel", s.api_key as "apiKey",
  s.api_key_end as "apiKeyEnd", s.helps, s.transcribes, s.day_tokens as "dayTokens", s.day_sounds as "daySounds",
  s.fault, s.fault_at as "faultAt", s.updated_at as "updatedAt", today.day::text as day, used.today, used.month,
  p.use_open_ai as "isInPlan"
from companies n
join plans p on p.id = n.plan_id
cross join lateral (select ($2::timestamptz at time zone n.time_zone)::date as day) today
left join ai_services s on s.company_id = n.id
cross join lateral (
  select ${sums("")} as month, ${sums(" filter (where d.day = today.day)")} as today
  from ai_service_days d
  where d.company_id = n.id and d.day between date_trunc('month', today.day)::date and today.day
) used
where n.id = $1`,
};

const countStatement = {
  name: "aiService.count",
  text: `
insert into ai_service_days (company_id, day, tokens, answers, sounds) values ($1, $2, $3, $4, $5)
on conflict (company_id, day) do update set tokens = ai_service_days.tokens + excluded.tokens,
  answers = ai_service_days.answers + excluded.answers, sounds = ai_service_days.sounds + excluded.sounds
returning tokens, sounds`,
};

const faultStatement = {
  name: "aiService.fault",
  text: `
update ai_services set fault = $2, fault_at = $3
where company_id = $1 and fault is distinct from $2 and updated_at = $4
returning company_id`,
};
