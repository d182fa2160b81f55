import type { Ticket } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import { useMediaQuery } from "@mantine/hooks";
import { IconInbox, IconMessage } from "@tabler/icons-react";
import type { MouseEvent, ReactNode } from "react";
import { Suspense, useCallback, useMemo, useState } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { LiveNotice } from "../../realtime/index.ts";
import { useNavigate } from "../../router/index.tsx";
import { AfterShown } from "../../ui/after-shown.tsx";
import { notifyError } from "../../ui/index.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { useSession } from "../auth/index.ts";
import { FirstSteps, mayHaveSteps } from "../first-steps/index.ts";
import { showSearch } from "../messages/index.ts";
import { useSetting } from "../settings/index.ts";
import { pinTicket, unsnoozeTicket, useUnreadTickets } from "./api.ts";
import { NoConversation, OpenedTicketMissing } from "./conversation/no-conversation.tsx";
import type { Pane } from "./conversation/opened-ticket.ts";
import { useArrival, useOpenedTicket, usePane } from "./conversation/opened-ticket.ts";
import { useTicketFlow } from "./conversation/ticket-actions.ts";
import type { TicketCommand } from "./conversation/ticket-commands.ts";
import { commandsFor, useOfferTicketCommands } from "./conversation/ticket-commands.ts";
import type { TicketDialog } from "./conversation/ticket-dialogs.tsx";
import { ScheduleHost, TicketDialogs } from "./conversation/ticket-dialogs.tsx";
import { LazyConversationPane } from "./conversation/lazy-conversation.ts";
import { focusedTicketId, neighbourOf } from "./list/card-focus.ts";
import { addressOf } from "./list/card-texts.ts";
import type { ListFilter } from "./list/list-filter.ts";
import { noFilter, useListFilter } from "./list/list-filter.ts";
import { ListPane } from "./list/list-pane.tsx";
import { loadedList, useIsPinned, useTicketEvents } from "./list/ticket-pages.ts";
import type { CardActions } from "./list/ticket-card.tsx";
import type { ListTab } from "./list/ticket-view.ts";
import { useListChoices, useTicketViews } from "./list/ticket-view.ts";
import { useNewest, useTicketShortcuts } from "./shortcuts.ts";
import classes from "./tickets-page.module.css";

const TeamStrip = lazyPart(async () => (await import("./team-strip.tsx")).TeamStrip);
const MacroCommands = lazyPart(
  async () => (await import("./conversation/macro-commands.tsx")).MacroCommands,
);
const TouchGestures = lazyPart(
  async () => (await import("./conversation/touch.tsx")).TouchGestures,
  "over",
  "first",
);
const ContactDrawer = lazyPart(
  async () => (await import("../contacts/index.ts")).ContactDrawer,
  "over",
);

/** The list of tickets and the conversation of the chosen one. */
export function TicketsPage(): ReactNode {
  const navigate = useNavigate();
  const session = useSession();
  const { user, can } = session;
  const isNarrow = useMediaQuery(`(max-width: ${limits.drawerOverlayBelowPx - 1}px)`, false, {
    getInitialValueInEffect: false,
  });
  const [tab, setTab] = useState<ListTab>("open");
  const [choices, choose] = useListChoices(user.id);
  const [search, setSearch] = useState("");
  const mayShowAll = can("tickets:see-all");
  const [filter, setFilter] = useListFilter(choices.queueIds);
  const views = useTicketViews(user, { choices, mayShowAll }, filter, search);
  useTicketEvents({ showsResolved: tab === "closed" || tab === "search" });

  const { ticketUuid, opened, isByHand } = useOpenedTicket();
  const [dialog, setDialog] = useState<TicketDialog | null>(null);
  const flow = useTicketFlow({
    ...{ tab, view: views[tab], openedUuid: ticketUuid, onTab: setTab },
    onReasonRequired: askReason,
  });
  const { run, wishFocus, busy } = flow;
  const [isContactOpen, setIsContactOpen] = useState(false);
  const [scheduling, setScheduling] = useState<{ ticket: Ticket; text: string } | null>(null);
  const { pane, setPane } = usePane(ticketUuid);
  // On a touch device, a focused field would open the keyboard over the conversation.
  const hasKeyboard = useMediaQuery("(hover: hover)", true, { getInitialValueInEffect: false });
  const unreadTickets = useUnreadTickets(views.open);
  const writer = useMemo(() => ({ id: user.id, name: user.name }), [user.id, user.name]);

  const ticket = opened.data;
  const isPinned = useIsPinned(ticket?.id);
  const commands = ticket
    ? commandsFor(
        ticket,
        { schedule: can("schedules:use"), delete: can("tickets:delete") },
        isPinned,
      )
    : [];

  function askReason(of: Ticket): void {
    setDialog({ kind: "resolve", ticket: of });
  }

  function command(id: TicketCommand, on: Ticket): void {
    if (id === "transfer" || id === "delete" || id === "snooze") {
      setDialog({ kind: id, ticket: on });
    } else if (id === "pin" || id === "unpin") pinTicket(on.id, id === "pin").catch(notifyError);
    else if (id === "unsnooze") unsnoozeTicket(on.id).catch(notifyError);
    else if (id === "contact") setIsContactOpen(!isContactOpen);
    else if (id === "schedule") setScheduling({ ticket: on, text: "" });
    else if (id === "resolveAsking") askReason(on);
    else if (id === "find") showSearch(on.id, true);
    else run(id, on);
  }
  useOfferTicketCommands(ticket, commands, command);
  function commandIfOffered(id: TicketCommand): void {
    if (ticket && commands.includes(id)) command(id, ticket);
  }

  function step(by: 1 | -1): void {
    const tickets = loadedList(views[tab])?.tickets ?? [];
    // Stepping does not open waiting tickets, so it continues from the focused card.
    const focusedId = tab === "pending" || tab === "search" ? focusedTicketId() : null;
    const from = focusedId ?? ticket?.id ?? null;
    const next = neighbourOf(tickets, from, by);
    if (!next) return;
    wishFocus(next);
    if (next.status !== "pending") navigate(addressOf(next));
  }

  useTicketShortcuts({
    onTab: setTab,
    onStep: step,
    onAccept() {
      const chosen = focusedTicket() ?? ticket;
      if (chosen?.status === "pending") run("accept", chosen);
    },
    onResolve() {
      const focused = focusedTicket();
      const isOther = focused !== undefined && focused.id !== ticket?.id;
      if (isOther && focused.status === "open") setDialog({ kind: "finish", ticket: focused });
      else if (ticket?.status === "open") setDialog({ kind: "resolve", ticket });
    },
    onTransfer: () => commandIfOffered("transfer"),
    onContact: () => commandIfOffered("contact"),
    onSchedule: () => commandIfOffered("schedule"),
  });

  /** The ticket of the focused card. */
  function focusedTicket(): Ticket | undefined {
    const focusedId = focusedTicketId();
    return loadedList(views[tab])?.tickets.find(({ id }) => id === focusedId);
  }

  function narrow(next: ListFilter): void {
    setFilter(next);
    choose({ ...choices, queueIds: next.queueIds });
  }

  useArrival((ticketId) => {
    setTab("pending");
    setFilter(noFilter);
    wishFocus({ id: ticketId });
  });

  const isList = isNarrow && pane === "list";
  const steps = mayHaveSteps(session) ? (
    <AfterShown>
      <FirstSteps isInList={isList} />
    </AfterShown>
  ) : undefined;
  const newestRun = useNewest(run);
  const team = useTeamFold(user.id);
  function showPerson(userId: number): void {
    setSearch("");
    setFilter({ ...noFilter, userIds: [userId] });
    setTab("search");
  }
  const previewFor = useSetting("waitingPreview");
  const maySpy = can("tickets:spy") && previewFor !== "disabled";
  const mayPreview = previewFor === "enabled";
  const preview = useCallback((one: Ticket): void => navigate(`/tickets/${one.uuid}`), [navigate]);
  const cardActions = useMemo(
    (): CardActions => ({
      accept: (one) => newestRun.current("accept", one),
      finish: (one) => setDialog({ kind: "finish", ticket: one }),
      spy: maySpy ? (one) => setDialog({ kind: "spy", ticket: one }) : mayPreview ? preview : null,
    }),
    [newestRun, maySpy, mayPreview, preview],
  );

  const list = (
    <ListPane
      views={views}
      tab={tab}
      onTab={setTab}
      showAll={choices.showAll}
      onShowAll={(showAll) => choose({ ...choices, showAll })}
      orders={choices.orders}
      onOrders={(orders) => choose({ ...choices, orders })}
      filter={filter}
      onFilter={narrow}
      onShow={(showing) => {
        setTab(showing.tab);
        setFilter(showing.filter);
        choose({ ...choices, showAll: showing.showAll, queueIds: showing.filter.queueIds });
      }}
      mayShowAll={mayShowAll}
      search={search}
      onSearch={setSearch}
      selectedUuid={ticketUuid}
      acceptingId={busy?.action === "accept" ? busy.ticketId : null}
      focusWish={flow.focusWish}
      onFocusTicket={wishFocus}
      actions={cardActions}
      isHidden={isNarrow && pane === "ticket"}
      notice={isNarrow || ticketUuid === undefined ? <LiveNotice /> : null}
      belowNothing={isList ? steps : undefined}
    />
  );
  const teamStrip = (
    // Its room is there before it is loaded.
    <div className={classes["team"]} data-folded={team.isFolded || undefined}>
      <AfterShown>
        <TeamStrip
          {...team}
          queueIds={filter.queueIds}
          onQueue={(queueId) => {
            const isChosen = filter.queueIds.length === 1 && filter.queueIds[0] === queueId;
            narrow({ ...filter, queueIds: isChosen ? [] : [queueId] });
          }}
          onPerson={mayShowAll ? showPerson : null}
        />
      </AfterShown>
    </div>
  );
  let rightPane = <NoConversation steps={steps} />;
  if (ticketUuid !== undefined) {
    const missing = (
      <OpenedTicketMissing error={opened.error} onRetry={() => void opened.refetch()} />
    );
    rightPane = ticket ? (
      <Suspense fallback={missing}>
        <LazyConversationPane
          key={ticket.id}
          ticket={ticket}
          user={writer}
          isNarrow={isNarrow}
          busyWith={busy?.ticketId === ticket.id ? busy.action : null}
          commands={commands}
          mustFocusComposer={isByHand && hasKeyboard}
          isContactOpen={isContactOpen}
          onCommand={command}
          onSendLater={can("schedules:use") ? (text) => setScheduling({ ticket, text }) : undefined}
          onBack={() => setPane("list")}
        />
      </Suspense>
    ) : (
      missing
    );
  }

  return (
    <div className={classes["page"]}>
      <SkipLinks />
      {maySpy && !(isNarrow && pane === "ticket") ? teamStrip : null}
      <div className={classes["panes"]}>
        {list}
        {isList ? null : rightPane}
        {ticket && isContactOpen && !isList ? (
          <Suspense fallback={null}>
            <ContactDrawer ticket={ticket} onClose={() => setIsContactOpen(false)} />
          </Suspense>
        ) : null}
      </div>
      {isNarrow ? <PaneSwitch pane={pane} unreadTickets={unreadTickets} onPane={setPane} /> : null}
      <TicketDialogs
        dialog={dialog}
        onRun={run}
        onLeave={flow.leaving}
        onOpen={preview}
        onClose={() => setDialog(null)}
      />
      {ticket ? (
        <AfterShown>
          {hasKeyboard ? null : <TouchGestures onStep={step} />}
          <MacroCommands ticket={ticket} onLeave={flow.leaving} onReasonRequired={askReason} />
        </AfterShown>
      ) : null}
      {scheduling === null ? null : (
        <ScheduleHost
          contact={scheduling.ticket.contact}
          text={scheduling.text}
          onClose={() => setScheduling(null)}
        />
      )}
    </div>
  );
}

type Props = {
  pane: Pane;
  /** Tickets with unread messages. */
  unreadTickets: number;
  onPane: (pane: Pane) => void;
};

/** The visible pane under 600 px. */
function PaneSwitch({ pane, unreadTickets, onPane }: Props): ReactNode {
  const { t } = useTranslation();
  return (
    <nav className={classes["switch"]} aria-label={t("tickets.panes")}>
      <button
        type="button"
        className={classes["pane"]}
        aria-pressed={pane === "ticket"}
        onClick={() => onPane("ticket")}
      >
        <IconMessage size={19} stroke={1.7} aria-hidden="true" />
        {t("tickets.paneTicket")}
      </button>
      <button
        type="button"
        className={classes["pane"]}
        aria-pressed={pane === "list"}
        onClick={() => onPane("list")}
      >
        <span className={classes["icon"]}>
          <IconInbox size={19} stroke={1.7} aria-hidden="true" />
          {unreadTickets > 0 ? (
            <span className={classes["badge"]}>
              <span aria-hidden="true">{unreadTickets}</span>
            </span>
          ) : null}
        </span>
        {t("tickets.paneList")}
        {unreadTickets > 0 ? (
          <span className="bc-hidden-text">
            {t("tickets.paneUnread", { count: unreadTickets })}
          </span>
        ) : null}
      </button>
    </nav>
  );
}

/** Whether the strip of the team is folded, kept for the user on this device; below its width it is a button. */
function useTeamFold(userId: number) {
  const isWide = useMediaQuery(`(min-width: ${limits.drawerOpenAbovePx + 1}px)`, true, {
    getInitialValueInEffect: false,
  });
  const key = `balcao.team.${userId}`;
  const [isFolded, setFolded] = useState(() => localStorage.getItem(key) === "folded");
  function onFold(folds: boolean): void {
    localStorage.setItem(key, folds ? "folded" : "open");
    setFolded(folds);
  }
  return { isWide, isFolded, onFold };
}

/** The skip links of this screen. Links to missing targets do nothing. */
function SkipLinks(): ReactNode {
  const { t } = useTranslation();
  const skip = (id: string) => (event: MouseEvent) => {
    event.preventDefault(); // the address bar belongs to the routes
    document.querySelector<HTMLElement>(`#${id}`)?.focus();
  };
  const links = [
    ["ticket-list", t("tickets.skipToList")],
    ["messages", t("tickets.skipToMessages")],
    ["composer", t("tickets.skipToComposer")],
  ] as const;
  return links.map(([id, label]) => (
    <a key={id} className="bc-skip-link" href={`#${id}`} onClick={skip(id)}>
      {label}
    </a>
  ));
}
