import type { BoardCard } from "@balcao/contract";
import { useMediaQuery } from "@mantine/hooks";
import { IconArrowsSort, IconChevronDown, IconFilter, IconLayoutKanban } from "@tabler/icons-react";
import type { ComponentProps, ReactNode } from "react";
import { Suspense, useEffect, useMemo, useRef, useState } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { LiveNotice } from "../../realtime/index.ts";
import { useNavigate, useSearchParams } from "../../router/index.tsx";
import { Button } from "../../ui/button.tsx";
import type { ListFilter } from "../../ui/filter-menu.tsx";
import {
  EmptyState,
  IconButton,
  ListSkeleton,
  LoadFailed,
  MenuButton,
  notifyError,
  notifyInfo,
  notifySuccess,
} from "../../ui/index.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { OnDemand } from "../../ui/on-demand.tsx";
import { PageSearch } from "../../ui/page/page.tsx";
import { useSession } from "../auth/index.ts";
import { useTicketEvents } from "../tickets/index.ts";
import { viewerOf } from "../tickets/index.ts";
import type { BoardOf } from "./api.ts";
import { loadMoreCards, moveCard, orderLanes, showOnBoard, useBoard } from "./api.ts";
import type { BoardFilter } from "./board-data.ts";
import { totalOf } from "./board-data.ts";
import { Board } from "./board.tsx";
import { useBoardFilters } from "./board-filters.tsx";
import classes from "./kanban.module.css";

const TicketPanel = lazyPart(
  async () => (await import("./ticket-panel.tsx")).TicketPanel,
  "inline",
  "kanban",
);
const FilterMenu = lazyPart(async () => (await import("../../ui/filter-menu.tsx")).FilterMenu);

/** The tickets that wait or are served, in lanes by their tags. */
export function KanbanPage(): ReactNode {
  const { t } = useTranslation();
  const { user, can } = useSession();
  const navigate = useNavigate();
  const address = useAddress();
  const { filter, ticketUuid } = address;
  const isNarrow = useMediaQuery("(max-width: 599px)", false, { getInitialValueInEffect: false });
  const isWide = useMediaQuery("(min-width: 1280px)", true, { getInitialValueInEffect: false });
  const viewer = useMemo(() => viewerOf(user), [user]);
  const of = useMemo((): BoardOf => ({ filter, viewer }), [filter, viewer]);
  useTicketEvents({ showsResolved: false });
  const {
    data: board,
    error,
    refetch,
  } = useBoard(of, (name) => notifyInfo(t("kanban.laneGone", { name, open: t("kanban.open") })));
  const mayOrder = can("kanban:order");
  const [order, setOrder] = useState<readonly number[] | null>(null);
  const [chosenLane, setChosenLane] = useState<number | null>(null);
  const lastOpened = useRef<number | null>(null);

  const lanes = useMemo(() => {
    const known = board?.lanes ?? [];
    if (order === null) return known;
    const placeOf = (id: number | null) => (id === null ? -1 : order.indexOf(id));
    return known.toSorted((a, b) => placeOf(a.id) - placeOf(b.id));
  }, [board, order]);
  const laneIds = lanes.flatMap(({ id }) => (id === null ? [] : [id]));
  const nameOf = (id: number | null): string =>
    id === null ? t("kanban.open") : (lanes.find((lane) => lane.id === id)?.name ?? "");
  const opened = lanes.flatMap(({ cards }) => cards).find(({ uuid }) => uuid === ticketUuid);
  const openedId = opened?.id;
  useEffect(() => {
    if (openedId !== undefined) lastOpened.current = openedId;
  }, [openedId]);

  function move(ticketId: number, from: number | null, to: number | null): void {
    moveCard(of, { ticketId, from, to })
      .then((before) => {
        if (before === null) notifySuccess(t("kanban.moved", { lane: nameOf(to) }));
        else {
          const lane = before.lane.id === null ? t("kanban.open") : before.lane.name;
          notifyInfo(
            before.by === null
              ? t("kanban.movedBefore", { lane })
              : t("kanban.movedBeforeBy", { name: before.by, lane }),
          );
        }
      })
      .catch(notifyError);
  }

  function step(laneId: number, by: -1 | 1): void {
    const now = order ?? laneIds;
    const at = now.indexOf(laneId);
    const to = at + by;
    if (at === -1 || to < 0 || to >= now.length) return;
    const next = now.toSpliced(at, 1).toSpliced(to, 0, laneId);
    if (order === null) save(next);
    else setOrder(next);
  }

  function save(next: readonly number[]): void {
    orderLanes(of, next)
      .then(() => setOrder(null))
      .catch(notifyError);
  }

  function close(): void {
    address.open(null);
    const id = lastOpened.current;
    if (id === null) return;
    setTimeout(() => document.querySelector<HTMLElement>(`[data-card="${id}"]`)?.focus());
  }

  const filters = useBoardFilters(filter, viewer, address.change);
  const isCompact = !isWide || ticketUuid !== null;
  const lane = lanes.find(({ id }) => id === chosenLane) ?? lanes[0];
  const isOrdering = order !== null;
  const total = board ? totalOf(board) : null;
  const isWithoutLanes = board !== undefined && board.lanes.length <= 1;
  const noneFound = total === 0 && filter.words !== "";

  return (
    <div className={classes["page"]}>
      <div className={classes["main"]} data-hidden={(isNarrow && ticketUuid !== null) || undefined}>
        <header className={classes["head"]}>
          <MenuButton />
          <h1 className={classes["title"]}>
            {t("kanban.title")}{" "}
            {total === null ? null : <span className={classes["count"]}>{total}</span>}
          </h1>
          <div className={classes["tools"]}>
            {isOrdering ? (
              <>
                <Button variant="default" onClick={() => setOrder(null)}>
                  {t("common.cancel")}
                </Button>
                <Button onClick={() => save(order)}>{t("kanban.orderDone")}</Button>
              </>
            ) : (
              <>
                <Filters filters={filters} isCompact={isCompact} />
                <PageSearch
                  key={address.searchKey}
                  label={t("kanban.search")}
                  start={filter.words}
                  onSearch={(words) => address.change({ ...filter, words })}
                />
                {mayOrder && laneIds.length > 1 && !isNarrow ? (
                  isCompact ? (
                    <IconButton
                      label={t("kanban.order")}
                      icon={IconArrowsSort}
                      onClick={() => setOrder(laneIds)}
                    />
                  ) : (
                    <Button
                      variant="default"
                      leftSection={<IconArrowsSort size={16} stroke={1.7} aria-hidden="true" />}
                      onClick={() => setOrder(laneIds)}
                    >
                      {t("kanban.order")}
                    </Button>
                  )
                ) : null}
              </>
            )}
          </div>
        </header>
        <LiveNotice />
        {isNarrow && lanes.length > 1 ? (
          <div className={classes["chips"]} role="group" aria-label={t("kanban.lanes")}>
            {lanes.map((one) => (
              <button
                key={one.id ?? 0}
                type="button"
                className={classes["chip"]}
                aria-pressed={one === lane}
                onClick={() => setChosenLane(one.id)}
              >
                {nameOf(one.id)} <span className={classes["count"]}>{one.count}</span>
              </button>
            ))}
          </div>
        ) : null}
        {board === undefined ? (
          error ? (
            <LoadFailed icon={IconLayoutKanban} error={error} onRetry={() => void refetch()} />
          ) : (
            <ListSkeleton />
          )
        ) : noneFound ? (
          <EmptyState
            icon={IconLayoutKanban}
            title={t("kanban.noneFound", { words: filter.words })}
            action={
              <Button variant="default" onClick={() => address.clearWords()}>
                {t("common.clearSearch")}
              </Button>
            }
          />
        ) : (
          <div className={classes["boardRow"]}>
            <Board
              board={{ ...board, lanes }}
              lanes={isNarrow && lane ? [lane] : lanes}
              openId={openedId ?? null}
              words={filter.words}
              isOrdering={isOrdering}
              mayDrag={!isNarrow && lanes.length > 1}
              onOrder={mayOrder ? step : null}
              onEditTag={can("tags:manage") ? (id) => navigate(`/tags?edit=${id}`) : null}
              onOpen={(card: BoardCard) => {
                lastOpened.current = card.id;
                address.open(card.uuid);
              }}
              onMove={move}
              onMore={(laneId) => void loadMoreCards(of, laneId).catch(notifyError)}
            />
            {isWithoutLanes ? (
              <div className={classes["noLanes"]}>
                <EmptyState
                  icon={IconLayoutKanban}
                  title={t("kanban.noLanes")}
                  action={
                    can("tags:set-kanban") ? (
                      <Button onClick={() => navigate("/tags?new")}>{t("kanban.newTag")}</Button>
                    ) : undefined
                  }
                />
              </div>
            ) : null}
          </div>
        )}
      </div>
      {ticketUuid === null ? null : (
        <Suspense fallback={null}>
          <TicketPanel
            key={ticketUuid}
            ticketUuid={ticketUuid}
            lanes={lanes}
            isNarrow={isNarrow}
            onMove={move}
            onChanged={(ticket) => showOnBoard(of, ticket)}
            onClose={close}
          />
        </Suspense>
      )}
    </div>
  );
}

/** The filters as buttons with their values, or as one menu where there is no room. */
function Filters({
  filters,
  isCompact,
}: {
  filters: readonly ListFilter[];
  isCompact: boolean;
}): ReactNode {
  const { t } = useTranslation();
  if (filters.length === 0) return null;
  const chosen = filters.filter(({ value }) => value !== null).length;
  const parts = isCompact ? [filters] : filters.map((one) => [one]);
  return parts.map((part) => {
    const [only] = part;
    const isOne = !isCompact && only !== undefined;
    const target = isOne ? (
      <FilterTarget
        title={only.title}
        value={only.value ?? t(only.id === "userIds" ? "kanban.allUsers" : "kanban.all")}
        isOn={only.value !== null}
      />
    ) : (
      <AllTarget count={chosen} />
    );
    return (
      <OnDemand key={isOne ? only.id : "all"} part={FilterMenu} standIn={target}>
        <FilterMenu filters={part} target={target} />
      </OnDemand>
    );
  });
}

type TargetProps = Omit<ComponentProps<"button">, "color" | "value" | "title"> & {
  title: string;
  value: string;
  isOn: boolean;
};

function FilterTarget({ title, value, isOn, ...rest }: TargetProps): ReactNode {
  return (
    <Button {...rest} variant="default" aria-haspopup="menu" data-on={isOn || undefined}>
      <span className={classes["filterText"]}>
        {title}: <strong>{value}</strong>
      </span>
      <IconChevronDown size={15} stroke={1.7} className={classes["down"]} aria-hidden="true" />
    </Button>
  );
}

function AllTarget({
  count,
  ...rest
}: Omit<ComponentProps<"button">, "color" | "title"> & { count: number }): ReactNode {
  const { t } = useTranslation();
  return (
    <Button
      {...rest}
      variant="default"
      aria-haspopup="menu"
      leftSection={<IconFilter size={16} stroke={1.7} aria-hidden="true" />}
    >
      {count === 0 ? t("kanban.filters") : t("kanban.filtersOn", { count })}
    </Button>
  );
}

/** What the board shows, in the address: filters, words and the opened ticket. */
function useAddress() {
  const [params, setParams] = useSearchParams();
  const text = params.toString();
  const [searchKey, setSearchKey] = useState(0);
  const shown = useMemo(() => {
    const named = new URLSearchParams(text);
    const ids = (key: string): number[] =>
      (named.get(key) ?? "")
        .split(",")
        .map(Number)
        .filter((id) => Number.isSafeInteger(id) && id > 0);
    const filter: BoardFilter = {
      words: named.get("search") ?? "",
      queueIds: ids("queues"),
      userIds: ids("users"),
      connectionIds: ids("connections"),
    };
    return { filter, ticketUuid: named.get("ticket") };
  }, [text]);
  // Only another filter makes another board: opening a ticket keeps it.
  const filterKey = JSON.stringify(shown.filter);
  const filter = useMemo(() => JSON.parse(filterKey) as BoardFilter, [filterKey]);

  function write(next: BoardFilter, ticket: string | null, replace: boolean): void {
    const list = (key: string, ids: readonly number[]) =>
      ids.length === 0 ? {} : { [key]: ids.join(",") };
    setParams(
      {
        ...(next.words === "" ? {} : { search: next.words }),
        ...list("queues", next.queueIds),
        ...list("users", next.userIds),
        ...list("connections", next.connectionIds),
        ...(ticket === null ? {} : { ticket }),
      },
      { replace },
    );
  }
  return {
    filter,
    ticketUuid: shown.ticketUuid,
    /** Another one makes the search field anew. */
    searchKey,
    change: (next: BoardFilter): void => write(next, shown.ticketUuid, true),
    clearWords(): void {
      setSearchKey(searchKey + 1);
      write({ ...filter, words: "" }, shown.ticketUuid, true);
    },
    open: (ticketUuid: string | null): void => write(filter, ticketUuid, shown.ticketUuid !== null),
  };
}
