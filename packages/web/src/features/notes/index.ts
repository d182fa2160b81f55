export { notePieces, showNoteTab, toggleNoteTab, useNoteTab, useTicketNotes } from "./api.ts";
export { LazyNoteMenu } from "./lazy-note-menu.ts";
export { saveNote, useNoteReaders } from "./note-changes.ts";
export { NewNote, Note, TicketNotes } from "./ticket-notes.tsx";
