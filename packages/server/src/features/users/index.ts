import type { UserId } from "@balcao/contract";
import type { Ctx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { Routes } from "../../platform/http/routes.ts";
import type { RealtimeRights } from "../../platform/realtime/hub.ts";
import { createColleagues } from "./colleagues.ts";
import type { AccountSessions } from "./editing.ts";
import { createEditing } from "./editing.ts";
import { publishUser } from "./events.ts";
import type { UserPresenceDeps } from "./presence.ts";
import { createUserPresence } from "./presence.ts";
import type { TicketsOfUser } from "./removal.ts";
import { createRemoval } from "./removal.ts";
import type { GoOn } from "./routes.ts";
import { registerUserRoutes } from "./routes.ts";
import { findAccount } from "./session-user.ts";

export type { AccountRow, SettingPair } from "./session-user.ts";
export { findAccount, findAccountByEmailAcrossCompanies, toSessionUser } from "./session-user.ts";

export type UsersDeps = Omit<UserPresenceDeps, "realtime"> & {
  realtime: UserPresenceDeps["realtime"] & RealtimeRights;
  /** Sign-in is built on users; what users need of it comes from outside. */
  sessions: AccountSessions & { goOn: GoOn };
  tickets: TicketsOfUser;
};
export type UsersFeature = ReturnType<typeof createUsersFeature>;

/** The people of a company: who is there, what becomes of them, and what others hear of it. */
export function createUsersFeature(deps: UsersDeps) {
  const { db, realtime, sessions } = deps;
  const presence = createUserPresence(deps);
  const colleagues = createColleagues({ db });
  const editing = createEditing(deps);
  const removal = createRemoval(deps);

  return {
    ...presence,

    register(routes: Routes): void {
      registerUserRoutes(routes, { colleagues, editing, removal, goOn: sessions.goOn });
    },

    /** After a user's profile, queues or name changed: tells the company and moves his sockets to the right rooms. */
    async announceUser(ctx: Ctx, userId: UserId): Promise<void> {
      const account = await db.transaction(ctx, (tx) => findAccount(tx, ctx.companyId, userId));
      if (!account) throw new DomainError("ERR_NO_USER_FOUND");
      realtime.refreshUser(ctx.companyId, userId);
      publishUser(realtime, account);
    },
  };
}
