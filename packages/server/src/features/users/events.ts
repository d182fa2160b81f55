import type { Realtime } from "../../platform/realtime/hub.ts";
import { rooms } from "../../platform/realtime/hub.ts";
import type { AccountRow } from "./session-user.ts";
import { toSessionUser } from "./session-user.ts";

/** Tells the company how a user is now; his own clients replace what they hold by it (wire-contract 7.4). */
export function publishUser(realtime: Realtime, account: AccountRow): void {
  realtime.publish(account.companyId, "user", { action: "update", user: toSessionUser(account) }, [
    rooms.main(account.companyId),
  ]);
}
