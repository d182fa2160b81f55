import type { Connection, ConnectionSession } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { call } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { batchPerFrame, useCompanyEvent } from "../../realtime/index.ts";

const connectionsKey = ["connections"] as const;

/** A connection of the company with its live status; undefined while unknown or when it is gone. */
export function useConnection(connectionId: number | null): Connection | undefined {
  const connections = useConnections({ enabled: connectionId !== null });
  return connections.find((connection) => connection.id === connectionId);
}

/** The connections of the company with their live statuses; none while unknown. */
export function useConnections(
  options: { enabled: boolean } = { enabled: true },
): readonly Connection[] {
  return useConnectionsQuery(options).data ?? [];
}

/** The same with what became of reading them. */
export function useConnectionsQuery(options: { enabled: boolean } = { enabled: true }) {
  useCompanyEvent("whatsappSession", ({ session }) => batchPerFrame(() => writeSession(session)));
  useCompanyEvent("whatsapp", (event) =>
    batchPerFrame(() => {
      if (event.action === "delete") removeConnection(event.whatsappId);
      else writeConnection(event.whatsapp);
    }),
  );
  return useQuery({
    queryKey: connectionsKey,
    queryFn: async ({ signal }) => readConnections(await call("GET /whatsapp", {}, { signal })),
    enabled: options.enabled,
  });
}

/** Whether a connection has been down long enough to say so: short breaks are no news (spec 4). */
export function useIsDown(connection: Connection | undefined): boolean {
  return useLasts(connection && connection.status !== "CONNECTED" ? connection.id : null);
}

/** Whether any connection of the company has been down for that long. */
export function useIsAnyDown(): boolean {
  const isDown = useConnections().some(({ status }) => status !== "CONNECTED");
  return useLasts(isDown ? "down" : null);
}

/** Whether the same trouble has lasted for the time after which it is said; null is no trouble. */
function useLasts(trouble: string | number | null): boolean {
  const [announced, setAnnounced] = useState<string | number | null>(null);
  useEffect(() => {
    if (trouble === null) return undefined;
    const timer = setTimeout(() => setAnnounced(trouble), limits.connectionWarningDelayMs);
    return () => {
      clearTimeout(timer);
      setAnnounced(null);
    };
  }, [trouble]);
  return trouble !== null && announced === trouble;
}

/** Starts a connection again with the link it has. */
export function useReconnect() {
  return useMutation({
    mutationFn: (connectionId: number) => startSession(connectionId),
  });
}

export async function startSession(connectionId: number): Promise<void> {
  await call("POST /whatsappsession/:connectionId", { params: { connectionId } });
}

/** Reads the connections again, for what no event may have told. */
export function refreshConnections(): void {
  void queryClient.invalidateQueries({ queryKey: connectionsKey });
}

function writeSession(session: ConnectionSession): void {
  change((connections) =>
    connections.map((connection) =>
      connection.id === session.id && !isOlder(session, connection)
        ? {
            ...connection,
            ...session,
            qrcode: session.qrcode ?? connection.qrcode,
            pairingCode: session.pairingCode ?? connection.pairingCode,
          }
        : connection,
    ),
  );
}

/** Puts a connection as the server has it now onto every screen; a known one keeps its place. */
export function writeConnection(incoming: Connection): void {
  change((connections) =>
    connections.some(({ id }) => id === incoming.id)
      ? connections.map((known) => (known.id === incoming.id ? newer(known, incoming) : known))
      : [...connections, incoming],
  );
}

/** The list as the server has read it, with what events have said since. */
export function readConnections(reply: readonly Connection[]): Connection[] {
  const known = queryClient.getQueryData<Connection[]>(connectionsKey) ?? [];
  return reply.map((incoming) => {
    const shown = known.find(({ id }) => id === incoming.id);
    return shown ? newer(shown, incoming) : incoming;
  });
}

/** The reply of a change can come after the events of what the change began: these say more of the session. */
function newer(known: Connection, incoming: Connection): Connection {
  if (!isOlder(incoming, known)) return incoming;
  const { status, qrcode, pairingCode, retries, number, closeReason, updatedAt } = known;
  const { connectedAt, disconnectedAt, alarmedAt } = known;
  return {
    ...incoming,
    ...{ status, qrcode, pairingCode, retries, number, closeReason, updatedAt },
    ...{ connectedAt, disconnectedAt, alarmedAt },
  };
}

function isOlder(one: { updatedAt: string }, other: { updatedAt: string }): boolean {
  return one.updatedAt < other.updatedAt;
}

/** Takes a connection that is gone off every screen. */
export function removeConnection(connectionId: number): void {
  change((connections) => connections.filter((connection) => connection.id !== connectionId));
}

function change(make: (connections: Connection[]) => Connection[]): void {
  queryClient.setQueryData<Connection[]>(connectionsKey, (connections) =>
    connections ? make(connections) : connections,
  );
}
