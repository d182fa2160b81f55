import type {
  CompanyId,
  ErrorCode,
  InputOf,
  Prompt,
  PromptBody,
  PromptId,
  PromptVoice,
  QueueId,
} from "@balcao/contract";
import { pageSizes, promptBounds, promptDefaults, secretMask } from "@balcao/contract";
import { and, eq, isNotNull } from "drizzle-orm";
import type { Ctx, UserCtx } from "../../platform/context.ts";
import { DomainError, hasPermission } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import {
  hasId,
  holdReferences,
  lockRecord,
  readPage,
  requireRow,
  toIsoOrNull,
  wireDates,
} from "../../platform/db/records.ts";
import { connections, prompts, queues } from "../../platform/db/schema/index.ts";
import type { DomainEvents } from "../../platform/events.ts";
import type { Realtime } from "../../platform/realtime/hub.ts";
import { rooms } from "../../platform/realtime/hub.ts";
import type { Seal } from "../../platform/secrets/seal.ts";
import type { Clock } from "../../platform/sources.ts";
import type { Account } from "./provider.ts";

export type PromptsDeps = {
  db: Database;
  clock: Clock;
  realtime: Realtime;
  seal: Seal;
  domainEvents: DomainEvents;
};

type Scope = Pick<Ctx, "companyId">;
type StoredPrompt = typeof prompts.$inferSelect;

/** The fields of a prompt with its keys in clear. They stay in the server. */
export type PromptForm = {
  name: string;
  prompt: string;
  baseUrl: string;
  model: string;
  apiKey: string;
  voice: PromptVoice;
  voiceKey: string;
  voiceRegion: string;
  maxTokens: number;
  temperature: number;
  maxMessages: number | null;
  dayTokens: number;
  ticketTokens: number;
  useKnowledge: boolean;
  priceIn: number | null;
  priceOut: number | null;
  queueId: QueueId | null;
};

/** The prompts of the company by name. Without `prompts:manage` only their ids, names and queues. */
export async function listPrompts(
  { db, clock }: PromptsDeps,
  ctx: UserCtx,
  { searchParam, pageNumber }: InputOf<"GET /prompt">["query"],
): Promise<{ prompts: Prompt[]; count: number; hasMore: boolean }> {
  const toWire = hasPermission(ctx, "prompts:manage") ? toPrompt : toNamedPrompt;
  const { rows, ...totals } = await db.transaction(ctx, (tx) =>
    readPage(pageNumber, pageSizes.prompts, (limit, offset) => {
      const values = [ctx.companyId, clock.now(), searchParam, limit, offset];
      return tx.query<PromptRow>(listStatement, values);
    }),
  );
  return { prompts: rows.map(toWire), ...totals };
}

export async function showPrompt(deps: PromptsDeps, ctx: UserCtx, id: PromptId): Promise<Prompt> {
  return deps.db.transaction(ctx, (tx) => readPrompt(deps, ctx, tx, id));
}

/** Throws the codes of wire-contract 5.21 in the order of its list. */
export async function createPrompt(
  deps: PromptsDeps,
  ctx: UserCtx,
  body: PromptBody,
): Promise<Prompt> {
  const form = filledForm(body);
  requireSaveable(form, "ERR_PROMPT_INTELLIGENCE_INVALID");
  const now = deps.clock.now();
  return deps.db.transaction(ctx, async (tx) => {
    await holdReferences(ctx, tx, queues, [form.queueId], "ERR_QUEUE_NOT_FOUND");
    const values = { ...columnsFor(deps.seal, ctx, form), companyId: ctx.companyId };
    const rows = await tx.orm
      .insert(prompts)
      .values({ ...values, createdAt: now, updatedAt: now })
      .returning({ id: prompts.id });
    return tellSaved(deps, ctx, tx, requireRow(rows).id, "create");
  });
}

/** A masked or omitted key stays. A change of what the provider refused ends the fault. */
export async function updatePrompt(
  deps: PromptsDeps,
  ctx: UserCtx,
  id: PromptId,
  body: PromptBody,
): Promise<Prompt> {
  return deps.db.transaction(ctx, async (tx) => {
    const stored = await lockRecord(ctx, tx, prompts, id, "ERR_NO_PROMPT_FOUND");
    const before = openForm(deps.seal, stored);
    const form = filledForm(body, before);
    requireSaveable(form, "ERR_PROMPT_PROMPT_INVALID");
    await holdReferences(ctx, tx, queues, [form.queueId], "ERR_QUEUE_NOT_FOUND");
    const isMended = (["apiKey", "baseUrl", "model"] as const).some((f) => form[f] !== before[f]);
    await tx.orm
      .update(prompts)
      .set({
        ...columnsFor(deps.seal, ctx, form),
        ...(isMended ? { fault: null, faultAt: null } : {}),
        updatedAt: deps.clock.now(),
      })
      .where(hasId(ctx, prompts, id));
    return tellSaved(deps, ctx, tx, id, "update");
  });
}

/** Throws ERR_PROMPT_IN_USE while a connection or queue uses it. Tickets with it go on without. */
export async function removePrompt(
  { db, realtime }: PromptsDeps,
  ctx: UserCtx,
  id: PromptId,
): Promise<void> {
  const { companyId } = ctx;
  await db.transaction(ctx, async (tx) => {
    // Nothing can begin to use it afterwards: users of it hold the row.
    const locked = await tx.orm
      .select({ id: prompts.id })
      .from(prompts)
      .where(hasId(ctx, prompts, id))
      .for("update");
    requireRow(locked, "ERR_NO_PROMPT_FOUND");
    for (const table of [connections, queues]) {
      const isOf = and(eq(table.companyId, companyId), eq(table.promptId, id));
      await tx.orm
        .update(table)
        .set({ promptId: null })
        .where(and(isOf, isNotNull(table.deletedAt)));
      if ((await tx.orm.$count(table, isOf)) > 0) throw new DomainError("ERR_PROMPT_IN_USE");
    }
    await tx.orm.delete(prompts).where(hasId(ctx, prompts, id));
    tx.onCommit(() => {
      const gone = { action: "delete", promptId: id } as const;
      realtime.publish(companyId, "prompt", gone, [rooms.main(companyId)]);
    });
  });
}

const newForm: PromptForm = {
  name: "",
  prompt: "",
  baseUrl: promptDefaults.baseUrl,
  model: promptDefaults.model,
  apiKey: "",
  voice: promptDefaults.voice,
  voiceKey: "",
  voiceRegion: "",
  maxTokens: promptBounds.maxTokens.default,
  temperature: promptBounds.temperature.default,
  maxMessages: null,
  dayTokens: promptBounds.dayTokens.default,
  ticketTokens: promptBounds.ticketTokens.default,
  useKnowledge: false,
  priceIn: null,
  priceOut: null,
  queueId: null,
};

/**
 * A form on top of a stored prompt, or of the defaults. A stored key is kept for the service that it was given for: with
 * another host it counts as missing, so that nobody can have it sent to a server of their own.
 */
export function filledForm(body: PromptBody, before: PromptForm = newForm): PromptForm {
  const { apiKey, voiceKey, voiceRegion, baseUrl, maxMessages, ...same } = body;
  const given = Object.fromEntries(Object.entries(same).filter(([, value]) => value !== undefined));
  const address = baseUrl === undefined ? before.baseUrl : storedAddress(baseUrl);
  return {
    ...before,
    ...given,
    baseUrl: address,
    apiKey: keptOr(apiKey, isSameHost(address, before.baseUrl) ? before.apiKey : ""),
    voiceKey: keptOr(voiceKey ?? undefined, voiceKey === null ? "" : before.voiceKey),
    voiceRegion: voiceRegion === undefined ? before.voiceRegion : (voiceRegion ?? ""),
    maxMessages: maxMessages === undefined ? before.maxMessages : maxMessages || null,
  };
}

/** Likewise of an account alone. */
export function filledAccount(
  { baseUrl, model, apiKey }: Pick<PromptBody, keyof Account>,
  before?: Account,
): Account {
  return filledForm({ baseUrl, model, apiKey }, { ...newForm, ...before });
}

/** The key of a request: a masked or omitted one is the kept one. */
function keptOr(given: string | undefined, kept: string): string {
  return given === undefined || given.includes(secretMask) ? kept : given;
}

const storedAddress = (given: string): string =>
  given === "" ? promptDefaults.baseUrl : given.replace(/\/+$/, "");

function isSameHost(one: string, other: string): boolean {
  const first = parsedAddress(one);
  return first !== null && first.origin === parsedAddress(other)?.origin;
}

function parsedAddress(address: string): URL | null {
  const url = URL.parse(address);
  const isUsable =
    url && /^https?:$/.test(url.protocol) && `${url.username}${url.password}${url.search}` === "";
  return isUsable ? url : null;
}

const isWithin = (value: number, { min, max }: { min: number; max: number }): boolean =>
  value >= min && value <= max;

/** A form that can be stored. */
type SaveableForm = PromptForm & { queueId: QueueId; maxMessages: number };

/** What a form lacks, in the order of wire-contract 5.21. A key must be one that a header can carry. */
function lacksOf(form: PromptForm, textCode: ErrorCode): ErrorCode[] {
  const { name, prompt, apiKey, queueId, maxMessages, baseUrl } = form;
  const isOk: [ErrorCode, boolean][] = [
    ["ERR_PROMPT_NAME_INVALID", isWithin(name.length, promptBounds.name)],
    [textCode, isWithin(prompt.length, promptBounds.prompt)],
    ["ERR_PROMPT_APIKEY_INVALID", /^[\x21-\x7e]+$/.test(apiKey)],
    ["ERR_PROMPT_QUEUEID_INVALID", queueId !== null],
    [
      "ERR_PROMPT_MAX_MESSAGES_INVALID",
      maxMessages !== null && isWithin(maxMessages, promptBounds.maxMessages),
    ],
    ["ERR_PROMPT_ADDRESS_INVALID", parsedAddress(baseUrl) !== null],
  ];
  return isOk.flatMap(([code, ok]) => (ok ? [] : [code]));
}

function requireSaveable(form: PromptForm, textCode: ErrorCode): asserts form is SaveableForm {
  const [code] = lacksOf(form, textCode);
  if (code) throw new DomainError(code);
}

/** A form need not be complete to be tried: name, queue and history may be missing. */
export function requireTriable(form: PromptForm): void {
  requireOnly(form, [
    "ERR_PROMPT_PROMPT_INVALID",
    "ERR_PROMPT_APIKEY_INVALID",
    "ERR_PROMPT_ADDRESS_INVALID",
  ]);
}

/** Key and address. */
export function requireReachable(account: Account): void {
  requireOnly({ ...newForm, ...account }, [
    "ERR_PROMPT_APIKEY_INVALID",
    "ERR_PROMPT_ADDRESS_INVALID",
  ]);
}

function requireOnly(form: PromptForm, codes: readonly ErrorCode[]): void {
  const code = lacksOf(form, "ERR_PROMPT_PROMPT_INVALID").find((one) => codes.includes(one));
  if (code) throw new DomainError(code);
}

/** Bound to the company: a key that is copied to another one's row does not open there. */
export const purposeOf = ({ companyId }: Scope): string => `prompt key of company ${companyId}`;

/** A key of a prompt as the database keeps it, with the end that is shown. */
export const sealPromptKey = (seal: Seal, companyId: CompanyId, key: string) => ({
  sealed: seal.close(Buffer.from(key), purposeOf({ companyId })),
  end: endOf(key),
});

/** A stored prompt with its keys in clear. */
export function openForm(seal: Seal, row: StoredPrompt): PromptForm {
  const open = (sealed: Buffer): string => seal.open(sealed, purposeOf(row)).toString();
  return {
    ...row,
    apiKey: open(row.apiKey),
    voiceKey: row.voiceKey === null ? "" : open(row.voiceKey),
  };
}

function columnsFor(seal: Seal, ctx: Scope, form: SaveableForm) {
  const { name, prompt, baseUrl, model, voice, voiceRegion, maxTokens, temperature } = form;
  const { maxMessages, dayTokens, ticketTokens, priceIn, priceOut, queueId, useKnowledge } = form;
  const close = (key: string): Buffer => seal.close(Buffer.from(key), purposeOf(ctx));
  return {
    ...{ name, prompt, baseUrl, model, voice, voiceRegion, maxTokens, temperature },
    ...{ maxMessages, dayTokens, ticketTokens, priceIn, priceOut, queueId, useKnowledge },
    apiKey: close(form.apiKey),
    apiKeyEnd: endOf(form.apiKey),
    voiceKey: form.voiceKey === "" ? null : close(form.voiceKey),
    voiceKeyEnd: endOf(form.voiceKey),
  };
}

/** A short key shows nothing of itself. */
export const endOf = (key: string): string => (key.length < 12 ? "" : key.slice(-4));

type Used = { id: number; name: string }[];
type PromptRow = Omit<StoredPrompt, "apiKey" | "voiceKey"> & {
  hasVoiceKey: boolean;
  queueName: string | null;
  todayTokens: number;
  todayAnswers: number;
  monthTokens: number;
  monthAnswers: number;
  connections: Used | null;
  queues: Used | null;
  total: number;
};

async function readPrompt(
  { clock }: Pick<PromptsDeps, "clock">,
  ctx: Ctx,
  tx: Tx,
  id: PromptId,
): Promise<Prompt> {
  const rows = await tx.query<PromptRow>(oneStatement, [ctx.companyId, clock.now(), id]);
  return toPrompt(requireRow(rows, "ERR_NO_PROMPT_FOUND"));
}

function toPrompt(row: PromptRow): Prompt {
  const { id, companyId, name, prompt, baseUrl, model, voice, voiceRegion, maxTokens } = row;
  const { temperature, maxMessages, dayTokens, ticketTokens, priceIn, priceOut } = row;
  const { promptTokens, completionTokens, useKnowledge, fault } = row;
  return {
    ...{ id, companyId, name, prompt, baseUrl, model, voice, voiceRegion, maxTokens },
    ...{ temperature, maxMessages, dayTokens, ticketTokens, priceIn, priceOut },
    useKnowledge,
    apiKey: secretMask + row.apiKeyEnd,
    voiceKey: row.hasVoiceKey ? secretMask + row.voiceKeyEnd : "",
    ...{ promptTokens, completionTokens, totalTokens: promptTokens + completionTokens },
    usedToday: { tokens: row.todayTokens, answers: row.todayAnswers },
    usedThisMonth: { tokens: row.monthTokens, answers: row.monthAnswers },
    ...queueOf(row),
    usedBy: { connections: row.connections ?? [], queues: row.queues ?? [] },
    ...{ fault, faultAt: toIsoOrNull(row.faultAt) },
    ...wireDates(row),
  };
}

function queueOf({ queueId, queueName }: PromptRow): Pick<Prompt, "queueId" | "queue"> {
  const queue = queueId === null || queueName === null ? null : { id: queueId, name: queueName };
  return { queueId, queue };
}

/** For callers who may choose a prompt, but not read it. */
function toNamedPrompt(row: PromptRow): Prompt {
  const { id, companyId, name } = row;
  const none = { tokens: 0, answers: 0 };
  return {
    ...{ id, companyId, name, ...queueOf(row), ...wireDates(row) },
    ...{ prompt: "", baseUrl: "", model: "", apiKey: "", voice: "texto" },
    ...{ voiceKey: "", voiceRegion: "", maxTokens: 0, temperature: 0, maxMessages: 0 },
    ...{ dayTokens: 0, ticketTokens: 0, priceIn: null, priceOut: null, useKnowledge: false },
    ...{ promptTokens: 0, completionTokens: 0, totalTokens: 0 },
    ...{ usedToday: none, usedThisMonth: none },
    ...{ usedBy: { connections: [], queues: [] }, fault: null, faultAt: null },
  };
}

/** Reads a prompt as it is now, and tells the company on commit that it is to be read again. */
async function tellSaved(
  deps: PromptsDeps,
  ctx: Ctx,
  tx: Tx,
  id: PromptId,
  action: "create" | "update",
): Promise<Prompt> {
  const saved = await readPrompt(deps, ctx, tx, id);
  tellPrompt(deps, ctx, tx, saved, action);
  return saved;
}

/** Tells the company, on commit, that a prompt is to be read again. */
export function tellPrompt(
  { realtime }: Pick<PromptsDeps, "realtime">,
  { companyId }: Scope,
  tx: Tx,
  { id, name }: { id: PromptId; name: string },
  action: "create" | "update" = "update",
): void {
  const payload = { action, prompt: { id, name } };
  tx.onCommit(() => realtime.publish(companyId, "prompt", payload, [rooms.main(companyId)]));
}

// By hand: one round trip for a page with what it shows of other tables.
const usersOf = (table: string): string => `
  (select json_agg(json_build_object('id', u.id, 'name', u.name) order by f_norm(u.name), u.id) from ${table} u
    where u.company_id = p.company_id and u.prompt_id = p.id and u.deleted_at is null)`;

const promptText = (where: string): string => `
select p.id, p.company_id as "companyId", p.name, p.prompt, p.base_url as "baseUrl", p.model, p.voice,
  p.api_key_end as "apiKeyEnd", p.voice_key is not null as "hasVoiceKey", p.voice_key_end as "voiceKeyEnd",
  p.voice_region as "voiceRegion", p.max_tokens as "maxTokens", p.temperature, p.max_messages as "maxMessages",
  p.day_tokens as "dayTokens", p.ticket_tokens as "ticketTokens", p.price_in as "priceIn", p.price_out as "priceOut", p.use_knowledge as "useKnowledge",
  p.queue_id as "queueId", p.prompt_tokens as "promptTokens", p.completion_tokens as "completionTokens",
  p.fault, p.fault_at as "faultAt", p.created_at as "createdAt", p.updated_at as "updatedAt", q.name as "queueName",
  used."todayTokens", used."todayAnswers", used."monthTokens", used."monthAnswers",
  ${usersOf("connections")} as connections, ${usersOf("queues")} as queues, count(*) over () as total
from prompts p
join companies n on n.id = p.company_id
cross join lateral (select ($2::timestamptz at time zone n.time_zone)::date as day) today
left join queues q on q.company_id = p.company_id and q.id = p.queue_id
cross join lateral (
  select coalesce(sum(prompt_tokens + completion_tokens), 0)::bigint as "monthTokens",
    coalesce(sum(answers), 0)::int as "monthAnswers",
    coalesce(sum(prompt_tokens + completion_tokens) filter (where d.day = today.day), 0)::bigint as "todayTokens",
    coalesce(sum(answers) filter (where d.day = today.day), 0)::int as "todayAnswers"
  from prompt_days d
  where d.company_id = p.company_id and d.prompt_id = p.id
    and d.day between date_trunc('month', today.day)::date and today.day
) used
where p.company_id = $1 and ${where}`;

const listStatement = {
  name: "prompts.list",
  text: `${promptText("($3 = '' or position(f_norm($3) in f_norm(p.name)) > 0)")}
order by f_norm(p.name), p.id limit $4 offset $5`,
};
const oneStatement = { name: "prompts.one", text: promptText("p.id = $3") };
