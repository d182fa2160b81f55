import { ApiError } from "../../../api/client.ts";
import type { UnsentMessage, UnsentMessages } from "./unsent-messages.ts";

export type OutboxDeps = {
  messages: UnsentMessages;
  /** Names the queues of this user in all tabs of the browser. */
  name: string;
  /** The session has ended: nothing may leave any more. */
  isOver: () => boolean;
  /** Takes over what other tabs did. */
  reload: () => void;
  /** Brings one message to the server; the same `clientId` twice is one message. `onMoved`: a part of it has left. */
  post: (
    message: UnsentMessage,
    options: { signal: AbortSignal; onMoved: () => void },
  ) => Promise<void>;
  /** The server has it. */
  settle: (message: UnsentMessage) => void;
  /** Runs `run` while no other tab runs anything of the same name. */
  exclusively: (name: string, run: () => Promise<void>) => Promise<void>;
  nowMs: () => number;
};

/** A message that waited longer is not sent by itself any more: it may not be true now. */
export const QUEUED_MAX_MS = 12 * 3_600_000;
const FIRST_RETRY_MS = 2_000;
const LONGEST_RETRY_MS = 30_000;

export type Outbox = ReturnType<typeof createOutbox>;

/**
 * Sends the unsent messages, those of one ticket in their order and one at a time, whichever tab wrote them. When the line
 * is away they wait; a refusal of the server is the message's own and stops nothing behind it.
 */
export function createOutbox(deps: OutboxDeps) {
  const { messages } = deps;
  let isStopped = false;
  const isOver = (): boolean => isStopped || deps.isOver();
  const underWay = new Map<string, { abort: AbortController; movedAtMs: number }>();
  /** Tickets whose queue this tab sends, or waits to send. */
  const running = new Set<number>();
  let lostAtMs = 0;
  let attempt = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function send(ticketId: number): void {
    // A run that has not ended takes what was written meanwhile.
    if (running.has(ticketId)) return;
    running.add(ticketId);
    deps
      .exclusively(`${deps.name} ${ticketId}`, () => sendInOrder(ticketId))
      .catch((error: unknown) => {
        running.delete(ticketId);
        reportError(error);
      });
  }

  async function sendInOrder(ticketId: number): Promise<void> {
    let mayGoOn = true;
    while (mayGoOn && !isOver()) {
      deps.reload();
      const next = messages.of(ticketId).find(({ state }) => state !== "failed");
      mayGoOn = next !== undefined && (await sendOne(next));
    }
    running.delete(ticketId);
  }

  /** Whether the next one can go. */
  async function sendOne(message: UnsentMessage): Promise<boolean> {
    const { clientId, ticketId } = message;
    if (deps.nowMs() - Date.parse(message.askedAt) > QUEUED_MAX_MS) {
      messages.change(clientId, { state: "failed", errorCode: "ERR_QUEUED_TOO_LONG" });
      return true;
    }
    const own = { abort: new AbortController(), movedAtMs: deps.nowMs() };
    underWay.set(clientId, own);
    const onMoved = (): void => {
      own.movedAtMs = deps.nowMs();
    };
    try {
      await deps.post(message, { signal: own.abort.signal, onMoved });
      if (isOver()) return false;
      attempt = 0;
      deps.settle(message);
      mark(ticketId, "waiting", "sending");
      return true;
    } catch (error) {
      if (isOver()) return false;
      // It arrived, as the live event says, or was cancelled; or the line is back and it is its turn again.
      if (!messages.find(clientId) || own.abort.signal.aborted) return true;
      if (isLineAway(error)) {
        messages.change(clientId, { state: "waiting", progress: 0 });
        mark(ticketId, "sending", "waiting");
        retryLater();
        return false;
      }
      const errorCode = error instanceof ApiError ? error.code : "ERR_INTERNAL";
      messages.change(clientId, { state: "failed", errorCode });
      if (!(error instanceof ApiError)) reportError(error);
      return true;
    } finally {
      if (underWay.get(clientId) === own) underWay.delete(clientId);
    }
  }

  function mark(ticketId: number, from: UnsentMessage["state"], to: UnsentMessage["state"]): void {
    for (const { clientId, state } of messages.of(ticketId)) {
      if (state === from) messages.change(clientId, { state: to });
    }
  }

  function sendAll(): void {
    const waiting = messages.all().filter(({ state }) => state !== "failed");
    for (const ticketId of new Set(waiting.map((message) => message.ticketId))) send(ticketId);
  }

  /** The live channel may be away while requests get through: they are tried by themselves as well. */
  function retryLater(): void {
    clearTimeout(timer);
    timer = setTimeout(sendAll, Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** attempt));
    attempt += 1;
  }

  return {
    send,
    sendAll,
    /** Ends the request of a message that was cancelled. */
    abort: (clientId: string): void => underWay.get(clientId)?.abort.abort(),
    lineIsLost(): void {
      lostAtMs = deps.nowMs();
    },
    /** Sends what waits. A request that has not moved since the line was lost hangs on the old line: it is repeated. */
    lineIsBack(): void {
      clearTimeout(timer);
      attempt = 0;
      for (const { abort, movedAtMs } of underWay.values())
        if (movedAtMs <= lostAtMs) abort.abort();
      sendAll();
    },
    stop(): void {
      isStopped = true;
      clearTimeout(timer);
      for (const { abort } of underWay.values()) abort.abort();
    },
  };
}

/** No reply, a proxy without server, or too many requests at once: the message itself may be fine. */
function isLineAway(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  return error.status === 0 || error.status === 429 || error.status >= 502;
}

const chains = new Map<string, Promise<void>>();

/** One tab at a time. Without a secure origin the browser has no locks: then within this page only. */
export async function exclusively(name: string, run: () => Promise<void>): Promise<void> {
  const locks: LockManager | null | undefined = navigator.locks;
  if (locks) {
    await locks.request(name, run);
    return;
  }
  const before = chains.get(name);
  const own = (async () => {
    await before?.catch(() => undefined); // reported where it was asked for
    await run();
  })();
  chains.set(name, own);
  try {
    await own;
  } finally {
    if (chains.get(name) === own) chains.delete(name);
  }
}
