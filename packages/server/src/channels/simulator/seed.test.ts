import type { CompanyId, ConnectionId } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";
import type { TestDatabase } from "../../testing/database.ts";
import { testDatabase } from "../../testing/database.ts";
import { lineNumber } from "./line.ts";
import { seedSimulator } from "./seed.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});

async function newLine(): Promise<{ companyId: CompanyId; connectionId: ConnectionId }> {
  const [line] = await database.db.acrossCompanies((tx) =>
    tx.query<{ companyId: CompanyId; connectionId: ConnectionId }>(sql`
      with plan as (
        insert into plans (name, users, connections, queues, value_cents)
        values (gen_random_uuid()::text, 1, 1, 1, 0) returning id),
      company as (
        insert into companies (name, email, plan_id)
        select gen_random_uuid()::text, '', id from plan returning id)
      insert into connections (company_id, name, channel) select id, 'Loja', 'simulator' from company
      returning company_id as "companyId", id as "connectionId"`),
  );
  if (!line) throw new Error("no connection");
  return line;
}

const at = (minute: number) => new Date(Date.UTC(2026, 10, 18, 12, minute));

test("a seeded line is linked, and nothing of its conversations is left to deliver or to report", async () => {
  const line = await newLine();
  await database.db.acrossCompanies((tx) =>
    seedSimulator(tx, {
      ...line,
      customers: [
        {
          phone: "5511900000001",
          name: "Helena",
          messages: [
            { id: "A1", fromCustomer: true, body: "Oi", ack: 4, at: at(1) },
            { id: "A2", fromCustomer: false, body: "Bom dia!", ack: 4, at: at(3) },
            { id: "A3", fromCustomer: false, body: "Tudo bem?", ack: 3, at: at(5) },
          ],
        },
        {
          phone: "5511900000002",
          name: "Otávio",
          messages: [{ id: "B1", fromCustomer: true, body: "Olá", ack: 2, at: at(2) }],
        },
        { phone: "5511900000003", name: "Bianca", messages: [] },
      ],
    }),
  );

  const select = <Row>(statement: ReturnType<typeof sql>) =>
    database.db.transaction(line, (tx) => tx.query<Row>(statement));
  expect(await select(sql`select linked, pairing_code as code from simulator_lines`)).toEqual([
    { linked: true, code: null },
  ]);
  expect(
    await select(sql`select name, unread, last_message as last, last_message_at as at
                     from simulator_customers order by phone`),
  ).toEqual([
    { name: "Helena", unread: 1, last: "Tudo bem?", at: at(5) },
    { name: "Otávio", unread: 0, last: "Olá", at: at(2) },
    { name: "Bianca", unread: 0, last: "", at: null },
  ]);
  // In the order in which they were written, over all customers.
  expect(
    await select(sql`select id, ack, created_at as at from simulator_messages order by seq`),
  ).toEqual([
    { id: "A1", ack: 4, at: at(1) },
    { id: "B1", ack: 2, at: at(2) },
    { id: "A2", ack: 4, at: at(3) },
    { id: "A3", ack: 3, at: at(5) },
  ]);
  const waiting = sql`select id from simulator_messages
    where (from_customer and not delivered) or (not from_customer and reported_ack < ack)`;
  expect(await select(waiting)).toEqual([]);
});

test("seeding links a line that showed a pairing code, without any customers too", async () => {
  const line = await newLine();
  const seeded = await database.db.acrossCompanies(async (tx) => {
    await tx.query(sql`insert into simulator_lines (connection_id, company_id, pairing_code)
                       values (${line.connectionId}, ${line.companyId}, 'codigo')`);
    return seedSimulator(tx, { ...line, customers: [] });
  });
  expect(seeded).toEqual({ number: lineNumber(line.connectionId) });
  const lines = await database.db.transaction(line, (tx) =>
    tx.query(sql`select linked, pairing_code as code from simulator_lines`),
  );
  expect(lines).toEqual([{ linked: true, code: null }]);
});
