import { sql } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";
import type { TestDatabase } from "../../testing/database.ts";
import { testDatabase } from "../../testing/database.ts";
import { sized } from "../../testing/soak.ts";
import type { DurableEvent } from "../port.ts";
import type { LineRef } from "../simulator/line.ts";
import { addConnection, newConnection } from "../testing/company.ts";
import { eventually } from "../testing/eventually.ts";
import type { TestProcess } from "../testing/process.ts";
import { startProcess } from "../testing/process.ts";
import { textOf } from "../testing/product.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});

/** Messages of each chat where many are sent. */
const EACH = sized({ test: 8, soak: 40 });
/** Times that the database breaks all connections. */
const BREAKS = sized({ test: 6, soak: 12 });

const phoneOf = (place: number): string => `55119${String(10_000_000 + place)}`;

/** Writes `count` messages in turns over some customers; a chat's bodies are 0, 1, 2, … */
async function writeMany(
  writer: TestProcess,
  line: LineRef,
  { count, customers }: { count: number; customers: number },
): Promise<void> {
  await Promise.all(
    Array.from({ length: customers }, async (_, customer) => {
      for (let number = 0; number * customers + customer < count; number += 1) {
        await writer.write(line, phoneOf(customer), String(number));
      }
    }),
  );
}

/** The messages that each chat received, in order. */
async function chatsOf(reader: TestProcess, line: LineRef): Promise<Map<string, string[]>> {
  const chats = new Map<string, string[]>();
  for (const { chat, body } of await reader.received(line)) {
    chats.set(chat, [...(chats.get(chat) ?? []), body]);
  }
  return chats;
}

const upTo = (count: number): string[] => Array.from({ length: count }, (_, n) => String(n));

async function journalOf(line: LineRef): Promise<{ attempts: number; hasFailed: boolean }[]> {
  return database.db.acrossCompanies((tx) =>
    tx.query<{ attempts: number; hasFailed: boolean }>(
      sql`select attempts, failed_at is not null as "hasFailed" from inbound_journal
           where connection_id = ${line.connectionId} order by id`,
    ),
  );
}

test("messages of many customers all arrive, once and in the order of each chat", async () => {
  const line = await newConnection(database.db);
  const process = await startProcess(database);
  await process.link(line);
  const channels = process.runChannels();
  await writeMany(process, line, { count: 30 * EACH, customers: 30 });
  await channels.idle();
  const chats = await chatsOf(process, line);
  expect(chats.size).toBe(30);
  for (const bodies of chats.values()) expect(bodies).toEqual(upTo(EACH));
  expect(await journalOf(line)).toEqual([]);
});

test("a message whose handling fails now and then is tried again, and its chat waits for it", async () => {
  const line = await newConnection(database.db);
  const tries = new Map<string, number>();
  const process = await startProcess(database, {
    beforeReceive: (event) => {
      if (event.type !== "message" || Number(textOf(event)) % 3 > 0) return;
      const number = (tries.get(event.ref.id) ?? 0) + 1;
      tries.set(event.ref.id, number);
      if (number < 4) throw new Error("now and then");
    },
  });
  await process.link(line);
  const channels = process.runChannels();
  await writeMany(process, line, { count: 10 * EACH, customers: 10 });
  await channels.idle();
  const chats = await chatsOf(process, line);
  expect(chats.size).toBe(10);
  for (const bodies of chats.values()) expect(bodies).toEqual(upTo(EACH));
});

test("a message that always fails is given up after five attempts, stays in the journal, and its chat continues", async () => {
  const line = await newConnection(database.db);
  const tries: string[] = [];
  const process = await startProcess(database, {
    beforeReceive: (event) => {
      if (event.type !== "message" || textOf(event) !== "1") return;
      tries.push(textOf(event));
      throw new Error("poison");
    },
  });
  await process.link(line);
  const channels = process.runChannels();
  await writeMany(process, line, { count: 3, customers: 1 });
  await channels.idle();
  expect((await chatsOf(process, line)).get(phoneOf(0))).toEqual(["0", "2"]);
  expect(tries).toHaveLength(5);
  expect(await journalOf(line)).toEqual([{ attempts: 5, hasFailed: true }]);
});

test("a rolled back handling leaves nothing behind", async () => {
  const line = await newConnection(database.db);
  let hasFailed = false;
  const process = await startProcess(database, {
    beforeReceive: async (_event, tx) => {
      await tx.query(sql`insert into test_acks (connection_id, id, level)
                         values (${line.connectionId}, 'side effect', 1)`);
      if (hasFailed) return;
      hasFailed = true;
      throw new Error("once");
    },
  });
  await process.link(line);
  const channels = process.runChannels();
  await process.write(line, phoneOf(0), "0");
  await channels.idle();
  const effects = await database.db.acrossCompanies((tx) =>
    tx.query(sql`select 1 from test_acks where connection_id = ${line.connectionId}`),
  );
  expect(effects).toHaveLength(1);
});

test("events that a killed process had stored are handled by the next one, in order", async () => {
  const line = await newConnection(database.db);
  let isStuck = true;
  const stuck = new Promise<never>(() => undefined);
  const first = await startProcess(database, {
    // As if it were killed in the middle of its work: nothing after this happens.
    beforeReceive: () => (isStuck ? stuck : undefined),
  });
  await first.link(line);
  first.runChannels();
  await writeMany(first, line, { count: 60, customers: 6 });
  await eventually(async () => expect(await journalOf(line)).toHaveLength(60));
  await first.crash();
  isStuck = false;

  const second = await startProcess(database);
  const channels = second.runChannels();
  await writeMany(second, line, { count: 60, customers: 6 });
  await eventually(async () => expect(await second.received(line)).toHaveLength(120));
  await channels.idle();
  const chats = await chatsOf(second, line);
  for (const bodies of chats.values()) expect(bodies).toEqual([...upTo(10), ...upTo(10)]);
  expect(await journalOf(line)).toEqual([]);
});

test("messages that were delivered but not receipted before a crash arrive once", async () => {
  const line = await newConnection(database.db);
  const first = await startProcess(database);
  await first.link(line);
  first.runChannels();
  // The calls that the crash cuts off are never answered, or end at their time limit.
  writeMany(first, line, { count: 400, customers: 20 }).catch(() => undefined);
  await eventually(async () => expect((await first.received(line)).length).toBeGreaterThan(40));
  await first.crash();
  const second = await startProcess(database);
  const channels = second.runChannels();
  const kept = await database.db.acrossCompanies((tx) =>
    tx.query<{ id: string }>(
      sql`select id from simulator_messages where connection_id = ${line.connectionId}`,
    ),
  );
  await eventually(async () => expect(await second.received(line)).toHaveLength(kept.length));
  await channels.idle();
  for (const bodies of (await chatsOf(second, line)).values()) {
    expect(bodies).toEqual(upTo(bodies.length));
  }
});

test("a database that breaks its connections again and again loses, doubles and reorders nothing", async () => {
  const line = await newConnection(database.db);
  const [writer, owner] = [await startProcess(database), await startProcess(database)];
  await writer.link(line);
  const channels = owner.runChannels();
  const breaking = (async () => {
    for (let times = 0; times < BREAKS; times += 1) {
      await owner.breakConnections();
      await new Promise((resolve) => setTimeout(resolve, 60));
    }
  })();
  await writeMany(writer, line, { count: 20 * EACH, customers: 20 });
  await eventually(async () => expect(await writer.received(line)).toHaveLength(20 * EACH));
  await breaking;
  await eventually(async () => expect(await journalOf(line)).toEqual([]));
  await channels.stop();
  const chats = await chatsOf(writer, line);
  expect(chats.size).toBe(20);
  for (const bodies of chats.values()) expect(bodies).toEqual(upTo(EACH));
});

test("a stopped session leaves no event unhandled", async () => {
  const line = await newConnection(database.db);
  const process = await startProcess(database, {
    beforeReceive: () => new Promise((resolve) => setTimeout(resolve, 3)),
  });
  await process.link(line);
  process.runChannels();
  await writeMany(process, line, { count: 80, customers: 4 });
  await eventually(async () => expect((await process.received(line)).length).toBeGreaterThan(0));
  await database.db.acrossCompanies((tx) =>
    tx.query(sql`update connections set wanted = false where id = ${line.connectionId}`),
  );
  await eventually(async () => {
    const [lease] = await database.db.acrossCompanies((tx) =>
      tx.query<{ isFree: boolean }>(
        sql`select expires_at < now() as "isFree" from connection_leases
             where connection_id = ${line.connectionId}`,
      ),
    );
    expect(lease?.isFree).toBe(true);
  });
  await eventually(async () => expect(await journalOf(line)).toEqual([]));
});

test("more messages than memory holds wait in the journal and keep their order", async () => {
  const line = await newConnection(database.db);
  const process = await startProcess(database, { settings: { backlogInMemory: 20 } });
  await process.link(line);
  await writeMany(process, line, { count: 15 * 2 * EACH, customers: 15 });
  const channels = process.runChannels();
  await eventually(async () => expect(await process.received(line)).toHaveLength(15 * 2 * EACH));
  await channels.idle();
  for (const bodies of (await chatsOf(process, line)).values()) {
    expect(bodies).toEqual(upTo(2 * EACH));
  }
});

test("a company that floods does not hold up another company's message", async () => {
  const [flooded, quiet] = [await newConnection(database.db), await newConnection(database.db)];
  const handled: LineRef["companyId"][] = [];
  const process = await startProcess(database, {
    settings: { inboundAtOnce: 1 },
    beforeReceive: async (_event: DurableEvent, tx) => {
      const [row] = await tx.query<{ companyId: LineRef["companyId"] }>(
        sql`select current_setting('app.company_id')::int as "companyId"`,
      );
      if (row) handled.push(row.companyId);
      await new Promise((resolve) => setTimeout(resolve, 5));
    },
  });
  await writeMany(process, flooded, { count: 300, customers: 30 });
  await process.link(flooded);
  await process.link(quiet);
  process.runChannels();
  await eventually(() => expect(handled.length).toBeGreaterThan(20));
  await process.write(quiet, phoneOf(0), "0");
  await eventually(() => expect(handled).toContain(quiet.companyId));
  expect(handled.indexOf(quiet.companyId)).toBeLessThan(200);
});

test("messages that wait to be stored count as the company's waiting work", async () => {
  const line = await newConnection(database.db);
  const process = await startProcess(database);
  await process.link(line);
  const channels = process.runChannels();
  await process.write(line, phoneOf(0), "0");
  await channels.idle();
  await database.db.acrossCompanies(async (tx) => {
    await tx.query(sql`lock table inbound_journal in share row exclusive mode`);
    await Promise.all(
      Array.from({ length: 5 }, (_, n) => process.write(line, phoneOf(n), String(n))),
    );
    await eventually(() => expect(channels.waitingOf(line.companyId)).toBe(5));
  });
  await channels.idle();
  expect(channels.waitingOf(line.companyId)).toBe(0);
});

test("a message costs one statement beside those of its handling", async () => {
  const line = await newConnection(database.db);
  const process = await startProcess(database);
  await process.link(line);
  const channels = process.runChannels();
  await process.write(line, phoneOf(0), "0");
  await channels.idle();
  process.statements.take();
  await process.write(line, phoneOf(0), "1");
  await channels.idle();
  const statements = process.statements.take();
  expect(statements.filter((text) => text.includes("insert into inbound_journal"))).toHaveLength(1);
  expect(statements.filter((text) => text.includes("delete from inbound_journal"))).toHaveLength(1);
  expect(statements.filter((text) => text.includes("for key share"))).toHaveLength(2);
});

test("two connections of a company do not wait for each other", async () => {
  const stuckLine = await newConnection(database.db);
  const line = await addConnection(database.db, stuckLine.companyId);
  const stuck = new Promise<never>(() => undefined);
  const process = await startProcess(database, {
    beforeReceive: (event) =>
      event.type === "message" && textOf(event) === "stuck" ? stuck : undefined,
    settings: { stopMs: 50 },
  });
  await process.link(stuckLine);
  await process.link(line);
  process.runChannels();
  await process.write(stuckLine, phoneOf(0), "stuck");
  await process.write(line, phoneOf(0), "0");
  await eventually(async () => expect(await process.received(line)).toHaveLength(1));
  expect(await process.received(stuckLine)).toEqual([]);
  await process.crash();
});
