import type { CompanyId, ConnectionId } from "@balcao/contract";
import type { Tx } from "../../platform/db/database.ts";
import type { Routes } from "../../platform/http/routes.ts";
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
};

export function createConnectionsFeature(deps: ConnectionsDeps): ConnectionsFeature {
  const service = createConnectionService(deps);
  return {
    service,
    register: (routes) => registerConnectionRoutes(routes, service),
    tell: (tx, { companyId, connectionId }, report, retries) =>
      service.report({ companyId }, tx, connectionId, report, retries),
  };
}
