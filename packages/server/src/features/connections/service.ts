import type { Connection, ConnectionId } from "@balcao/contract";
import type { StateEvent } from "../../channels/port.ts";
import { connectionsChanged } from "../../channels/runtime/index.ts";
import type { Ctx } from "../../platform/context.ts";
import { DomainError, hasPermission, requirePermission } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import type { Wake } from "../../platform/db/wake.ts";
import type { Realtime } from "../../platform/realtime/hub.ts";
import { allSecrets, noSecrets, toConnectionDto } from "./connection.ts";
import { publishConnection } from "./events.ts";
import type { Change, Request } from "./repository.ts";
import { changeConnection, readConnections, requestState } from "./repository.ts";

export type ConnectionsDeps = { db: Database; wake: Wake; realtime: Realtime };

/** A connection's state or code, as channels report it. */
export type ConnectionReport = StateEvent | { type: "qr"; text: string | null };

export type ConnectionService = {
  list: (ctx: Ctx) => Promise<Connection[]>;
  get: (ctx: Ctx, id: ConnectionId) => Promise<Connection>;
  /** Starts with the stored link ("Try again"). */
  start: (ctx: Ctx, id: ConnectionId) => Promise<void>;
  /** Drops the stored link, then starts ("New QR"). */
  startUnlinked: (ctx: Ctx, id: ConnectionId) => Promise<void>;
  /** Unlinks and stops; succeeds whatever runs. */
  disconnect: (ctx: Ctx, id: ConnectionId) => Promise<void>;
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
  const { db, wake, realtime } = deps;

  async function request(ctx: Ctx, id: ConnectionId, wanted: Request): Promise<void> {
    requirePermission(ctx, "connections:manage");
    await db.transaction(ctx, async (tx) => {
      const row = await requestState(ctx, tx, id, wanted);
      if (!row) throw new DomainError("ERR_NO_WAPP_FOUND");
      await publishConnection(realtime, tx, row);
      connectionsChanged(wake, tx);
    });
  }

  return {
    async list(ctx) {
      requirePermission(ctx, "connections:list");
      const rows = await db.transaction(ctx, (tx) => readConnections(ctx, tx));
      return rows.map((row) => toConnectionDto(row, secretsOf(ctx)));
    },

    async get(ctx, id) {
      requirePermission(ctx, "connections:list");
      const [row] = await db.transaction(ctx, (tx) => readConnections(ctx, tx, id));
      if (!row) throw new DomainError("ERR_NO_WAPP_FOUND");
      return toConnectionDto(row, secretsOf(ctx));
    },

    start: (ctx, id) => request(ctx, id, { wanted: true, unlink: false }),
    startUnlinked: (ctx, id) => request(ctx, id, { wanted: true, unlink: true }),
    disconnect: (ctx, id) => request(ctx, id, { wanted: false, unlink: true }),

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
  const change = {
    status: report.status,
    closeReason: report.reason ?? null,
    ...(report.number === undefined ? {} : { number: report.number }),
  };
  return report.status === "qrcode" ? change : { ...change, qrcode: "" };
}
