import type { Tx } from "../../platform/db/database.ts";

export const saveSent = {
  name: "whatsapp-sent-save",
  text: `insert into whatsapp_sent (company_id, connection_id, message_id, data) values ($1, $2, $3, $4)
         on conflict do nothing`,
};
export const readSent = {
  name: "whatsapp-sent-read",
  text: `select data from whatsapp_sent
          where company_id = $1 and connection_id = $2 and message_id = $3
            and created_at > now() - interval '1 day'`,
};
const sweepSent = {
  name: "whatsapp-sent-sweep",
  text: `delete from whatsapp_sent where created_at < now() - interval '2 days'`,
};

/** Nobody asks for them any more. */
export async function sweepSentAcrossCompanies(tx: Tx): Promise<void> {
  await tx.query(sweepSent);
}
