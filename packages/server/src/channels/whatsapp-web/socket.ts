import type { BinaryNode, proto, SocketConfig, WASocket } from "baileys";
import {
  Browsers,
  DEFAULT_CONNECTION_CONFIG,
  isJidBroadcast,
  isJidNewsletter,
  makeWASocket,
} from "baileys";
import type { Logger } from "../../platform/logging/logger.ts";
import type { AuthState } from "./auth-state.ts";
import { cutSocket, UnreadableFrame } from "./closing.ts";
import type { PlaintextJournal } from "./plaintext-journal.ts";
import type { Groups } from "./queries.ts";
import { signalRepository } from "./signal-repository.ts";

/** Times and addresses of the adapter; tests shorten the times. */
export type WhatsAppWebSettings = {
  /** The chat service's address; null for the default. */
  socketUrl: string | null;
  /** Public key (hex) that signs the service's certificates; null for the service's own. */
  rootKey: string | null;
  /** An additional host (with port) from which files may be fetched. */
  mediaHost: string | null;
  /** Codes shown before the session gives up. */
  codes: number;
  /** How long each code is shown; null for the service's own times. */
  codeMs: number | null;
  connectMs: number;
  queryMs: number;
  /** Time limit for the upload of a file to one host. */
  uploadMs: number;
  /** Time limit for the unlink request to the service. */
  logoutMs: number;
  /** A message that cannot be decrypted gets a placeholder after this wait. */
  pendingMs: number;
  /** Longest wait for the service to confirm the end of a connection. */
  endMs: number;
};

export const defaultWhatsAppWebSettings: WhatsAppWebSettings = {
  socketUrl: null,
  rootKey: null,
  mediaHost: null,
  codes: 3,
  codeMs: null,
  connectMs: 25_000,
  queryMs: 20_000,
  uploadMs: 4 * 60_000,
  logoutMs: 10_000,
  pendingMs: 10_000,
  endMs: 2_000,
};

/** A cache as the library wants it. Beyond the limit the oldest entries go first. */
class TtlCache {
  readonly #entries = new Map<string, { value: unknown; untilMs: number }>();
  readonly #ttlMs: number;
  readonly #limit: number;

  constructor({ ttlMs, limit }: { ttlMs: number; limit: number }) {
    this.#ttlMs = ttlMs;
    this.#limit = limit;
  }

  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- as the library calls it
  get<T>(key: string): T | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    // The library reads the type that it has written under this key.
    if (entry.untilMs > performance.now()) return entry.value as T;
    this.#entries.delete(key);
    return undefined;
  }

  set(key: string, value: unknown): void {
    this.#entries.delete(key);
    this.#entries.set(key, { value, untilMs: performance.now() + this.#ttlMs });
    if (this.#entries.size <= this.#limit) return;
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined) this.#entries.delete(oldest);
  }

  del(key: string): void {
    this.#entries.delete(key);
  }

  flushAll(): void {
    this.#entries.clear();
  }
}

/** Caches that the sessions of a connection share. */
export type SessionCaches = { retries: TtlCache; devices: TtlCache };

export function newSessionCaches(): SessionCaches {
  return {
    retries: new TtlCache({ ttlMs: 60 * 60_000, limit: 1_000 }),
    devices: new TtlCache({ ttlMs: 5 * 60_000, limit: 1_000 }),
  };
}

type LogMethod = (facts: unknown, message?: string) => void;
type SocketLog = {
  level: string;
  child: () => SocketLog;
  trace: LogMethod;
  debug: LogMethod;
  info: LogMethod;
  warn: LogMethod;
  error: LogMethod;
};

const ignore: LogMethod = () => undefined;

export const silentLog: SocketLog = {
  level: "silent",
  child: () => silentLog,
  trace: ignore,
  debug: ignore,
  info: ignore,
  warn: ignore,
  error: ignore,
};

/** Logs the library's warnings without their data, which contains whole stanzas, messages and keys. */
function socketLog(log: Logger, connectionId: number): SocketLog {
  const warn: LogMethod = (facts, message) => {
    const text = message ?? (typeof facts === "string" ? facts : "");
    log.debug({ connectionId, text: text.slice(0, 200) }, "a warning of the WhatsApp library");
  };
  const self: SocketLog = { ...silentLog, level: "warn", child: () => self, warn, error: warn };
  return self;
}

type SocketDeps = {
  connectionId: number;
  auth: AuthState;
  journal: PlaintextJournal;
  /** A message that was sent before, for a contact whose phone asks for it again. */
  findSent: (id: string) => Promise<{ message: proto.IMessage } | null>;
  groups: Groups;
  caches: SessionCaches;
  settings: WhatsAppWebSettings;
  log: Logger;
};

/** Opens a connection to the chat service and to no other host (channels.md 3). */
export function openSocket(deps: SocketDeps): WASocket {
  const { connectionId, auth, journal, groups, findSent, caches, settings, log } = deps;
  const options: Partial<SocketConfig> & Pick<SocketConfig, "auth"> = {
    auth: { creds: auth.creds, keys: auth.keys },
    waWebSocketUrl: settings.socketUrl ?? DEFAULT_CONNECTION_CONFIG.waWebSocketUrl,
    logger: socketLog(log, connectionId),
    // Some accounts refuse to be linked with an unknown browser name.
    browser: Browsers.ubuntu("Chrome"),
    connectTimeoutMs: settings.connectMs,
    defaultQueryTimeoutMs: settings.queryMs,
    ...(settings.codeMs === null ? {} : { qrTimeout: settings.codeMs }),
    // Otherwise the phone stops its notifications.
    markOnlineOnConnect: false,
    syncFullHistory: false,
    // Sent messages are stored before, and refusals are read from the acks.
    emitOwnEvents: false,
    generateHighQualityLinkPreview: false,
    // AuthState retries by itself.
    transactionOpts: { maxCommitRetries: 1, delayBetweenTriesMs: 0 },
    msgRetryCounterCache: caches.retries,
    userDevicesCache: caches.devices,
    shouldIgnoreJid: (jid) => isJidBroadcast(jid) || isJidNewsletter(jid),
    // The library would treat a failure as a repeated message.
    getMessage: async ({ id }) =>
      id ? (await auth.insist(() => findSent(id)))?.message : undefined,
    cachedGroupMetadata: async (jid) => groups.find(jid),
    makeSignalRepository: signalRepository(journal, () => auth.creds.me),
  };
  const socket = makeWASocket(options);
  guardListeners(socket, log, connectionId);
  inOrder(socket, "CB:message", (stanza) => journal.note(stanza));
  return socket;
}

type Listener = (...given: unknown[]) => unknown;

/** Removes the library's listeners of an event and returns them. After `guardListeners` they never throw. */
function takeListeners(ws: WASocket["ws"], event: string): Listener[] {
  // An emitter does not know the types of its listeners.
  const listeners = ws.listeners(event) as Listener[];
  ws.removeAllListeners(event);
  return listeners;
}

/**
 * The library's listeners are asynchronous and an emitter does not wait for them: their rejection would end the
 * process. A frame that cannot be read ends this socket, because the following ones cannot be read either. A stanza
 * that its listener cannot handle is skipped.
 */
function guardListeners(socket: WASocket, log: Logger, connectionId: number): void {
  const { ws } = socket;
  const guard = (event: string, onFailure: (error: unknown) => void) => {
    for (const listener of takeListeners(ws, event)) {
      // Returns the promise: the next message waits for it (`inOrder`).
      const guarded = (...given: unknown[]): unknown =>
        (async () => listener(...given))().catch(onFailure);
      ws.on(event, guarded);
    }
  };
  guard("message", (error) => {
    // Not the error itself: its data may hold keys and messages.
    const text = error instanceof Error ? error.message : String(error);
    log.warn({ connectionId, text }, "a frame cannot be read: the session ends");
    void socket.end(new UnreadableFrame(text));
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
 * The library looks up the sender before it queues a message, so messages of a burst overtake each other. Here each one
 * starts when the one before is done; `first` sees it at once.
 */
function inOrder({ ws }: WASocket, event: string, first: (stanza: BinaryNode) => unknown): void {
  const listeners = takeListeners(ws, event);
  let line: Promise<unknown> = Promise.resolve();
  ws.on(event, (stanza: BinaryNode) => {
    first(stanza);
    const handle = () => Promise.all(listeners.map((listener) => listener(asLive(stanza))));
    line = line.then(handle, handle);
  });
}

/**
 * The library queues offline messages separately, and live ones overtake them, so it gets all messages as live ones.
 */
function asLive(stanza: BinaryNode): BinaryNode {
  const { offline, ...attrs } = stanza.attrs;
  return offline === undefined ? stanza : { ...stanza, attrs };
}

/**
 * The library confirms a receipt to the service before it is stored. Here the library sees a receipt only when `first`
 * is done, which never fails; the service repeats an unconfirmed one to the next session.
 */
export function beforeReceipts({ ws }: WASocket, first: (stanza: BinaryNode) => Promise<void>) {
  const event = "CB:receipt";
  const listeners = takeListeners(ws, event);
  ws.on(event, (stanza: BinaryNode) => {
    void first(stanza).then(() => Promise.all(listeners.map((listener) => listener(stanza))));
  });
}
