export { NewTicketHost } from "./new-ticket-host.tsx";
