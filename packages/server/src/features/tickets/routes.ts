import type { Routes } from "../../platform/http/routes.ts";
import type { TicketService } from "./service.ts";

export function registerTicketRoutes(routes: Routes, tickets: TicketService): void {
  routes.handle("GET /tickets", ({ ctx, query }) => tickets.list(ctx, query));
  routes.handle("GET /tickets/counts", ({ ctx, query }) => tickets.counts(ctx, query));
  routes.handle("GET /tickets/:ticketId", ({ ctx, params }) => tickets.show(ctx, params.ticketId));
  routes.handle("GET /tickets/u/:ticketUuid", ({ ctx, params }) =>
    tickets.showByUuid(ctx, params.ticketUuid),
  );
  routes.handle("PUT /tickets/:ticketId", ({ ctx, params, body }) =>
    tickets.update(ctx, params.ticketId, body),
  );
}
