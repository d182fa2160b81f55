import { defaultSchedules } from "@balcao/contract";
import { addDays } from "date-fns/addDays";
import { addHours } from "date-fns/addHours";
import { expect, test } from "vitest";
import { decideTurn } from "./decide.ts";
import type { QueueFacts, TurnFacts } from "./facts.ts";
import {
  conversation,
  factsOf,
  noon,
  optionOf,
  queueOf,
  saidIn,
  written,
} from "./testing/conversation.ts";

/** Tuesday 20:00 in São Paulo: closed by the default hours until Wednesday 08:00. */
const night = addHours(noon, 9);
const opensAt = new Date("2026-11-25T11:00:00Z");

const options = [optionOf(11, 1, "Boleto"), optionOf(12, 2, "Pix")];
const bare = queueOf(1, "Suporte");
const full = queueOf(2, "Vendas", { options });
const menu = "Olá {{name}}\n\n*[ 1 ]* - Suporte\n*[ 2 ]* - Vendas";
const root = "Aqui é Vendas\n\n*[ 1 ]* - Boleto\n*[ 2 ]* - Pix\n\n*[ # ]* - Menu inicial";

function atNight(change: Partial<TurnFacts> = {}): TurnFacts {
  return factsOf({
    now: night,
    messages: [{ seq: 1, at: night, body: "oi", isText: true }],
    queues: [bare, full],
    ...change,
  });
}

const companyHours = atNight({ scheduleType: "company" });
const queueHours = atNight({ scheduleType: "queue" });

function inQueue(queue: QueueFacts, facts: TurnFacts): TurnFacts {
  const ticket = { ...facts.ticket, queueId: queue.id, chatbot: queue.options.length > 0 };
  return { ...facts, ticket, ticketQueue: queue };
}

test.each<[what: string, facts: TurnFacts, said: string[]]>([
  ["disabled: nobody looks at hours", atNight(), [menu]],
  ["company: no menu but its text", companyHours, ["Estamos fechados"]],
  ["company: also for a ticket in a queue", inQueue(bare, companyHours), ["Estamos fechados"]],
  ["company: a queue's hours do not count", { ...companyHours, now: noon }, [menu]],
  ["company: in its own time zone", { ...companyHours, timeZone: "America/Los_Angeles" }, [menu]],
  ["queue: without one there is nothing to look at", queueHours, [menu]],
  ["queue: the ticket's queue says it", inQueue(full, queueHours), ["Vendas está fechado"]],
  ["queue: also where the chatbot is done", inQueue(bare, queueHours), ["Suporte está fechado"]],
  ["queue: open ones go on", inQueue({ ...full, schedules: [] }, queueHours), [root]],
  [
    "queue: the company's hours do not count",
    { ...inQueue(full, queueHours), now: noon, companySchedules: [] },
    [root],
  ],
  [
    "no text: no message, but no menu either",
    { ...companyHours, connection: { ...companyHours.connection, outOfHoursMessage: "" } },
    [],
  ],
  ["no text of a queue", inQueue({ ...full, outOfHoursMessage: "" }, queueHours), []],
  [
    "one queue that is closed: neither greeting nor options",
    { ...queueHours, queues: [full], greetsWithOneQueue: true },
    ["Vendas está fechado"],
  ],
])("2.6: %s", (_what, facts, said) => {
  expect(saidIn(decideTurn(facts))).toEqual(said);
});

test("2.6: it is said once in the closed period, and again in the next one", () => {
  const heard = conversation(companyHours, "oi", "alguém?", "#");
  expect(heard.map(({ said }) => said)).toEqual([["Estamos fechados"], [], []]);
  const memory = heard.at(-1)?.plan.memory;
  expect(memory?.closedToldUntil).toEqual(opensAt);
  const nextDay = {
    ...companyHours,
    now: addDays(night, 1),
    memory: { ...companyHours.memory, ...memory },
  };
  expect(saidIn(decideTurn(nextDay))).toEqual(["Estamos fechados"]);
});

test("2.6: what never opens says it every four hours", () => {
  const never = defaultSchedules().map((day) => ({ ...day, startTime: "00:00", endTime: "00:00" }));
  const { memory } = decideTurn({ ...companyHours, companySchedules: never });
  const later = (hours: number): string[] =>
    saidIn(
      decideTurn({ ...companyHours, companySchedules: never, memory, now: addHours(night, hours) }),
    );
  expect([later(3), later(4)]).toEqual([[], ["Estamos fechados"]]);
});

test("2.6: the ticket goes on waiting where it is, and no chatbot ran", () => {
  const plan = decideTurn(inQueue(full, queueHours));
  expect(plan).toMatchObject({
    place: { queueId: 2, chatbot: true, queueOptionId: null },
    isQueuedNow: false,
    usedChatbot: false,
  });
});

test("2.6: when it opens again, the customer sees the menu again before his words are a choice of options", () => {
  const { place, memory } = decideTurn(inQueue(full, queueHours));
  const morning: TurnFacts = {
    ...inQueue(full, queueHours),
    ticket: { ...queueHours.ticket, ...place },
    memory,
    now: opensAt,
    messages: [{ seq: 2, at: opensAt, body: "1", isText: true }],
  };
  expect(saidIn(decideTurn(morning))).toEqual([root]);
});

/** The menu, then a choice of it. */
function choice(body: string, queues: QueueFacts[]): ReturnType<typeof conversation> {
  return conversation({ ...queueHours, queues }, "oi", body, "tá bom", "#");
}

test("2.6: a chosen queue without options that is closed says so with the way back, and is left again", () => {
  const [, chosen, thanks, back] = choice("1", [bare, full]);
  expect(chosen?.said).toEqual(["Suporte está fechado\n\n*[ # ]* - Voltar ao Menu Principal"]);
  expect(chosen?.plan.place).toEqual({ queueId: null, chatbot: false, queueOptionId: null });
  expect(chosen?.plan.isQueuedNow).toBe(false);
  expect([thanks?.said, back?.said]).toEqual([[], [menu]]);
});

test("2.6: it says so each time it is chosen, for that is a question", () => {
  const heard = conversation(queueHours, "oi", "1", "1");
  expect(heard.map(({ said }) => said.length)).toEqual([1, 1, 1]);
});

test("2.6: a chosen queue with options that is closed says so, and keeps the ticket", () => {
  const [, chosen, thanks, back] = choice("2", [bare, full]);
  expect(chosen?.said).toEqual(["Vendas está fechado"]);
  expect(chosen?.plan.place).toEqual({ queueId: 2, chatbot: true, queueOptionId: null });
  expect([thanks?.said, back?.said]).toEqual([[], []]);
});

test("2.6: a chosen queue that has nothing to say about being closed keeps the ticket unanswered", () => {
  const [, chosen] = choice("1", [{ ...bare, outOfHoursMessage: "" }, full]);
  expect(chosen?.said).toEqual([]);
  expect(chosen?.plan.place.queueId).toBe(1);
});

test("2.6: ten messages at once in a closed period get one text", () => {
  const bodies = Array.from({ length: 10 }, (_one, index) => `mensagem ${index}`);
  expect(saidIn(decideTurn({ ...companyHours, messages: written(...bodies) }))).toEqual([
    "Estamos fechados",
  ]);
});
