import type { CompanyId, ContactId, MessageId } from "@balcao/contract";
import { sql } from "drizzle-orm";
import type { KeptMessage } from "../../channels/port.ts";
import type { Ctx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import type { ErasedPerson } from "../../platform/db/schema/index.ts";
import type { Wake } from "../../platform/db/wake.ts";
import type { DomainEvents } from "../../platform/events.ts";
import type { Logger } from "../../platform/logging/logger.ts";
import type { MediaStore } from "../../platform/media/media-store.ts";
import type { Realtime } from "../../platform/realtime/hub.ts";
import type { Clock, IdSource } from "../../platform/sources.ts";
import type { MediaFiles } from "../media/index.ts";
import type { PeopleDeps } from "./people.ts";
import { numberPlaces, patternsOf, textPlaces, wholeNames } from "./places.ts";
import type { ErasureRow } from "./records.ts";

// The steps of an erasure. Each commits by itself, and finds what an earlier run has left.

export type ErasingDeps = PeopleDeps & {
  clock: Clock;
  ids: IdSource;
  wake: Wake;
  log: Logger;
  realtime: Realtime;
  domainEvents: DomainEvents;
  files: Pick<MediaFiles, "removeUnused">;
  /** The exports of persons. */
  archives: MediaStore;
  /** Keeps the erasure beside the backups, so that a restored one repeats it. Null where the product makes none. */
  list: ((erasure: ListedErasure) => Promise<void>) | null;
  /** How many backups are kept; 0 without any. */
  backupsKept: number;
  /** Messages that one transaction deletes. */
  portion?: number;
};

/** An erasure as it stands beside the backups: it names nobody. */
export type ListedErasure = Pick<
  ErasureRow,
  "id" | "companyId" | "salt" | "hashes" | "requesterName" | "endedAt"
>;

const PORTION = 500;
/** Messages in groups are taken out one by one, with their places in the conversation. */
const SPOKEN_PORTION = 50;
const STRETCH = 5_000;

/** Texts that name the person beyond doubt. */
export const textsOf = (person: ErasedPerson): string[] => [
  ...person.numbers,
  ...person.privateIds,
  ...person.emails,
  ...wholeNames(person),
];

/** Messages in portions with what the channels keep of them, then the log of what was sent to programs. Answers the attendances that stay. */
export async function eraseConversations(
  deps: ErasingDeps,
  ctx: Ctx,
  erasureId: string,
  contactId: ContactId,
  signal: AbortSignal,
): Promise<number> {
  const { db, stores, portion = PORTION } = deps;
  const { companyId } = ctx;
  const own = sql`select id from tickets where company_id = ${companyId} and contact_id = ${contactId}`;
  const [stay] = await db.transaction(ctx, (tx) =>
    tx.query<{ count: number }>(sql`
      select count(*)::int as count from attendances where company_id = ${companyId} and ticket_id in (${own})`),
  );
  type Connection = KeptMessage["connectionId"] | null;
  type Gone = Omit<KeptMessage, "connectionId"> & {
    id: MessageId;
    connectionId: Connection;
    keys: string[] | null;
  };
  const columns = sql`m.id, m.connection_id as "connectionId", m.provider_id as "providerId", (
      select array_remove(array[f.file_key, f.thumbnail_key], null) from message_media f
       where f.company_id = m.company_id and f.message_id = m.id) as keys`;
  const forget = async (tx: Tx, gone: readonly Gone[]) => {
    await noteFiles(
      tx,
      companyId,
      erasureId,
      gone.flatMap(({ keys }) => keys ?? []),
    );
    const known = gone.flatMap(({ connectionId, providerId }) =>
      connectionId === null ? [] : [{ connectionId, providerId }],
    );
    for (const store of stores) await store.forgetMessages(tx, companyId, known);
    return gone.length;
  };
  for (let count = portion; count === portion;) {
    signal.throwIfAborted();
    count = await db.transaction(ctx, async (tx) => {
      const gone = await tx.query<Gone>(sql`
        delete from messages m where company_id = ${companyId} and id in (
          select id from messages where company_id = ${companyId} and ticket_id in (${own}) limit ${portion})
        returning ${columns}`);
      return forget(tx, gone);
    });
  }
  // Those that the person wrote in groups: the group's conversation stays.
  const spoken = Math.min(portion, SPOKEN_PORTION);
  for (let count = spoken; count === spoken;) {
    signal.throwIfAborted();
    count = await db.transaction(ctx, async (tx) => {
      const gone = await tx.query<Gone>(sql`
        select ${columns} from messages m
         where company_id = ${companyId} and contact_id = ${contactId} order by ticket_id, seq limit ${spoken}`);
      const messageIds = gone.map(({ id }) => id);
      await forget(tx, gone);
      await deps.domainEvents.publish(tx, ctx, "messages.erasing", { messageIds });
      return gone.length;
    });
  }
  for (let count = portion; count === portion;) {
    count = await db.transaction(ctx, async (tx) => {
      const gone = await tx.query(sql`
        delete from deliveries where company_id = ${companyId} and id in (
          select id from deliveries where company_id = ${companyId} and ticket_id in (${own}) limit ${portion})
        returning 1`);
      return gone.length;
    });
  }
  await db.transaction(ctx, (tx) => emptyRecipients(tx, companyId, { contactId }));
  return stay?.count ?? 0;
}

/** The people of campaigns stay as numbers of their figures: without name, number and text. Those that wait are not written to. */
async function emptyRecipients(
  tx: Tx,
  companyId: CompanyId,
  { contactId, numbers = [] }: { contactId?: ContactId; numbers?: readonly string[] },
): Promise<void> {
  await tx.query(sql`
    update campaign_recipients set name = '', number = 'x' || id, email = '', message = '', confirmation_message = null,
           contact_id = null, message_id = null, item_id = null, ticket_id = null,
           status = case when status in ('waiting', 'asked') then 'removed' else status end
     where company_id = ${companyId}
       and (contact_id = ${contactId ?? null} or number_normal = any (${sql.param(numbers)}::text[]))`);
}

/** Entries of lists, spreadsheets and address books, which name the person by number. */
export async function eraseEntries(
  { db }: ErasingDeps,
  ctx: Ctx,
  person: ErasedPerson,
): Promise<void> {
  const { companyId } = ctx;
  const keys = [...person.numbers, ...person.privateIds];
  if (keys.length === 0) return;
  await db.transaction(ctx, async (tx) => {
    for (const { name, column } of numberPlaces) {
      await tx.query(sql`
        delete from ${sql.identifier(name)}
         where company_id = ${companyId} and ${sql.identifier(column)} = any (${sql.param(keys)}::text[])`);
    }
    await emptyRecipients(tx, companyId, { numbers: person.numbers });
  });
}

/** Rows of logs and queues from before the erasure whose texts name the person. */
export async function eraseTexts(
  { db }: ErasingDeps,
  ctx: Ctx,
  person: ErasedPerson,
  before: Date,
): Promise<void> {
  const { companyId } = ctx;
  const patterns = patternsOf(person);
  if (patterns.length === 0) return;
  for (const { name, columns, only, key, isTimeless } of textPlaces) {
    const table = sql.identifier(name);
    const where = sql`company_id = ${companyId} and ${sql.raw(only ?? "true")}
      and ${isTimeless ? sql`true` : sql`created_at < ${before}`}
      and concat_ws(' ', ${sql.raw(columns.join(", "))}) like any (${sql.param(patterns)}::text[])`;
    if (!key) {
      await db.transaction(ctx, (tx) => tx.query(sql`delete from ${table} where ${where}`));
      continue;
    }
    let last: number | null = 0;
    while (last !== null) {
      const after: number = last;
      const [stretch]: { last: number | null }[] = await db.transaction(ctx, (tx) =>
        tx.query<{ last: number | null }>(sql`
          with stretch as (
            select id from ${table} where company_id = ${companyId} and id > ${after} order by id limit ${STRETCH}
          ), gone as (
            delete from ${table} where ${where} and id in (select id from stretch)
          )
          select max(id) as last from stretch`),
      );
      last = stretch?.last ?? null;
    }
  }
}

/** The files with copies for the person; their rows stay as records of who asked. */
export async function eraseExports({ db, archives }: ErasingDeps, ctx: Ctx): Promise<void> {
  const { companyId } = ctx;
  // The contact is gone: what refers to none any more is of it, or of another one that was deleted.
  const rows = await db.transaction(ctx, (tx) =>
    tx.query<{ id: string; key: string | null }>(sql`
      select id, store_key as key from person_exports e
       where company_id = ${companyId} and state <> 'expired'
         and not exists (select from contacts c where c.company_id = e.company_id and c.id = e.contact_id)`),
  );
  for (const { key } of rows) if (key !== null) await archives.remove({ companyId }, key);
  await db.transaction(ctx, (tx) =>
    tx.query(sql`
      update person_exports set state = 'expired', store_key = null, contact_id = null
       where company_id = ${companyId} and id = any (${sql.param(rows.map(({ id }) => id))}::uuid[])`),
  );
}

/** Removes the files from the store; answers how many stay because another conversation has them too. */
export async function eraseFiles(
  { db, files }: ErasingDeps,
  ctx: Ctx,
  erasureId: string,
): Promise<number> {
  const { companyId } = ctx;
  let shared = 0;
  for (;;) {
    const rows = await db.transaction(ctx, (tx) =>
      tx.query<{ file: string }>(sql`
        select file from erasure_files where company_id = ${companyId} and erasure_id = ${erasureId} limit ${PORTION}`),
    );
    if (rows.length === 0) return shared;
    const keys = rows.map(({ file }) => file);
    await files.removeUnused(companyId, keys);
    const stays = await db.transaction(ctx, async (tx) => {
      const left = await tx.query(sql`
        select from files where company_id = ${companyId} and key = any (${sql.param(keys)}::text[])`);
      await tx.query(sql`
        delete from erasure_files
         where company_id = ${companyId} and erasure_id = ${erasureId} and file = any (${sql.param(keys)}::text[])`);
      return left.length;
    });
    shared += stays;
  }
}

/** Texts of other conversations, notes and internal chats that name the person. They are other people's words, and stay. */
export async function countMentions(
  { db }: ErasingDeps,
  ctx: Ctx,
  person: ErasedPerson,
): Promise<number> {
  const { companyId } = ctx;
  const words = textsOf(person).map((text) => `%${text.replaceAll(/[\\%_]/g, "\\$&")}%`);
  if (words.length === 0) return 0;
  const any = sql`any (select f_norm(w) from unnest(${sql.param(words)}::text[]) w)`;
  const parts = [
    sql`select count(*)::int as n from messages where company_id = ${companyId} and (f_norm(body) like ${any} or details is not null and f_norm(details::text) like ${any})`,
    ...[
      ["ticket_notes", "note"],
      ["chat_messages", "message"],
      ["schedules", "body"],
      ["drafts", "body"],
    ].map(
      ([table = "", column = ""]) =>
        sql`select count(*)::int from ${sql.identifier(table)} where company_id = ${companyId} and f_norm(${sql.identifier(column)}) like ${any}`,
    ),
  ];
  const [row] = await db.transaction(ctx, (tx) =>
    tx.query<{ count: number }>(sql`
      select coalesce(sum(n), 0)::int as count from (${sql.join(parts, sql` union all `)}) its`),
  );
  return row?.count ?? 0;
}

/** Notes files that are to be removed once their rows are gone. */
export async function noteFiles(
  tx: Tx,
  companyId: CompanyId,
  erasureId: string,
  keys: readonly (string | null)[],
): Promise<void> {
  const files = keys.filter((key) => key !== null);
  if (files.length === 0) return;
  await tx.query(sql`
    insert into erasure_files (company_id, erasure_id, file)
    select ${companyId}, ${erasureId}::uuid, unnest(${sql.param(files)}::text[]) on conflict do nothing`);
}
