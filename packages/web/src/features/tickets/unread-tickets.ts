import { useQuery } from "@tanstack/react-query";
import { listKey } from "./list-cache.ts";
import type { TicketPages } from "./ticket-pages.ts";
import type { TicketView } from "./ticket-view.ts";

/** How many tickets of a list have unread messages. They are among the newest, so the loaded part is enough. */
export function useUnreadTickets(view: TicketView): number {
  const { data } = useQuery<TicketPages, Error, number>({
    queryKey: listKey(view),
    structuralSharing: false,
    enabled: false, // the list pane reads it
    select: (pages) => pages.tickets.filter((ticket) => ticket.unreadMessages > 0).length,
  });
  return data ?? 0;
}
