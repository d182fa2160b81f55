import type { Database } from "../../platform/db/database.ts";
import type { Routes } from "../../platform/http/routes.ts";
import type { Realtime } from "../../platform/realtime/hub.ts";
import type { Clock } from "../../platform/sources.ts";
import { createNoteEvents } from "./events.ts";
import { createNoteService } from "./service.ts";

export type TicketNotesDeps = { db: Database; clock: Clock; realtime: Realtime };

/** What the team notes about tickets (wire-contract 5.9, behaviour 8.5). */
export function createTicketNotesFeature({ db, clock, realtime }: TicketNotesDeps) {
  const notes = createNoteService({ db, clock, events: createNoteEvents(realtime) });
  return {
    register(routes: Routes): void {
      routes.handle("POST /ticket-notes", ({ ctx, body }) =>
        notes.create(ctx, body.ticketId, body.note),
      );
      routes.handle("GET /ticket-notes/list", ({ ctx, query }) =>
        notes.list(ctx, query.ticketId, query.contactId ?? null),
      );
      routes.handle("DELETE /ticket-notes/:noteId", async ({ ctx, params }) => {
        await notes.remove(ctx, params.noteId);
        return { message: "Observação removida" };
      });
    },
  };
}
