import type {
  CloudApiCredentials,
  Connection,
  ConnectionChange,
  ConnectionId,
  NewConnection,
  QueueId,
  ShownConnection,
} from "@balcao/contract";
import { and, eq, ne, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import { connectionsChanged } from "../../channels/runtime/index.ts";
import type { Ctx, UserCtx } from "../../platform/context.ts";
import { DomainError, hasPermission, requirePermission } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import type { DomainEvents } from "../../platform/events.ts";
import {
  findRecord,
  hasId,
  holdReferences,
  refuseDuplicates,
  requireRow,
  setQueuesText,
} from "../../platform/db/records.ts";
import { connections, prompts, queues } from "../../platform/db/schema/index.ts";
import { countPlanLimit, lockPlanLimit } from "../companies/index.ts";
import { holdHelper } from "../prompts/index.ts";
import type { ChannelAccounts, CloudAccount, ConnectionWithQueues } from "./connection.ts";
import {
  findConnection,
  noSecrets,
  publishEntries,
  readConnections,
  readShownQueues,
  toConnection,
} from "./connection.ts";
import type { SessionsDeps } from "./sessions.ts";
import { requestSession } from "./sessions.ts";

export type ConnectionsDeps = SessionsDeps & {
  /** Credentials of connections that are not linked with a phone; null where no channel keeps any. */
  accounts: ChannelAccounts | null;
  domainEvents: DomainEvents;
  /** The tables that channels keep of their connections. */
  channelTables: readonly PgTable[];
};

export async function listConnections(
  { db, accounts }: ConnectionsDeps,
  ctx: Ctx,
): Promise<Connection[]> {
  requirePermission(ctx, "connections:list");
  const secrets = secretsOf(ctx);
  return db.transaction(ctx, async (tx) => {
    const rows = await readConnections(ctx, tx);
    const areShown = secrets.token && rows.some(hasAccount);
    const shown = areShown ? await accounts?.readCloudAccounts(tx, ctx) : undefined;
    return rows.map((row) => {
      const account = hasAccount(row) ? shown?.get(row.id) : undefined;
      return toConnection(row, secrets, account ?? null);
    });
  });
}

export async function showConnection(
  deps: ConnectionsDeps,
  ctx: Ctx,
  id: ConnectionId,
): Promise<ShownConnection> {
  requirePermission(ctx, "connections:list");
  return deps.db.transaction(ctx, async (tx) => {
    const connection = await show(deps, ctx, tx, id);
    const shownQueues = await readShownQueues(ctx, tx, id);
    return { ...connection, queues: shownQueues, prompt: await readPrompt(ctx, tx, connection) };
  });
}

async function readPrompt(
  ctx: Ctx,
  tx: Tx,
  { promptId }: Connection,
): Promise<ShownConnection["prompt"]> {
  if (promptId === null) return null;
  const { id, name, queueId } = await findRecord(ctx, tx, prompts, promptId, "ERR_NO_PROMPT_FOUND");
  return { id, name, queueId };
}

/** The company's first connection is its default, whatever was asked for. */
export async function createConnection(
  deps: ConnectionsDeps,
  ctx: UserCtx,
  body: NewConnection,
): Promise<Connection> {
  requirePermission(ctx, "connections:manage");
  const { isDefault, queueIds = [], cloudApi, channel = "whatsapp-web", ...settings } = body;
  const isOfficial = channel === "cloud-api";
  if (isOfficial) await checkCredentials(deps, ctx, null, cloudApi);
  return oneAtATime(deps, ctx, async (tx) => {
    const { count, max } = await countPlanLimit(ctx, tx, "connections");
    if (count >= max) throw new DomainError("ERR_WAPP_LIMIT_REACHED", { max });
    await holdQueues(ctx, tx, queueIds, settings.transferQueueId);
    requireGreeting(queueIds, settings.greetingMessage ?? "");
    const helper = await holdHelper(ctx, tx, settings);
    const inserted = await tx.orm
      .insert(connections)
      .values({
        ...shownColumns(ctx, settings),
        ...helper,
        ...{ companyId: ctx.companyId, channel, name: settings.name },
        ...{ status: "OPENING", wanted: true, startGeneration: 1 },
      })
      .returning({ id: connections.id });
    const { id } = requireRow(inserted);
    await tx.query(setQueuesStatement, [ctx.companyId, id, queueIds]);
    if (isOfficial) await saveCredentials(deps, ctx, tx, id, cloudApi);
    const former = count === 0 || isDefault === true ? await makeDefault(ctx, tx, id) : [];
    await publishEntries(deps.realtime, ctx, tx, [...former, id]);
    connectionsChanged(deps.wake, tx);
    return show(deps, ctx, tx, id);
  });
}

export async function updateConnection(
  deps: ConnectionsDeps,
  ctx: UserCtx,
  id: ConnectionId,
  { isDefault, queueIds, cloudApi, channel, ...settings }: ConnectionChange,
): Promise<Connection> {
  requirePermission(ctx, "connections:manage");
  const credentials = cloudApi && (await newCredentials(deps, ctx, id, channel, cloudApi));
  if (credentials) await checkCredentials(deps, ctx, id, credentials);
  return oneAtATime(deps, ctx, async (tx) => {
    const before = await findConnection(ctx, tx, id);
    if (isDefault === false && before.isDefault) throw new DomainError("ERR_NO_OTHER_WHATSAPP");
    const chosen = queueIds ?? before.queues.map((queue) => queue.id);
    await holdQueues(ctx, tx, chosen, settings.transferQueueId);
    requireGreeting(chosen, settings.greetingMessage ?? before.greetingMessage);
    const helper = await holdHelper(ctx, tx, settings);
    const former = isDefault && !before.isDefault ? await makeDefault(ctx, tx, id) : [];
    await tx.orm
      .update(connections)
      .set({ ...shownColumns(ctx, settings), ...helper, channel, updatedAt: sql`now()` })
      .where(hasId(ctx, connections, id));
    if (queueIds) await tx.query(setQueuesStatement, [ctx.companyId, id, queueIds]);
    await changeChannel(deps, ctx, tx, before, { channel, credentials });
    await publishEntries(deps.realtime, ctx, tx, [...former, id]);
    return show(deps, ctx, tx, id);
  });
}

/** The history stays with the connection: only its session and its link are new. */
async function changeChannel(
  deps: ConnectionsDeps,
  ctx: UserCtx,
  tx: Tx,
  before: ConnectionWithQueues,
  {
    channel = before.channel,
    credentials,
  }: {
    channel: ConnectionChange["channel"];
    credentials: CloudApiCredentials | null | undefined;
  },
): Promise<void> {
  const isOther = channel !== before.channel;
  if (!isOther && !credentials) return;
  if (channel === "cloud-api") await saveCredentials(deps, ctx, tx, before.id, credentials);
  if (isOther) {
    // The former link is removed before the new one starts; of several changes the first one counts.
    const unlinkChannel = sql`coalesce(${connections.unlinkChannel}, ${before.channel})`;
    await tx.orm
      .update(connections)
      .set({ unlinkChannel })
      .where(hasId(ctx, connections, before.id));
  }
  await requestSession(deps, ctx, tx, before.id, { wanted: true, unlink: isOther });
}

/** Makes it the company's default; returns the former one. */
export async function makeDefault(
  ctx: UserCtx,
  { orm }: Tx,
  id: ConnectionId,
): Promise<ConnectionId[]> {
  const { companyId, isDefault } = connections;
  const former = await orm
    .update(connections)
    .set({ isDefault: false, updatedAt: sql`now()` })
    .where(and(eq(companyId, ctx.companyId), isDefault, ne(connections.id, id)))
    .returning({ id: connections.id });
  await orm
    .update(connections)
    .set({ isDefault: true, updatedAt: sql`now()` })
    .where(hasId(ctx, connections, id));
  return former.map((row) => row.id);
}

async function show(deps: ConnectionsDeps, ctx: Ctx, tx: Tx, id: ConnectionId) {
  const row = await findConnection(ctx, tx, id);
  const secrets = secretsOf(ctx);
  const isShown = secrets.token && hasAccount(row);
  const account = isShown ? await deps.accounts?.readCloudAccount(tx, ctx, id) : null;
  return toConnection(row, secrets, account ?? null);
}

function secretsOf(ctx: Ctx) {
  if (!hasPermission(ctx, "connections:manage")) return noSecrets;
  return { token: hasPermission(ctx, "settings:read-secrets"), qrcode: true };
}

const hasAccount = (row: ConnectionWithQueues): boolean => row.channel === "cloud-api";

/** Credentials that the connection does not have yet; clients send back what they have read with every change. */
async function newCredentials(
  { db, accounts }: ConnectionsDeps,
  ctx: UserCtx,
  id: ConnectionId,
  channel: ConnectionChange["channel"],
  given: CloudApiCredentials,
): Promise<CloudApiCredentials | undefined> {
  return db.transaction(ctx, async (tx) => {
    const row = await findConnection(ctx, tx, id);
    if ((channel ?? row.channel) !== "cloud-api") return undefined;
    const kept = await accounts?.readCloudAccount(tx, ctx, id);
    return kept && isKept(kept, given) ? undefined : given;
  });
}

/** Whether the ids are the stored ones and no secret is new. */
function isKept(kept: CloudAccount, given: CloudApiCredentials): boolean {
  return (
    !given.accessToken &&
    !given.appSecret &&
    given.phoneNumberId === kept.phoneNumberId &&
    given.businessAccountId === kept.businessAccountId &&
    (given.verifyToken || kept.verifyToken) === kept.verifyToken
  );
}

async function checkCredentials(
  { accounts }: ConnectionsDeps,
  ctx: UserCtx,
  id: ConnectionId | null,
  cloudApi: CloudApiCredentials | null | undefined,
): Promise<void> {
  if (!accounts || !cloudApi) throw new DomainError("ERR_WAPP_CREDENTIALS");
  await accounts.checkCredentials(ctx, id, cloudApi);
}

/** Without new credentials there must be some from an earlier use of the service. */
async function saveCredentials(
  { accounts }: ConnectionsDeps,
  ctx: UserCtx,
  tx: Tx,
  id: ConnectionId,
  cloudApi: CloudApiCredentials | null | undefined,
): Promise<void> {
  if (!accounts) throw new DomainError("ERR_WAPP_CREDENTIALS");
  if (cloudApi) return accounts.saveCloudAccount(tx, ctx, id, cloudApi);
  const kept = await accounts.readCloudAccount(tx, ctx, id);
  if (!kept) throw new DomainError("ERR_WAPP_CREDENTIALS");
}

/** One change of the company's connections at a time: the plan's limit and the default are decided over all of them. */
async function oneAtATime<T>(
  { db }: ConnectionsDeps,
  ctx: UserCtx,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  const done = db.transaction(ctx, async (tx) => {
    await lockPlanLimit(ctx, tx, "connections");
    return work(tx);
  });
  return done.catch(
    refuseDuplicates({
      connections_company_name: "ERR_WAPP_NAME_EXISTS",
      connections_token: "ERR_WAPP_TOKEN_EXISTS",
    }),
  );
}

async function holdQueues(
  ctx: UserCtx,
  tx: Tx,
  ids: readonly QueueId[],
  transferQueueId: QueueId | null | undefined,
): Promise<void> {
  const asked = transferQueueId == null ? ids : [...ids, transferQueueId];
  await holdReferences(ctx, tx, queues, asked, "ERR_QUEUE_NOT_FOUND");
}

/** Customers who may choose between queues must be greeted with the choice (wire-contract 5.5). */
function requireGreeting(queueIds: readonly QueueId[], greetingMessage: string): void {
  if (new Set(queueIds).size > 1 && greetingMessage.trim() === "") {
    throw new DomainError("ERR_WAPP_GREETING_REQUIRED");
  }
}

type Settings = Omit<ConnectionChange, "isDefault" | "queueIds" | "cloudApi" | "channel">;

/** The columns of a form's fields. */
function columnsFor(settings: Settings) {
  const { expiresTicket, timeUseBotQueues, timeToTransfer, token, ...same } = settings;
  return {
    ...same,
    expiresTicketMinutes: expiresTicket,
    timeUseBotQueuesMinutes: timeUseBotQueues,
    timeToTransferMinutes: timeToTransfer,
    // An empty token never matches a caller; it is none.
    token: token === "" ? null : token,
  };
}

/** The same without the token for those who are not shown it: they send none back, and give none. */
function shownColumns(ctx: Ctx, settings: Settings) {
  const { token, ...columns } = columnsFor(settings);
  return secretsOf(ctx).token ? { ...columns, token } : columns;
}

const setQueuesStatement = {
  name: "connections.set-queues",
  text: setQueuesText("connection_queues", "connection_id"),
};
