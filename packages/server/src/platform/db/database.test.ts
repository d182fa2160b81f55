import type { CompanyId } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { pino } from "pino";
import { beforeAll, expect, test } from "vitest";
import type { TestDatabase } from "../../testing/database.ts";
import { testDatabase } from "../../testing/database.ts";
import { atEndOfFile } from "../../testing/end-of-file.ts";
import { openDatabase } from "./database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});

test("onCommit callbacks run after the commit, and not at all if the transaction fails", async () => {
  const { db } = database;
  const told: string[] = [];
  await db.acrossCompanies(async (tx) => {
    tx.onCommit(() => told.push("kept"));
    await tx.query(sql`insert into installation (key, value) values ('a', '1')`);
    expect(told).toEqual([]);
  });
  await expect(
    db.acrossCompanies(async (tx) => {
      tx.onCommit(() => told.push("lost"));
      await tx.query(sql`insert into installation (key, value) values ('b', '1')`);
      throw new Error("changed my mind");
    }),
  ).rejects.toThrow("changed my mind");
  expect(told).toEqual(["kept"]);
  const rows = await db.acrossCompanies((tx) =>
    tx.query<{ key: string }>(sql`select key from installation where key in ('a', 'b')`),
  );
  expect(rows).toEqual([{ key: "a" }]);
});

test("an action after the commit that throws is logged; the others run and the use case is done", async () => {
  const lines: string[] = [];
  const logging = openDatabase({
    serviceUrl: database.serviceUrl,
    appUrl: database.appUrl,
    poolSize: 1,
    log: pino({ level: "trace" }, { write: (line: string) => lines.push(line) }),
  });
  atEndOfFile(() => logging.close());
  const told: string[] = [];
  const result = await logging.acrossCompanies(async (tx) => {
    tx.onCommit(() => told.push("first"));
    tx.onCommit(() => {
      throw new Error("nobody listens");
    });
    tx.onCommit(() => told.push("last"));
    return "done";
  });
  expect([result, ...told]).toEqual(["done", "first", "last"]);
  expect(lines.join()).toContain("nobody listens");
});

test("through a pooler every transaction brings its limits, and statements have no names unless they are kept", async () => {
  const { serviceUrl, appUrl } = database;
  const log = pino({ level: "silent" });
  const company = { companyId: 1 as CompanyId };
  const limits = `select current_setting('statement_timeout') as statement,
    current_setting('idle_in_transaction_session_timeout') as idle,
    (select count(*)::int from pg_prepared_statements where not from_sql) as kept`;
  const statement = { name: "read-limits", text: limits };
  for (const [keepsStatements, kept] of [
    [false, 0],
    [true, 1],
  ] as const) {
    const db = openDatabase({
      ...{ serviceUrl, appUrl, log, poolSize: 2, pooler: { keepsStatements } },
    });
    atEndOfFile(() => db.close());
    const expected = [{ statement: "8s", idle: "30s", kept }];
    expect(await db.transaction(company, (tx) => tx.query(statement))).toEqual(expected);
    expect(await db.acrossCompanies((tx) => tx.query(statement))).toEqual(expected);
    expect(await db.read(company, statement, [])).toEqual(expected);
    // The connection itself has no limits: it belongs to nobody.
    const [outside] = await db.readAcrossCompanies<{ statement: string }>(statement, []);
    expect(outside?.statement).toBe("0");
  }
});

test("leases have connections of their own, whatever else waits for the database", async () => {
  const { db } = database;
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const busy = Array.from({ length: 50 }, () => db.acrossCompanies(() => held));
  expect(await db.forLeases((tx) => tx.query(sql`select 1 as n`))).toEqual([{ n: 1 }]);
  release();
  await Promise.all(busy);
});

test("two transactions that lock each other's rows both finish", async () => {
  const { db } = database;
  await db.acrossCompanies((tx) =>
    tx.query(sql`insert into installation (key, value) values ('left', ''), ('right', '')`),
  );
  const lockBoth = (first: string, second: string) =>
    db.acrossCompanies(async (tx) => {
      await tx.query(sql`update installation set value = value || '+' where key = ${first}`);
      await tx.query(sql`select pg_sleep(0.2)`);
      await tx.query(sql`update installation set value = value || '+' where key = ${second}`);
    });
  await Promise.all([lockBoth("left", "right"), lockBoth("right", "left")]);
  const rows = await db.acrossCompanies((tx) =>
    tx.query<{ value: string }>(sql`select value from installation where key in ('left', 'right')`),
  );
  expect(rows).toEqual([{ value: "++" }, { value: "++" }]);
});

test("a transaction that refers to a row deleted meanwhile is repeated, and finds it gone", async () => {
  const { db } = database;
  await db.acrossCompanies((tx) =>
    tx.query(sql`
      insert into plans (name, users, connections, queues, value_cents) values ('Fugaz', 1, 1, 1, 0)`),
  );
  const { promise: looked, resolve: hasLooked } = Promise.withResolvers<void>();
  const { promise: deleted, resolve: isDeleted } = Promise.withResolvers<void>();
  const removal = db.acrossCompanies(async (tx) => {
    await looked;
    await tx.query(sql`delete from plans where name = 'Fugaz'`);
    isDeleted();
    // The other one waits for the outcome now.
    await tx.query(sql`select pg_sleep(0.2)`);
  });
  const outcome = db.acrossCompanies(async (tx) => {
    const [plan] = await tx.query<{ id: number }>(sql`select id from plans where name = 'Fugaz'`);
    hasLooked();
    if (!plan) return "not there";
    await deleted;
    await tx.query(sql`insert into companies (name, email, plan_id) values ('Vã', '', ${plan.id})`);
    return "referred to";
  });
  await removal;
  expect(await outcome).toBe("not there");
});

test("a statement on the wrong side of a failure leaves the connection usable", async () => {
  const { db } = database;
  await expect(db.acrossCompanies((tx) => tx.query(sql`select 1 / 0`))).rejects.toThrow(/division/);
  await expect(db.ping()).resolves.toBeUndefined();
});

test("a single read has its own company and settings, and leaves nothing of them behind", async () => {
  const { db } = database;
  const settings = (companyId: number, wish: { keepPlans: boolean }) => {
    const text = `select current_setting('app.company_id', true) as company,
      current_setting('plan_cache_mode') as plans, pg_backend_pid() as session`;
    const scope = { companyId: companyId as CompanyId };
    type Row = { company: string; plans: string; session: number };
    return db.read<Row>(scope, { name: "test.settings", text }, [], wish);
  };
  const [first] = await settings(7, { keepPlans: true });
  expect(first).toMatchObject({ company: "7", plans: "force_generic_plan" });
  const failing = { name: "test.division", text: "select 1 / $1::int" };
  await expect(db.read({ companyId: 7 as CompanyId }, failing, [0])).rejects.toThrow(/division/);
  const both = await Promise.all([8, 9].map((id) => settings(id, { keepPlans: false })));
  expect(both.flat()).toMatchObject([
    { company: "8", plans: "auto" },
    { company: "9", plans: "auto" },
  ]);
  expect(both.flat().map(({ session }) => session)).toContain(first?.session);
});
