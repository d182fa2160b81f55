import { createHmac } from "node:crypto";
import type {
  CompanyId,
  DeliveryFault,
  DeliveryId,
  DeliveryState,
  IntegrationId,
  TicketId,
  WebhookId,
} from "@balcao/contract";
import { addMilliseconds } from "date-fns/addMilliseconds";
import { getUnixTime } from "date-fns/getUnixTime";
import { isAfter } from "date-fns/isAfter";
import { isBefore } from "date-fns/isBefore";
import { max } from "date-fns/max";
import { min } from "date-fns/min";
import { subHours } from "date-fns/subHours";
import type { Ctx } from "../../platform/context.ts";
import { systemCtx } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import { deliveries } from "../../platform/db/schema/index.ts";
import type { Wake } from "../../platform/db/wake.ts";
import type { GuardedFetch } from "../../platform/http/guarded-fetch.ts";
import { AnswerTooLarge, RefusedAddress } from "../../platform/http/guarded-fetch.ts";
import type { DomainEvents } from "../../platform/events.ts";
import { DueWorker } from "../../platform/jobs/due-worker.ts";
import type { Logger } from "../../platform/logging/logger.ts";
import type { Realtime } from "../../platform/realtime/hub.ts";
import { rooms } from "../../platform/realtime/hub.ts";
import type { Seal } from "../../platform/secrets/seal.ts";
import type { Clock, IdSource } from "../../platform/sources.ts";
import type { Stop } from "../mails/index.ts";
import {
  dueNowStatements,
  failsStatements,
  giveBackStatement,
  goneStatements,
  integrationsAgain,
  judgeStatement,
  lockStatement,
  moveStatement,
  nextStatement,
  recordStatement,
  resumeStatements,
  soonerStatements,
  successorStatements,
  sweepManyStatement,
  sweepOldStatement,
  webhooksAgain,
  worksStatements,
} from "./delivery-statements.ts";
import { openSecret, signingKey } from "./secrets.ts";

export type DeliverySettings = {
  /** Time limit of one try, with the answer. */
  tryLimitMs: number;
  lookEveryMs: number;
  /** Between two live events of a company. */
  tellEveryMs: number;
  /** Of a company; its oldest beyond are deleted. */
  keptRows: number;
};
const defaultDeliverySettings: DeliverySettings = {
  tryLimitMs: 10_000,
  lookEveryMs: 30_000,
  tellEveryMs: 2_000,
  keptRows: 100_000,
};

export type DeliveriesDeps = {
  db: Database;
  clock: Clock;
  ids: IdSource;
  wake: Wake;
  log: Logger;
  realtime: Realtime;
  domainEvents: DomainEvents;
  seal: Seal;
  fetch: GuardedFetch;
  deliverySettings?: Partial<DeliverySettings>;
  /** Something about a receiver has changed that its list shows. */
  receiverChanged?: (tx: Tx, companyId: CompanyId, receiver: Receiver) => Promise<void>;
};

/** An integration of a ticket, or a webhook of the whole company. */
export type Receiver = { integrationId: IntegrationId } | { webhookId: WebhookId };

export type NewDelivery = {
  /** The name of the event, such as `message.received`. */
  kind: string;
  /** Events of one receiver and ticket are sent in order. Without a ticket they have no order. */
  ticketId: TicketId | null;
  /** Sent as JSON, the same at each try. */
  body: unknown;
};

export type Deliveries = ReturnType<typeof createDeliveries>;

/** Wakes the processes that send. */
const TOPIC = "deliveries";
const AT_ONCE = 64;
const HELD_MAX = 256;
/** Tries of one company at the same time, in a process: receivers that do not answer delay nobody else. */
const COMPANY_AT_ONCE = 16;
/** A claim lasts longer than a try. One that ran out was lost with its process. */
const CLAIM_MARGIN_MS = 20_000;
/** A row that waits for another one, or for its receiver, is looked at again after this at the latest. */
const PARKED_MS = 3_600_000;

/**
 * Sends events to receivers outside: at least once, with the same id at each try, those of one receiver and ticket in their
 * order. An event is a row in the transaction of the change that it tells of; any process that works on jobs sends it.
 */
export function createDeliveries(deps: DeliveriesDeps) {
  const { wake, log } = deps;
  const settings = { ...defaultDeliverySettings, ...deps.deliverySettings };
  const told = createNews(deps, settings.tellEveryMs);
  const held = new Map<CompanyId, number>();
  const hold = (companyId: CompanyId, count: number): void => {
    held.set(companyId, (held.get(companyId) ?? 0) + count);
    if (held.get(companyId) === 0) held.delete(companyId);
  };
  const worker = new DueWorker<Claim>({
    name: "deliveries",
    log,
    lookEveryMs: settings.lookEveryMs,
    wokenBy: { wake, topic: TOPIC, inMs: 0 },
    look: async (limit) => {
      const found = await claimDue(deps, limit, held, settings.tryLimitMs + CLAIM_MARGIN_MS);
      for (const { companyId } of found.due) hold(companyId, 1);
      return found;
    },
    work: {
      atOnce: AT_ONCE,
      batch: HELD_MAX,
      idOf: ({ id, dueAt }) => `${id} ${dueAt.getTime()}`,
      companyOf: ({ companyId }) => companyId,
      run: async (claim, stopping) => {
        try {
          const attempt = await post(deps, settings, claim, stopping);
          if (stopping.aborted && attempt.status === null) return await giveBack(deps, [claim]);
          await record(deps, claim, attempt);
          told.about(claim.companyId);
          // What waited for it may be due.
          return "again";
        } finally {
          hold(claim.companyId, -1);
        }
      },
      giveBack: (claims) => giveBack(deps, claims),
    },
  });

  return {
    start: () => worker.start(),
    async stop(): Promise<void> {
      await worker.stop();
      told.stop();
    },

    /** Has an event sent once the transaction has committed. */
    async enqueue(ctx: Ctx, tx: Tx, receiver: Receiver, event: NewDelivery): Promise<void> {
      const now = deps.clock.now();
      await tx.orm.insert(deliveries).values({
        ...{ companyId: ctx.companyId, ...receiver, ticketId: event.ticketId },
        ...{ eventId: deps.ids.uuid(), kind: event.kind, body: JSON.stringify(event.body) },
        ...{ state: "waiting", dueAt: now, createdAt: now },
      });
      wake.notify(tx, TOPIC);
    },

    /** Sends ended events of these receivers again, with their ids; answers how many. */
    async again(ctx: Ctx, of: "integrations" | "webhooks", ids: readonly DeliveryId[]) {
      const statement = of === "integrations" ? integrationsAgain : webhooksAgain;
      return deps.db.transaction(ctx, async (tx) => {
        const values = [ctx.companyId, [...ids], deps.clock.now()];
        const rows = await tx.query(statement, values);
        wake.notify(tx, TOPIC);
        tx.onCommit(() => told.about(ctx.companyId));
        return rows.length;
      });
    },

    /**
     * Delivers again to a receiver that was stopped, or fails: what waits is due now. Not to be called in a transaction: a look
     * that still sees the stop puts events off, so they are made due after its end.
     */
    async resume(ctx: Ctx, receiver: Receiver): Promise<void> {
      const { table, id } = tableOf(receiver);
      await deps.db.transaction(ctx, (tx) =>
        tx.query(resumeStatements[table], [ctx.companyId, id]),
      );
      await deps.db.transaction(ctx, async (tx) => {
        await tx.query(dueNowStatements[table], [ctx.companyId, id, deps.clock.now()]);
        wake.notify(tx, TOPIC);
      });
      told.about(ctx.companyId);
    },

    /** Posts a body to an address that is no row, with the signature of a receiver; for tests of the receiver. */
    sendOnce: (to: Target, body: unknown) =>
      post(deps, settings, { ...to, eventId: deps.ids.uuid(), body: JSON.stringify(body) }),

    /** For the job runner. */
    sweep: (signal: AbortSignal) => sweepDeliveries(deps, settings, signal),
  };
}

type Row = typeof deliveries.$inferSelect;
type Secrets = { secret: Buffer; previousSecret: Buffer | null; previousUntil: Date | null };
export type Target = Secrets & { companyId: CompanyId; ticketId: TicketId | null; url: string };
type Claim = Target &
  Pick<
    Row,
    "id" | "companyId" | "ticketId" | "eventId" | "body" | "dueAt" | "tries" | "integrationId"
  > & { webhookId: WebhookId | null };

/** The outcome of a try: an answer, or why there was none. */
export type Attempt = {
  at: Date;
  status: number | null;
  fault: DeliveryFault | null;
  answer: string;
  tookMs: number;
};

const tableOf = (receiver: Receiver) =>
  "integrationId" in receiver
    ? ({ table: "integrations", id: receiver.integrationId } as const)
    : ({ table: "webhooks", id: receiver.webhookId } as const);

const receiverOf = ({ integrationId, webhookId }: Pick<Claim, "integrationId" | "webhookId">) =>
  integrationId === null ? { webhookId: webhookId as WebhookId } : { integrationId }; // one of the two is set

type FoundRow = Claim & {
  stoppedAt: Date | null;
  /** An older event of the receiver and ticket that is not sent yet. */
  olderDueAt: Date | null;
};

/**
 * Claims due rows that nothing older and no stop holds up; the others are put off. The rows are locked by one statement and
 * judged by the next, so that the end of an older event is either seen here, or waits and makes its successor due.
 */
async function claimDue(
  { db, clock }: DeliveriesDeps,
  limit: number,
  held: ReadonlyMap<CompanyId, number>,
  claimMs: number,
) {
  const now = clock.now();
  return db.acrossCompanies(async (tx) => {
    const values = [now, COMPANY_AT_ONCE, [...held.keys()], [...held.values()], limit];
    const locked = await tx.query<{ id: DeliveryId }>(lockStatement, values);
    const rows =
      locked.length === 0
        ? []
        : await tx.query<FoundRow>(judgeStatement, [locked.map(({ id }) => id)]);
    const dueAt = addMilliseconds(now, claimMs);
    const judged = rows.map((row) => ({ row, until: parkedUntil(row, now) }));
    if (judged.length > 0) {
      await tx.query(moveStatement, [
        judged.map(({ row }) => row.id),
        judged.map(({ until }) => until ?? dueAt),
        judged.map(({ until }) => until === null),
      ]);
    }
    const due = judged.flatMap(({ row, until }) =>
      until === null ? [{ ...row, dueAt, tries: row.tries + 1 }] : [],
    );
    const [next] = await tx.query<{ at: Date | null }>(nextStatement, [now]);
    const nextInMs = next?.at ? next.at.getTime() - now.getTime() : null;
    // Behind those that were put off others may be due.
    return { due, nextInMs: due.length < judged.length ? 0 : nextInMs };
  });
}

/** Null: it is sent now. */
function parkedUntil({ stoppedAt, olderDueAt }: FoundRow, now: Date): Date | null {
  const latest = addMilliseconds(now, PARKED_MS);
  if (stoppedAt !== null) return latest;
  return olderDueAt && min([latest, max([olderDueAt, addMilliseconds(now, 1_000)])]);
}

const ANSWER_KEPT_BYTES = 65_536;

async function post(
  { clock, fetch, seal }: DeliveriesDeps,
  { tryLimitMs }: DeliverySettings,
  sent: Target & Pick<Claim, "eventId" | "body">,
  stopping?: AbortSignal,
): Promise<Attempt> {
  const at = clock.now();
  const beganMs = performance.now();
  const limit = AbortSignal.timeout(tryLimitMs);
  const signal = stopping ? AbortSignal.any([limit, stopping]) : limit;
  const ended = (outcome: Pick<Attempt, "status" | "fault" | "answer">): Attempt => ({
    ...{ at, ...outcome, tookMs: Math.round(performance.now() - beganMs) },
  });
  try {
    const secrets = secretsAt(sent, at).map((secret) => openSecret(seal, sent.companyId, secret));
    const headers = headersFor(sent, at, secrets);
    const { body } = sent;
    const response = await fetch(sent.url, { method: "POST", headers, body, signal });
    const { status } = response;
    const answer = await readStart(response);
    // A redirect is not followed: it could lead inside.
    const isElsewhere = status >= 300 && status < 400;
    return ended({ status, fault: isElsewhere ? "refused-address" : null, answer });
  } catch (error) {
    return ended({ status: null, fault: faultOf(error), answer: "" });
  }
}

/** The secrets that sign at this moment. */
function secretsAt({ secret, previousSecret, previousUntil }: Secrets, at: Date): Buffer[] {
  const both = previousSecret !== null && previousUntil !== null && isAfter(previousUntil, at);
  return both ? [secret, previousSecret] : [secret];
}

/** The headers of a try. A receiver checks the signature over id, time and body with its secret. */
export function headersFor(
  {
    eventId,
    body,
    companyId,
    ticketId,
  }: Pick<Row, "eventId" | "body" | "ticketId"> & { companyId: number },
  at: Date,
  secrets: readonly string[],
): Record<string, string> {
  const timestamp = String(getUnixTime(at));
  const sign = (secret: string): string =>
    `v1,${createHmac("sha256", signingKey(secret)).update(`${eventId}.${timestamp}.${body}`).digest("base64")}`;
  return {
    "content-type": "application/json",
    "user-agent": "Balcao",
    "webhook-id": eventId,
    "webhook-timestamp": timestamp,
    "webhook-signature": secrets.map(sign).join(" "),
    "x-company-id": String(companyId),
    ...(ticketId === null ? {} : { "x-ticket-id": String(ticketId) }),
  };
}

/** The first 64 kB. What comes later, or not at all, changes nothing about the status. */
async function readStart(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  if (!reader) return "";
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    while (bytes < ANSWER_KEPT_BYTES) {
      const { done, value } = await reader.read();
      if (done) break;
      chunks.push(value);
      bytes += value.byteLength;
    }
  } catch {
    // The status has come.
  }
  await reader.cancel().catch(() => undefined);
  const start = Buffer.concat(chunks).subarray(0, ANSWER_KEPT_BYTES);
  return start.toString("utf8").replaceAll("\0", "");
}

/** Why a call outside got no answer. */
export function faultOf(error: unknown): DeliveryFault {
  if (error instanceof RefusedAddress) return "refused-address";
  if (error instanceof AnswerTooLarge) return "too-large";
  return error instanceof Error && error.name === "TimeoutError" ? "no-answer" : "unreachable";
}

const MINUTE_MS = 60_000;
/** The waits between tries: altogether a day. */
const RETRY_MS = [
  ...[5_000, 30_000, 2 * MINUTE_MS, 10 * MINUTE_MS, 30 * MINUTE_MS],
  ...Array.from({ length: 23 }, () => 60 * MINUTE_MS),
];
/** A receiver whose tries have all failed for so long is stopped. */
const FAILING_HOURS = 1;
/** Tries within an hour. An event that is alone in failing does not use up its day with each success of others. */
const QUICK_TRIES = 6;

type Outcome = {
  state: DeliveryState;
  dueAt: Date;
  /** `fails`: it may work later. `gone`: it wants nothing more. Null: this says nothing about it. */
  receiver: "works" | "fails" | "gone" | null;
};

/** What follows from a try, which `tries` counts. */
export function outcomeOf(tries: number, { at, status }: Pick<Attempt, "at" | "status">): Outcome {
  const ended = (state: DeliveryState, receiver: Outcome["receiver"]): Outcome => ({
    ...{ state, dueAt: at, receiver },
  });
  if (status !== null && status >= 200 && status < 300) return ended("delivered", "works");
  if (status === 410) return ended("failed", "gone");
  const mayPass = status === null || status >= 500 || status === 408 || status === 429;
  if (!mayPass) return ended("failed", null);
  const waitMs = RETRY_MS[tries - 1];
  if (waitMs === undefined) return ended("failed", "fails");
  return { state: "waiting", dueAt: addMilliseconds(at, waitMs), receiver: "fails" };
}

/** Stores the outcome of a try under its claim, and what it says about the receiver. */
async function record(deps: DeliveriesDeps, claim: Claim, attempt: Attempt): Promise<void> {
  const { db, clock, ids, domainEvents, receiverChanged } = deps;
  const now = clock.now();
  const { companyId } = claim;
  const receiver = receiverOf(claim);
  const { table, id } = tableOf(receiver);
  const outcome = outcomeOf(claim.tries, { ...attempt, at: now });
  await db.acrossCompanies(async (tx) => {
    const kept = await tx.query(recordStatement, [
      ...[claim.id, claim.dueAt, outcome.state, outcome.dueAt],
      ...[attempt.status, attempt.fault, attempt.answer, attempt.tookMs, attempt.at, claim.url],
    ]);
    if (kept.length === 0) return;
    if (outcome.state !== "waiting" && claim.ticketId !== null) {
      await tx.query(successorStatements[table], [companyId, id, claim.ticketId, now]);
    }
    const changed = await noteReceiver(tx, table, [companyId, id], outcome.receiver, now);
    if (changed) await receiverChanged?.(tx, companyId, receiver);
    if (changed?.stopped == null) return;
    const what = table === "integrations" ? "integration" : "webhook";
    const ctx = systemCtx(companyId, "deliveries", ids.uuid());
    await domainEvents.publish(tx, ctx, "helper.stopped", { what, ...changed.stopped });
  });
}

/** The receiver begins to fail, works again, or is stopped now. */
type ReceiverChange = { stopped: Pick<Stop, "name" | "why"> | null };

/** Null when nothing has changed about the receiver. */
async function noteReceiver(
  tx: Tx,
  table: "integrations" | "webhooks",
  key: readonly [CompanyId, number],
  how: Outcome["receiver"],
  now: Date,
): Promise<ReceiverChange | null> {
  switch (how) {
    case null:
      return null;
    case "works": {
      const [before] = await tx.query<{ since: Date }>(worksStatements[table], key);
      // What waits for its next try need not wait any longer. Where only some events fail, they keep their pace.
      const wasDown = before && isBefore(before.since, addMilliseconds(now, -MINUTE_MS));
      if (wasDown) await tx.query(soonerStatements[table], [...key, now, QUICK_TRIES]);
      return before ? { stopped: null } : null;
    }
    case "fails": {
      const since = subHours(now, FAILING_HOURS);
      type Failed = { isNew: boolean; isStopped: boolean; name: string };
      const [row] = await tx.query<Failed>(failsStatements[table], [...key, now, since]);
      if (!row?.isNew) return null;
      return { stopped: row.isStopped ? { name: row.name, why: "failing" } : null };
    }
    case "gone": {
      const [row] = await tx.query<{ name: string }>(goneStatements[table], [...key, now]);
      return row ? { stopped: { name: row.name, why: "gone" } } : null;
    }
  }
}

async function giveBack({ db, clock }: DeliveriesDeps, claims: readonly Claim[]): Promise<void> {
  const values = [clock.now(), claims.map(({ id }) => id), claims.map(({ dueAt }) => dueAt)];
  await db.acrossCompanies((tx) => tx.query(giveBackStatement, values));
}

const KEPT_DAYS = 30;
const SWEPT_AT_ONCE = 2_000;

/** Deletes events that are older than 30 days, and a company's oldest beyond the number that is kept. */
async function sweepDeliveries(
  { db, clock }: DeliveriesDeps,
  { keptRows }: DeliverySettings,
  signal: AbortSignal,
): Promise<void> {
  const before = subHours(clock.now(), KEPT_DAYS * 24);
  const isAnyLeft = () =>
    db.acrossCompanies(async (tx) => {
      const old = await tx.query(sweepOldStatement, [before, SWEPT_AT_ONCE]);
      const tooMany = await tx.query(sweepManyStatement, [keptRows, SWEPT_AT_ONCE]);
      return old.length + tooMany.length > 0;
    });
  while (await isAnyLeft()) signal.throwIfAborted();
}

/** Tells those who manage integrations that deliveries have changed: at once, then at most once in `everyMs`. */
function createNews({ realtime }: Pick<DeliveriesDeps, "realtime">, everyMs: number) {
  /** The companies that were told lately; true: there is more to tell. */
  const lately = new Map<CompanyId, { timer: NodeJS.Timeout; isMore: boolean }>();
  function about(companyId: CompanyId): void {
    const known = lately.get(companyId);
    if (known) {
      known.isMore = true;
      return;
    }
    realtime.publish(companyId, "integrationDelivery", { action: "update" }, [
      rooms.holders(companyId, "integrations:manage"),
    ]);
    const timer = setTimeout(() => {
      const isMore = lately.get(companyId)?.isMore ?? false;
      lately.delete(companyId);
      if (isMore) about(companyId);
    }, everyMs);
    timer.unref();
    lately.set(companyId, { timer, isMore: false });
  }
  return {
    about,
    stop(): void {
      for (const { timer } of lately.values()) clearTimeout(timer);
    },
  };
}
