import type { BinaryNode, SocketConfig, WASocket } from "baileys";
import {
  Browsers,
  DEFAULT_CONNECTION_CONFIG,
  isJidBroadcast,
  isJidNewsletter,
  makeWASocket,
} from "baileys";
import type { Logger } from "../../platform/logging/logger.ts";
import type { AuthState } from "./auth-state.ts";
import { UnreadableFrame } from "./closing.ts";
import type { Groups } from "./groups.ts";
import type { PlaintextJournal } from "./plaintext-journal.ts";
import type { SentMessages } from "./sent-messages.ts";
import type { WhatsAppWebSettings } from "./settings.ts";
import { signalRepository } from "./signal-repository.ts";
import { socketLog } from "./socket-log.ts";
import type { SessionCaches } from "./ttl-cache.ts";

export type SocketDeps = {
  connectionId: number;
  auth: AuthState;
  journal: PlaintextJournal;
  sent: SentMessages;
  groups: Groups;
  caches: SessionCaches;
  settings: WhatsAppWebSettings;
  log: Logger;
};

/** Opens a connection to the chat service, and to nobody else (channels.md 3). */
export function openSocket(deps: SocketDeps): WASocket {
  const { connectionId, auth, journal, sent, groups, caches, settings, log } = deps;
  const options: Partial<SocketConfig> & Pick<SocketConfig, "auth"> = {
    auth: { creds: auth.creds, keys: auth.keys },
    waWebSocketUrl: settings.socketUrl ?? DEFAULT_CONNECTION_CONFIG.waWebSocketUrl,
    logger: socketLog(log, connectionId),
    // Some accounts refuse to be linked with a name that no browser has.
    browser: Browsers.ubuntu("Chrome"),
    connectTimeoutMs: settings.connectMs,
    defaultQueryTimeoutMs: settings.queryMs,
    ...(settings.codeMs === null ? {} : { qrTimeout: settings.codeMs }),
    // The phone would notify nobody any more.
    markOnlineOnConnect: false,
    syncFullHistory: false,
    // What we send is stored before, and refusals are read from the acks.
    emitOwnEvents: false,
    generateHighQualityLinkPreview: false,
    // The keys insist by themselves.
    transactionOpts: { maxCommitRetries: 1, delayBetweenTriesMs: 0 },
    msgRetryCounterCache: caches.retries,
    userDevicesCache: caches.devices,
    shouldIgnoreJid: (jid) => isJidBroadcast(jid) || isJidNewsletter(jid),
    // A failure would be taken for "sent again".
    getMessage: async ({ id }) =>
      id ? (await auth.insist(() => sent.find(id)))?.message : undefined,
    cachedGroupMetadata: async (jid) => groups.find(jid),
    makeSignalRepository: signalRepository(journal, () => auth.creds.me),
  };
  const socket = makeWASocket(options);
  guardListeners(socket, log, connectionId);
  inOrder(socket, "CB:message", (stanza) => journal.note(stanza));
  return socket;
}

type Listener = (stanza: BinaryNode) => unknown;

/**
 * The library's listeners are asynchronous and an emitter does not wait for them: a failure of theirs would end the
 * whole process. A frame that cannot be read ends this socket, because what follows on it cannot be read either. A
 * stanza that its listener cannot handle is skipped.
 */
function guardListeners(socket: WASocket, log: Logger, connectionId: number): void {
  const { ws } = socket;
  const guard = (event: string, onFailure: (error: unknown) => void) => {
    const listeners = ws.listeners(event) as ((...given: unknown[]) => unknown)[];
    ws.removeAllListeners(event);
    for (const listener of listeners) {
      // Its end is still known to the caller: the next message waits for it (`inOrder`).
      const guarded = (...given: unknown[]): unknown =>
        (async () => listener(...given))().catch(onFailure);
      ws.on(event, guarded);
    }
  };
  guard("message", (error) => {
    // The facts of the error may hold what was read: keys, messages.
    const said = error instanceof Error ? error.message : String(error);
    log.warn({ connectionId, said }, "a frame cannot be read: the session ends");
    void socket.end(new UnreadableFrame(said));
    cutSocket(socket);
  });
  for (const event of ws.eventNames()) {
    if (typeof event !== "string" || !event.startsWith("CB:")) continue;
    guard(event, (error) => {
      log.warn({ connectionId, err: error, event }, "a stanza could not be handled");
    });
  }
}

/**
 * The library looks up who the sender is before it takes its place in the line, so that messages which come close to
 * each other overtake each other. Here the next one is begun when the one before is done; `first` sees it at once.
 */
function inOrder({ ws }: WASocket, event: string, first: (stanza: BinaryNode) => unknown): void {
  // The library's own, which take the stanza and never throw: an emitter does not know it.
  const listeners = ws.listeners(event) as Listener[];
  ws.removeAllListeners(event);
  let line: Promise<unknown> = Promise.resolve();
  ws.on(event, (stanza: BinaryNode) => {
    first(stanza);
    const handle = () => Promise.all(listeners.map((listener) => listener(asLive(stanza))));
    line = line.then(handle, handle);
  });
}

/** What was kept for us goes into a line of the library's own, which live messages overtake: it comes as live. */
function asLive(stanza: BinaryNode): BinaryNode {
  const { offline, ...attrs } = stanza.attrs;
  return offline === undefined ? stanza : { ...stanza, attrs };
}

/**
 * The library tells the service that a receipt was heard before anybody has kept it. Here it hears of one itself only
 * when `first` is done, which never fails; what was not kept before the end is said again to the next session.
 */
export function beforeReceipts({ ws }: WASocket, first: (stanza: BinaryNode) => Promise<void>) {
  const event = "CB:receipt";
  const listeners = ws.listeners(event) as Listener[];
  ws.removeAllListeners(event);
  ws.on(event, (stanza: BinaryNode) => {
    void first(stanza).then(() => Promise.all(listeners.map((listener) => listener(stanza))));
  });
}

/** Ends the connection; the service's agreement is waited for only shortly. */
export async function endSocket(socket: WASocket, endMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<"late">((resolve) => {
    timer = setTimeout(() => resolve("late"), endMs);
  });
  const ended = await Promise.race([socket.end(undefined), patience]);
  clearTimeout(timer);
  if (ended === "late") cutSocket(socket);
}

/** From now on nothing goes out and nothing comes in. */
export function cutSocket(socket: WASocket): void {
  // Closed to other classes, and the only way to be rid of a peer that is silent.
  const { socket: raw } = socket.ws as unknown as { socket: { terminate(): void } | null };
  raw?.terminate();
}
