import type { CompanyId, ContactId } from "@balcao/contract";
import type { Tx } from "../../platform/db/database.ts";
import type { Realtime } from "../../platform/realtime/hub.ts";
import { rooms } from "../../platform/realtime/hub.ts";
import type { FullContactRow, ShownContactRow } from "./contact-row.ts";
import { toContactDto, toShownContactDto } from "./contact-row.ts";

/** The live events of contacts, to everybody of the company once the transaction has committed. */
export function createContactEvents(realtime: Realtime) {
  function told(tx: Tx, action: "create" | "update", row: FullContactRow | ShownContactRow): void {
    const contact = "extraInfo" in row ? toShownContactDto(row) : toContactDto(row);
    tx.onCommit(() =>
      realtime.publish(row.companyId, "contact", { action, contact }, [rooms.main(row.companyId)]),
    );
  }

  return {
    created: (tx: Tx, row: FullContactRow | ShownContactRow): void => told(tx, "create", row),
    updated: (tx: Tx, row: FullContactRow | ShownContactRow): void => told(tx, "update", row),
    deleted(tx: Tx, { companyId }: { companyId: CompanyId }, contactId: ContactId): void {
      tx.onCommit(() =>
        realtime.publish(companyId, "contact", { action: "delete", contactId }, [
          rooms.main(companyId),
        ]),
      );
    },
  };
}

export type ContactEvents = ReturnType<typeof createContactEvents>;
