import type { CompanyEvents, Message, TicketId } from "@balcao/contract";
import { sql } from "drizzle-orm";
import type { Address } from "../../../channels/port.ts";
import type { ChannelSide, Told } from "./channel-side.ts";

export type TicketState = {
  id: TicketId;
  status: string;
  unread: number;
  last: string;
  lastKind: string;
  queueId: number | null;
  userId: number | null;
  contact: string;
  messages: string[];
  open: number;
  attendances: number;
};

/** Everything that is stored about the person of an address, by ticket. */
export async function conversationsOf(chat: Address, of: ChannelSide): Promise<TicketState[]> {
  return of.database.db.transaction(of, (tx) =>
    tx.query<TicketState>(sql`
      select t.id, t.status, t.unread_messages as unread, t.last_message as last,
        t.last_message_kind as "lastKind", t.queue_id as "queueId", t.user_id as "userId", c.name as contact,
        array(select body from messages m where m.ticket_id = t.id order by created_at, seq) as messages,
        (select count(*) from attendances a where a.ticket_id = t.id and finished_at is null) as open,
        (select count(*) from attendances a where a.ticket_id = t.id) as attendances
      from contact_addresses a
      join contacts c on c.id = a.contact_id
      join tickets t on t.contact_id = c.id
      where a.kind = ${chat.kind} and a.value = ${chat.value} order by t.id`),
  );
}

export async function countRows(
  table: "contacts" | "tickets" | "messages",
  of: ChannelSide,
): Promise<number> {
  const [row] = await of.database.db.transaction(of, (tx) =>
    tx.query<{ n: number }>(sql`select count(*) as n from ${sql.identifier(table)}`),
  );
  return row?.n ?? 0;
}

export async function setTicket(
  of: ChannelSide,
  id: TicketId,
  values: ReturnType<typeof sql>,
): Promise<void> {
  await of.database.db.transaction(of, (tx) =>
    tx.query(sql`update tickets set ${values} where id = ${id}`),
  );
}

export const appMessages = (told: readonly Told[]): CompanyEvents["appMessage"][] =>
  told.flatMap((event) => (event.subject === "appMessage" ? [event.payload] : []));

/** The published ticket events, with their rooms. */
export const ticketsTold = (told: readonly Told[]) =>
  told.flatMap((event) => (event.subject === "ticket" ? [event] : []));

/** The newest message that was told. */
export function lastTold(told: readonly Told[]): Message {
  const last = appMessages(told).at(-1);
  if (!last) throw new Error("no message was told");
  return last.message;
}
