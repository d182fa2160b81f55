import { setTimeout as delay } from "node:timers/promises";
import type { MessageId, TicketId } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";
import type { TestDatabase } from "../../testing/database.ts";
import { testDatabase } from "../../testing/database.ts";
import type { LineRef } from "../simulator/line.ts";
import { newConnection, newTicket } from "../testing/company.ts";
import { eventually } from "../testing/eventually.ts";
import type { TestProcess } from "../testing/process.ts";
import { ctxOf, startProcess } from "../testing/process.ts";
import type { ChannelRuntime } from "./index.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});

const phone = "5511922000001";

type World = { line: LineRef; process: TestProcess; channels: ChannelRuntime; ticketId: TicketId };

async function newWorld(): Promise<World> {
  const line = await newConnection(database.db);
  const process = await startProcess(database);
  await process.link(line);
  const channels = process.runChannels();
  return { line, process, channels, ticketId: await newTicket(database.db, line) };
}

const cancel = ({ process }: World, line: LineRef, messageId: MessageId): Promise<boolean> =>
  process.db.transaction(line, (tx) => process.outbox.cancelQueued(tx, ctxOf(line), messageId));

async function shown(line: LineRef): Promise<{ id: string; body: string }[]> {
  return database.db.acrossCompanies((tx) =>
    tx.query<{ id: string; body: string }>(
      sql`select id, body from simulator_messages
           where connection_id = ${line.connectionId} and not from_customer order by seq`,
    ),
  );
}

const inTenMinutes = () => new Date(Date.now() + 10 * 60_000);

test("a scheduled message can be cancelled, and the next one of its chat is sent at once", async () => {
  const world = await newWorld();
  const { line, process, ticketId } = world;
  const dueAt = inTenMinutes();
  const waiting = await process.answer(line, ticketId, phone, "desfeito", { dueAt });
  await process.answer(line, ticketId, phone, "segue");
  // The pump knows both: a message of another chat that was handed over later has left.
  await process.answer(line, ticketId, "5511922000002", "outra conversa");
  await eventually(async () => expect(await shown(line)).toHaveLength(1));
  expect((await shown(line)).map(({ body }) => body)).toEqual(["outra conversa"]);
  expect(await cancel(world, line, waiting.messageId)).toBe(true);
  await eventually(async () => expect(await shown(line)).toHaveLength(2));
  expect((await shown(line)).map(({ body }) => body)).toEqual(["outra conversa", "segue"]);
  expect(await cancel(world, line, waiting.messageId)).toBe(false);
});

test("a scheduled message is sent when it is due", async () => {
  const world = await newWorld();
  const { line, process, ticketId, channels } = world;
  const dueAt = new Date(Date.now() + 400);
  const answer = await process.answer(line, ticketId, phone, "Oi", { dueAt });
  await channels.idle();
  expect(await shown(line)).toMatchObject([{ id: answer.providerId }]);
  expect(Date.now()).toBeGreaterThanOrEqual(dueAt.getTime());
  expect(await cancel(world, line, answer.messageId)).toBe(false);
});

test("only its own company can cancel a message", async () => {
  const world = await newWorld();
  const { line, process, ticketId } = world;
  const stranger = await newConnection(database.db, { wanted: false });
  const dueAt = inTenMinutes();
  const { messageId } = await process.answer(line, ticketId, phone, "Oi", { dueAt });
  expect(await cancel(world, stranger, messageId)).toBe(false);
  expect(await cancel(world, line, messageId)).toBe(true);
});

test("a message that waits for its second attempt cannot be cancelled", async () => {
  const world = await newWorld();
  const { line, process, ticketId } = world;
  const dueAt = inTenMinutes();
  const { messageId } = await process.answer(line, ticketId, phone, "Oi", { dueAt });
  await database.db.acrossCompanies((tx) =>
    tx.query(sql`update outbound set attempted_at = now() where message_id = ${messageId}`),
  );
  expect(await cancel(world, line, messageId)).toBe(false);
});

test("messages that are cancelled during the send are either sent or not, and the reply says which", async () => {
  const world = await newWorld();
  const { line, process, ticketId, channels } = world;
  const cancelled = new Map<string, boolean>();
  await Promise.all(
    Array.from({ length: 12 }, async (_, customer) => {
      for (let number = 0; number < 8; number += 1) {
        const to = `55119220001${String(customer).padStart(2, "0")}`;
        // Due in a moment, and taken back long before it, long after it, and at times in between.
        const dueAt = new Date(Date.now() + 60);
        const answer = await process.answer(line, ticketId, to, String(number), { dueAt });
        if (number > 0) await delay(number * 25);
        cancelled.set(answer.providerId, await cancel(world, line, answer.messageId));
      }
    }),
  );
  await channels.idle();
  const left = new Set((await shown(line)).map(({ id }) => id));
  for (const [id, isCancelled] of cancelled) expect([id, left.has(id)]).toEqual([id, !isCancelled]);
  // Both ends of the race were seen.
  expect(new Set(cancelled.values()).size).toBe(2);
});
