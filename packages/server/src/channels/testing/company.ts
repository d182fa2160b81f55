import type { ChannelKind, CompanyId, MessageId, TicketId } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { v7 } from "uuid";
import { onTestFinished } from "vitest";
import type { Database } from "../../platform/db/database.ts";
import type { LineRef } from "../simulator/line.ts";

/** A new company with one connection, which nobody wants any more when the test ends. */
export async function newConnection(
  db: Database,
  { channel = "simulator", wanted = true }: { channel?: ChannelKind; wanted?: boolean } = {},
): Promise<LineRef> {
  const [line] = await db.acrossCompanies((tx) =>
    tx.query<LineRef>(sql`
      with plan as (
        insert into plans (name, users, connections, queues, value_cents)
        values (gen_random_uuid()::text, 1, 1, 1, 0) returning id),
      company as (
        insert into companies (name, email, plan_id)
        select gen_random_uuid()::text, '', id from plan returning id)
      insert into connections (company_id, name, channel, wanted)
      select id, 'Loja', ${channel}, ${wanted} from company
      returning company_id as "companyId", id as "connectionId"`),
  );
  if (!line) throw new Error("no connection");
  onTestFinished(async () => {
    await db.acrossCompanies((tx) =>
      tx.query(sql`update companies set status = false where id = ${line.companyId}`),
    );
  });
  return line;
}

/** One more connection of the company. */
export async function addConnection(db: Database, companyId: CompanyId): Promise<LineRef> {
  const [line] = await db.acrossCompanies((tx) =>
    tx.query<LineRef>(sql`
      insert into connections (company_id, name, channel)
      values (${companyId}, gen_random_uuid()::text, 'simulator')
      returning company_id as "companyId", id as "connectionId"`),
  );
  if (!line) throw new Error("no connection");
  return line;
}

export type ConnectionState = {
  status: string;
  qrcode: string;
  number: string | null;
  closeReason: string | null;
  wanted: boolean;
  unlinkRequested: boolean;
  retries: number;
};

export async function stateOf(db: Database, line: LineRef): Promise<ConnectionState> {
  const [row] = await db.acrossCompanies((tx) =>
    tx.query<ConnectionState>(sql`
      select status, qrcode, number, close_reason as "closeReason", wanted, retries,
             unlink_requested as "unlinkRequested"
        from connections where id = ${line.connectionId}`),
  );
  if (!row) throw new Error("no connection");
  return row;
}

/** A ticket with a contact, to hang messages on. */
export async function newTicket(db: Database, line: LineRef): Promise<TicketId> {
  const [ticket] = await db.transaction(line, (tx) =>
    tx.query<{ id: TicketId }>(sql`
      with contact as (
        insert into contacts (company_id, name) values (${line.companyId}, 'Cliente') returning id)
      insert into tickets (company_id, uuid, contact_id, connection_id, status)
      select ${line.companyId}, gen_random_uuid(), id, ${line.connectionId}, 'open' from contact
      returning id`),
  );
  if (!ticket) throw new Error("no ticket");
  return ticket.id;
}

/** The row of a message that is to be sent. */
export const insertMessage = (
  line: LineRef,
  message: { ticketId: TicketId; id: MessageId; providerId: string },
) => sql`
  insert into messages (company_id, id, ticket_id, connection_id, provider_id, body, from_me, read, ack)
  values (${line.companyId}, ${message.id}, ${message.ticketId}, ${line.connectionId}, ${message.providerId}, '',
          true, true, 0)`;

export const newMessageId = (): MessageId => v7() as MessageId;
