export { NewTicketHost } from "./new-ticket-host.tsx";
export { openNewTicket } from "./new-ticket.ts";
