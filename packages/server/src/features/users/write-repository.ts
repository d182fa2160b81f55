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

/**
 * Marks the user as deleted: history shows the name, and nothing else finds the row. What only the user had goes with
 * it, and so do password and e-mail address.
 */
export async function deleteUser({ companyId }: Scope, tx: Tx, id: UserId): Promise<void> {
  for (const statement of deleteStatements) await tx.query(statement, [companyId, id]);
}

const otherAdminStatement = {
  name: "users.other-admin",
  text: "select 1 from users where company_id = $1 and profile = 'admin' and id <> $2 and deleted_at is null limit 1",
};

const queuesStatement = {
  name: "users.queues",
  text: `
select id from queues where company_id = $1 and id = any ($2::int[]) and deleted_at is null
order by id for key share`,
};

const connectionStatement = {
  name: "users.connection",
  text: `
select id from connections where company_id = $1 and id = $2 and deleted_at is null for key share`,
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

const deleteStatements = [
  {
    name: "users.delete",
    text: `
update users set deleted_at = now(), email = '', password_hash = '', online = false, connection_id = null,
  token_version = token_version + 1, updated_at = now()
where company_id = $1 and id = $2`,
  },
  {
    name: "users.delete-queues",
    text: "delete from user_queues where company_id = $1 and user_id = $2",
  },
  {
    name: "users.delete-drafts",
    text: "delete from drafts where company_id = $1 and user_id = $2",
  },
  // The admins' to keep from now on.
  {
    name: "users.leave-quick-messages",
    text: "update quick_messages set user_id = null where company_id = $1 and user_id = $2",
  },
];
