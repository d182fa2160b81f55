import type { NoteId, NoteMention, NoteReaders, Profile, QueueId, UserId } from "@balcao/contract";
import { isAllowed, seesTicketsWithoutQueue } from "@balcao/contract";
import type { UserCtx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import { holdReferences } from "../../platform/db/records.ts";
import { queues, users } from "../../platform/db/schema/index.ts";
import { rolePermissionsOf, userQueueColumns } from "../auth/index.ts";
import type { TicketVisibility, Viewer } from "../tickets/index.ts";
import { canRead, isSeenBy, readQueuesOf } from "../tickets/index.ts";

/** The ids that the author's client sends. */
export type MentionedIds = { mentionedUserIds: UserId[]; mentionedQueueIds: QueueId[] };

/** A ticket, and the queue in which its note is written. */
export type NotedTicket = TicketVisibility & { noteQueueId: QueueId | null };

/** The mentioned people and queues with their names; throws for one that the company does not have. */
export async function findMentions(
  ctx: UserCtx,
  tx: Tx,
  { mentionedUserIds, mentionedQueueIds }: MentionedIds,
): Promise<NoteMention[]> {
  const people = await holdReferences(ctx, tx, users, mentionedUserIds, "ERR_NO_USER_FOUND");
  const groups = await holdReferences(ctx, tx, queues, mentionedQueueIds, "ERR_QUEUE_NOT_FOUND");
  return [
    ...people.map(({ id, name }): NoteMention => ({ kind: "user", id, name })),
    ...groups.map(({ id, name }): NoteMention => ({ kind: "queue", id, name })),
  ];
}

type Colleague = {
  id: UserId;
  name: string;
  profile: Profile;
  isSuper: boolean;
  granted: string[] | null;
  withheld: string[] | null;
  allTicket: string;
  queueIds: QueueId[];
  ownerlessQueueIds: QueueId[];
};

/** The company's users, each with the right to read notes of the ticket. */
export async function findReaders(
  ctx: UserCtx,
  tx: Tx,
  ticket: NotedTicket,
): Promise<NoteReaders["users"]> {
  const colleagues = await tx.query<Colleague>(colleaguesStatement, [ctx.companyId]);
  return colleagues.map((one) => {
    const viewer = viewerOf(ctx, one);
    const reader =
      viewer === "everything" ? null : { userId: one.id, queueIds: readQueuesOf(viewer) };
    const { id, name, queueIds } = one;
    const isReader = isSeenBy(viewer, ticket) && canRead(reader, ticket, ticket.noteQueueId);
    return { id, name, queueIds, canRead: isReader };
  });
}

function viewerOf(ctx: UserCtx, one: Colleague): Viewer | "everything" {
  // Colleagues have the plan of the caller.
  const { profile, isSuper } = one;
  const holder = { profile, super: isSuper, plan: ctx.actor.plan, ...rolePermissionsOf(one) };
  if (isAllowed(holder, "tickets:see-all")) return "everything";
  const { id: userId, queueIds, ownerlessQueueIds } = one;
  return {
    ...{ userId, queueIds, ownerlessQueueIds },
    seesNoQueue: seesTicketsWithoutQueue(one.allTicket),
  };
}

/**
 * Gives the mentioned users who may read the note a notice, and takes it from those who are no longer mentioned; authors
 * get none. An edit gives no second notice to somebody who has seen the first. Returns the users of each kind.
 */
export async function keepNotices(
  ctx: UserCtx,
  tx: Tx,
  note: NotedTicket & { noteId: NoteId },
  mentions: readonly NoteMention[],
  now: Date,
): Promise<{ added: UserId[]; kept: UserId[]; removed: UserId[] }> {
  const readers = mentions.length === 0 ? [] : await findReaders(ctx, tx, note);
  const isNamed = (kind: NoteMention["kind"], id: number): boolean =>
    mentions.some((mention) => mention.kind === kind && mention.id === id);
  const told = readers.filter(
    ({ id, canRead: isReader, queueIds }) =>
      isReader &&
      id !== ctx.actor.userId &&
      (isNamed("user", id) || queueIds.some((queueId) => isNamed("queue", queueId))),
  );
  const values = [ctx.companyId, note.noteId, told.map(({ id }) => id), now];
  const notices = await tx.query<Notice>(keepStatement, values);
  const idsOf = (change: Notice["change"]): UserId[] =>
    notices.flatMap((notice) => (notice.change === change ? [notice.userId] : []));
  return { added: idsOf("added"), kept: idsOf("kept"), removed: idsOf("removed") };
}

type Notice = { userId: UserId; change: "added" | "kept" | "removed" };

/** A company with more users mentions the others by their queues. */
const READERS_MAX = 500;

const colleaguesStatement = {
  name: "ticket-notes.colleagues",
  text: `
select u.id, u.name, u.profile, u.super as "isSuper", r.granted, r.withheld, u.all_ticket as "allTicket", ${userQueueColumns}
from users u
left join roles r on r.company_id = u.company_id and r.id = u.role_id
where u.company_id = $1 and u.deleted_at is null
order by f_norm(u.name), u.id
limit ${READERS_MAX}`,
};

/** `kept` are the unread ones. */
const keepStatement = {
  name: "ticket-notes.keep-notices",
  text: `
with removed as (
  delete from mention_notices
  where company_id = $1 and note_id = $2 and user_id <> all($3::int[])
  returning user_id
), kept as (
  select user_id from mention_notices
  where company_id = $1 and note_id = $2 and user_id = any($3::int[]) and read_at is null
), added as (
  insert into mention_notices (company_id, note_id, user_id, created_at)
  select $1, $2, user_id, $4 from unnest($3::int[]) as user_id
  on conflict do nothing
  returning user_id
)
select user_id as "userId", 'added' as change from added
union all select user_id, 'kept' from kept
union all select user_id, 'removed' from removed`,
};
