import type { ResolveReason, ResolveReasonId } from "@balcao/contract";
import { limits } from "@balcao/contract";
import { and, eq, isNull, sql } from "drizzle-orm";
import type { Ctx, UserCtx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import {
  hasId,
  lockRecord,
  refuseDuplicates,
  requireRow,
  wireDates,
} from "../../platform/db/records.ts";
import { companies, resolveReasons } from "../../platform/db/schema/index.ts";
import type { Routes } from "../../platform/http/routes.ts";
import type { Realtime } from "../../platform/realtime/hub.ts";
import { rooms } from "../../platform/realtime/hub.ts";
import type { Clock } from "../../platform/sources.ts";

export type ResolveReasonsDeps = { db: Database; clock: Clock; realtime: Realtime };

/** The reasons that a company offers when a ticket is resolved. */
export function createResolveReasonsFeature(deps: ResolveReasonsDeps) {
  return {
    register(routes: Routes): void {
      routes.handle("GET /resolve-reasons", ({ ctx }) => listReasons(deps, ctx));
      routes.handle("POST /resolve-reasons", ({ ctx, body }) => addReason(deps, ctx, body.name));
      routes.handle("PUT /resolve-reasons/:resolveReasonId", ({ ctx, params, body }) =>
        renameReason(deps, ctx, params.resolveReasonId, body.name),
      );
      routes.handle("DELETE /resolve-reasons/:resolveReasonId", async ({ ctx, params }) => {
        await removeReason(deps, ctx, params.resolveReasonId);
        return { message: "Reason deleted" };
      });
    },
  };
}

type ReasonRow = typeof resolveReasons.$inferSelect;

const refuseSameName = refuseDuplicates({ resolve_reasons_name: "ERR_REASON_EXISTS" });

function isOffered({ companyId }: Ctx) {
  return and(eq(resolveReasons.companyId, companyId), isNull(resolveReasons.deletedAt));
}

async function listReasons({ db }: ResolveReasonsDeps, ctx: UserCtx): Promise<ResolveReason[]> {
  const rows = await db.transaction(ctx, (tx) =>
    tx.orm
      .select()
      .from(resolveReasons)
      .where(isOffered(ctx))
      .orderBy(sql`f_norm(${resolveReasons.name})`, resolveReasons.id),
  );
  return rows.map(toReason);
}

/** Concurrent additions wait for each other at the company's row, so that none exceeds the limit. */
async function addReason(
  deps: ResolveReasonsDeps,
  ctx: UserCtx,
  name: string,
): Promise<ResolveReason> {
  const now = deps.clock.now();
  const { companyId } = ctx;
  const work = deps.db.transaction(ctx, async (tx) => {
    await tx.orm
      .select({ id: companies.id })
      .from(companies)
      .where(eq(companies.id, companyId))
      .for("no key update");
    const max = limits.resolveReasonsMax;
    if ((await tx.orm.$count(resolveReasons, isOffered(ctx))) >= max) {
      throw new DomainError("ERR_REASON_LIMIT_REACHED", { max });
    }
    const rows = await tx.orm
      .insert(resolveReasons)
      .values({ companyId, name, createdAt: now, updatedAt: now })
      .returning();
    return tellSaved(deps, tx, toReason(requireRow(rows)), "create");
  });
  return work.catch(refuseSameName);
}

async function renameReason(
  deps: ResolveReasonsDeps,
  ctx: UserCtx,
  id: ResolveReasonId,
  name: string,
): Promise<ResolveReason> {
  const work = deps.db.transaction(ctx, async (tx) => {
    const rows = await tx.orm
      .update(resolveReasons)
      .set({ name, updatedAt: deps.clock.now() })
      .where(hasId(ctx, resolveReasons, id))
      .returning();
    return tellSaved(deps, tx, toReason(requireRow(rows, "ERR_NO_REASON_FOUND")), "update");
  });
  return work.catch(refuseSameName);
}

async function removeReason(
  { db, clock, realtime }: ResolveReasonsDeps,
  ctx: UserCtx,
  reasonId: ResolveReasonId,
): Promise<void> {
  await db.transaction(ctx, async (tx) => {
    await lockRecord(ctx, tx, resolveReasons, reasonId, "ERR_NO_REASON_FOUND");
    const deletedAt = clock.now();
    await tx.orm
      .update(resolveReasons)
      .set({ deletedAt })
      .where(hasId(ctx, resolveReasons, reasonId));
    tx.onCommit(() => {
      const gone = { action: "delete", reasonId } as const;
      realtime.publish(ctx.companyId, "resolveReason", gone, [rooms.main(ctx.companyId)]);
    });
  });
}

function toReason(row: ReasonRow): ResolveReason {
  const { id, companyId, name } = row;
  return { id, companyId, name, ...wireDates(row) };
}

function tellSaved(
  { realtime }: ResolveReasonsDeps,
  tx: Tx,
  reason: ResolveReason,
  action: "create" | "update",
): ResolveReason {
  const { companyId } = reason;
  tx.onCommit(() =>
    realtime.publish(companyId, "resolveReason", { action, reason }, [rooms.main(companyId)]),
  );
  return reason;
}
