import type { Tx } from "../../platform/db/database.ts";
import type { Realtime, Room } from "../../platform/realtime/hub.ts";
import { rooms } from "../../platform/realtime/hub.ts";
import type { ScheduleRow } from "./schedule.ts";
import { toScheduleDto } from "./schedule.ts";

/** The live events of scheduled messages, to those who may read them: whose it is, and admins. */
export function createScheduleEvents(realtime: Realtime) {
  const audience = ({ companyId, userId }: ScheduleRow): Room[] => {
    const admins = rooms.admins(companyId);
    return userId === null ? [admins] : [admins, rooms.user(companyId, userId)];
  };
  return {
    saved(tx: Tx, row: ScheduleRow, action: "create" | "update"): void {
      tx.onCommit(() => {
        const payload = { action, schedule: toScheduleDto(row) };
        realtime.publish(row.companyId, "schedule", payload, audience(row));
      });
    },
    deleted(tx: Tx, row: ScheduleRow): void {
      const payload = { action: "delete", scheduleId: row.id } as const;
      tx.onCommit(() => realtime.publish(row.companyId, "schedule", payload, audience(row)));
    },
  };
}

export type ScheduleEvents = ReturnType<typeof createScheduleEvents>;
