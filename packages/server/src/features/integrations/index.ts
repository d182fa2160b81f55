import type {
  CompanyId,
  InputOf,
  Integration,
  IntegrationChange,
  IntegrationId,
  NewIntegration,
} from "@balcao/contract";
import { integrationNameLimits, pageSizes } from "@balcao/contract";
import { addDays } from "date-fns/addDays";
import { subDays } from "date-fns/subDays";
import { and, desc, eq, getTableColumns, isNotNull } from "drizzle-orm";
import type { Ctx, UserCtx } from "../../platform/context.ts";
import { DomainError, hasPermission } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import {
  contains,
  findRecord,
  hasId,
  listTotal,
  lockRecord,
  readPage,
  refuseDuplicates,
  requireRow,
  toIso,
  toIsoOrNull,
  wireDates,
} from "../../platform/db/records.ts";
import { connections, integrations, queues, tickets } from "../../platform/db/schema/index.ts";
import type { Wake } from "../../platform/db/wake.ts";
import type { DomainEvents } from "../../platform/events.ts";
import type { GuardedFetch } from "../../platform/http/guarded-fetch.ts";
import { isWebAddress } from "../../platform/http/guarded-fetch.ts";
import type { Routes } from "../../platform/http/routes.ts";
import type { Logger } from "../../platform/logging/logger.ts";
import type { Realtime } from "../../platform/realtime/hub.ts";
import { rooms } from "../../platform/realtime/hub.ts";
import type { Seal } from "../../platform/secrets/seal.ts";
import type { Clock, IdSource, Random } from "../../platform/sources.ts";
import type { MediaFiles } from "../media/index.ts";
import { createAskers } from "./askers.ts";
import { testIntegration, testSession } from "./bots.ts";
import type { Deliveries, DeliverySettings, Receiver } from "./deliveries.ts";
import { createDeliveries } from "./deliveries.ts";
import { listDeliveries, showDelivery } from "./delivery-log.ts";
import type { GoogleAddresses } from "./dialogflow.ts";
import { createDialogflow, googleAddresses } from "./dialogflow.ts";
import { tellArrivals } from "./ticket-events.ts";
import { newSecret, openKey, openSecret, parseKey, sealKey } from "./secrets.ts";

export type IntegrationsDeps = {
  db: Database;
  clock: Clock;
  ids: IdSource;
  random: Random;
  wake: Wake;
  log: Logger;
  realtime: Realtime;
  domainEvents: DomainEvents;
  seal: Seal;
  fetch: GuardedFetch;
  media: Pick<MediaFiles, "storeFile" | "openFile">;
  /** Google's addresses, where they are not its own. */
  google?: GoogleAddresses | undefined;
  deliverySettings?: Partial<DeliverySettings> | undefined;
};

export type { Deliveries, DeliverySettings } from "./deliveries.ts";
export type { GoogleAddresses } from "./dialogflow.ts";
export { headersFor } from "./deliveries.ts";
export { testEvent, withoutSecrets } from "./delivery-log.ts";
export { newSecret, openSecret, sealKey } from "./secrets.ts";

/** Receivers of a ticket's events, and bots outside that answer customers (docs/integrations.md). */
export function createIntegrationsFeature(deps: IntegrationsDeps) {
  const { google = googleAddresses, deliverySettings = {} } = deps;
  const engine = createDeliveries({
    ...{ ...deps, deliverySettings },
    receiverChanged: (tx, companyId, receiver) => tellReceiver(deps, tx, companyId, receiver),
  });
  const dialogflow = createDialogflow({ ...deps, google });
  const bots = { ...deps, engine, dialogflow };
  tellArrivals(deps.domainEvents, engine);
  return {
    /** The sending of events; other features may add some. */
    deliveries: engine,
    /** For the attendant. */
    askers: createAskers({ ...deps, dialogflow }),

    register(routes: Routes): void {
      routes.handle("GET /queueIntegration", ({ ctx, query }) =>
        listIntegrations(deps, ctx, query),
      );
      routes.handle("GET /queueIntegration/:integrationId", ({ ctx, params }) =>
        deps.db.transaction(ctx, (tx) => readIntegration(deps, ctx, tx, params.integrationId)),
      );
      routes.handle("POST /queueIntegration", ({ ctx, body }) =>
        createIntegration(deps, ctx, body),
      );
      routes.handle("PUT /queueIntegration/:integrationId", ({ ctx, params, body }) =>
        updateIntegration(deps, engine, ctx, params.integrationId, body),
      );
      routes.handle("DELETE /queueIntegration/:integrationId", ({ ctx, params }) =>
        removeIntegration(deps, ctx, params.integrationId),
      );
      routes.handle("POST /queueIntegration/testSession", ({ ctx, body }) =>
        testSession(bots, ctx, body),
      );
      routes.handle("POST /queueIntegration/:integrationId/test", ({ ctx, params }) =>
        testIntegration(bots, ctx, params.integrationId),
      );
      routes.handle("POST /queueIntegration/:integrationId/resume", ({ ctx, params }) =>
        resume(deps, engine, ctx, params.integrationId),
      );
      routes.handle("GET /integration-deliveries", ({ ctx, query }) =>
        listDeliveries(deps, ctx, query),
      );
      routes.handle("GET /integration-deliveries/:deliveryId", ({ ctx, params }) =>
        showDelivery(deps, ctx, params.deliveryId),
      );
      routes.handle("POST /integration-deliveries/again", async ({ ctx, body }) => ({
        again: await engine.again(ctx, "integrations", body.deliveryIds),
      }));
      routes.handle("GET /queueIntegration/:integrationId/secret", ({ ctx, params }) =>
        showSecret(deps, ctx, params.integrationId),
      );
      routes.handle("POST /queueIntegration/:integrationId/secret", ({ ctx, params }) =>
        renewSecret(deps, ctx, params.integrationId),
      );
    },
  };
}

type Row = typeof integrations.$inferSelect;
type Deps = Pick<
  IntegrationsDeps,
  "db" | "clock" | "random" | "wake" | "realtime" | "domainEvents" | "seal"
>;

const NO_INTEGRATION = "ERR_NO_DIALOG_FOUND";
const refuseSameName = refuseDuplicates({ integrations_name: "ERR_INTEGRATION_NAME_EXISTS" });

async function listIntegrations(
  { db, clock }: Deps,
  ctx: UserCtx,
  { searchParam, pageNumber }: InputOf<"GET /queueIntegration">["query"],
) {
  return db.transaction(ctx, async (tx) => {
    const found = and(
      eq(integrations.companyId, ctx.companyId),
      contains(integrations.name, searchParam),
    );
    const size = pageSizes.integrations;
    const { rows, ...totals } = await readPage(pageNumber, size, (limit, offset) =>
      tx.orm
        .select({ ...getTableColumns(integrations), total: listTotal })
        .from(integrations)
        .where(found)
        .orderBy(desc(integrations.createdAt), desc(integrations.id))
        .limit(limit)
        .offset(offset),
    );
    const queueIntegrations = hasPermission(ctx, "integrations:manage")
      ? await withUse(ctx, tx, rows, clock.now())
      : rows.map(toNamed);
    return { queueIntegrations, ...totals };
  });
}

/** Throws ERR_INTEGRATION_NAME_EXISTS, and the errors of `checkFields`. */
async function createIntegration(
  deps: Deps,
  ctx: UserCtx,
  body: NewIntegration,
): Promise<Integration> {
  const { companyId } = ctx;
  const now = deps.clock.now();
  const work = deps.db.transaction(ctx, async (tx) => {
    const columns = columnsFor(deps, ctx, body, null);
    const secret = newSecret(deps, ctx.companyId);
    const rows = await tx.orm
      .insert(integrations)
      .values({ companyId, ...columns, secret, createdAt: now, updatedAt: now })
      .returning();
    return tellSaved(deps, ctx, tx, requireRow(rows), "create");
  });
  return work.catch(refuseSameName);
}

/** Throws ERR_NO_DIALOG_FOUND, ERR_INTEGRATION_NAME_EXISTS, and the errors of `checkFields`. */
async function updateIntegration(
  deps: Deps,
  engine: Deliveries,
  ctx: UserCtx,
  id: IntegrationId,
  change: IntegrationChange,
): Promise<Integration> {
  const work = deps.db.transaction(ctx, async (tx) => {
    const before = await lockRecord(ctx, tx, integrations, id, NO_INTEGRATION);
    const columns = columnsFor(deps, ctx, change, before);
    const rows = await tx.orm
      .update(integrations)
      .set({ ...columns, updatedAt: deps.clock.now() })
      .where(hasId(ctx, integrations, id))
      .returning();
    const row = requireRow(rows);
    const saved = await tellSaved(deps, ctx, tx, row, "update");
    return { saved, isMoved: row.url !== before.url && row.stoppedAt === null };
  });
  const { saved, isMoved } = await work.catch(refuseSameName);
  if (!isMoved) return saved;
  // What the old address did not take is due at the new one.
  await engine.resume(ctx, { integrationId: id });
  return { ...saved, failingSince: null };
}

/**
 * Deletes an integration with its deliveries; tickets that it answers go on without it. Throws ERR_NO_DIALOG_FOUND, and
 * ERR_INTEGRATION_IN_USE while a connection or queue has it.
 */
async function removeIntegration(
  { db, realtime }: Deps,
  ctx: UserCtx,
  id: IntegrationId,
): Promise<undefined> {
  const { companyId } = ctx;
  await db.transaction(ctx, async (tx) => {
    const { orm } = tx;
    await findRecord(ctx, tx, integrations, id, NO_INTEGRATION);
    // Tickets come first: every change of a ticket locks the ticket before what it refers to.
    await orm
      .update(tickets)
      .set({ integrationId: null, useIntegration: false })
      .where(and(eq(tickets.companyId, companyId), eq(tickets.integrationId, id)));
    const locked = await orm
      .select({ id: integrations.id })
      .from(integrations)
      .where(hasId(ctx, integrations, id))
      .for("update");
    requireRow(locked, NO_INTEGRATION);
    for (const table of [connections, queues]) {
      // Deleted ones keep their rows.
      await orm
        .update(table)
        .set({ integrationId: null })
        .where(
          and(
            eq(table.companyId, companyId),
            eq(table.integrationId, id),
            isNotNull(table.deletedAt),
          ),
        );
    }
    const [use] = await tx.query<FactsRow>(useStatement, [companyId, [id]]);
    if (use && use.connections.length + use.queues.length > 0) {
      throw new DomainError("ERR_INTEGRATION_IN_USE");
    }
    await orm.delete(integrations).where(hasId(ctx, integrations, id));
    tx.onCommit(() => {
      const gone = { action: "delete", integrationId: id } as const;
      realtime.publish(companyId, "queueIntegration", gone, [rooms.main(companyId)]);
    });
  });
  return undefined;
}

/** Throws ERR_NO_DIALOG_FOUND. */
async function resume(
  deps: Deps,
  engine: Deliveries,
  ctx: UserCtx,
  id: IntegrationId,
): Promise<Integration> {
  await deps.db.transaction(ctx, (tx) => findRecord(ctx, tx, integrations, id, NO_INTEGRATION));
  await engine.resume(ctx, { integrationId: id });
  return deps.db.transaction(ctx, async (tx) => {
    const row = await findRecord(ctx, tx, integrations, id, NO_INTEGRATION);
    return tellSaved(deps, ctx, tx, row, "update");
  });
}

/** Tells that an integration fails, works again, or is stopped. */
async function tellReceiver(
  deps: Deps,
  tx: Tx,
  companyId: CompanyId,
  receiver: Receiver,
): Promise<void> {
  if (!("integrationId" in receiver)) return;
  const [row] = await tx.orm
    .select()
    .from(integrations)
    .where(hasId({ companyId }, integrations, receiver.integrationId));
  if (row) tellIntegration(deps, tx, row, "update");
}

async function showSecret({ db, seal }: Deps, ctx: UserCtx, id: IntegrationId) {
  return db.transaction(ctx, async (tx) => {
    const row = await findRecord(ctx, tx, integrations, id, NO_INTEGRATION);
    return { secret: openSecret(seal, row.companyId, row.secret) };
  });
}

/** The one before signs as well for a day. */
async function renewSecret(deps: Deps, ctx: UserCtx, id: IntegrationId) {
  const now = deps.clock.now();
  const secret = newSecret(deps, ctx.companyId);
  await deps.db.transaction(ctx, async (tx) => {
    const before = await lockRecord(ctx, tx, integrations, id, NO_INTEGRATION);
    await tx.orm
      .update(integrations)
      .set({ secret, previousSecret: before.secret, previousUntil: addDays(now, 1) })
      .where(hasId(ctx, integrations, id));
  });
  return { secret: openSecret(deps.seal, ctx.companyId, secret) };
}

/** The columns after a change of `before`, or of a new integration. Throws the code of the first field that is wrong. */
function columnsFor(
  { seal }: Pick<Deps, "seal">,
  { companyId }: Ctx,
  change: IntegrationChange,
  before: Row | null,
) {
  const type = change.type ?? before?.type ?? "webhook";
  const name = change.name ?? before?.name ?? "";
  const url = (change.urlN8N ?? before?.url ?? "").replace(/\/+$/, "");
  const typebotSlug = change.typebotSlug ?? before?.typebotSlug ?? "";
  const language = change.language ?? before?.language ?? "";
  const isDialogflow = type === "dialogflow";
  const project = change.projectName ?? before?.projectName ?? "";
  const projectName = isDialogflow ? project : name;
  const { min, max } = integrationNameLimits;
  if (name.length < min || name.length > max) throw new DomainError("ERR_INTEGRATION_NAME_INVALID");
  if (!isDialogflow && !isWebAddress(url)) throw new DomainError("ERR_INTEGRATION_ADDRESS_INVALID");
  if (type === "typebot" && !/^[\w-]+$/.test(typebotSlug)) {
    throw new DomainError("ERR_INTEGRATION_SLUG_INVALID");
  }
  let key = { jsonContent: null as Buffer | null, jsonAccount: "" };
  if (isDialogflow) {
    const text = change.jsonContent || storedKey(seal, before);
    const account = parseKey(text, projectName);
    if (!account) throw new DomainError("ERR_INTEGRATION_KEY_INVALID");
    if (language.length < 2) throw new DomainError("ERR_INTEGRATION_LANGUAGE_INVALID");
    const jsonContent = sealKey(seal, companyId, text);
    key = { jsonContent, jsonAccount: account.client_email };
  }
  const own = {
    typebotExpiresMinutes: change.typebotExpires ?? before?.typebotExpiresMinutes,
    typebotKeywordFinish: change.typebotKeywordFinish ?? before?.typebotKeywordFinish,
    typebotUnknownMessage: change.typebotUnknownMessage ?? before?.typebotUnknownMessage,
    typebotDelayMs: change.typebotDelayMessage ?? before?.typebotDelayMs,
    typebotKeywordRestart: change.typebotKeywordRestart ?? before?.typebotKeywordRestart,
    typebotRestartMessage: change.typebotRestartMessage ?? before?.typebotRestartMessage,
  };
  return { type, name, projectName, ...key, language, url, typebotSlug, ...own };
}

/** "" without one. */
function storedKey(seal: Seal, row: Pick<Row, "companyId" | "jsonContent"> | null): string {
  return row?.jsonContent ? openKey(seal, row.companyId, row.jsonContent) : "";
}

/** An integration as others of the company see it: nothing but its name and type. */
function toNamed({ id, companyId, type, name, createdAt }: Row): Integration {
  const texts = { projectName: "", jsonContent: "", language: "", urlN8N: "", typebotSlug: "" };
  const words = { typebotKeywordFinish: "", typebotUnknownMessage: "" };
  const restart = { typebotKeywordRestart: "", typebotRestartMessage: "" };
  return {
    ...{ id, companyId, type, name, ...texts, ...words, ...restart },
    ...{ typebotExpires: 0, typebotDelayMessage: 0, usedBy: { connections: [], queues: [] } },
    ...{ lastDelivery: null, failingSince: null, delivered: 0, sent: 0, stoppedAt: null },
    ...wireDates({ createdAt, updatedAt: createdAt }),
  };
}

type FactsRow = { id: IntegrationId } & Integration["usedBy"];
type DeliveryFactsRow = { id: IntegrationId; delivered: number; sent: number } & (
  | { lastAt: null }
  | ({ lastAt: Date } & Omit<NonNullable<Integration["lastDelivery"]>, "at">)
);

/** Reads where integrations are used and what became of their deliveries. */
async function withUse(
  { companyId }: Ctx,
  tx: Tx,
  rows: readonly Row[],
  now: Date,
): Promise<Integration[]> {
  const ids = rows.map(({ id }) => id);
  const uses = await tx.query<FactsRow>(useStatement, [companyId, ids]);
  const facts = await tx.query<DeliveryFactsRow>(deliveryFactsStatement, [
    companyId,
    ids,
    subDays(now, 1),
  ]);
  return rows.map((row) => {
    const use = uses.find(({ id }) => id === row.id);
    const sent = facts.find(({ id }) => id === row.id);
    const last = sent?.lastAt ? sent : null;
    return {
      ...toNamed(row),
      projectName: row.projectName,
      jsonContent: row.jsonAccount,
      language: row.language,
      urlN8N: row.url,
      typebotSlug: row.typebotSlug,
      typebotExpires: row.typebotExpiresMinutes,
      typebotKeywordFinish: row.typebotKeywordFinish,
      typebotUnknownMessage: row.typebotUnknownMessage,
      typebotDelayMessage: row.typebotDelayMs,
      typebotKeywordRestart: row.typebotKeywordRestart,
      typebotRestartMessage: row.typebotRestartMessage,
      usedBy: { connections: use?.connections ?? [], queues: use?.queues ?? [] },
      lastDelivery: last && {
        ...{ at: toIso(last.lastAt), state: last.state, status: last.status, fault: last.fault },
      },
      failingSince: toIsoOrNull(row.failingSince),
      stoppedAt: toIsoOrNull(row.stoppedAt),
      ...{ delivered: sent?.delivered ?? 0, sent: sent?.sent ?? 0 },
      ...wireDates(row),
    };
  });
}

/** Throws ERR_NO_DIALOG_FOUND. */
async function readIntegration(
  { clock }: Pick<Deps, "clock">,
  ctx: Ctx,
  tx: Tx,
  id: IntegrationId,
): Promise<Integration> {
  const row = await findRecord(ctx, tx, integrations, id, NO_INTEGRATION);
  return requireRow(await withUse(ctx, tx, [row], clock.now()));
}

async function tellSaved(
  deps: Pick<Deps, "clock" | "realtime">,
  ctx: Ctx,
  tx: Tx,
  row: Row,
  action: "create" | "update",
): Promise<Integration> {
  tellIntegration(deps, tx, row, action);
  return requireRow(await withUse(ctx, tx, [row], deps.clock.now()));
}

/** Publishes a saved integration to the company, on commit. */
function tellIntegration(
  { realtime }: Pick<Deps, "realtime">,
  tx: Tx,
  { id, companyId, name, type }: Pick<Row, "id" | "companyId" | "name" | "type">,
  action: "create" | "update",
): void {
  tx.onCommit(() => {
    const payload = { action, queueIntegration: { id, name, type } };
    realtime.publish(companyId, "queueIntegration", payload, [rooms.main(companyId)]);
  });
}

const useStatement = {
  name: "integrations.use",
  text: `
select i.id,
  coalesce((select json_agg(json_build_object('id', w.id, 'name', w.name) order by w.name, w.id) from connections w
    where w.company_id = $1 and w.integration_id = i.id and w.deleted_at is null), '[]') as connections,
  coalesce((select json_agg(json_build_object('id', q.id, 'name', q.name, 'color', q.color) order by q.name, q.id)
    from queues q
    where q.company_id = $1 and q.integration_id = i.id and q.deleted_at is null), '[]') as queues
from unnest($2::int[]) as i(id)`,
};

const deliveryFactsStatement = {
  name: "integrations.delivery-facts",
  text: `
select i.id, coalesce(day.delivered, 0) as delivered, coalesce(day.sent, 0) as sent,
  last.at as "lastAt", last.state, last.status, last.fault
from unnest($2::int[]) as i(id)
left join (
  select integration_id, count(*) filter (where state = 'delivered')::int as delivered, count(*)::int as sent
  from deliveries
  where company_id = $1 and created_at > $3 and integration_id = any ($2::int[])
  group by integration_id
) day on day.integration_id = i.id
left join lateral (
  select coalesce(d.tried_at, d.created_at) as at, d.state, d.status, d.fault
  from deliveries d
  where d.company_id = $1 and d.integration_id = i.id and d.state <> 'waiting'
  order by d.id desc limit 1
) last on true`,
};
