import { sql } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";
import { systemSources } from "../../platform/sources.ts";
import type { TestDatabase } from "../../testing/database.ts";
import { testDatabase } from "../../testing/database.ts";
import type { ChannelAdapter, NumberAnswer } from "../port.ts";
import { newConnection, stateOf } from "../testing/company.ts";
import { eventually } from "../testing/eventually.ts";
import { adminOf, ctxOf, startProcess } from "../testing/process.ts";
import { plainProvider } from "../testing/provider.ts";
import { NoAnswer, createDirectory, sweepQuestionsAcrossCompanies } from "./index.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});

type CheckNumbers = (numbers: readonly string[]) => Promise<readonly NumberAnswer[]>;

/** The owner of a connection, and another process that asks. */
async function newWorld(checkNumbers: CheckNumbers, { answerMs = 5_000 } = {}) {
  const line = await newConnection(database.db, { channel: "whatsapp-web" });
  const refused: string[] = [];
  const adapter: ChannelAdapter = {
    createProvider: (context) => ({
      ...plainProvider,
      start: () => context.sink.tell({ type: "state", status: "CONNECTED" }),
      checkNumbers,
      refuseCall: async ({ id }) => void refused.push(id),
    }),
  };
  const owner = await startProcess(database, { adapters: [["whatsapp-web", adapter]] });
  const channels = owner.runChannels();
  await eventually(async () =>
    expect(await stateOf(database.db, line)).toMatchObject({ status: "CONNECTED" }),
  );
  const asker = await startProcess(database);
  const { db, wake } = asker;
  const directory = createDirectory({ db, wake, sources: systemSources, answerMs });
  const check = (digits: string) => directory.checkNumber(ctxOf(line), line.connectionId, digits);
  return { line, owner, asker, channels, check, refused };
}

/** So long that a slow machine's answer at once is not taken for one that waited. */
const long = { answerMs: 50_000 };

async function questions(): Promise<unknown[]> {
  return database.db.acrossCompanies((tx) => tx.query(sql`select id from channel_questions`));
}

test("the connection's owner checks numbers for every process, and no row stays behind", async () => {
  const { check } = await newWorld(
    (numbers) =>
      Promise.resolve(
        numbers.map((asked) => ({ asked, exists: asked !== "2", number: `55${asked}` })),
      ),
    long,
  );
  const beganMs = performance.now();
  const answers = await Promise.all(["1", "2", "1"].map(check));
  expect(answers).toEqual([
    { asked: "1", exists: true, number: "551" },
    { asked: "2", exists: false, number: "552" },
    { asked: "1", exists: true, number: "551" },
  ]);
  expect(performance.now() - beganMs).toBeLessThan(10_000);
  expect(await questions()).toEqual([]);
});

test("a network that does not answer in time is no answer", async () => {
  const silent = await newWorld(() => new Promise<never>(() => undefined), { answerMs: 200 });
  await expect(silent.check("1")).rejects.toThrow(NoAnswer);
  expect(await questions()).toEqual([]);
});

test("a network error, or a missing number, ends the check at once", async () => {
  const failing = await newWorld(() => Promise.reject(new Error("away")), long);
  const beganMs = performance.now();
  await expect(failing.check("1")).rejects.toThrow(NoAnswer);
  const forgetful = await newWorld(() => Promise.resolve([]), long);
  await expect(forgetful.check("1")).rejects.toThrow(NoAnswer);
  expect(performance.now() - beganMs).toBeLessThan(10_000);
  expect(await questions()).toEqual([]);
});

test("without a session a question is refused at once", async () => {
  const asked: string[] = [];
  const { line, owner, channels, check } = await newWorld((numbers) => {
    asked.push(...numbers);
    return Promise.resolve([]);
  });
  await owner.connections.disconnect(adminOf(line), line.connectionId);
  await channels.idle();
  await expect(check("1")).rejects.toThrow(NoAnswer);
  expect(asked).toEqual([]);
});

test("a connection of another company cannot be asked", async () => {
  const { line, asker } = await newWorld((numbers) =>
    Promise.resolve(numbers.map((asked) => ({ asked, exists: true, number: asked }))),
  );
  const stranger = await newConnection(database.db, { wanted: false });
  const directory = createDirectory({ ...asker, sources: systemSources });
  await expect(directory.checkNumber(ctxOf(stranger), line.connectionId, "1")).rejects.toThrow(
    NoAnswer,
  );
  expect(await directory.checkNumber(ctxOf(line), line.connectionId, "1")).toMatchObject({
    exists: true,
  });
});

test("a call is refused through the connection's owner", async () => {
  const { line, asker, channels, refused } = await newWorld(() => Promise.resolve([]));
  const chat = { kind: "pn", value: "5511923000001" } as const;
  const from = { addresses: [chat] };
  const call = { type: "call", id: "C1", chat, from, isVideo: false, at: new Date() } as const;
  await asker.db.transaction(line, (tx) =>
    asker.outbox.refuseCall(tx, ctxOf(line), line.connectionId, call),
  );
  await eventually(() => expect(refused).toEqual(["C1"]));
  await channels.idle();
  expect(await questions()).toEqual([]);
});

test("unanswered questions are deleted after an hour", async () => {
  const line = await newConnection(database.db, { wanted: false });
  const ask = (age: string) =>
    database.db.acrossCompanies((tx) =>
      tx.query(sql`
        insert into channel_questions (id, company_id, connection_id, question, created_at)
        values (gen_random_uuid(), ${line.companyId}, ${line.connectionId}, '{}', now() - ${age}::interval)`),
    );
  await ask("2 hours");
  await ask("5 minutes");
  await database.db.acrossCompanies(sweepQuestionsAcrossCompanies);
  expect(await questions()).toHaveLength(1);
});
