import type { CompanyEvents, CompanyEventSubject } from "@balcao/contract";
import { clientEvents } from "@balcao/contract/event-names";
import type { Query, QueryFilters, QueryKey } from "@tanstack/react-query";
import { hashKey, notifyManager } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { onNoReply, renewToken, tokenSecondsLeft } from "../api/client.ts";
import { queryClient } from "../api/query-client.ts";
import { currentSession } from "../api/session-store.ts";
import { useStore } from "../store/index.ts";
import type { LiveStatus, Room } from "./live-connection.ts";
import { createLiveConnection, roomKey } from "./live-connection.ts";

/** Client events that features send; the connection itself sends rooms and heartbeats. */
type LiveClientEvent = "ticketViewing";

// Data read before the rooms were joined may lack events, so at each `ready` everything on screen is read again.
const connection = createLiveConnection({
  // Imported at each attempt, so that a test can replace it.
  openSocket: async (token) => (await import("./socket.ts")).openSocket(token),
  token: () => currentSession()?.token ?? null,
  tokenSecondsLeft: () => tokenSecondsLeft(currentSession()?.token ?? "", Date.now()),
  renewToken: () => renewToken(currentSession()?.token ?? null),
  onReady: () => {
    void readAgain({ predicate: isLive });
    endWait();
  },
  isVisible: () => document.visibilityState === "visible",
  random: Math.random,
});

/** Time limit of a first read's wait for the channel. */
const LONGEST_WAIT_MS = 2_500;
let wait: Promise<void> | null = null;
let endWait = (): void => undefined;
const waiting = new Set<string>();

/** Makes `onceLive` wait for the live channel. Called once, before the first screen. */
export function expectLiveChannel(): void {
  wait = new Promise((resolve) => {
    endWait = (): void => {
      wait = null;
      resolve();
    };
    setTimeout(endWait, LONGEST_WAIT_MS);
  });
}

/**
 * Reads data that the first screen does not need, after the live channel is ready. Events cannot be missed then, so the
 * data is not read again at `ready`. After `LONGEST_WAIT_MS` it reads without the channel.
 */
export async function onceLive<T>(queryKey: QueryKey, read: () => Promise<T>): Promise<T> {
  if (wait === null) return read();
  const hash = hashKey(queryKey);
  waiting.add(hash);
  await wait;
  waiting.delete(hash);
  return read();
}

/**
 * Reads data again that the screen can show from the cache, after it was painted: starting a request takes time that the
 * opening of a page does not have. What is not in the cache is read at once.
 */
export async function oncePainted<T>(queryKey: QueryKey, read: () => Promise<T>): Promise<T> {
  const isKnown = queryClient.getQueryData(queryKey) !== undefined;
  if (isKnown && document.visibilityState === "visible") {
    await new Promise((resolve) => {
      requestAnimationFrame(() => setTimeout(resolve));
    });
  }
  return read();
}

/** Keeps the live channel of a company open while mounted. A new sign-in needs a new mount, a renewed token does not. */
export function useLiveConnection(companyId: number): void {
  useEffect(() => {
    connection.start(companyId);
    const retry = (): void => connection.retryNow();
    const retryWhenShown = (): void => {
      if (document.visibilityState !== "visible") return;
      connection.check();
      connection.retryNow();
    };
    const stopWatching = onNoReply(() => connection.check());
    window.addEventListener("online", retry);
    window.addEventListener("offline", connection.lose);
    document.addEventListener("visibilitychange", retryWhenShown);
    return () => {
      stopWatching();
      window.removeEventListener("online", retry);
      window.removeEventListener("offline", connection.lose);
      document.removeEventListener("visibilitychange", retryWhenShown);
      connection.stop();
    };
  }, [companyId]);
}

/** Calls the newest `handler` for each event of the company on `subject`. Events can come twice. */
export function useCompanyEvent<S extends CompanyEventSubject>(
  subject: S,
  handler: (payload: CompanyEvents[S]) => void,
): void {
  const newest = useRef(handler);
  useEffect(() => {
    newest.current = handler;
  });
  useEffect(() => connection.handle(subject, (payload) => newest.current(payload)), [subject]);
}

/** Calls `handler` for each event on `subject` for as long as the page lives. Events can come twice. */
export function onCompanyEvent<S extends CompanyEventSubject>(
  subject: S,
  handler: (payload: CompanyEvents[S]) => void,
): void {
  connection.handle(subject, handler);
}

/**
 * The same for an addressed event, whose name says more than company and subject (`addressedEventName`). `key` tells the events of
 * this page apart.
 */
export function onNamedEvent(
  key: string,
  nameOf: (companyId: number) => string,
  handler: (payload: never) => void,
): () => void {
  return connection.handleNamed(key, nameOf, handler);
}

/** Stays in a room while mounted; several users of one room share it. `null` is no room. */
export function useRoom(room: Room | null): void {
  const key = room === null ? null : roomKey(room);
  const newest = useRef(room);
  useEffect(() => {
    newest.current = room;
  });
  useEffect(() => {
    if (key === null || newest.current === null) return undefined;
    return connection.rooms.enter(newest.current);
  }, [key]);
}

/** Sends a client event about the current state; does nothing while the channel is not online. */
export function sendLive(event: LiveClientEvent, payload: unknown): void {
  connection.send(clientEvents[event], payload);
}

/** The state of the live channel and the time of the next attempt. */
export function useLiveStatus(): LiveStatus {
  return useStore(connection.status);
}

/** Tries to reconnect at once. */
export function retryLiveConnection(): void {
  connection.retryNow();
}

/**
 * Reads queries again: those on screen now, the others when they are shown. A first read that is running is repeated
 * afterwards: an invalidation does not restart it, and its reply may be older than the change.
 */
export async function readAgain(filters: QueryFilters): Promise<void> {
  const underWay = queryClient.getQueryCache().findAll(filters).filter(isFirstReading);
  await Promise.all([queryClient.invalidateQueries(filters), ...underWay.map(readAgainAfterwards)]);
}

/** Queries with `meta.live: false` hold data that no event changes. */
function isLive(query: Query): boolean {
  return query.meta?.["live"] !== false;
}

function isFirstReading(query: Query): boolean {
  const { fetchStatus, data } = query.state;
  return fetchStatus === "fetching" && data === undefined && !waiting.has(query.queryHash);
}

async function readAgainAfterwards(query: Query): Promise<void> {
  // The screen that reads shows the failure.
  await query.promise?.catch(() => undefined);
  await queryClient.invalidateQueries({ queryKey: query.queryKey, exact: true });
}

/** A hidden page gets no animation frames, but the counter in its title must change. */
const HIDDEN_PAGE_MS = 250;

let pending: (() => void)[] = [];
let frame: number | null = null;
let timer: ReturnType<typeof setTimeout> | null = null;

/**
 * Runs `apply` together with the other changes of this animation frame, in order, as one notification of the query cache,
 * so that many events cost one render.
 */
export function batchPerFrame(apply: () => void): void {
  pending.push(apply);
  if (pending.length > 1) return;
  frame = requestAnimationFrame(flush);
  timer = setTimeout(flush, HIDDEN_PAGE_MS);
}

function flush(): void {
  if (frame !== null) cancelAnimationFrame(frame);
  if (timer !== null) clearTimeout(timer);
  const changes = pending;
  pending = [];
  notifyManager.batch(() => {
    for (const change of changes) {
      try {
        change();
      } catch (error) {
        reportError(error); // the other events of the frame are still applied
      }
    }
  });
}

/**
 * Keeps the live events that arrive during a request. Its reply may be older than they are, so they are applied again after
 * it (every event can be applied twice).
 */
export type EventJournal<E> = {
  record(event: E): void;
  /** Runs `load`; `missed` contains the events recorded meanwhile, in their order. */
  during<T>(load: () => Promise<T>): Promise<{ reply: T; missed: readonly E[] }>;
};

export function createEventJournal<E>(): EventJournal<E> {
  const underWay = new Set<E[]>();
  return {
    record(event) {
      for (const missed of underWay) missed.push(event);
    },
    async during(load) {
      const missed: E[] = [];
      underWay.add(missed);
      try {
        return { reply: await load(), missed };
      } finally {
        underWay.delete(missed);
      }
    },
  };
}
