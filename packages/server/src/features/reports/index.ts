import type { Routes } from "../../platform/http/routes.ts";
import { exportReport } from "./export.ts";
import {
  countByUserAndQueue,
  countMessagesByHour,
  listOlderReport,
  rateQueues,
} from "./older-clients.ts";
import type { ReportsDeps } from "./report.ts";
import { listReport } from "./report.ts";

/** The attendances behind the dashboard's figures, one by one (docs/dashboard.md). */
export function createReportsFeature(deps: ReportsDeps) {
  return {
    register(routes: Routes): void {
      routes.handle("GET /reports/attendances", ({ ctx, query }) => listReport(deps, ctx, query));
      routes.handle("GET /reports/export", ({ ctx, query }) => exportReport(deps, ctx, query));
      routes.handle("GET /ticket/reports", ({ ctx, query }) => listOlderReport(deps, ctx, query));
      routes.handle("GET /reports/appointmentsAtendent", ({ ctx, query }) =>
        countByUserAndQueue(deps, ctx, query),
      );
      routes.handle("GET /reports/rushHour", ({ ctx, query }) =>
        countMessagesByHour(deps, ctx, query),
      );
      routes.handle("GET /reports/departamentRatings", ({ ctx, query }) =>
        rateQueues(deps, ctx, query),
      );
    },
  };
}
