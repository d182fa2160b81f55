import type {
  ChannelKind,
  CompanyId,
  ConnectionId,
  ContactId,
  MessageId,
  Profile,
  QueueId,
  SettingKey,
  TicketId,
  TicketStatus,
  UserId,
} from "@balcao/contract";
import { settingKeys } from "@balcao/contract";
import { eq } from "drizzle-orm";
import type { Tx } from "../../platform/db/database.ts";
import {
  companies,
  connectionQueues,
  connections,
  contactAddresses,
  contacts,
  plans,
  queues,
  settings,
  userQueues,
  users,
} from "../../platform/db/schema/index.ts";
import type { Sources } from "../../platform/sources.ts";
import { addressKey } from "../contacts/index.ts";
import type { MessageValues } from "./histories.ts";
import { insertAttendances, insertMessages, insertTickets, settleTickets } from "./histories.ts";

/**
 * Small makers of rows with sensible defaults, for the first start, the demo company and tests. They run as the owner
 * role, in the caller's transaction.
 */
export type PlanValues = Partial<typeof plans.$inferInsert> & { name: string };

export async function buildPlan(tx: Tx, values: PlanValues): Promise<number> {
  const [row] = await tx.orm
    .insert(plans)
    .values({ users: 10, connections: 10, queues: 10, valueCents: 0, ...values })
    .onConflictDoNothing()
    .returning({ id: plans.id });
  if (row) return row.id;
  const [existing] = await tx.orm
    .select({ id: plans.id })
    .from(plans)
    .where(eq(plans.name, values.name));
  return required(existing, "plan").id;
}

export type CompanyValues = Partial<typeof companies.$inferInsert> & {
  name: string;
  planId: number;
  settings?: Partial<Record<SettingKey, string>>;
};

/** A company with all settings of the product. */
export async function buildCompany(tx: Tx, values: CompanyValues): Promise<CompanyId> {
  const { settings: chosen = {}, ...columns } = values;
  const [row] = await tx.orm
    .insert(companies)
    .values({ email: "", ...columns })
    .returning({ id: companies.id });
  const companyId = required(row, "company").id;
  const rows = Object.entries(settingKeys).map(([key, rule]) => ({
    companyId,
    key,
    value: chosen[key as SettingKey] ?? rule.default,
  }));
  await tx.orm.insert(settings).values(rows);
  return companyId;
}

export type UserValues = {
  companyId: CompanyId;
  name: string;
  email: string;
  passwordHash: string;
  profile?: Profile;
  super?: boolean;
  allTicket?: "enabled" | "desabled";
  queueIds?: readonly QueueId[];
};

export async function buildUser(tx: Tx, values: UserValues): Promise<UserId> {
  const { queueIds = [], email, ...columns } = values;
  const [row] = await tx.orm
    .insert(users)
    .values({ ...columns, email: email.toLowerCase() })
    .returning({ id: users.id });
  const userId = required(row, "user").id;
  if (queueIds.length > 0) {
    await tx.orm
      .insert(userQueues)
      .values(queueIds.map((queueId) => ({ companyId: values.companyId, userId, queueId })));
  }
  return userId;
}

export type QueueValues = Partial<typeof queues.$inferInsert> & {
  companyId: CompanyId;
  name: string;
  color: string;
};

export async function buildQueue(tx: Tx, values: QueueValues): Promise<QueueId> {
  const [row] = await tx.orm.insert(queues).values(values).returning({ id: queues.id });
  return required(row, "queue").id;
}

export type ConnectionValues = Partial<typeof connections.$inferInsert> & {
  companyId: CompanyId;
  name: string;
  channel: ChannelKind;
  queueIds?: readonly QueueId[];
};

export async function buildConnection(tx: Tx, values: ConnectionValues): Promise<ConnectionId> {
  const { queueIds = [], ...columns } = values;
  const [row] = await tx.orm.insert(connections).values(columns).returning({ id: connections.id });
  const connectionId = required(row, "connection").id;
  if (queueIds.length > 0) {
    await tx.orm
      .insert(connectionQueues)
      .values(queueIds.map((queueId) => ({ companyId: values.companyId, connectionId, queueId })));
  }
  return connectionId;
}

export type ContactValues = {
  companyId: CompanyId;
  name: string;
  number: string;
  email?: string;
  createdAt?: Date;
};

/** A person known by phone number. */
export async function buildContact(tx: Tx, values: ContactValues): Promise<ContactId> {
  return required((await buildContacts(tx, [values]))[0], "contact");
}

/** Several people at once; their ids in the same order. */
export async function buildContacts(tx: Tx, list: readonly ContactValues[]): Promise<ContactId[]> {
  const rows = await tx.orm
    .insert(contacts)
    .values([...list])
    .returning({ id: contacts.id, number: contacts.number });
  const ids = new Map(rows.map((row) => [row.number, row.id]));
  const known = list.map((values) => ({ values, id: required(ids.get(values.number), "contact") }));
  await tx.orm.insert(contactAddresses).values(
    known.map(({ values, id }) => ({
      companyId: values.companyId,
      kind: "pn" as const,
      key: addressKey({ kind: "pn", value: values.number }),
      value: values.number,
      contactId: id,
    })),
  );
  return known.map(({ id }) => id);
}

export type TicketValues = {
  companyId: CompanyId;
  contactId: ContactId;
  connectionId: ConnectionId | null;
  status: TicketStatus;
  userId?: UserId | null;
  queueId?: QueueId | null;
  /** Who served it and in which queue, for closed tickets. */
  servedBy?: { userId?: UserId | null; queueId?: QueueId | null };
  at: Date;
};

/** A ticket with its current (or last) attendance. */
export async function buildTicket(
  tx: Tx,
  sources: Sources,
  values: TicketValues,
): Promise<TicketId> {
  const { servedBy = {}, at, ...columns } = values;
  const [ticketId] = await insertTickets(tx, sources, [{ ...columns, createdAt: at }]);
  const id = required(ticketId, "ticket");
  const closed = values.status === "closed";
  await insertAttendances(tx, [
    {
      companyId: values.companyId,
      ticketId: id,
      connectionId: values.connectionId,
      userId: closed ? (servedBy.userId ?? null) : (values.userId ?? null),
      queueId: closed ? (servedBy.queueId ?? null) : (values.queueId ?? null),
      queuedAt: at,
      startedAt: values.status === "pending" ? null : at,
      finishedAt: closed ? at : null,
      closedBy: closed ? (servedBy.userId ?? null) : null,
      createdAt: at,
    },
  ]);
  await settleTickets(tx, values.companyId, [id]);
  return id;
}

/** A message; the ticket's last message and unread count follow. */
export async function buildMessage(
  tx: Tx,
  sources: Sources,
  values: MessageValues,
): Promise<MessageId> {
  const [message] = await insertMessages(tx, sources, [values]);
  await settleTickets(tx, values.companyId, [values.ticketId]);
  return required(message, "message").id;
}

function required<T>(row: T | undefined, what: string): T {
  if (row === undefined) throw new Error(`the ${what} was not created`);
  return row;
}
