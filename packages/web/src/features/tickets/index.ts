export { NewTicketHost, openNewTicket } from "./new-ticket/new-ticket.tsx";
