import type { PushNoticeKind, QueueId } from "@balcao/contract";
import type { UserCtx } from "../../platform/context.ts";
import { hasPermission } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import type { TicketVisibility } from "../tickets/index.ts";
import { canRead, canSee, readerOf, visibilityColumns } from "../tickets/index.ts";
import type { Told } from "./words.ts";

/** The thing that a user is told of, with its address in the page. */
export type Target = Omit<Told, "kind"> & {
  url: string;
  /** The address of a waiting ticket once the reader has accepted it. */
  acceptedUrl?: string;
  at: Date;
  ticketId: number | null;
};

type Subject = { kind: PushNoticeKind; targetId: number };

/** The thing as this user may know it now; null when it was read, is somebody else's or out of reach. */
export async function findTarget(
  ctx: UserCtx,
  tx: Tx,
  { kind, targetId }: Subject,
): Promise<Target | null> {
  const { companyId, actor } = ctx;
  switch (kind) {
    case "assigned":
    case "message":
    case "waiting":
      return findTicket(ctx, tx, kind, targetId);
    case "mention": {
      const values = [companyId, actor.userId, targetId];
      const [note] = await tx.query<NoteTarget>(mentionStatement, values);
      if (!note || !canSee(ctx, note)) return null;
      if (!canRead(readerOf(ctx), note, note.noteQueueId)) return null;
      const { name, text, at, uuid } = note;
      return { name, text, at, url: `/tickets/${uuid}`, queue: null, unread: 1, ticketId: null };
    }
    case "chat": {
      if (!hasPermission(ctx, "chats:use")) return null;
      const values = [companyId, actor.userId, targetId];
      const [chat] = await tx.query<ChatTarget>(chatStatement, values);
      if (!chat) return null;
      const { uuid, ...shown } = chat;
      return { ...shown, url: `/chats/${uuid}`, queue: null, ticketId: null };
    }
    case "connection": {
      if (!hasPermission(ctx, "connections:manage")) return null;
      const [lost] = await tx.query<{ name: string; at: Date }>(connectionStatement, [
        companyId,
        targetId,
      ]);
      if (!lost) return null;
      return { ...lost, text: "", url: "/connections", queue: null, unread: 0, ticketId: null };
    }
  }
}

type NoteTarget = TicketVisibility & {
  uuid: string;
  noteQueueId: QueueId | null;
  name: string;
  text: string;
  at: Date;
};
type ChatTarget = { uuid: string; name: string; text: string; unread: number; at: Date };
type TicketTarget = TicketVisibility & {
  uuid: string;
  name: string;
  text: string;
  textQueueId: QueueId | null;
  queue: string | null;
  unread: number;
  chatbot: boolean;
  at: Date;
};

async function findTicket(
  ctx: UserCtx,
  tx: Tx,
  kind: "assigned" | "message" | "waiting",
  ticketId: number,
): Promise<Target | null> {
  const { actor } = ctx;
  const values = [ctx.companyId, ticketId];
  const [ticket] = await tx.query<TicketTarget>(ticketStatement, values);
  if (!ticket || !hasPermission(ctx, "tickets:work") || !canSee(ctx, ticket)) return null;
  const { uuid, name, text, textQueueId, queue, unread, at } = ticket;
  if (kind === "waiting") {
    // Admins see every queue; they are told of their own.
    const isOwn =
      ticket.queueId === null ? actor.seesNoQueue : actor.queueIds.includes(ticket.queueId);
    if (ticket.status !== "pending" || ticket.chatbot || !isOwn) return null;
  } else if (ticket.status !== "open" || ticket.userId !== actor.userId) return null;
  if (kind === "message" && unread === 0) return null;
  const mayRead = canRead(readerOf(ctx), ticket, textQueueId);
  const own = `/tickets/${uuid}`;
  const told = { name, text: mayRead ? text : "", queue, unread, at, ticketId };
  return kind === "waiting"
    ? { ...told, url: "/tickets", acceptedUrl: own }
    : { ...told, url: own };
}

const ticketStatement = {
  name: "push.ticket",
  text: `
select ${visibilityColumns}, t.uuid, c.name, t.last_message as text, q.name as queue, t.unread_messages as unread, t.chatbot,
  case when lq.deleted_at is null then t.last_message_queue_id else lq.successor_id end as "textQueueId",
  coalesce(t.last_message_at, t.updated_at) as at
from tickets t
join contacts c on c.company_id = t.company_id and c.id = t.contact_id
left join queues q on q.company_id = t.company_id and q.id = t.queue_id
left join queues lq on lq.company_id = t.company_id and lq.id = t.last_message_queue_id
where t.company_id = $1 and t.id = $2`,
};

const mentionStatement = {
  name: "push.mention",
  text: `
select ${visibilityColumns}, t.uuid, n.queue_id as "noteQueueId", coalesce(n.author_name, '') as name, n.note as text, n.created_at as at
from mention_notices k
join ticket_notes n on n.company_id = k.company_id and n.id = k.note_id and n.deleted_at is null
join tickets t on t.company_id = n.company_id and t.id = n.ticket_id
where k.company_id = $1 and k.user_id = $2 and k.note_id = $3 and k.read_at is null`,
};

/** A chat of two has no title: it is called like the other one. */
const chatStatement = {
  name: "push.chat",
  text: `
select c.uuid, c.last_message as text, c.last_message_at as at, m.unreads as unread,
  case when c.title <> '' then c.title else coalesce((
    select string_agg(u.name, ', ' order by u.id) from chat_members o
    join users u on u.company_id = o.company_id and u.id = o.user_id
    where o.company_id = c.company_id and o.chat_id = c.id and o.user_id <> $2), '') end as name
from chats c join chat_members m on m.company_id = c.company_id and m.chat_id = c.id and m.user_id = $2
where c.company_id = $1 and c.id = $3 and m.unreads > 0`,
};

const connectionStatement = {
  name: "push.connection",
  text: `
select w.name, coalesce(w.disconnected_at, w.updated_at) as at from connections w
where w.company_id = $1 and w.id = $2 and w.deleted_at is null and w.status <> 'CONNECTED'`,
};
