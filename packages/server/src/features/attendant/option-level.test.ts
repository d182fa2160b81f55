import { personComesText } from "@balcao/contract";
import { expect, test } from "vitest";
import { decideTurn } from "./decide.ts";
import type { OptionFacts, QueueFacts, TurnFacts } from "./facts.ts";
import { conversation, factsOf, optionOf, queueOf, saidIn } from "./testing/conversation.ts";

const file = { key: "k", name: "mapa.png" };

/** 1 Entrega (1 Rastrear, 2 Atrasou, 10 Outros), 2 Pagamento (5 Boleto), 10 Horários, in no particular order. */
const options: OptionFacts[] = [
  optionOf(30, 10, "Horários"),
  optionOf(10, 1, "Entrega", { file }),
  optionOf(20, 2, "Pagamento"),
  optionOf(12, 10, "Outros", { parentId: 10 }),
  optionOf(11, 2, "Atrasou", { parentId: 10, message: "" }),
  optionOf(13, 1, "Rastrear", { parentId: 10, file }),
  optionOf(21, 5, "Boleto", { parentId: 20 }),
];
const shop = queueOf(1, "Loja", { options });
const other = queueOf(2, "Outra");

const root =
  "Aqui é Loja\n\n*[ 1 ]* - Entrega\n*[ 2 ]* - Pagamento\n*[ 10 ]* - Horários\n\n*[ # ]* - Menu inicial";
const delivery =
  "Sobre Entrega\n\n*[ 1 ]* - Rastrear\n*[ 2 ]* - Atrasou\n*[ 10 ]* - Outros\n\n*[ 0 ]* - Menu anterior\n*[ # ]* - Menu inicial";
const payment =
  "Sobre Pagamento\n\n*[ 5 ]* - Boleto\n\n*[ 0 ]* - Menu anterior\n*[ # ]* - Menu inicial";
const menu = "Olá {{name}}\n\n*[ 1 ]* - Loja\n*[ 2 ]* - Outra";

const oneQueue = factsOf({ queues: [shop], ticketQueue: shop });
const twoQueues = factsOf({ queues: [shop, other] });

/** The reply to each message of the customer, one after the other. */
type Dialogue = [what: string, facts: TurnFacts, dialogue: [written: string, said: string[]][]];

test.each<Dialogue>([
  [
    "2.4: the number that chose the queue is not read as an option",
    twoQueues,
    [
      ["oi", [menu]],
      ["1", [root]],
      ["1", [delivery, "[mapa.png]"]],
    ],
  ],
  [
    "2.4: the first message of a cycle is never an option",
    oneQueue,
    [
      ["1", [root]],
      ["1", [delivery, "[mapa.png]"]],
    ],
  ],
  [
    "2.4: numbers are numbers: 10 is the last option and not the second",
    oneQueue,
    [
      ["oi", [root]],
      ["10", ["Sobre Horários"]],
    ],
  ],
  [
    "2.4: a leaf says its message, then its file, and nothing is answered after it",
    oneQueue,
    [
      ["oi", [root]],
      ["1", [delivery, "[mapa.png]"]],
      ["1", ["Sobre Rastrear", "[mapa.png]"]],
      ["1", []],
      ["0", []],
      ["#", []],
      ["obrigado", []],
    ],
  ],
  [
    "2.4: a message that is not there is an empty text",
    oneQueue,
    [
      ["oi", [root]],
      ["1", [delivery, "[mapa.png]"]],
      ["2", []],
    ],
  ],
  [
    "2.4: 0 goes one level up, and is no way out of the root",
    oneQueue,
    [
      ["oi", [root]],
      ["2", [payment]],
      ["0", [root]],
      ["0", [root]],
    ],
  ],
  [
    "2.4: whatever is written chooses a single child, but for 0 and #",
    oneQueue,
    [
      ["oi", [root]],
      ["2", [payment]],
      ["o quê?", ["Sobre Boleto"]],
    ],
  ],
  [
    "2.4: # goes back to the main menu",
    twoQueues,
    [
      ["oi", [menu]],
      ["1", [root]],
      ["2", [payment]],
      ["#", [menu]],
      ["2", ["Aqui é Outra"]],
    ],
  ],
  [
    "2.4: on a connection with one queue # shows that queue's root level again",
    oneQueue,
    [
      ["oi", [root]],
      ["2", [payment]],
      ["#", [root]],
      ["#", [root]],
      ["10", ["Sobre Horários"]],
    ],
  ],
  [
    "2.4: any other answer shows the same level again",
    oneQueue,
    [
      ["oi", [root]],
      ["3", [root]],
      ["1", [delivery, "[mapa.png]"]],
      ["quero falar", [delivery, "[mapa.png]"]],
      ["1.", [delivery, "[mapa.png]"]],
    ],
  ],
])("%s", (_what, facts, dialogue) => {
  const heard = conversation(facts, ...dialogue.map(([body]) => body));
  expect(heard.map(({ said }) => said)).toEqual(dialogue.map(([, said]) => said));
});

test.each<[what: string, bodies: string[], place: object]>([
  ["at the root", ["oi"], { chatbot: true, queueOptionId: null }],
  ["inside an option", ["oi", "1"], { chatbot: true, queueOptionId: 10 }],
  ["with an answer that chooses nothing", ["oi", "1", "7"], { chatbot: true, queueOptionId: 10 }],
  ["one level up", ["oi", "1", "0"], { chatbot: true, queueOptionId: null }],
  ["after a leaf", ["oi", "1", "10"], { chatbot: false, queueOptionId: null }],
])("2.4: the pointer %s", (_what, bodies, place) => {
  const plan = conversation(oneQueue, ...bodies).at(-1)?.plan;
  expect(plan?.place).toEqual({ queueId: 1, ...place });
});

/** A customer who stands somewhere in the queue, as the attendant finds it now. */
function standingIn(queue: QueueFacts, queueOptionId: number | null, body: string): TurnFacts {
  const facts = factsOf({ queues: [queue], ticketQueue: queue });
  return {
    ...facts,
    ticket: { ...facts.ticket, queueId: queue.id, chatbot: true, queueOptionId },
    memory: { ...facts.memory, lastMenuAt: new Date("2026-11-24T13:00:00Z") },
    messages: [{ seq: 9, at: facts.now, body, isText: true }],
  };
}

test("2.4: after concurrent changes: no option is left, the level's options are gone, the option itself", () => {
  const bare = decideTurn(standingIn({ ...shop, options: [] }, null, "1"));
  expect([saidIn(bare), bare.place.chatbot]).toEqual([[], false]);
  const withoutChildren = options.filter(({ parentId }) => parentId === null);
  const leaf = decideTurn(standingIn({ ...shop, options: withoutChildren }, 10, "1"));
  expect([saidIn(leaf), leaf.place.chatbot]).toEqual([["Sobre Entrega", "[mapa.png]"], false]);
  const gone = decideTurn(standingIn(shop, 999, "2"));
  expect(saidIn(gone)).toEqual([payment]);
});

test("an answer to a menu that was shown before a publication changed it shows the menu again and is not counted", () => {
  const renewed = { ...shop, menuChangedAt: new Date("2026-11-24T13:30:00Z") };
  for (const [place, answer, level] of [
    [null, "2", root],
    [10, "1", delivery],
    [10, "0", delivery],
    [20, "nada", payment],
  ] as const) {
    const plan = decideTurn(standingIn(renewed, place, answer));
    expect(saidIn(plan)[0]).toBe(level);
    expect([plan.place.queueOptionId, plan.memory.wrongAnswers]).toEqual([place, 0]);
    const next = standingIn(renewed, place, "2");
    const after = decideTurn({
      ...next,
      ticket: { ...next.ticket, ...plan.place },
      memory: plan.memory,
    });
    expect(saidIn(after)[0]).not.toBe(level);
  }
  const same = { ...shop, menuChangedAt: new Date("2026-11-24T12:30:00Z") };
  expect(saidIn(decideTurn(standingIn(same, null, "2")))).toEqual([payment]);
});

test("2.4: a queue that the connection has no more still leads its customer", () => {
  const plan = decideTurn({ ...standingIn(shop, null, "2"), queues: [] });
  expect(saidIn(plan)).toEqual([payment]);
  const back = decideTurn({ ...standingIn(shop, 20, "#"), queues: [] });
  expect(saidIn(back)).toEqual([root]);
});

test("a level is shown again twice in a row, then a person will come, so that two chatbots end", () => {
  const heard = conversation(oneQueue, "oi", ...Array<string>(9).fill("blá"), "2");
  const silence = Array.from({ length: 6 }, (): string[] => []);
  expect(heard.map(({ said }) => said)).toEqual([
    ...[[root], [root], [root], [personComesText]],
    ...[...silence, [payment]],
  ]);
  const goneOn = conversation(oneQueue, "oi", "blá", "1", "blá", "#", "blá", "blá", "blá");
  expect(goneOn.map(({ said }) => said[0])).toEqual([
    ...[root, root, delivery, delivery, root, root, root, personComesText],
  ]);
});

test("files that arrive together are one answer, whatever their number", () => {
  const photo = (seq: number) => ({ seq, at: factsOf().now, body: "", isText: false });
  const photos = Array.from({ length: 9 }, (_, seq) => photo(seq));
  const begin = standingIn(shop, null, "");
  const first = decideTurn({ ...begin, messages: photos });
  expect([saidIn(first), first.memory.wrongAnswers]).toEqual([[root], 1]);
  const memory = { ...begin.memory, wrongAnswers: 2 };
  expect(saidIn(decideTurn({ ...begin, memory, messages: photos }))).toEqual([personComesText]);
});

test("2.4: a photo chooses nothing; inside an option with a single child it does", () => {
  const photo = { seq: 9, at: factsOf().now, body: "1", isText: false };
  const atRoot = decideTurn({ ...standingIn(shop, null, ""), messages: [photo] });
  expect(saidIn(atRoot)).toEqual([root]);
  const inside = decideTurn({ ...standingIn(shop, 20, ""), messages: [photo] });
  expect(saidIn(inside)).toEqual(["Sobre Boleto"]);
});
