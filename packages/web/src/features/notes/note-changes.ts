import type { NoteMention, TicketNote } from "@balcao/contract";
import { useMutation, useQuery } from "@tanstack/react-query";
import { call } from "../../api/client.ts";
import { deleteWithUndo } from "../../ui/delete-with-undo.ts";
import { noteLists } from "./api.ts";

export function useAddNote(ticketId: number) {
  return useMutation({
    mutationFn: (note: string) => saveNote(ticketId, null, { note, mentions: [] }),
  });
}

/** Saves a new note, or the changed text of an own one. Throws if the server refuses. */
export async function saveNote(
  ticketId: number,
  known: TicketNote | null,
  { note, mentions }: { note: string; mentions: readonly NoteMention[] },
): Promise<TicketNote> {
  const idsOf = (kind: NoteMention["kind"]): number[] =>
    mentions.flatMap((mention) => (mention.kind === kind ? [mention.id] : []));
  const body = { note, mentionedUserIds: idsOf("user"), mentionedQueueIds: idsOf("queue") };
  const row =
    known === null
      ? await call("POST /ticket-notes", { body: { ...body, ticketId } })
      : await call("PUT /ticket-notes/:noteId", { params: { noteId: known.id }, body });
  noteLists.apply(ticketId, { row });
  return row;
}

/** Removes a note and offers to undo that; `onChange` is called after each of the two. Throws if the server refuses. */
export async function removeNote(
  { id, ticketId }: TicketNote,
  onChange: () => void = () => undefined,
): Promise<void> {
  const params = { noteId: id };
  await deleteWithUndo<TicketNote>({
    ...{ kind: "noteDeleted", id, name: "" },
    remove: () => call("DELETE /ticket-notes/:noteId", { params }),
    restore: () => call("POST /ticket-notes/:noteId/undo", { params }),
    apply(change) {
      noteLists.apply(ticketId, change);
      onChange();
    },
  });
}

/** Whom a note of the ticket can mention; read again each time the list opens. */
export function useNoteReaders(ticketId: number, isWanted: boolean) {
  return useQuery({
    queryKey: ["ticket-notes", "readers", ticketId],
    queryFn: ({ signal }) => call("GET /ticket-notes/readers", { query: { ticketId } }, { signal }),
    enabled: isWanted,
    staleTime: 30_000,
  });
}
