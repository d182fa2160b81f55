import type { Queue } from "@balcao/contract";
import { asc, eq, sql } from "drizzle-orm";
import type { UserCtx } from "../../platform/context.ts";
import type { Database } from "../../platform/db/database.ts";
import { toIso } from "../../platform/db/row-dates.ts";
import { queues } from "../../platform/db/schema/index.ts";
import type { Routes } from "../../platform/http/routes.ts";

/** The queues ("filas") of a company (wire-contract 5.18). */
export function createQueuesFeature({ db }: { db: Database }) {
  async function list(ctx: UserCtx): Promise<Queue[]> {
    const rows = await db.transaction(ctx, (tx) =>
      tx.orm
        .select()
        .from(queues)
        .where(eq(queues.companyId, ctx.companyId))
        .orderBy(sql`${queues.orderQueue} nulls last`, asc(queues.id)),
    );
    return rows.map(toQueue);
  }

  return {
    register(routes: Routes): void {
      routes.handle("GET /queue", ({ ctx }) => list(ctx));
    },
  };
}

function toQueue(row: typeof queues.$inferSelect): Queue {
  return {
    id: row.id,
    name: row.name,
    color: row.color,
    greetingMessage: row.greetingMessage,
    outOfHoursMessage: row.outOfHoursMessage,
    orderQueue: row.orderQueue,
    // AI prompts and integrations are not part of this version.
    integrationId: null,
    promptId: null,
    schedules: row.schedules,
    mediaPath: row.mediaPath,
    mediaName: row.mediaName,
    companyId: row.companyId,
    createdAt: toIso(row.createdAt),
    updatedAt: toIso(row.updatedAt),
  };
}
