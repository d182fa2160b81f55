import type { Database } from "../../platform/db/database.ts";
import type { Wake } from "../../platform/db/wake.ts";
import type { Logger } from "../../platform/logging/logger.ts";
import type { ChatProvider, NumberAnswer } from "../port.ts";
import { Errand } from "./errand.ts";
import type { Lease } from "./fence.ts";
import { transactionUnderLease } from "./fence.ts";
import type { OpenQuestion } from "./question-rows.ts";
import { readOpenQuestions, recordAnswers } from "./question-rows.ts";
import type { ChannelSettings } from "./settings.ts";
import { answerTopic } from "./topics.ts";
import { within } from "./within.ts";

export type QuestionsDeps = {
  db: Database;
  lease: Lease;
  wake: Wake;
  settings: ChannelSettings;
  log: Logger;
  onLeaseLost: () => void;
};

/** Puts what other processes ask to the connection's session. Twice is harmless: asked first, recorded afterwards. */
export function questionsErrand(deps: QuestionsDeps): Errand {
  const { db, lease, wake, settings, log, onLeaseLost } = deps;

  async function answer(provider: ChatProvider): Promise<boolean> {
    const { companyId } = lease;
    const open = await db.transaction({ companyId }, (tx) => readOpenQuestions(tx, lease));
    if (open.length === 0) return false;
    const [numbers] = await Promise.all([
      checkNumbers(provider, open),
      refuseCalls(provider, open),
    ]);
    const done = open.filter(({ question }) => question.kind === "refuse-call");
    await transactionUnderLease(db, lease, async (tx) => {
      await recordAnswers(tx, lease, { numbers, done: done.map(({ id }) => id) });
      for (const { id } of numbers) wake.notify(tx, answerTopic(id));
    });
    // What was asked meanwhile, or did not fit into this round.
    return true;
  }

  async function checkNumbers(provider: ChatProvider, open: readonly OpenQuestion[]) {
    const asked = open.flatMap(({ id, question }) =>
      question.kind === "number" ? [{ id, number: question.number }] : [],
    );
    if (asked.length === 0) return [];
    const answers = await ask(provider, [...new Set(asked.map(({ number }) => number))]);
    const byNumber = new Map(answers.map((answer) => [answer.asked, answer]));
    return asked.map(({ id, number }) => ({ id, answer: byNumber.get(number) ?? null }));
  }

  async function ask(
    provider: ChatProvider,
    numbers: readonly string[],
  ): Promise<readonly NumberAnswer[]> {
    try {
      return await within(settings.answerMs, provider.checkNumbers(numbers));
    } catch (error) {
      const { connectionId } = lease;
      log.warn({ err: error, connectionId }, "numbers could not be checked");
      return [];
    }
  }

  /** A call that stopped ringing meanwhile needs no refusal, so a failure is only noted. */
  async function refuseCalls(provider: ChatProvider, open: readonly OpenQuestion[]): Promise<void> {
    for (const { question } of open) {
      if (question.kind !== "refuse-call") continue;
      try {
        await within(settings.answerMs, provider.refuseCall(question.call));
      } catch (error) {
        const { connectionId } = lease;
        log.warn({ err: error, connectionId }, "a call was not refused");
      }
    }
  }

  // Who asked and hears nothing gives up by himself.
  return new Errand({
    round: answer,
    failure: "questions to a channel were not answered",
    onLeaseLost,
    log,
  });
}
