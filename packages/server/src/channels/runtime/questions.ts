import type { CompanyId, ConnectionId } from "@balcao/contract";
import { z } from "zod";
import type { Ctx } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import type { Wake } from "../../platform/db/wake.ts";
import type { Sources } from "../../platform/sources.ts";
import type { CallEvent, ChatProvider, NumberAnswer } from "../port.ts";
import { SessionTask, within } from "./concurrency.ts";
import type { ConnectionDeps, ConnectionRef, Lease } from "./deps.ts";
import { callEvent, parseStored } from "./journal.ts";
import { transactionUnderLease } from "./lease.ts";

export const QUESTION_TOPIC = "channel-question:";
const questionTopic = (connectionId: ConnectionId): string => `${QUESTION_TOPIC}${connectionId}`;
const ANSWER_TOPIC = "channel-answer:";
const answerTopic = (questionId: string): string => `${ANSWER_TOPIC}${questionId}`;

/** A question to the owner of a connection. Only a number has an answer. */
type Question = { kind: "number"; number: string } | { kind: "refuse-call"; call: CallEvent };

const question: z.ZodType<Question> = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("number"), number: z.string() }),
  z.object({ kind: z.literal("refuse-call"), call: callEvent }),
]);
/** Null when the channel could not find out. */
const answer: z.ZodType<NumberAnswer | null> = z
  .object({ asked: z.string(), exists: z.boolean(), number: z.string() })
  .nullable();

// Without a session no process could answer.
const insertQuestion = {
  name: "channel-question-ask",
  text: `insert into channel_questions (id, company_id, connection_id, question)
         select asked.id, w.company_id, w.id, asked.question
           from connections w, unnest($3::uuid[], $4::text[]) as asked (id, question)
          where w.company_id = $1 and w.id = $2 and w.status = 'CONNECTED' and w.deleted_at is null
      returning 1`,
};
const insertRefusal = {
  name: "channel-question-refuse",
  text: `insert into channel_questions (id, company_id, connection_id, question)
         values (gen_random_uuid(), $1, $2, $3)`,
};
const takeAnswer = {
  name: "channel-question-take-answers",
  text: `delete from channel_questions where company_id = $1 and id = any ($2::uuid[]) and answer is not null
      returning id, answer`,
};
const deleteQuestion = {
  name: "channel-question-forget",
  text: `delete from channel_questions where company_id = $1 and id = any ($2::uuid[])`,
};
// The callers of older rows have timed out.
const readOpen = {
  name: "channel-questions-open",
  text: `select id, question from channel_questions
          where company_id = $1 and connection_id = $2 and answer is null
            and created_at > now() - interval '20 s'
          order by created_at limit 100`,
};
const storeAnswers = {
  name: "channel-questions-answer",
  text: `update channel_questions q set answer = given.answer
           from unnest($2::uuid[], $3::text[]) as given (id, answer)
          where q.company_id = $1 and q.id = given.id`,
};
const forgetDone = {
  name: "channel-questions-done",
  text: `delete from channel_questions
          where company_id = $1 and connection_id = $2
            and (id = any ($3::uuid[]) or created_at < now() - interval '1 minute')`,
};
const sweepOld = {
  name: "channel-questions-sweep",
  text: `delete from channel_questions where created_at < now() - interval '1 hour'`,
};

type To = { tx: Tx; wake: Wake };

/** A number that is asked about, by the id of the question. */
type AskedNumbers = ReadonlyMap<string, string>;

/** False: the connection has no session that could answer. */
async function storeNumberQuestions(
  { tx, wake }: To,
  { companyId, connectionId }: ConnectionRef,
  asked: AskedNumbers,
): Promise<boolean> {
  const questions = [...asked.values()].map((number): Question => ({ kind: "number", number }));
  const texts = questions.map((one) => JSON.stringify(one));
  const rows = await tx.query(insertQuestion, [companyId, connectionId, [...asked.keys()], texts]);
  if (rows.length === 0) return false;
  wake.notify(tx, questionTopic(connectionId));
  return true;
}

export async function storeCallRefusal(
  { tx, wake }: To,
  { companyId, connectionId }: ConnectionRef,
  call: CallEvent,
): Promise<void> {
  const asked: Question = { kind: "refuse-call", call };
  await tx.query(insertRefusal, [companyId, connectionId, JSON.stringify(asked)]);
  wake.notify(tx, questionTopic(connectionId));
}

type GivenAnswer = { id: string; answer: NumberAnswer | null };

/** Takes the answers that are there and deletes them; null where the channel could not find out. */
async function takeNumberAnswers(
  tx: Tx,
  companyId: CompanyId,
  ids: readonly string[],
): Promise<GivenAnswer[]> {
  const rows = await tx.query<{ id: string; answer: string }>(takeAnswer, [companyId, ids]);
  return rows.map((row) => ({ id: row.id, answer: answer.parse(parseStored(row.answer)) }));
}

async function forgetQuestions(tx: Tx, companyId: CompanyId, ids: readonly string[]) {
  await tx.query(deleteQuestion, [companyId, ids]);
}

type OpenQuestion = { id: string; question: Question };

async function readOpenQuestions(tx: Tx, lease: Lease): Promise<OpenQuestion[]> {
  const rows = await tx.query<{ id: string; question: string }>(readOpen, [
    lease.companyId,
    lease.connectionId,
  ]);
  return rows.map((row) => ({ id: row.id, question: question.parse(parseStored(row.question)) }));
}

type Answered = {
  numbers: readonly { id: string; answer: NumberAnswer | null }[];
  /** Finished questions that have no answer. */
  done: readonly string[];
};

/** Also deletes old questions. */
async function recordAnswers(tx: Tx, lease: Lease, answered: Answered): Promise<void> {
  const { companyId, connectionId } = lease;
  const { numbers, done } = answered;
  const answers = numbers.map((given) => JSON.stringify(given.answer));
  await tx.query(storeAnswers, [companyId, numbers.map(({ id }) => id), answers]);
  await tx.query(forgetDone, [companyId, connectionId, done]);
}

/** Deletes the questions to connections that no process owns. */
export async function sweepQuestionsAcrossCompanies(tx: Tx): Promise<void> {
  await tx.query(sweepOld);
}

/** Answers questions of other processes through the connection's session. Answering one twice is harmless. */
export function questionsTask(deps: ConnectionDeps): SessionTask {
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
    // There may be newer questions, or more than one round holds.
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

  /** A call that no longer rings needs no refusal, so a failure is only logged. */
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

  // A caller without an answer times out.
  return new SessionTask({
    round: answer,
    failure: "questions to a channel were not answered",
    onLeaseLost,
    log,
  });
}

/** The chat network could not be asked, or did not answer in time. */
export class NoAnswer extends Error {
  constructor() {
    super("the chat network did not answer");
    this.name = "NoAnswer";
  }
}

type Directory = {
  /**
   * Whether a number (digits) is on the connection's network, and how the network writes it. Rejects with NoAnswer
   * after five seconds, or at once while the connection has no session. It waits, so call it outside of transactions.
   */
  checkNumber(ctx: Ctx, connectionId: ConnectionId, digits: string): Promise<NumberAnswer>;
  /** The same for several numbers in one question, with the answers in their order; at most 50 (behaviour 6). */
  checkNumbers(
    ctx: Ctx,
    connectionId: ConnectionId,
    numbers: readonly string[],
  ): Promise<NumberAnswer[]>;
};

type DirectoryDeps = {
  db: Database;
  wake: Wake;
  sources: Sources;
  answerMs?: number;
};

const ANSWER_MS = 5_000;
/** Polls for answers whose wake-up was missed. */
const POLL_MS = 500;

/** Number checks through the connection's owner, in any process. */
export function createDirectory({
  db,
  wake,
  sources,
  answerMs = ANSWER_MS,
}: DirectoryDeps): Directory {
  async function checkNumbers(
    ctx: Ctx,
    connectionId: ConnectionId,
    numbers: readonly string[],
  ): Promise<NumberAnswer[]> {
    const { companyId } = ctx;
    const asked: AskedNumbers = new Map(numbers.map((number) => [sources.ids.uuid(), number]));
    const answers = new Map<string, NumberAnswer>();
    const open = (): string[] => [...asked.keys()].filter((id) => !answers.has(id));
    const wakeUp = createSignal();
    const unsubscribe = wake.on(ANSWER_TOPIC, (topic) => {
      if (asked.has(topic.slice(ANSWER_TOPIC.length))) wakeUp.notify();
    });
    const deadlineMs = performance.now() + answerMs;
    try {
      const isAsked = await db.transaction(ctx, (tx) =>
        storeNumberQuestions({ tx, wake }, { companyId, connectionId }, asked),
      );
      if (!isAsked) throw new NoAnswer();
      for (;;) {
        const given = await db.transaction(ctx, (tx) => takeNumberAnswers(tx, companyId, open()));
        for (const { id, answer } of given) if (answer) answers.set(id, answer);
        if (answers.size === asked.size) break;
        const leftMs = deadlineMs - performance.now();
        if (given.some(({ answer }) => answer === null) || leftMs <= 0) {
          await db.transaction(ctx, (tx) => forgetQuestions(tx, companyId, open()));
          throw new NoAnswer();
        }
        await wakeUp.wait(Math.min(POLL_MS, leftMs));
      }
    } finally {
      unsubscribe();
    }
    return [...asked.keys()].flatMap((id) => answers.get(id) ?? []);
  }

  return {
    checkNumbers,
    async checkNumber(ctx, connectionId, digits) {
      const [answer] = await checkNumbers(ctx, connectionId, [digits]);
      if (!answer) throw new Error("a checked number has no answer");
      return answer;
    },
  };
}

/** A signal that remembers a notification until the next wait. */
function createSignal() {
  let isNotified = false;
  let onNotify: (() => void) | undefined;
  return {
    notify(): void {
      isNotified = true;
      onNotify?.();
    },
    /** Resolves on a notification since the last wait, or after the given time. */
    async wait(waitMs: number): Promise<void> {
      if (!isNotified) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, waitMs);
          onNotify = () => {
            clearTimeout(timer);
            resolve();
          };
        });
        onNotify = undefined;
      }
      isNotified = false;
    },
  };
}
