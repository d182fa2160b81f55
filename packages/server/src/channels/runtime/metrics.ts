import type { ConnectionId, ConnectionStatus } from "@balcao/contract";
import type { CloseReason } from "../port.ts";

/** Counters that the composition root connects to its metrics; all optional work is its own. */
export type ChannelMetrics = {
  /** An event was handled, will be tried again, or was given up after its last try. */
  inbound(result: "handled" | "retried" | "given-up"): void;
  /** A send ended: on its way, put back for another try, or over without success. */
  outbound(result: "sent" | "retried" | "failed"): void;
  /** A file of a message was fetched, will be tried again, or was given up. */
  file(result: "stored" | "retried" | "given-up"): void;
  /** A session ended by itself. */
  closed(reason: CloseReason): void;
};

export const noMetrics: ChannelMetrics = {
  inbound: () => undefined,
  outbound: () => undefined,
  file: () => undefined,
  closed: () => undefined,
};

/** What a connection has done since this process owns it. */
export type ConnectionFigures = {
  connectionId: ConnectionId;
  status: ConnectionStatus;
  /** Events handled, and messages handed to the network. */
  received: number;
  sent: number;
  /** Sessions that were started again by themselves. */
  reconnects: number;
  /** How long the oldest message that waits has been due; null for none. */
  sendLagSeconds: number | null;
};
