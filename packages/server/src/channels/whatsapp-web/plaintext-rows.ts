import type { Tx } from "../../platform/db/database.ts";
import type { ConnectionRef } from "../runtime/index.ts";

export type StoredPlaintext = { id: number; messageId: string; data: Buffer };

const readPlaintexts = {
  name: "whatsapp-plaintexts-read",
  text: `select id, message_id as "messageId", data from whatsapp_plaintexts
          where company_id = $1 and connection_id = $2 and id > $3 order by id limit $4`,
};
const dropPlaintexts = {
  name: "whatsapp-plaintexts-drop",
  text: `delete from whatsapp_plaintexts
          where company_id = $1 and connection_id = $2 and message_id = any ($3)`,
};

const dropEarlier = {
  name: "whatsapp-plaintexts-drop-earlier",
  text: `delete from whatsapp_plaintexts where company_id = $1 and connection_id = $2 and id <= $3`,
};

const sweepPlaintexts = {
  name: "whatsapp-plaintexts-sweep",
  text: `delete from whatsapp_plaintexts where created_at < now() - interval '30 days'`,
};

/** In the order in which they were decrypted. */
export async function readPlaintextRows(
  tx: Tx,
  of: ConnectionRef,
  { afterId, limit }: { afterId: number; limit: number },
): Promise<StoredPlaintext[]> {
  return tx.query(readPlaintexts, [of.companyId, of.connectionId, afterId, limit]);
}

/** All up to this row. */
export async function dropPlaintextRowsUpTo(tx: Tx, of: ConnectionRef, id: number): Promise<void> {
  await tx.query(dropEarlier, [of.companyId, of.connectionId, id]);
}

export async function dropPlaintextRows(
  tx: Tx,
  of: ConnectionRef,
  messageIds: readonly string[],
): Promise<void> {
  await tx.query(dropPlaintexts, [of.companyId, of.connectionId, messageIds]);
}

/** Of connections that were never started again. */
export async function sweepPlaintextsAcrossCompanies(tx: Tx): Promise<void> {
  await tx.query(sweepPlaintexts);
}
