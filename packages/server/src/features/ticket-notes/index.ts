import type {
  InputOf,
  MentionNotice,
  NoteId,
  NoteReaders,
  TicketId,
  TicketNote,
  UserId,
} from "@balcao/contract";
import { limits } from "@balcao/contract";
import { and, eq, isNull, sql } from "drizzle-orm";
import type { Ctx, UserCtx } from "../../platform/context.ts";
import { DomainError, requirePermission } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import {
  hasId,
  hideRecord,
  lockRecord,
  requireRow,
  restoreRecord,
} from "../../platform/db/records.ts";
import { mentionNotices, queues, ticketNotes } from "../../platform/db/schema/index.ts";
import type { DomainEvents, EventPayloads } from "../../platform/events.ts";
import type { Routes } from "../../platform/http/routes.ts";
import type { Realtime } from "../../platform/realtime/hub.ts";
import type { Clock } from "../../platform/sources.ts";
import type { TicketVisibility } from "../tickets/index.ts";
import {
  canSee,
  findVisibility,
  readableCondition,
  readerOf,
  requireVisible,
} from "../tickets/index.ts";
import { findMentions, findReaders, keepNotices } from "./mentions.ts";
import type { NoteRow } from "./note-row.ts";
import { listNotesOfContact } from "./notes-of-contact.ts";
import {
  canReadNote,
  noteColumns,
  noteJoins,
  publishMention,
  tellDeleted,
  tellSaved,
  toMention,
  toNote,
} from "./note-row.ts";

declare module "../../platform/events.ts" {
  interface EventPayloads {
    /** These users have a new notice of a note that mentions them. */
    "note.mentioned": { noteId: NoteId; userIds: readonly UserId[] };
  }
}

export type TicketNotesDeps = {
  db: Database;
  clock: Clock;
  realtime: Realtime;
  domainEvents: DomainEvents;
};

/** The team's notes about tickets (wire-contract 5.9, behaviour 8.5). */
export function createTicketNotesFeature(deps: TicketNotesDeps) {
  deps.domainEvents.on("ticket.noted", (ctx, tx, noted) => keepGivenNote(deps, ctx, tx, noted));
  return {
    register(routes: Routes): void {
      routes.handle("POST /ticket-notes", ({ ctx, body }) => createNote(deps, ctx, body));
      routes.handle("GET /ticket-notes/list", ({ ctx, query }) => listNotes(deps, ctx, query));
      routes.handle("GET /contacts/:contactId/notes", ({ ctx, params, query }) =>
        listNotesOfContact(deps, ctx, params.contactId, query.pageNumber),
      );
      routes.handle("GET /ticket-notes/readers", ({ ctx, query }) =>
        showReaders(deps, ctx, query.ticketId),
      );
      routes.handle("GET /ticket-notes/mentions", ({ ctx }) => listMentions(deps, ctx));
      routes.handle("POST /ticket-notes/mentions/read", async ({ ctx, body }) => {
        await readMentions(deps, ctx, body.ticketId);
        return { message: "Mentions read" };
      });
      routes.handle("PUT /ticket-notes/:noteId", ({ ctx, params, body }) =>
        editNote(deps, ctx, params.noteId, body),
      );
      routes.handle("DELETE /ticket-notes/:noteId", async ({ ctx, params }) => {
        await removeNote(deps, ctx, params.noteId);
        return { message: "Observação removida" };
      });
      routes.handle("POST /ticket-notes/:noteId/undo", ({ ctx, params }) =>
        restoreNote(deps, ctx, params.noteId),
      );
    },
  };
}

const NOTES_LISTED_MAX = 500;

/** Adds a note to a ticket that the caller may see, for the readers of the ticket's queue, and tells the mentioned ones. */
async function createNote(
  deps: TicketNotesDeps,
  ctx: UserCtx,
  { ticketId, note, ...mentioned }: InputOf<"POST /ticket-notes">["body"],
): Promise<TicketNote> {
  const { db, clock, realtime } = deps;
  requireLength(note);
  return db.transaction(ctx, async (tx) => {
    const mentions = await findMentions(ctx, tx, mentioned);
    const [userId, now] = [ctx.actor.userId, clock.now()];
    const values = [ctx.companyId, ticketId, userId, note, now, JSON.stringify(mentions), null];
    const [added] = await tx.query<NoteRow>(insertStatement, values);
    // The note is added before this check: one round trip. A refusal rolls it back.
    const row = requireVisible(ctx, added);
    if (mentions.length > 0) await tellMentioned(deps, ctx, tx, row, now);
    tx.onCommit(() => tellSaved(realtime, row, "create"));
    return toNote(row, ctx);
  });
}

/**
 * The note of a user or helper that gives the ticket away, in the same transaction: its readers are those of the queue that has it now.
 */
async function keepGivenNote(
  { clock, realtime }: Pick<TicketNotesDeps, "clock" | "realtime">,
  ctx: Ctx,
  tx: Tx,
  { ticket, note, by }: EventPayloads["ticket.noted"],
): Promise<void> {
  const { actor, companyId } = ctx;
  const userId = actor.kind === "user" ? actor.userId : null;
  const values = [companyId, ticket.id, userId, note, clock.now(), "[]", by ?? null];
  const row = requireRow(await tx.query<NoteRow>(insertStatement, values));
  tx.onCommit(() => tellSaved(realtime, row, "create"));
}

/** Edits an own note for some minutes. People who are mentioned now get a notice, those who no longer are lose it. */
async function editNote(
  deps: TicketNotesDeps,
  ctx: UserCtx,
  id: NoteId,
  { note, ...mentioned }: InputOf<"PUT /ticket-notes/:noteId">["body"],
): Promise<TicketNote> {
  const { db, clock, realtime } = deps;
  const now = clock.now();
  return db.transaction(ctx, async (tx) => {
    const before = await lockReadable(ctx, tx, id);
    if (before.authorId !== ctx.actor.userId) throw new DomainError("ERR_NO_PERMISSION");
    requireLength(note);
    if (now.getTime() - before.createdAt.getTime() >= limits.editWithinMs) {
      throw new DomainError("ERR_TICKETNOTE_TOO_OLD");
    }
    const mentions = await findMentions(ctx, tx, mentioned);
    await tx.orm
      .update(ticketNotes)
      .set({ note, mentions, updatedAt: now })
      .where(hasId(ctx, ticketNotes, id));
    const row = { ...before, note, mentions, updatedAt: now };
    await tellMentioned(deps, ctx, tx, row, now);
    tx.onCommit(() => tellSaved(realtime, row, "update"));
    return toNote(row, ctx);
  });
}

function requireLength(note: string): void {
  if (note.length < limits.noteMin) throw new DomainError("ERR_TICKETNOTE_INVALID_NAME");
}

/** The newest notes of a ticket that the caller may read, newest first. */
async function listNotes(
  { db }: TicketNotesDeps,
  ctx: UserCtx,
  { ticketId, contactId }: InputOf<"GET /ticket-notes/list">["query"],
): Promise<TicketNote[]> {
  const values: unknown[] = [ctx.companyId, ticketId, contactId ?? null, NOTES_LISTED_MAX];
  const reader = readerOf(ctx);
  const rows = await db.transaction(ctx, (tx) =>
    reader === null
      ? tx.query<ListedRow>(listAllStatement, values)
      : tx.query<ListedRow>(listOwnStatement, [...values, reader.queueIds, reader.userId]),
  );
  requireVisible(ctx, rows[0]);
  return rows.flatMap((row) => (row.noteId === null ? [] : [toNote(row, ctx)]));
}

/** Hides a note, which can be undone; allowed for its author and with the permission to remove any. */
async function removeNote(
  { db, clock, realtime }: TicketNotesDeps,
  ctx: UserCtx,
  id: NoteId,
): Promise<void> {
  await db.transaction(ctx, async (tx) => {
    const row = await lockReadable(ctx, tx, id);
    if (row.authorId !== ctx.actor.userId) requirePermission(ctx, "notes:delete-any");
    await hideRecord(ctx, tx, ticketNotes, id, clock.now());
    const told = await findTold(ctx, tx, id);
    tx.onCommit(() => {
      tellDeleted(realtime, row);
      const gone = { action: "delete", noteId: id } as const;
      publishMention(realtime, ctx.companyId, told, gone);
    });
  });
}

/** Undoes the caller's removal of a note within its time; its unread notices are there again. */
async function restoreNote(
  { db, clock, realtime }: TicketNotesDeps,
  ctx: UserCtx,
  id: NoteId,
): Promise<TicketNote> {
  return db.transaction(ctx, async (tx) => {
    await restoreRecord(ctx, tx, ticketNotes, id, clock.now());
    const row = requireRow(await tx.query<NoteRow>(findStatement, [ctx.companyId, id]));
    const told = await findTold(ctx, tx, id);
    tx.onCommit(() => {
      tellSaved(realtime, row, "create");
      publishMention(realtime, ctx.companyId, told, { action: "create", mention: toMention(row) });
    });
    return toNote(row, ctx);
  });
}

/** Whom a note of the ticket can mention, and who of them would read it. */
async function showReaders(
  { db }: TicketNotesDeps,
  ctx: UserCtx,
  ticketId: TicketId,
): Promise<NoteReaders> {
  return db.transaction(ctx, async (tx) => {
    const ticket = requireVisible(ctx, await findVisibility(ctx, tx, ticketId));
    const noteQueueId = ticket.queueId ?? ticket.servedByQueueId;
    const groups = await tx.orm
      .select({ id: queues.id, name: queues.name, color: queues.color })
      .from(queues)
      .where(and(eq(queues.companyId, ctx.companyId), isNull(queues.deletedAt)))
      .orderBy(sql`f_norm(${queues.name})`, queues.id)
      .limit(limits.listCountMax);
    return { users: await findReaders(ctx, tx, { ...ticket, noteQueueId }), queues: groups };
  });
}

const MENTIONS_LISTED_MAX = 50;

/** The caller's unread mentions in notes that the caller may still read, newest first. */
async function listMentions({ db }: TicketNotesDeps, ctx: UserCtx): Promise<MentionNotice[]> {
  const values = [ctx.companyId, ctx.actor.userId, MENTIONS_LISTED_MAX];
  const rows = await db.transaction(ctx, (tx) => tx.query<NoteRow>(mentionsStatement, values));
  return rows.filter((row) => canSee(ctx, row) && canReadNote(ctx, row)).map(toMention);
}

/** Marks the caller's mentions in a ticket as read. */
async function readMentions(
  { db, clock, realtime }: TicketNotesDeps,
  ctx: UserCtx,
  ticketId: TicketId,
): Promise<void> {
  const { companyId, actor } = ctx;
  await db.transaction(ctx, async (tx) => {
    requireVisible(ctx, await findVisibility(ctx, tx, ticketId));
    const values = [companyId, actor.userId, ticketId, clock.now()];
    const read = await tx.query<{ noteId: NoteId }>(readStatement, values);
    if (read.length === 0) return;
    tx.onCommit(() =>
      publishMention(realtime, companyId, [actor.userId], { action: "read", ticketId }),
    );
  });
}

/** A note that the caller may read; nobody else changes it until the transaction ends. */
async function lockReadable(ctx: UserCtx, tx: Tx, id: NoteId): Promise<NoteRow> {
  await lockRecord(ctx, tx, ticketNotes, id, "ERR_NO_TICKETNOTE_FOUND");
  const rows = await tx.query<NoteRow>(findStatement, [ctx.companyId, id]);
  const row = requireVisible(ctx, requireRow(rows));
  if (!canReadNote(ctx, row)) throw new DomainError("ERR_NO_TICKETNOTE_FOUND");
  return row;
}

/** Keeps and publishes the notices of a note's mentions. */
async function tellMentioned(
  { realtime, domainEvents }: Pick<TicketNotesDeps, "realtime" | "domainEvents">,
  ctx: UserCtx,
  tx: Tx,
  row: NoteRow,
  now: Date,
): Promise<void> {
  const { companyId, noteId, mentions } = row;
  const { added, kept, removed } = await keepNotices(ctx, tx, row, mentions, now);
  if (added.length > 0) {
    await domainEvents.publish(tx, ctx, "note.mentioned", { noteId, userIds: added });
  }
  tx.onCommit(() => {
    const mention = toMention(row);
    publishMention(realtime, companyId, added, { action: "create", mention });
    publishMention(realtime, companyId, kept, { action: "update", mention });
    publishMention(realtime, companyId, removed, { action: "delete", noteId });
  });
}

/** The users with an unread notice about a note. */
async function findTold(ctx: UserCtx, tx: Tx, id: NoteId): Promise<UserId[]> {
  const { companyId, noteId, userId, readAt } = mentionNotices;
  const rows = await tx.orm
    .select({ userId })
    .from(mentionNotices)
    .where(and(eq(companyId, ctx.companyId), eq(noteId, id), isNull(readAt)));
  return rows.map((row) => row.userId);
}

/** Returns no row if the ticket does not exist. */
const insertStatement = {
  name: "ticket-notes.insert",
  text: `
with t as (
  select * from tickets where company_id = $1 and id = $2
), n as (
  insert into ticket_notes (company_id, ticket_id, contact_id, user_id, queue_id, note, mentions, author_name, created_at, updated_at)
  select t.company_id, t.id, t.contact_id, $3, coalesce(t.queue_id, t.served_queue_id), $4, $6, $7, $5, $5 from t
  returning *
)
select ${noteColumns}
from n join t on t.id = n.ticket_id ${noteJoins}`,
};

/** Returns one row without note for a ticket without notes, and no row if the ticket does not exist. */
type ListedRow = NoteRow | (TicketVisibility & { noteId: null });

const listText = (readable: string): string => `
select ${noteColumns}
from tickets t
left join lateral (
  select n.* from ticket_notes n
  where n.company_id = t.company_id and n.ticket_id = t.id and n.deleted_at is null
    and ($3::int is null or n.contact_id = $3) and ${readable}
  order by n.id desc limit $4
) n on true ${noteJoins}
where t.company_id = $1 and t.id = $2
order by n.id desc`;

const listAllStatement = { name: "ticket-notes.list", text: listText("true") };

const isReadable = readableCondition("n", {
  ...{ ticketUser: "t.user_id", ticketQueue: "t.queue_id" },
  ...{ queues: "$5::int[]", user: "$6::int" },
});
const listOwnStatement = {
  name: "ticket-notes.list-own",
  text: listText(`(n.user_id = $6::int or ${isReadable})`),
};

const findStatement = {
  name: "ticket-notes.find",
  text: `
select ${noteColumns}
from ticket_notes n
join tickets t on t.company_id = n.company_id and t.id = n.ticket_id ${noteJoins}
where n.company_id = $1 and n.id = $2 and n.deleted_at is null`,
};

const mentionsStatement = {
  name: "ticket-notes.mentions",
  text: `
select ${noteColumns}
from mention_notices k
join ticket_notes n on n.company_id = k.company_id and n.id = k.note_id and n.deleted_at is null
join tickets t on t.company_id = n.company_id and t.id = n.ticket_id ${noteJoins}
where k.company_id = $1 and k.user_id = $2 and k.read_at is null
order by k.note_id desc limit $3`,
};

const readStatement = {
  name: "ticket-notes.read-mentions",
  text: `
update mention_notices k set read_at = $4 from ticket_notes n
where k.company_id = $1 and k.user_id = $2 and k.read_at is null
  and n.company_id = $1 and n.id = k.note_id and n.ticket_id = $3
returning k.note_id as "noteId"`,
};
