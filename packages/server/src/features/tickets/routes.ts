import type { Routes } from "../../platform/http/routes.ts";
import type { Attendances } from "./attendances.ts";
import type { Deletion } from "./deletion.ts";
import type { NewTickets } from "./new-ticket.ts";
import type { TicketService } from "./service.ts";

export type TicketUseCases = {
  tickets: TicketService;
  newTickets: NewTickets;
  deletion: Deletion;
  attendances: Attendances;
};

export function registerTicketRoutes(
  routes: Routes,
  { tickets, newTickets, deletion, attendances }: TicketUseCases,
): void {
  routes.handle("GET /tickets", ({ ctx, query }) => tickets.list(ctx, query));
  routes.handle("GET /tickets/counts", ({ ctx, query }) => tickets.counts(ctx, query));
  routes.handle("GET /tickets/:ticketId", ({ ctx, params }) => tickets.show(ctx, params.ticketId));
  routes.handle("GET /tickets/u/:ticketUuid", ({ ctx, params }) =>
    tickets.showByUuid(ctx, params.ticketUuid),
  );
  routes.handle("PUT /tickets/:ticketId", ({ ctx, params, body }) =>
    tickets.update(ctx, params.ticketId, body),
  );
  routes.handle("POST /tickets", ({ ctx, body }) => newTickets.open(ctx, body));
  routes.handle("DELETE /tickets/:ticketId", ({ ctx, params }) =>
    deletion.remove(ctx, params.ticketId),
  );
  routes.handle("GET /tickets/:ticketId/attendances", ({ ctx, params, query }) =>
    attendances.ofTicket(ctx, params.ticketId, query.pageNumber),
  );
}
