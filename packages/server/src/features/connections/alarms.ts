import type { CompanyId, ConnectionId } from "@balcao/contract";
import type { Database } from "../../platform/db/database.ts";
import { isUnavailable } from "../../platform/db/unavailable.ts";
import type { Logger } from "../../platform/logging/logger.ts";
import type { Realtime } from "../../platform/realtime/hub.ts";
import { rooms } from "../../platform/realtime/hub.ts";
import { toSessionDto } from "./connection.ts";
import { findConnection } from "./repository.ts";

export type AlarmsDeps = {
  db: Database;
  realtime: Realtime;
  log: Logger;
  /** How long a connection must be lost before people are told. */
  afterMs: number;
  /** Between two looks. */
  lookEveryMs: number;
};

/** Looks for connections that were lost, and not by people, and tells of each once. */
export type Alarms = {
  start(): void;
  /** One look; resolves when those found are told. */
  look(): Promise<void>;
  stop(): Promise<void>;
};

export function createAlarms({ db, realtime, log, afterMs, lookEveryMs }: AlarmsDeps): Alarms {
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | null = null;

  async function tellLost(): Promise<void> {
    await db.acrossCompanies(async (tx) => {
      const lost = await tx.query<Lost>(lostStatement, [afterMs]);
      for (const { companyId, connectionId } of lost) {
        const row = await findConnection({ companyId }, tx, connectionId);
        if (!row) continue;
        const { closeReason } = row;
        log.warn({ companyId, connectionId, closeReason }, "a connection is lost");
        const update = { action: "update", session: toSessionDto(row) } as const;
        tx.onCommit(() =>
          realtime.publish(companyId, "whatsappSession", update, [rooms.main(companyId)]),
        );
      }
    });
  }

  function look(): Promise<void> {
    looking ??= tellLost().finally(() => {
      looking = null;
    });
    return looking;
  }

  function lookAndGoOn(): void {
    look().catch((error: unknown) => {
      if (isUnavailable(error)) log.warn({ err: error }, "lost connections are not looked for now");
      else log.error({ err: error }, "lost connections were not looked for");
    });
  }

  return {
    start() {
      timer = setInterval(lookAndGoOn, lookEveryMs);
      timer.unref();
    },
    look,
    async stop() {
      clearInterval(timer);
      await looking?.catch(() => undefined);
    },
  };
}

type Lost = { companyId: CompanyId; connectionId: ConnectionId };

/** `connected_at` stays until people end a connection: what has it and is not connected is lost. */
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
returning w.company_id as "companyId", w.id as "connectionId"`,
};
