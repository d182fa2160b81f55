import type {
  CompanyId,
  DeliveryId,
  InputOf,
  Message,
  NewWebhook,
  ReplyOf,
  ShownWebhookDelivery,
  Webhook,
  WebhookDelivery,
  WebhookEvent,
  WebhookId,
} from "@balcao/contract";
import { limits, pageSizes, webhookEvents } from "@balcao/contract";
import { addDays } from "date-fns/addDays";
import { and, count, desc, eq, getTableColumns, lt } from "drizzle-orm";
import type { Ctx, UserCtx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import {
  findRecord,
  hasId,
  lockRecord,
  requireRow,
  toIso,
  toIsoOrNull,
  wireDates,
} from "../../platform/db/records.ts";
import { deliveries, webhooks } from "../../platform/db/schema/index.ts";
import type { Wake } from "../../platform/db/wake.ts";
import type { DomainEvents, EventPayloads } from "../../platform/events.ts";
import type { Routes } from "../../platform/http/routes.ts";
import type { Logger } from "../../platform/logging/logger.ts";
import type { Seal } from "../../platform/secrets/seal.ts";
import type { Clock, Random } from "../../platform/sources.ts";
import type { Deliveries } from "../integrations/index.ts";
import {
  headersFor,
  newSecret,
  openSecret,
  testEvent,
  withoutSecrets,
} from "../integrations/index.ts";
import type { TicketsFeature } from "../tickets/index.ts";
import { toApiMessage, toApiTicket } from "./public.ts";

export type WebhooksDeps = {
  db: Database;
  clock: Clock;
  random: Random;
  wake: Wake;
  seal: Seal;
  domainEvents: DomainEvents;
  deliveries: Deliveries;
  log: Logger;
  tickets: Pick<TicketsFeature, "toShownDto">;
  messages: { toMessage(row: EventPayloads["message.stored"]["message"]): Message };
};

const TOPIC = "webhooks";
const NO_WEBHOOK = "ERR_NO_WEBHOOK_FOUND";
/** Should news of a change be lost, all are read again after so long. */
const READ_AGAIN_MS = 5 * 60_000;

type Row = typeof webhooks.$inferSelect;

/**
 * Tells the webhooks of a company what happens in its tickets, in the transaction in which it happens. Which companies have
 * webhooks is known in memory, so that all others pay nothing for it.
 */
export function createWebhooks(deps: WebhooksDeps) {
  const { db, wake, log, domainEvents, clock } = deps;
  let known = readAll(db);
  let reading = known;
  // It is awaited where it is used.
  known.catch(() => undefined);
  /** The old ones count until the new ones are there. */
  async function readAgain(): Promise<void> {
    const mine = readAll(db);
    reading = mine;
    try {
      await mine;
      if (reading === mine) known = mine;
    } catch (error) {
      log.warn({ err: error }, "webhooks could not be read");
    }
  }
  const unsubscribe = wake.on(TOPIC, () => void readAgain());
  const timer = setInterval(() => void readAgain(), READ_AGAIN_MS).unref();
  /** In this process a change counts from its reply on, in others a moment later. */
  async function changed<T>(work: Promise<T>): Promise<T> {
    const result = await work;
    await readAgain();
    return result;
  }

  async function tell(
    ctx: Ctx,
    tx: Tx,
    event: WebhookEvent,
    { ticketId, body }: { ticketId: Told["id"]; body: () => object },
  ): Promise<void> {
    const all = await known.catch(() => (known = readAll(db)));
    const asked = all.get(ctx.companyId)?.filter(({ events }) => events.includes(event)) ?? [];
    if (asked.length === 0) return;
    const ids = asked.map(({ id }) => id);
    const there = await tx.query<{ id: WebhookId }>(holdStatement, [ctx.companyId, ids]);
    if (there.length === 0) return;
    const said = { event, at: toIso(clock.now()), ...body() };
    for (const { id: webhookId } of there) {
      await deps.deliveries.enqueue(ctx, tx, { webhookId }, { kind: event, ticketId, body: said });
    }
  }

  const ticketOf = (row: Told) => toApiTicket(deps.tickets.toShownDto(row, null));
  domainEvents.on("message.stored", async (ctx, tx, { message, ticket, isHistory }) => {
    if (isHistory) return;
    const body = () => ({
      ticket: ticketOf(ticket),
      message: toApiMessage(deps.messages.toMessage(message)),
    });
    const event = message.fromMe ? "message.sent" : "message.received";
    await tell(ctx, tx, event, { ticketId: ticket.id, body });
  });
  domainEvents.on("ticket.changed", async (ctx, tx, { before, after }) => {
    const { status, queueId, userId } = before;
    const body = () => ({ ticket: ticketOf(after), before: { status, queueId, userId } });
    await tell(ctx, tx, "ticket.changed", { ticketId: after.id, body });
  });

  return {
    close(): void {
      clearInterval(timer);
      unsubscribe();
    },
    register(routes: Routes): void {
      routes.handle("GET /webhooks", ({ ctx }) => listWebhooks(deps, ctx));
      routes.handle("POST /webhooks", ({ ctx, body }) => changed(createWebhook(deps, ctx, body)));
      routes.handle("PUT /webhooks/:webhookId", ({ ctx, params, body }) =>
        changed(changeWebhook(deps, ctx, params.webhookId, body)),
      );
      routes.handle("DELETE /webhooks/:webhookId", async ({ ctx, params }) => {
        await changed(removeWebhook(deps, ctx, params.webhookId));
        return { message: "Webhook deleted" };
      });
      routes.handle("POST /webhooks/:webhookId/test", ({ ctx, params }) =>
        testWebhook(deps, ctx, params.webhookId),
      );
      routes.handle("POST /webhooks/:webhookId/resume", async ({ ctx, params }) => {
        const { webhookId } = params;
        await findWebhook(deps, ctx, webhookId);
        await deps.deliveries.resume(ctx, { webhookId });
        return toWebhook(await findWebhook(deps, ctx, webhookId));
      });
      routes.handle("GET /webhooks/:webhookId/secret", async ({ ctx, params }) => {
        const { secret } = await findWebhook(deps, ctx, params.webhookId);
        return { secret: openSecret(deps.seal, ctx.companyId, secret) };
      });
      routes.handle("POST /webhooks/:webhookId/secret", ({ ctx, params }) =>
        renewSecret(deps, ctx, params.webhookId),
      );
      routes.handle("GET /webhook-deliveries", ({ ctx, query }) =>
        listDeliveries(deps, ctx, query),
      );
      routes.handle("GET /webhook-deliveries/:deliveryId", ({ ctx, params }) =>
        showDelivery(deps, ctx, params.deliveryId),
      );
      routes.handle("POST /webhook-deliveries/again", async ({ ctx, body }) => ({
        again: await deps.deliveries.again(ctx, "webhooks", body.deliveryIds),
      }));
    },
  };
}

type Told = EventPayloads["ticket.changed"]["after"];
type Known = ReadonlyMap<CompanyId, readonly Pick<Row, "id" | "events">[]>;

async function readAll(db: Database): Promise<Known> {
  type Found = Pick<Row, "id" | "events" | "companyId">;
  const rows = await db.readAcrossCompanies<Found>(allStatement, []);
  return Map.groupBy(rows, ({ companyId }) => companyId);
}

type Deps = Pick<WebhooksDeps, "db" | "clock" | "random" | "wake" | "seal" | "deliveries">;

const findWebhook = ({ db }: Pick<Deps, "db">, ctx: Ctx, id: WebhookId): Promise<Row> =>
  db.transaction(ctx, (tx) => findRecord(ctx, tx, webhooks, id, NO_WEBHOOK));

async function listWebhooks({ db }: Deps, ctx: UserCtx) {
  const rows = await db.transaction(ctx, (tx) =>
    tx.orm
      .select()
      .from(webhooks)
      .where(eq(webhooks.companyId, ctx.companyId))
      .orderBy(webhooks.name, webhooks.id),
  );
  return { webhooks: rows.map(toWebhook) };
}

async function createWebhook(deps: Deps, ctx: UserCtx, body: NewWebhook): Promise<Webhook> {
  const { companyId } = ctx;
  const now = deps.clock.now();
  return deps.db.transaction(ctx, async (tx) => {
    const [all] = await tx.orm
      .select({ count: count() })
      .from(webhooks)
      .where(eq(webhooks.companyId, companyId));
    const max = limits.webhooksMax;
    if ((all?.count ?? 0) >= max) throw new DomainError("ERR_WEBHOOK_LIMIT", { max });
    const secret = newSecret(deps, companyId);
    const rows = await tx.orm
      .insert(webhooks)
      .values({ companyId, ...body, secret, createdAt: now, updatedAt: now })
      .returning();
    deps.wake.notify(tx, TOPIC);
    return toWebhook(requireRow(rows));
  });
}

async function changeWebhook(
  deps: Deps,
  ctx: UserCtx,
  webhookId: WebhookId,
  { name, url, events }: InputOf<"PUT /webhooks/:webhookId">["body"],
): Promise<Webhook> {
  const { isMoved, saved } = await deps.db.transaction(ctx, async (tx) => {
    const before = await lockRecord(ctx, tx, webhooks, webhookId, NO_WEBHOOK);
    const rows = await tx.orm
      .update(webhooks)
      .set({ name, url, events, updatedAt: deps.clock.now() })
      .where(hasId(ctx, webhooks, webhookId))
      .returning();
    deps.wake.notify(tx, TOPIC);
    const row = requireRow(rows);
    return { saved: toWebhook(row), isMoved: row.url !== before.url && row.stoppedAt === null };
  });
  if (!isMoved) return saved;
  // What the old address did not take is due at the new one.
  await deps.deliveries.resume(ctx, { webhookId });
  return { ...saved, failingSince: null };
}

async function removeWebhook({ db, wake }: Deps, ctx: UserCtx, id: WebhookId): Promise<void> {
  await db.transaction(ctx, async (tx) => {
    const rows = await tx.orm
      .delete(webhooks)
      .where(hasId(ctx, webhooks, id))
      .returning();
    requireRow(rows, NO_WEBHOOK);
    wake.notify(tx, TOPIC);
  });
}

async function testWebhook(deps: Deps, ctx: UserCtx, id: WebhookId) {
  const row = await findWebhook(deps, ctx, id);
  const to = { ...row, ticketId: null };
  const tried = await deps.deliveries.sendOnce(to, testEvent(deps.clock.now()));
  const { status, fault, tookMs } = tried;
  return { isOk: status !== null && status >= 200 && status < 300, status, fault, tookMs };
}

async function renewSecret(deps: Deps, ctx: UserCtx, id: WebhookId) {
  const secret = newSecret(deps, ctx.companyId);
  await deps.db.transaction(ctx, async (tx) => {
    const before = await lockRecord(ctx, tx, webhooks, id, NO_WEBHOOK);
    const previousUntil = addDays(deps.clock.now(), 1);
    await tx.orm
      .update(webhooks)
      .set({ secret, previousSecret: before.secret, previousUntil })
      .where(hasId(ctx, webhooks, id));
  });
  return { secret: openSecret(deps.seal, ctx.companyId, secret) };
}

type DeliveryRow = Omit<typeof deliveries.$inferSelect, "body" | "answer"> & {
  webhookName: string;
  stoppedAt: Date | null;
};

const ofWebhook = and(
  eq(webhooks.companyId, deliveries.companyId),
  eq(webhooks.id, deliveries.webhookId),
);
const { body: _body, answer: _answer, ...shortColumns } = getTableColumns(deliveries);
const beside = { webhookName: webhooks.name, stoppedAt: webhooks.stoppedAt };

async function listDeliveries(
  { db }: Deps,
  ctx: UserCtx,
  { webhookId, state, before }: InputOf<"GET /webhook-deliveries">["query"],
): Promise<ReplyOf<"GET /webhook-deliveries">> {
  const found = and(
    eq(deliveries.companyId, ctx.companyId),
    webhookId && eq(deliveries.webhookId, webhookId),
    state && eq(deliveries.state, state),
    before && lt(deliveries.id, before),
  );
  const size = pageSizes.deliveries;
  const rows = await db.transaction(ctx, ({ orm }) =>
    orm
      .select({ ...shortColumns, ...beside })
      .from(deliveries)
      .innerJoin(webhooks, ofWebhook)
      .where(found)
      .orderBy(desc(deliveries.id))
      .limit(size + 1),
  );
  return { deliveries: rows.slice(0, size).map(toDelivery), hasMore: rows.length > size };
}

async function showDelivery(
  { db }: Deps,
  ctx: UserCtx,
  id: DeliveryId,
): Promise<ShownWebhookDelivery> {
  const rows = await db.transaction(ctx, ({ orm }) =>
    orm
      .select({ ...getTableColumns(deliveries), ...beside, ownUrl: webhooks.url })
      .from(deliveries)
      .innerJoin(webhooks, ofWebhook)
      .where(and(eq(deliveries.companyId, ctx.companyId), eq(deliveries.id, id))),
  );
  const row = requireRow(rows, "ERR_NO_DELIVERY_FOUND");
  const headers = headersFor(row, row.triedAt ?? row.createdAt, []);
  return {
    ...{ ...toDelivery(row), method: "POST", url: withoutSecrets(row.url || row.ownUrl) },
    requestHeaders: { ...headers, "webhook-signature": "v1,•••" },
    ...{ request: row.body, answer: row.answer },
    nextTryAt: row.state === "waiting" ? toIso(row.dueAt) : null,
  };
}

function toWebhook(row: Row): Webhook {
  const { id, name, url, events, failingSince, stoppedAt } = row;
  return {
    ...{ id, name, url, events: webhookEvents.filter((event) => events.includes(event)) },
    ...{ failingSince: toIsoOrNull(failingSince), stoppedAt: toIsoOrNull(stoppedAt) },
    ...wireDates(row),
  };
}

function toDelivery(row: DeliveryRow): WebhookDelivery {
  const { id, webhookName, ticketId, kind, state, tries, status, fault, tookMs } = row;
  const isHeld = state === "waiting" && row.stoppedAt !== null;
  return {
    // The join keeps only those of a webhook.
    ...{ id, webhookId: row.webhookId as WebhookId, webhookName, ticketId },
    ...{ kind, state, tries, status, fault: isHeld ? "stopped" : fault, tookMs },
    ...{ createdAt: toIso(row.createdAt), triedAt: toIsoOrNull(row.triedAt) },
  };
}

const allStatement = {
  name: "api.webhooks",
  text: `select w.id, w.company_id as "companyId", w.events from webhooks w`,
};

/** Those that are there and whose company has the plan; they cannot be deleted until the event is stored. */
const holdStatement = {
  name: "api.hold-webhooks",
  text: `
select w.id from webhooks w
join companies c on c.id = w.company_id
join plans p on p.id = c.plan_id and p.use_external_api
where w.company_id = $1 and w.id = any($2::int[])
order by w.id
for key share of w`,
};
