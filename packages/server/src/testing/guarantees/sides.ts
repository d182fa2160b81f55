import type {
  CompanyId,
  ConnectionId,
  MessageId,
  Profile,
  QueueId,
  TagId,
  TicketId,
  UserId,
} from "@balcao/contract";
import { sql } from "drizzle-orm";
import { v7 } from "uuid";
import type { GivenCompany, GivenUser } from "../given.ts";
import { PASSWORD, unique } from "../given.ts";
import type { TestApp } from "../app.ts";

export type Role = Profile | "super";
export const roles = ["user", "supervisor", "admin", "super"] as const satisfies readonly Role[];

/** A company with one person of each kind; agents and tickets are in its queue. */
export type Side = {
  company: GivenCompany;
  queueId: QueueId;
  people: Record<Role, GivenUser>;
};

export async function createSide({ given }: TestApp): Promise<Side> {
  const company = await given.company();
  const queueId = await given.queue({ company });
  const queueIds = [queueId];
  const people = {
    user: await given.agent({ company, queueIds }),
    supervisor: await given.supervisor({ company, queueIds }),
    admin: await given.admin({ company }),
    super: await given.admin({ company, super: true }),
  };
  return { company, queueId, people };
}

/** Rows of one company, fresh for one call, so that what one call does to them is nothing to the next. */
export type Rows = {
  companyId: CompanyId;
  queueId: QueueId;
  userId: UserId;
  email: string;
  password: string;
  /** Linked and, as far as the database says, connected. */
  connectionId: ConnectionId;
  /** Not linked; shows `pairingCode`. */
  pairingConnectionId: ConnectionId;
  pairingCode: string;
  /** A customer of the connection, with a message. */
  phone: string;
  networkMessageId: string;
  /** Waits in the queue. */
  ticketId: TicketId;
  ticketUuid: string;
  /** Of the ticket. */
  tagId: TagId;
  /** The customer's message in the ticket. */
  messageId: MessageId;
  /** The company's message in the ticket, which did not go out. */
  failedMessageId: MessageId;
  /** Stands in the customer's message; a reply that holds it shows the row. */
  mark: string;
};

/** The rows of a side; `userId` is the account's that the calls name. */
export async function createRows(
  { given, database }: TestApp,
  { company, queueId, people }: Side,
  role: Role = "user",
): Promise<Rows> {
  const connectionId = await given.connection({ company });
  const pairingConnectionId = await given.connection({ company, linked: false });
  const mark = `marca-${company.id}-${unique()}`;
  const pairingCode = `balcao:${mark}`;
  const networkMessageId = `SIM-${mark}-${unique()}`;
  const ticket = await given.ticket({ company, connectionId, queueId, contactName: mark });
  const messageId = await given.message(ticket, { body: mark, queueId });
  const failedMessageId = await given.message(ticket, {
    body: mark,
    queueId,
    fromMe: true,
    failedCode: "ERR_SENDING_WAPP_MSG",
  });
  const tagId = await database.db.acrossCompanies(async (tx) => {
    await tx.query(sql`
      update connections set status = 'CONNECTED' where id = ${connectionId}`);
    await tx.query(sql`
      insert into outbound (company_id, connection_id, message_id, chat_key, to_kind, to_value, provider_id,
                            body, state, error_code)
      select company_id, connection_id, id, ${`pn:${ticket.phone}`}, 'pn', ${ticket.phone}, provider_id,
             ${JSON.stringify({ kind: "text", text: mark })}, 'failed', 'bad-request'
        from messages where company_id = ${company.id} and id = ${failedMessageId}`);
    await tx.query(sql`
      insert into simulator_lines (company_id, connection_id, pairing_code)
      values (${company.id}, ${pairingConnectionId}, ${pairingCode})`);
    await tx.query(sql`
      insert into simulator_customers (company_id, connection_id, phone, name)
      values (${company.id}, ${connectionId}, ${ticket.phone}, ${mark})`);
    await tx.query(sql`
      insert into simulator_messages (company_id, connection_id, phone, id, from_customer, body, ack, delivered)
      values (${company.id}, ${connectionId}, ${ticket.phone}, ${networkMessageId}, true, ${mark}, 2, true)`);
    const [tag] = await tx.query<{ id: TagId }>(sql`
      insert into tags (company_id, name) values (${company.id}, ${mark}) returning id`);
    if (!tag) throw new Error("the tag is not there");
    await tx.query(sql`
      insert into ticket_tags (company_id, ticket_id, tag_id) values (${company.id}, ${ticket.id}, ${tag.id})`);
    return tag.id;
  });
  return {
    ...{ companyId: company.id, queueId, connectionId, pairingConnectionId, pairingCode, mark },
    ...{ tagId, messageId, failedMessageId, networkMessageId },
    userId: people[role].id,
    email: people[role].email,
    password: PASSWORD,
    ticketId: ticket.id,
    ticketUuid: ticket.uuid,
    phone: ticket.phone,
  };
}

export const newClientId = (): string => v7();
