import type { MessageId } from "@balcao/contract";
import type { Ctx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import type { MediaKey } from "../../platform/media/media-store.ts";
import type { MediaRow } from "./message-row.ts";

/** The file of a message that was stored a moment ago. */
export async function insertMedia(
  ctx: Ctx,
  tx: Tx,
  messageId: MessageId,
  media: MediaRow,
): Promise<void> {
  await tx.query(insertStatement, [ctx.companyId, messageId, ...valuesOf(media)]);
}

/** What is known of a file once it is here; false when nobody waits for it any more. */
export async function settleMedia(
  ctx: Ctx,
  tx: Tx,
  messageId: MessageId,
  media: MediaRow,
): Promise<boolean> {
  const rows = await tx.query(settleStatement, [ctx.companyId, messageId, ...valuesOf(media)]);
  return rows.length > 0;
}

/** Lets go of the file of a message that was deleted for everyone, for good; answers the keys that it had. */
export async function releaseMedia(ctx: Ctx, tx: Tx, messageId: MessageId): Promise<MediaKey[]> {
  const [row] = await tx.query<{ keys: MediaKey[] }>(releaseStatement, [ctx.companyId, messageId]);
  return row?.keys ?? [];
}

const valuesOf = (media: MediaRow): unknown[] => [
  media.kind,
  media.state,
  media.fileKey,
  media.thumbnailKey,
  media.name,
  media.mime,
  media.bytes,
  media.width,
  media.height,
  media.durationMs,
  media.waveform,
  media.isViewOnce,
];

const insertStatement = {
  name: "messages.insert-media",
  text: `
insert into message_media (company_id, message_id, kind, state, file_key, thumbnail_key, name, mime, bytes, width,
  height, duration_ms, waveform, is_view_once)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
};

const settleStatement = {
  name: "messages.settle-media",
  text: `
update message_media set kind = $3, state = $4, file_key = $5, thumbnail_key = $6, name = $7, mime = $8, bytes = $9,
  width = $10, height = $11, duration_ms = $12, waveform = $13, is_view_once = $14
where company_id = $1 and message_id = $2 and state = 'loading'
returning message_id`,
};

const releaseStatement = {
  name: "messages.release-media",
  text: `
with held as materialized (
  select f.file_key, f.thumbnail_key from message_media f
  join messages m on m.company_id = f.company_id and m.id = f.message_id
  where f.company_id = $1 and f.message_id = $2 and f.file_key is not null and m.is_deleted
  for update of f
)
update message_media f set state = 'unavailable', file_key = null, thumbnail_key = null
from held where f.company_id = $1 and f.message_id = $2
returning array_remove(array[held.file_key, held.thumbnail_key], null) as keys`,
};
