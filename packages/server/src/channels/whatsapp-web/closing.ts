import type { CloseReason } from "../port.ts";

/** The socket ended because a frame of the service could not be decrypted or decoded. */
export class UnreadableFrame extends Error {}

/** How a socket ended, as far as the decision depends on it. */
export type SocketEnd = {
  /** Of the service, or of Baileys where the service named none. */
  code: number | undefined;
  message: string;
  /** A frame could not be decrypted or decoded. */
  isUnreadable: boolean;
  /** What kind of conflict the service named: `replaced`, `device_removed`. */
  conflict: string | undefined;
};

const byCode: Record<number, CloseReason> = {
  401: "logged-out",
  403: "banned",
  405: "outdated",
  408: "network",
  // Our credentials are of an older kind of link: they are of no use any more.
  411: "logged-out",
  419: "banned",
  428: "network",
  440: "replaced",
  515: "restart",
};

/** As long as nobody linked us, these are the answer to the attempt. */
const refusals = new Set<CloseReason>(["logged-out", "banned"]);

/** What the end of a socket means (channels.md 3, "Close code → action"). */
export function closeReason(end: SocketEnd, { isLinked }: { isLinked: boolean }): CloseReason {
  const reason = reasonOf(end);
  return !isLinked && refusals.has(reason) ? "link-refused" : reason;
}

function reasonOf({ code, message, isUnreadable, conflict }: SocketEnd): CloseReason {
  if (isUnreadable) return "unreadable";
  // An HTTP answer to the connection itself comes from whatever stands before the service.
  if (message.startsWith("WebSocket Error"))
    return /\b5\d\d\b/.test(message) ? "service" : "network";
  if (/account signature/.test(message)) return "link-refused";
  if (code === 408 && /QR refs/.test(message)) return "qr-expired";
  if (code === 440 && conflict === "device_removed") return "logged-out";
  if (code === 400 && /certific/.test(message)) return "untrusted";
  return (code === undefined ? undefined : byCode[code]) ?? "service";
}

/** The facts of what Baileys reports at `connection: "close"`. */
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
