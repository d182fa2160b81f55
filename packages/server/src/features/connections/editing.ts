import type {
  CloudApiCredentials,
  Connection,
  ConnectionChange,
  ConnectionId,
  NewConnection,
  QueueId,
} from "@balcao/contract";
import { connectionsChanged } from "../../channels/runtime/index.ts";
import type { UserCtx } from "../../platform/context.ts";
import { DomainError, requirePermission } from "../../platform/context.ts";
import { isConflict } from "../../platform/db/conflict.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import type { Wake } from "../../platform/db/wake.ts";
import type { Realtime } from "../../platform/realtime/hub.ts";
import { countPlanLimit, lockPlanLimit } from "../companies/index.ts";
import type { ChannelAccounts, CloudAccount } from "./channel-accounts.ts";
import { isGreetingMissing } from "./connection.ts";
import { publishConnection, publishEntries } from "./events.ts";
import type { ConnectionWithQueues } from "./repository.ts";
import { readConnections, requestState } from "./repository.ts";
import {
  findQueues,
  insertConnection,
  leaveChannel,
  makeDefault,
  saveSettings,
  setQueues,
} from "./write-repository.ts";

export type EditingDeps = {
  db: Database;
  wake: Wake;
  realtime: Realtime;
  /** Null where no channel keeps credentials. */
  accounts: ChannelAccounts | null;
  /** A connection as the reply shows it. */
  show(ctx: UserCtx, tx: Tx, id: ConnectionId): Promise<Connection>;
};

/** Adding and changing connections (wire-contract 5.5). */
export function createEditing({ db, wake, realtime, accounts, show }: EditingDeps) {
  async function create(ctx: UserCtx, wish: NewConnection): Promise<Connection> {
    requirePermission(ctx, "connections:manage");
    const { isDefault, queueIds = [], cloudApi, channel = "whatsapp-web", ...settings } = wish;
    if (channel === "cloud-api") await checkCredentials(ctx, null, cloudApi);
    return inOneGo(ctx, async (tx) => {
      const { count, max } = await countPlanLimit(ctx, tx, "connections");
      if (count >= max) throw new DomainError("ERR_WAPP_LIMIT_REACHED", { max });
      const chosen = await requireQueues(ctx, tx, queueIds, settings.transferQueueId);
      requireGreeting(chosen, settings.greetingMessage ?? "");
      const id = await insertConnection(ctx, tx, { name: settings.name, channel });
      await saveSettings(ctx, tx, id, settings);
      await setQueues(ctx, tx, id, chosen);
      if (channel === "cloud-api") await saveCredentials(ctx, tx, id, cloudApi);
      // The first one is, whatever was asked for.
      const former = count === 0 || isDefault === true ? await makeDefault(ctx, tx, id) : null;
      await publishEntries(realtime, ctx, tx, former === null ? [id] : [former, id]);
      connectionsChanged(wake, tx);
      return show(ctx, tx, id);
    });
  }

  async function update(
    ctx: UserCtx,
    id: ConnectionId,
    change: ConnectionChange,
  ): Promise<Connection> {
    requirePermission(ctx, "connections:manage");
    const credentials = await newCredentials(ctx, id, change);
    if (credentials) await checkCredentials(ctx, id, credentials);
    return inOneGo(ctx, async (tx) => {
      const [before] = await readConnections(ctx, tx, id);
      if (!before) throw new DomainError("ERR_NO_WAPP_FOUND");
      const former = await applyDefault(ctx, tx, before, change.isDefault);
      await applySettings(ctx, tx, before, change);
      await applyChannel(ctx, tx, before, { channel: change.channel, credentials });
      await publishEntries(realtime, ctx, tx, former === null ? [id] : [former, id]);
      return show(ctx, tx, id);
    });
  }

  /** Another one may become the default; there is always one. Answers the former one. */
  async function applyDefault(
    ctx: UserCtx,
    tx: Tx,
    before: ConnectionWithQueues,
    isDefault: boolean | undefined,
  ): Promise<ConnectionId | null> {
    if (isDefault === undefined || isDefault === before.isDefault) return null;
    if (!isDefault) throw new DomainError("ERR_NO_OTHER_WHATSAPP");
    return makeDefault(ctx, tx, before.id);
  }

  async function applySettings(
    ctx: UserCtx,
    tx: Tx,
    before: ConnectionWithQueues,
    change: ConnectionChange,
  ): Promise<void> {
    const { isDefault: _, queueIds, cloudApi: __, ...settings } = change;
    const chosen = await requireQueues(
      ctx,
      tx,
      queueIds ?? before.queues.map((queue) => queue.id),
      settings.transferQueueId,
    );
    requireGreeting(chosen, settings.greetingMessage ?? before.greetingMessage);
    await saveSettings(ctx, tx, before.id, settings);
    if (queueIds !== undefined) await setQueues(ctx, tx, before.id, chosen);
  }

  /** History stays with the connection: only its session and its link are others. */
  async function applyChannel(
    ctx: UserCtx,
    tx: Tx,
    before: ConnectionWithQueues,
    { channel = before.channel, credentials }: ChannelChange,
  ): Promise<void> {
    const isOther = channel !== before.channel;
    if (!isOther && !credentials) return;
    if (channel === "cloud-api") await saveCredentials(ctx, tx, before.id, credentials);
    if (isOther) await leaveChannel(ctx, tx, before.id, before.channel);
    const row = await requestState(ctx, tx, before.id, { wanted: true, unlink: isOther });
    if (row) await publishConnection(realtime, tx, row);
    connectionsChanged(wake, tx);
  }

  /** Those that the connection does not have yet; clients send back what they have read with every change. */
  async function newCredentials(
    ctx: UserCtx,
    id: ConnectionId,
    { channel, cloudApi }: ConnectionChange,
  ): Promise<CloudApiCredentials | undefined> {
    if (!cloudApi) return undefined;
    return db.transaction(ctx, async (tx) => {
      const [row] = await readConnections(ctx, tx, id);
      if (!row) throw new DomainError("ERR_NO_WAPP_FOUND");
      if ((channel ?? row.channel) !== "cloud-api") return undefined;
      const kept = await accounts?.readCloudAccount(tx, ctx, id);
      return kept && isKept(kept, cloudApi) ? undefined : cloudApi;
    });
  }

  async function checkCredentials(
    ctx: UserCtx,
    id: ConnectionId | null,
    cloudApi: CloudApiCredentials | null | undefined,
  ): Promise<void> {
    if (!accounts || !cloudApi) throw new DomainError("ERR_WAPP_CREDENTIALS");
    await accounts.checkCredentials(ctx, id, cloudApi);
  }

  /** Without new ones there must be some already: a connection that was on the service before. */
  async function saveCredentials(
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

  async function inOneGo<T>(ctx: UserCtx, work: (tx: Tx) => Promise<T>): Promise<T> {
    try {
      return await db.transaction(ctx, async (tx) => {
        await lockPlanLimit(ctx, tx, "connections");
        return work(tx);
      });
    } catch (error) {
      if (isConflict(error, "connections_company_name")) {
        throw new DomainError("ERR_WAPP_NAME_EXISTS");
      }
      if (isConflict(error, "connections_token")) throw new DomainError("ERR_WAPP_TOKEN_EXISTS");
      throw error;
    }
  }

  return { create, update };
}

type ChannelChange = {
  channel: ConnectionChange["channel"];
  credentials: CloudApiCredentials | undefined;
};

/** Whether nothing in them is new: the ids are those that are kept, and no secret is another one. */
function isKept(kept: CloudAccount, given: CloudApiCredentials): boolean {
  return (
    !given.accessToken &&
    !given.appSecret &&
    given.phoneNumberId === kept.phoneNumberId &&
    given.businessAccountId === kept.businessAccountId &&
    (given.verifyToken || kept.verifyToken) === kept.verifyToken
  );
}

/** Those asked for, once each; another company's is not found. */
async function requireQueues(
  ctx: UserCtx,
  tx: Tx,
  queueIds: readonly QueueId[],
  transferQueueId: QueueId | null | undefined,
): Promise<QueueId[]> {
  const chosen = [...new Set(queueIds)];
  const asked = transferQueueId == null ? chosen : [...chosen, transferQueueId];
  const found = new Set(await findQueues(ctx, tx, asked));
  if (asked.some((id) => !found.has(id))) throw new DomainError("ERR_QUEUE_NOT_FOUND");
  return chosen;
}

function requireGreeting(queueIds: readonly QueueId[], greetingMessage: string): void {
  if (isGreetingMissing({ queueCount: queueIds.length, greetingMessage })) {
    throw new DomainError("ERR_WAPP_GREETING_REQUIRED");
  }
}
