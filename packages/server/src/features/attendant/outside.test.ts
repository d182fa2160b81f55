import { queueId } from "@balcao/contract";
import { addSeconds } from "date-fns/addSeconds";
import { sql } from "drizzle-orm";
import { beforeEach, expect, test, vi } from "vitest";
import { testApp } from "../../testing/app.ts";
import type { Afterwards, OutsideAnswer, OutsideQuestion } from "./index.ts";
import { defaultAttendantSettings } from "./index.ts";
import type { Desk } from "./testing/desk.ts";
import { createDesk, quickAttendant } from "./testing/desk.ts";

/** A question that the test answers: with a text, with nothing, or with what follows a text. */
type Open = {
  question: OutsideQuestion;
  signal: AbortSignal;
  answer: (text: string | null, next?: Afterwards) => void;
};

let asked: Open[];
beforeEach(() => {
  asked = [];
});

const askers = [
  {
    name: "test",
    takes: () => true,
    ask: (question: OutsideQuestion, signal: AbortSignal) =>
      new Promise<OutsideAnswer>((resolve) => {
        const answer: Open["answer"] = (text, next = { kind: "stay" }) =>
          resolve(
            text === null
              ? { kind: "pass" }
              : { kind: "say", sends: [{ kind: "text", text, isLiteral: true }], next },
          );
        asked.push({ question, signal, answer });
      }),
  },
];

/** Connections come up quickly. */
const channelSettings = { lookEveryMs: 50 };
const app = await testApp({ attendantSettings: quickAttendant, askers, channelSettings });
const queues = [{ name: "Vendas" }, { name: "Suporte" }];
const menu = "Bem-vindo!\n\n*[ 1 ]* - Vendas\n*[ 2 ]* - Suporte";

async function question(place: number): Promise<Open> {
  await vi.waitFor(() => expect(asked.length).toBeGreaterThanOrEqual(place), { interval: 5 });
  const open = asked[place - 1];
  if (!open) throw new Error("nobody was asked");
  return open;
}

/** A customer who has written, and the first question about it. */
async function opened(on = app) {
  const desk = await createDesk(on, { greeting: "Bem-vindo!", queues });
  await desk.helpedByPrompt();
  await desk.online();
  const phone = desk.newPhone();
  await desk.write(phone, "Quanto custa?");
  const first = await question(1);
  const { ticketId } = first.question;
  return { desk, phone, first, ticketId, said: () => desk.answers(ticketId) };
}

const written = ({ question: { facts } }: Open) => facts.messages.map(({ body }) => body);

test("an outside service is asked with no transaction open, and answers in place of the menu", async () => {
  const { desk, first, ticketId, said } = await opened();
  expect(written(first)).toEqual(["Quanto custa?"]);
  // The ticket is free for whoever wants it.
  const [free] = await desk.rows(
    sql`select id from tickets where id = ${ticketId} for update nowait`,
  );
  expect(free).toEqual({ id: ticketId });
  first.answer("Dez reais");
  await app.idle();
  expect(await said()).toEqual(["Dez reais"]);
  expect(asked).toHaveLength(1);
});

test("if the service passes, fails or takes too long, the menu is sent", async () => {
  const passed = await opened();
  passed.first.answer(null);
  await app.idle();
  expect(await passed.said()).toEqual([menu]);

  asked = [];
  const hasty = await testApp({
    attendantSettings: { ...quickAttendant, askLimitMs: 50 },
    ...{ askers, channelSettings },
  });
  const slow = await opened(hasty);
  await hasty.idle();
  expect(slow.first.signal.aborted).toBe(true);
  expect(await slow.said()).toEqual([menu]);
});

test("a customer who writes again is answered once, to all that was written", async () => {
  const { desk, phone, first, said } = await opened();
  await desk.write(phone, "E o frete?");
  const second = await question(2);
  first.answer("Dez reais");
  second.answer("Dez reais, frete grátis");
  await app.idle();
  expect(written(second)).toEqual(["Quanto custa?", "E o frete?"]);
  expect(await said()).toEqual(["Dez reais, frete grátis"]);
});

test("an agent is asked four seconds after the customer's last message, and twelve after the first at the latest", async () => {
  const patient = await testApp({
    environment: { ROLES: "http,channels" },
    attends: false,
    attendantSettings: {
      quiet: { firstMs: 0, answerMs: 0, longestMs: 0 },
      agentQuiet: defaultAttendantSettings.agentQuiet,
    },
    ...{ askers, channelSettings },
  });
  const desk = await createDesk(patient, { greeting: "Bem-vindo!", queues });
  await desk.helpedByPrompt();
  await desk.online();
  const askedAt = async (phone: string, seconds: number): Promise<number> => {
    const before = asked.length;
    const messages = await desk.said((await desk.ticketOf(phone)).id);
    const [first] = messages;
    if (!first) throw new Error("the customer wrote nothing");
    await patient.app.runDueTurns(addSeconds(first.at, seconds));
    return asked.length - before;
  };
  const phone = desk.newPhone();
  await desk.write(phone, "Oi");
  await patient.idle();
  expect(await askedAt(phone, 3.999)).toBe(0);
  expect(await askedAt(phone, 4)).toBe(1);

  const chatty = desk.newPhone();
  for (const text of ["Oi", "Tudo bem?", "Quanto custa?"]) await desk.write(chatty, text);
  await patient.idle();
  await desk.rows(sql`
    update messages m set created_at = n.at from (
      select id, min(created_at) over () + (row_number() over (order by seq) - 1) * interval '5 seconds' as at
      from messages where ticket_id = ${(await desk.ticketOf(chatty)).id}) n
    where m.id = n.id`);
  // Five seconds between messages: the last one is ten seconds after the first.
  expect(await askedAt(chatty, 11.999)).toBe(0);
  expect(await askedAt(chatty, 12)).toBe(1);
});

test("an answer is dropped when its turn was postponed meanwhile: the later turn asks again", async () => {
  const { desk, first, ticketId, said } = await opened();
  await desk.rows(sql`
    update attendant_turns set due_at = now() + interval '200 milliseconds' where ticket_id = ${ticketId}`);
  first.answer("Dez reais");
  (await question(2)).answer("Onze reais");
  await app.idle();
  expect(await said()).toEqual(["Onze reais"]);
});

test("the answer is dropped once an agent has accepted", async () => {
  const { desk, first, ticketId, said } = await opened();
  const reply = await app.as(desk.agent).put(`/tickets/${ticketId}`, { status: "open" });
  expect(reply.status).toBe(200);
  first.answer("Dez reais");
  await app.idle();
  expect(await said()).toEqual([]);
});

test("a question of a crashed process is asked again, and only one answer is used", async () => {
  const { desk, first, ticketId, said } = await opened();
  await desk.rows(sql`
    update attendant_turns set due_at = now() - interval '1 second' where ticket_id = ${ticketId}`);
  const second = await question(2);
  second.answer("Dez reais");
  await app.idle();
  first.answer("Onze reais");
  await desk.write(desk.newPhone(), "Olá");
  (await question(3)).answer("Oi");
  await app.idle();
  expect(await said()).toEqual(["Dez reais"]);
});

test("at the limit of open questions, the next turn is postponed until one has been answered", async () => {
  const narrow = await testApp({
    attendantSettings: { ...quickAttendant, asksAtOnce: 1 },
    ...{ askers, channelSettings },
  });
  const { desk, first } = await opened(narrow);
  const other = desk.newPhone();
  await desk.write(other, "Oi");
  const isOthersTurn = sql`ticket_id <> ${first.question.ticketId}`;
  await vi.waitFor(async () => {
    const held = await desk.rows(sql`
      select ticket_id from attendant_turns where due_at > waiting_since + interval '1 second' and ${isOthersTurn}`);
    expect(held).toHaveLength(1);
  });
  expect(asked).toHaveLength(1);
  first.answer("Dez reais");
  await vi.waitFor(async () => {
    const rows = await desk.rows(sql`select from attendant_turns where due_at is not null`);
    expect(rows).toHaveLength(1);
  });
  await desk.rows(sql`
    update attendant_turns set due_at = now() - interval '1 second' where ${isOthersTurn}`);
  (await question(2)).answer("Olá");
  await narrow.idle();
  expect(await desk.answers((await desk.ticketOf(other)).id)).toEqual(["Olá"]);
});

test("a process that stops waits for no answer, and leaves the turn to others", async () => {
  const stopping = await testApp({ attendantSettings: quickAttendant, askers, channelSettings });
  const { desk, first, ticketId } = await opened(stopping);
  await stopping.close();
  expect(first.signal.aborted).toBe(true);
  const [turn] = await desk.rows<{ isDue: boolean }>(sql`
    select due_at is not null as "isDue" from attendant_turns where ticket_id = ${ticketId}`);
  expect(turn).toEqual({ isDue: true });
});

test.each<[what: string, then: (desk: Desk) => Afterwards, after: (desk: Desk) => object]>([
  [
    "stays: the ticket is its until a person acts",
    () => ({ kind: "stay" }),
    () => ({ status: "pending", queueId: null, useIntegration: true, chatbot: true }),
  ],
  [
    "hands over: the ticket waits in the queue",
    ({ queueIds }) => ({ kind: "handOver", queueId: queueIds[1] ?? null }),
    ({ queueIds }) => ({ status: "pending", queueId: queueIds[1], useIntegration: false }),
  ],
  [
    "hands over to a user: the ticket is the user's",
    ({ queueIds, agent }) => ({ kind: "handOver", queueId: queueIds[1] ?? null, userId: agent.id }),
    ({ queueIds, agent }) => ({ status: "open", queueId: queueIds[1], userId: agent.id }),
  ],
  [
    "names a queue that is not the company's: the menu",
    () => ({ kind: "handOver", queueId: queueId.parse(2_000_000_000) }),
    () => ({ status: "pending", queueId: null, useIntegration: false, chatbot: false }),
  ],
  [
    "closes the ticket",
    () => ({ kind: "close" }),
    () => ({ status: "closed", queueId: null, useIntegration: false, promptId: null }),
  ],
])("7.3: it %s", async (_what, then, after) => {
  const { desk, phone, first, said } = await opened();
  const promptId = first.question.helper.id;
  await desk.rows(
    sql`update connections set complation_message = 'Até logo' where id = ${desk.connectionId}`,
  );
  const wished = then(desk);
  first.answer("Pronto, {{name}}", wished);
  await app.idle();
  const ticket = await desk.ticketOf(phone);
  expect(ticket).toMatchObject(after(desk));
  expect(ticket.promptId).toBe(ticket.useIntegration ? promptId : null);
  const more = {
    stay: [],
    leave: [menu],
    close: ["Até logo"],
    handOver: ticket.queueId ? [] : [menu],
  };
  expect(await said()).toEqual(["Pronto, {{name}}", ...more[wished.kind]]);
  expect(first.question.isFirst).toBe(true);
});
