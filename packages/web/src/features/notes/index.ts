export { useTicketNotes } from "./api.ts";
export { TicketNotes } from "./ticket-notes.tsx";
