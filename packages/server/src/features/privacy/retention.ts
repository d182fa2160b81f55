import type {
  CompanyId,
  ConnectionId,
  InputOf,
  MessageId,
  ReplyOf,
  TicketId,
} from "@balcao/contract";
import { subDays } from "date-fns/subDays";
import { sql } from "drizzle-orm";
import type { KeptMessage, PersonStore } from "../../channels/port.ts";
import type { UserCtx } from "../../platform/context.ts";
import { systemCtx } from "../../platform/context.ts";
import type { Database } from "../../platform/db/database.ts";
import type { Clock } from "../../platform/sources.ts";
import { note } from "../audit/index.ts";
import type { MediaFiles } from "../media/index.ts";

export type RetentionDeps = {
  db: Database;
  clock: Clock;
  stores: readonly PersonStore[];
  files: Pick<MediaFiles, "removeUnused">;
};

/** Rows that one transaction removes. */
const PORTION = 500;
/** Tickets whose messages one look reads. */
const TICKETS = 200;
/** Older than any row. */
const FOREVER_DAYS = 36_500;
const DAY_MS = 86_400_000;

type Rules = { mediaDays: number | null; messageDays: number | null };
type Removed = { files: number; messages: number };

/** Resolved tickets alone, and nobody's whose data a hold keeps. */
const isFree = sql`t.status = 'closed' and not exists (
  select from legal_holds h where h.company_id = t.company_id and h.contact_id = t.contact_id)`;

/** Before every day that can be kept. */
const cutOff = (clock: Clock, days: number | null): Date =>
  subDays(clock.now(), days ?? FOREVER_DAYS);

/** Counts the rows that the rules would remove now. */
export async function previewRetention(
  { db, clock }: Pick<RetentionDeps, "db" | "clock">,
  ctx: UserCtx,
  { mediaDays, messageDays }: InputOf<"POST /privacy/retention">["body"],
): Promise<ReplyOf<"POST /privacy/retention">> {
  const { companyId } = ctx;
  const [media, messages] = [cutOff(clock, mediaDays), cutOff(clock, messageDays)];
  const [row] = await db.transaction(ctx, (tx) =>
    tx.query<ReplyOf<"POST /privacy/retention">>(sql`
      select count(f.file_key)::int as files, coalesce(sum(f.bytes) filter (where f.file_key is not null), 0)::float8 as bytes,
             count(*) filter (where m.created_at < ${messages})::int as messages
        from messages m
        join tickets t on t.company_id = m.company_id and t.id = m.ticket_id
        left join message_media f on f.company_id = m.company_id and f.message_id = m.id
       where m.company_id = ${companyId} and m.created_at < greatest(${media}::timestamptz, ${messages}::timestamptz)
         and ${isFree}`),
  );
  return row ?? { files: 0, bytes: 0, messages: 0 };
}

/** Removes what is older than each company's rules, in portions; a run that was cut off goes on the next night. */
export async function keepRetentionAcrossCompanies(
  deps: RetentionDeps,
  signal?: AbortSignal,
): Promise<void> {
  const companies = await deps.db.acrossCompanies((tx) =>
    tx.query<Rules & { companyId: CompanyId }>(sql`
      select company_id as "companyId", media_days as "mediaDays", message_days as "messageDays"
        from privacy_settings where media_days is not null or message_days is not null order by 1`),
  );
  // Each night another company is the first, so that none is always cut off by the time of the job.
  const night = Math.floor(deps.clock.now().getTime() / DAY_MS) % Math.max(companies.length, 1);
  const failures: unknown[] = [];
  for (const { companyId, ...rules } of [...companies.slice(night), ...companies.slice(0, night)]) {
    try {
      await keepRetentionOf(deps, companyId, rules, signal);
    } catch (error) {
      signal?.throwIfAborted();
      failures.push(new Error(`retention of company ${companyId}`, { cause: error }));
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, "retention failed");
}

async function keepRetentionOf(
  deps: RetentionDeps,
  companyId: CompanyId,
  rules: Rules,
  signal?: AbortSignal,
): Promise<void> {
  const removed = await keepRetention(deps, companyId, rules, signal);
  if (removed.files + removed.messages === 0) return;
  const ctx = systemCtx(companyId, "retention", "retention");
  await deps.db.transaction(ctx, (tx) =>
    note(tx, ctx, {
      ...{ action: "removed", kind: "privacyRules", id: "", label: "", after: removed },
    }),
  );
}

async function keepRetention(
  deps: RetentionDeps,
  companyId: CompanyId,
  { mediaDays, messageDays }: Rules,
  signal?: AbortSignal,
): Promise<Removed> {
  const removed: Removed = { files: 0, messages: 0 };
  const shorter = Math.min(mediaDays ?? Infinity, messageDays ?? Infinity);
  const any = cutOff(deps.clock, shorter);
  let last = 0 as TicketId;
  for (;;) {
    signal?.throwIfAborted();
    const tickets = await deps.db.transaction({ companyId }, (tx) =>
      tx.query<{ id: TicketId }>(sql`
        select id from tickets t where company_id = ${companyId} and id > ${last} and created_at < ${any} and ${isFree}
         order by id limit ${TICKETS}`),
    );
    const end = tickets.at(-1);
    if (!end) return removed;
    const ids = tickets.map(({ id }) => id);
    if (messageDays !== null)
      removed.messages += await removeMessages(
        deps,
        companyId,
        ids,
        cutOff(deps.clock, messageDays),
      );
    if (mediaDays !== null)
      removed.files += await removeMedia(deps, companyId, ids, cutOff(deps.clock, mediaDays));
    last = end.id;
  }
}

const freeTickets = (companyId: CompanyId, ids: readonly TicketId[]) => sql`
  select id from tickets t where company_id = ${companyId} and id = any (${sql.param(ids)}::int[]) and ${isFree}`;

/** The message says that its file is no longer there. */
async function removeMedia(
  { db, files }: RetentionDeps,
  companyId: CompanyId,
  ids: readonly TicketId[],
  before: Date,
): Promise<number> {
  let count = 0;
  for (;;) {
    const rows = await db.transaction({ companyId }, (tx) =>
      tx.query<{ keys: string[] }>(sql`
        with old as (
          select f.message_id, f.file_key, f.thumbnail_key from message_media f
            join messages m on m.company_id = f.company_id and m.id = f.message_id
           where f.company_id = ${companyId} and f.file_key is not null and m.created_at < ${before}
             and m.ticket_id in (${freeTickets(companyId, ids)})
           limit ${PORTION}
        )
        update message_media f set state = 'unavailable', file_key = null, thumbnail_key = null, bytes = 0
          from old where f.company_id = ${companyId} and f.message_id = old.message_id
        returning array_remove(array[old.file_key, old.thumbnail_key], null) as keys`),
    );
    // After the commit; the hourly sweep finds what a crash leaves.
    await files.removeUnused(
      companyId,
      rows.flatMap(({ keys }) => keys),
    );
    count += rows.length;
    if (rows.length < PORTION) return count;
  }
}

async function removeMessages(
  { db, stores, files }: RetentionDeps,
  companyId: CompanyId,
  ids: readonly TicketId[],
  before: Date,
): Promise<number> {
  let count = 0;
  for (;;) {
    type Gone = Pick<KeptMessage, "providerId"> & {
      connectionId: ConnectionId | null;
      id: MessageId;
      keys: string[] | null;
    };
    const gone = await db.transaction({ companyId }, async (tx) => {
      const rows = await tx.query<Gone>(sql`
        delete from messages m where company_id = ${companyId} and id in (
          select id from messages where company_id = ${companyId} and created_at < ${before}
             and ticket_id in (${freeTickets(companyId, ids)}) limit ${PORTION})
        returning m.id, m.connection_id as "connectionId", m.provider_id as "providerId", (
          select array_remove(array[f.file_key, f.thumbnail_key], null) from message_media f
           where f.company_id = m.company_id and f.message_id = m.id) as keys`);
      const known = rows.flatMap(({ connectionId, providerId }) =>
        connectionId === null ? [] : [{ connectionId, providerId }],
      );
      for (const store of stores) await store.forgetMessages(tx, companyId, known);
      // The card of a ticket has the text of its last message.
      await tx.query(sql`
        update tickets set last_message = '', last_message_kind = 'text', last_message_id = null
         where company_id = ${companyId} and id = any (${sql.param(ids)}::int[]) and last_message_at < ${before}
           and last_message <> ''
           and not exists (select from messages m where m.company_id = tickets.company_id and m.ticket_id = tickets.id)`);
      return rows;
    });
    await files.removeUnused(
      companyId,
      gone.flatMap(({ keys }) => keys ?? []),
    );
    count += gone.length;
    if (gone.length < PORTION) return count;
  }
}
