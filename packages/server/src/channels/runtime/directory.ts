import type { ConnectionId } from "@balcao/contract";
import type { Ctx } from "../../platform/context.ts";
import type { Database } from "../../platform/db/database.ts";
import type { Wake } from "../../platform/db/wake.ts";
import type { Sources } from "../../platform/sources.ts";
import type { NumberAnswer } from "../port.ts";
import { forgetQuestion, storeNumberQuestion, takeNumberAnswer } from "./question-rows.ts";
import { answerTopic } from "./topics.ts";

/** The chat network could not be asked, or did not answer in time. */
export class NoAnswer extends Error {
  constructor() {
    super("the chat network did not answer");
    this.name = "NoAnswer";
  }
}

export type Directory = {
  /**
   * Whether a number (digits) is on the connection's network, and how the network writes it. Rejects with NoAnswer after
   * five seconds, or at once while the connection has no session. Outside of transactions: it waits.
   */
  checkNumber(ctx: Ctx, connectionId: ConnectionId, digits: string): Promise<NumberAnswer>;
};

export type DirectoryDeps = {
  db: Database;
  wake: Wake;
  sources: Sources;
  answerMs?: number;
};

const ANSWER_MS = 5_000;
/** Wake-ups make it quick; this finds what they missed. */
const LOOK_MS = 500;

/** Asks the owner of a connection, whichever process that is. */
export function createDirectory({
  db,
  wake,
  sources,
  answerMs = ANSWER_MS,
}: DirectoryDeps): Directory {
  return {
    async checkNumber(ctx, connectionId, digits) {
      const { companyId } = ctx;
      const id = sources.ids.uuid();
      const bell = createBell();
      const unsubscribe = wake.on(answerTopic(id), () => bell.ring());
      const deadlineMs = performance.now() + answerMs;
      try {
        const isAsked = await db.transaction(ctx, (tx) =>
          storeNumberQuestion({ tx, wake }, { companyId, connectionId }, { id, number: digits }),
        );
        if (!isAsked) throw new NoAnswer();
        for (;;) {
          const answer = await db.transaction(ctx, (tx) => takeNumberAnswer(tx, companyId, id));
          if (answer) return answer;
          const leftMs = deadlineMs - performance.now();
          if (answer === null || leftMs <= 0) break;
          await bell.heard(Math.min(LOOK_MS, leftMs));
        }
        await db.transaction(ctx, (tx) => forgetQuestion(tx, companyId, id));
        throw new NoAnswer();
      } finally {
        unsubscribe();
      }
    },
  };
}

/** Remembers a ring that nobody was listening for. */
function createBell() {
  let hasRung = false;
  let onRing: (() => void) | undefined;
  return {
    ring(): void {
      hasRung = true;
      onRing?.();
    },
    /** Resolves when it rings, has rung since the last time, or after the wait. */
    async heard(waitMs: number): Promise<void> {
      if (!hasRung) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, waitMs);
          onRing = () => {
            clearTimeout(timer);
            resolve();
          };
        });
        onRing = undefined;
      }
      hasRung = false;
    },
  };
}
