import { sql } from "drizzle-orm";
import { randomUUID } from "node:crypto";
import { beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { openDatabase } from "../../platform/db/database.ts";
import { createLogger } from "../../platform/logging/logger.ts";
import type { TestDatabase } from "../../testing/database.ts";
import { testDatabase } from "../../testing/database.ts";
import { LeaseLost } from "../port.ts";
import type { LineRef } from "../simulator/line.ts";
import { newConnection, newTicket } from "../testing/company.ts";
import { eventually } from "../testing/eventually.ts";
import type { Lease } from "./deps.ts";
import { LeaseKeeper, lockedTickets, transactionUnderLease } from "./lease.ts";
import type { ChannelSettings } from "./deps.ts";
import { defaultSettings } from "./deps.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});

/** A keeper of its own "process"; it renews only when told to be quick. */
function newKeeper(settings: Partial<ChannelSettings> = {}, db = database.db): LeaseKeeper {
  const keeper = new LeaseKeeper({
    db,
    owner: randomUUID(),
    settings: { ...defaultSettings, ...settings },
    log: createLogger({ level: "silent", pretty: false }),
  });
  onTestFinished(() => keeper.stop());
  return keeper;
}

async function take(keeper: LeaseKeeper, line: LineRef): Promise<Lease> {
  const lease = await keeper.take(line, () => undefined);
  if (!lease) throw new Error("not taken");
  return lease;
}

async function expire(line: LineRef): Promise<void> {
  await database.db.acrossCompanies((tx) =>
    tx.query(sql`update connection_leases set expires_at = now() - interval '1 ms'
                  where connection_id = ${line.connectionId}`),
  );
}

const write = (lease: Lease) => transactionUnderLease(database.db, lease, async () => "written");

test("a connection has one owner: the second process does not get it until it is released", async () => {
  const line = await newConnection(database.db);
  const [first, second] = [newKeeper(), newKeeper()];
  const lease = await take(first, line);
  expect(await second.take(line, () => undefined)).toBeNull();
  await first.release(lease);
  const next = await take(second, line);
  expect(next.fence).toBe(lease.fence + 1);
});

test("exactly one of many processes takes a free connection", async () => {
  const line = await newConnection(database.db);
  const keepers = Array.from({ length: 8 }, () => newKeeper());
  const taken = await Promise.all(keepers.map((keeper) => keeper.take(line, () => undefined)));
  expect(taken.filter((lease) => lease !== null)).toHaveLength(1);
});

test("after a take-over the old owner's writes are refused and the new one's are not", async () => {
  const line = await newConnection(database.db);
  const [first, second] = [newKeeper(), newKeeper()];
  const old = await take(first, line);
  await expect(write(old)).resolves.toBe("written");
  await expire(line);
  const next = await take(second, line);
  await expect(write(old)).rejects.toThrow(LeaseLost);
  await expect(write(next)).resolves.toBe("written");
});

test("a process that takes its own expired connection again does not keep the old fence", async () => {
  const line = await newConnection(database.db);
  const keeper = newKeeper();
  const old = await take(keeper, line);
  await expire(line);
  const again = await take(keeper, line);
  await expect(write(old)).rejects.toThrow(LeaseLost);
  await expect(write(again)).resolves.toBe("written");
});

test("a take-over waits for a write of the old owner that is under way", async () => {
  const line = await newConnection(database.db);
  const [first, second] = [newKeeper(), newKeeper()];
  const old = await take(first, line);
  const order: string[] = [];
  let finishWrite = (): void => undefined;
  const writing = transactionUnderLease(database.db, old, async (tx) => {
    order.push("locked");
    await new Promise<void>((resolve) => (finishWrite = resolve));
    await tx.query(sql`select 1`);
  }).then(() => order.push("written"));
  await eventually(() => expect(order).toEqual(["locked"]));
  await expire(line);
  const taking = take(second, line).then(() => order.push("taken"));
  await eventually(async () => {
    const waiting = await database.db.acrossCompanies((tx) =>
      tx.query(sql`select 1 from pg_stat_activity
                    where datname = current_database() and wait_event_type = 'Lock'`),
    );
    expect(waiting.length).toBeGreaterThan(0);
  });
  order.push("finishing");
  finishWrite();
  await Promise.all([writing, taking]);
  expect(order.slice(0, 2)).toEqual(["locked", "finishing"]);
  expect(order.slice(2).sort()).toEqual(["taken", "written"]);
});

/** A busy machine may hold a process up for longer than a second. */
const oftenRenewed = { leaseMs: 4_000, renewEveryMs: 100, closeAfterMs: 3_900 };

test("a lease is kept by renewal, longer than it lasts without", async () => {
  const line = await newConnection(database.db);
  const keeper = newKeeper(oftenRenewed);
  const lease = await take(keeper, line);
  const beganMs = performance.now();
  await eventually(() => expect(performance.now() - beganMs).toBeGreaterThan(4_100));
  expect(await newKeeper().take(line, () => undefined)).toBeNull();
  await expect(write(lease)).resolves.toBe("written");
});

test("a writer does not hold up the renewal of its lease", async () => {
  const line = await newConnection(database.db);
  const keeper = newKeeper(oftenRenewed);
  const lost = vi.fn();
  const lease = await keeper.take(line, lost);
  if (!lease) throw new Error("not taken");
  const beganMs = performance.now();
  await transactionUnderLease(database.db, lease, async (tx) => {
    await tx.query(sql`select pg_sleep(4.2)`);
  });
  expect(performance.now() - beganMs).toBeGreaterThan(4_100);
  expect(lost).not.toHaveBeenCalled();
  await expect(write(lease)).resolves.toBe("written");
});

test("other work that takes every connection does not hold up the renewal of a lease", async () => {
  const line = await newConnection(database.db);
  const db = openDatabase({
    ...database,
    poolSize: 2,
    log: createLogger({ level: "silent", pretty: false }),
  });
  onTestFinished(() => db.close());
  const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
  const flood = Array.from({ length: 20 }, (_, n) =>
    n % 2 === 0 ? db.acrossCompanies(() => isOver) : db.transaction(line, () => isOver),
  );
  const keeper = newKeeper({ leaseMs: 20_000, renewEveryMs: 50 }, db);
  await take(keeper, line);
  const read = () =>
    database.db.acrossCompanies(async (tx) => {
      const [row] = await tx.query<{ until: Date }>(
        sql`select expires_at as until from connection_leases where connection_id = ${line.connectionId}`,
      );
      return row?.until.getTime() ?? 0;
    });
  const taken = await read();
  await eventually(async () => expect(await read()).toBeGreaterThan(taken));
  end();
  await Promise.all(flood);
});

test("an owner that cannot renew closes its sessions before anybody else may take the connection", async () => {
  const line = await newConnection(database.db);
  const keeper = newKeeper({ leaseMs: 60_000, renewEveryMs: 120_000, closeAfterMs: 150 });
  const lost = vi.fn();
  await keeper.take(line, lost);
  await eventually(() => expect(lost).toHaveBeenCalledOnce());
  expect(await newKeeper().take(line, () => undefined)).toBeNull();
});

test("a process that could not renew its lease takes the connection again before the lease ends, with a new fence", async () => {
  const line = await newConnection(database.db);
  const keeper = newKeeper({ leaseMs: 60_000, renewEveryMs: 120_000, closeAfterMs: 150 });
  const lost = vi.fn();
  const before = await keeper.take(line, lost);
  await eventually(() => expect(lost).toHaveBeenCalledOnce());
  if (!before) throw new Error("not taken");
  const after = await take(keeper, line);
  expect(after.fence).toBe(before.fence + 1);
  await expect(write(before)).rejects.toThrow(LeaseLost);
  expect(await write(after)).toBe("written");
});

test("an owner learns at its next renewal that its lease is gone", async () => {
  const line = await newConnection(database.db);
  const lost = vi.fn();
  const keeper = newKeeper({ leaseMs: 60_000, renewEveryMs: 30, closeAfterMs: 50_000 });
  await keeper.take(line, lost);
  await expire(line);
  await eventually(() => expect(lost).toHaveBeenCalledOnce());
});

test("the tickets of a reported send are found in few pages, also before the tables have statistics", async () => {
  const { connectionId, companyId } = await newConnection(database.db);
  const line = { companyId, connectionId };
  const ticketId = await newTicket(database.db, line);
  const pages = await database.db.acrossCompanies(async (tx) => {
    for (const table of ["tickets", "messages", "outbound"])
      await tx.query(sql.raw(`alter table ${table} set (autovacuum_enabled = off)`));
    await tx.query(sql`
      with m as (
        insert into messages (company_id, id, ticket_id, connection_id, provider_id, body, from_me, read, ack)
        select ${companyId}, gen_random_uuid(), ${ticketId}, ${connectionId}, 'M' || n, '', true, true, 1
        from generate_series(1, 400) n returning *)
      insert into outbound (company_id, connection_id, message_id, chat_key, to_kind, to_value, provider_id, body)
      select company_id, connection_id, id, 'pn:1', 'pn', '1', provider_id, '{}' from m`);
    const text = `explain (analyze, buffers, format json)
      with held as materialized (select 1), ${lockedTickets("o.connection_id = $2 and o.provider_id = $3")}
      select * from tickets_of_rows`;
    type Plan = { "QUERY PLAN": [{ Plan: { "Shared Hit Blocks": number } }] };
    const values = [companyId, connectionId, "M200"];
    const [row] = await tx.query<Plan>({ name: "", text }, values);
    return row?.["QUERY PLAN"][0].Plan["Shared Hit Blocks"];
  });
  expect(pages).toBeLessThan(1_000);
});
