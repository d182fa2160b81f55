import type { NoteMention, TicketNote } from "@balcao/contract";
import { useQuery } from "@tanstack/react-query";
import { call } from "../../api/client.ts";
import { createSessionStore } from "../../api/session-store.ts";
import { liveLists } from "../../realtime/live-list.ts";
import { useStore } from "../../store/index.ts";

/** The team's notes about a ticket, newest first. */
export const noteLists = liveLists<number, TicketNote, number>({
  key: ["ticket-notes"],
  read: (ticketId, signal) => call("GET /ticket-notes/list", { query: { ticketId } }, { signal }),
  identify: ({ id }) => id,
  order: (a, b) => b.id - a.id,
}).follow("ticketNote", (event) =>
  event.action === "delete"
    ? { of: event.ticketId, change: { removedId: event.noteId } }
    : { of: event.note.ticketId, change: { row: event.note } },
);

const none: readonly TicketNote[] = [];

export function useTicketNotes(ticketId: number): {
  notes: readonly TicketNote[];
  error: Error | null;
} {
  const { data, error } = useQuery(noteLists.query(ticketId));
  return { notes: data ?? none, error };
}

/** The note tab of a ticket's composer: which note it edits, null for a new one. */
type NoteTab = Readonly<{ edited: TicketNote | null }>;

const tabs = createSessionStore<ReadonlyMap<number, NoteTab>>(new Map());

/** Shows the note tab of the ticket's composer, or its reply tab. */
export function showNoteTab(ticketId: number, tab: NoteTab | null): void {
  const next = new Map(tabs.get());
  if (tab === null) next.delete(ticketId);
  else next.set(ticketId, tab);
  tabs.set(next);
}

/** Null while the composer writes to the customer. */
export function useNoteTab(ticketId: number): NoteTab | null {
  return useStore(tabs, (all) => all.get(ticketId) ?? null);
}

/** Shows the other tab, for the shortcut. */
export function toggleNoteTab(ticketId: number): void {
  showNoteTab(ticketId, tabs.get().has(ticketId) ? null : { edited: null });
}

/** A piece of a note: plain, or the name of somebody it mentions, with its `@`. */
export type NotePiece = Readonly<{ text: string; isMention: boolean }>;

/** Splits the text of a note at its mentions. A longer name wins over one that it begins with. */
export function notePieces(
  text: string,
  mentions: readonly Pick<NoteMention, "name">[],
): readonly NotePiece[] {
  const marks = mentions
    .map(({ name }) => `@${name}`)
    .toSorted((one, other) => other.length - one.length);
  const pieces: NotePiece[] = [];
  let plainStart = 0;
  let at = marks.length === 0 ? -1 : text.indexOf("@");
  while (at !== -1) {
    const from = at;
    const mark = marks.find((one) => text.startsWith(one, from));
    if (mark !== undefined) {
      if (from > plainStart) pieces.push({ text: text.slice(plainStart, from), isMention: false });
      pieces.push({ text: mark, isMention: true });
      plainStart = from + mark.length;
    }
    at = text.indexOf("@", mark === undefined ? from + 1 : plainStart);
  }
  if (plainStart < text.length) pieces.push({ text: text.slice(plainStart), isMention: false });
  return pieces;
}
