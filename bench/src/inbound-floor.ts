import type pg from "pg";
import type { InboundTrace } from "./inbound-trace.ts";
import { chatsOf, journalIds } from "./inbound-trace.ts";
import type { Transaction } from "./recorder.ts";
import { replay } from "./replay.ts";

/** As many as the product handles at the same time. */
const AT_ONCE = 16;

/**
 * Does a recorded round again: each connection's journal inserts one after the other, each message after its journal
 * commit and after the one before it in its chat, `AT_ONCE` messages in parallel, `window` on their way at most.
 */
export async function replayInbound(
  pool: pg.Pool,
  trace: InboundTrace,
  window: number,
): Promise<void> {
  const slots = createTurns(AT_ONCE);
  const chats = new Map<string, Promise<void>>();
  const way = createWindow(window);

  async function receive(recordedId: number, id: number): Promise<void> {
    const transaction = trace.received.get(recordedId);
    if (!transaction) throw new Error("a stored message was never handled");
    const [claim] = transaction.statements;
    await slots.run(() =>
      replay(pool, transaction, (statement) =>
        statement === claim ? [...claim.values.slice(0, -1), id] : statement.values,
      ),
    );
    way.leave();
  }

  async function deliver(connection: readonly Transaction[]): Promise<void> {
    for (const transaction of connection) {
      const { connectionId, chatKeys } = chatsOf(transaction);
      await way.enter(chatKeys.length);
      const [rows = []] = await replay(pool, transaction);
      const recorded = journalIds(transaction.statements[0]?.rows ?? []);
      journalIds(rows).forEach((id, place) => {
        const chat = `${connectionId} ${chatKeys[place]}`;
        const before = chats.get(chat) ?? Promise.resolve();
        chats.set(
          chat,
          before.then(() => receive(recorded[place] ?? 0, id)),
        );
      });
    }
  }

  const connections = Map.groupBy(trace.journal, (insert) => chatsOf(insert).connectionId);
  await Promise.all([...connections.values()].map(deliver));
  await Promise.all(chats.values());
}

/** Runs a limited number of tasks at the same time, in the order in which they came. */
function createTurns(count: number) {
  let free = count;
  const waiting: (() => void)[] = [];
  return {
    async run(task: () => Promise<unknown>): Promise<void> {
      if (free > 0) free -= 1;
      else await new Promise<void>((resolve) => void waiting.push(resolve));
      try {
        await task();
      } finally {
        const next = waiting.shift();
        if (next) next();
        else free += 1;
      }
    },
  };
}

/** Keeps the number of messages that entered and have not left below a limit; a larger lot waits for an empty way. */
function createWindow(limit: number) {
  let inside = 0;
  let waiting: (() => void)[] = [];
  const isTooFull = (count: number) => inside > 0 && inside + count > limit;
  return {
    async enter(count: number): Promise<void> {
      while (isTooFull(count)) await new Promise<void>((resolve) => void waiting.push(resolve));
      inside += count;
    },
    leave(): void {
      inside -= 1;
      const woken = waiting;
      waiting = [];
      for (const wake of woken) wake();
    },
  };
}
