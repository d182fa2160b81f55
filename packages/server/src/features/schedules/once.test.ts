import { sql } from "drizzle-orm";
import pg from "pg";
import { expect, onTestFinished, test, vi } from "vitest";
import { testDatabase } from "../../testing/database.ts";
import { claimDueAcrossCompanies } from "./sending.ts";
import {
  arrived,
  createLine,
  MINUTE_MS,
  newCustomer,
  patience,
  schedule,
  schedulingApp,
  show,
  untilStatus,
} from "./testing/line.ts";

test("two processes send due messages concurrently, each message once", async () => {
  const database = await testDatabase();
  const left = await schedulingApp({ database, distributed: true });
  const right = await schedulingApp({ database, distributed: true });
  const line = await createLine(left);
  const customers = [];
  for (let n = 0; n < 12; n += 1) customers.push(await newCustomer(left, line));
  const ids: number[] = [];
  for (const { contactId } of customers) {
    for (const body of ["Primeira", "Segunda", "Terceira"]) {
      ids.push((await schedule(left, line.agent, { contactId, minutes: 5, body })).id);
    }
  }
  for (const app of [left, right]) app.clock.advance(6 * MINUTE_MS);
  for (const id of ids) await untilStatus(left, line.agent, id, "ENVIADA");
  for (const { phone } of customers) {
    const bodies = (await arrived(left, line, phone)).map(({ body }) => body);
    expect(bodies.sort()).toEqual(["Primeira", "Segunda", "Terceira"]);
  }
  const rows = await database.db.acrossCompanies((tx) =>
    tx.query(sql`select 1 from messages where company_id = ${line.company.id}`),
  );
  expect(rows).toHaveLength(ids.length);
});

test("every message of a series is sent once, on its own day, by two processes", async () => {
  const database = await testDatabase();
  const left = await schedulingApp({ database, distributed: true });
  const right = await schedulingApp({ database, distributed: true });
  const line = await createLine(left);
  const customer = await newCustomer(left, line);
  const sendAt = new Date(left.clock.now().getTime() + 30 * MINUTE_MS);
  const until = new Date(sendAt.getTime() + 2 * 24 * 60 * MINUTE_MS);
  const body = {
    ...{ body: "Bom dia!", contactId: customer.contactId, sendAt: sendAt.toISOString() },
    repeat: { every: "day", until: until.toISOString().slice(0, 10) },
  };
  expect((await left.as(line.agent).post("/schedules", body)).status).toBe(200);
  const rows = await database.db.acrossCompanies((tx) =>
    tx.query<{ id: number }>(
      sql`select id from schedules where company_id = ${line.company.id} order by send_at`,
    ),
  );
  expect(rows.length).toBeGreaterThan(1);
  for (const [index, { id }] of rows.entries()) {
    for (const app of [left, right]) app.clock.advance((index === 0 ? 31 : 24 * 60) * MINUTE_MS);
    const agent = { ...line.agent, token: await left.given.token(line.agent) };
    await untilStatus(left, agent, id, "ENVIADA");
    const admin = { ...line.admin, token: await left.given.token(line.admin) };
    expect(await arrived(left, { ...line, admin }, customer.phone)).toHaveLength(index + 1);
  }
});

test("a message that came due while the server was off is sent when it is back", async () => {
  const database = await testDatabase();
  const before = await schedulingApp({ database });
  const line = await createLine(before);
  const customer = await newCustomer(before, line);
  const { id } = await schedule(before, line.agent, { ...customer, minutes: 30 });
  await before.close();

  const after = await schedulingApp({ database });
  after.clock.advance(50 * 60 * MINUTE_MS);
  // Time goes on: where the connection is not back yet, it is tried again later.
  await vi.waitFor(async () => {
    after.clock.advance(MINUTE_MS);
    const agent = { ...line.agent, token: await after.given.token(line.agent) };
    expect(await show(after, agent, id)).toMatchObject({ status: "ENVIADA" });
  }, patience);
  const admin = { ...line.admin, token: await after.given.token(line.admin) };
  expect(await arrived(after, { ...line, admin }, customer.phone)).toHaveLength(1);
});

test("a message claimed by a crashed process is sent by another one, once, five minutes later", async () => {
  const app = await schedulingApp();
  const line = await createLine(app);
  const { agent } = line;
  const [lost, fresh] = [await newCustomer(app, line), await newCustomer(app, line)];
  const { id } = await schedule(app, agent, { contactId: lost.contactId, minutes: 60 });
  // As a process leaves it that is killed between its two transactions.
  await app.database.db.acrossCompanies((tx) =>
    tx.query(sql`
      update schedules set status = 'AGENDADA', due_at = ${app.clock.now()}, locked_at = ${app.clock.now()}
      where id = ${id}`),
  );
  app.clock.advance(4 * MINUTE_MS);
  const next = await schedule(app, agent, { contactId: fresh.contactId, minutes: 0.01 });
  await untilStatus(app, agent, next.id, "ENVIADA");
  // The process that has it may still be working.
  expect(await show(app, agent, id)).toMatchObject({ status: "AGENDADA" });
  app.clock.advance(2 * MINUTE_MS);
  await untilStatus(app, agent, id, "ENVIADA");
  expect(await arrived(app, line, lost.phone)).toHaveLength(1);
});

test("a claim that gets old in its own process is replaced by a new one, and the message is sent once", async () => {
  const app = await schedulingApp();
  const line = await createLine(app);
  const { agent, company } = line;
  const customers = [];
  for (let n = 0; n < 5; n += 1) customers.push(await newCustomer(app, line));
  const [waiting, ...blocked] = customers;
  if (!waiting) throw new Error("there is no customer");
  const holder = new pg.Client({ connectionString: app.database.ownerUrl });
  await holder.connect();
  onTestFinished(() => holder.end());

  // Locked tickets hold the four messages that a process sends at the same time; the fifth waits for its turn.
  await holder.query("begin");
  const ticketIds = blocked.map(({ id }) => id);
  await holder.query("select 1 from tickets where id = any($1::int[]) for update", [ticketIds]);
  const earlier: number[] = [];
  for (const { contactId } of blocked) {
    earlier.push((await schedule(app, agent, { contactId, minutes: 5 })).id);
  }
  const { id } = await schedule(app, agent, { contactId: waiting.contactId, minutes: 9 });
  app.clock.advance(6 * MINUTE_MS);
  for (const one of earlier) await untilStatus(app, agent, one, "AGENDADA");
  app.clock.advance(4 * MINUTE_MS);
  await untilStatus(app, agent, id, "AGENDADA");
  await app.database.db.acrossCompanies((tx) =>
    tx.query(sql`
      update schedules set locked_at = locked_at - interval '6 minutes'
      where company_id = ${company.id} and id = ${id}`),
  );
  await vi.waitFor(async () => {
    const [row] = await app.database.db.acrossCompanies((tx) =>
      tx.query<{ lockedAt: Date | null }>(sql`
        select locked_at as "lockedAt" from schedules
        where company_id = ${company.id} and id = ${id} and status = 'AGENDADA'`),
    );
    expect(row?.lockedAt?.getTime()).toBeGreaterThan(app.clock.now().getTime() - MINUTE_MS);
  }, patience);
  await holder.query("rollback");

  // No further five minutes pass: the new claim is worked on.
  await untilStatus(app, agent, id, "ENVIADA");
  expect(await arrived(app, line, waiting.phone)).toHaveLength(1);
});

test("a schedule that is changed while it is being sent does not go out with its old text", async () => {
  const app = await schedulingApp();
  const line = await createLine(app);
  const { agent, company } = line;
  const customer = await newCustomer(app, line);
  const { contactId } = customer;
  const { id } = await schedule(app, agent, { contactId, minutes: 30, body: "Texto velho" });
  await app.database.db.acrossCompanies((tx) =>
    tx.query(sql`
      update schedules set status = 'AGENDADA', due_at = ${app.clock.now()}, locked_at = ${app.clock.now()}
      where company_id = ${company.id} and id = ${id}`),
  );
  const { sendAt } = await show(app, agent, id);
  const body = { body: "Texto novo", contactId, sendAt };
  const reply = await app.as(agent).put(`/schedules/${id}`, body);
  expect([reply.status, reply.body]).toMatchObject([200, { status: "PENDENTE" }]);
  app.clock.advance(31 * MINUTE_MS);
  await untilStatus(app, agent, id, "ENVIADA");
  expect((await arrived(app, line, customer.phone)).map((message) => message.body)).toEqual([
    "Texto novo",
  ]);
});

test("in a round a company gets only its share, and two processes never claim the same schedule", async () => {
  const app = await schedulingApp({ environment: { ROLES: "http" } });
  const { given, database } = app;
  const [many, few] = [await given.company(), await given.company()];
  for (const [company, count] of [
    [many, 30],
    [few, 2],
  ] as const) {
    const { contactId } = await given.ticket({ company });
    await database.db.acrossCompanies((tx) =>
      tx.query(sql`
        insert into schedules (company_id, contact_id, body, send_at, due_at)
        select ${company.id}, ${contactId}, 'Texto ' || n, now() - n * interval '1 minute',
               now() - n * interval '1 minute'
        from generate_series(1, ${count}) n`),
    );
  }
  const now = app.clock.now();
  const part = { perCompany: 5, limit: 100 };
  const countOf = (rows: { companyId: number }[], { id }: { id: number }) =>
    rows.filter(({ companyId }) => companyId === id).length;

  let letGo: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (letGo = resolve));
  let isTaken = false;
  const first = database.db.acrossCompanies(async (tx) => {
    const rows = await claimDueAcrossCompanies(tx, now, part);
    isTaken = true;
    await held;
    return rows;
  });
  await vi.waitFor(() => expect(isTaken).toBe(true), patience);
  // The first one has not committed: nobody waits for it.
  const second = await database.db.acrossCompanies((tx) => claimDueAcrossCompanies(tx, now, part));
  letGo();
  const taken = await first;
  expect([countOf(taken, many), countOf(taken, few)]).toEqual([5, 2]);
  expect([countOf(second, many), countOf(second, few)]).toEqual([5, 0]);
  // The longest waiting ones first.
  expect(taken.map(({ body }) => body)).toContain("Texto 30");
  const ids = [...taken, ...second].map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
});
