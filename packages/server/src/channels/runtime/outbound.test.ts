import type { TicketId } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";
import type { TestDatabase } from "../../testing/database.ts";
import { testDatabase } from "../../testing/database.ts";
import { sized } from "../../testing/soak.ts";
import type { OutboundPriority } from "../../platform/db/schema/messages.ts";
import type { LineRef } from "../simulator/line.ts";
import { newConnection, newTicket, stateOf } from "../testing/company.ts";
import { eventually } from "../testing/eventually.ts";
import type { Answer, TestProcess } from "../testing/process.ts";
import { ctxOf, startProcess } from "../testing/process.ts";
import type { ChannelSettings } from "./deps.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});

/** Answers of each chat where many are sent. */
const EACH = sized({ test: 6, soak: 20 });
/** Times that the database breaks all connections. */
const BREAKS = sized({ test: 4, soak: 12 });

const phoneOf = (place: number): string => `55119${String(20_000_000 + place)}`;

type World = { line: LineRef; process: TestProcess; ticketId: TicketId };

async function newWorld(settings: Partial<ChannelSettings> = {}): Promise<World> {
  const line = await newConnection(database.db);
  const process = await startProcess(database, { settings });
  await process.link(line);
  return { line, process, ticketId: await newTicket(database.db, line) };
}

async function setNetwork({ line, process }: World, body: Record<string, unknown>): Promise<void> {
  const params = { connectionId: line.connectionId };
  await process.call("PUT /simulator/connections/:connectionId/network", line, { params, body });
}

/** The messages on the customers' phones, in the network's order. */
async function shown(line: LineRef): Promise<{ phone: string; id: string; body: string }[]> {
  return database.db.acrossCompanies((tx) =>
    tx.query<{ phone: string; id: string; body: string }>(
      sql`select phone, id, body from simulator_messages
           where connection_id = ${line.connectionId} and not from_customer order by seq`,
    ),
  );
}

type Row = { state: string; attempt: number; errorCode: string | null };

async function rowOf({ messageId }: Answer): Promise<Row | undefined> {
  const [row] = await database.db.acrossCompanies((tx) =>
    tx.query<Row>(
      sql`select state, attempt, error_code as "errorCode" from outbound
           where message_id = ${messageId} and command = 'message'`,
    ),
  );
  return row;
}

async function acksOf({ providerId }: Answer): Promise<number[]> {
  const rows = await database.db.acrossCompanies((tx) =>
    tx.query<{ level: number }>(
      sql`select level from test_acks where id = ${providerId} order by n`,
    ),
  );
  return rows.map(({ level }) => level);
}

/** Answers each of some customers `count` times: bodies 0, 1, 2, … */
async function answerMany(world: World, customers: number, count: number): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (let number = 0; number < count; number += 1) {
    for (let customer = 0; customer < customers; customer += 1) {
      const { process, line, ticketId } = world;
      answers.push(await process.answer(line, ticketId, phoneOf(customer), String(number)));
    }
  }
  return answers;
}

async function expectEachOnceInOrder(line: LineRef, customers: number, count: number) {
  const messages = await shown(line);
  for (let customer = 0; customer < customers; customer += 1) {
    const bodies = messages.filter(({ phone }) => phone === phoneOf(customer));
    expect(bodies.map(({ body }) => body)).toEqual(
      Array.from({ length: count }, (_, number) => String(number)),
    );
  }
  expect(messages).toHaveLength(customers * count);
}

test("answers leave once and in the order of each chat, and their acks come back in order", async () => {
  const world = await newWorld();
  const channels = world.process.runChannels();
  const answers = await answerMany(world, 10, EACH);
  await channels.idle();
  await expectEachOnceInOrder(world.line, 10, EACH);
  for (const answer of answers) {
    expect(await rowOf(answer)).toMatchObject({ state: "done", attempt: 1 });
    expect(await acksOf(answer)).toEqual([2, 3]);
  }
});

test("a refused answer fails with its reason, and the ones behind it go out", async () => {
  const world = await newWorld();
  const { process, line, ticketId } = world;
  await setNetwork(world, { sendMode: "refuse" });
  const channels = process.runChannels();
  const refused = await process.answer(line, ticketId, phoneOf(0), "refused");
  await eventually(async () => expect(await rowOf(refused)).toMatchObject({ state: "failed" }));
  expect(await process.sent(refused.messageId)).toMatchObject([
    { result: "failed", kind: "bad-request" },
  ]);
  await setNetwork(world, { sendMode: "deliver" });
  await process.answer(line, ticketId, phoneOf(0), "next");
  await channels.idle();
  expect((await shown(line)).map(({ body }) => body)).toEqual(["next"]);

  const again = await process.db.transaction(line, (tx) =>
    process.outbox.requeueFailed(tx, ctxOf(line), refused.messageId),
  );
  expect(again).toBe(true);
  await channels.idle();
  expect(await shown(line)).toMatchObject([
    { body: "next" },
    { body: "refused", id: refused.providerId },
  ]);
  expect(await rowOf(refused)).toMatchObject({ state: "done", errorCode: null });
});

test("only a failed message can be put back, and only by its own company", async () => {
  const world = await newWorld();
  const { process, line, ticketId } = world;
  const stranger = await newConnection(database.db, { wanted: false });
  await setNetwork(world, { sendMode: "refuse" });
  const channels = process.runChannels();
  const refused = await process.answer(line, ticketId, phoneOf(0), "a");
  await eventually(async () => expect(await rowOf(refused)).toMatchObject({ state: "failed" }));
  await setNetwork(world, { sendMode: "deliver" });
  const sent = await process.answer(line, ticketId, phoneOf(0), "b");
  await channels.idle();
  const requeue = (by: LineRef, { messageId }: Answer) =>
    process.db.transaction(by, (tx) => process.outbox.requeueFailed(tx, ctxOf(by), messageId));
  expect(await requeue(line, sent)).toBe(false);
  expect(await requeue(stranger, refused)).toBe(false);
  expect(await requeue(line, refused)).toBe(true);
});

test("an address that is none on this network is refused for good", async () => {
  const { process, line, ticketId } = await newWorld();
  process.runChannels();
  const answer = await process.answer(line, ticketId, "not a phone", "a");
  await eventually(async () =>
    expect(await process.sent(answer.messageId)).toMatchObject([{ kind: "recipient-unknown" }]),
  );
  expect(await shown(line)).toEqual([]);
});

test("answers of an offline connection wait and go out in order when it is back", async () => {
  const world = await newWorld();
  const { process, line } = world;
  await setNetwork(world, { online: false });
  const channels = process.runChannels();
  await eventually(async () => expect((await stateOf(process.db, line)).status).toBe("TIMEOUT"));
  const answers = await answerMany(world, 2, 5);
  for (const answer of answers) expect(await rowOf(answer)).toMatchObject({ state: "queued" });
  expect(await shown(line)).toEqual([]);
  await setNetwork(world, { online: true });
  await eventually(async () => expect((await stateOf(process.db, line)).status).toBe("CONNECTED"));
  await channels.idle();
  await expectEachOnceInOrder(line, 2, 5);
  for (const answer of answers)
    expect(await rowOf(answer)).toMatchObject({ state: "done", attempt: 1 });
});

test("a network that takes messages and keeps silent gets none of them twice, over a reconnection too", async () => {
  const world = await newWorld();
  const { process, line } = world;
  await setNetwork(world, { sendMode: "silent" });
  const channels = process.runChannels();
  const answers = await answerMany(world, 3, 4);
  await channels.idle();
  for (const answer of answers) {
    expect(await rowOf(answer)).toMatchObject({ state: "sent", attempt: 1 });
    expect(await acksOf(answer)).toEqual([]);
  }
  await setNetwork(world, { online: false, sendMode: "deliver" });
  await eventually(async () => expect((await stateOf(process.db, line)).status).toBe("TIMEOUT"));
  await setNetwork(world, { online: true });
  for (const answer of answers) {
    await eventually(async () => expect(await rowOf(answer)).toMatchObject({ state: "done" }));
  }
  await channels.idle();
  await expectEachOnceInOrder(line, 3, 4);
  for (const answer of answers) expect((await rowOf(answer))?.attempt).toBe(2);
});

test("a socket that drops in the middle of a send makes no second message and lets nothing overtake", async () => {
  const world = await newWorld();
  const { process, line, ticketId } = world;
  const channels = process.runChannels();
  await process.answer(line, ticketId, phoneOf(0), "0");
  await channels.idle();
  await setNetwork(world, { sendMode: "disconnect" });
  const dropped = await process.answer(line, ticketId, phoneOf(0), "1");
  await process.answer(line, ticketId, phoneOf(0), "2");
  await eventually(async () => expect((await rowOf(dropped))?.attempt).toBeGreaterThan(0));
  await setNetwork(world, { sendMode: "deliver" });
  await eventually(async () => expect(await shown(line)).toHaveLength(3));
  await channels.idle();
  await expectEachOnceInOrder(line, 1, 3);
  expect(await rowOf(dropped)).toMatchObject({ state: "done" });
});

test("replies that a killed process was sending are sent once and in order by the next owner", async () => {
  const world = await newWorld();
  const { line } = world;
  const customers = 8;
  world.process.runChannels();
  // The calls that the crash cuts off are never answered, or end at their time limit.
  answerMany(world, customers, 30).catch(() => undefined);
  await eventually(async () => expect((await shown(line)).length).toBeGreaterThan(30));
  await world.process.crash();

  const second = await startProcess(database);
  const channels = second.runChannels();
  const accepted = async () =>
    database.db.acrossCompanies((tx) =>
      tx.query<{ id: string; phone: string; state: string }>(
        sql`select provider_id as id, to_value as phone, state from outbound
             where connection_id = ${line.connectionId} order by outbound.id`,
      ),
    );
  await eventually(async () => {
    const states = new Set((await accepted()).map(({ state }) => state));
    expect([...states]).toEqual(["done"]);
  });
  await channels.idle();
  const [wanted, got] = [await accepted(), await shown(line)];
  expect(wanted.length).toBeGreaterThan(30);
  for (let customer = 0; customer < customers; customer += 1) {
    const idsOf = (rows: { phone: string; id: string }[]) =>
      rows.filter(({ phone }) => phone === phoneOf(customer)).map(({ id }) => id);
    expect(idsOf(got)).toEqual(idsOf(wanted));
  }
});

test("a database that breaks its connections in the middle of sends makes no second message", async () => {
  const line = await newConnection(database.db);
  const [writer, owner] = [await startProcess(database), await startProcess(database)];
  await writer.link(line);
  const world = { line, process: writer, ticketId: await newTicket(database.db, line) };
  const channels = owner.runChannels();
  const breaking = (async () => {
    for (let times = 0; times < BREAKS; times += 1) {
      await owner.breakConnections();
      await new Promise((resolve) => setTimeout(resolve, 80));
    }
  })();
  const answers = await answerMany(world, 8, EACH);
  await eventually(async () => expect(await shown(line)).toHaveLength(8 * EACH));
  await breaking;
  for (const answer of answers) {
    await eventually(async () => expect(await rowOf(answer)).toMatchObject({ state: "done" }));
  }
  await channels.stop();
  await expectEachOnceInOrder(line, 8, EACH);
});

test("a message that was being sent long before the crash is not sent again: a person decides", async () => {
  const world = await newWorld();
  const { process, line, ticketId } = world;
  const answer = await process.answer(line, ticketId, phoneOf(0), "old");
  await database.db.acrossCompanies((tx) =>
    tx.query(sql`update outbound set state = 'sending', attempt = 1, attempted_at = now() - interval '1 hour'
                  where message_id = ${answer.messageId}`),
  );
  process.runChannels();
  await eventually(async () => expect(await rowOf(answer)).toMatchObject({ state: "unconfirmed" }));
  expect(await process.sent(answer.messageId)).toMatchObject([
    { result: "failed", kind: "unconfirmed" },
  ]);
  expect(await shown(line)).toEqual([]);
});

test("read receipts are sent for the newest read message of each chat", async () => {
  const { process, line } = await newWorld();
  const channels = process.runChannels();
  for (const id of ["R1", "R2", "R3"]) await process.write(line, phoneOf(0), id, id);
  await process.write(line, phoneOf(1), "other", "O1");
  await channels.idle();
  const mark = (providerId: string, place: number) =>
    process.db.transaction(line, (tx) =>
      process.outbox.enqueueReadReceipt(tx, ctxOf(line), {
        connectionId: line.connectionId,
        to: { kind: "pn", value: phoneOf(place) },
        providerId,
      }),
    );
  await mark("R1", 0);
  await mark("R2", 0);
  await channels.idle();
  const acks = await database.db.acrossCompanies((tx) =>
    tx.query<{ id: string; ack: number }>(
      sql`select id, ack from simulator_messages where connection_id = ${line.connectionId} order by id`,
    ),
  );
  expect(acks).toEqual([
    { id: "O1", ack: 2 },
    { id: "R1", ack: 4 },
    { id: "R2", ack: 4 },
    { id: "R3", ack: 2 },
  ]);
  const left = await database.db.acrossCompanies((tx) =>
    tx.query(sql`select 1 from read_receipts where connection_id = ${line.connectionId}`),
  );
  expect(left).toEqual([]);
});

/** Rows that are more or less urgent, stored while the connection is offline; then it comes back. */
async function sendOnceOnline(world: World, store: () => Promise<void>): Promise<void> {
  const { process, line } = world;
  await setNetwork(world, { online: false });
  process.runChannels();
  await eventually(async () => expect((await stateOf(process.db, line)).status).toBe("TIMEOUT"));
  await store();
  await setNetwork(world, { online: true });
}

test("an agent's answer overtakes bulk messages of other chats and none of its own chat", async () => {
  const world = await newWorld({ chatsAtOnce: 1, bulkGapMs: 1 });
  const { process, line, ticketId } = world;
  const send = (place: number, text: string, priority: OutboundPriority): Promise<Answer> =>
    process.answer(line, ticketId, phoneOf(place), text, { priority });
  await sendOnceOnline(world, async () => {
    await send(0, "campaign 0", "campaign");
    await send(1, "campaign 1", "campaign");
    await send(2, "schedule 2", "schedule");
    await send(3, "attendant 3", "attendant");
    await send(1, "agent 1", "agent");
    await send(1, "campaign 1 again", "campaign");
  });
  await eventually(async () => expect(await shown(line)).toHaveLength(6));
  expect((await shown(line)).map(({ body }) => body)).toEqual([
    ...["campaign 1", "agent 1"],
    ...["attendant 3", "schedule 2", "campaign 0", "campaign 1 again"],
  ]);
});

test("bulk messages of a connection keep a gap, which delays no answer", async () => {
  const world = await newWorld({ bulkGapMs: 3_600_000 });
  const { process, line, ticketId } = world;
  process.runChannels();
  const first = await process.answer(line, ticketId, phoneOf(0), "0", { priority: "schedule" });
  await eventually(async () => expect(await rowOf(first)).toMatchObject({ state: "done" }));
  const second = await process.answer(line, ticketId, phoneOf(1), "1", { priority: "campaign" });
  const answer = await process.answer(line, ticketId, phoneOf(2), "2");
  await eventually(async () => expect(await rowOf(answer)).toMatchObject({ state: "done" }));
  expect(await rowOf(second)).toMatchObject({ state: "queued", attempt: 0 });
  // The answer to its customer takes the waiting one along.
  await process.answer(line, ticketId, phoneOf(1), "3");
  await eventually(async () => expect(await shown(line)).toHaveLength(4));
  expect((await shown(line)).map(({ body }) => body)).toEqual(["0", "2", "1", "3"]);
});

test("an answer does not wait for more bulk messages than fit in memory", async () => {
  const world = await newWorld({ bulkGapMs: 3_600_000 });
  const { process, line, ticketId } = world;
  const bulk = await process.answer(line, ticketId, phoneOf(0), "bulk", { priority: "campaign" });
  await database.db.acrossCompanies((tx) =>
    tx.query(sql`insert into outbound (company_id, connection_id, message_id, chat_key, to_kind, to_value, provider_id,
                                       command, body, priority)
                 select company_id, connection_id, message_id, chat_key || n, to_kind, to_value || n, provider_id || n,
                        'edit', body, priority
                   from outbound, generate_series(1, 600) as n where message_id = ${bulk.messageId}`),
  );
  process.runChannels();
  await eventually(async () => expect(await rowOf(bulk)).toMatchObject({ state: "done" }));
  // The memory holds 499 bulk rows; one that waits for its time and one more answer fill it for good.
  const dueAt = new Date(Date.now() + 3_600_000);
  await process.answer(line, ticketId, phoneOf(1), "later", { dueAt });
  for (const place of [2, 3]) {
    const answer = await process.answer(line, ticketId, phoneOf(place), "answer");
    await eventually(async () => expect(await rowOf(answer)).toMatchObject({ state: "done" }));
  }
});
