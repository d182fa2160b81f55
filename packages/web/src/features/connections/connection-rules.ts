import type { ChannelKind, ConnectionStatus } from "@balcao/contract";

/** What can be done with a connection's session; `connecting` is only shown. */
export type SessionAction = "qr" | "tryAgain" | "newQr" | "disconnect" | "connecting";

/** The buttons of each status (spec 4). */
const actionsByStatus: Readonly<Record<ConnectionStatus, readonly SessionAction[]>> = {
  qrcode: ["qr"],
  DISCONNECTED: ["tryAgain", "newQr"],
  CONNECTED: ["disconnect"],
  PAIRING: ["disconnect"],
  TIMEOUT: ["disconnect"],
  OPENING: ["connecting"],
};

/** The buttons of a connection. The official API has no code to scan. */
export function sessionActions(status: ConnectionStatus, channel: ChannelKind): SessionAction[] {
  return actionsByStatus[status].filter((action) => action !== "newQr" || isLinkedByPhone(channel));
}

/** Whether a phone is linked to it, by a code. */
export function isLinkedByPhone(channel: ChannelKind): boolean {
  return channel !== "cloud-api";
}

const closeReasons = [
  "logged-out",
  "replaced",
  "network",
  "service",
  "unreadable",
  "restart",
  "qr-expired",
  "link-refused",
  "banned",
  "outdated",
  "untrusted",
  "auth",
  "stopped",
] as const;
type CloseReason = (typeof closeReasons)[number];

/** The text of why a connection is away; a reason that this version does not know is "unknown". */
export function reasonKey(
  closeReason: string | null,
): `connections.reasons.${CloseReason | "unknown"}` {
  const known = closeReasons.find((reason) => reason === closeReason);
  return `connections.reasons.${known ?? "unknown"}`;
}
