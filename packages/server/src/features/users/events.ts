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
  const event = { action, user: toSessionUser(account) };
  realtime.publish(companyId, "user", event, [rooms.main(companyId)], except);
}

/** Tells the company that a user is no more; his own clients leave. */
export function publishDeletion(
  realtime: Realtime,
  { companyId }: Pick<Ctx, "companyId">,
  userId: UserId,
): void {
  realtime.publish(companyId, "user", { action: "delete", userId }, [rooms.main(companyId)]);
}
