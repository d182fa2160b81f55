import type { CompanyId, ConnectionId, QueueId, UserId } from "@balcao/contract";
import { and, eq, sql } from "drizzle-orm";
import type { Tx } from "../../platform/db/database.ts";
import { users } from "../../platform/db/schema/index.ts";

type Scope = { companyId: CompanyId };

type Row = typeof users.$inferSelect;

/** The columns that people set of a user; what is undefined stays. */
export type UserColumns = {
  [K in "name" | "email" | "passwordHash" | "profile" | "allTicket" | "connectionId"]?:
    | Row[K]
    | undefined;
};

/** Whether the company has another admin than this user. */
export async function hasOtherAdmin({ companyId }: Scope, tx: Tx, id: UserId): Promise<boolean> {
  const rows = await tx.query(otherAdminStatement, [companyId, id]);
  return rows.length > 0;
}

/** Queues of the company among those asked for; they stay until the transaction ends. */
export async function keepQueues(
  { companyId }: Scope,
  tx: Tx,
  ids: readonly QueueId[],
): Promise<QueueId[]> {
  if (ids.length === 0) return [];
  const rows = await tx.query<{ id: QueueId }>(queuesStatement, [companyId, ids]);
  return rows.map(({ id }) => id);
}

/** Whether the company has this connection; it stays until the transaction ends. */
export async function keepConnection(
  { companyId }: Scope,
  tx: Tx,
  id: ConnectionId,
): Promise<boolean> {
  const rows = await tx.query(connectionStatement, [companyId, id]);
  return rows.length > 0;
}

export async function insertUser(
  { companyId }: Scope,
  tx: Tx,
  columns: UserColumns & { name: string; email: string; passwordHash: string },
): Promise<UserId> {
  const [row] = await tx.orm
    .insert(users)
    .values({ companyId, ...columns })
    .returning({ id: users.id });
  if (!row) throw new Error("the user was not inserted");
  return row.id;
}

export async function saveUser(
  { companyId }: Scope,
  tx: Tx,
  id: UserId,
  columns: UserColumns,
): Promise<void> {
  await tx.orm
    .update(users)
    .set({ ...columns, updatedAt: sql`now()` })
    .where(and(eq(users.companyId, companyId), eq(users.id, id)));
}

export async function setQueues(
  { companyId }: Scope,
  tx: Tx,
  id: UserId,
  queueIds: readonly QueueId[],
): Promise<void> {
  await tx.query(setQueuesStatement, [companyId, id, queueIds]);
}

/** Waits for whoever refers to the user just now, and lets nobody do so any more. */
export async function lockUser({ companyId }: Scope, tx: Tx, id: UserId): Promise<void> {
  await tx.query(lockOneStatement, [companyId, id]);
}

/** Rows of one statement: far below the time a statement may take. */
const ROWS_AT_ONCE = 5_000;

/**
 * Removes the row. What he wrote and served stays and loses only the reference, in steps, because the foreign keys would do
 * all of it in a single statement.
 */
export async function deleteUser({ companyId }: Scope, tx: Tx, id: UserId): Promise<void> {
  for (const statement of freeStatements) {
    for (let freed = ROWS_AT_ONCE; freed === ROWS_AT_ONCE;) {
      freed = (await tx.query(statement, [companyId, id])).length;
    }
  }
  await tx.query(deleteStatement, [companyId, id]);
}

const otherAdminStatement = {
  name: "users.other-admin",
  text: "select 1 from users where company_id = $1 and profile = 'admin' and id <> $2 limit 1",
};

const queuesStatement = {
  name: "users.queues",
  text: `
select id from queues where company_id = $1 and id = any ($2::int[]) order by id for key share`,
};

const connectionStatement = {
  name: "users.connection",
  text: "select id from connections where company_id = $1 and id = $2 for key share",
};

const setQueuesStatement = {
  name: "users.set-queues",
  text: `
with gone as (
  delete from user_queues
  where company_id = $1 and user_id = $2 and queue_id <> all ($3::int[])
)
insert into user_queues (company_id, user_id, queue_id)
select $1, $2, queue_id from unnest($3::int[]) as queue_id
on conflict do nothing`,
};

const lockOneStatement = {
  name: "users.lock-one",
  text: "select 1 from users where company_id = $1 and id = $2 for update",
};

const free = (table: string, column: string, also = "") => ({
  name: `users.free-${table}-${column}`,
  text: `
update ${table} set ${column} = null where ctid = any (array(
  select ctid from ${table} where company_id = $1 and ${column} = $2${also} limit ${ROWS_AT_ONCE}))
  and company_id = $1
returning 1`,
});

const freeStatements = [
  free("messages", "user_id"),
  free("attendances", "user_id"),
  free("attendances", "closed_by"),
  free("tickets", "served_user_id", " and status = 'closed'"),
];

const deleteStatement = {
  name: "users.delete",
  text: "delete from users where company_id = $1 and id = $2",
};
