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
  useCompanyEvent("whatsappSession", ({ session }) => batchPerFrame(() => writeSession(session)));
  useCompanyEvent("whatsapp", (event) =>
    batchPerFrame(() => {
      if (event.action === "delete") removeConnection(event.whatsappId);
      else writeConnection(event.whatsapp);
    }),
  );
  const { data } = useQuery({
    queryKey: connectionsKey,
    queryFn: ({ signal }) => call("GET /whatsapp", {}, { signal }),
    enabled: options.enabled,
  });
  return data ?? [];
}

/** Whether a connection has been down long enough to say so: short breaks are no news (spec 4). */
export function useIsDown(connection: Connection | undefined): boolean {
  const downId = connection && connection.status !== "CONNECTED" ? connection.id : null;
  const [announcedId, setAnnouncedId] = useState<number | null>(null);
  useEffect(() => {
    if (downId === null) return undefined;
    const timer = setTimeout(() => setAnnouncedId(downId), limits.connectionWarningDelayMs);
    return () => {
      clearTimeout(timer);
      setAnnouncedId(null);
    };
  }, [downId]);
  return downId !== null && announcedId === downId;
}

/** Starts a connection again with the link it has. */
export function useReconnect() {
  return useMutation({
    mutationFn: (connectionId: number) =>
      call("POST /whatsappsession/:connectionId", { params: { connectionId } }),
  });
}

function writeSession(session: ConnectionSession): void {
  change((connections) =>
    connections.map((connection) =>
      connection.id === session.id
        ? { ...connection, ...session, qrcode: session.qrcode ?? connection.qrcode }
        : connection,
    ),
  );
}

function writeConnection(incoming: Connection): void {
  change((connections) => {
    const others = connections.filter((connection) => connection.id !== incoming.id);
    return [...others, incoming];
  });
}

function removeConnection(connectionId: number): void {
  change((connections) => connections.filter((connection) => connection.id !== connectionId));
}

function change(make: (connections: Connection[]) => Connection[]): void {
  queryClient.setQueryData<Connection[]>(connectionsKey, (connections) =>
    connections ? make(connections) : connections,
  );
}
