import type { CompanyEvents, TicketNote } from "@balcao/contract";
import { useMutation, useQuery } from "@tanstack/react-query";
import { call } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { useCompanyEvent } from "../../realtime/index.ts";

const keyOf = (ticketId: number) => ["ticket-notes", ticketId] as const;
const none: readonly TicketNote[] = [];

/** A list of notes, newest first, after a live event or the reply of a change. Twice is harmless. */
export function withNoteEvent(
  known: readonly TicketNote[],
  event: CompanyEvents["ticketNote"],
): TicketNote[] {
  const id = event.action === "create" ? event.note.id : event.noteId;
  const others = known.filter((note) => note.id !== id);
  return event.action === "create" ? [event.note, ...others].sort((a, b) => b.id - a.id) : others;
}

/** The team's notes about a ticket, newest first, kept current by live events while the ticket is open. */
export function useTicketNotes(ticketId: number): {
  notes: readonly TicketNote[];
  isLoading: boolean;
  error: Error | null;
} {
  const { data, isLoading, error } = useQuery({
    queryKey: keyOf(ticketId),
    queryFn: ({ signal }) => call("GET /ticket-notes/list", { query: { ticketId } }, { signal }),
  });
  useCompanyEvent("ticketNote", (event) => {
    const of = event.action === "create" ? event.note.ticketId : event.ticketId;
    if (of === ticketId) writeNote(ticketId, event);
  });
  return { notes: data ?? none, isLoading, error };
}

export function useAddNote(ticketId: number) {
  return useMutation({
    mutationFn: (note: string) => call("POST /ticket-notes", { body: { ticketId, note } }),
    onSuccess: (note) => writeNote(ticketId, { action: "create", note }),
  });
}

export function useDeleteNote(ticketId: number) {
  return useMutation({
    mutationFn: async (note: TicketNote) => {
      await call("DELETE /ticket-notes/:noteId", { params: { noteId: note.id } });
      writeNote(ticketId, { action: "delete", noteId: note.id, ticketId: note.ticketId });
    },
  });
}

function writeNote(ticketId: number, event: CompanyEvents["ticketNote"]): void {
  queryClient.setQueryData<TicketNote[]>(keyOf(ticketId), (known) =>
    known ? withNoteEvent(known, event) : known,
  );
}
