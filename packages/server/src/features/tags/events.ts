import type { TagId } from "@balcao/contract";
import type { Ctx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import type { Realtime } from "../../platform/realtime/hub.ts";
import { rooms } from "../../platform/realtime/hub.ts";
import type { TagRow } from "./tag.ts";
import { toTagDto } from "./tag.ts";

/** The live events of tags, to the whole company; each is sent once the transaction has committed. */
export function createTagEvents(realtime: Realtime) {
  return {
    saved(tx: Tx, row: TagRow, action: "create" | "update"): void {
      tx.onCommit(() => {
        const tag = toTagDto(row);
        const payload = { action, tag, tags: tag, tagId: tag.id };
        realtime.publish(row.companyId, "tag", payload, [rooms.main(row.companyId)]);
      });
    },
    /** Clients take it from the tickets they show. */
    deleted(tx: Tx, { companyId }: Ctx, tagId: TagId): void {
      tx.onCommit(() =>
        realtime.publish(companyId, "tag", { action: "delete", tagId }, [rooms.main(companyId)]),
      );
    },
  };
}

export type TagEvents = ReturnType<typeof createTagEvents>;
