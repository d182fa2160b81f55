import type {
  CompanyId,
  ConnectionId,
  ContactListId,
  ContactListItemId,
  ListedContactList,
} from "@balcao/contract";
import { limits } from "@balcao/contract";
import { addMilliseconds } from "date-fns/addMilliseconds";
import { subDays } from "date-fns/subDays";
import type { NumberAnswer } from "../../channels/port.ts";
import { NoAnswer } from "../../channels/runtime/index.ts";
import type { Ctx } from "../../platform/context.ts";
import { DomainError, systemCtx } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import type { Wake } from "../../platform/db/wake.ts";
import { DueWorker } from "../../platform/jobs/due-worker.ts";
import { normalNumber } from "../../platform/db/schema/index.ts";
import type { Logger } from "../../platform/logging/logger.ts";
import type { AddressedRealtime, Realtime } from "../../platform/realtime/hub.ts";
import type { Clock, IdSource } from "../../platform/sources.ts";
import { addressKey, formsOf, KNOWN_NUMBER_DAYS } from "../contacts/index.ts";
import type { ItemRow } from "./lists.ts";
import { itemColumns, tellItems, tellList, toItem, toList } from "./lists.ts";

export type ChecksDeps = {
  db: Database;
  wake: Wake;
  clock: Clock;
  ids: IdSource;
  log: Logger;
  realtime: Realtime & AddressedRealtime;
  /** Asks the chat network of a connection about several numbers; rejects with NoAnswer. */
  checkNumbers(
    ctx: Ctx,
    connectionId: ConnectionId,
    numbers: readonly string[],
  ): Promise<NumberAnswer[]>;
  /** The connection that asks; throws ERR_NO_DEF_WAPP_FOUND. */
  pickConnection(ctx: Ctx, tx: Tx, userId: null): Promise<ConnectionId>;
  /** Between two questions of a company (behaviour 6). */
  gapMs?: number;
};

/** People of one question: both forms of a Brazilian mobile number make 50 numbers (behaviour 6). */
const ASKED_AT_ONCE = 25;
const GAP_MS = 1_000;
/** Until the next try when no connection could be asked. */
const STOPPED_MS = 60_000;
const LOOK_EVERY_MS = 15_000;
const CHECK_TOPIC = "contact-list-checks";

type Due = { id: ContactListId; companyId: CompanyId };
type Asked = { id: ContactListItemId; number: string };

/**
 * Looks up the numbers of lists that are due, in any number of processes: of each company one list at a time, 25 people in
 * one question, and a second between two questions. A claim is a due time in the future, so what a crash interrupted goes on
 * by itself; asking twice is harmless.
 */
export function createChecks(deps: ChecksDeps): DueWorker<Due> {
  const { db, wake, log, clock } = deps;
  return new DueWorker<Due>({
    name: CHECK_TOPIC,
    log,
    lookEveryMs: LOOK_EVERY_MS,
    wokenBy: { wake, topic: CHECK_TOPIC, inMs: 0 },
    look: (limit) =>
      db.acrossCompanies(async (tx) => {
        const due = await tx.query<Due>(claimStatement, [clock.now(), limit]);
        const [next] = await tx.query<{ inMs: number }>(nextStatement, [clock.now()]);
        return { due, nextInMs: next?.inMs ?? null };
      }),
    work: {
      atOnce: 8,
      batch: 50,
      idOf: ({ id }) => id,
      companyOf: ({ companyId }) => companyId,
      run: async (due) => {
        await checkSome(deps, due);
        // The list has more, or another list of the company comes next; the look reads when.
        return "again";
      },
    },
  });
}

/**
 * Has the numbers of a list that were not looked up yet looked up soon: of a small list always, of a large one when somebody
 * asks for it.
 */
export async function wantCheck(
  { wake, clock }: Pick<ChecksDeps, "wake" | "clock">,
  { companyId }: Ctx,
  tx: Tx,
  id: ContactListId,
  { isAsked }: { isAsked: boolean } = { isAsked: false },
): Promise<void> {
  const most = isAsked ? limits.contactListMax : limits.contactListCheckedMax;
  await tx.query(wantStatement, [companyId, id, clock.now(), most]);
  wake.notify(tx, CHECK_TOPIC);
}

/** Looks up the next people of a list. */
async function checkSome(deps: ChecksDeps, { id, companyId }: Due): Promise<void> {
  const { db, clock, ids } = deps;
  const ctx = systemCtx(companyId, CHECK_TOPIC, ids.uuid());
  try {
    // By itself: without a connection the next transaction is rolled back.
    await db.transaction(ctx, (tx) => settleKnown(deps, ctx, tx, id));
    const { asked, connectionId } = await db.transaction(ctx, async (tx) => {
      const unknown = await tx.query<Asked>(unknownStatement, [companyId, id, ASKED_AT_ONCE]);
      const picked = unknown.length === 0 ? null : await deps.pickConnection(ctx, tx, null);
      return { asked: unknown, connectionId: picked };
    });
    const answers = connectionId === null ? [] : await askAbout(deps, ctx, connectionId, asked);
    await db.transaction(ctx, (tx) =>
      record(deps, ctx, tx, { id, connectionId, answers, now: clock.now() }),
    );
  } catch (error) {
    if (!(error instanceof NoAnswer) && !isWithoutConnection(error)) throw error;
    await db.transaction(ctx, async (tx) => {
      // Who was put on the list during this round may be known. From here on others wait for the list.
      await tx.query(holdStatement, [companyId, id]);
      await settleKnown(deps, ctx, tx, id);
      await stop(deps, ctx, tx, id);
    });
  }
}

const isWithoutConnection = (error: unknown): boolean =>
  error instanceof DomainError && error.code === "ERR_NO_DEF_WAPP_FOUND";

/** Takes over what was found out about these numbers before, for contacts or other lists. */
async function settleKnown(
  { clock, realtime }: ChecksDeps,
  { companyId }: Ctx,
  tx: Tx,
  id: ContactListId,
): Promise<void> {
  const since = subDays(clock.now(), KNOWN_NUMBER_DAYS);
  const rows = await tx.query<ItemRow>(settleStatement, [companyId, id, since]);
  tellItems(realtime, tx, { companyId, id }, rows.map(toItem));
}

/** The keys of the number that was asked about and of the network's number (`addressKey`). */
type Answer = Asked & { askedKey: string; key: string; isValid: boolean };

const keyOf = (value: string): string => addressKey({ kind: "pn", value });

/** The number of each as the network writes it. */
async function askAbout(
  { checkNumbers }: ChecksDeps,
  ctx: Ctx,
  connectionId: ConnectionId,
  asked: readonly Asked[],
): Promise<Answer[]> {
  const forms = asked.map(({ number }) => formsOf(number));
  const answers = await checkNumbers(ctx, connectionId, [...new Set(forms.flat())]);
  const byNumber = new Map(answers.map((answer) => [answer.asked, answer]));
  const keys = new Set(asked.map(({ number }) => keyOf(number)));
  return asked.map(({ id, number: written }, place) => {
    const found = forms[place]?.map((form) => byNumber.get(form)).find((one) => one?.exists);
    const [askedKey, foundKey] = [keyOf(written), keyOf(found?.number ?? written)];
    // Two writings of one number stay two people of the list.
    const isTaken = foundKey !== askedKey && keys.has(foundKey);
    keys.add(foundKey);
    const number = isTaken ? written : (found?.number ?? written);
    return { id, number, askedKey, key: keyOf(number), isValid: found !== undefined };
  });
}

type Recorded = {
  id: ContactListId;
  connectionId: ConnectionId | null;
  answers: readonly Answer[];
  now: Date;
};

/** Stores the answers, also for later questions about these numbers. */
async function record(
  deps: ChecksDeps,
  { companyId }: Ctx,
  tx: Tx,
  { id, connectionId, answers, now }: Recorded,
): Promise<void> {
  const { realtime, gapMs = GAP_MS } = deps;
  if (answers.length > 0) {
    const valid = answers.filter(({ isValid }) => isValid);
    const keys = valid.map(({ askedKey }) => askedKey);
    const numbers = valid.map(({ number }) => number);
    await tx.query(rememberStatement, [companyId, keys, numbers, now]);
    const rows = await tx.query<ItemRow>(recordStatement, [
      companyId,
      answers.map((one) => one.id),
      answers.map((one) => one.number),
      answers.map((one) => one.isValid),
      now,
      answers.map((one) => one.key),
    ]);
    tellItems(realtime, tx, { companyId, id }, rows.map(toItem));
  }
  // Another transaction may be adding people. Waiting for its lock first lets the next statement see them; otherwise it would
  // mark the list as checked.
  await tx.query(holdStatement, [companyId, id]);
  const values = [companyId, id, addMilliseconds(now, gapMs), connectionId];
  const [list] = await tx.query<CheckedList>(goOnStatement, values);
  if (list) tellList(realtime, tx, "update", { ...toList(list), contactsCount: list.count });
}

type CheckedList = Omit<ListedContactList, "createdAt" | "updatedAt" | "contactsCount"> & {
  createdAt: Date;
  updatedAt: Date;
  count: number;
};

/** The list waits for a connection. */
async function stop(
  { clock, realtime }: ChecksDeps,
  { companyId }: Ctx,
  tx: Tx,
  id: ContactListId,
): Promise<void> {
  const dueAt = addMilliseconds(clock.now(), STOPPED_MS);
  const [list] = await tx.query<CheckedList>(stopStatement, [companyId, id, dueAt]);
  if (list) tellList(realtime, tx, "update", { ...toList(list), contactsCount: list.count });
}

const checkedColumns = `l.id, l.company_id as "companyId", l.name, l.created_at as "createdAt", l.updated_at as "updatedAt",
  (select count(*)::int from contact_list_items i where i.company_id = $1 and i.contact_list_id = l.id) as count`;

const hasUnchecked = `exists (
    select from contact_list_items i
    where i.company_id = $1 and i.contact_list_id = $2 and i.is_valid is null)`;

// The oldest list of each company that waits; the others of the company come after it.
const firstOfEach = `
  select distinct on (company_id) id, check_due_at from contact_lists
  where check_due_at is not null order by company_id, id`;

/** A question and its answer take less than the two minutes of a claim. */
const claimStatement = {
  name: "contact-lists.claim-checks",
  text: `
with due as (
  select l.id from contact_lists l join (${firstOfEach}) f on f.id = l.id
  where l.check_due_at <= $1 order by l.check_due_at limit $2
    for no key update of l skip locked
)
update contact_lists l set check_due_at = $1::timestamptz + interval '2 minutes'
from due where l.id = due.id
returning l.id, l.company_id as "companyId"`,
};

const nextStatement = {
  name: "contact-lists.next-check",
  text: `
select greatest(0, extract(epoch from f.check_due_at - $1::timestamptz) * 1000)::float8 as "inMs"
from (${firstOfEach}) f order by f.check_due_at limit 1`,
};

const wantStatement = {
  name: "contact-lists.want-check",
  text: `
update contact_lists l
set check_due_at = case when l.is_check_stopped then $3 else coalesce(l.check_due_at, $3) end
where l.company_id = $1 and l.id = $2 and ${hasUnchecked}
  and (select count(*) from contact_list_items i where i.company_id = $1 and i.contact_list_id = $2) <= $4::int`,
};

const settleStatement = {
  name: "contact-lists.settle-known",
  text: `
with known as (
  select i.id, k.number, k.checked_at from contact_list_items i
  join known_numbers k on k.company_id = $1 and k.key = i.number_normal and k.checked_at > $3
  where i.company_id = $1 and i.contact_list_id = $2 and i.is_valid is null
  order by i.id limit 500
)
update contact_list_items i
set is_valid = true, checked_at = k.checked_at,
  number = case when ${normalNumber("k.number")} = i.number_normal then k.number else i.number end
from known k where i.company_id = $1 and i.id = k.id
returning ${itemColumns("i")}`,
};

const unknownStatement = {
  name: "contact-lists.unknown-numbers",
  text: `
select i.id, i.number from contact_list_items i
where i.company_id = $1 and i.contact_list_id = $2 and i.is_valid is null
order by i.id limit $3`,
};

const rememberStatement = {
  name: "contact-lists.remember-numbers",
  text: `
insert into known_numbers (company_id, key, number, checked_at)
select distinct on (key) $1::int, key, number, $4::timestamptz from unnest($2::text[], $3::text[]) as found(key, number)
order by key
on conflict (company_id, key) do update set number = excluded.number, checked_at = excluded.checked_at`,
};

const recordStatement = {
  name: "contact-lists.record-answers",
  text: `
update contact_list_items i
set is_valid = a.is_valid, checked_at = $5,
  number = case when a.key = i.number_normal or not exists (
      select from contact_list_items other
      where other.company_id = $1 and other.contact_list_id = i.contact_list_id and other.number_normal = a.key)
    then a.number else i.number end
from unnest($2::int[], $3::text[], $4::bool[], $6::text[]) as a(id, number, is_valid, key)
where i.company_id = $1 and i.id = a.id
returning ${itemColumns("i")}`,
};

const holdStatement = {
  name: "contact-lists.hold",
  text: "select from contact_lists where company_id = $1 and id = $2 for no key update",
};

const goOnStatement = {
  name: "contact-lists.go-on-checking",
  text: `
update contact_lists l
set check_due_at = case when ${hasUnchecked} then $3::timestamptz end, is_check_stopped = false,
  connection_id = coalesce($4::int, l.connection_id)
where l.company_id = $1 and l.id = $2
returning ${checkedColumns}`,
};

const stopStatement = {
  name: "contact-lists.stop-checking",
  text: `
update contact_lists l
set check_due_at = case when ${hasUnchecked} then $3::timestamptz end, is_check_stopped = ${hasUnchecked}
where l.company_id = $1 and l.id = $2
returning ${checkedColumns}`,
};
