import type { MentionNotice } from "@balcao/contract";
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { call } from "../../api/client.ts";
import { liveList } from "../../realtime/live-list.ts";

/** The unread mentions of the signed-in user in notes, newest first. The notifier reads them. */
export const mentionList = liveList<MentionNotice, number>({
  key: ["mentions"],
  read: (signal) => call("GET /ticket-notes/mentions", {}, { signal }),
  identify: ({ note }) => note.id,
  order: (a, b) => b.note.id - a.note.id,
}).follow("mention", (event) => {
  if (event.action === "read") {
    return { rows: (known) => known.filter(({ note }) => note.ticketId !== event.ticketId) };
  }
  return event.action === "delete" ? { removedId: event.noteId } : { row: event.mention };
});

const none: readonly MentionNotice[] = [];

/** The same list, for components that only show it. */
export function useMentions(): readonly MentionNotice[] {
  const { data = none } = useQuery({ ...mentionList.query, enabled: false });
  return data;
}

/** Marks the mentions in an open ticket as read, now and as they arrive. */
export function useReadMentions(ticketId: number): void {
  const newestId = useMentions().find(({ note }) => note.ticketId === ticketId)?.note.id;
  useEffect(() => {
    if (newestId === undefined) return;
    // A failure is harmless: the mention stays in the list, and the next visit marks it.
    call("POST /ticket-notes/mentions/read", { body: { ticketId } }).catch(() => undefined);
  }, [newestId, ticketId]);
}
