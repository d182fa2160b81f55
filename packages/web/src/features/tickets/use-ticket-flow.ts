import type { Ticket, TicketStatus } from "@balcao/contract";
import { useCallback, useMemo, useState } from "react";
import { useNavigate } from "react-router";
import type { TicketAction } from "./actions.ts";
import { useTicketAction } from "./actions.ts";
import { loadedList } from "./list-cache.ts";
import { successorOf } from "./neighbour.ts";
import type { TicketView } from "./ticket-view.ts";

/** A wish that a card gets the focus; a new object is a new wish. */
export type FocusWish = Readonly<{ ticketId: number }>;

export type TicketFlow = {
  run: (action: TicketAction, ticket: Ticket) => void;
  /** The action under way and its ticket. */
  busy: { action: TicketAction; ticketId: number } | null;
  focusWish: FocusWish | null;
  wishFocus: (ticket: Ticket) => void;
};

/**
 * What follows an action on the screen: an accepted or reopened ticket is opened, a returned or resolved one is left,
 * with the focus on the card after it (spec 4, ui.md section 5).
 */
export function useTicketFlow(screen: {
  /** The list on the screen. */
  view: TicketView;
  openedUuid: string | undefined;
  onTab: (tab: TicketStatus) => void;
}): TicketFlow {
  const { view, openedUuid, onTab } = screen;
  const navigate = useNavigate();
  const [focusWish, setFocusWish] = useState<FocusWish | null>(null);
  const accept = useTicketAction("accept");
  const giveBack = useTicketAction("return");
  const resolve = useTicketAction("resolve");
  const reopen = useTicketAction("reopen");

  const open = useCallback(
    (ticket: Ticket): void => {
      onTab("open");
      void navigate(`/tickets/${ticket.uuid}`);
    },
    [onTab, navigate],
  );

  const wishFocus = useCallback((ticket: Ticket) => setFocusWish({ ticketId: ticket.id }), []);

  const mutations = { accept, return: giveBack, resolve, reopen };
  const mutate = {
    accept: accept.mutate,
    return: giveBack.mutate,
    resolve: resolve.mutate,
    reopen: reopen.mutate,
  };

  function run(action: TicketAction, ticket: Ticket): void {
    if (action === "accept" || action === "reopen") {
      mutate[action](ticket, { onSuccess: open });
      return;
    }
    const successor = successorOf(loadedList(view)?.tickets ?? [], ticket.id);
    mutate[action](ticket, {
      onSuccess: () => {
        if (openedUuid === ticket.uuid) void navigate("/tickets");
        if (successor) wishFocus(successor);
      },
    });
  }

  const busyAction = (["accept", "return", "resolve", "reopen"] as const).find(
    (action) => mutations[action].isPending,
  );
  const busyTicketId = busyAction ? mutations[busyAction].variables?.id : undefined;
  const busy = useMemo(
    () =>
      busyAction && busyTicketId !== undefined
        ? { action: busyAction, ticketId: busyTicketId }
        : null,
    [busyAction, busyTicketId],
  );
  return { run, busy, focusWish, wishFocus };
}
