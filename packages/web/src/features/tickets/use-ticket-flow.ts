import type { Ticket } from "@balcao/contract";
import { useCallback, useMemo, useState } from "react";
import { useNavigate } from "react-router";
import type { TicketAction } from "./actions.ts";
import { useTicketAction } from "./actions.ts";
import { loadedList } from "./list-cache.ts";
import { panelId } from "./list-tabs.tsx";
import { successorOf } from "./neighbour.ts";
import type { ListTab, TicketView } from "./ticket-view.ts";

/** A wish that a card gets the focus; a new object is a new wish. */
export type FocusWish = Readonly<{ ticketId: number }>;

export type TicketFlow = {
  run: (action: TicketAction, ticket: Ticket) => void;
  /** The action under way and its ticket. */
  busy: { action: TicketAction; ticketId: number } | null;
  focusWish: FocusWish | null;
  wishFocus: (ticket: { id: number }) => void;
  /** Call it before a ticket goes, and what it gives once it has gone: it is left, the card after it has the focus. */
  leaving: (ticket: Ticket) => () => void;
};

/**
 * What follows an action on the screen: an accepted or reopened ticket is opened, a returned or resolved one is left,
 * with the focus on the card after it, or on the tab when there is none (spec 4, ui.md section 5).
 */
export function useTicketFlow(screen: {
  tab: ListTab;
  /** The list on the screen. */
  view: TicketView;
  openedUuid: string | undefined;
  onTab: (tab: ListTab) => void;
}): TicketFlow {
  const { tab, view, openedUuid, onTab } = screen;
  const navigate = useNavigate();
  const [focusWish, setFocusWish] = useState<FocusWish | null>(null);
  const accept = useTicketAction("accept");
  const giveBack = useTicketAction("return");
  const resolve = useTicketAction("resolve");
  const finish = useTicketAction("finish");
  const reopen = useTicketAction("reopen");

  const open = useCallback(
    (ticket: Ticket): void => {
      // Whoever found it goes on with what else was found.
      if (tab !== "search") onTab("open");
      void navigate(`/tickets/${ticket.uuid}`);
    },
    [tab, onTab, navigate],
  );

  const wishFocus = useCallback((ticket: { id: number }) => {
    setFocusWish({ ticketId: ticket.id });
  }, []);

  const leaving = useCallback(
    (ticket: Ticket) => {
      const successor = successorOf(loadedList(view)?.tickets ?? [], ticket.id);
      return () => {
        if (openedUuid === ticket.uuid) void navigate("/tickets");
        const listed = loadedList(view)?.tickets ?? [];
        // What was found stays found, whatever becomes of it.
        const isStillThere = tab === "search" && listed.some(({ id }) => id === ticket.id);
        const next = isStillThere ? ticket : successor;
        if (next) wishFocus(next);
        else focusTab(tab);
      };
    },
    [tab, view, openedUuid, navigate, wishFocus],
  );

  const mutations = { accept, return: giveBack, resolve, finish, reopen };
  const mutate = {
    accept: accept.mutate,
    return: giveBack.mutate,
    resolve: resolve.mutate,
    finish: finish.mutate,
    reopen: reopen.mutate,
  };

  function run(action: TicketAction, ticket: Ticket): void {
    const isOpening = action === "accept" || action === "reopen";
    mutate[action](ticket, { onSuccess: isOpening ? open : leaving(ticket) });
  }

  const busyAction = (["accept", "return", "resolve", "finish", "reopen"] as const).find(
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
  return { run, busy, focusWish, wishFocus, leaving };
}

/** Where the keyboard goes on from when no card is left. */
function focusTab(tab: ListTab): void {
  document.getElementById(`${panelId(tab)}-tab`)?.focus({ preventScroll: true });
}
