import type { ChannelKind, CompanyId, ConnectionId, ConnectionStatus } from "@balcao/contract";
import type { Database, Tx } from "../../platform/db/database.ts";
import type { Lease } from "./fence.ts";
import { heldLease, leaseValues } from "./fence.ts";

/** What people want of a connection, and what waits for it. */
export type WantedConnection = {
  connectionId: ConnectionId;
  companyId: CompanyId;
  /** Whose adapter is needed now: of the link that is to be removed, else of the connection. */
  channel: ChannelKind;
  /** Of the connection, once nothing is left to be unlinked. */
  nextChannel: ChannelKind;
  status: ConnectionStatus;
  /** By people, and the company is active. */
  isWanted: boolean;
  startGeneration: number;
  unlinkRequested: boolean;
  /** The phone to be linked by a typed code. */
  pairingPhone: string | null;
  /** The journal holds events that nobody has handled. */
  hasJournal: boolean;
  hasOutbound: boolean;
  /** How long the oldest message that waits has been due; null for none. */
  outboundLagSeconds: number | null;
  hasReceipts: boolean;
  /** Files are due to be fetched. */
  hasMedia: boolean;
  hasQuestions: boolean;
  /** Who holds a lease that has not expired. */
  owner: string | null;
};

const readWanted = {
  name: "connections-wanted",
  text: `select c.id as "connectionId", c.company_id as "companyId", c.status,
                case when c.unlink_requested then coalesce(c.unlink_channel, c.channel) else c.channel end as channel,
                c.channel as "nextChannel",
                c.wanted and company.status as "isWanted", c.start_generation as "startGeneration",
                c.unlink_requested as "unlinkRequested", c.pairing_phone as "pairingPhone",
                exists (select 1 from inbound_journal j
                         where j.connection_id = c.id and j.failed_at is null) as "hasJournal",
                first.id is not null as "hasOutbound",
                greatest(0, extract(epoch from now() - first.due_at))::float8 as "outboundLagSeconds",
                exists (select 1 from read_receipts r where r.connection_id = c.id) as "hasReceipts",
                exists (select 1 from media_downloads d
                         where d.connection_id = c.id and d.due_at <= now()) as "hasMedia",
                exists (select 1 from channel_questions q
                         where q.connection_id = c.id and q.answer is null
                           and q.created_at > now() - interval '20 s') as "hasQuestions",
                case when l.expires_at >= now() then l.owner end as owner
           from connections c
           join companies company on company.id = c.company_id
           left join connection_leases l on l.connection_id = c.id
           left join lateral (
             select o.id, o.due_at from outbound o
              where o.connection_id = c.id and o.state = 'queued'
              order by o.id limit 1) first on true
          where c.deleted_at is null
            and ((c.wanted and company.status) or c.unlink_requested or c.id = any ($1)
                 or exists (select 1 from inbound_journal j
                             where j.connection_id = c.id and j.failed_at is null))
          order by c.id`,
};
const clearUnlink = {
  name: "connections-clear-unlink",
  text: `with ${heldLease}
         update connections set unlink_requested = false, unlink_channel = null
          where company_id = $1 and id = $2 and start_generation = $5
            and exists (select 1 from held)`,
};
const endWanted = {
  name: "connections-end-wanted",
  text: `with ${heldLease}
         update connections set wanted = false
          where company_id = $1 and id = $2 and start_generation = $5
            and exists (select 1 from held)`,
};

/** Connections that somebody must see to, and those named (owned here). */
export async function readWantedAcrossCompanies(
  db: Database,
  owned: readonly ConnectionId[],
): Promise<WantedConnection[]> {
  return db.acrossCompanies((tx) => tx.query<WantedConnection>(readWanted, [owned]));
}

/** The unlink that was asked for with this start is done. */
export async function clearUnlinkRequest(db: Database, lease: Lease, generation: number) {
  await db.transaction({ companyId: lease.companyId }, (tx) =>
    tx.query(clearUnlink, [...leaseValues(lease), generation]),
  );
}

/** The connection waits for people now, unless they have asked for another start meanwhile. */
export async function markUnwanted(tx: Tx, lease: Lease, generation: number): Promise<void> {
  await tx.query(endWanted, [...leaseValues(lease), generation]);
}
