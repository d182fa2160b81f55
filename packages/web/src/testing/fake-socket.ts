import { clientEvents } from "@balcao/contract/event-names";

/** A fake of the client library's socket; the test is the server. */
export function createFakeSocket() {
  const listeners = new Map<string, (...args: never[]) => void>();
  return {
    /** The emitted events, in order. */
    sent: [] as unknown[][],
    isOpen: false,
    /** Whether checks of a quiet line are answered; those are not in `sent`. */
    isAlive: true,
    connect() {
      this.isOpen = true;
    },
    disconnect() {
      this.isOpen = false;
    },
    emit(...message: unknown[]) {
      if (message[0] !== clientEvents.heartbeat) this.sent.push(message);
      else if (this.isAlive) this.receive("heard");
    },
    on(event: string, listener: (...args: never[]) => void) {
      listeners.set(event, listener);
    },
    removeAllListeners() {
      listeners.clear();
    },
    /** Delivers an event of the server or of the library. */
    receive(event: string, payload?: unknown) {
      const listener = listeners.get(event);
      if (listener) Reflect.apply(listener, undefined, [payload]);
    },
  };
}

export type FakeSocket = ReturnType<typeof createFakeSocket>;
