import type { Database } from "../../platform/db/database.ts";
import type { Logger } from "../../platform/logging/logger.ts";
import type { AddressKind } from "../../platform/db/schema/tickets.ts";
import type { ChatProvider } from "../port.ts";
import { Errand } from "./errand.ts";
import type { Lease } from "./fence.ts";
import { transactionUnderLease } from "./fence.ts";

type Receipt = { chatKey: string; toKind: AddressKind; toValue: string; providerId: string };

const readReceipts = {
  name: "read-receipts-read",
  text: `select chat_key as "chatKey", to_kind as "toKind", to_value as "toValue", provider_id as "providerId"
           from read_receipts where company_id = $1 and connection_id = $2 order by created_at limit 100`,
};
// A newer mark of the same chat replaced the row meanwhile: it stays for the next round.
const deleteReceipts = {
  name: "read-receipts-delete",
  text: `delete from read_receipts r
          using unnest($3::text[], $4::text[]) as told (chat_key, provider_id)
          where r.company_id = $1 and r.connection_id = $2
            and r.chat_key = told.chat_key and r.provider_id = told.provider_id`,
};

export type ReadReceiptsDeps = {
  db: Database;
  lease: Lease;
  log: Logger;
  onLeaseLost: () => void;
};

/** Tells customers what was read. Twice is harmless, so a receipt is told first and forgotten afterwards. */
export function receiptsErrand({ db, lease, log, onLeaseLost }: ReadReceiptsDeps): Errand {
  async function tell(provider: ChatProvider): Promise<boolean> {
    const { companyId, connectionId } = lease;
    const receipts = await db.transaction({ companyId }, (tx) =>
      tx.query<Receipt>(readReceipts, [companyId, connectionId]),
    );
    if (receipts.length === 0) return false;
    await provider.markRead(
      receipts.map(({ toKind, toValue, providerId }) => ({
        chat: { kind: toKind, value: toValue },
        id: providerId,
        fromMe: false,
      })),
    );
    await transactionUnderLease(db, lease, (tx) =>
      tx.query(deleteReceipts, [
        companyId,
        connectionId,
        receipts.map(({ chatKey }) => chatKey),
        receipts.map(({ providerId }) => providerId),
      ]),
    );
    // What was marked meanwhile, or did not fit into this round.
    return true;
  }

  return new Errand({ round: tell, failure: "read receipts were not told", onLeaseLost, log });
}
