import type {
  CompanyId,
  ConnectionId,
  NewUser,
  QueueId,
  ResultOf,
  SheetLanguage,
  UserChange,
  UserId,
} from "@balcao/contract";
import { passwordFault, seesTicketsWithoutQueue } from "@balcao/contract";
import { and, eq, isNull, ne, sql } from "drizzle-orm";
import type { PgUpdateSetSource } from "drizzle-orm/pg-core";
import type { Ctx, UserCtx } from "../../platform/context.ts";
import {
  DomainError,
  hasPermission,
  requireHeld,
  requirePermission,
} from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import {
  hasId,
  holdReferences,
  refuseDuplicates,
  requireRow,
  setQueuesText,
  toIsoOrNull,
} from "../../platform/db/records.ts";
import { removeReferring } from "../../platform/db/references.ts";
import { connections, queues, roles, users } from "../../platform/db/schema/index.ts";
import type { DomainEvents } from "../../platform/events.ts";
import type { Realtime, RealtimeRights } from "../../platform/realtime/hub.ts";
import { rooms } from "../../platform/realtime/hub.ts";
import type { Random } from "../../platform/sources.ts";
import { countPlanLimit, lockPlanLimit } from "../companies/index.ts";
import { readSetting } from "../settings/index.ts";
import type { AccountRow } from "./session-user.ts";
import { permissionsOf, publishUser, requireAccount, toUserQueues } from "./session-user.ts";

declare module "../../platform/events.ts" {
  interface EventPayloads {
    /** A user is about to be deleted. Published before and after the lock of the user. */
    "user.removing": { userId: UserId };
  }
}

export type EditingDeps = {
  db: Database;
  realtime: Realtime & RealtimeRights;
  /** The sign-in feature's part in changes of accounts. */
  sessions: {
    /** A password as it is stored. Takes a while: not inside a transaction. */
    hashPassword(password: string): Promise<string>;
    /** Throws ERR_PASSWORD_WRONG, or ERR_TOO_MANY_REQUESTS after wrong ones. Takes a while: not inside a transaction. */
    confirmPassword(account: AccountRow, password: string): Promise<void>;
    /** Ends every session of the account with the transaction; its sockets `afterMs` after that. */
    end(
      tx: Tx,
      account: { companyId: CompanyId; userId: UserId },
      limit: { afterMs: number },
    ): Promise<void>;
  };
  /** Has a new user set the own password by a code that an e-mail brings. */
  invite(
    tx: Tx,
    account: { companyId: CompanyId; userId: UserId },
    language: SheetLanguage,
  ): Promise<void>;
  countOpenTickets(ctx: Ctx, tx: Tx, id: UserId): Promise<number>;
  domainEvents: DomainEvents;
  random: Random;
};

type Scope = { companyId: CompanyId };

/** A user's own client has the new refresh cookie long before it is told to come back with it. */
const OWN_SOCKETS_MS = 3_000;

/** The caller in the company of the user: super users change users of every company, others of their own. */
async function inCompanyOf({ db }: EditingDeps, caller: UserCtx, id: UserId): Promise<UserCtx> {
  if (!caller.actor.super) return caller;
  const { companyId, deletedAt } = users;
  const [row] = await db.acrossCompanies((tx) =>
    tx.orm
      .select({ companyId })
      .from(users)
      .where(and(eq(users.id, id), isNull(deletedAt))),
  );
  return row ? { ...caller, companyId: row.companyId } : caller;
}

export async function showUser(
  deps: EditingDeps,
  caller: UserCtx,
  id: UserId,
): Promise<ResultOf<"GET /users/:userId">> {
  const ctx = await inCompanyOf(deps, caller, id);
  const account = await deps.db.transaction(ctx, (tx) => requireAccount(ctx, tx, id));
  requireSelfOrManager(ctx, id);
  const { companyId, name, email, profile, role, allTicket, connectionId } = account;
  return {
    ...{ id, companyId, name, email, profile, super: account.super, allTicket },
    roleId: role?.id ?? null,
    ticketLimit: account.ticketLimit,
    whatsappId: connectionId,
    queues: toUserQueues(account),
    company: {
      id: companyId,
      name: account.companyName,
      dueDate: toIsoOrNull(account.dueDate),
    },
  };
}

/** Without a password the user is invited: until the own one is set, nobody knows the account's. */
export async function createUser(
  { db, realtime, sessions, invite, random }: EditingDeps,
  ctx: UserCtx,
  body: NewUser,
): Promise<AccountRow> {
  requirePermission(ctx, "users:manage");
  const { companyId: wanted, password, language, ...fields } = body;
  const { whatsappId = null, queueIds = [], profile: _, roleId: __, ...same } = fields;
  const company = { companyId: wanted ?? ctx.companyId };
  if (company.companyId !== ctx.companyId && !ctx.actor.super) {
    throw new DomainError("ERR_NO_SUPER");
  }
  if (password !== "") {
    await db.transaction(company, (tx) =>
      requirePassword(company, tx, password, [body.name, body.email]),
    );
  }
  const passwordHash = await sessions.hashPassword(password || random.hex(32));
  return oneAtATime(db, { ...ctx, ...company }, async (tx) => {
    const { count, max } = await countPlanLimit(company, tx, "users");
    if (count >= max) throw new DomainError("ERR_USER_LIMIT_REACHED", { max });
    const chosen = await holdQueues(company, tx, queueIds);
    requireOwnQueues(ctx, chosen, []);
    requireOwnView(ctx, body.allTicket, "");
    await holdConnection(company, tx, whatsappId);
    const rights = await chooseRights(company, tx, body, null);
    requireHeld(ctx, permissionsOf(rights));
    const { profile, role } = rights;
    const inserted = await tx.orm
      .insert(users)
      .values({
        ...company,
        ...same,
        profile,
        roleId: role?.id ?? null,
        passwordHash,
        connectionId: whatsappId,
      })
      .returning({ id: users.id });
    const { id } = requireRow(inserted);
    await tx.query(setQueuesStatement, [company.companyId, id, chosen]);
    if (password === "") await invite(tx, { ...company, userId: id }, language);
    const account = await requireAccount(company, tx, id);
    tx.onCommit(() => publishUser(realtime, account, "create"));
    return account;
  });
}

/** `endsOwnSession`: the caller continues only with a new session. */
export async function updateUser(
  deps: EditingDeps,
  caller: UserCtx,
  id: UserId,
  body: UserChange,
): Promise<{ account: AccountRow; endsOwnSession: boolean }> {
  const { db, realtime, sessions, domainEvents } = deps;
  const ctx = await inCompanyOf(deps, caller, id);
  const known = await db.transaction(ctx, (tx) => requireAccount(ctx, tx, id));
  requireSelfOrManager(ctx, id);
  const permitted = permittedChange(ctx, body);
  const { password, queueIds, whatsappId, profile: _, roleId: __, ...same } = permitted;
  const isSelf = ctx.actor.userId === id;
  // The present password protects what the account signs in with.
  if (isSelf && (password !== undefined || (same.email ?? known.email) !== known.email)) {
    if (!body.currentPassword) throw new DomainError("ERR_PASSWORD_CONFIRM");
    await sessions.confirmPassword(known, body.currentPassword);
  }
  const values: PgUpdateSetSource<typeof users> = { ...same };
  if (whatsappId !== undefined) values.connectionId = whatsappId;
  if (password !== undefined) {
    const { name = known.name, email = known.email } = same;
    await db.transaction(ctx, (tx) =>
      requirePassword(ctx, tx, password, [name, email, known.companyName]),
    );
    values.passwordHash = await sessions.hashPassword(password);
  }
  return oneAtATime(db, ctx, async (tx) => {
    const before = await requireAccount(ctx, tx, id);
    requireNoLess(ctx, before);
    if (!isSelf) requireHeld(ctx, permissionsOf(before));
    const rights = await chooseRights(ctx, tx, permitted, before);
    if (rights !== before) requireHeld(ctx, permissionsOf(rights));
    if (!isFullAdmin(rights)) await requireOtherAdmin(ctx, tx, before);
    const { profile, role } = rights;
    const chosen = queueIds && (await holdQueues(ctx, tx, queueIds));
    if (chosen)
      requireOwnQueues(
        ctx,
        chosen,
        before.queues.map(({ id: queueId }) => queueId),
      );
    requireOwnView(ctx, permitted.allTicket, before.allTicket);
    await holdConnection(ctx, tx, whatsappId);
    await tx.orm
      .update(users)
      .set({ ...values, profile, roleId: role?.id ?? null, updatedAt: sql`now()` })
      .where(hasId(ctx, users, id));
    if (chosen) await tx.query(setQueuesStatement, [ctx.companyId, id, chosen]);
    // After another password or profile the user signs in again.
    const isEnding = password !== undefined || profile !== before.profile;
    if (isEnding) {
      const account = { companyId: ctx.companyId, userId: id };
      await sessions.end(tx, account, { afterMs: isSelf ? OWN_SOCKETS_MS : 0 });
    }
    const account = await requireAccount(ctx, tx, id);
    await domainEvents.publish(tx, ctx, "user.capacityChanged", { userId: id });
    // Calls that the user's own clients make on this event would be refused until the reply has brought the new session.
    const unaware = isEnding && isSelf ? [rooms.user(ctx.companyId, id)] : [];
    tx.onCommit(() => {
      // Rooms first: the user hears nothing of former rooms once the others know.
      realtime.refreshUser(ctx.companyId, id);
      publishUser(realtime, account, "update", unaware);
    });
    return { account, endsOwnSession: isEnding && isSelf };
  });
}

/** Counts what a deletion of the user affects. */
export async function showUserUse(deps: EditingDeps, caller: UserCtx, id: UserId) {
  requirePermission(caller, "users:manage");
  const { db, countOpenTickets } = deps;
  const ctx = await inCompanyOf(deps, caller, id);
  return db.transaction(ctx, async (tx) => {
    await requireAccount(ctx, tx, id);
    return { openTickets: await countOpenTickets(ctx, tx, id) };
  });
}

/** Deletes a user (behaviour 8.7); history keeps the name. */
export async function removeUser(deps: EditingDeps, caller: UserCtx, id: UserId): Promise<void> {
  requirePermission(caller, "users:manage");
  const { db, realtime, domainEvents } = deps;
  const ctx = await inCompanyOf(deps, caller, id);
  if (ctx.actor.userId === id) throw new DomainError("ERR_USER_IS_SELF");
  await oneAtATime(db, ctx, async (tx) => {
    const account = await requireAccount(ctx, tx, id);
    requireNoLess(ctx, account);
    requireHeld(ctx, permissionsOf(account));
    await requireOtherAdmin(ctx, tx, account);
    await domainEvents.publish(tx, ctx, "user.removing", { userId: id });
    // An assignment locks the ticket before the user: once the user is locked, none can begin.
    await tx.orm
      .select({ id: users.id })
      .from(users)
      .where(hasId(ctx, users, id))
      .for("update");
    await domainEvents.publish(tx, ctx, "user.removing", { userId: id });
    await markDeleted(ctx, tx, id);
    tx.onCommit(() => {
      const payload = { action: "delete", userId: id } as const;
      realtime.publish(ctx.companyId, "user", payload, [rooms.main(ctx.companyId)]);
      realtime.disconnectUser(ctx.companyId, id);
    });
  });
}

/** History shows the name of a deleted user; nothing else finds the row. It has no password and no e-mail address any more. */
async function markDeleted(ctx: Scope, tx: Tx, id: UserId): Promise<void> {
  await tx.orm
    .update(users)
    .set({
      ...{ deletedAt: sql`now()`, updatedAt: sql`now()` },
      ...{ email: "", passwordHash: "", online: false, connectionId: null, roleId: null },
      tokenVersion: sql`${users.tokenVersion} + 1`,
    })
    .where(hasId(ctx, users, id));
  await removeReferring(ctx, tx, "users", id);
}

/** One change of the company's users at a time: the plan's limit and the last admin are counted over all of them. */
async function oneAtATime<T>(
  db: Database,
  company: Scope,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  const done = db.transaction(company, async (tx) => {
    await lockPlanLimit(company, tx, "users");
    return work(tx);
  });
  return done.catch(refuseDuplicates({ users_email_unique: "ERR_USER_EMAIL_EXISTS" }));
}

/**
 * The fields that the caller may change. Without `users:manage` users change name, e-mail and password of their own
 * account. Other keys are ignored, because clients of the family send the whole record (wire-contract 4.2).
 */
function permittedChange(ctx: UserCtx, change: UserChange) {
  const { name, email, password, companyId: _, currentPassword: __, ...privileged } = change;
  const own = {
    ...(name === undefined ? {} : { name }),
    ...(email === undefined ? {} : { email }),
    ...(password ? { password } : {}),
  };
  return { ...own, ...(hasPermission(ctx, "users:manage") ? privileged : {}) };
}

function requireSelfOrManager(ctx: UserCtx, userId: UserId): void {
  const isSelf = ctx.actor.userId === userId && !ctx.actor.isVisitor;
  if (!isSelf && !hasPermission(ctx, "users:manage")) throw new DomainError("ERR_NO_PERMISSION");
}

/** Only super users change or delete another super user. */
function requireNoLess(ctx: UserCtx, account: AccountRow): void {
  const isSelf = ctx.actor.userId === account.id;
  if (account.super && !ctx.actor.super && !isSelf) throw new DomainError("ERR_NO_SUPER");
}

type Rights = Pick<AccountRow, "profile" | "role">;

/**
 * Profile and role after a change; the same object where it leaves both. A role brings its profile; a client that knows only
 * profiles keeps the role by sending the same profile, and takes it away by sending another one.
 */
async function chooseRights(
  company: Scope,
  tx: Tx,
  change: Pick<UserChange, "profile" | "roleId">,
  before: Rights | null,
): Promise<Rights> {
  const known = before ?? { profile: "user", role: null };
  const { profile = known.profile, roleId } = change;
  if (roleId == null) {
    const isSame = profile === known.profile && (roleId === undefined || known.role === null);
    return isSame ? known : { profile, role: null };
  }
  const role = requireRow(await holdReferences(company, tx, roles, [roleId], "ERR_NO_ROLE_FOUND"));
  return { profile: role.profile, role };
}

/** New queues of an account are among the caller's own, unless the caller sees all tickets: the account would open tickets that the caller may not see. */
function requireOwnQueues(ctx: UserCtx, chosen: readonly QueueId[], known: readonly QueueId[]) {
  const own = new Set([...ctx.actor.queueIds, ...known]);
  if (!chosen.every((id) => own.has(id))) requireHeld(ctx, ["tickets:see-all"]);
}

/** The same for tickets without a queue. */
function requireOwnView(ctx: UserCtx, next: string | undefined, known: string): void {
  const isNew =
    next !== undefined && seesTicketsWithoutQueue(next) && !seesTicketsWithoutQueue(known);
  if (isNew && !ctx.actor.seesNoQueue) requireHeld(ctx, ["tickets:see-all"]);
}

/** Whether somebody has all that a company can give. One such user stays, so that nothing is out of everybody's reach. */
function isFullAdmin({ profile, role }: Rights): boolean {
  return profile === "admin" && role === null;
}

/** Throws ERR_USER_LAST_ADMIN when the account is the company's only admin without a role. */
async function requireOtherAdmin(
  { companyId }: Scope,
  { orm }: Tx,
  account: AccountRow,
): Promise<void> {
  if (!isFullAdmin(account)) return;
  const isAdmin = and(
    ...[eq(users.profile, "admin"), isNull(users.roleId), isNull(users.deletedAt)],
  );
  const others = await orm
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.companyId, companyId), isAdmin, ne(users.id, account.id)))
    .limit(1);
  requireRow(others, "ERR_USER_LAST_ADMIN");
}

/** Throws when the company does not accept this password for this user. */
async function requirePassword(
  company: Scope,
  tx: Tx,
  password: string,
  about: readonly string[],
): Promise<void> {
  const min = Number(await readSetting(tx, company, "passwordMinLength"));
  const fault = passwordFault(password, { min, about });
  if (fault === null) return;
  throw fault.code === "ERR_PASSWORD_SHORT"
    ? new DomainError(fault.code, fault.data)
    : new DomainError(fault.code);
}

async function holdQueues(company: Scope, tx: Tx, ids: readonly QueueId[]): Promise<QueueId[]> {
  const held = await holdReferences(company, tx, queues, ids, "ERR_QUEUE_NOT_FOUND");
  return held.map(({ id }) => id);
}

async function holdConnection(company: Scope, tx: Tx, id: ConnectionId | null | undefined) {
  await holdReferences(company, tx, connections, id == null ? [] : [id], "ERR_NO_WAPP_FOUND");
}

const setQueuesStatement = {
  name: "users.set-queues",
  text: setQueuesText("user_queues", "user_id"),
};
