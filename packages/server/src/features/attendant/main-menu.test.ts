import { personComesText } from "@balcao/contract";
import { expect, test } from "vitest";
import { decideTurn } from "./decide.ts";
import type { QueueFacts, TurnFacts } from "./facts.ts";
import { conversation, factsOf, optionOf, queueOf } from "./testing/conversation.ts";

const support = queueOf(1, "Suporte");
const sales = queueOf(2, "Vendas", {
  file: { key: "k", name: "tabela.pdf" },
  options: [optionOf(21, 1, "Preços"), optionOf(22, 2, "Prazos")],
});
const menu = "Olá {{name}}\n\n*[ 1 ]* - Suporte\n*[ 2 ]* - Vendas";
const wrong = "Opção inválida, por favor, escolha uma opção válida.";
const salesRoot = "Aqui é Vendas\n\n*[ 1 ]* - Preços\n*[ 2 ]* - Prazos\n\n*[ # ]* - Menu inicial";

const twoQueues = factsOf({ queues: [support, sales] });

function limited(limits: Partial<TurnFacts["connection"]>): TurnFacts {
  return { ...twoQueues, connection: { ...twoQueues.connection, ...limits } };
}

function oneQueue(queue: QueueFacts, change: Partial<TurnFacts> = {}): TurnFacts {
  return factsOf({ queues: [queue], ticketQueue: queue, ...change });
}

/** The reply to each message of the customer, one after the other. */
type Dialogue = [what: string, facts: TurnFacts, dialogue: [written: string, said: string[]][]];

test.each<Dialogue>([
  [
    "2.1: a connection without queues greets once in an attendance",
    factsOf(),
    [
      ["oi", ["Olá {{name}}"]],
      ["alguém?", []],
      ["1", []],
    ],
  ],
  [
    "2.1: an empty greeting is none",
    factsOf({ connection: { ...factsOf().connection, greetingMessage: "" } }),
    [["oi", []]],
  ],
  [
    "2.2: one queue with options shows them at once",
    oneQueue(sales),
    [["oi", [salesRoot, "[tabela.pdf]"]]],
  ],
  [
    "2.2: the connection's greeting goes before, where the company wants it",
    oneQueue(sales, { greetsWithOneQueue: true }),
    [["oi", ["Olá {{name}}", salesRoot, "[tabela.pdf]"]]],
  ],
  [
    "2.2: a greeting of one character is none",
    oneQueue(sales, {
      greetsWithOneQueue: true,
      connection: { ...factsOf().connection, greetingMessage: "." },
    }),
    [["oi", [salesRoot, "[tabela.pdf]"]]],
  ],
  [
    "2.2: one queue without options keeps its own greeting to itself",
    oneQueue(support, { greetsWithOneQueue: true }),
    [
      ["oi", ["Olá {{name}}"]],
      ["alô", []],
    ],
  ],
  [
    "2.3: the first message gets the menu, whatever it says",
    twoQueues,
    [
      ["1", [menu]],
      ["1", ["Aqui é Suporte"]],
    ],
  ],
  [
    "2.3: the first wrong answer is told once, then there is silence until # or a choice",
    twoQueues,
    [
      ["oi", [menu]],
      ["três", [wrong]],
      ["3", []],
      ["0", []],
      ["#", [menu]],
      ["sei lá", [wrong]],
      ["de novo", []],
      ["2", [salesRoot, "[tabela.pdf]"]],
    ],
  ],
  [
    "2.3: a queue without options says its greeting, then its file, then nothing",
    factsOf({ queues: [{ ...support, file: { key: "f", name: "guia.pdf" } }, sales] }),
    [
      ["oi", [menu]],
      [" 1 ", ["Aqui é Suporte", "[guia.pdf]"]],
      ["obrigado", []],
      ["#", []],
    ],
  ],
  [
    "2.3: a choice is a number and nothing else",
    twoQueues,
    [
      ["oi", [menu]],
      ["2 pizzas", [wrong]],
      ["02", [salesRoot, "[tabela.pdf]"]],
    ],
  ],
  [
    "2.3: no more menus than the connection allows, but a choice counts for ever",
    limited({ maxUseBotQueues: 2 }),
    [
      ["oi", [menu]],
      ["oi", [wrong]],
      ["#", [menu]],
      ["oi", []],
      ["#", []],
      ["1", ["Aqui é Suporte"]],
    ],
  ],
  [
    "2.3: within the connection's minutes the menu is not sent again unasked",
    limited({ timeUseBotQueuesMinutes: 4 }),
    [
      ["oi", [menu]],
      ["oi?", []],
      ["alô", []],
      ["alguém?", []],
      ["bom dia", [menu]],
      ["#", [menu]],
      ["2", [salesRoot, "[tabela.pdf]"]],
    ],
  ],
  [
    "2.3: a menu that is sent again after minutes goes out twice more, then a person will come",
    limited({ timeUseBotQueuesMinutes: 1 }),
    [
      ["oi", [menu]],
      ["alô", [menu]],
      ["bom dia", [menu]],
      ["tem alguém aí?", [personComesText]],
      ["oi", []],
      ["oi", []],
      ["#", [menu]],
    ],
  ],
])("%s", (_what, facts, dialogue) => {
  const heard = conversation(facts, ...dialogue.map(([body]) => body));
  expect(heard.map(({ said }) => said)).toEqual(dialogue.map(([, said]) => said));
});

test("2.3: each menu is counted, and when the last one was", () => {
  const [first, second, third] = conversation(twoQueues, "oi", "oi", "#").map(
    ({ plan }) => plan.memory,
  );
  expect([first?.menusSent, second?.menusSent, third?.menusSent]).toEqual([1, 1, 2]);
  expect([first?.wrongAnswers, second?.wrongAnswers, third?.wrongAnswers]).toEqual([0, 1, 0]);
  expect(second?.lastMenuAt).toEqual(first?.lastMenuAt);
  expect(third?.lastMenuAt).not.toEqual(first?.lastMenuAt);
});

test.each<[what: string, facts: TurnFacts, bodies: string[], place: object, isQueuedNow: boolean]>([
  ["2.1: no queue", factsOf(), ["oi"], { queueId: null, chatbot: false }, false],
  ["2.2: one with options", oneQueue(sales), ["oi"], { queueId: 2, chatbot: true }, true],
  ["2.2: one without", oneQueue(support), ["oi"], { queueId: 1, chatbot: false }, true],
  ["2.3: the menu", twoQueues, ["oi"], { queueId: null, chatbot: false }, false],
  ["2.3: a wrong answer", twoQueues, ["oi", "9"], { queueId: null, chatbot: false }, false],
  ["2.3: with options", twoQueues, ["oi", "2"], { queueId: 2, chatbot: true }, true],
  ["2.3: without options", twoQueues, ["oi", "1"], { queueId: 1, chatbot: false }, true],
  ["2.4: # in it", twoQueues, ["oi", "2", "#"], { queueId: null, chatbot: false }, false],
  ["2.4: an option", twoQueues, ["oi", "2", "2"], { queueId: 2, chatbot: false }, false],
])("the ticket's place after %s", (_what, facts, bodies, place, isQueuedNow) => {
  const plan = conversation(facts, ...bodies).at(-1)?.plan;
  expect(plan?.place).toEqual({ queueOptionId: null, ...place });
  expect(plan?.isQueuedNow).toBe(isQueuedNow);
});

test("2.13: the chatbot ran where it greeted or showed something, not where it was silent", () => {
  const ran = (facts: TurnFacts): boolean => decideTurn(facts).usedChatbot;
  expect([ran(factsOf()), ran(oneQueue(support)), ran(oneQueue(sales)), ran(twoQueues)]).toEqual([
    true,
    true,
    true,
    true,
  ]);
  const silent = conversation(limited({ maxUseBotQueues: 1 }), "oi", "oi").at(-1);
  expect(silent?.plan.usedChatbot).toBe(false);
});

test("the company's own words about a wrong answer and about a person who will come are said", () => {
  const texts = { ...twoQueues.texts, invalidOption: "Não temos isso", personComes: "Já vamos" };
  const wrong = conversation({ ...twoQueues, texts }, "oi", "alô").at(-1);
  expect(wrong?.said).toEqual(["Não temos isso"]);
  const again = { ...limited({ timeUseBotQueuesMinutes: 1 }), texts };
  const last = conversation(again, "oi", "alô", "bom dia", "tem alguém aí?").at(-1);
  expect(last?.said).toEqual(["Já vamos"]);
});
