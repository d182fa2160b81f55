import type { PlanFlags, QueueId, TicketId } from "@balcao/contract";
import {
  billingKeys,
  billingLookupOf,
  billingSystemsOf,
  hasBillingKeys,
  schedulesOrDefault,
  settingKeys,
} from "@balcao/contract";
import type { HolidayCalendar, ScheduleEntry } from "@balcao/contract";
import { toDate } from "date-fns/toDate";
import type { Ctx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import type { Destination } from "../messages/index.ts";
import { contactAddress } from "../messages/index.ts";
import type { StoredTexts } from "../settings/index.ts";
import { storedTexts, textIn } from "../settings/index.ts";
import type { ShownTicketRow, TicketRow, Transition } from "../tickets/index.ts";
import { shownTicketColumns, ticketColumns, ticketJoins } from "../tickets/index.ts";
import type {
  AttendantTexts,
  CustomerMessage,
  Helper,
  OptionFacts,
  QueueFacts,
  TurnFacts,
  TurnMemory,
} from "./facts.ts";
import { attendantTextKeys } from "./facts.ts";

/**
 * Locks the ticket if its turn is due. Null when the turn is not due, or when the ticket is locked by another transaction.
 * Later reads see what the previous lock holder committed.
 */
export async function lockDueTicket(
  ctx: Ctx,
  tx: Tx,
  ticketId: TicketId,
  now: Date,
): Promise<TicketRow | null> {
  const [row] = await tx.query<TicketRow>(lockStatement, [ctx.companyId, ticketId, now]);
  return row ?? null;
}

/** As `lockDueTicket`, but waits for the lock, so that an answer of an outside service is not lost. */
export async function lockAskedTicket(
  ctx: Ctx,
  tx: Tx,
  ticketId: TicketId,
  heldUntil: Date,
): Promise<TicketRow | null> {
  const [row] = await tx.query<TicketRow>(lockAskedStatement, [ctx.companyId, ticketId, heldUntil]);
  return row ?? null;
}

/** Postpones the turn of a locked ticket; a new message of the customer makes it due earlier. */
export async function holdTurn(ctx: Ctx, tx: Tx, ticketId: TicketId, until: Date): Promise<void> {
  await tx.query(holdStatement, [ctx.companyId, ticketId, until]);
}

/** What the customer of a locked ticket has written so far gets no turn: something else answers it. */
export async function skipTurn({ companyId }: Ctx, tx: Tx, ticketId: TicketId): Promise<void> {
  await tx.query(skipStatement, [companyId, ticketId]);
}

const skipStatement = {
  name: "attendant.skip-turn",
  text: `
update attendant_turns set due_at = null, waiting_since = null, attempts = 0,
  handled_seq = greatest(handled_seq, (select max(seq) from messages where company_id = $1 and ticket_id = $2))
where company_id = $1 and ticket_id = $2 and due_at is not null`,
};

/** Everything stored that a turn needs. */
export type StoredTurn = {
  facts: Omit<TurnFacts, "now" | "ticket"> & { disableBot: boolean; helper: Helper | null };
  destination: Destination;
  dueAt: Date;
  attendanceId: number | null;
  /** A menu or greeting step ran in the attendance. */
  hasBegun: boolean;
  /** The newest message of the turn; without one, the last handled message. */
  lastSeq: number;
};

/** Reads everything for the turn of a locked ticket in one statement; null: the turn has been taken already. */
export async function loadTurn(
  ctx: Ctx,
  tx: Tx,
  ticketId: TicketId,
  now: Date,
): Promise<StoredTurn | null> {
  const [row] = await tx.query<TurnRow>(turnStatement, [ctx.companyId, ticketId, now]);
  return row ? toStoredTurn(row) : null;
}

/** The changes of a turn, except messages. */
export type TurnResult = {
  ticketId: TicketId;
  attendanceId: number | null;
  /** Null: the ticket stays where it is. */
  transition: Transition | null;
  usedChatbot: boolean;
  memory: TurnMemory;
  lastSeq: number;
  now: Date;
};

/** Ends the turn of a locked ticket; returns the changed ticket. */
export async function saveTurn(ctx: Ctx, tx: Tx, result: TurnResult): Promise<ShownTicketRow> {
  const { memory, transition } = result;
  const state = transition?.state;
  const [row] = await tx.query<ShownTicketRow>(saveStatement, [
    ctx.companyId,
    result.ticketId,
    result.now,
    result.attendanceId,
    result.lastSeq,
    memory.menusSent,
    memory.lastMenuAt,
    memory.wrongAnswers,
    memory.greetedAt,
    memory.closedToldUntil,
    result.usedChatbot,
    transition !== null,
    state?.queueId ?? null,
    state?.chatbot ?? false,
    state?.queueOptionId ?? null,
    transition?.attendance?.isQueuedNow ?? false,
    state?.useIntegration ?? false,
    state?.promptId ?? null,
    state?.integrationId ?? null,
  ]);
  if (!row) throw new Error("the locked ticket is gone");
  // The statement does not see its own change of the attendance.
  return row;
}

/** One queue of the company as the attendant knows it, or as it will know it when the draft of its chatbot is published. */
export async function findQueueFacts(
  ctx: Ctx,
  tx: Tx,
  queueId: QueueId,
  { draft }: { draft: boolean },
): Promise<QueueFacts | null> {
  const statement = draft ? draftStatement : queueStatement;
  const [row] = await tx.query<{ queue: QueueJson }>(statement, [ctx.companyId, queueId]);
  return row ? toQueueFacts(row.queue) : null;
}

export type QueueJson = Omit<QueueFacts, "options" | "schedules" | "menuChangedAt" | "helper"> & {
  /** Also where the plan of the company has none. */
  helper: Helper | null;
  schedules: ScheduleEntry[];
  /** The driver does not parse dates inside JSON. */
  menuChangedAtMs: number | null;
  options: OptionFacts[] | null;
};

type TurnRow = Omit<TurnMemory, "menusSent" | "wrongAnswers"> &
  Destination & {
    menusSent: number | null;
    wrongAnswers: number | null;
    dueAt: Date;
    attendanceId: number | null;
    attendedAt: Date | null;
    hasBegun: boolean;
    handledSeq: number;
    disableBot: boolean;
    /** What the company's plan has. */
    plan: HelperPlan;
    /** A helper has the ticket. */
    isHelped: boolean;
    helper: Helper | null;
    connection: TurnFacts["connection"];
    queues: QueueJson[] | null;
    ticketQueue: QueueJson | null;
    settings: Record<string, string> | null;
    /** The settings of billing systems that are not empty. */
    billingKeys: string[] | null;
    texts: StoredTexts;
    companySchedules: ScheduleEntry[];
    holidays: HolidayCalendar;
    messages: Omit<CustomerMessage, "at">[] | null;
    messageTimes: Date[] | null;
  };

type HelperPlan = Pick<PlanFlags, "useOpenAi" | "useIntegrations">;

/** Null for a helper that the company's plan does not have. */
function allowed(helper: Helper | null, plan: HelperPlan): Helper | null {
  const isAllowed = helper?.kind === "prompt" ? plan.useOpenAi : plan.useIntegrations;
  return isAllowed ? helper : null;
}

/** The billing look-up that a queue's name asks for; null: none, or no system that can do it. */
function lookupOf({ id, name }: QueueJson, { plan, billingKeys: stored }: TurnRow): Helper | null {
  const lookup = plan.useIntegrations ? billingLookupOf(name) : null;
  if (lookup === null) return null;
  const isSet = billingSystemsOf[lookup].some((system) => hasBillingKeys(system, stored ?? []));
  return isSet ? { kind: "billing", id, lookup } : null;
}

/** The helper that has the ticket: named by it, or without a name the look-up of its queue. */
function helperOf(row: TurnRow, queue: QueueFacts | null): Helper | null {
  if (!row.isHelped) return null;
  if (row.helper) return allowed(row.helper, row.plan);
  return queue?.helper?.kind === "billing" ? queue.helper : null;
}

function toStoredTurn(row: TurnRow): StoredTurn {
  const { plan } = row;
  const ofQueue = (queue: QueueJson): QueueFacts => ({
    ...toQueueFacts(queue),
    helper: lookupOf(queue, row) ?? allowed(queue.helper, plan),
  });
  const ticketQueue = row.ticketQueue && ofQueue(row.ticketQueue);
  const messages = toMessages(row.messages ?? [], row.messageTimes ?? []);
  return {
    facts: {
      timeZone: row.timeZone,
      attendedAt: row.attendedAt,
      memory: {
        menusSent: row.menusSent ?? 0,
        lastMenuAt: row.lastMenuAt,
        wrongAnswers: row.wrongAnswers ?? 0,
        greetedAt: row.greetedAt,
        closedToldUntil: row.closedToldUntil,
      },
      connection: { ...row.connection, helper: allowed(row.connection.helper, plan) },
      queues: (row.queues ?? []).map(ofQueue),
      ticketQueue,
      scheduleType: scheduleTypeOf(row.settings),
      companySchedules: schedulesOrDefault(row.companySchedules),
      holidays: row.holidays,
      greetsWithOneQueue: row.settings?.["sendGreetingMessageOneQueues"] === "enabled",
      texts: toAttendantTexts(row.texts),
      messages,
      disableBot: row.disableBot,
      helper: helperOf(row, ticketQueue),
    },
    destination: { to: row.to, timeZone: row.timeZone },
    dueAt: row.dueAt,
    attendanceId: row.attendanceId,
    hasBegun: row.hasBegun,
    lastSeq: Math.max(row.handledSeq, ...messages.map(({ seq }) => seq)),
  };
}

/** Without its helper. */
export function toQueueFacts(json: QueueJson): QueueFacts {
  const { options, schedules, menuChangedAtMs, ...queue } = json;
  return {
    ...queue,
    schedules: schedulesOrDefault(schedules),
    menuChangedAt: menuChangedAtMs === null ? null : toDate(menuChangedAtMs),
    options: options ?? [],
    helper: null,
  };
}

export function toAttendantTexts(stored: StoredTexts): AttendantTexts {
  return {
    outOfHours: textIn(stored, "outOfHours"),
    invalidOption: textIn(stored, "invalidOption"),
    personComes: textIn(stored, "personComes"),
  };
}

/** The stored ones of a company, as an SQL expression. */
export const attendantTexts = (companyId: string): string =>
  storedTexts(companyId, attendantTextKeys);

/** Times come in a separate array, because the driver does not parse dates inside JSON. */
function toMessages(
  messages: readonly Omit<CustomerMessage, "at">[],
  times: readonly Date[],
): CustomerMessage[] {
  return messages.flatMap((message, index) => {
    const at = times[index];
    return at === undefined ? [] : [{ ...message, at }];
  });
}

function scheduleTypeOf(settings: TurnRow["settings"]): TurnFacts["scheduleType"] {
  const { values, default: fallback } = settingKeys.scheduleType;
  return values.find((value) => value === settings?.["scheduleType"]) ?? fallback;
}

const fileJson = (row: string): string =>
  `case when ${row}.file_key is not null then json_build_object('key', ${row}.file_key, 'name', coalesce(${row}.file_name, '')) end`;

/** The helper that a row names; its integration is only looked up where there is one. */
const helperJson = (row: string): string =>
  `case when ${row}.prompt_id is not null then json_build_object('kind', 'prompt', 'id', ${row}.prompt_id)
    when ${row}.integration_id is not null then (
      select json_build_object('kind', 'integration', 'id', i.id, 'type', i.type)
      from integrations i where i.company_id = ${row}.company_id and i.id = ${row}.integration_id) end`;

const queueJsonOf = (greeting: string, options: string): string => `json_build_object(
    'id', q.id, 'name', q.name, 'greetingMessage', ${greeting}, 'outOfHoursMessage', q.out_of_hours_message,
    'menuChangedAtMs', (extract(epoch from q.menu_changed_at) * 1000)::bigint,
    'schedules', q.schedules, 'file', ${fileJson("q")}, 'helper', ${helperJson("q")}, 'options', (
      select json_agg(json_build_object('id', o.id, 'parentId', o.parent_id, 'number', o.number, 'title', o.title,
        'message', o.message, 'file', ${fileJson("o")}) order by o.number)
      from ${options} o where o.company_id = q.company_id and o.queue_id = q.id))`;

/** A row `q` of queues as `QueueJson`. */
export const queueJson = queueJsonOf("q.greeting_message", "queue_options");

/** The same with the draft of its chatbot, if there is one. */
const draftJson = `case when q.draft_changed_at is null then ${queueJson}
  else ${queueJsonOf("coalesce(q.draft_greeting, q.greeting_message)", "queue_option_drafts")} end`;

const lockText = (lock: string): string => `
with t as materialized (
  select * from tickets
  where company_id = $1 and id = $2 and exists (
    select from attendant_turns where company_id = $1 and ticket_id = $2 and due_at <= $3)
  ${lock}
)
select ${ticketColumns} from t ${ticketJoins}`;

const lockStatement = {
  name: "attendant.lock",
  // A locked ticket is changing right now: it is looked at again soon, and other tickets are not delayed.
  text: lockText("for no key update skip locked"),
};

const lockAskedStatement = {
  name: "attendant.lock-asked",
  text: lockText("for no key update"),
};

const holdStatement = {
  name: "attendant.hold",
  text: `update attendant_turns set due_at = $3 where company_id = $1 and ticket_id = $2`,
};

const textTypes = [
  "conversation",
  "extendedTextMessage",
  "buttonsResponseMessage",
  "listResponseMessage",
  "templateButtonReplyMessage",
];

const billingSettings = Object.values(billingKeys)
  .flat()
  .map((key) => `'${key}'`)
  .join(", ");

const turnStatement = {
  name: "attendant.load",
  text: `
select ${contactAddress("t")} as "to", n.time_zone as "timeZone", n.schedules as "companySchedules",
  n.holidays,
  c.disable_bot as "disableBot", a.id as "attendanceId", a.attended_at as "attendedAt",
  a.chatbot_at is not null as "hasBegun", k.handled_seq as "handledSeq", k.due_at as "dueAt",
  mine.menus_sent as "menusSent", mine.last_menu_at as "lastMenuAt", mine.wrong_answers as "wrongAnswers",
  mine.greeted_at as "greetedAt", mine.closed_told_until as "closedToldUntil",
  json_build_object('greetingMessage', coalesce(w.greeting_message, ''),
    'outOfHoursMessage', coalesce(w.out_of_hours_message, ''),
    'maxUseBotQueues', coalesce(w.max_use_bot_queues, 0),
    'timeUseBotQueuesMinutes', coalesce(w.time_use_bot_queues_minutes, 0), 'helper', ${helperJson("w")}) as connection,
  t.use_integration as "isHelped", ${helperJson("t")} as helper,
  json_build_object('useOpenAi', coalesce(p.use_open_ai, false),
    'useIntegrations', coalesce(p.use_integrations, false)) as plan,
  (select json_agg(${queueJson} order by q.order_queue nulls last, q.id)
     from connection_queues cq join queues q on q.company_id = cq.company_id and q.id = cq.queue_id
    where cq.company_id = t.company_id and cq.connection_id = t.connection_id) as queues,
  (select ${queueJson} from queues q
    where q.company_id = t.company_id and q.id = t.queue_id) as "ticketQueue",
  (select json_object_agg(s.key, s.value) from settings s
    where s.company_id = t.company_id and s.key in ('scheduleType', 'sendGreetingMessageOneQueues')) as settings,
  (select array_agg(s.key) from settings s
    where s.company_id = t.company_id and s.value <> '' and s.key in (${billingSettings})) as "billingKeys",
  ${attendantTexts("t.company_id")} as texts, news.messages, news.times as "messageTimes"
from attendant_turns k
join tickets t on t.company_id = k.company_id and t.id = k.ticket_id
join contacts c on c.company_id = t.company_id and c.id = t.contact_id
join companies n on n.id = t.company_id
left join plans p on p.id = n.plan_id
left join connections w on w.company_id = t.company_id and w.id = t.connection_id and w.deleted_at is null
left join attendances a on a.company_id = t.company_id and a.ticket_id = t.id and a.finished_at is null
left join attendant_turns mine
  on mine.company_id = k.company_id and mine.ticket_id = k.ticket_id and mine.attendance_id = a.id
cross join lateral (
  select array_agg(m.created_at order by m.created_at, m.seq) as times,
    json_agg(json_build_object('seq', m.seq,
      'body', case when m.details ->> 'kind' = 'choice' then m.details ->> 'id' else m.body end,
      'isText', m.media_type is null or m.media_type in (${textTypes.map((type) => `'${type}'`).join(", ")}))
      order by m.created_at, m.seq) as messages
  from messages m
  where m.company_id = t.company_id and m.ticket_id = t.id and m.seq > k.handled_seq
    and m.created_at >= k.waiting_since - interval '14 days'
    and not m.from_me and not m.is_deleted and m.media_type is distinct from 'call_log'
) news
where k.company_id = $1 and k.ticket_id = $2 and k.due_at <= $3`,
};

/** `$12`: the ticket moves to the place of `$13` to `$15`, with the helper of `$17` to `$19`. */
const saveStatement = {
  name: "attendant.save",
  text: `
with k as (
  update attendant_turns set
    attendance_id = $4, handled_seq = $5, due_at = null, waiting_since = null, attempts = 0,
    menus_sent = $6, last_menu_at = $7, wrong_answers = $8, greeted_at = $9, closed_told_until = $10
  where company_id = $1 and ticket_id = $2
),
a as (
  update attendances set
    chatbot_at = case when $11 then coalesce(chatbot_at, $3) else chatbot_at end,
    queue_id = case when $12 then $13 else queue_id end,
    queued_at = case when $16 then $3 else queued_at end
  where company_id = $1 and id = $4 and ($11 or $12)
),
t as (
  update tickets set queue_id = $13, chatbot = $14, queue_option_id = $15,
    use_integration = $17, prompt_id = $18, integration_id = $19,
    queued_at = case when $16 or (chatbot and not $14) then $3 else queued_at end, updated_at = greatest(updated_at, $3)
  where company_id = $1 and id = $2 and $12
  returning *
),
whole as (
  select * from t
  union all
  select * from tickets where company_id = $1 and id = $2 and not $12
)
select ${shownTicketColumns} from whole t ${ticketJoins}`,
};

const queueText = (json: string): string =>
  `select ${json} as queue from queues q where q.company_id = $1 and q.id = $2 and q.deleted_at is null`;

const queueStatement = { name: "attendant.queue", text: queueText(queueJson) };
const draftStatement = { name: "attendant.queue-draft", text: queueText(draftJson) };
