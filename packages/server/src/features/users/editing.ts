import type {
  CompanyId,
  ConnectionId,
  EditableUser,
  NewUser,
  QueueId,
  UserChange,
  UserId,
} from "@balcao/contract";
import { passwordFault } from "@balcao/contract";
import type { UserCtx } from "../../platform/context.ts";
import { DomainError, requirePermission } from "../../platform/context.ts";
import { isConflict } from "../../platform/db/conflict.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import type { Realtime, RealtimeRights } from "../../platform/realtime/hub.ts";
import { rooms } from "../../platform/realtime/hub.ts";
import { countPlanLimit, lockPlanLimit } from "../companies/index.ts";
import { readSetting } from "../settings/index.ts";
import { publishUser } from "./events.ts";
import type { AccountRow } from "./session-user.ts";
import { findAccount } from "./session-user.ts";
import type { PermittedChange } from "./user.ts";
import {
  changesSignIn,
  endsSessions,
  isDemotion,
  permittedChange,
  requireNoLess,
  requireSelfOrManager,
} from "./user.ts";
import {
  hasOtherAdmin,
  insertUser,
  keepConnection,
  keepQueues,
  saveUser,
  setQueues,
} from "./write-repository.ts";

/** What the sign-in feature does for accounts that change. */
export type AccountSessions = {
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

export type EditingDeps = {
  db: Database;
  realtime: Realtime & RealtimeRights;
  sessions: AccountSessions;
};

/** The own client has its new refresh cookie long before it is told to come back with it. */
const OWN_SOCKETS_MS = 3_000;

/** `endsOwnSession`: the caller goes on only with what a new session of his account gives him. */
export type Saved = { account: AccountRow; endsOwnSession: boolean };

/** Adding and changing users (wire-contract 5.19). */
export function createEditing({ db, realtime, sessions }: EditingDeps) {
  async function show(ctx: UserCtx, id: UserId): Promise<EditableUser> {
    const account = await db.transaction(ctx, (tx) => requireAccount(ctx, tx, id));
    requireSelfOrManager(ctx, id);
    return {
      id,
      name: account.name,
      email: account.email,
      companyId: account.companyId,
      profile: account.profile,
      super: account.super,
      allTicket: account.allTicket,
      whatsappId: account.connectionId,
      queues: account.queues,
    };
  }

  async function create(ctx: UserCtx, wish: NewUser): Promise<AccountRow> {
    requirePermission(ctx, "users:manage");
    const { companyId: wanted, password, whatsappId = null, queueIds = [], ...same } = wish;
    const company = { companyId: wanted ?? ctx.companyId };
    if (company.companyId !== ctx.companyId && !ctx.actor.super) {
      throw new DomainError("ERR_NO_SUPER");
    }
    await db.transaction(company, (tx) =>
      requirePassword(company, tx, password, [wish.name, wish.email]),
    );
    const passwordHash = await sessions.hashPassword(password);
    return inOneGo(company, async (tx) => {
      const { count, max } = await countPlanLimit(company, tx, "users");
      if (count >= max) throw new DomainError("ERR_USER_LIMIT_REACHED", { max });
      const chosen = await requireQueues(company, tx, queueIds);
      await requireConnection(company, tx, whatsappId);
      const columns = { ...same, passwordHash, connectionId: whatsappId };
      const id = await insertUser(company, tx, columns);
      await setQueues(company, tx, id, chosen);
      const account = await requireAccount(company, tx, id);
      tx.onCommit(() => publishUser(realtime, account, "create"));
      return account;
    });
  }

  async function update(ctx: UserCtx, id: UserId, wish: UserChange): Promise<Saved> {
    const known = await db.transaction(ctx, (tx) => requireAccount(ctx, tx, id));
    requireSelfOrManager(ctx, id);
    const change = permittedChange(ctx, wish);
    const { password } = change;
    if (ctx.actor.userId === id && changesSignIn(known, change)) {
      if (!wish.currentPassword) throw new DomainError("ERR_PASSWORD_CONFIRM");
      await sessions.confirmPassword(known, wish.currentPassword);
    }
    if (password !== undefined) {
      const { name = known.name, email = known.email } = change;
      await db.transaction(ctx, (tx) =>
        requirePassword(ctx, tx, password, [name, email, known.companyName]),
      );
    }
    const passwordHash = password === undefined ? undefined : await sessions.hashPassword(password);
    return inOneGo(ctx, async (tx) => {
      const before = await requireAccount(ctx, tx, id);
      requireNoLess(ctx, before);
      if (isDemotion(before, change) && !(await hasOtherAdmin(ctx, tx, id))) {
        throw new DomainError("ERR_USER_LAST_ADMIN");
      }
      await write(ctx, tx, id, change, passwordHash);
      const isSelf = ctx.actor.userId === id;
      const isEnding = endsSessions(before, change);
      if (isEnding) {
        const account = { companyId: ctx.companyId, userId: id };
        await sessions.end(tx, account, { afterMs: isSelf ? OWN_SOCKETS_MS : 0 });
      }
      const account = await requireAccount(ctx, tx, id);
      // What his own clients would ask for on this word would be refused until the reply has brought them the new session.
      const unaware = isEnding && isSelf ? [rooms.user(ctx.companyId, id)] : [];
      tx.onCommit(() => {
        // Rooms first: what he may not hear any more he does not hear once the others know.
        realtime.refreshUser(ctx.companyId, id);
        publishUser(realtime, account, "update", unaware);
      });
      return { account, endsOwnSession: isEnding && isSelf };
    });
  }

  async function write(
    ctx: UserCtx,
    tx: Tx,
    id: UserId,
    change: PermittedChange,
    passwordHash: string | undefined,
  ): Promise<void> {
    const { queueIds, whatsappId, password: _, ...same } = change;
    const chosen = queueIds && (await requireQueues(ctx, tx, queueIds));
    await requireConnection(ctx, tx, whatsappId);
    await saveUser(ctx, tx, id, {
      ...same,
      ...(passwordHash === undefined ? {} : { passwordHash }),
      ...(whatsappId === undefined ? {} : { connectionId: whatsappId }),
    });
    if (chosen) await setQueues(ctx, tx, id, chosen);
  }

  async function inOneGo<T>(company: Company, work: (tx: Tx) => Promise<T>): Promise<T> {
    try {
      return await db.transaction(company, async (tx) => {
        await lockPlanLimit(company, tx, "users");
        return work(tx);
      });
    } catch (error) {
      if (isConflict(error, "users_email_unique")) throw new DomainError("ERR_USER_EMAIL_EXISTS");
      throw error;
    }
  }

  return { show, create, update };
}

type Company = { companyId: CompanyId };

/** The user, unless the company has none of this id. */
export async function requireAccount(
  { companyId }: Company,
  tx: Tx,
  id: UserId,
): Promise<AccountRow> {
  const account = await findAccount(tx, companyId, id);
  if (!account) throw new DomainError("ERR_NO_USER_FOUND");
  return account;
}

/** Throws when the company would not accept this password of this user. */
async function requirePassword(
  company: Company,
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

/** Those asked for, once each; another company's is not found. */
async function requireQueues(
  company: Company,
  tx: Tx,
  queueIds: readonly QueueId[],
): Promise<QueueId[]> {
  const chosen = [...new Set(queueIds)];
  const found = new Set(await keepQueues(company, tx, chosen));
  if (chosen.some((id) => !found.has(id))) throw new DomainError("ERR_QUEUE_NOT_FOUND");
  return chosen;
}

async function requireConnection(
  company: Company,
  tx: Tx,
  id: ConnectionId | null | undefined,
): Promise<void> {
  if (id == null) return;
  if (!(await keepConnection(company, tx, id))) throw new DomainError("ERR_NO_WAPP_FOUND");
}
