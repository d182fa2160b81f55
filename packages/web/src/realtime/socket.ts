/** One connection to the live channel, without reconnection. */
export type LiveSocket = {
  connect: () => void;
  disconnect: () => void;
  emit: (event: string, ...values: unknown[]) => void;
  /**
   * Events of the server, and four of the channel: `connect`; `connect_error`, with the server's reason as message if it
   * refused; `disconnect`, with "io server disconnect" if the server ended it; `heard` at each packet, before its event.
   */
  on: (event: string, listener: (...values: never[]) => void) => void;
  removeAllListeners: () => void;
};

/** The server's first packet: the interval of its pings, and how late one may be. */
type Opening = { pingInterval: number; pingTimeout: number };

/**
 * Implements the part of Socket.IO 5 over WebSocket that the wire contract uses: one namespace, JSON, no acknowledgements.
 * The library has six times as much code, which the first page would wait for. `token` is read at the handshake.
 */
export function openSocket(token: () => string | null): LiveSocket {
  const listeners = new Map<string, ((...values: never[]) => void)[]>();
  let line: WebSocket | null = null;
  let isConnected = false;
  let silence: ReturnType<typeof setTimeout> | undefined;
  let silenceMs = 0;

  function tell(event: string, ...values: unknown[]): void {
    for (const listener of listeners.get(event) ?? []) Reflect.apply(listener, undefined, values);
  }

  function end(reason: string): void {
    if (!line) return;
    const wasConnected = isConnected;
    close();
    if (wasConnected) tell("disconnect", reason);
    else tell("connect_error", new Error(reason));
  }

  function close(): void {
    clearTimeout(silence);
    const closed = line;
    line = null;
    isConnected = false;
    closed?.close();
  }

  function waitForSign(): void {
    clearTimeout(silence);
    silence = setTimeout(() => end("ping timeout"), silenceMs);
  }

  function hear(packet: string): void {
    tell("heard");
    const content = packet.slice(packet.startsWith("4") ? 2 : 1);
    switch (packet.slice(0, packet.startsWith("4") ? 2 : 1)) {
      case "0": {
        const { pingInterval, pingTimeout }: Opening = JSON.parse(content);
        silenceMs = pingInterval + pingTimeout;
        waitForSign();
        line?.send(`40${JSON.stringify({ token: token() })}`);
        return;
      }
      case "2":
        line?.send("3");
        return waitForSign();
      case "40":
        isConnected = true;
        return tell("connect");
      case "41":
        return end("io server disconnect");
      case "42": {
        const [event, ...values]: [string, ...unknown[]] = JSON.parse(content);
        return tell(event, ...values);
      }
      case "44": {
        const { message }: { message: string } = JSON.parse(content);
        return end(message);
      }
      default:
        return end("transport close");
    }
  }

  return {
    connect() {
      const address = new URL("/socket.io/?EIO=4&transport=websocket", window.location.href);
      address.protocol = address.protocol.replace("http", "ws");
      const opened = new WebSocket(address);
      line = opened;
      opened.addEventListener("message", ({ data }: MessageEvent<unknown>) => {
        if (line === opened) hear(String(data));
      });
      opened.addEventListener("close", () => {
        if (line === opened) end("transport close");
      });
    },
    disconnect() {
      if (isConnected) line?.send("41");
      close();
    },
    emit(event, ...values) {
      if (isConnected) line?.send(`42${JSON.stringify([event, ...values])}`);
    },
    on(event, listener) {
      listeners.set(event, [...(listeners.get(event) ?? []), listener]);
    },
    removeAllListeners() {
      listeners.clear();
    },
  };
}
