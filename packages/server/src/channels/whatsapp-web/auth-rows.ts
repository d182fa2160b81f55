import type { Tx } from "../../platform/db/database.ts";
import type { ConnectionRef } from "../runtime/index.ts";

export type KeyRow = { type: string; id: string; data: Buffer };
export type PlaintextRow = { messageId: string; data: Buffer };

const readCredentials = {
  name: "whatsapp-credentials-read",
  text: `select data from whatsapp_credentials where company_id = $1 and connection_id = $2`,
};
const saveCredentials = {
  name: "whatsapp-credentials-save",
  text: `insert into whatsapp_credentials (company_id, connection_id, data) values ($1, $2, $3)
         on conflict (connection_id) do update set data = excluded.data, updated_at = now()`,
};
const readKeys = {
  name: "whatsapp-keys-read",
  text: `select id, data from whatsapp_keys
          where company_id = $1 and connection_id = $2 and type = $3 and id = any ($4)`,
};
const saveKeys = {
  name: "whatsapp-keys-save",
  text: `insert into whatsapp_keys (company_id, connection_id, type, id, data)
         select $1, $2, given.type, given.id, given.data
           from unnest($3::text[], $4::text[], $5::bytea[]) as given (type, id, data)
         on conflict (company_id, connection_id, type, id) do update set data = excluded.data`,
};
const dropKeys = {
  name: "whatsapp-keys-drop",
  text: `delete from whatsapp_keys k using unnest($3::text[], $4::text[]) as gone (type, id)
          where k.company_id = $1 and k.connection_id = $2 and k.type = gone.type and k.id = gone.id`,
};
const savePlaintexts = {
  name: "whatsapp-plaintexts-save",
  text: `insert into whatsapp_plaintexts (company_id, connection_id, message_id, data)
         select $1, $2, given.id, given.data from unnest($3::text[], $4::bytea[]) as given (id, data)`,
};
const wipe = {
  name: "whatsapp-wipe",
  text: `with keys as (delete from whatsapp_keys where company_id = $1 and connection_id = $2)
         delete from whatsapp_credentials where company_id = $1 and connection_id = $2`,
};

export async function readCredentialsRow(tx: Tx, of: ConnectionRef): Promise<Buffer | null> {
  const [row] = await tx.query<{ data: Buffer }>(readCredentials, [of.companyId, of.connectionId]);
  return row?.data ?? null;
}

export async function saveCredentialsRow(tx: Tx, of: ConnectionRef, data: Buffer): Promise<void> {
  await tx.query(saveCredentials, [of.companyId, of.connectionId, data]);
}

export async function readKeyRows(
  tx: Tx,
  of: ConnectionRef,
  type: string,
  ids: readonly string[],
): Promise<{ id: string; data: Buffer }[]> {
  return tx.query(readKeys, [of.companyId, of.connectionId, type, ids]);
}

/** Rows are given in one order by all writers, so that none waits for another in a circle. */
export async function writeKeyRows(
  tx: Tx,
  of: ConnectionRef,
  {
    saved,
    dropped,
    plaintexts,
  }: {
    saved: readonly KeyRow[];
    dropped: readonly { type: string; id: string }[];
    plaintexts: readonly PlaintextRow[];
  },
): Promise<void> {
  const whose = [of.companyId, of.connectionId];
  if (saved.length > 0) {
    const columns = [saved.map((row) => row.type), saved.map((row) => row.id)];
    await tx.query(saveKeys, [...whose, ...columns, saved.map((row) => row.data)]);
  }
  if (dropped.length > 0) {
    const columns = [dropped.map((row) => row.type), dropped.map((row) => row.id)];
    await tx.query(dropKeys, [...whose, ...columns]);
  }
  if (plaintexts.length > 0) {
    const columns = [plaintexts.map((row) => row.messageId), plaintexts.map((row) => row.data)];
    await tx.query(savePlaintexts, [...whose, ...columns]);
  }
}

/** Forgets the link: credentials and all keys. What was decrypted or sent under it stays. */
export async function wipeLink(tx: Tx, of: ConnectionRef): Promise<void> {
  await tx.query(wipe, [of.companyId, of.connectionId]);
}
