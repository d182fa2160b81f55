import type { DeliveryId, InputOf, IntegrationId, ReplyOf, ShownDelivery } from "@balcao/contract";
import { pageSizes, PRODUCT_NAME } from "@balcao/contract";
import { subDays } from "date-fns/subDays";
import { and, desc, eq, getTableColumns, gt, isNotNull, lt, sql } from "drizzle-orm";
import type { UserCtx } from "../../platform/context.ts";
import type { Database } from "../../platform/db/database.ts";
import { requireRow, toIso, toIsoOrNull } from "../../platform/db/records.ts";
import { deliveries, integrations } from "../../platform/db/schema/index.ts";
import type { Clock } from "../../platform/sources.ts";
import { headersFor } from "./deliveries.ts";

type LogDeps = { db: Database; clock: Clock };

/** Of a stopped receiver nothing is tried: that is why its events wait. */
const faultNow = sql<Row["fault"]>`case when ${deliveries.state} = 'waiting'
  and ${integrations.stoppedAt} is not null then 'stopped' else ${deliveries.fault} end`;

type Row = typeof deliveries.$inferSelect & { integrationName: string };

/** The newest deliveries to integrations, by their ids. */
export async function listDeliveries(
  { db, clock }: LogDeps,
  ctx: UserCtx,
  filter: InputOf<"GET /integration-deliveries">["query"],
): Promise<ReplyOf<"GET /integration-deliveries">> {
  const { integrationId, ticketId, state, before } = filter;
  const { body: _, answer: __, ...columns } = getTableColumns(deliveries);
  const found = and(
    eq(deliveries.companyId, ctx.companyId),
    isNotNull(deliveries.integrationId),
    integrationId && eq(deliveries.integrationId, integrationId),
    ticketId && eq(deliveries.ticketId, ticketId),
  );
  return db.transaction(ctx, async ({ orm }) => {
    const rows = await orm
      .select({ ...columns, fault: faultNow, integrationName: integrations.name })
      .from(deliveries)
      .innerJoin(integrations, ofIntegration)
      .where(and(found, state && eq(deliveries.state, state), before && lt(deliveries.id, before)))
      .orderBy(desc(deliveries.id))
      .limit(pageSizes.deliveries + 1);
    const isFailed = eq(deliveries.state, "failed");
    const isOfDay = gt(deliveries.createdAt, subDays(clock.now(), 1));
    return {
      deliveries: rows.slice(0, pageSizes.deliveries).map(toDelivery),
      hasMore: rows.length > pageSizes.deliveries,
      failed: await orm.$count(deliveries, and(found, isFailed, isOfDay)),
    };
  });
}

/** Throws ERR_NO_DELIVERY_FOUND. */
export async function showDelivery(
  { db }: LogDeps,
  ctx: UserCtx,
  id: DeliveryId,
): Promise<ShownDelivery> {
  return db.transaction(ctx, async ({ orm }) => {
    const rows = await orm
      .select({
        ...getTableColumns(deliveries),
        ...{ fault: faultNow, integrationName: integrations.name, ownUrl: integrations.url },
      })
      .from(deliveries)
      .innerJoin(integrations, ofIntegration)
      .where(and(eq(deliveries.companyId, ctx.companyId), eq(deliveries.id, id)));
    const row = requireRow(rows, "ERR_NO_DELIVERY_FOUND");
    // While it is tried, it has no duration.
    const isTried = row.tries > 0 && row.tookMs === null;
    const headers = headersFor(row, row.triedAt ?? row.createdAt, []);
    return {
      ...toDelivery(row),
      method: "POST",
      url: withoutSecrets(row.url || row.ownUrl),
      requestHeaders: { ...headers, "webhook-signature": "v1,•••" },
      request: row.body,
      answer: row.answer,
      nextTryAt: row.state === "waiting" && !isTried ? toIso(row.dueAt) : null,
    };
  });
}

/** One harmless event, as it is sent for tests of a receiver. */
export function testEvent(now: Date): object {
  return { event: "test", text: `Teste do ${PRODUCT_NAME}`, sentAt: toIso(now) };
}

const ofIntegration = and(
  eq(integrations.companyId, deliveries.companyId),
  eq(integrations.id, deliveries.integrationId),
);

function toDelivery(
  row: Omit<Row, "body" | "answer">,
): ReplyOf<"GET /integration-deliveries">["deliveries"][number] {
  const { id, integrationName, ticketId, kind, state, tries, status, fault, tookMs } = row;
  return {
    // The join keeps only those with an integration.
    ...{ id, integrationId: row.integrationId as IntegrationId, integrationName, ticketId },
    ...{ kind, state, tries, status, fault, tookMs },
    ...{ createdAt: toIso(row.createdAt), triedAt: toIsoOrNull(row.triedAt) },
  };
}

/** An address without the values of parameters that may be keys. */
export function withoutSecrets(text: string): string {
  return text.replaceAll(/([?&][^=&#]*(?:key|token|secret|pass|auth)[^=&#]*=)[^&#]+/gi, "$1•••");
}
