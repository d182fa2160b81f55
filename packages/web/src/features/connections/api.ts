import type { Connection, ConnectionSession, RequestOf } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { call } from "../../api/client.ts";
import { liveList } from "../../realtime/live-list.ts";

/** The connections of the company with their live statuses. */
export const connectionList = liveList<Connection, number>({
  key: ["connections"],
  read: (signal) => call("GET /whatsapp", {}, { signal }),
  identify: ({ id }) => id,
  merge: newer,
})
  .follow("whatsapp", (event) =>
    event.action === "delete" ? { removedId: event.whatsappId } : { row: event.whatsapp },
  )
  .follow("whatsappSession", ({ session }) => ({
    id: session.id,
    change: (known) => withSession(known, session),
  }));

/** A connection of the company with its live status; undefined while unknown or when it is gone. */
export function useConnection(connectionId: number | null): Connection | undefined {
  const connections = useConnections({ enabled: connectionId !== null });
  return connections.find((connection) => connection.id === connectionId);
}

/** The connections of the company with their live statuses; none while unknown. */
export function useConnections(
  options: { enabled: boolean } = { enabled: true },
): readonly Connection[] {
  return useQuery({ ...connectionList.query, enabled: options.enabled }).data ?? [];
}

/** True once a connection has been lost for the warning delay: short breaks are not shown (spec 4). */
export function useIsDown(connection: Connection | undefined): boolean {
  return useLasts(connection && connection.status !== "CONNECTED" ? connection.id : null);
}

/** True once any connection of the company has been lost for that long. */
export function useIsAnyDown(): boolean {
  const isDown = useConnections().some(({ status }) => status !== "CONNECTED");
  return useLasts(isDown ? "down" : null);
}

/** True once the same problem has lasted for the warning delay; null is no problem. */
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

/** Restarts a connection with its present link. */
export function useReconnect() {
  return useMutation({
    mutationFn: (connectionId: number) => startSession(connectionId),
  });
}

export async function startSession(connectionId: number): Promise<void> {
  await call("POST /whatsappsession/:connectionId", { params: { connectionId } });
}

function withSession(known: Connection, session: ConnectionSession): Connection {
  if (isOlder(session, known)) return known;
  return {
    ...known,
    ...session,
    qrcode: session.qrcode ?? known.qrcode,
    pairingCode: session.pairingCode ?? known.pairingCode,
  };
}

/** The reply of a change can arrive after later events of the session; then the session's fields of the events stay. */
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

export type ConnectionBody = RequestOf<"POST /whatsapp">["body"];

/** Saves a new (`id` null) or known connection. */
export async function saveConnection(id: number | null, body: ConnectionBody): Promise<Connection> {
  const saved =
    id === null
      ? await call("POST /whatsapp", { body })
      : await call("PUT /whatsapp/:connectionId", { params: { connectionId: id }, body });
  connectionList.apply({ row: saved });
  // A former default has changed as well.
  connectionList.readAgain();
  return saved;
}

export async function deleteConnection(id: number): Promise<void> {
  await call("DELETE /whatsapp/:connectionId", { params: { connectionId: id } });
  connectionList.apply({ removedId: id });
  connectionList.readAgain();
}

/** Drops the link with the phone and requests a new code: one to scan, or with `pairingPhone` one to type. */
export async function startNewLink(id: number, pairingPhone?: string): Promise<void> {
  const body = pairingPhone === undefined ? {} : { pairingPhone };
  await call("PUT /whatsappsession/:connectionId", { params: { connectionId: id }, body });
  connectionList.readAgain();
}

export async function disconnect(id: number): Promise<void> {
  await call("DELETE /whatsappsession/:connectionId", { params: { connectionId: id } });
  connectionList.readAgain();
}

export async function restartAll(): Promise<void> {
  await call("POST /whatsapp-restart", {});
  connectionList.readAgain();
}
