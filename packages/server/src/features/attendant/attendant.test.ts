import { sql } from "drizzle-orm";
import { expect, test, vi } from "vitest";

import { testApp } from "../../testing/app.ts";
import { companyEvent } from "@balcao/contract";
import { createDesk, quickAttendant } from "./testing/desk.ts";

const app = await testApp({ attendantSettings: quickAttendant });

const twoQueues = [
  { name: "Vendas", greeting: "Olá, {{name}}! Aqui é Vendas." },
  {
    name: "Suporte",
    greeting: "Como podemos ajudar?",
    options: [
      {
        title: "Boleto",
        message: "Qual boleto?",
        children: [{ title: "Segunda via" }, { title: "Prazo" }],
      },
      { title: "Outro assunto", message: "Aguarde, por favor." },
    ],
  },
];
const menu = "Bem-vindo!\n\n*[ 1 ]* - Vendas\n*[ 2 ]* - Suporte";

async function openDesk(wish: Partial<Parameters<typeof createDesk>[1]> = {}) {
  const desk = await createDesk(app, { greeting: "Bem-vindo!", queues: twoQueues, ...wish });
  await desk.online();
  return desk;
}

test("ten quick messages give one menu", async () => {
  // Quick is what a loaded machine does between two quiet times.
  const quiet = { firstMs: 2_000, answerMs: 2_000, longestMs: 40_000 };
  const patient = await testApp({ attendantSettings: { ...quickAttendant, quiet } });
  const desk = await createDesk(patient, { greeting: "Bem-vindo!", queues: twoQueues });
  await desk.online();
  const phone = desk.newPhone();
  for (let n = 1; n <= 10; n += 1) await desk.write(phone, `Mensagem ${n}`);
  await patient.idle();
  const ticket = await desk.ticketOf(phone);
  expect(await desk.answers(ticket.id)).toEqual([menu]);
  expect(ticket).toMatchObject({ status: "pending", queueId: null, unreadMessages: 10 });
});

test("the mark of automatic texts is on the network only", async () => {
  const desk = await openDesk();
  const phone = desk.newPhone();
  await desk.write(phone, "Oi");
  await app.idle();
  expect(await desk.heard(phone)).toEqual([`\u200e${menu}`]);
  expect(await desk.answers((await desk.ticketOf(phone)).id)).toEqual([menu]);
});

test("a choice puts the ticket in its queue, is told to those who watch, and waits from then on", async () => {
  const desk = await openDesk();
  const phone = desk.newPhone();
  await desk.write(phone, "Oi");
  await app.idle();
  const live = await app.live(desk.agent);
  live.socket.emit("joinTickets", "pending");
  await desk.write(phone, "1");
  await app.idle();
  const ticket = await desk.ticketOf(phone);
  expect(ticket).toMatchObject({
    status: "pending",
    queueId: desk.queueIds[0],
    chatbot: false,
    userId: null,
  });
  expect((await desk.answers(ticket.id)).at(-1)).toContain("! Aqui é Vendas.");
  await vi.waitFor(() => {
    expect(live.heard.map(({ name, payload }) => [name, payload])).toContainEqual([
      companyEvent(desk.company.id, "ticket"),
      expect.objectContaining({
        action: "update",
        ticket: expect.objectContaining({ queueId: desk.queueIds[0] }),
      }),
    ]);
  });
  const [attendance] = await desk.rows<{
    isQueued: boolean;
    usedChatbot: boolean;
    queueId: number;
  }>(sql`
    select queued_at > created_at as "isQueued", chatbot_at is not null as "usedChatbot", queue_id as "queueId"
    from attendances where ticket_id = ${ticket.id}`);
  expect(attendance).toEqual({ isQueued: true, usedChatbot: true, queueId: desk.queueIds[0] });
});

test("options lead down to a leaf, and then the customer waits for an agent", async () => {
  const desk = await openDesk();
  const phone = desk.newPhone();
  for (const text of ["Oi", "2", "1", "2", "Alguém aí?"]) {
    await desk.write(phone, text);
    await app.idle();
  }
  const ticket = await desk.ticketOf(phone);
  const answers = await desk.answers(ticket.id);
  expect(answers[1]).toContain("*[ 1 ]* - Boleto\n*[ 2 ]* - Outro assunto");
  expect(answers[2]).toContain("Qual boleto?\n\n*[ 1 ]* - Segunda via\n*[ 2 ]* - Prazo");
  expect(answers.length).toBeLessThanOrEqual(4);
  expect(ticket).toMatchObject({ queueId: desk.queueIds[1], chatbot: false, queueOptionId: null });
});

test("a connection with one queue shows the queue's options to the first message, whatever it says", async () => {
  const desk = await openDesk({ queues: twoQueues.slice(1) });
  const phone = desk.newPhone();
  await desk.write(phone, "1");
  await app.idle();
  const ticket = await desk.ticketOf(phone);
  expect(await desk.answers(ticket.id)).toEqual([
    expect.stringContaining("Como podemos ajudar?\n\n*[ 1 ]* - Boleto"),
  ]);
  expect(ticket).toMatchObject({ queueId: desk.queueIds[0], chatbot: true });
});

test("a customer who comes back after the end is greeted again", async () => {
  const desk = await openDesk();
  const phone = desk.newPhone();
  await desk.write(phone, "Oi");
  await app.idle();
  const { id } = await desk.ticketOf(phone);
  await app.as(desk.admin).put(`/tickets/${id}`, { status: "closed" });
  await desk.write(phone, "Oi de novo");
  await app.idle();
  expect(await desk.answers(id)).toEqual([menu, menu]);
});

test("any name of a contact is inserted into the text unchanged", async () => {
  const desk = await openDesk({ queues: [], greeting: "Olá, {{name}}!" });
  const phone = desk.newPhone();
  await app
    .as(desk.admin)
    .post(`/simulator/connections/${desk.connectionId}/chats`, { name: "*{{ms}}* Bia", phone });
  await desk.write(phone, "Oi");
  await desk.write(phone, "Tudo bem?");
  await app.idle();
  expect(await desk.answers((await desk.ticketOf(phone)).id)).toEqual(["Olá, *{{ms}}* Bia!"]);
});

test("a customer who cannot be written to is left to agents, without repeated tries", async () => {
  const desk = await openDesk();
  const phone = desk.newPhone();
  const stepped = await testApp({ database: app.database, environment: { ROLES: "http" } });
  await desk.write(phone, "Oi");
  await app.idle();
  const { id } = await desk.ticketOf(phone);
  await desk.rows(sql`update attendant_turns set due_at = now(), waiting_since = now(), handled_seq = 0, menus_sent = 0
    where ticket_id = ${id}`);
  await desk.rows(sql`update tickets set connection_id = null where id = ${id}`);
  await stepped.app.runDueTurns();
  await app.idle();
  expect(await desk.answers(id)).toEqual([menu]);
  const [turn] = await desk.rows(
    sql`select due_at as "dueAt", attempts from attendant_turns where ticket_id = ${id}`,
  );
  expect(turn).toEqual({ dueAt: null, attempts: 0 });
});

test("a turn that keeps failing is given up, and the next message begins again", async () => {
  const desk = await openDesk();
  const phone = desk.newPhone();
  const { db } = app.database;
  await db.acrossCompanies((tx) =>
    tx.query(
      sql.raw(`
      create function refuse_turn() returns trigger language plpgsql as $$
      begin if new.company_id = ${Number(desk.company.id)} then raise exception 'refused'; end if; return new; end $$;
      create trigger refuse_turn before insert on outbound for each row execute function refuse_turn()`),
    ),
  );
  await desk.write(phone, "Oi");
  await app.idle();
  const { id } = await desk.ticketOf(phone);
  expect(await desk.answers(id)).toEqual([]);
  const [turn] = await desk.rows(
    sql`select due_at as "dueAt", attempts from attendant_turns where ticket_id = ${id}`,
  );
  expect(turn).toEqual({ dueAt: null, attempts: 3 });

  await db.acrossCompanies((tx) => tx.query(sql.raw("drop trigger refuse_turn on outbound")));
  await desk.write(phone, "Oi?");
  await app.idle();
  expect(await desk.answers(id)).toEqual([menu]);
});

test("two chatbots that write to each other come to an end", async () => {
  const { given } = app;
  const company = await given.company();
  const wish = { company, greeting: "Bem-vindo!", queues: [] };
  const left = await createDesk(app, { ...wish, queues: [{ ...twoQueues[1], name: "Esquerda" }] });
  const right = await createDesk(app, { ...wish, queues: [{ ...twoQueues[1], name: "Direita" }] });
  await left.online();
  await right.online();
  const [leftPhone, rightPhone] = [left.newPhone(), right.newPhone()];
  // Each one's text reaches the other as its customer's message, like two numbers that write to each other.
  await left.write(rightPhone, "Oi");
  const passed = { left: 0, right: 0 };
  for (let round = 0; round < 20; round += 1) {
    await app.idle();
    const fromLeft = (await left.heard(rightPhone)).slice(passed.left);
    const fromRight = (await right.heard(leftPhone).catch(() => [])).slice(passed.right);
    if (fromLeft.length + fromRight.length === 0) break;
    passed.left += fromLeft.length;
    passed.right += fromRight.length;
    for (const text of fromLeft) await right.write(leftPhone, text);
    for (const text of fromRight) await left.write(rightPhone, text);
  }
  await app.idle();
  expect(passed).toEqual({ left: 1, right: 0 });
});
