import type { Ticket, TicketStatus } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import { useMediaQuery } from "@mantine/hooks";
import type { ReactNode } from "react";
import { lazy, Suspense, useEffect, useMemo, useState } from "react";
import { useLocation, useNavigate, useParams } from "react-router";
import { hasCode } from "../../api/client.ts";
import { LiveNotice } from "../../realtime/index.ts";
import { notifyError } from "../../ui/index.ts";
import { useSession } from "../auth/index.ts";
import { useTicket, useUnreadTickets } from "./api.ts";
import { focusedTicketId } from "./card-focus.ts";
import { ConversationPane, NoConversation } from "./conversation-pane.tsx";
import { OpenedTicketMissing } from "./opened-ticket-missing.tsx";
import { loadedList } from "./list-cache.ts";
import { useListChoices } from "./list-choices.ts";
import { ListPane } from "./list-pane.tsx";
import { neighbourOf } from "./neighbour.ts";
import type { Pane } from "./pane-switch.tsx";
import { PaneSwitch } from "./pane-switch.tsx";
import { useTicketEvents } from "./realtime.ts";
import { useTicketShortcuts } from "./shortcuts.ts";
import { SkipLinks } from "./skip-links.tsx";
import type { TicketView } from "./ticket-view.ts";
import { viewerOf } from "./ticket-view.ts";
import classes from "./tickets-page.module.css";
import { useTicketFlow } from "./use-ticket-flow.ts";

// Opened by a key press only, so what dialogs are made of (14 kB) is fetched with the first one.
const ResolveDialog = lazy(async () => ({
  default: (await import("./resolve-dialog.tsx")).ResolveDialog,
}));

/** The list of tickets and the conversation of the chosen one. */
export function TicketsPage(): ReactNode {
  const { ticketUuid } = useParams();
  const navigate = useNavigate();
  const { user, can } = useSession();
  const isNarrow = useMediaQuery(`(max-width: ${limits.drawerOverlayBelowPx - 1}px)`, false, {
    getInitialValueInEffect: false,
  });
  const [tab, setTab] = useState<TicketStatus>("open");
  const [choices, choose] = useListChoices(user.id);
  const mayShowAll = can("tickets:see-all");
  const views = useMemo((): Record<TicketStatus, TicketView> => {
    const viewer = viewerOf(user);
    const showAll = mayShowAll && choices.showAll;
    const view = (status: TicketStatus): TicketView => ({
      status,
      showAll,
      queueIds: choices.queueIds,
      viewer,
    });
    return { open: view("open"), pending: view("pending"), closed: view("closed") };
  }, [user, mayShowAll, choices]);
  useTicketEvents({ showsResolved: tab === "closed" });

  const opened = useTicket(ticketUuid);
  useLeaveForbidden(opened.error);
  const flow = useTicketFlow({ view: views[tab], openedUuid: ticketUuid, onTab: setTab });
  const { run, wishFocus, busy } = flow;

  const [resolving, setResolving] = useState<Ticket | null>(null);
  const [hasAsked, setHasAsked] = useState(false);
  if (resolving !== null && !hasAsked) setHasAsked(true);
  const { pane, setPane } = usePane(ticketUuid);
  // Where there is no keyboard, a focused field would bring one up over the conversation.
  const hasKeyboard = useMediaQuery("(hover: hover)", true, { getInitialValueInEffect: false });
  const mustFocusComposer = useOpenedByHand(ticketUuid) && hasKeyboard;
  const unreadTickets = useUnreadTickets(views.open);
  const writer = useMemo(() => ({ id: user.id, name: user.name }), [user.id, user.name]);

  useTicketShortcuts({
    onTab: setTab,
    onStep(by) {
      const tickets = loadedList(views[tab])?.tickets ?? [];
      const from = tab === "pending" ? focusedTicketId() : (opened.data?.id ?? null);
      const next = neighbourOf(tickets, from, by);
      if (!next) return;
      wishFocus(next);
      if (tab !== "pending") void navigate(`/tickets/${next.uuid}`);
    },
    onAccept() {
      const focusedId = focusedTicketId();
      const pending = loadedList(views.pending)?.tickets ?? [];
      const ticket = pending.find((one) => one.id === focusedId) ?? opened.data;
      if (ticket?.status === "pending") run("accept", ticket);
    },
    onResolve() {
      if (opened.data?.status === "open") setResolving(opened.data);
    },
  });

  const list = (
    <ListPane
      views={views}
      tab={tab}
      onTab={setTab}
      choices={choices}
      onChoices={choose}
      mayShowAll={mayShowAll}
      selectedUuid={ticketUuid}
      acceptingId={busy?.action === "accept" ? busy.ticketId : null}
      focusWish={flow.focusWish}
      onAccept={(ticket) => run("accept", ticket)}
      isHidden={isNarrow && pane === "ticket"}
      notice={isNarrow || ticketUuid === undefined ? <LiveNotice /> : null}
    />
  );
  let conversation = <NoConversation />;
  if (ticketUuid !== undefined) {
    conversation = opened.data ? (
      <ConversationPane
        key={opened.data.id}
        ticket={opened.data}
        user={writer}
        isNarrow={isNarrow}
        busyWith={busy?.ticketId === opened.data.id ? busy.action : null}
        mustFocusComposer={mustFocusComposer}
        onAction={run}
        onBack={() => setPane("list")}
      />
    ) : (
      <OpenedTicketMissing error={opened.error} onRetry={() => void opened.refetch()} />
    );
  }

  return (
    <div className={classes["page"]}>
      <SkipLinks />
      <div className={classes["panes"]}>
        {list}
        {isNarrow && pane === "list" ? null : conversation}
      </div>
      {isNarrow ? <PaneSwitch pane={pane} unreadTickets={unreadTickets} onPane={setPane} /> : null}
      {hasAsked ? (
        <Suspense fallback={null}>
          <ResolveDialog
            ticket={resolving}
            onConfirm={(ticket) => run("resolve", ticket)}
            onClose={() => setResolving(null)}
          />
        </Suspense>
      ) : null}
    </div>
  );
}

/** A ticket that is not ours to see, or gone, is left with a word (spec 4, ticket access). */
function useLeaveForbidden(error: Error | null): void {
  const navigate = useNavigate();
  useEffect(() => {
    const mustLeave =
      hasCode(error, "ERR_TICKET_FORBIDDEN") ||
      hasCode(error, "ERR_NO_TICKET_FOUND") ||
      hasCode(error, "ERR_INVALID_REQUEST");
    if (!mustLeave) return;
    notifyError(error);
    void navigate("/tickets", { replace: true });
  }, [error, navigate]);
}

/**
 * The pane on a narrow screen: the ticket whenever one is opened, be it the same once more, the list when none is.
 */
function usePane(ticketUuid: string | undefined): { pane: Pane; setPane: (pane: Pane) => void } {
  // Each step has its own key, also one to the address where one is.
  const { key } = useLocation();
  const [chosen, setChosen] = useState({ key, pane: paneFor(ticketUuid) });
  if (chosen.key !== key) setChosen({ key, pane: paneFor(ticketUuid) });
  return { pane: chosen.pane, setPane: (pane) => setChosen({ key, pane }) };
}

function paneFor(ticketUuid: string | undefined): Pane {
  return ticketUuid === undefined ? "list" : "ticket";
}

/** False for the ticket that the page started with: nobody pressed anything yet. */
function useOpenedByHand(ticketUuid: string | undefined): boolean {
  const [first] = useState(ticketUuid);
  const [isByHand, setIsByHand] = useState(false);
  if (!isByHand && ticketUuid !== first) setIsByHand(true);
  return isByHand;
}
