import type { CompanyEventSubject, CompanyEvents } from "@balcao/contract";
import { clientEvents, companyEvent, READY_EVENT } from "@balcao/contract/event-names";
import { limits } from "@balcao/contract/limits";
import { createRoomRegistry } from "./rooms.ts";
import type { RoomRegistry } from "./rooms.ts";

/** `connecting`: no answer yet; `offline`: waiting for the next try. */
export type LiveStatus = {
  state: "online" | "connecting" | "offline";
  /** Whole seconds to the next try, only while `offline`. */
  secondsToRetry: number | null;
  /** The connection was lost: true until a few seconds after it is back. */
  wasOffline: boolean;
};

/** The part of a socket that is used here; the library's socket has this form. */
type LiveSocket = {
  connect(): unknown;
  disconnect(): unknown;
  emit(event: string, ...args: unknown[]): unknown;
  on(event: string, listener: (...args: never[]) => void): unknown;
  removeAllListeners(): unknown;
};

export type LiveConnectionDeps = {
  /** A socket that is not connected yet, does not reconnect by itself, and asks `token` at the handshake. */
  openSocket: (token: () => string | null) => Promise<LiveSocket>;
  token: () => string | null;
  /** Seconds the current token is still good for. */
  tokenSecondsLeft: () => number;
  /** Gets a newer token; throws when it cannot. A refusal ends the session elsewhere. */
  renewToken: () => Promise<void>;
  /** Called at each `ready`: what was fetched before may lack events. */
  onReady: () => void;
  random: () => number;
};

type Handler<S extends CompanyEventSubject> = (payload: CompanyEvents[S]) => void;

const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 30_000;
/** A token that ends within the handshake is as good as ended. */
const TOKEN_MARGIN_SECONDS = 10;
/** No `ready` by then: the handshake hangs, so it is tried anew. */
const READY_TIMEOUT_MS = 10_000;
/** How long the screen says that the connection is back. */
export const BACK_ONLINE_NOTICE_MS = 5_000;

/** Delay before try number `attempt` (from 0): doubling to 30 s, spread so that a restart is not stormed. */
export function retryDelayMs(attempt: number, random: number): number {
  const longest = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** attempt);
  return Math.round(longest * (0.75 + 0.5 * random));
}

export type LiveConnection = ReturnType<typeof createLiveConnection>;

/**
 * The live channel: connects, reconnects for ever with a growing delay, joins the wanted rooms after each `ready` and
 * hands out the company's events. Handlers and rooms outlive every socket.
 */
export function createLiveConnection(deps: LiveConnectionDeps) {
  const handlers = new Map<CompanyEventSubject, Set<Handler<never>>>();
  const listeners = new Set<() => void>();
  const rooms: RoomRegistry = createRoomRegistry((event, argument) => {
    if (argument === undefined) socket?.emit(event);
    else socket?.emit(event, argument);
  });

  let status: LiveStatus = { state: "connecting", secondsToRetry: null, wasOffline: false };
  let socket: LiveSocket | null = null;
  let companyId: number | null = null;
  let attempt = 0;
  let mustRenew = false;
  /** Grows with each start, stop and try, so that late answers of an older one are ignored. */
  let epoch = 0;
  let retryTimer: ReturnType<typeof setInterval> | undefined;
  let readyTimer: ReturnType<typeof setTimeout> | undefined;
  let statusTimer: ReturnType<typeof setInterval> | undefined;
  let noticeTimer: ReturnType<typeof setTimeout> | undefined;

  function setStatus(next: Partial<LiveStatus>): void {
    status = { ...status, ...next };
    for (const listener of listeners) listener();
  }

  function clearTimers(): void {
    clearInterval(retryTimer);
    clearTimeout(readyTimer);
    clearInterval(statusTimer);
    clearTimeout(noticeTimer);
  }

  function listen(subject: CompanyEventSubject): void {
    if (!socket || companyId === null) return;
    socket.on(companyEvent(companyId, subject), (payload: never) => {
      for (const handler of handlers.get(subject) ?? []) handler(payload);
    });
  }

  function drop(): void {
    epoch += 1;
    clearTimers();
    rooms.lost();
    socket?.removeAllListeners();
    socket?.disconnect();
    socket = null;
  }

  async function tryNow(): Promise<void> {
    drop();
    const own = epoch;
    setStatus({ state: "connecting", secondsToRetry: null });
    let opened: LiveSocket;
    try {
      if (mustRenew || deps.tokenSecondsLeft() < TOKEN_MARGIN_SECONDS) await deps.renewToken();
      if (own !== epoch) return;
      opened = await deps.openSocket(deps.token);
    } catch {
      // A refused renewal has ended the session, which stops us. Otherwise the network is away: try again later.
      if (own === epoch) waitAndRetry();
      return;
    }
    if (own !== epoch) return;
    mustRenew = false;
    socket = opened;
    opened.on(READY_EVENT, () => own === epoch && becomeReady());
    opened.on("connect_error", (error: Error) => {
      if (own !== epoch) return;
      // The server answered and refused the token; a network failure has another kind of message.
      mustRenew = error.message.startsWith("ERR_");
      waitAndRetry();
    });
    opened.on("disconnect", (reason: string) => {
      if (own !== epoch) return;
      mustRenew = reason === "io server disconnect";
      waitAndRetry();
    });
    for (const subject of handlers.keys()) listen(subject);
    readyTimer = setTimeout(waitAndRetry, READY_TIMEOUT_MS);
    opened.connect();
  }

  function becomeReady(): void {
    clearTimeout(readyTimer);
    attempt = 0;
    setStatus({ state: "online", secondsToRetry: null });
    rooms.ready();
    socket?.emit(clientEvents.userStatus);
    clearInterval(statusTimer);
    statusTimer = setInterval(() => socket?.emit(clientEvents.userStatus), limits.userStatusMs);
    if (status.wasOffline) {
      noticeTimer = setTimeout(() => setStatus({ wasOffline: false }), BACK_ONLINE_NOTICE_MS);
    }
    deps.onReady();
  }

  function waitAndRetry(): void {
    drop();
    const dueMs = performance.now() + retryDelayMs(attempt, deps.random());
    attempt += 1;
    const secondsLeft = (): number => Math.max(0, Math.ceil((dueMs - performance.now()) / 1000));
    setStatus({ state: "offline", secondsToRetry: secondsLeft(), wasOffline: true });
    retryTimer = setInterval(() => {
      const seconds = secondsLeft();
      if (seconds === 0) void tryNow();
      else if (seconds !== status.secondsToRetry) setStatus({ secondsToRetry: seconds });
    }, 200);
  }

  return {
    rooms,
    status: (): LiveStatus => status,
    subscribe: (listener: () => void): (() => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    /** Sends one client event; while the channel is away it is dropped, for it says what is true now. */
    send(event: string, payload: unknown): void {
      if (status.state === "online") socket?.emit(event, payload);
    },
    /** Registers for one kind of company event. Returns the way to stop. */
    handle<S extends CompanyEventSubject>(subject: S, handler: Handler<S>): () => void {
      const known = handlers.get(subject);
      const set = known ?? new Set<Handler<never>>();
      set.add(handler);
      if (!known) {
        handlers.set(subject, set);
        listen(subject);
      }
      return () => set.delete(handler);
    },
    start(company: number): void {
      companyId = company;
      attempt = 0;
      mustRenew = false;
      status = { state: "connecting", secondsToRetry: null, wasOffline: false };
      void tryNow();
    },
    stop(): void {
      companyId = null;
      drop();
      setStatus({ state: "connecting", secondsToRetry: null, wasOffline: false });
    },
    /** The network is said to be back, or somebody looks at the page again: no need to wait the delay out. */
    retryNow(): void {
      if (status.state !== "offline") return;
      attempt = 0;
      void tryNow();
    },
  };
}
