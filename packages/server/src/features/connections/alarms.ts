import type { CompanyId, ConnectionId } from "@balcao/contract";
import { systemCtx } from "../../platform/context.ts";
import type { Database } from "../../platform/db/database.ts";
import { columnsOf, holds } from "../../platform/db/records.ts";
import { connections } from "../../platform/db/schema/index.ts";
import type { DomainEvents } from "../../platform/events.ts";
import { DueWorker } from "../../platform/jobs/due-worker.ts";
import type { Logger } from "../../platform/logging/logger.ts";
import type { Realtime } from "../../platform/realtime/hub.ts";
import { rooms } from "../../platform/realtime/hub.ts";
import type { IdSource } from "../../platform/sources.ts";
import type { MailsFeature } from "../mails/index.ts";
import type { ConnectionRow } from "./connection.ts";
import { toSession } from "./connection.ts";

declare module "../../platform/events.ts" {
  interface EventPayloads {
    /** A connection has been lost for as long as an alarm waits; once for each loss. */
    "connection.lost": { connectionId: ConnectionId };
  }
}

export type AlarmsDeps = {
  db: Database;
  ids: IdSource;
  realtime: Realtime;
  domainEvents: DomainEvents;
  log: Logger;
  /** How long a connection must be lost before it is published. */
  afterMs: number;
  /** Between two looks. */
  lookEveryMs: number;
};

/** Looks for connections that were lost, and not ended by users, and publishes each once. */
export function createAlarms(deps: AlarmsDeps): DueWorker {
  const { db, realtime, log, afterMs, lookEveryMs } = deps;
  return new DueWorker({
    name: "connection alarms",
    log,
    lookEveryMs,
    look: async () => {
      await db.acrossCompanies(async (tx) => {
        for (const row of await tx.query<ConnectionRow>(lostStatement, [afterMs])) {
          const { companyId, id: connectionId, closeReason } = row;
          log.warn({ companyId, connectionId, closeReason }, "a connection is lost");
          const ctx = systemCtx(companyId, "connection alarms", deps.ids.uuid());
          await deps.domainEvents.publish(tx, ctx, "connection.lost", { connectionId });
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

/** How long a connection is lost before admins get an e-mail. */
const LOSS_MAIL_MINUTES = 15;

export type LossMailsDeps = {
  db: Database;
  mails: Pick<MailsFeature, "addAll">;
  /** The installation's address for others; null when nobody said it. */
  publicUrl: string | null;
};

type LossReader = {
  companyId: CompanyId;
  company: string;
  timeZone: string;
  connection: string;
  since: Date;
  name: string;
  address: string;
};

/**
 * Tells the admins of each company by e-mail of connections that are wanted and have been lost for long: once for each loss,
 * with the mark in the same transaction. Two statements, however many there are.
 */
export async function mailLossesAcrossCompanies(deps: LossMailsDeps): Promise<void> {
  const { db, mails, publicUrl } = deps;
  const url = publicUrl === null ? null : `${publicUrl}/connections`;
  await db.acrossCompanies(async (tx) => {
    const readers = await tx.query<LossReader>(unmailedStatement, [LOSS_MAIL_MINUTES]);
    // The languages of users are not known; the product's first one is taken.
    const told = readers.map(({ companyId, name, address, ...data }) => ({
      ...({ companyId, to: { name, address }, language: "pt", kind: "connection-lost" } as const),
      data: { ...data, url },
    }));
    await mails.addAll(tx, told);
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

// The mark goes with the alarm, when the connection is back or users end it.
const unmailedStatement = {
  name: "connections.mail-losses-across-companies",
  text: `
with lost as (
  update connections w set loss_mailed_at = now()
  from (
    select l.id from connections l join companies c on c.id = l.company_id
    where l.alarmed_at is not null and l.loss_mailed_at is null and l.wanted and l.deleted_at is null
      and l.disconnected_at < now() - $1::int * interval '1 min' and c.status
    order by l.disconnected_at limit 100
    for update of l skip locked
  ) x
  where w.id = x.id
  returning w.id, w.company_id, w.name, w.disconnected_at
)
select l.company_id as "companyId", c.name as company, c.time_zone as "timeZone", l.name as connection, l.disconnected_at as since,
  u.name, u.email as address
from lost l
join companies c on c.id = l.company_id
join users u on u.company_id = l.company_id and u.deleted_at is null and ${holds("u", "connections:manage")}
order by l.id, u.id`,
};
