import type { CompanyEvents } from "@balcao/contract";
import { companyEvent, defaultSchedules } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { expect, test, vi } from "vitest";
import { testApp } from "../../testing/app.ts";
import type { Desk, DeskWish } from "./testing/desk.ts";
import { createDesk, quickAttendant } from "./testing/desk.ts";

const app = await testApp({ attendantSettings: quickAttendant });

const LRM = "\u200E";

const sales = { name: "Vendas", greeting: "Vendas às ordens, {{firstName}}" };
const support = {
  name: "Suporte",
  greeting: "Como podemos ajudar?",
  options: [{ title: "Boleto", message: "Já vem, {{name}}" }, { title: "Outros" }],
};

async function openDesk(wish: DeskWish = {}): Promise<Desk> {
  const desk = await createDesk(app, { greeting: "Oi {{name}} *{{x}}*", ...wish });
  await desk.online();
  return desk;
}

/** Writes as a customer of that name, a text after the answer to the one before; answers what is stored and what is heard. */
async function conversation(
  desk: Desk,
  ...bodies: string[]
): Promise<{ stored: string[]; heard: string[]; ticketId: number }> {
  const phone = desk.newPhone();
  const path = `/simulator/connections/${desk.connectionId}/chats`;
  await app.as(desk.admin).post(path, { name: "Ana & {{ms}}", phone });
  for (const body of bodies) {
    await desk.write(phone, body);
    await app.idle();
  }
  const { id: ticketId } = await desk.ticketOf(phone);
  return { stored: await desk.answers(ticketId), heard: await desk.heard(phone), ticketId };
}

test("2.1, 3: the greeting of a connection without queues is rendered, marked on the wire and stored, once", async () => {
  const { stored, heard } = await conversation(await openDesk(), "Oi", "Oi?");
  expect(stored).toEqual(["Oi Ana & {{ms}} *{{x}}*"]);
  expect(heard).toEqual(stored.map((text) => LRM + text));
});

test.each<[whose: "company" | "queue", texts: string[]]>([
  ["company", ["Fechado, Ana!"]],
  ["queue", ["Só amanhã, Ana"]],
])(
  "2.6, 3: the out-of-hours text of a %s is rendered, marked, stored and sent once",
  async (whose, texts) => {
    const desk = await openDesk({ queues: [support], settings: { scheduleType: whose } });
    const never = JSON.stringify(
      defaultSchedules().map((day) => ({ ...day, startTime: "00:00", endTime: "00:00" })),
    );
    await desk.rows(
      sql`update companies set schedules = ${never}::jsonb where id = ${desk.company.id}`,
    );
    await desk.rows(sql`
    update connections set out_of_hours_message = 'Fechado, {{firstName}}!' where id = ${desk.connectionId}`);
    await desk.rows(sql`
    update queues set schedules = ${never}::jsonb, out_of_hours_message = 'Só amanhã, {{firstName}}'
    where company_id = ${desk.company.id}`);
    const { stored, heard } = await conversation(desk, "Oi", "1", "#");
    expect(stored).toEqual(texts);
    expect(heard).toEqual(texts.map((text) => LRM + text));
  },
);

test("2.3: queues are numbered by their order, those without one last", async () => {
  const desk = await openDesk({ queues: [{ name: "Sem ordem" }, sales, support] });
  const [unordered, first, second] = desk.queueIds;
  await desk.rows(sql`
    update queues set order_queue = case id when ${first} then 7 when ${second} then 3 end
    where id in (${unordered}, ${first}, ${second})`);
  const { stored } = await conversation(desk, "Oi", "2");
  expect(stored[0]).toContain("\n\n*[ 1 ]* - Suporte\n*[ 2 ]* - Vendas\n*[ 3 ]* - Sem ordem");
  expect(stored[1]).toBe("Vendas às ordens, Ana");
});

test("2.3: the file of a chosen queue is a message of its own after the greeting", async () => {
  const desk = await openDesk({ queues: [sales, support] });
  const body = new FormData();
  body.append("file", new Blob(["Preços"]), "tabela.txt");
  const uploaded = await fetch(`${app.url}/api/queue/${desk.queueIds[0]}/media-upload`, {
    method: "POST",
    headers: { authorization: `Bearer ${desk.admin.token}` },
    body,
  });
  expect(uploaded.status).toBe(200);
  const { ticketId } = await conversation(desk, "Oi", "1");
  const said = (await desk.said(ticketId)).filter(({ fromMe }) => fromMe);
  expect(said.slice(1)).toMatchObject([
    { body: "Vendas às ordens, Ana", mediaType: "conversation" },
    { body: "tabela.txt", mediaType: "text" },
  ]);
});

test("2.3: how many menus went out, when the last one did and how many answers were wrong is kept with the ticket", async () => {
  const desk = await openDesk({ queues: [sales, support] });
  const { ticketId } = await conversation(desk, "Oi", "nada", "#", "nada", "nada");
  const rows = await desk.rows(sql`
    select menus_sent as menus, wrong_answers as wrong, last_menu_at is not null as "hasTime"
    from attendant_turns where ticket_id = ${ticketId}`);
  expect(rows).toEqual([{ menus: 2, wrong: 1, hasTime: true }]);
});

test("2.4: each text is announced once, and none marks the ticket as read", async () => {
  const desk = await openDesk({ queues: [support] });
  const live = await app.live(desk.admin);
  live.socket.emit("joinTickets", "pending");
  const { stored, ticketId } = await conversation(desk, "Oi", "1");
  expect(stored[1]).toBe("Já vem, Ana & {{ms}}");
  const name = companyEvent(desk.company.id, "appMessage");
  const bodies = () =>
    live.heard.flatMap((event) => {
      if (event.name !== name) return [];
      const { action, message } = event.payload as CompanyEvents["appMessage"];
      return action === "create" && message.fromMe ? [message.body] : [];
    });
  await vi.waitFor(() => expect(bodies()).toContain(stored[1]));
  expect(bodies().toSorted()).toEqual(stored.toSorted());
  const reply = await app.as(desk.admin).get(`/tickets/${ticketId}`);
  expect(reply.body).toMatchObject({ unreadMessages: 2, status: "pending" });
});

test("2.7: a queue that the attendant gives or takes is no transfer that the customer is told of", async () => {
  const desk = await openDesk({
    queues: [sales, support],
    settings: { sendMsgTransfTicket: "enabled" },
  });
  const { stored } = await conversation(desk, "Oi", "2", "#", "1");
  expect(stored).toHaveLength(4);
  expect(stored.join()).not.toContain("transferido");
});

test("the company's own text about a person who will come is read, rendered and sent", async () => {
  const desk = await openDesk({ queues: [support] });
  const text = "Já vamos, {{firstName}}";
  const reply = await app.as(desk.admin).put("/automatic-texts/personComes", { text });
  expect(reply.status).toBe(200);
  const { stored } = await conversation(desk, "Oi", "oi?", "alô?", "ninguém?");
  expect(stored.at(-1)).toBe("Já vamos, Ana");
});
