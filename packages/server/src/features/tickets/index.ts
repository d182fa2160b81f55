import type { TicketId } from "@balcao/contract";
import type { UserCtx } from "../../platform/context.ts";
import type { Database } from "../../platform/db/database.ts";
import type { Routes } from "../../platform/http/routes.ts";
import type { Sources } from "../../platform/sources.ts";
import type { TicketChannel, TicketEvents } from "./events.ts";
import { createTicketEvents } from "./events.ts";
import { registerTicketRoutes } from "./routes.ts";
import { createTicketService } from "./service.ts";

export { ticketRooms } from "./audience.ts";
export type { TicketEvents } from "./events.ts";
export { joinTickets } from "./join-tickets.ts";
export { findOnlyQueue, lockTicket } from "./repository.ts";
export { requireVisible } from "./service.ts";
export { customerWroteAgain } from "./ticket.ts";
export type { TicketRow } from "./ticket-row.ts";
export {
  LAST_MESSAGE_MAX,
  newTicketRow,
  ticketColumns,
  ticketJoins,
  ticketNameJoins,
  toShownTicketDto,
  toTicketDto,
} from "./ticket-row.ts";
export { viewerOf } from "./visibility.ts";
export { insertTicket } from "./write-repository.ts";

export type TicketsDeps = {
  db: Database;
  sources: Pick<Sources, "clock">;
  realtime: TicketChannel;
};

export type TicketsFeature = {
  register(routes: Routes): void;
  /** For sockets: whether the user may see the ticket now. */
  canSeeTicket(ctx: UserCtx, ticketId: TicketId): Promise<boolean>;
  /** What other features tell about tickets. */
  events: TicketEvents;
};

export function createTicketsFeature({ db, sources, realtime }: TicketsDeps): TicketsFeature {
  const events = createTicketEvents(realtime);
  const service = createTicketService({ db, clock: sources.clock, events });
  return {
    register: (routes) => registerTicketRoutes(routes, service),
    canSeeTicket: (ctx, ticketId) => service.canSeeTicket(ctx, ticketId),
    events,
  };
}
