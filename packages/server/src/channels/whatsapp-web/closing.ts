import type { WASocket } from "baileys";
import type { Logger } from "../../platform/logging/logger.ts";
import type { CloseReason } from "../port.ts";
import { within } from "../runtime/concurrency.ts";

/** The socket ended because a frame of the service could not be decrypted or decoded. */
export class UnreadableFrame extends Error {}

/** How a socket ended: the facts that decide the reason. */
type SocketEnd = {
  /** The service's code, or Baileys' own code if the service sent none. */
  code: number | undefined;
  message: string;
  /** A frame could not be decrypted or decoded. */
  isUnreadable: boolean;
  /** The kind of conflict reported by the service: `replaced`, `device_removed`. */
  conflict: string | undefined;
};

const byCode: Record<number, CloseReason> = {
  401: "logged-out",
  403: "banned",
  405: "outdated",
  408: "network",
  // Our credentials belong to an older kind of link and are useless now.
  411: "logged-out",
  419: "banned",
  428: "network",
  440: "replaced",
  515: "restart",
};

/** Before we are linked, these answer the attempt to link. */
const refusals = new Set<CloseReason>(["logged-out", "banned"]);

/** The reason for the end of a socket (channels.md 3, "Close code → action"). */
export function closeReason(end: SocketEnd, { isLinked }: { isLinked: boolean }): CloseReason {
  const reason = reasonOf(end);
  return !isLinked && refusals.has(reason) ? "link-refused" : reason;
}

function reasonOf({ code, message, isUnreadable, conflict }: SocketEnd): CloseReason {
  if (isUnreadable) return "unreadable";
  // An HTTP answer to the connection comes from a proxy in front of the service.
  if (message.startsWith("WebSocket Error"))
    return /\b5\d\d\b/.test(message) ? "service" : "network";
  if (/account signature/.test(message)) return "link-refused";
  if (code === 408 && /QR refs/.test(message)) return "qr-expired";
  if (code === 440 && conflict === "device_removed") return "logged-out";
  if (code === 400 && /certific/.test(message)) return "untrusted";
  return (code === undefined ? undefined : byCode[code]) ?? "service";
}

/** The facts that Baileys reports with `connection: "close"`. */
export function socketEnd(error: unknown): SocketEnd {
  const boom = asRecord(error);
  const code = asRecord(boom["output"])["statusCode"];
  const conflict = asRecord(asRecord(boom["data"])["attrs"])["type"];
  return {
    code: typeof code === "number" ? code : undefined,
    message: error instanceof Error ? error.message : "",
    isUnreadable: error instanceof UnreadableFrame,
    conflict: typeof conflict === "string" ? conflict : undefined,
  };
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

/** Ends the connection, and cuts it when the service does not agree within `endMs`. */
export async function endSocket(socket: WASocket, endMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<"late">((resolve) => {
    timer = setTimeout(() => resolve("late"), endMs);
  });
  const ended = await Promise.race([socket.end(undefined), late]);
  clearTimeout(timer);
  if (ended === "late") cutSocket(socket);
}

/** Cuts the connection at once. */
export function cutSocket(socket: WASocket): void {
  // Private in the library, but there is no other way to drop a silent peer.
  const { socket: raw } = socket.ws as unknown as { socket: { terminate(): void } | null };
  raw?.terminate();
}

/** Sends the logout stanza if the service can be reached in time, then closes the connection. */
export async function logOut(
  socket: WASocket,
  { logoutMs, endMs }: { logoutMs: number; endMs: number },
  log: Logger,
): Promise<void> {
  try {
    const loggedOut = untilOpen(socket).then(() => socket.logout());
    await within(logoutMs, loggedOut);
  } catch (error) {
    // The phone still shows the link and can remove it.
    log.warn({ err: error }, "the service was not told that a connection is unlinked");
  } finally {
    await endSocket(socket, endMs);
  }
}

/** Rejects when the connection closes instead. */
function untilOpen(socket: WASocket): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.ev.on("connection.update", ({ connection, lastDisconnect }) => {
      if (connection === "open") resolve();
      if (connection === "close") reject(lastDisconnect?.error ?? new Error("closed"));
    });
  });
}
