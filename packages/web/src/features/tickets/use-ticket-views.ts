import type { SessionUser } from "@balcao/contract";
import { useMemo } from "react";
import type { ListChoices } from "./list-choices.ts";
import type { ListTab, SearchWish, TicketView } from "./ticket-view.ts";
import { viewerOf } from "./ticket-view.ts";

/** What each list of the screen shows, as the user wants to see it. */
export function useTicketViews(
  user: SessionUser,
  { choices, mayShowAll }: { choices: ListChoices; mayShowAll: boolean },
  search: SearchWish,
): Readonly<Record<ListTab, TicketView>> {
  return useMemo(() => {
    const { queueIds } = choices;
    const common = { queueIds, viewer: viewerOf(user), search: null };
    const view = (status: "open" | "pending" | "closed"): TicketView => ({
      ...common,
      status,
      showAll: mayShowAll && choices.showAll,
    });
    return {
      open: view("open"),
      pending: view("pending"),
      closed: view("closed"),
      // Whoever searches looks everywhere he may.
      search: { ...common, status: null, showAll: mayShowAll, search },
    };
  }, [user, choices, mayShowAll, search]);
}
