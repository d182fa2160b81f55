import type { NewRole, Role, RoleChange, RoleId, RolePermission, UserId } from "@balcao/contract";
import { differencesOf, limits, permissionsOfProfile, permissionsOfRole } from "@balcao/contract";
import { and, count, eq, isNull, sql } from "drizzle-orm";
import type { Ctx, UserCtx } from "../../platform/context.ts";
import { DomainError, requireHeld } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import {
  findRecord,
  hasId,
  lockRecord,
  refuseDuplicates,
  requireRow,
  wireDates,
} from "../../platform/db/records.ts";
import { roles, users } from "../../platform/db/schema/index.ts";
import type { Routes } from "../../platform/http/routes.ts";
import type { Realtime, RealtimeRights } from "../../platform/realtime/hub.ts";
import { rooms } from "../../platform/realtime/hub.ts";
import type { Clock } from "../../platform/sources.ts";
import { lockPlanLimit } from "../companies/index.ts";
import { tellUsers } from "../users/index.ts";

export type RolesDeps = { db: Database; clock: Clock; realtime: Realtime & RealtimeRights };

/** The roles that a company makes beside the three profiles (docs/roles.md). */
export function createRolesFeature(deps: RolesDeps) {
  return {
    register(routes: Routes): void {
      routes.handle("GET /roles", ({ ctx }) => listRoles(deps, ctx));
      routes.handle("POST /roles", ({ ctx, body }) => createRole(deps, ctx, body));
      routes.handle("PUT /roles/:roleId", ({ ctx, params, body }) =>
        updateRole(deps, ctx, params.roleId, body),
      );
      routes.handle("DELETE /roles/:roleId", async ({ ctx, params, query }) => {
        await removeRole(deps, ctx, params.roleId, query.toRoleId ?? null);
        return { message: "Role deleted" };
      });
    },
  };
}

type RoleRow = typeof roles.$inferSelect;

const refuseSameName = refuseDuplicates({ roles_company_name: "ERR_ROLE_EXISTS" });

async function listRoles({ db }: RolesDeps, ctx: UserCtx): Promise<Role[]> {
  return db.transaction(ctx, async (tx) => {
    const rows = await tx.orm
      .select()
      .from(roles)
      .where(eq(roles.companyId, ctx.companyId))
      .orderBy(sql`f_norm(${roles.name})`, roles.id);
    const counted = await tx.orm
      .select({ roleId: users.roleId, usersCount: count() })
      .from(users)
      .where(and(eq(users.companyId, ctx.companyId), isNull(users.deletedAt)))
      .groupBy(users.roleId);
    const counts = new Map(counted.map(({ roleId, usersCount }) => [roleId, usersCount]));
    return rows.map((row) => toRole(row, counts.get(row.id) ?? 0));
  });
}

async function createRole(deps: RolesDeps, ctx: UserCtx, body: NewRole): Promise<Role> {
  const { name, profile } = body;
  const now = deps.clock.now();
  const role = { name, profile, ...differencesOf(profile, body.permissions) };
  requireHeld(ctx, permissionsOfRole(role));
  const { companyId } = ctx;
  return oneAtATime(deps, ctx, async (tx) => {
    const max = limits.rolesMax;
    if ((await tx.orm.$count(roles, eq(roles.companyId, companyId))) >= max) {
      throw new DomainError("ERR_ROLE_LIMIT_REACHED", { max });
    }
    const rows = await tx.orm
      .insert(roles)
      .values({ ...role, companyId, createdAt: now, updatedAt: now })
      .returning();
    return tellSaved(deps, tx, toRole(requireRow(rows), 0), "create");
  });
}

/**
 * Changes a role for all its users: what it no longer has, their next calls are refused and their sockets no longer get. The
 * caller holds what it had and what it has, so nobody changes the rights of those who have more.
 */
async function updateRole(
  deps: RolesDeps,
  ctx: UserCtx,
  id: RoleId,
  { name, permissions }: RoleChange,
): Promise<Role> {
  return oneAtATime(deps, ctx, async (tx) => {
    const before = await lockRecord(ctx, tx, roles, id, "ERR_NO_ROLE_FOUND");
    requireHeld(ctx, permissionsOfRole(before));
    const { profile } = before;
    const differences = permissions === undefined ? {} : differencesOf(profile, permissions);
    requireHeld(ctx, permissionsOfRole({ ...before, ...differences }));
    const rows = await tx.orm
      .update(roles)
      .set({ ...(name === undefined ? {} : { name }), ...differences, updatedAt: deps.clock.now() })
      .where(hasId(ctx, roles, id))
      .returning();
    const userIds = await usersOf(ctx, tx, id);
    await tellUsers(deps.realtime, ctx, tx, userIds);
    return tellSaved(deps, tx, toRole(requireRow(rows), userIds.length), "update");
  });
}

/** Its users get another role of the same profile, or the permissions of the profile. */
async function removeRole(
  deps: RolesDeps,
  ctx: UserCtx,
  id: RoleId,
  target: RoleId | "profile" | null,
): Promise<void> {
  await oneAtATime(deps, ctx, async (tx) => {
    const role = await lockRecord(ctx, tx, roles, id, "ERR_NO_ROLE_FOUND");
    requireHeld(ctx, permissionsOfRole(role));
    const userIds = await usersOf(ctx, tx, id);
    if (target === null && userIds.length > 0) {
      throw new DomainError("ERR_ROLE_IN_USE", { users: userIds.length });
    }
    const next = await targetOf(ctx, tx, role, target);
    if (userIds.length > 0) requireHeld(ctx, next.permissions);
    await tx.orm
      .update(users)
      .set({ roleId: next.roleId })
      .where(and(eq(users.companyId, ctx.companyId), eq(users.roleId, id)));
    await tx.orm.delete(roles).where(hasId(ctx, roles, id));
    await tellUsers(deps.realtime, ctx, tx, userIds);
    tx.onCommit(() => tell(deps, ctx, { action: "delete", roleId: id }));
  });
}

type Target = { roleId: RoleId | null; permissions: readonly RolePermission[] };

async function targetOf(
  ctx: UserCtx,
  tx: Tx,
  left: RoleRow,
  target: RoleId | "profile" | null,
): Promise<Target> {
  if (target === null || target === "profile") {
    return { roleId: null, permissions: permissionsOfProfile(left.profile) };
  }
  const role = await findRecord(ctx, tx, roles, target, "ERR_NO_ROLE_FOUND");
  if (role.profile !== left.profile || role.id === left.id)
    throw new DomainError("ERR_ROLE_PROFILE");
  return { roleId: role.id, permissions: permissionsOfRole(role) };
}

async function usersOf({ companyId }: Ctx, tx: Tx, roleId: RoleId): Promise<UserId[]> {
  const rows = await tx.orm
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.companyId, companyId), eq(users.roleId, roleId), isNull(users.deletedAt)))
    .orderBy(users.id);
  return rows.map(({ id }) => id);
}

/** Not while users change either: who has a role, and what it has, are checked together. */
async function oneAtATime<T>(
  { db }: RolesDeps,
  ctx: UserCtx,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  const done = db.transaction(ctx, async (tx) => {
    await lockPlanLimit(ctx, tx, "users");
    return work(tx);
  });
  return done.catch(refuseSameName);
}

function toRole(row: RoleRow, usersCount: number): Role {
  const { id, companyId, name, profile } = row;
  const permissions = permissionsOfRole(row);
  return { id, companyId, name, profile, permissions, usersCount, ...wireDates(row) };
}

function tellSaved(deps: RolesDeps, tx: Tx, role: Role, action: "create" | "update"): Role {
  tx.onCommit(() => tell(deps, role, { action, role }));
  return role;
}

function tell(
  { realtime }: RolesDeps,
  { companyId }: Pick<Ctx, "companyId">,
  payload: Parameters<typeof realtime.publish<"role">>[2],
): void {
  realtime.publish(companyId, "role", payload, [rooms.holders(companyId, "users:manage")]);
}
