import type {
  CompanyId,
  ConnectionId,
  ContactId,
  QueueId,
  TicketId,
  UserId,
} from "@balcao/contract";
import type { SQL } from "drizzle-orm";
import { sql } from "drizzle-orm";
import type { AnyPgColumn } from "drizzle-orm/pg-core";
import { customType, foreignKey, integer, timestamp } from "drizzle-orm/pg-core";

/** Identity key of a table. */
export const identity = () => integer("id").generatedAlwaysAsIdentity().primaryKey();

/** The tenant of a row; every table that has it is under row-level security (checked by a test). */
export const companyIdColumn = () => integer("company_id").$type<CompanyId>().notNull();

export const moment = (name: string) => timestamp(name, { withTimezone: true, precision: 3 });

export const createdAt = () =>
  moment("created_at")
    .notNull()
    .default(sql`now()`);
export const updatedAt = () =>
  moment("updated_at")
    .notNull()
    .default(sql`now()`);

/** The row of a deleted thing stays, so that history shows its name; nothing else may find it. */
export const deletedAt = () => moment("deleted_at");

/** A foreign key to another row of the same company; deleting that row deletes this one. */
export const dependsOn = <Table extends string, Target extends string>(
  name: string,
  companyId: AnyPgColumn<{ tableName: Table }>,
  id: AnyPgColumn<{ tableName: Table }>,
  target: { companyId: AnyPgColumn<{ tableName: Target }>; id: AnyPgColumn<{ tableName: Target }> },
) =>
  foreignKey({
    name,
    columns: [companyId, id],
    foreignColumns: [target.companyId, target.id],
  }).onDelete("cascade");

export const bytes = customType<{ data: Buffer }>({ dataType: () => "bytea" });

/** Encrypted by platform/secrets. */
export const sealed = bytes;

/**
 * The effect on a row when the user, queue or connection that it refers to is deleted. That row itself stays, with its
 * name, so no foreign key acts.
 *
 * - `delete`: the row is deleted, or with `deleteWhere` only if it meets a condition.
 * - `clear`: the column becomes null.
 * - `keep`: nothing; history shows the deleted row's name.
 * - `handled`: a feature has a rule of its own, which runs in the same transaction.
 * - `swept`: a job of the table deletes the row later.
 */
export type OnRemove = "delete" | { deleteWhere: SQL } | "clear" | "keep" | "handled" | "swept";

/**
 * The effect on a row when the contact or ticket that it refers to is merged into another one.
 *
 * - `move`: it refers to the other one. With `unlessSame`, not where the other one has a row with the same values in these
 *   columns; `also` sets a column that repeats the id.
 * - `move in portions`: the same for a table that may have very many rows, which has a column `id`.
 * - `drop`: it is deleted with the row that it refers to, by its foreign key. So is a row that was not moved.
 * - `handled`: a feature has a rule of its own, which runs in the same transaction.
 */
export type OnMerge =
  | "move"
  | { unlessSame: readonly string[]; also?: (id: string) => string }
  | "move in portions"
  | "drop"
  | "handled";

/** Kept with the column of an id (`platform/db/references.ts` reads it). */
export type Reference =
  | { to: "users" | "queues" | "connections"; onRemove: OnRemove }
  | { to: "contacts" | "tickets"; onMerge: OnMerge };

/** A column keeps the configuration object of its builder; drizzle's types hide it. */
function referring<Builder>(builder: Builder, reference: Reference): Builder {
  Object.assign((builder as { config: object }).config, { reference });
  return builder;
}

export function referenceOf(column: unknown): Reference | undefined {
  return (column as { config: { reference?: Reference } }).config.reference;
}

// Each column that refers to one of these tables is made here; the test of references.ts finds one that is not.

export const userReference = (rule: { onRemove: OnRemove }, name = "user_id") =>
  referring(integer(name).$type<UserId>(), { to: "users", ...rule });

export const queueReference = (rule: { onRemove: OnRemove }, name = "queue_id") =>
  referring(integer(name).$type<QueueId>(), { to: "queues", ...rule });

export const connectionReference = (rule: { onRemove: OnRemove }, name = "connection_id") =>
  referring(integer(name).$type<ConnectionId>(), { to: "connections", ...rule });

export const contactReference = (rule: { onMerge: OnMerge }, name = "contact_id") =>
  referring(integer(name).$type<ContactId>(), { to: "contacts", ...rule });

export const ticketReference = (rule: { onMerge: OnMerge }) =>
  referring(integer("ticket_id").$type<TicketId>(), { to: "tickets", ...rule });
