import type { Connection, ConnectionHealth, Queue, RequestOf } from "@balcao/contract";
import { useQuery } from "@tanstack/react-query";
import { call } from "../../api/client.ts";
import type { Pages } from "../../api/use-pages.ts";
import { usePages } from "../../api/use-pages.ts";
import { refreshConnections, removeConnection, writeConnection } from "./live-connections.ts";

/** What is set of a connection. */
export type ConnectionBody = RequestOf<"POST /whatsapp">["body"];

/** Saves a new connection (`id` null) or changes a known one; it is on every screen at once. */
export async function saveConnection(id: number | null, body: ConnectionBody): Promise<Connection> {
  const saved =
    id === null
      ? await call("POST /whatsapp", { body })
      : await call("PUT /whatsapp/:connectionId", { params: { connectionId: id }, body });
  writeConnection(saved);
  // A former default has changed as well.
  refreshConnections();
  return saved;
}

export async function deleteConnection(id: number): Promise<void> {
  await call("DELETE /whatsapp/:connectionId", { params: { connectionId: id } });
  removeConnection(id);
  refreshConnections();
}

/** Drops the link with the phone and asks for a new one: by a code to scan, or with a phone's digits by one to type. */
export async function startNewLink(id: number, pairingPhone?: string): Promise<void> {
  const body = pairingPhone === undefined ? {} : { pairingPhone };
  await call("PUT /whatsappsession/:connectionId", { params: { connectionId: id }, body });
  refreshConnections();
}

export async function disconnect(id: number): Promise<void> {
  await call("DELETE /whatsappsession/:connectionId", { params: { connectionId: id } });
  refreshConnections();
}

export async function restartAll(): Promise<void> {
  await call("POST /whatsapp-restart", {});
  refreshConnections();
}

/** The company's queues; undefined while unknown. */
export function useQueues(): readonly Queue[] | undefined {
  const { data } = useQuery({
    queryKey: ["queues"],
    queryFn: ({ signal }) => call("GET /queue", {}, { signal }),
  });
  return data;
}

/** How often the table over all companies is read again: no event tells of other companies. */
const HEALTH_REFRESH_MS = 30_000;

/** Connections of all companies whose name or company's name has the words, those in trouble first. */
export function useConnectionHealth(words: string): Pages<ConnectionHealth> {
  return usePages(
    ["connections-health", words],
    async (pageNumber, signal) => {
      const query = { searchParam: words, pageNumber };
      const reply = await call("GET /connections-health", { query }, { signal });
      return { rows: reply.connections, count: reply.count, hasMore: reply.hasMore };
    },
    ({ id }) => id,
    { refetchInterval: HEALTH_REFRESH_MS },
  );
}
