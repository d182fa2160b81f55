/** Counters that the composition root connects to its metrics; all optional work is its own. */
export type ChannelMetrics = {
  /** An event was handled, will be tried again, or was given up after its last try. */
  inbound(result: "handled" | "retried" | "given-up"): void;
  /** A send ended: on its way, put back for another try, or over without success. */
  outbound(result: "sent" | "retried" | "failed"): void;
  /** A file of a message was fetched, will be tried again, or was given up. */
  file(result: "stored" | "retried" | "given-up"): void;
};

export const noMetrics: ChannelMetrics = {
  inbound: () => undefined,
  outbound: () => undefined,
  file: () => undefined,
};
