export { NewTicketHost } from "./new-ticket/new-ticket.tsx";
