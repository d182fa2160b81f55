import type { TicketNote } from "@balcao/contract";
import { useMutation, useQuery } from "@tanstack/react-query";
import { call } from "../../api/client.ts";
import { liveLists } from "../../realtime/live-list.ts";

/** The team's notes about a ticket, newest first. */
const noteLists = liveLists<number, TicketNote, number>({
  key: ["ticket-notes"],
  read: (ticketId, signal) => call("GET /ticket-notes/list", { query: { ticketId } }, { signal }),
  identify: ({ id }) => id,
  order: (a, b) => b.id - a.id,
}).follow("ticketNote", (event) =>
  event.action === "create"
    ? { of: event.note.ticketId, change: { row: event.note } }
    : { of: event.ticketId, change: { removedId: event.noteId } },
);

const none: readonly TicketNote[] = [];

export function useTicketNotes(ticketId: number): {
  notes: readonly TicketNote[];
  error: Error | null;
} {
  const { data, error } = useQuery(noteLists.query(ticketId));
  return { notes: data ?? none, error };
}

export function useAddNote(ticketId: number) {
  return useMutation({
    mutationFn: (note: string) => call("POST /ticket-notes", { body: { ticketId, note } }),
    onSuccess: (note) => noteLists.apply(ticketId, { row: note }),
  });
}

export function useDeleteNote(ticketId: number) {
  return useMutation({
    mutationFn: async ({ id }: TicketNote) => {
      await call("DELETE /ticket-notes/:noteId", { params: { noteId: id } });
      noteLists.apply(ticketId, { removedId: id });
    },
  });
}
