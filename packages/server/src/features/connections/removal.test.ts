import type { Connection, ConnectionId } from "@balcao/contract";
import { clientEvents, companyEvent } from "@balcao/contract";
import { access } from "node:fs/promises";
import { join } from "node:path";
import { getTableName, sql } from "drizzle-orm";
import pg from "pg";
import { expect, test, vi } from "vitest";
import { channelTables } from "../../app.ts";
import { referringColumns } from "../../platform/db/references.ts";
import { testApp } from "../../testing/app.ts";

const product = await testApp();
const { given, as, live } = product;

async function newWorld() {
  const company = await given.company();
  const admin = await given.admin({ company });
  const remove = (id: ConnectionId) => as(admin).delete<{ message: string }>(`/whatsapp/${id}`);
  const list = async () => (await as(admin).get<Connection[]>("/whatsapp")).body;
  return { company, admin, remove, list };
}

test("a deleted connection is not found any more, and its deletion is published", async () => {
  const { company, admin, remove, list } = await newWorld();
  const agent = await live(await given.agent({ company }));
  const id = await given.connection({ company });
  const reply = await remove(id);
  expect([reply.status, reply.body]).toEqual([200, { message: "Whatsapp deleted." }]);
  expect(await list()).toEqual([]);
  expect((await as(admin).get(`/whatsapp/${id}`)).status).toBe(404);
  expect((await remove(id)).status).toBe(404);
  await expect
    .poll(() => agent.heard.map(({ payload }) => payload))
    .toContainEqual({ action: "delete", whatsappId: id });
});

test("the oldest of the others becomes the default", async () => {
  const { company, admin, remove, list } = await newWorld();
  const post = (name: string) =>
    as(admin).post<Connection>("/whatsapp", { name, channel: "simulator" });
  const first = (await post("Primeira")).body.id;
  const second = (await post("Segunda")).body.id;
  await post("Terceira");
  const watcher = await live(admin);
  await remove(first);
  expect(await list()).toMatchObject([
    { name: "Segunda", isDefault: true },
    { name: "Terceira", isDefault: false },
  ]);
  await expect
    .poll(() => watcher.heard.map(({ payload }) => payload))
    .toContainEqual(
      expect.objectContaining({
        action: "update",
        whatsapp: expect.objectContaining({ id: second, isDefault: true }),
      }),
    );
  expect(company.id).toBeGreaterThan(0);
});

test("open tickets wait again, all stay readable, and have no connection", async () => {
  const { company, admin, remove } = await newWorld();
  const agent = await given.agent({ company, allTicket: "enabled" });
  const id = await given.connection({ company, linked: false, name: "Loja do centro" });
  const open = await given.ticket({ company, connectionId: id, status: "open", userId: agent.id });
  const waiting = await given.ticket({ company, connectionId: id });
  const closed = await given.ticket({ company, connectionId: id, status: "closed" });
  await given.message(open, { body: "Onde está o pedido?" });
  const watcher = await live(admin);
  watcher.socket.emit(clientEvents.joinTickets, "pending");
  await remove(id);

  for (const [ticket, status] of [
    [open, "pending"],
    [waiting, "pending"],
    [closed, "closed"],
  ] as const) {
    const reply = await as(admin).get(`/tickets/${ticket.id}`);
    expect(reply.body).toMatchObject({ status, whatsappId: null, userId: null });
    // History shows its name.
    const shown = status === "closed" ? { id, name: "Loja do centro" } : null;
    expect(reply.body).toMatchObject({ whatsapp: shown });
  }
  const messages = await as(admin).get(`/messages/${open.id}?markRead=false`);
  expect(JSON.stringify(messages.body)).toContain("Onde está o pedido?");
  await expect
    .poll(() => watcher.heard.filter(({ name }) => name === companyEvent(company.id, "ticket")))
    .toContainEqual(
      expect.objectContaining({
        payload: expect.objectContaining({
          ticket: expect.objectContaining({ id: open.id, status: "pending", whatsappId: null }),
        }),
      }),
    );
});

test("a ticket without a connection is answered again once it was given another one", async () => {
  const { company, admin, remove } = await newWorld();
  const id = await given.connection({ company });
  const ticket = await given.ticket({
    company,
    connectionId: id,
    status: "open",
    userId: admin.id,
  });
  await remove(id);
  const refused = await as(admin).post(`/messages/${ticket.id}`, { body: "Bom dia" });
  expect(refused.status).toBe(400);
  const next = await given.connection({ company });
  await product.idle();
  const moved = await as(admin).put(`/tickets/${ticket.id}`, { status: "open", whatsappId: next });
  expect(moved.body).toMatchObject({ whatsappId: next, status: "open" });
  const sent = await as(admin).post(`/messages/${ticket.id}`, { body: "Bom dia" });
  expect(sent.status).toBe(200);
});

test("many tickets lose their connection by as many statements as one", async () => {
  const cost = async (tickets: number): Promise<number> => {
    const { company, remove } = await newWorld();
    const id = await given.connection({ company, linked: false });
    for (let n = 1; n <= tickets; n += 1) await given.ticket({ company, connectionId: id });
    product.statements.take();
    expect((await remove(id)).status).toBe(200);
    const ofTickets = /\battendances\b|tickets where company_id = \$1 and id =/;
    return product.statements.take().filter((text) => ofTickets.test(text)).length;
  };
  expect(await cost(7)).toBe(await cost(1));
});

test("the tickets that lose their connection are found without going through the closed ones", async () => {
  const { company, remove } = await newWorld();
  const id = await given.connection({ company, linked: false });
  const owner = new pg.Client({ connectionString: product.database.ownerUrl });
  await owner.connect();
  const plans: string[] = [];
  try {
    await owner.query(
      `with c as (
         insert into contacts (company_id, name) select $1, 'Cliente ' || n from generate_series(1, 4000) n returning id)
       insert into tickets (company_id, uuid, contact_id, connection_id, status)
       select $1, gen_random_uuid(), id, $2, case when id % 50 = 0 then 'pending' else 'closed' end from c`,
      [company.id, id],
    );
    await owner.query("analyze tickets");
    product.statements.take();
    expect((await remove(id)).status).toBe(200);
    const isLock =
      /from tickets\s+where company_id = \$1 and connection_id = \$2 and status[^]*for no key update/;
    for (const text of product.statements.take().filter((one) => isLock.test(one))) {
      // As where the first few of many living tickets are taken.
      const { rows } = await owner.query<Record<string, string>>(`explain ${text}`, [
        company.id,
        id,
        4,
      ]);
      plans.push(rows.map((row) => row["QUERY PLAN"]).join("\n"));
    }
  } finally {
    await owner.end();
  }
  expect(plans.length).toBeGreaterThan(0);
  for (const plan of plans) expect(plan).not.toContain("tickets_pkey");
});

test("a connection's operational rows are deleted with it, also in the tables of channels", async () => {
  const { company, remove } = await newWorld();
  const id = await given.connection({ company, linked: false });
  const emptied = referringColumns(channelTables).flatMap(({ table, reference }) =>
    "onRemove" in reference && reference.onRemove === "delete" ? getTableName(table) : [],
  );
  expect(emptied).toContain("whatsapp_keys");
  product.statements.take();
  expect((await remove(id)).status).toBe(200);
  const statements = product.statements.take();
  for (const table of [...emptied, "connection_leases", "inbound_journal", "outbound"]) {
    expect(statements.filter((text) => text.startsWith(`delete from "${table}"`))).toHaveLength(1);
  }
});

test("remains of deleted connections on their networks are swept; those of others stay", async () => {
  const { company, admin, remove } = await newWorld();
  const run = <Row>(statement: ReturnType<typeof sql>): Promise<Row[]> =>
    product.database.db.acrossCompanies((tx) => tx.query<Row>(statement));
  const [gone, kept] = [await given.connection({ company }), await given.connection({ company })];
  for (const id of [gone, kept]) {
    const chat = `/simulator/connections/${id}/chats/5511940000001/messages`;
    expect((await as(admin).post(chat, { body: "Oi" })).status).toBe(200);
    await run(sql`
      insert into cloud_message_ids (company_id, connection_id, provider_id, wamid)
      select ${company.id}, ${id}, 'p' || n, 'w' || n from generate_series(1, 2500) n`);
  }
  const form = new FormData();
  form.append("as", "document");
  form.append("file", new Blob(["nome;valor\n"], { type: "text/csv" }), "lista.csv");
  const upload = await fetch(
    `${product.url}/api/simulator/connections/${gone}/chats/5511940000001/messages`,
    { method: "POST", headers: { authorization: `Bearer ${admin.token}` }, body: form },
  );
  expect(upload.status).toBe(200);
  await product.idle();
  const [file] = await run<{ key: string }>(sql`
    select details #>> '{file,key}' as key from simulator_messages
    where connection_id = ${gone} and details ? 'file'`);
  const path = join(product.dataDir, "simulator", `company${company.id}`, file?.key ?? "");
  await access(path);
  expect((await remove(gone)).status).toBe(200);
  await run(sql`update connections set deleted_at = now() - interval '2 hours' where id = ${gone}`);

  const jobs = ["simulator.sweep-deleted", "cloud-api.sweep-deleted"];
  await run(sql`
    update periodic_jobs set due_at = now() - interval '1 second' where name = any (${sql.param(jobs)})`);
  await run(sql`select pg_notify('balcao_wake', 'periodic-jobs')`);
  const left = async (id: ConnectionId) => {
    const [counts] = await run<Record<string, number>>(sql`
      select (select count(*)::int from simulator_messages where connection_id = ${id}) as messages,
             (select count(*)::int from simulator_customers where connection_id = ${id}) as customers,
             (select count(*)::int from simulator_lines where connection_id = ${id}) as lines,
             (select count(*)::int from cloud_message_ids where connection_id = ${id}) as ids`);
    return counts;
  };
  await vi.waitFor(
    async () => expect(await left(gone)).toEqual({ messages: 0, customers: 0, lines: 0, ids: 0 }),
    { interval: 100 },
  );
  expect(await left(kept)).toEqual({ messages: 1, customers: 1, lines: 1, ids: 2500 });
  await expect(access(path)).rejects.toThrow("ENOENT");
});
