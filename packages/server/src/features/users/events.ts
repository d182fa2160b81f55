import type { UserId } from "@balcao/contract";
import type { Ctx } from "../../platform/context.ts";
import type { Realtime, Room } from "../../platform/realtime/hub.ts";
import { rooms } from "../../platform/realtime/hub.ts";
import type { AccountRow } from "./session-user.ts";
import { toSessionUser } from "./session-user.ts";

/**
 * Tells the company, but for the rooms `except`, how a user is now; his own clients replace what they hold by it
 * (wire-contract 7.4).
 */
export function publishUser(
  realtime: Realtime,
  account: AccountRow,
  action: "create" | "update" = "update",
  except: readonly Room[] = [],
): void {
  const { companyId } = account;
  const user = toSessionUser(account);
  // As in the list of colleagues, addresses to sign in with are for the user and for admins.
  const knowing = [rooms.admins(companyId), rooms.user(companyId, account.id)];
  realtime.publish(companyId, "user", { action, user }, knowing, except);
  const others = [...except, ...knowing];
  const known = { action, user: { ...user, email: "" } };
  realtime.publish(companyId, "user", known, [rooms.main(companyId)], others);
}

/** Tells the company that a user is no more; his own clients leave. */
export function publishDeletion(
  realtime: Realtime,
  { companyId }: Pick<Ctx, "companyId">,
  userId: UserId,
): void {
  realtime.publish(companyId, "user", { action: "delete", userId }, [rooms.main(companyId)]);
}
