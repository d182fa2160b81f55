import type { CompanyEvents, CompanyEventSubject, TicketStatus } from "@balcao/contract";
import { clientEvents, companyEvent, READY_EVENT } from "@balcao/contract/event-names";
import { limits } from "@balcao/contract/limits";
import { createStore } from "../store/index.ts";
import type { LiveSocket } from "./socket.ts";

/** `connecting`: no answer yet; `offline`: waiting for the next attempt. */
export type LiveStatus = {
  state: "online" | "connecting" | "offline";
  /** Whole seconds to the next attempt, only while `offline`. */
  secondsToRetry: number | null;
  /** The connection was lost: true until a few seconds after it is back. */
  wasOffline: boolean;
};

export type LiveConnectionDeps = {
  /** Creates a socket that is not connected yet and reads `token` at the handshake. */
  openSocket: (token: () => string | null) => Promise<LiveSocket>;
  token: () => string | null;
  /** Seconds until the current token expires. */
  tokenSecondsLeft: () => number;
  /** Gets a newer token; throws when it cannot. A refusal ends the session elsewhere. */
  renewToken: () => Promise<void>;
  /** Called at each `ready`: data that was fetched before may lack events. */
  onReady: () => void;
  /** Whether somebody can see the page: only then a quiet line is checked. */
  isVisible: () => boolean;
  random: () => number;
};

/** The name of an event in a company. */
type NameOf = (companyId: number) => string;
type Handler<Payload> = (payload: Payload) => void;

const CONNECTING: LiveStatus = { state: "connecting", secondsToRetry: null, wasOffline: false };
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 30_000;
/** A token that expires this soon is renewed before the handshake. */
const TOKEN_MARGIN_SECONDS = 10;
/** Without `ready` by then, the handshake is tried again. */
const READY_TIMEOUT_MS = 10_000;
/**
 * A line that is quiet for this long is checked, and lost without an answer within the other time. Together they are
 * below 3 s: by then the user must know. Every packet counts, so a busy line costs nothing.
 */
export const QUIET_MS = 1_250;
export const ANSWER_MS = 1_650;
/** A page that was busy reads an answer that is there before it takes the line for lost. */
const READ_MS = 50;
/** How long the screen shows that the connection is back. */
export const BACK_ONLINE_NOTICE_MS = 5_000;

/** Delay before attempt number `attempt` (from 0): doubles up to 30 s, with jitter against many clients at once. */
export function retryDelayMs(attempt: number, random: number): number {
  const longest = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** attempt);
  return Math.round(longest * (0.75 + 0.5 * random));
}

export type LiveConnection = ReturnType<typeof createLiveConnection>;

/**
 * The live channel: connects, reconnects without end with a growing delay, joins the wanted rooms after each `ready`, and
 * passes the company's events to the handlers. Handlers and rooms outlive each socket.
 */
export function createLiveConnection(deps: LiveConnectionDeps) {
  const handlers = new Map<string, { nameOf: NameOf; set: Set<Handler<never>> }>();
  const status = createStore<LiveStatus>(CONNECTING);
  const rooms = createRoomRegistry((event, argument) => {
    if (argument === undefined) socket?.emit(event);
    else socket?.emit(event, argument);
  });

  let socket: LiveSocket | null = null;
  let companyId: number | null = null;
  let attempt = 0;
  let mustRenew = false;
  /** Incremented by each start, stop and attempt, so that late answers to older ones are ignored. */
  let epoch = 0;
  let retryTimer: ReturnType<typeof setInterval> | undefined;
  let readyTimer: ReturnType<typeof setTimeout> | undefined;
  let statusTimer: ReturnType<typeof setInterval> | undefined;
  let noticeTimer: ReturnType<typeof setTimeout> | undefined;
  let quietTimer: ReturnType<typeof setTimeout> | undefined;
  let answerTimer: ReturnType<typeof setTimeout> | undefined;

  function setStatus(next: Partial<LiveStatus>): void {
    status.set({ ...status.get(), ...next });
  }

  function clearTimers(): void {
    clearInterval(retryTimer);
    clearTimeout(readyTimer);
    clearInterval(statusTimer);
    clearTimeout(noticeTimer);
    clearTimeout(quietTimer);
    clearTimeout(answerTimer);
    answerTimer = undefined;
  }

  function listen({ nameOf, set }: { nameOf: NameOf; set: Set<Handler<never>> }): void {
    if (!socket || companyId === null) return;
    socket.on(nameOf(companyId), (payload: never) => {
      for (const handler of set) handler(payload);
    });
  }

  function handleNamed(key: string, nameOf: NameOf, handler: Handler<never>): () => void {
    const known = handlers.get(key);
    const one = known ?? { nameOf, set: new Set<Handler<never>>() };
    one.set.add(handler);
    if (!known) {
      handlers.set(key, one);
      listen(one);
    }
    return () => one.set.delete(handler);
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
      // A refused renewal has ended the session, which stops the channel. Otherwise the network failed: try again later.
      if (own === epoch) waitAndRetry();
      return;
    }
    if (own !== epoch) return;
    mustRenew = false;
    socket = opened;
    opened.on("heard", () => own === epoch && hear());
    opened.on(READY_EVENT, () => own === epoch && becomeReady());
    opened.on("connect_error", (error: Error) => {
      if (own !== epoch) return;
      // A code means that the server refused the token; a network failure has no code.
      mustRenew = error.message.startsWith("ERR_");
      waitAndRetry();
    });
    opened.on("disconnect", (reason: string) => {
      if (own !== epoch) return;
      mustRenew = reason === "io server disconnect";
      waitAndRetry();
    });
    for (const one of handlers.values()) listen(one);
    readyTimer = setTimeout(waitAndRetry, READY_TIMEOUT_MS);
    opened.connect();
  }

  /** A packet came: the line is alive, also one that was given up a moment ago and is only slow. */
  function hear(): void {
    clearTimeout(answerTimer);
    answerTimer = undefined;
    if (status.get().state === "offline") {
      clearInterval(retryTimer);
      attempt = 0;
      // The same socket: no event was missed, so nothing is said and nothing is read again.
      setStatus({ state: "online", secondsToRetry: null, wasOffline: false });
    }
    clearTimeout(quietTimer);
    if (status.get().state === "online") quietTimer = setTimeout(check, QUIET_MS);
  }

  /** Asks the server for a sign of life. */
  function check(): void {
    if (status.get().state !== "online" || answerTimer !== undefined || !deps.isVisible()) return;
    clearTimeout(quietTimer);
    answerTimer = setTimeout(() => {
      answerTimer = setTimeout(countDown, READ_MS);
    }, ANSWER_MS);
    socket?.emit(clientEvents.heartbeat);
  }

  function becomeReady(): void {
    clearTimeout(readyTimer);
    attempt = 0;
    setStatus({ state: "online", secondsToRetry: null });
    rooms.ready();
    socket?.emit(clientEvents.userStatus);
    clearInterval(statusTimer);
    statusTimer = setInterval(() => socket?.emit(clientEvents.userStatus), limits.userStatusMs);
    if (status.get().wasOffline) {
      noticeTimer = setTimeout(() => setStatus({ wasOffline: false }), BACK_ONLINE_NOTICE_MS);
    }
    hear();
    deps.onReady();
  }

  function waitAndRetry(): void {
    drop();
    countDown();
  }

  /** Says that the line is away and counts down to the next attempt. A socket that is still there is kept until then. */
  function countDown(): void {
    clearTimeout(quietTimer);
    const dueMs = performance.now() + retryDelayMs(attempt, deps.random());
    attempt += 1;
    const secondsLeft = (): number => Math.max(0, Math.ceil((dueMs - performance.now()) / 1000));
    setStatus({ state: "offline", secondsToRetry: secondsLeft(), wasOffline: true });
    retryTimer = setInterval(() => {
      const seconds = secondsLeft();
      if (seconds === 0) void tryNow();
      else if (seconds !== status.get().secondsToRetry) setStatus({ secondsToRetry: seconds });
    }, 200);
  }

  return {
    rooms,
    status,
    /** Sends one client event, or drops it while the channel is not online: it states what is true now. */
    send(event: string, payload: unknown): void {
      if (status.get().state === "online") socket?.emit(event, payload);
    },
    /** Registers a handler for one kind of company event. Returns a function that removes it. */
    handle: <S extends CompanyEventSubject>(
      subject: S,
      handler: Handler<CompanyEvents[S]>,
    ): (() => void) => handleNamed(subject, (company) => companyEvent(company, subject), handler),
    /** The same for an addressed event; equal keys have one name. */
    handleNamed,
    start(company: number): void {
      companyId = company;
      attempt = 0;
      mustRenew = false;
      status.set(CONNECTING);
      void tryNow();
    },
    stop(): void {
      companyId = null;
      drop();
      status.set(CONNECTING);
    },
    /** Something suggests that the line is dead: a request without reply, a page that was asleep. */
    check,
    /** The browser says that the network is gone. */
    lose(): void {
      if (companyId !== null && status.get().state !== "offline") waitAndRetry();
    },
    /** Tries at once: the network is back, or the page is visible again. */
    retryNow(): void {
      if (status.get().state !== "offline") return;
      attempt = 0;
      void tryNow();
    },
  };
}

/** A room that a screen can join, in addition to the company's main channel (wire-contract 7.2). */
export type Room =
  | { kind: "chatBox"; ticketId: number }
  | { kind: "tickets"; status: TicketStatus }
  | { kind: "notification" };

/** Sends one client event, without acknowledgement. */
export type EmitToServer = (event: string, argument?: string) => void;

export type RoomRegistry = ReturnType<typeof createRoomRegistry>;

/** Equal rooms have equal keys. */
export function roomKey(room: Room): string {
  if (room.kind === "chatBox") return `chatBox ${room.ticketId}`;
  if (room.kind === "tickets") return `tickets ${room.status}`;
  return room.kind;
}

/**
 * Counts the users of each room. Only the first join and the last leave are sent, and none before `ready`; after each
 * `ready` all wanted rooms are joined again.
 */
export function createRoomRegistry(emit: EmitToServer) {
  const wanted = new Map<string, { room: Room; count: number }>();
  let isReady = false;

  function leave(room: Room): void {
    const key = roomKey(room);
    const entry = wanted.get(key);
    if (!entry) return;
    entry.count -= 1;
    if (entry.count > 0) return;
    wanted.delete(key);
    if (isReady) send(emit, room, "leave");
  }

  return {
    /** Returns the function that leaves; calling it twice counts once. */
    enter(room: Room): () => void {
      const key = roomKey(room);
      const entry = wanted.get(key);
      if (entry) {
        entry.count += 1;
      } else {
        wanted.set(key, { room, count: 1 });
        if (isReady) send(emit, room, "join");
      }
      let isInside = true;
      return () => {
        if (isInside) leave(room);
        isInside = false;
      };
    },
    ready(): void {
      isReady = true;
      for (const { room } of wanted.values()) send(emit, room, "join");
    },
    lost(): void {
      isReady = false;
    },
  };
}

function send(emit: EmitToServer, room: Room, verb: "join" | "leave"): void {
  const isJoin = verb === "join";
  switch (room.kind) {
    case "chatBox":
      emit(isJoin ? clientEvents.joinChatBox : clientEvents.leaveChatBox, String(room.ticketId));
      return;
    case "tickets":
      emit(isJoin ? clientEvents.joinTickets : clientEvents.leaveTickets, room.status);
      return;
    case "notification":
      emit(isJoin ? clientEvents.joinNotification : clientEvents.leaveNotification);
  }
}
