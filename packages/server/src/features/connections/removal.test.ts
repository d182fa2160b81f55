import type { Connection, ConnectionId } from "@balcao/contract";
import { clientEvents, companyEvent } from "@balcao/contract";
import { expect, test } from "vitest";
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

test("a deleted connection is gone for everybody, and said so", async () => {
  const { company, admin, remove, list } = await newWorld();
  const agent = await live(await given.agent({ company }));
  const id = await given.connection({ company });
  const reply = await remove(id);
  expect([reply.status, reply.body]).toEqual([200, { message: "Whatsapp deleted." }]);
  expect(await list()).toEqual([]);
  expect((await as(admin).get(`/whatsapp/${id}`)).status).toBe(404);
  expect((await remove(id)).status).toBe(404);
  await expect
    .poll(() => agent.heard.map(({ payload }) => payload), { timeout: 5_000 })
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
    .poll(() => watcher.heard.map(({ payload }) => payload), { timeout: 5_000 })
    .toContainEqual(
      expect.objectContaining({
        action: "update",
        whatsapp: expect.objectContaining({ id: second, isDefault: true }),
      }),
    );
  expect(company.id).toBeGreaterThan(0);
});

test("open tickets wait again, all stay readable, and their connection is none", async () => {
  const { company, admin, remove } = await newWorld();
  const agent = await given.agent({ company, allTicket: "enabled" });
  const id = await given.connection({ company, linked: false });
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
    const shown = status === "closed" ? { id, name: expect.any(String) } : null;
    expect(reply.body).toMatchObject({ whatsapp: shown });
  }
  const messages = await as(admin).get(`/messages/${open.id}?markRead=false`);
  expect(JSON.stringify(messages.body)).toContain("Onde está o pedido?");
  await expect
    .poll(() => watcher.heard.filter(({ name }) => name === companyEvent(company.id, "ticket")), {
      timeout: 5_000,
    })
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
