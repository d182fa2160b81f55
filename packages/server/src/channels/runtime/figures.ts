import type { ConnectionId, ConnectionStatus } from "@balcao/contract";
import type { ChannelMetrics, ConnectionFigures } from "./metrics.ts";

/** Counts what one connection does beside what its process counts. */
export class FiguresOfConnection {
  /** As people see it. */
  status: ConnectionStatus = "OPENING";
  reconnects = 0;
  sendLagSeconds: number | null = null;
  #received = 0;
  #sent = 0;

  /** The process's counters, which count for the connection as well. */
  beside(metrics: ChannelMetrics): ChannelMetrics {
    return {
      ...metrics,
      inbound: (result) => {
        if (result === "handled") this.#received += 1;
        metrics.inbound(result);
      },
      outbound: (result) => {
        if (result === "sent") this.#sent += 1;
        metrics.outbound(result);
      },
    };
  }

  read(connectionId: ConnectionId): ConnectionFigures {
    const { status, reconnects, sendLagSeconds } = this;
    const [received, sent] = [this.#received, this.#sent];
    return { connectionId, status, received, sent, reconnects, sendLagSeconds };
  }
}
