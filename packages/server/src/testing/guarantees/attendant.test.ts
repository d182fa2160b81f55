import { sql } from "drizzle-orm";
import { expect, test, vi } from "vitest";
import { createDesk, quickAttendant } from "../../features/attendant/testing/desk.ts";
import type { Desk } from "../../features/attendant/testing/desk.ts";
import type { TestApp } from "../app.ts";
import { testApp } from "../app.ts";
import { testDatabase } from "../database.ts";

const greeting = "Bem-vindo!";
const menu = `${greeting}\n\n*[ 1 ]* - Vendas\n*[ 2 ]* - Suporte`;
const support = {
  name: "Suporte",
  greeting: "Diga.",
  options: [
    { title: "Boleto", message: "Qual?", children: [{ title: "Novo" }, { title: "Antigo" }] },
    { title: "Outro" },
  ],
};
const queues = [{ name: "Vendas", greeting: "Aqui é Vendas." }, support];
const often = { interval: 20 };

async function heardBy(desk: Desk, phone: string): Promise<string[]> {
  return (await desk.heard(phone)).map((text) => text.replace(/^\u200e/, ""));
}

test("two processes never both answer", async () => {
  const database = await testDatabase();
  const options = { database, distributed: true, attendantSettings: quickAttendant };
  const [left, right] = [await testApp(options), await testApp(options)];
  const desk = await createDesk(left, { greeting, queues });
  await desk.online();
  const phones = Array.from({ length: 40 }, () => desk.newPhone());
  for (const text of ["Oi", "1"]) {
    await Promise.all(phones.map((phone) => desk.write(phone, text)));
    const wanted = text === "Oi" ? 1 : 2;
    await vi.waitFor(async () => {
      const [said] = await desk.rows<{ count: number }>(
        sql`select count(*) from messages where from_me`,
      );
      expect(said?.count).toBe(phones.length * wanted);
    }, often);
  }
  await Promise.all([left.idle(), right.idle()]);
  for (const phone of phones) expect(await heardBy(desk, phone)).toEqual([menu, "Aqui é Vendas."]);
});

/** A product that only keeps what customers write: nobody answers before the test says so. */
const deaf = {
  attends: false,
  attendantSettings: { quiet: { firstMs: 0, answerMs: 0, longestMs: 0 } },
};

async function restarted(before: TestApp): Promise<TestApp> {
  await before.close();
  return testApp({ database: before.database, attendantSettings: quickAttendant });
}

test("a message from before a restart is answered after it, once", async () => {
  const first = await testApp(deaf);
  const desk = await createDesk(first, { greeting, queues });
  await desk.online();
  const phone = desk.newPhone();
  await desk.write(phone, "Oi");
  await desk.write(phone, "Alguém?");
  await first.idle();
  const { id } = await desk.ticketOf(phone);

  const second = await restarted(first);
  await second.idle();
  expect(await desk.answers(id)).toEqual([menu]);
});

test("a restart in the middle of a menu goes on where it was", async () => {
  let app = await testApp({ attendantSettings: quickAttendant });
  const desk = await createDesk(app, { greeting, queues });
  await desk.online();
  const phone = desk.newPhone();
  await desk.write(phone, "Oi");
  await app.idle();
  const { id } = await desk.ticketOf(phone);
  for (const text of ["2", "1", "0"]) {
    app = await restarted(app);
    const sent = await app
      .as(desk.admin)
      .post(`/simulator/connections/${desk.connectionId}/chats/${phone}/messages`, { body: text });
    expect(sent.status).toBe(200);
    await vi.waitFor(async () => {
      await app.idle();
      const [stored] = await desk.rows(
        sql`select 1 from messages where ticket_id = ${id} and body = ${text}`,
      );
      expect(stored).toBeDefined();
    }, often);
    await app.idle();
  }
  expect(await desk.answers(id)).toEqual([
    menu,
    expect.stringMatching(/^Diga\.[^]*Boleto/),
    expect.stringMatching(/^Qual\?[^]*Novo/),
    expect.stringMatching(/^Diga\.[^]*Boleto/),
  ]);
});

test("a message in a ticket that an agent serves starts no turn of the attendant", async () => {
  const app = await testApp(deaf);
  const desk = await createDesk(app, { greeting, queues });
  await desk.online();
  const phone = desk.newPhone();
  await desk.write(phone, "Oi");
  await app.idle();
  const { id } = await desk.ticketOf(phone);
  await app.app.runDueTurns();
  await app.as(desk.admin).put(`/tickets/${id}`, { status: "open" });
  await desk.write(phone, "Obrigado");
  await app.idle();
  // Given back: a person acted, and it stays with people.
  await app.as(desk.admin).put(`/tickets/${id}`, { status: "pending", userId: null });
  await desk.write(phone, "1");
  await app.idle();
  expect(await desk.rows(sql`select 1 from attendant_turns where due_at is not null`)).toEqual([]);
  expect(await app.app.runDueTurns()).toBe(0);
  expect(await desk.answers(id)).toEqual([menu]);
});
