import type { CompanyId } from "@balcao/contract";
import { z } from "zod";
import type { Tx } from "../../platform/db/database.ts";
import type { Wake } from "../../platform/db/wake.ts";
import type { CallEvent, NumberAnswer } from "../port.ts";
import { callEvent, parseStored } from "./durable-events.ts";
import type { Lease } from "./fence.ts";
import type { ConnectionRef } from "./handlers.ts";
import { questionTopic } from "./topics.ts";

/** What the owner of a connection is asked: an answer is awaited for a number only. */
export type Question =
  | { kind: "number"; number: string }
  | { kind: "refuse-call"; call: CallEvent };

const question: z.ZodType<Question> = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("number"), number: z.string() }),
  z.object({ kind: z.literal("refuse-call"), call: callEvent }),
]);
/** Null: the channel could not say. */
const answer: z.ZodType<NumberAnswer | null> = z
  .object({ asked: z.string(), exists: z.boolean(), number: z.string() })
  .nullable();

// Without a session there is nobody to ask.
const insertQuestion = {
  name: "channel-question-ask",
  text: `insert into channel_questions (id, company_id, connection_id, question)
         select $1, company_id, id, $4 from connections
          where company_id = $2 and id = $3 and status = 'CONNECTED' and deleted_at is null
      returning 1`,
};
const insertRefusal = {
  name: "channel-question-refuse",
  text: `insert into channel_questions (id, company_id, connection_id, question)
         values (gen_random_uuid(), $1, $2, $3)`,
};
const takeAnswer = {
  name: "channel-question-take-answer",
  text: `delete from channel_questions where company_id = $1 and id = $2 and answer is not null
      returning answer`,
};
const deleteQuestion = {
  name: "channel-question-forget",
  text: `delete from channel_questions where company_id = $1 and id = $2`,
};
// Nobody waits for older ones any more.
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

/** False: the connection has no session that could answer. */
export async function storeNumberQuestion(
  { tx, wake }: To,
  { companyId, connectionId }: ConnectionRef,
  { id, number }: { id: string; number: string },
): Promise<boolean> {
  const asked: Question = { kind: "number", number };
  const values = [id, companyId, connectionId, JSON.stringify(asked)];
  const rows = await tx.query(insertQuestion, values);
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

/** The answer, which is gone afterwards; undefined while there is none, null when the channel could not say. */
export async function takeNumberAnswer(
  tx: Tx,
  companyId: CompanyId,
  id: string,
): Promise<NumberAnswer | null | undefined> {
  const [row] = await tx.query<{ answer: string }>(takeAnswer, [companyId, id]);
  return row && answer.parse(parseStored(row.answer));
}

export async function forgetQuestion(tx: Tx, companyId: CompanyId, id: string): Promise<void> {
  await tx.query(deleteQuestion, [companyId, id]);
}

export type OpenQuestion = { id: string; question: Question };

export async function readOpenQuestions(tx: Tx, lease: Lease): Promise<OpenQuestion[]> {
  const rows = await tx.query<{ id: string; question: string }>(readOpen, [
    lease.companyId,
    lease.connectionId,
  ]);
  return rows.map((row) => ({ id: row.id, question: question.parse(parseStored(row.question)) }));
}

export type Answered = {
  numbers: readonly { id: string; answer: NumberAnswer | null }[];
  /** Questions that are done with, without an answer. */
  done: readonly string[];
};

/** Also forgets what was asked long ago. */
export async function recordAnswers(tx: Tx, lease: Lease, answered: Answered): Promise<void> {
  const { companyId, connectionId } = lease;
  const { numbers, done } = answered;
  const answers = numbers.map((given) => JSON.stringify(given.answer));
  await tx.query(storeAnswers, [companyId, numbers.map(({ id }) => id), answers]);
  await tx.query(forgetDone, [companyId, connectionId, done]);
}

/** Those of connections that nobody owns any more. */
export async function sweepQuestionsAcrossCompanies(tx: Tx): Promise<void> {
  await tx.query(sweepOld);
}
