import type { Database } from "../../platform/db/database.ts";
import { columnsOf } from "../../platform/db/records.ts";
import { connections } from "../../platform/db/schema/index.ts";
import { DueWorker } from "../../platform/jobs/due-worker.ts";
import type { Logger } from "../../platform/logging/logger.ts";
import type { Realtime } from "../../platform/realtime/hub.ts";
import { rooms } from "../../platform/realtime/hub.ts";
import type { ConnectionRow } from "./connection.ts";
import { toSession } from "./connection.ts";

export type AlarmsDeps = {
  db: Database;
  realtime: Realtime;
  log: Logger;
  /** How long a connection must be lost before it is published. */
  afterMs: number;
  /** Between two looks. */
  lookEveryMs: number;
};

/** Looks for connections that were lost, and not ended by users, and publishes each once. */
export function createAlarms({ db, realtime, log, afterMs, lookEveryMs }: AlarmsDeps): DueWorker {
  return new DueWorker({
    name: "connection alarms",
    log,
    lookEveryMs,
    look: async () => {
      await db.acrossCompanies(async (tx) => {
        for (const row of await tx.query<ConnectionRow>(lostStatement, [afterMs])) {
          const { companyId, id: connectionId, closeReason } = row;
          log.warn({ companyId, connectionId, closeReason }, "a connection is lost");
          const update = { action: "update", session: toSession(row) } as const;
          tx.onCommit(() =>
            realtime.publish(companyId, "whatsappSession", update, [rooms.main(companyId)]),
          );
        }
      });
      return { due: [] };
    },
  });
}

// By hand: the rows are locked and changed by one statement. `connected_at` stays until users end a connection: one that
// has it and is not connected is lost.
const lostStatement = {
  name: "connections.alarm-across-companies",
  text: `
update connections w set alarmed_at = now(), updated_at = now()
from (
  select l.id from connections l join companies c on c.id = l.company_id
  where l.status <> 'CONNECTED' and l.connected_at is not null and l.alarmed_at is null
    and l.deleted_at is null
    and l.disconnected_at < now() - $1::int * interval '1 ms' and c.status
  order by l.disconnected_at limit 100
  for update of l skip locked
) lost
where w.id = lost.id
returning ${columnsOf(connections, "w")}`,
};
