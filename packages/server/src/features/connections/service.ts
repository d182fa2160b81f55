import type {
  Connection,
  ConnectionChange,
  ConnectionId,
  NewConnection,
  ResultOf,
} from "@balcao/contract";
import type { StateEvent } from "../../channels/port.ts";
import { connectionsChanged } from "../../channels/runtime/index.ts";
import type { Ctx, UserCtx } from "../../platform/context.ts";
import { DomainError, hasPermission, requirePermission } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import type { ChannelAccounts } from "./channel-accounts.ts";
import { allSecrets, noSecrets, toConnectionDto } from "./connection.ts";
import { createEditing } from "./editing.ts";
import { publishConnection } from "./events.ts";
import { createHealth } from "./health.ts";
import type { RemovalDeps } from "./removal.ts";
import { createRemoval } from "./removal.ts";
import type { Change, ConnectionWithQueues, Request } from "./repository.ts";
import { changeConnection, readConnections, requestState, wantedIds } from "./repository.ts";

export type ConnectionsDeps = RemovalDeps & {
  /** Credentials of connections that are not linked with a phone; null where no channel keeps any. */
  accounts: ChannelAccounts | null;
};

/** A connection's state or code, as channels report it. */
export type ConnectionReport =
  | StateEvent
  | { type: "qr"; text: string | null }
  | { type: "pairing-code"; text: string | null };

export type ConnectionService = {
  list: (ctx: Ctx) => Promise<Connection[]>;
  get: (ctx: Ctx, id: ConnectionId) => Promise<Connection>;
  /** Starts with the stored link ("Try again"). */
  start: (ctx: Ctx, id: ConnectionId) => Promise<void>;
  /** Drops the stored link, then starts ("New QR"); with a phone's digits by a code to type there. */
  startUnlinked: (ctx: Ctx, id: ConnectionId, pairingPhone?: string) => Promise<void>;
  /** Unlinks and stops; succeeds whatever runs. */
  disconnect: (ctx: Ctx, id: ConnectionId) => Promise<void>;
  /** Starts all connections of the company anew that people want to run; the others stay as they are. */
  restartAll: (ctx: Ctx) => Promise<void>;
  create: (ctx: UserCtx, wish: NewConnection) => Promise<Connection>;
  update: (ctx: UserCtx, id: ConnectionId, change: ConnectionChange) => Promise<Connection>;
  remove: (ctx: UserCtx, id: ConnectionId) => Promise<void>;
  health: (
    ctx: UserCtx,
    query: { searchParam: string; pageNumber: number },
  ) => Promise<ResultOf<"GET /connections-health">>;
  /** Stores and shows what a channel reports; runs in the channel's transaction. */
  report: (
    ctx: Pick<Ctx, "companyId">,
    tx: Tx,
    id: ConnectionId,
    report: ConnectionReport,
    retries: number,
  ) => Promise<void>;
};

export function createConnectionService(deps: ConnectionsDeps): ConnectionService {
  const { db, wake, realtime, accounts } = deps;

  async function requestOne(ctx: Ctx, tx: Tx, id: ConnectionId, wanted: Request): Promise<void> {
    const row = await requestState(ctx, tx, id, wanted);
    if (!row) throw new DomainError("ERR_NO_WAPP_FOUND");
    await publishConnection(realtime, tx, row);
    connectionsChanged(wake, tx);
  }

  async function request(ctx: Ctx, id: ConnectionId, wanted: Request): Promise<void> {
    requirePermission(ctx, "connections:manage");
    await db.transaction(ctx, (tx) => requestOne(ctx, tx, id, wanted));
  }

  async function shown(ctx: Ctx, tx: Tx, row: ConnectionWithQueues): Promise<Connection> {
    const secrets = secretsOf(ctx);
    const hasAccount = row.channel === "cloud-api" && secrets.token && accounts !== null;
    const account = hasAccount ? await accounts.readCloudAccount(tx, ctx, row.id) : null;
    return toConnectionDto(row, secrets, account);
  }

  async function show(ctx: Ctx, tx: Tx, id: ConnectionId): Promise<Connection> {
    const [row] = await readConnections(ctx, tx, id);
    if (!row) throw new DomainError("ERR_NO_WAPP_FOUND");
    return shown(ctx, tx, row);
  }

  return {
    async list(ctx) {
      requirePermission(ctx, "connections:list");
      return db.transaction(ctx, async (tx) => {
        const connections: Connection[] = [];
        for (const row of await readConnections(ctx, tx)) {
          connections.push(await shown(ctx, tx, row));
        }
        return connections;
      });
    },

    async get(ctx, id) {
      requirePermission(ctx, "connections:list");
      return db.transaction(ctx, (tx) => show(ctx, tx, id));
    },

    start: (ctx, id) => request(ctx, id, { wanted: true, unlink: false }),
    startUnlinked: (ctx, id, pairingPhone) =>
      request(ctx, id, { wanted: true, unlink: true, pairingPhone }),
    disconnect: (ctx, id) => request(ctx, id, { wanted: false, unlink: true }),

    async restartAll(ctx) {
      requirePermission(ctx, "connections:manage");
      await db.transaction(ctx, async (tx) => {
        for (const id of await wantedIds(ctx, tx)) {
          await requestOne(ctx, tx, id, { wanted: true, unlink: false });
        }
      });
    },

    ...createEditing({ db, wake, realtime, accounts, show }),
    remove: createRemoval(deps),
    health: createHealth(db),

    async report(ctx, tx, id, report, retries) {
      const row = await changeConnection(ctx, tx, id, { ...changeOf(report), retries });
      // Deleted meanwhile: nobody is left to tell.
      if (row) await publishConnection(realtime, tx, row);
    },
  };
}

function secretsOf(ctx: Ctx) {
  return hasPermission(ctx, "connections:manage") ? allSecrets : noSecrets;
}

/** What a report changes: a code is only there in its own status. */
function changeOf(report: ConnectionReport): Change {
  if (report.type === "qr") {
    return report.text === null
      ? { qrcode: "" }
      : { status: "qrcode", qrcode: report.text, closeReason: null };
  }
  if (report.type === "pairing-code") {
    return report.text === null
      ? { pairingCode: "" }
      : { status: "qrcode", pairingCode: report.text, closeReason: null };
  }
  const change = {
    status: report.status,
    closeReason: report.reason ?? null,
    isEndedByPeople: report.reason === "stopped",
    ...(report.number === undefined ? {} : { number: report.number }),
  };
  return report.status === "qrcode" ? change : { ...change, qrcode: "", pairingCode: "" };
}
