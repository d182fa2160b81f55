import type { TicketOrder } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import type { Icon } from "@tabler/icons-react";
import {
  IconCloudOff,
  IconInbox,
  IconMessages,
  IconPlus,
  IconRosetteDiscountCheck,
  IconSearch,
  IconSearchOff,
} from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Suspense, useCallback, useEffect, useRef, useState } from "react";
import { formatNumber, isCountCapped } from "../../../i18n/format.ts";
import { useTranslation } from "../../../i18n/index.ts";
import { AfterShown } from "../../../ui/after-shown.tsx";
import { Button } from "../../../ui/button.tsx";
import { EmptyState, ListSkeleton, LoadFailed, MenuButton } from "../../../ui/index.ts";
import { lazyPart } from "../../../ui/lazy-part.tsx";
import { useTicketList } from "../api.ts";
import { openNewTicket } from "../new-ticket/new-ticket.tsx";
import type { ListFilter } from "./list-filter.ts";
import { isFiltered, noFilter } from "./list-filter.ts";
import { FilterBar, ListTabs, OrderChoice, panelId } from "./list-tabs.tsx";
import classes from "./list.module.css";
import type { CardActions } from "./ticket-card.tsx";
import { TicketList } from "./ticket-list.tsx";
import type { TicketPages } from "./ticket-pages.ts";
import type { ListChoices, ListTab, TicketView } from "./ticket-view.ts";
import { isWaitingTab, keepHasViews, readHasViews } from "./ticket-view.ts";
import type { Showing } from "./view-strip.tsx";

const ViewStrip = lazyPart(async () => (await import("./view-strip.tsx")).ViewStrip);
const NothingFiltered = lazyPart(async () => (await import("./filters.tsx")).NothingFiltered);
const loadSearchPanel = () => import("../search/search-panel.tsx");
const SearchPanel = lazyPart(async () => (await loadSearchPanel()).SearchPanel);

type Props = {
  /** The view of each list. */
  views: Readonly<Record<ListTab, TicketView>>;
  tab: ListTab;
  onTab: (tab: ListTab) => void;
  showAll: boolean;
  onShowAll: (showAll: boolean) => void;
  orders: ListChoices["orders"];
  onOrders: (orders: ListChoices["orders"]) => void;
  filter: ListFilter;
  onFilter: (filter: ListFilter) => void;
  /** Shows a saved view. */
  onShow: (showing: Showing) => void;
  mayShowAll: boolean;
  /** The words of the search. */
  search: string;
  onSearch: (words: string) => void;
  selectedUuid: string | undefined;
  acceptingId: number | null;
  focusWish: { ticketId: number } | null;
  onFocusTicket: (ticket: { id: number }) => void;
  actions: CardActions;
  /** A notice above the list. */
  notice: ReactNode;
  /** Below the words of an empty list. */
  belowNothing: ReactNode;
  /** Hidden on a narrow screen; it keeps its scroll position. */
  isHidden: boolean;
};

/** The left pane: title, filters, tabs with their counts, and the list of the chosen tab. */
export function ListPane(props: Props): ReactNode {
  const { views, tab, onTab, filter, onFilter, mayShowAll, search, onSearch } = props;
  const { t } = useTranslation();
  const open = useTicketList(views.open, { enabled: true });
  const pending = useTicketList(views.pending, { enabled: true });
  const closed = useTicketList(views.closed, { enabled: tab === "closed" });
  const hasWish = search !== "" || isFiltered(filter);
  const found = useTicketList(views.search, { enabled: tab === "search" && hasWish });
  const shown = { open, pending, closed, search: found }[tab];
  const isIdle = tab === "search" && !hasWish;
  const { userId } = views.open.viewer;
  const [hadViews] = useState(() => readHasViews(userId));
  const onViewsKnown = useCallback((isShown: boolean) => keepHasViews(userId, isShown), [userId]);
  const filters = (
    <FilterBar
      filter={filter}
      onFilter={onFilter}
      viewer={views.open.viewer}
      maySeeUsers={mayShowAll}
    >
      {isWaitingTab(tab) ? (
        <OrderChoice
          order={props.orders[tab]}
          onOrder={(order) => props.onOrders({ ...props.orders, [tab]: order })}
        />
      ) : null}
    </FilterBar>
  );

  return (
    <section
      className={classes["pane"]}
      aria-label={t("tickets.title")}
      data-hidden={props.isHidden || undefined}
    >
      <header className={classes["head"]}>
        <MenuButton />
        <h1 className="bc-fill bc-ellipsis">{t("tickets.title")}</h1>
        <Button
          className={classes["new"]}
          leftSection={<IconPlus size={15} stroke={2} aria-hidden="true" />}
          aria-label={t("tickets.newTicket")}
          aria-haspopup="dialog"
          title={t("tickets.newTicket")}
          onClick={() => openNewTicket()}
        >
          {t("tickets.newShort")}
        </Button>
      </header>
      {props.notice}
      <ListTabs
        tab={tab}
        onTab={onTab}
        counts={{ open: open.data?.count, pending: pending.data?.count }}
        showAll={mayShowAll ? props.showAll : null}
        onShowAll={props.onShowAll}
      />
      <div className={classes["views"]} data-reserved={hadViews || undefined}>
        <AfterShown>
          <ViewStrip
            showing={{ tab, showAll: props.showAll, filter }}
            onShow={props.onShow}
            onKnown={onViewsKnown}
          />
        </AfterShown>
      </div>
      {tab === "search" ? null : filters}
      <NewTicketsAnnouncement
        key={JSON.stringify(views.pending)} // a list seen differently is no news
        pages={pending.data}
        order={views.pending.order}
      />
      <div
        id={panelId(tab)}
        role="tabpanel"
        aria-labelledby={`${panelId(tab)}-tab`}
        className={classes["panel"]}
      >
        {tab === "search" ? (
          <Suspense fallback={null}>
            <SearchPanel
              words={search}
              onWords={onSearch}
              onLeaveDown={() => {
                const first = found.data?.tickets[0];
                if (first) props.onFocusTicket(first);
              }}
            />
            {filters}
            <FoundCount
              count={hasWish && !found.isPlaceholderData ? found.data?.count : undefined}
            />
          </Suspense>
        ) : null}
        {isIdle ? (
          <EmptyState
            icon={IconSearch}
            drawing="search"
            title={t("tickets.search.idleTitle")}
            text={t("tickets.search.idleText")}
          />
        ) : null}
        {!isIdle && shown.data === undefined ? (
          <Missing error={shown.error} onRetry={() => void shown.refetch()} />
        ) : null}
        {!isIdle && shown.data?.tickets.length === 0 ? (
          <Nothing
            tab={tab}
            isLoading={shown.data.hasMore || shown.isPlaceholderData}
            words={search}
            below={props.belowNothing}
            onClear={() => onSearch("")}
            onClearFilter={isFiltered(filter) ? () => onFilter(noFilter) : undefined}
          />
        ) : null}
        {!isIdle && shown.data && shown.data.tickets.length > 0 ? (
          <TicketList
            // Another view starts at the top.
            key={JSON.stringify(views[tab])}
            view={views[tab]}
            pages={shown.data}
            selectedUuid={props.selectedUuid}
            acceptingId={props.acceptingId}
            focusWish={props.focusWish}
            actions={props.actions}
            onLeaveTop={tab === "search" ? focusSearchBox : undefined}
          />
        ) : null}
      </div>
    </section>
  );
}

/** Shown while the data loads or failed to load. */
function Missing({ error, onRetry }: { error: Error | null; onRetry: () => void }): ReactNode {
  if (error === null) return <ListSkeleton rows={6} />;
  return <LoadFailed icon={IconCloudOff} error={error} onRetry={onRetry} />;
}

/** Shows the number of results. */
function FoundCount({ count }: { count: number | undefined }): ReactNode {
  const { t } = useTranslation();
  const found = count === undefined || count === 0 ? "" : t("tickets.search.found", { count });
  const shown =
    count !== undefined && isCountCapped(count)
      ? t("tickets.search.foundMany", { least: formatNumber(limits.listCountMax) })
      : found;
  return (
    <p className={classes["found"]} role="status">
      {shown}
    </p>
  );
}

function focusSearchBox(): void {
  void loadSearchPanel().then(({ SEARCH_BOX_ID }) =>
    document.querySelector<HTMLElement>(`#${SEARCH_BOX_ID}`)?.focus(),
  );
}

const nothingIcons: Readonly<Record<ListTab, Icon>> = {
  open: IconMessages,
  pending: IconInbox,
  closed: IconRosetteDiscountCheck,
  search: IconSearchOff,
};

const drawings = { open: "sheet", pending: "tray", closed: "archive" } as const;

type NothingProps = {
  tab: ListTab;
  isLoading: boolean;
  /** The words of the search. */
  words: string;
  below: ReactNode;
  onClear: () => void;
  /** Undefined without a filter. */
  onClearFilter: (() => void) | undefined;
};

/** Shown without tickets. `isLoading`: the reply, or the rest of a list whose loaded tickets left, is pending. */
function Nothing(props: NothingProps): ReactNode {
  const { tab, isLoading, words, onClear, onClearFilter } = props;
  const { t } = useTranslation();
  if (isLoading) return <ListSkeleton rows={6} />;
  if (tab === "search" && words !== "") {
    return (
      <EmptyState
        icon={nothingIcons.search}
        drawing="search"
        title={t("tickets.search.nothingTitle", { text: words })}
        text={t("tickets.search.nothingText")}
        action={
          <Button variant="default" onClick={onClear}>
            {t("common.clearSearch")}
          </Button>
        }
      />
    );
  }
  if (tab === "search" || onClearFilter) {
    return (
      <Suspense fallback={null}>
        <NothingFiltered onClear={onClearFilter} />
      </Suspense>
    );
  }
  const texts = {
    open: [t("tickets.emptyOpenTitle"), t("tickets.emptyOpenText")],
    pending: [t("tickets.emptyPendingTitle"), t("tickets.emptyPendingText")],
    closed: [t("tickets.emptyClosedTitle"), t("tickets.emptyClosedText")],
  } as const;
  const [title, text] = texts[tab];
  return (
    <EmptyState
      icon={nothingIcons[tab]}
      drawing={drawings[tab]}
      title={title}
      text={text}
      action={props.below}
    />
  );
}

/** How many tickets came since, without those that were loaded by scrolling. */
function newTickets(before: TicketPages, pages: TicketPages, order: TicketOrder): number {
  const known = new Set(before.tickets.map(({ id }) => id));
  if (order === "wait") {
    // New ones wait shortest: they stand at the end, or below what is loaded.
    if (before.hasMore) return Math.max(0, pages.count - before.count);
    return pages.tickets.filter(({ id }) => !known.has(id)).length;
  }
  const firstKnown = pages.tickets.findIndex(({ id }) => known.has(id));
  if (firstKnown !== -1) return firstKnown;
  return known.size === 0 ? pages.tickets.length : 0;
}

/** The shortest time between two announcements (ui.md section 5). */
const QUIET_MS = 5_000;

type AnnouncementProps = { pages: TicketPages | undefined; order: TicketOrder };

/** Announces the number of new waiting tickets to screen readers. */
function NewTicketsAnnouncement({ pages, order }: AnnouncementProps): ReactNode {
  const { t } = useTranslation();
  const known = useRef<TicketPages | null>(null);
  const waiting = useRef(0);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const [count, setCount] = useState(0);

  useEffect(() => {
    function speak(): void {
      setCount(waiting.current);
      waiting.current = 0;
      timer.current = setTimeout(() => {
        timer.current = undefined;
        if (waiting.current > 0) speak();
        else setCount(0);
      }, QUIET_MS);
    }

    if (pages === undefined) return;
    const before = known.current;
    known.current = pages;
    if (before === null) return;
    waiting.current += newTickets(before, pages, order);
    if (waiting.current > 0 && timer.current === undefined) speak();
  }, [pages, order]);
  useEffect(() => () => clearTimeout(timer.current), []);

  return (
    <p className="bc-hidden-text" aria-live="polite">
      {count > 0 ? t("tickets.newWaiting", { count }) : ""}
    </p>
  );
}
