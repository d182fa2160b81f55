import { createHash } from "node:crypto";
import type { CompanyId, ContactId } from "@balcao/contract";
import { subDays } from "date-fns/subDays";
import { subHours } from "date-fns/subHours";
import type {
  ChannelHandlers,
  ConnectionRef,
  PictureRequest,
} from "../../channels/runtime/index.ts";
import { systemCtx } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import type { MediaKey } from "../../platform/media/media-store.ts";
import type { DomainEvents } from "../../platform/events.ts";
import type { Realtime } from "../../platform/realtime/hub.ts";
import type { Clock } from "../../platform/sources.ts";
import type { MediaFiles } from "../media/index.ts";
import type { FullContactRow } from "./contact.ts";
import { fullColumns, tellContact } from "./contact.ts";

export type PicturesDeps = {
  db: Database;
  clock: Clock;
  realtime: Realtime;
  files: Pick<MediaFiles, "storeFile" | "removeUnused" | "signedPath">;
  domainEvents: DomainEvents;
};

/** A larger file is no profile picture. */
const MAX_BYTES = 2 * 1024 * 1024;
/** The network is asked for a contact once in this time, and only as long as the contact writes (behaviour 1.3). */
const ASKED_EVERY_HOURS = 24;
const ACTIVE_DAYS = 7;

export type ContactPictures = Pick<ChannelHandlers, "claimPictures" | "storePicture">;

/** The pictures that the chat network shows of contacts, as the channels fetch them. */
export const createContactPictures = (deps: PicturesDeps): ContactPictures => ({
  claimPictures: (tx, connection, count) => claimPictures(deps, tx, connection, count),
  storePicture: (companyId, contactId, content) =>
    storePicture(deps, companyId, contactId, content),
});

function claimPictures(
  { clock }: PicturesDeps,
  tx: Tx,
  { companyId, connectionId }: ConnectionRef,
  count: number,
): Promise<PictureRequest[]> {
  const now = clock.now();
  const [activeSince, askedBefore] = [subDays(now, ACTIVE_DAYS), subHours(now, ASKED_EVERY_HOURS)];
  const values = [companyId, connectionId, activeSince, askedBefore, now, count];
  return tx.query<PictureRequest>(claimStatement, values);
}

/**
 * Stores a contact's picture; null: the network shows none. Only a changed picture is published. Outside of transactions:
 * it writes a file. Throws as `storeFile` does for a file that is no JPEG or PNG; the contact counts as asked for all the
 * same.
 */
async function storePicture(
  { db, clock, realtime, files, domainEvents }: PicturesDeps,
  companyId: CompanyId,
  contactId: ContactId,
  content: Uint8Array | null,
): Promise<void> {
  const ctx = systemCtx(companyId, "pictures", `contact-${contactId}`);
  type StoredPicture = { key: MediaKey | null; sha256: string | null };
  const [stored] = await db.transaction(ctx, (tx) =>
    tx.query<StoredPicture>(checkStatement, [companyId, contactId, clock.now()]),
  );
  if (!stored || stored.sha256 === (content && sha256Of(content))) return;

  const key = content && (await storeFile(files, companyId, content));
  const isSaved = await db.transaction(ctx, async (tx) => {
    const values = [companyId, contactId, stored.key, key, clock.now()];
    const [row] = await tx.query<FullContactRow>(saveStatement, values);
    if (!row) return false;
    tellContact({ realtime, sign: files.signedPath }, tx, "update", row);
    await domainEvents.publish(tx, ctx, "contact.changed", { contactId, tickets: "living" });
    return true;
  });
  // A concurrent change came first: its picture stays.
  const unused = isSaved ? stored.key : key;
  if (unused !== null) await files.removeUnused(companyId, [unused]);
}

async function storeFile(
  files: PicturesDeps["files"],
  companyId: CompanyId,
  content: Uint8Array,
): Promise<MediaKey> {
  const file = { name: "picture", content: inOnePiece(content) };
  const rules = { accept: "image", maxBytes: MAX_BYTES } as const;
  const { key, thumbnailKey } = await files.storeFile(companyId, file, rules);
  if (thumbnailKey !== null) await files.removeUnused(companyId, [thumbnailKey]);
  return key;
}

const sha256Of = (content: Uint8Array): string =>
  createHash("sha256").update(content).digest("hex");

async function* inOnePiece(content: Uint8Array): AsyncGenerator<Uint8Array> {
  yield content;
}

/**
 * By hand: locked contacts are skipped until the next time. Contacts of the connection's tickets that wait or are served,
 * the last writer first; they count as asked for from now on.
 */
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
update contacts c set picture_key = $4, updated_at = $5
where c.company_id = $1 and c.id = $2 and c.picture_key is not distinct from $3
returning ${fullColumns("c")}`,
};
