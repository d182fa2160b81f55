import type { ConnectionId } from "@balcao/contract";
import type {
  ChannelAdapter,
  ChatProvider,
  EventSink,
  InboundMessage,
} from "@balcao/server/src/channels/port.ts";

/** A chat network without a network: connections are there at once, and what the benchmark says arrives. */
export type LoadNetwork = {
  adapter: ChannelAdapter;
  /** Where messages for a connection are handed over; rejects when it does not come up in time. */
  sinkOf(connectionId: ConnectionId): Promise<EventSink>;
};

const PATIENCE_MS = 20_000;

/** A provider as the port wants it, with no work of its own: what is measured is the product. */
export function createLoadNetwork(): LoadNetwork {
  const sinks = new Map<ConnectionId, PromiseWithResolvers<EventSink>>();
  const entryOf = (connectionId: ConnectionId): PromiseWithResolvers<EventSink> => {
    const entry = sinks.get(connectionId) ?? Promise.withResolvers<EventSink>();
    sinks.set(connectionId, entry);
    return entry;
  };

  return {
    adapter: {
      createProvider: ({ connectionId, sink }): ChatProvider => ({
        capabilities: {
          qr: false,
          pairingCode: false,
          presence: false,
          edit: false,
          revoke: false,
          react: false,
          numberCheck: false,
          profilePicture: false,
          groups: false,
          templates: false,
          freeTextWindowHours: null,
          clientMessageId: true,
          resends: 0,
        },
        async start() {
          await sink.tell({ type: "state", status: "CONNECTED" });
          entryOf(connectionId).resolve(sink);
        },
        stop: async () => undefined,
        unlink: async () => undefined,
        send: async () => ({ result: "accepted" }),
        openMedia: () => Promise.reject(new Error("no files here")),
        checkNumbers: async (numbers) =>
          numbers.map((asked) => ({ asked, exists: true, number: asked })),
        refuseCall: async () => undefined,
        markRead: async () => undefined,
        setTyping: async () => undefined,
        profilePicture: async () => null,
        isIdle: async () => true,
      }),
    },
    async sinkOf(connectionId) {
      const limit = setTimeout(() => {
        entryOf(connectionId).reject(new Error(`connection ${connectionId} did not come up`));
      }, PATIENCE_MS);
      const sink = await entryOf(connectionId).promise;
      clearTimeout(limit);
      return sink;
    },
  };
}

/** A customer's text, as an adapter would report it. */
export function textFrom(phone: string, providerId: string, text: string): InboundMessage {
  return {
    type: "message",
    ref: { chat: { kind: "pn", value: phone }, id: providerId, fromMe: false },
    from: { addresses: [{ kind: "pn", value: phone }], displayName: `Cliente ${phone.slice(-4)}` },
    at: new Date(),
    origin: "live",
    content: { kind: "text", text },
  };
}
