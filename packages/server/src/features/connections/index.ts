import type { CompanyId, ConnectionId } from "@balcao/contract";
import type { Tx } from "../../platform/db/database.ts";
import type { Routes } from "../../platform/http/routes.ts";
import { publishEntries } from "./connection.ts";
import type { ConnectionsDeps } from "./editing.ts";
import { createConnection, listConnections, showConnection, updateConnection } from "./editing.ts";
import { listHealth } from "./health.ts";
import { removeConnection } from "./removal.ts";
import type { ConnectionReport } from "./sessions.ts";
import {
  disconnect,
  reportConnection,
  restartConnections,
  startConnection,
  startUnlinked,
} from "./sessions.ts";

export { createAlarms, mailLossesAcrossCompanies } from "./alarms.ts";

export type ConnectionsFeature = ReturnType<typeof createConnectionsFeature>;

/** The connections of a company to chat networks (wire-contract 5.5, 5.6). */
export function createConnectionsFeature(deps: ConnectionsDeps) {
  deps.domainEvents.on("queue.shownDifferently", (ctx, tx, { connectionIds }) =>
    publishEntries(deps.realtime, ctx, tx, connectionIds),
  );
  return {
    register(routes: Routes): void {
      registerConnections(deps, routes);
      registerSessions(deps, routes);
    },

    /** For the channel runtime: stores and publishes a connection's new state or code, in the channel's transaction. */
    tell: (
      tx: Tx,
      { companyId, connectionId }: { companyId: CompanyId; connectionId: ConnectionId },
      report: ConnectionReport,
      retries: number,
    ): Promise<void> => reportConnection(deps, { companyId }, tx, connectionId, report, retries),
  };
}

function registerConnections(deps: ConnectionsDeps, routes: Routes): void {
  routes.handle("GET /whatsapp", ({ ctx }) => listConnections(deps, ctx));
  routes.handle("GET /whatsapp/:connectionId", ({ ctx, params }) =>
    showConnection(deps, ctx, params.connectionId),
  );
  routes.handle("POST /whatsapp", ({ ctx, body }) => createConnection(deps, ctx, body));
  routes.handle("PUT /whatsapp/:connectionId", ({ ctx, params, body }) =>
    updateConnection(deps, ctx, params.connectionId, body),
  );
  routes.handle("DELETE /whatsapp/:connectionId", async ({ ctx, params }) => {
    await removeConnection(deps, ctx, params.connectionId);
    return { message: "Whatsapp deleted." };
  });
  routes.handle("GET /connections-health", ({ ctx, query }) => listHealth(deps, ctx, query));
}

function registerSessions(deps: ConnectionsDeps, routes: Routes): void {
  routes.handle("POST /whatsapp-restart", async ({ ctx }) => {
    await restartConnections(deps, ctx);
    return { message: "Whatsapp restart." };
  });
  routes.handle("POST /whatsappsession/:connectionId", async ({ ctx, params }) => {
    await startConnection(deps, ctx, params.connectionId);
    return { message: "Starting session." };
  });
  routes.handle("PUT /whatsappsession/:connectionId", async ({ ctx, params, body }) => {
    await startUnlinked(deps, ctx, params.connectionId, body.pairingPhone);
    return { message: "Starting session." };
  });
  routes.handle("DELETE /whatsappsession/:connectionId", async ({ ctx, params }) => {
    await disconnect(deps, ctx, params.connectionId);
    return { message: "Session disconnected." };
  });
}
