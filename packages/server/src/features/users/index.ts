import type { InputOf, UserId } from "@balcao/contract";
import { pageSizes } from "@balcao/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import { and, desc, eq, gt, isNull, or, sql } from "drizzle-orm";
import type { Ctx, UserCtx } from "../../platform/context.ts";
import { hasPermission } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import { contains, listTotal, readPage, readWhole, toIso } from "../../platform/db/records.ts";
import { companies, roles, users } from "../../platform/db/schema/index.ts";
import type { Routes } from "../../platform/http/routes.ts";
import { askedCompany } from "../companies/index.ts";
import type { EditingDeps } from "./editing.ts";
import { createUser, removeUser, showUser, showUserUse, updateUser } from "./editing.ts";
import type { UserPresenceDeps } from "./presence.ts";
import { changeAvailability, createUserPresence } from "./presence.ts";
import type { AccountRow } from "./session-user.ts";
import { findAccount, publishUser, queuesOf, toSessionUser, toUserQueues } from "./session-user.ts";

export type { AccountRow, SettingPair } from "./session-user.ts";
export {
  findAccount,
  findAccountByEmailAcrossCompanies,
  permissionsOf,
  toSessionUser,
} from "./session-user.ts";

export type UsersDeps = EditingDeps &
  UserPresenceDeps & {
    sessions: {
      /** Puts the caller's new session into the browser's cookie; the next call renews by it. */
      goOn(request: FastifyRequest, reply: FastifyReply, account: AccountRow): Promise<void>;
    };
  };
export type UsersFeature = ReturnType<typeof createUsersFeature>;

/** The users of a company (wire-contract 5.19) and whether they are online. */
export function createUsersFeature(deps: UsersDeps) {
  deps.domainEvents.on("queue.shownDifferently", (ctx, tx, { userIds }) =>
    tellUsers(deps.realtime, ctx, tx, userIds),
  );
  return {
    ...createUserPresence(deps),

    register(routes: Routes): void {
      routes.handle("GET /users", ({ ctx, query }) => listUsers(deps, ctx, query));
      routes.handle("GET /users/list", async ({ ctx, query }) =>
        allUsers(deps, ctx, askedCompany(ctx, query.companyId)),
      );
      routes.handle("GET /users/:userId", ({ ctx, params }) => showUser(deps, ctx, params.userId));
      routes.handle("PUT /users/availability", ({ ctx, body }) =>
        changeAvailability(deps, ctx, body),
      );
      routes.handle("GET /users/:userId/use", ({ ctx, params }) =>
        showUserUse(deps, ctx, params.userId),
      );
      routes.handle("POST /users", async ({ ctx, body }) =>
        toSessionUser(await createUser(deps, ctx, body)),
      );
      routes.handle("PUT /users/:userId", async ({ ctx, params, body, request, reply }) => {
        const { account, endsOwnSession } = await updateUser(deps, ctx, params.userId, body);
        if (endsOwnSession) await deps.sessions.goOn(request, reply, account);
        return toSessionUser(account);
      });
      routes.handle("DELETE /users/:userId", async ({ ctx, params }) => {
        await removeUser(deps, ctx, params.userId);
        return { message: "User deleted" };
      });
    },
  };
}

/** One page, newest first. Only admins see e-mail addresses, and find users by them (wire-contract 4.2). */
async function listUsers(
  { db }: UsersDeps,
  ctx: UserCtx,
  { searchParam, pageNumber }: InputOf<"GET /users">["query"],
) {
  const { id, name, email, companyId, profile, online, createdAt } = users;
  const knowsEmails = hasPermission(ctx, "users:read-emails");
  const hasEmail = sql`position(lower(${searchParam}) in ${email}) > 0`;
  const isFound = or(contains(name, searchParam), knowsEmails ? hasEmail : undefined);
  const columns = {
    ...{ id, companyId, name, email: knowsEmails ? email : noEmail, profile, online, createdAt },
    role: { id: roles.id, name: roles.name },
    queues: queuesColumn,
    companyName: companies.name,
    total: listTotal,
  };
  return db.transaction(ctx, async (tx) => {
    const { rows, ...totals } = await readPage(pageNumber, pageSizes.users, (limit, offset) =>
      tx.orm
        .select(columns)
        .from(users)
        .innerJoin(companies, eq(companies.id, companyId))
        .leftJoin(roles, and(eq(roles.companyId, companyId), eq(roles.id, users.roleId)))
        .where(and(isOfCompany(ctx), isFound))
        .orderBy(desc(createdAt), desc(id))
        .limit(limit)
        .offset(offset),
    );
    const listed = rows.map(({ companyName, createdAt: created, ...row }) => ({
      ...row,
      createdAt: toIso(created),
      queues: toUserQueues(row),
      company: { id: row.companyId, name: companyName },
    }));
    return { users: listed, ...totals };
  });
}

const noEmail = sql<string>`''`;
const queuesColumn = sql<AccountRow["queues"]>`${sql.raw(queuesOf("users"))}`;

/** All users of a company by id; e-mail addresses are for admins. */
function allUsers({ db }: UsersDeps, ctx: UserCtx, company: Pick<Ctx, "companyId">) {
  const { id, name, email } = users;
  const knowsEmails = hasPermission(ctx, "users:read-emails");
  const columns = { id, name, email: knowsEmails ? email : noEmail, queues: queuesColumn };
  type Row = Pick<AccountRow, "id" | "name" | "email" | "queues">;
  const read = (limit: number, last: Row | undefined) =>
    db.transaction(company, (tx) =>
      tx.orm
        .select(columns)
        .from(users)
        .where(and(isOfCompany(company), last && gt(id, last.id)))
        .orderBy(id)
        .limit(limit),
    );
  return readWhole(read, (row: Row) => ({ ...row, queues: toUserQueues(row) }));
}

/** Queues or roles of these users have changed: moves their sockets to their rooms and publishes them, on commit. */
export async function tellUsers(
  realtime: EditingDeps["realtime"],
  { companyId }: Ctx,
  tx: Tx,
  userIds: readonly UserId[],
): Promise<void> {
  for (const userId of userIds) {
    const account = await findAccount(tx, companyId, userId);
    if (!account) continue;
    tx.onCommit(() => {
      realtime.refreshUser(companyId, userId);
      publishUser(realtime, account);
    });
  }
}

function isOfCompany({ companyId }: Pick<Ctx, "companyId">) {
  return and(eq(users.companyId, companyId), isNull(users.deletedAt));
}
