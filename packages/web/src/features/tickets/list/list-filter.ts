import type { Ticket } from "@balcao/contract";
import { useEffect, useState } from "react";
import { useLocation, useNavigate } from "../../../router/index.tsx";
import { epochMs } from "../../../ui/clock.ts";

/** What the lists of tickets are narrowed to. All parts hold at once; an empty list of ids narrows nothing. */
export type ListFilter = Readonly<{
  queueIds: readonly number[];
  tagIds: readonly number[];
  /** Admins only. */
  userIds: readonly number[];
  connectionIds: readonly number[];
  isUnread: boolean;
  /** Those that are put off, in the place of all others. */
  isSnoozed: boolean;
  /** The customer waits for an answer for so long at least; null: any. */
  waitMinutes: number | null;
}>;

export const noFilter: ListFilter = {
  queueIds: [],
  tagIds: [],
  userIds: [],
  connectionIds: [],
  isUnread: false,
  isSnoozed: false,
  waitMinutes: null,
};

/** The names of the parts in the address. */
const idKeys = {
  queueIds: "queues",
  tagIds: "tags",
  userIds: "agents",
  connectionIds: "connections",
} as const;
const WAIT_KEY = "wait";
/** The waits that can be chosen, in minutes. */
export const waits: readonly number[] = [10, 30, 60, 240, 1_440];
const flagKeys = { isUnread: "unread", isSnoozed: "snoozed" } as const;

export type IdFilter = keyof typeof idKeys;
export const idFilters = Object.keys(idKeys) as readonly IdFilter[];
export type FlagFilter = keyof typeof flagKeys;
export const flagFilters = Object.keys(flagKeys) as readonly FlagFilter[];

const MINUTE_MS = 60_000;

/** The largest id, and the most ids of one part, that the server takes from an address. */
const ID_MAX = 2_147_483_647;
const IDS_MAX = 100;

/** The filter that an address names. */
export function filterIn(search: string): ListFilter {
  const named = new URLSearchParams(search);
  const ids = (part: IdFilter): number[] => {
    const listed = (named.get(idKeys[part]) ?? "").split(",").map(Number);
    const valid = listed.filter((id) => Number.isInteger(id) && id > 0 && id <= ID_MAX);
    return [...new Set(valid)].slice(0, IDS_MAX);
  };
  return {
    queueIds: ids("queueIds"),
    tagIds: ids("tagIds"),
    userIds: ids("userIds"),
    connectionIds: ids("connectionIds"),
    isUnread: named.has(flagKeys.isUnread),
    isSnoozed: named.has(flagKeys.isSnoozed),
    waitMinutes: waits.find((minutes) => named.get(WAIT_KEY) === String(minutes)) ?? null,
  };
}

/** The filter as an address names it; empty for none. */
export function filterText(filter: ListFilter): string {
  return [
    ...idFilters
      .filter((part) => filter[part].length > 0)
      .map((part) => `${idKeys[part]}=${filter[part].join(",")}`),
    ...(filter.waitMinutes === null ? [] : [`${WAIT_KEY}=${filter.waitMinutes}`]),
    ...flagFilters.filter((part) => filter[part]).map((part) => flagKeys[part]),
  ].join("&");
}

export function isFiltered(filter: ListFilter): boolean {
  return filterText(filter) !== "";
}

/** The search part of an address with this filter in the place of the one that it names. */
function withFilter(search: string, filter: ListFilter): string {
  const others = new URLSearchParams(search);
  for (const key of [WAIT_KEY, ...Object.values({ ...idKeys, ...flagKeys })]) others.delete(key);
  const text = [others.toString(), filterText(filter)].filter(Boolean).join("&");
  return text === "" ? "" : `?${text}`;
}

/** True for a step that only writes the filter into the address. */
export function isFilterStep(state: unknown): boolean {
  return typeof state === "object" && state !== null && "isFilterStep" in state;
}

/**
 * The filter of the lists. An address that names one is followed; otherwise the filter stays while the user opens tickets,
 * and is written into each address. `remembered`: the queues at the start, where the address names nothing.
 */
export function useListFilter(
  remembered: readonly number[],
): [ListFilter, (filter: ListFilter) => void] {
  const { pathname, search, state, key } = useLocation();
  const navigate = useNavigate();
  const named = filterIn(search);
  const [filter, setFilter] = useState(() =>
    isFiltered(named) ? named : { ...noFilter, queueIds: remembered },
  );
  const [seenKey, setSeenKey] = useState(key);
  if (seenKey !== key) {
    setSeenKey(key);
    const isOther = isFiltered(named) && filterText(named) !== filterText(filter);
    if (isOther && !isFilterStep(state)) setFilter(named);
  }
  const wanted = withFilter(search, filter);
  const mustWrite = filterText(named) !== filterText(filter);
  useEffect(() => {
    if (!mustWrite) return;
    navigate(pathname + wanted, { replace: true, state: { isFilterStep: true } });
  }, [mustWrite, pathname, wanted, navigate]);
  return [filter, setFilter];
}

/** The part of a filter that a ticket's own fields decide. A closed ticket has lost its user and queue. */
export function passesFilter(filter: ListFilter, ticket: Ticket): boolean {
  const { connectionIds, userIds, waitMinutes } = filter;
  if (waitMinutes !== null && !hasWaited(ticket, waitMinutes)) return false;
  if (filter.isSnoozed !== (ticket.snooze !== null)) return false;
  if (filter.isUnread && ticket.unreadMessages === 0) return false;
  if (!filter.tagIds.every((tagId) => ticket.tags.some(({ id }) => id === tagId))) return false;
  if (connectionIds.length > 0 && !includes(connectionIds, ticket.whatsappId)) return false;
  return ticket.status === "closed" || userIds.length === 0 || includes(userIds, ticket.userId);
}

function hasWaited({ waitingSince }: Ticket, minutes: number): boolean {
  return waitingSince !== null && epochMs() - Date.parse(waitingSince) >= minutes * MINUTE_MS;
}

function includes(ids: readonly number[], id: number | null): boolean {
  return id !== null && ids.includes(id);
}

/** The filter as `GET /tickets` takes it. */
export function wireParts(filter: ListFilter) {
  return {
    queueIds: idList(filter.queueIds),
    tags: idList(filter.tagIds),
    users: idList(filter.userIds),
    whatsappIds: idList(filter.connectionIds),
    waitMinutes: filter.waitMinutes === null ? undefined : String(filter.waitMinutes),
    withUnreadMessages: filter.isUnread ? ("true" as const) : undefined,
  };
}

function idList(ids: readonly number[]): string | undefined {
  return ids.length === 0 ? undefined : JSON.stringify(ids);
}
