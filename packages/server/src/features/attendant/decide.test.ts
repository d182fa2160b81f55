import { integrationId, promptId, queueId, userId } from "@balcao/contract";
import { addSeconds } from "date-fns/addSeconds";
import { subSeconds } from "date-fns/subSeconds";
import { expect, test } from "vitest";
import { decideTurn, decideWithOutside } from "./decide.ts";
import type { Helper, TurnFacts, TurnPlan } from "./facts.ts";
import type { Afterwards, OutsideAnswer } from "./outside.ts";
import {
  conversation,
  factsOf,
  noon,
  optionOf,
  queueOf,
  saidIn,
  written,
} from "./testing/conversation.ts";

const full = queueOf(2, "Vendas", {
  options: [
    optionOf(21, 1, "Preços"),
    optionOf(22, 2, "Prazos"),
    optionOf(23, 1, "Atacado", { parentId: 22 }),
  ],
});
const queues = [queueOf(1, "Suporte"), full];
const menu = "Olá {{name}}\n\n*[ 1 ]* - Suporte\n*[ 2 ]* - Vendas";
const root = "Aqui é Vendas\n\n*[ 1 ]* - Preços\n*[ 2 ]* - Prazos\n\n*[ # ]* - Menu inicial";
const deadlines =
  "Sobre Prazos\n\n*[ 1 ]* - Atacado\n\n*[ 0 ]* - Menu anterior\n*[ # ]* - Menu inicial";
const wrong = "Opção inválida, por favor, escolha uma opção válida.";

const twoQueues = factsOf({ queues });

/** The same ticket, closed hours and all, with one thing changed. */
function ticketWith(change: Partial<TurnFacts["ticket"]>): Partial<TurnFacts> {
  return { ticket: { ...twoQueues.ticket, ...change } };
}

const agent = userId.parse(1);
const inQueue = { queueId: full.id };

test.each<[when: string, change: Partial<TurnFacts>, said: string[]]>([
  ["a waiting ticket without agent gets the menu", {}, [menu]],
  ["1.9: an open ticket gets nothing", ticketWith({ status: "open", userId: agent }), []],
  ["1.9: nor an open one without agent", ticketWith({ status: "open" }), []],
  ["1.9: nor a waiting one that has an agent", ticketWith({ userId: agent }), []],
  ["1.9: nor a closed one", ticketWith({ status: "closed" }), []],
  ["1.4: nor a group", ticketWith({ isGroup: true }), []],
  ["2.3: nor a contact that wants no chatbot", ticketWith({ disableBot: true }), []],
  ["a person acted in the attendance: nothing, although it waits again", { attendedAt: noon }, []],
  ["nobody wrote: nothing", { messages: [] }, []],
  ["another chatbot wrote: nothing", { messages: written("\u200EOlá! Escolha") }, []],
  ["a person who writes that character elsewhere is one", { messages: written("a\u200E") }, [menu]],
  [
    "silence comes before hours",
    { ...ticketWith({ isGroup: true }), scheduleType: "company", companySchedules: closedAlways() },
    [],
  ],
  [
    "hours come before the menu",
    { scheduleType: "company", companySchedules: closedAlways() },
    ["Estamos fechados"],
  ],
  [
    "hours come before a person who is awaited",
    {
      ...ticketWith({ queueId: full.id }),
      ticketQueue: full,
      scheduleType: "company",
      companySchedules: closedAlways(),
    },
    ["Estamos fechados"],
  ],
  [
    "a person who is awaited in a queue comes before the menu",
    { ...ticketWith({ queueId: full.id }), ticketQueue: full },
    [],
  ],
  [
    "the queue's options come before the menu",
    { ...ticketWith({ queueId: full.id, chatbot: true }), ticketQueue: full },
    [root],
  ],
  ["no queue on the connection: its greeting", { queues: [] }, ["Olá {{name}}"]],
  ["one queue: its root level", { queues: [full] }, [root]],
])("order of precedence: %s", (_when, change, said) => {
  expect(saidIn(decideTurn({ ...twoQueues, ...change }))).toEqual(said);
});

function closedAlways(): TurnFacts["companySchedules"] {
  return twoQueues.companySchedules.map((day) => ({
    ...day,
    startTime: "00:00",
    endTime: "00:00",
  }));
}

test("silence changes nothing at all", () => {
  const facts = {
    ...twoQueues,
    ...ticketWith({ queueId: full.id, chatbot: true, queueOptionId: 22 }),
  };
  const plan = decideTurn({ ...facts, attendedAt: noon, messages: written("1", "#") });
  expect(plan).toEqual({
    place: { queueId: 2, chatbot: true, queueOptionId: 22 },
    isQueuedNow: false,
    usedChatbot: false,
    memory: facts.memory,
    sends: [],
    helper: null,
    ends: null,
  });
});

const ten = Array.from({ length: 10 }, (_one, index) => `mensagem ${index}`);

test.each<[what: string, bodies: string[], said: string[]]>([
  ["ten quick messages get one menu", ten, [menu]],
  ["the same text ten times gets one menu", Array<string>(10).fill("oi"), [menu]],
  ["a choice among them counts", ["oi", "tudo bem?", "2", "obrigado"], [menu, root]],
  ["the same number twice is one answer", ["oi", "2", "2"], [menu, root]],
  ["two numbers are two answers", ["oi", "2", "1"], [menu, root, "Sobre Preços"]],
  [
    "what was written before a single child was to be seen does not choose it",
    ["oi", "2", "Prazos", "2", "e aí?"],
    [menu, root, deadlines],
  ],
  ["its number does", ["oi", "2", "Prazos", "2", "1"], [menu, root, deadlines, "Sobre Atacado"]],
  ["# goes back, once", ["oi", "2", "#", "#"], [menu, root, menu]],
  ["# before the menu was to be seen is no wish for another one", ["oi", "#"], [menu]],
  ["after a leaf nothing counts", ["oi", "2", "1", "2", "#"], [menu, root, "Sobre Preços"]],
  ["after a queue without options nothing counts", ["oi", "1", "2"], [menu, "Aqui é Suporte"]],
])("several messages that nobody looked at: %s", (_what, bodies, said) => {
  expect(saidIn(decideTurn({ ...twoQueues, messages: written(...bodies) }))).toEqual(said);
});

test("several messages in one queue: the first shows its level, and the others only choose", () => {
  const facts = factsOf({ queues: [full], messages: written("1", "bom dia", "#", "2") });
  expect(saidIn(decideTurn(facts))).toEqual([root, deadlines]);
});

test.each<[what: string, body: string, secondsAfterTheMenu: number, said: string[]]>([
  ["before the menu, a text is no wrong answer", "oi?", -1, []],
  ["in the same moment neither", "oi?", 0, []],
  ["after it, it is", "oi?", 1, [wrong]],
  ["before the menu, a choice is one all the same", "2", -1, [root]],
])("written %s", (_what, body, seconds, said) => {
  const shown = conversation(twoQueues, "oi")[0]?.plan;
  const memory = { ...twoQueues.memory, ...shown?.memory };
  const menuAt = memory.lastMenuAt ?? noon;
  const at = seconds < 0 ? subSeconds(menuAt, -seconds) : addSeconds(menuAt, seconds);
  const facts = { ...twoQueues, memory, now: addSeconds(menuAt, 5) };
  const plan = decideTurn({ ...facts, messages: [{ seq: 2, at, body, isText: true }] });
  expect(saidIn(plan)).toEqual(said);
});

test("a photo is a message like any other, and no choice whatever its caption says", () => {
  const photo = (at: Date) => [{ seq: 1, at, body: "2", isText: false }];
  const first = decideTurn({ ...twoQueues, messages: photo(noon) });
  expect(saidIn(first)).toEqual([menu]);
  const later = addSeconds(noon, 60);
  const second = decideTurn({
    ...twoQueues,
    memory: first.memory,
    now: later,
    messages: photo(later),
  });
  expect(saidIn(second)).toEqual([wrong]);
});

const agentAi: Helper = { kind: "prompt", id: promptId.parse(1) };
const bot: Helper = { kind: "integration", id: integrationId.parse(1), type: "typebot" };
const webhook: Helper = { kind: "integration", id: integrationId.parse(2), type: "webhook" };
const stay = { kind: "stay" } as const;

/** A company whose connection and whose queue have helpers. */
const helped: TurnFacts = {
  ...twoQueues,
  connection: { ...twoQueues.connection, helper: agentAi },
  queues: [{ ...queueOf(1, "Suporte"), helper: bot }, full],
};

/** Webhooks answer nothing. */
const isAskable = ({ id }: Helper) => id === agentAi.id;

/** The helper that is asked, or what is said. */
function decided(facts: TurnFacts, answer: OutsideAnswer | null = null, helper: Helper = agentAi) {
  const answered = answer && { helper, answer };
  const plan = decideWithOutside(facts, { isAskable, answered });
  return "ask" in plan ? plan.ask : saidIn(plan);
}

test.each<[when: string, change: Partial<TurnFacts>, asked: Helper | string[]]>([
  ["the connection's helper comes before the menu", {}, agentAi],
  ["and is not asked once the menu has begun", { memory: menuShown() }, [wrong]],
  ["one that has the ticket comes before the connection's", ticketWith({ helper: bot }), bot],
  ["and before the menu of its queue", ticketWith({ ...inQueue, chatbot: true, helper: bot }), bot],
  ["nobody is asked about a ticket that waits in a queue for a person", ticketWith(inQueue), []],
  [
    "the helper of a chosen queue takes the place of its greeting",
    { memory: menuShown(), messages: written("1") },
    bot,
  ],
  [
    "that of the only queue as well",
    { connection: twoQueues.connection, queues: [{ ...full, helper: bot }] },
    bot,
  ],
  [
    "a queue's helper is not asked while the queue is closed",
    {
      memory: menuShown(),
      messages: written("1"),
      scheduleType: "queue",
      queues: [{ ...queueOf(1, "Suporte", { schedules: closedAlways() }), helper: bot }, full],
    },
    ["Suporte está fechado\n\n*[ # ]* - Voltar ao Menu Principal"],
  ],
  [
    "a helper that answers nothing leaves the menu alone",
    { connection: { ...twoQueues.connection, helper: webhook } },
    [menu],
  ],
  ["silence comes before the question", ticketWith({ disableBot: true }), []],
  ["an agent's act too", { ...ticketWith({ helper: bot }), attendedAt: noon }, []],
  [
    "and so do opening hours",
    { scheduleType: "company", companySchedules: closedAlways() },
    ["Estamos fechados"],
  ],
  ["another chatbot is no customer", { messages: written("\u200EOlá!") }, []],
])("7.1: %s", (_when, change, asked) => {
  expect(decided({ ...helped, ...change })).toEqual(asked);
});

const text = (said: string) => ({ kind: "text", text: said }) as const;
const says = (next: Afterwards): OutsideAnswer => ({ kind: "say", sends: [text("Oi!")], next });
const waits = { queueId: null, chatbot: false, queueOptionId: null };

function planned(facts: TurnFacts, answer: OutsideAnswer, helper: Helper): TurnPlan {
  const plan = decideWithOutside(facts, { isAskable, answered: { helper, answer } });
  if ("ask" in plan) throw new Error("it was answered");
  return plan;
}

const withOwn = {
  ...helped,
  ...ticketWith({ helper: bot, queueId: full.id, chatbot: true }),
  ticketQueue: full,
};
const handOver = (id: number, user?: number): OutsideAnswer =>
  says({
    kind: "handOver",
    queueId: queueId.parse(id),
    ...(user && { userId: userId.parse(user) }),
  });

test.each<
  [
    what: string,
    facts: TurnFacts,
    answer: OutsideAnswer,
    helper: Helper,
    after: Partial<TurnPlan>,
    said: string[],
  ]
>([
  [
    "it stays: the ticket is its",
    helped,
    says(stay),
    agentAi,
    { helper: agentAi, place: { ...waits, chatbot: true }, usedChatbot: true },
    ["Oi!"],
  ],
  [
    "it may say nothing",
    helped,
    { kind: "say", sends: [], next: stay },
    agentAi,
    { helper: agentAi },
    [],
  ],
  [
    "in a queue that was just chosen",
    { ...helped, memory: menuShown(), messages: written("1") },
    says(stay),
    bot,
    {
      helper: bot,
      place: { ...waits, queueId: queueId.parse(1), chatbot: true },
      isQueuedNow: true,
    },
    ["Oi!"],
  ],
  [
    "it could not answer: the menu",
    helped,
    { kind: "pass" },
    agentAi,
    { helper: null, place: waits },
    [menu],
  ],
  [
    "it could not answer in a chosen queue: the queue's greeting",
    { ...helped, memory: menuShown(), messages: written("1") },
    { kind: "pass" },
    bot,
    { helper: null, place: { ...waits, queueId: queueId.parse(1) } },
    ["Aqui é Suporte"],
  ],
  [
    "it leaves the ticket: its queue's options",
    withOwn,
    says({ kind: "leave" }),
    bot,
    { helper: null, place: { ...waits, queueId: full.id, chatbot: true } },
    ["Oi!", root],
  ],
  [
    "it hands over: a person is awaited there",
    withOwn,
    handOver(1),
    bot,
    { helper: null, place: { ...waits, queueId: queueId.parse(1) }, isQueuedNow: true, ends: null },
    ["Oi!"],
  ],
  [
    "it hands over to a user",
    withOwn,
    handOver(1, 5),
    bot,
    { ends: { kind: "assigned", userId: userId.parse(5) } },
    ["Oi!"],
  ],
  [
    "it hands over to a queue that is gone: as if it left",
    helped,
    says({ kind: "handOver", queueId: null }),
    agentAi,
    { helper: null, place: waits },
    ["Oi!", menu],
  ],
  [
    "it closes the ticket",
    withOwn,
    says({ kind: "close" }),
    bot,
    { ends: { kind: "closed", isQuiet: false } },
    ["Oi!"],
  ],
])("7.3: %s", (_what, facts, answer, helper, after, said) => {
  const plan = planned(facts, answer, helper);
  expect(plan).toMatchObject(after);
  expect(saidIn(plan)).toEqual(said);
});

test("7.1: a helper that left a connection without menu is not asked again in the attendance", () => {
  const silent = {
    ...helped,
    queues: [],
    connection: { ...helped.connection, greetingMessage: "" },
  };
  const { memory } = planned(silent, { kind: "pass" }, agentAi);
  expect(decided({ ...silent, memory })).toEqual([]);
});

test("7.1: an answer is dropped where it closed meanwhile, and the ticket stays with its helper", () => {
  const closed = { ...withOwn, scheduleType: "company", companySchedules: closedAlways() } as const;
  const plan = planned(closed, says(stay), bot);
  expect(saidIn(plan)).toEqual(["Estamos fechados"]);
  expect(plan).toMatchObject({ helper: bot, place: { chatbot: true } });
});

const lookup: Helper = { kind: "billing", id: full.id, lookup: "bill" };
const lookedUp = {
  ...helped,
  ...ticketWith({ helper: lookup, queueId: full.id, chatbot: true }),
  ticketQueue: full,
};

test.each<[what: string, facts: TurnFacts, after: Partial<TurnPlan>, said: string[]]>([
  ["to the menu", lookedUp, { place: waits }, [menu]],
  [
    "to the menu that was the last one allowed: to no queue",
    { ...lookedUp, connection: { ...helped.connection, maxUseBotQueues: 1 }, memory: menuShown() },
    { place: waits },
    [],
  ],
  [
    "without a menu the ticket waits for a person",
    { ...lookedUp, queues: [full] },
    { place: { queueId: full.id, chatbot: false, queueOptionId: null } },
    ["Certo! Uma pessoa da nossa equipe vai continuar este atendimento."],
  ],
])("7.9: # leaves a billing look-up: %s", (_what, facts, after, said) => {
  for (const text of ["#", " *#* "]) {
    const asked = { ...facts, messages: written("12345", text) };
    const plan = decideWithOutside(asked, { isAskable: () => true, answered: null });
    expect(plan).toMatchObject({ ...after, helper: null });
    expect("ask" in plan ? [] : saidIn(plan)).toEqual(said);
  }
});

test("7.1: the answer of another helper is not used", () => {
  expect(decided(helped, says(stay), bot)).toEqual(agentAi);
});

function menuShown(): TurnFacts["memory"] {
  return { ...twoQueues.memory, menusSent: 1, lastMenuAt: subSeconds(noon, 60) };
}
