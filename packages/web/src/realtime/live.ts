import type { CompanyEventSubject, CompanyEvents } from "@balcao/contract";
import { clientEvents } from "@balcao/contract/event-names";
import type { Query } from "@tanstack/react-query";
import { useEffect, useRef, useSyncExternalStore } from "react";
import { queryClient } from "../api/query-client.ts";
import { renewToken, tokenSecondsLeft } from "../api/renewal.ts";
import { currentSession } from "../api/session-store.ts";
import { createLiveConnection } from "./live-connection.ts";
import type { LiveStatus } from "./live-connection.ts";
import { roomKey } from "./rooms.ts";
import type { Room } from "./rooms.ts";

/** Client events that features send; rooms and the sign of life are the connection's own. */
type LiveClientEvent = "ticketViewing";

const connection = createLiveConnection({
  // Its own chunk: the page is drawn while it is on its way.
  openSocket: async (token) => {
    const { io } = await import("socket.io-client");
    return io({
      transports: ["websocket"],
      reconnection: false,
      autoConnect: false,
      forceNew: true,
      auth: (answer) => answer({ token: token() }),
    });
  },
  token: () => currentSession()?.token ?? null,
  tokenSecondsLeft: () => tokenSecondsLeft(currentSession()?.token ?? "", Date.now()),
  renewToken: () => renewToken(currentSession()?.token ?? null),
  onReady: () => void refetchWhatIsShown(),
  random: Math.random,
});

/** Keeps the live channel of a company open while mounted. A new sign-in needs a new mount, a renewed token does not. */
export function useLiveConnection(companyId: number): void {
  useEffect(() => {
    connection.start(companyId);
    const retry = (): void => connection.retryNow();
    const retryWhenShown = (): void => {
      if (document.visibilityState === "visible") connection.retryNow();
    };
    window.addEventListener("online", retry);
    document.addEventListener("visibilitychange", retryWhenShown);
    return () => {
      window.removeEventListener("online", retry);
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

/** Tells the server something that is true right now; nothing happens while the channel is away. */
export function sendLive(event: LiveClientEvent, payload: unknown): void {
  connection.send(clientEvents[event], payload);
}

/** Whether live events arrive, and when the next try is. */
export function useLiveStatus(): LiveStatus {
  return useSyncExternalStore(connection.subscribe, connection.status);
}

/** Ends the wait for the next try. */
export function retryLiveConnection(): void {
  connection.retryNow();
}

/**
 * What was read before the rooms were joined may lack events, so everything on screen is read again. Queries with
 * `meta.live: false` hold what no event changes.
 */
async function refetchWhatIsShown(): Promise<void> {
  const underWay = queryClient.getQueryCache().findAll({ predicate: isFirstReading });
  await Promise.all([
    queryClient.invalidateQueries({ predicate: isLive }),
    ...underWay.map(readAgainAfterwards),
  ]);
}

function isLive(query: Query): boolean {
  return query.meta?.["live"] !== false;
}

function isFirstReading(query: Query): boolean {
  return isLive(query) && query.state.fetchStatus === "fetching" && query.state.data === undefined;
}

/** An invalidation begins a first reading not anew, and the server may have answered it before the rooms were joined. */
async function readAgainAfterwards(query: Query): Promise<void> {
  // A failure is the reader's to show.
  await query.promise?.catch(() => undefined);
  await queryClient.invalidateQueries({ queryKey: query.queryKey, exact: true });
}
