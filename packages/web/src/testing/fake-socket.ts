/** The client library's socket, with the test as its server. */
export function createFakeSocket() {
  const listeners = new Map<string, (...args: never[]) => void>();
  return {
    /** What was emitted, in order. */
    sent: [] as unknown[][],
    isOpen: false,
    connect() {
      this.isOpen = true;
    },
    disconnect() {
      this.isOpen = false;
    },
    emit(...message: unknown[]) {
      this.sent.push(message);
    },
    on(event: string, listener: (...args: never[]) => void) {
      listeners.set(event, listener);
    },
    removeAllListeners() {
      listeners.clear();
    },
    /** Something comes from the server, or from the library itself. */
    receive(event: string, payload?: unknown) {
      const listener = listeners.get(event);
      if (listener) Reflect.apply(listener, undefined, [payload]);
    },
  };
}

export type FakeSocket = ReturnType<typeof createFakeSocket>;
