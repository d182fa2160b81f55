import type { CompanyId, QueueId, TicketId, UserId } from "@balcao/contract";
import type { Ctx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import type { Logger } from "../../platform/logging/logger.ts";
import type { AttendantMessage, HandOverNote, Helper, TurnFacts } from "./facts.ts";

/** A question to an outside service: the customer's unanswered messages and the state of the ticket. */
export type OutsideQuestion = {
  companyId: CompanyId;
  ticketId: TicketId;
  attendanceId: number | null;
  /** The AI agent or integration that is asked. */
  helper: Helper;
  /** It does not have the ticket yet: this is its first answer. */
  isFirst: boolean;
  facts: TurnFacts;
};

/**
 * `say`: sends messages, which may be none; then the helper has the ticket (`stay`) or has not any more:
 *
 * - `leave`: the menu goes on, as without it.
 * - `handOver`: the ticket waits in this queue for a person, or is given to this user of the company. Where the queue is not
 *   there any more, or null, as `leave`.
 * - `close`: the ticket is closed, with the closing message unless the answer itself says goodbye (`isQuiet`).
 *
 * `pass`: it could not answer; the ticket leaves it, and the menu goes on.
 */
export type OutsideAnswer =
  | { kind: "say"; sends: readonly AttendantMessage[]; next: Afterwards }
  | { kind: "pass" };
export type Afterwards =
  | { kind: "stay" | "leave" }
  | { kind: "close"; isQuiet?: boolean | undefined }
  | { kind: "handOver"; queueId: QueueId | null; userId?: UserId | null; note?: HandOverNote };

/** An outside service that answers customers in place of the menu, such as a language model or an integration. */
export type Asker = {
  /** For the log. */
  name: string;
  /** Whether it answers for this helper. Pure, because it is called under the ticket's lock. */
  takes(helper: Helper): boolean;
  /**
   * What the customer is told before the answer, each time the question is put. Called in the transaction that records the
   * question, under the ticket's lock.
   */
  begin?(ctx: Ctx, tx: Tx, question: OutsideQuestion): Promise<readonly AttendantMessage[]>;
  /** Called outside of transactions. `signal` is aborted at the time limit and when the process stops. */
  ask(question: OutsideQuestion, signal: AbortSignal): Promise<OutsideAnswer>;
};

/** Limits of questions to outside services. */
export type OutsideSettings = {
  /**
   * An AI agent is asked when its customer has written nothing for `afterMs`, and `longestMs` after the first unanswered
   * message at the latest: people write in several messages, and each answer costs.
   */
  agentQuiet: { afterMs: number; longestMs: number };
  /** Time limit of an outside service's answer. */
  askLimitMs: number;
  /** Open questions of this process to outside services. */
  asksAtOnce: number;
};

export type OutsideDeps = {
  askers: readonly Asker[];
  settings: OutsideSettings;
  log: Logger;
};

/** The open questions of this process. They do not delay the turns of other tickets. */
export function createOutside({ askers, settings, log }: OutsideDeps) {
  const running = new Set<Promise<void>>();
  const limits = new Set<AbortController>();
  let isStopped = false;

  /** Null when the process stops: a process asks the question again later. */
  async function answerTo(asker: Asker, question: OutsideQuestion): Promise<OutsideAnswer | null> {
    const limit = new AbortController();
    limits.add(limit);
    const { askLimitMs } = settings;
    const timer = setTimeout(
      () => limit.abort(new Error(`no answer within ${askLimitMs} ms`)),
      askLimitMs,
    );
    const isOver = new Promise<never>((_, reject) => {
      limit.signal.addEventListener("abort", () => reject(limit.signal.reason));
    });
    try {
      return await Promise.race([asker.ask(question, limit.signal), isOver]);
    } catch (error) {
      if (isStopped) return null;
      const { companyId, ticketId } = question;
      const subject = { companyId, ticketId, asker: asker.name };
      log.warn({ err: error, ...subject }, "nobody outside answered; the menu goes on");
      return { kind: "pass" };
    } finally {
      clearTimeout(timer);
      limits.delete(limit);
    }
  }

  return {
    askerOf: (helper: Helper): Asker | undefined => askers.find((asker) => asker.takes(helper)),

    hasRoom: (): boolean => !isStopped && running.size < settings.asksAtOnce,

    /** Asks in the background and passes the answer to `use`. */
    ask(
      asker: Asker,
      question: OutsideQuestion,
      use: (answer: OutsideAnswer) => Promise<unknown>,
    ): void {
      const asking = answerTo(asker, question)
        .then((answer) => answer && use(answer))
        .catch((error: unknown) => {
          const { companyId, ticketId } = question;
          log.warn(
            { err: error, companyId, ticketId },
            "an answer from outside is asked for again",
          );
        })
        .then(() => {
          running.delete(asking);
        });
      running.add(asking);
    },

    async stop(): Promise<void> {
      isStopped = true;
      for (const limit of limits) limit.abort();
      await Promise.all(running);
    },
  };
}
