import type { Routes } from "../../platform/http/routes.ts";
import type { DomainEvents } from "../../platform/events.ts";
import type { Realtime } from "../../platform/realtime/hub.ts";
import { exportFigures } from "./export.ts";
import type { FiguresDeps } from "./figures.ts";
import { showByTime, showByUser, showFigures } from "./figures.ts";
import { createFiguresNews } from "./live.ts";
import { showNow } from "./now.ts";
import { countByTime, countByUser, showCounters } from "./older-clients.ts";

export { sumDaysAcrossCompanies } from "./day-sums.ts";
export type { FiguresDeps } from "./figures.ts";
export type { Sums } from "./measures.ts";
export { chosenBy, chosenValues, resolvedAt, sums, timed, toMeasures } from "./measures.ts";
export type { Period } from "./period.ts";
export { readMonth, readPeriod } from "./period.ts";
export { filterLines, measureLines, readFilterNames, sheetWords } from "./sheet.ts";

export type DashboardDeps = FiguresDeps & { realtime: Realtime; domainEvents: DomainEvents };

/** The company's figures: of a period, of now, and as other clients read them (docs/dashboard.md). */
export function createDashboardFeature(deps: DashboardDeps) {
  const news = createFiguresNews(deps);
  return {
    register(routes: Routes): void {
      routes.handle("GET /dashboard", ({ ctx, query }) => showCounters(deps, ctx, query));
      routes.handle("GET /dashboard/ticketsUsers", ({ ctx, query }) =>
        countByUser(deps, ctx, query),
      );
      routes.handle("GET /dashboard/ticketsDay", ({ ctx, query }) => countByTime(deps, ctx, query));
      routes.handle("GET /dashboard/figures", ({ ctx, query }) => showFigures(deps, ctx, query));
      routes.handle("GET /dashboard/by-user", ({ ctx, query }) => showByUser(deps, ctx, query));
      routes.handle("GET /dashboard/by-time", ({ ctx, query }) => showByTime(deps, ctx, query));
      routes.handle("GET /dashboard/now", ({ ctx, query }) => showNow(deps, ctx, query));
      routes.handle("GET /dashboard/export", ({ ctx, query }) => exportFigures(deps, ctx, query));
    },
    close: () => news.close(),
  };
}
