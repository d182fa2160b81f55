import type { Tx } from "../../platform/db/database.ts";
import type { Realtime, Room } from "../../platform/realtime/hub.ts";
import { rooms } from "../../platform/realtime/hub.ts";
import type { AddressOf, QuickMessageRow } from "./quick-message.ts";
import { toQuickMessageDto } from "./quick-message.ts";

/** Live events of quick messages: the company's to everybody, the others to their owner; sent after the commit. */
export function createQuickMessageEvents(realtime: Realtime, addressOf: AddressOf) {
  return {
    created(tx: Tx, row: QuickMessageRow): void {
      tx.onCommit(() => {
        const record = toQuickMessageDto(row, addressOf);
        realtime.publish(row.companyId, "quickmessage", { action: "create", record }, roomsOf(row));
      });
    },

    /** Those who had it and have it no longer hear that it is gone. */
    updated(tx: Tx, before: QuickMessageRow, row: QuickMessageRow): void {
      tx.onCommit(() => {
        const { companyId, id } = row;
        const told = roomsOf(row);
        const record = toQuickMessageDto(row, addressOf);
        realtime.publish(companyId, "quickmessage", { action: "update", record }, told);
        if (before.geral && !row.geral) {
          const everybody = [rooms.main(companyId)];
          realtime.publish(companyId, "quickmessage", { action: "delete", id }, everybody, told);
        }
      });
    },

    deleted(tx: Tx, row: QuickMessageRow): void {
      const { companyId, id } = row;
      tx.onCommit(() =>
        realtime.publish(companyId, "quickmessage", { action: "delete", id }, roomsOf(row)),
      );
    },
  };
}

export type QuickMessageEvents = ReturnType<typeof createQuickMessageEvents>;

function roomsOf({ companyId, userId, geral }: QuickMessageRow): Room[] {
  if (geral) return [rooms.main(companyId)];
  return userId === null ? [] : [rooms.user(companyId, userId)];
}
