import type { ConnectionId, ContactId } from "@balcao/contract";
import type { PictureWish } from "../../channels/runtime/index.ts";
import type { Ctx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import type { MediaKey } from "../../platform/media/media-store.ts";
import type { FullContactRow } from "./contact-row.ts";
import { fullColumns } from "./contact-row.ts";

/** A contact's picture as it is stored; without one both are null. */
export type StoredPicture = { key: MediaKey | null; sha256: string | null };

/**
 * Contacts of the connection's living tickets that wrote since `activeSince` and were not asked for since `askedBefore`,
 * those who wrote last first; they count as asked for now. Contacts that others hold are left for the next time.
 */
export async function claimPictures(
  ctx: Ctx,
  tx: Tx,
  connectionId: ConnectionId,
  wanted: { count: number; activeSince: Date; askedBefore: Date; now: Date },
): Promise<PictureWish[]> {
  return tx.query<PictureWish>(claimStatement, [
    ctx.companyId,
    connectionId,
    wanted.activeSince,
    wanted.askedBefore,
    wanted.now,
    wanted.count,
  ]);
}

/** Notes that the network was asked now; undefined when there is no such contact. */
export async function notePictureCheck(
  ctx: Ctx,
  tx: Tx,
  id: ContactId,
  now: Date,
): Promise<StoredPicture | undefined> {
  const [row] = await tx.query<StoredPicture>(checkStatement, [ctx.companyId, id, now]);
  return row;
}

/** Puts another picture, or none, in the place of the one before; undefined when that is another one by now. */
export async function savePicture(
  ctx: Ctx,
  tx: Tx,
  saved: {
    id: ContactId;
    before: MediaKey | null;
    key: MediaKey | null;
    url: string;
    now: Date;
  },
): Promise<FullContactRow | undefined> {
  const { id, before, key, url, now } = saved;
  const values = [ctx.companyId, id, before, key, url, now];
  const [row] = await tx.query<FullContactRow>(saveStatement, values);
  return row;
}

const claimStatement = {
  name: "contacts.claim-pictures",
  text: `
with wanted as (
  select c.id from tickets t
  join contacts c on c.company_id = t.company_id and c.id = t.contact_id
  where t.company_id = $1 and t.connection_id = $2 and t.status in ('open', 'pending')
    and t.last_customer_message_at > $3 and (c.picture_checked_at is null or c.picture_checked_at <= $4)
  order by t.last_customer_message_at desc
  limit $6
  for no key update of c skip locked
), claimed as (
  update contacts c set picture_checked_at = $5
  from wanted where c.company_id = $1 and c.id = wanted.id
  returning c.id
)
select claimed.id as "contactId", json_build_object('kind', a.kind, 'value', a.value) as address
from claimed
join lateral (
  select kind, value from contact_addresses
  where company_id = $1 and contact_id = claimed.id and kind <> 'bsuid'
  order by array_position(array['group', 'pn', 'lid'], kind), key limit 1) a on true`,
};

const checkStatement = {
  name: "contacts.picture-checked",
  text: `
update contacts c set picture_checked_at = $3
where c.company_id = $1 and c.id = $2
returning c.picture_key as key,
  (select f.sha256 from files f where f.company_id = c.company_id and f.key = c.picture_key) as sha256`,
};

const saveStatement = {
  name: "contacts.save-picture",
  text: `
update contacts c set picture_key = $4, profile_pic_url = $5, updated_at = $6
where c.company_id = $1 and c.id = $2 and c.picture_key is not distinct from $3
returning ${fullColumns("c")}`,
};
