import type { MessageId } from "@balcao/contract";
import type { Tx } from "../../platform/db/database.ts";
import { LeaseLost } from "../port.ts";
import type { Lease } from "./fence.ts";
import { heldLease, leaseValues } from "./fence.ts";

export type DownloadRow = {
  id: number;
  messageId: MessageId;
  source: string;
  /** Tries begun, this one included; one that a killed process began counts. */
  attempts: number;
};

// Only the owner of the connection fetches, so a due row that it is not fetching itself is nobody's: never tried,
// waiting for its next try, or left behind by a process that was killed.
const claimDue = {
  name: "media-download-claim",
  text: `with ${heldLease}, due as (
           select id from media_downloads
            where company_id = $1 and connection_id = $2 and due_at <= now() and id <> all ($5::bigint[])
              and exists (select 1 from held)
            order by due_at, id limit 1
              for no key update skip locked
         ), claimed as (
           update media_downloads d set attempts = attempts + 1, fence = $4
             from due where d.company_id = $1 and d.id = due.id
           returning d.id, d.message_id, d.source, d.attempts
         )
         select (select count(*) from held) as held, id, message_id as "messageId", source, attempts
           from (values (1)) as always left join claimed on true`,
};
const putBack = {
  name: "media-download-put-back",
  text: `with ${heldLease}
         update media_downloads
            set fence = null, due_at = now() + $6::int * interval '1 ms', attempts = attempts - $7::int
          where company_id = $1 and id = $5 and exists (select 1 from held)`,
};
const remove = {
  name: "media-download-remove",
  text: `with ${heldLease}, gone as (
           delete from media_downloads where company_id = $1 and id = $5 and exists (select 1 from held)
           returning 1
         )
         select (select count(*) from held) as held, (select count(*) from gone) as gone`,
};

/** The oldest due row without those that are being fetched here, if there is one. */
export async function claimDownload(
  tx: Tx,
  lease: Lease,
  fetching: readonly number[],
): Promise<DownloadRow | null> {
  const [row] = await tx.query<{ held: number } & (DownloadRow | { id: null })>(claimDue, [
    ...leaseValues(lease),
    fetching,
  ]);
  if (row?.held !== 1) throw new LeaseLost();
  return row.id === null ? null : row;
}

/** For another try; `isCounted` false takes this one back. */
export async function putDownloadBack(
  tx: Tx,
  lease: Lease,
  { id, waitMs, isCounted }: { id: number; waitMs: number; isCounted: boolean },
): Promise<void> {
  await tx.query(putBack, [...leaseValues(lease), id, waitMs, isCounted ? 0 : 1]);
}

/** It is over. False: the message was deleted meanwhile. */
export async function removeDownload(tx: Tx, lease: Lease, id: number): Promise<boolean> {
  const [row] = await tx.query<{ held: number; gone: number }>(remove, [...leaseValues(lease), id]);
  if (row?.held !== 1) throw new LeaseLost();
  return row.gone === 1;
}
