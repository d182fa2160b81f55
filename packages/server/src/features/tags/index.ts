import type { Database } from "../../platform/db/database.ts";
import type { Routes } from "../../platform/http/routes.ts";
import type { Realtime } from "../../platform/realtime/hub.ts";
import type { Clock } from "../../platform/sources.ts";
import type { TicketsFeature } from "../tickets/index.ts";
import { createTagEvents } from "./events.ts";
import { registerTagRoutes } from "./routes.ts";
import { createTagService } from "./service.ts";

export type TagsDeps = {
  db: Database;
  clock: Clock;
  realtime: Realtime;
  tickets: Pick<TicketsFeature, "events">;
};

/** The tags ("etiquetas") of a company and of its tickets (wire-contract 5.11, behaviour 8.4). */
export function createTagsFeature({ db, clock, realtime, tickets }: TagsDeps) {
  const events = createTagEvents(realtime);
  const service = createTagService({ db, clock, events, ticketEvents: tickets.events });
  return { register: (routes: Routes): void => registerTagRoutes(routes, service) };
}
