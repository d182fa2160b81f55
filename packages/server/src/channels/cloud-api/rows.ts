import type { Database, Tx } from "../../platform/db/database.ts";
import type { Logger } from "../../platform/logging/logger.ts";
import type { Address, DurableEvent, ProviderContext } from "../port.ts";
import type { CloudLine } from "./accounts.ts";
import type { Delivery } from "./delivery.ts";
import { readDelivery } from "./delivery.ts";
import type { KnownId } from "./inbound.ts";
import { idsLearned, toEvents, wamidsIn } from "./inbound.ts";

type DeliveryRow = { id: number; body: string };

/** Meta keeps an uploaded file 30 days. */
const UPLOAD_DAYS = 29;

const storeDeliveryStatement = {
  name: "cloud-delivery-store",
  text: "insert into cloud_deliveries (company_id, connection_id, body) values ($1, $2, $3)",
};
const readDeliveriesStatement = {
  name: "cloud-deliveries-read",
  text: `
select id, body from cloud_deliveries
where company_id = $1 and connection_id = $2 and failed_at is null order by id limit $3`,
};
const deleteDeliveriesStatement = {
  name: "cloud-deliveries-delete",
  text: "delete from cloud_deliveries where company_id = $1 and connection_id = $2 and id = any ($3::bigint[])",
};
const failDeliveriesStatement = {
  name: "cloud-deliveries-fail",
  text: `
update cloud_deliveries set failed_at = now()
where company_id = $1 and connection_id = $2 and id = any ($3::bigint[])`,
};
const busyStatement = {
  name: "cloud-deliveries-busy",
  text: `
select distinct connection_id as "connectionId" from cloud_deliveries
where connection_id = any ($1::int[]) and failed_at is null`,
};
const learnStatement = {
  name: "cloud-message-ids-learn",
  text: `
insert into cloud_message_ids (company_id, connection_id, provider_id, wamid)
select $1, $2, known.provider_id, known.wamid from unnest($3::text[], $4::text[]) as known(provider_id, wamid)
on conflict do nothing`,
};
const oursStatement = {
  name: "cloud-message-ids-ours",
  text: `
select provider_id as "providerId", wamid from cloud_message_ids
where company_id = $1 and connection_id = $2 and wamid = any ($3::text[])`,
};
const wamidStatement = {
  name: "cloud-message-ids-wamid",
  text: `
select wamid from cloud_message_ids where company_id = $1 and connection_id = $2 and provider_id = $3`,
};
const uploadStatement = {
  name: "cloud-upload-find",
  text: `
select media_id as "mediaId" from cloud_uploads
where company_id = $1 and connection_id = $2 and file_key = $3 and created_at > now() - interval '${UPLOAD_DAYS} days'`,
};
const keepUploadStatement = {
  name: "cloud-upload-keep",
  text: `
with old as (
  delete from cloud_uploads
  where company_id = $1 and connection_id = $2 and file_key <> $3
    and created_at <= now() - interval '${UPLOAD_DAYS} days'
)
insert into cloud_uploads (company_id, connection_id, file_key, media_id) values ($1, $2, $3, $4)
on conflict (company_id, connection_id, file_key) do update set media_id = excluded.media_id, created_at = now()`,
};
const forgetUploadStatement = {
  name: "cloud-upload-forget",
  text: "delete from cloud_uploads where company_id = $1 and connection_id = $2 and file_key = $3",
};
// A send without an answer has no id of Meta's. A row whose outcome was already reported has one.
const silentStatement = {
  name: "cloud-outbound-silent",
  text: `
select o.provider_id as "providerId", o.to_kind as kind, o.to_value as value from outbound o
where o.company_id = $1 and o.connection_id = $2 and o.state in ('sent', 'unconfirmed') and o.error_code is null
  and o.attempted_at <= now() - $3::int * interval '1 ms'
  and not exists (select from cloud_message_ids k
    where k.company_id = $1 and k.connection_id = $2 and k.provider_id = o.provider_id)
order by o.id limit 100`,
};

const valuesOf = ({ companyId, connectionId }: CloudLine) => [companyId, connectionId];

export async function storeDelivery(tx: Tx, line: CloudLine, body: string): Promise<void> {
  await tx.query(storeDeliveryStatement, [...valuesOf(line), body]);
}

/** The oldest unread deliveries. */
async function readDeliveries(tx: Tx, line: CloudLine, limit: number): Promise<DeliveryRow[]> {
  return tx.query<DeliveryRow>(readDeliveriesStatement, [...valuesOf(line), limit]);
}

async function deleteDeliveries(tx: Tx, line: CloudLine, ids: readonly number[]): Promise<void> {
  await tx.query(deleteDeliveriesStatement, [...valuesOf(line), ids]);
}

/** Marks deliveries that could not be read; they are kept for diagnosis. */
async function failDeliveries(tx: Tx, line: CloudLine, ids: readonly number[]): Promise<void> {
  await tx.query(failDeliveriesStatement, [...valuesOf(line), ids]);
}

/** The given connections that have unread deliveries. */
export async function readBusyAcrossCompanies(
  db: Database,
  connectionIds: readonly CloudLine["connectionId"][],
): Promise<CloudLine["connectionId"][]> {
  const rows = await db.readAcrossCompanies<Pick<CloudLine, "connectionId">>(busyStatement, [
    connectionIds,
  ]);
  return rows.map(({ connectionId }) => connectionId);
}

export async function learnIds(tx: Tx, line: CloudLine, ids: readonly KnownId[]): Promise<void> {
  if (ids.length === 0) return;
  const providerIds = ids.map(({ providerId }) => providerId);
  const wamids = ids.map(({ wamid }) => wamid);
  await tx.query(learnStatement, [...valuesOf(line), providerIds, wamids]);
}

/** Our ids of the messages that we sent. */
async function readOurs(
  tx: Tx,
  line: CloudLine,
  wamids: readonly string[],
): Promise<Map<string, string>> {
  if (wamids.length === 0) return new Map();
  const rows = await tx.query<KnownId>(oursStatement, [...valuesOf(line), wamids]);
  return new Map(rows.map(({ wamid, providerId }) => [wamid, providerId]));
}

/** Meta's id of a message that we sent; null when it is unknown. */
export async function readWamid(
  tx: Tx,
  line: CloudLine,
  providerId: string,
): Promise<string | null> {
  const [row] = await tx.query<{ wamid: string }>(wamidStatement, [...valuesOf(line), providerId]);
  return row?.wamid ?? null;
}

/** Meta's id of an uploaded file; null when it must be uploaded. */
export async function findUpload(tx: Tx, line: CloudLine, fileKey: string): Promise<string | null> {
  const [row] = await tx.query<{ mediaId: string }>(uploadStatement, [...valuesOf(line), fileKey]);
  return row?.mediaId ?? null;
}

export async function keepUpload(
  tx: Tx,
  line: CloudLine,
  { fileKey, mediaId }: { fileKey: string; mediaId: string },
): Promise<void> {
  await tx.query(keepUploadStatement, [...valuesOf(line), fileKey, mediaId]);
}

export async function forgetUpload(tx: Tx, line: CloudLine, fileKey: string): Promise<void> {
  await tx.query(forgetUploadStatement, [...valuesOf(line), fileKey]);
}

/** Old sends without any status from Meta. */
export async function readSilent(
  tx: Tx,
  line: CloudLine,
  afterMs: number,
): Promise<{ providerId: string; to: Address }[]> {
  const rows = await tx.query<{ providerId: string } & Address>(silentStatement, [
    ...valuesOf(line),
    afterMs,
  ]);
  return rows.map(({ providerId, kind, value }) => ({ providerId, to: { kind, value } }));
}

type DeliveriesDeps = {
  context: ProviderContext;
  phoneNumberId: string;
  log: Logger;
  /** Called with the events before they are stored. */
  onEvents: (events: readonly DurableEvent[]) => void;
};

const AT_ONCE = 50;

/**
 * Moves Meta's deliveries to the journal, the oldest first. A row is deleted after its events are stored: a crash in
 * between stores them once more, which is harmless. Returns whether there may be more.
 */
export async function takeDeliveries(deps: DeliveriesDeps): Promise<boolean> {
  const { context, phoneNumberId, log, onEvents } = deps;
  const rows = await context.transaction((tx) => readDeliveries(tx, context, AT_ONCE));
  if (rows.length === 0) return false;
  const read = rows.map((row) => ({ row, delivery: readDelivery(row.body, phoneNumberId) }));
  const readable = read.flatMap(({ delivery }) => delivery ?? []);
  for (const { notices } of readable) {
    for (const { field, event } of notices) {
      log.info({ connectionId: context.connectionId, field, event }, "news from Meta");
    }
  }
  const ours = await idsOf(context, readable);
  const events = readable.flatMap((delivery) => toEvents(delivery, ours));
  onEvents(events);
  await context.sink.store(events);
  await settle(deps, read);
  return rows.length === AT_ONCE;
}

async function idsOf(
  context: ProviderContext,
  deliveries: readonly Delivery[],
): Promise<ReadonlyMap<string, string>> {
  const learned: KnownId[] = deliveries.flatMap(idsLearned);
  const asked = [...new Set(deliveries.flatMap(wamidsIn))];
  if (asked.length === 0) return new Map();
  return context.transaction(async (tx) => {
    await learnIds(tx, context, learned);
    return readOurs(tx, context, asked);
  });
}

async function settle(
  { context, log }: DeliveriesDeps,
  read: readonly { row: DeliveryRow; delivery: Delivery | null }[],
): Promise<void> {
  const isGood = ({ delivery }: { delivery: Delivery | null }) => delivery?.faults === 0;
  const good = read.filter((one) => isGood(one)).map(({ row }) => row.id);
  const bad = read.filter((one) => !isGood(one)).map(({ row }) => row.id);
  if (bad.length > 0) {
    const { connectionId } = context;
    log.error({ connectionId, deliveries: bad }, "deliveries from Meta could not be read");
  }
  await context.transaction(async (tx) => {
    if (good.length > 0) await deleteDeliveries(tx, context, good);
    if (bad.length > 0) await failDeliveries(tx, context, bad);
  });
}
