import type { CompanyId, ConnectionId } from "@balcao/contract";
import type { Ctx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import type { Routes } from "../../platform/http/routes.ts";
import { publishEntries } from "./events.ts";
import { registerConnectionRoutes } from "./routes.ts";
import type { ConnectionReport, ConnectionService, ConnectionsDeps } from "./service.ts";
import { createConnectionService } from "./service.ts";

export { createAlarms } from "./alarms.ts";
export type { ConnectionReport, ConnectionService, ConnectionsDeps } from "./service.ts";

export type ConnectionsFeature = {
  service: ConnectionService;
  register(routes: Routes): void;
  /** For the channel runtime: what it tells about a connection's state or code, in its transaction. */
  tell: (
    tx: Tx,
    connection: { companyId: CompanyId; connectionId: ConnectionId },
    report: ConnectionReport,
    retries: number,
  ) => Promise<void>;
  /** Something beside them, such as a queue, changed what these connections look like in their list. */
  lookDifferent: (ctx: Ctx, tx: Tx, ids: readonly ConnectionId[]) => Promise<void>;
};

export function createConnectionsFeature(deps: ConnectionsDeps): ConnectionsFeature {
  const service = createConnectionService(deps);
  return {
    service,
    register: (routes) => registerConnectionRoutes(routes, service),
    tell: (tx, { companyId, connectionId }, report, retries) =>
      service.report({ companyId }, tx, connectionId, report, retries),
    lookDifferent: (ctx, tx, ids) => publishEntries(deps.realtime, ctx, tx, ids),
  };
}
