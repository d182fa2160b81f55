import { promptId } from "@balcao/contract";
import { addSeconds } from "date-fns/addSeconds";
import fc from "fast-check";
import { expect, test } from "vitest";
import { decideTurn, decideWithOutside } from "./decide.ts";
import type { Helper, Place, QueueFacts, TurnFacts, TurnPlan } from "./facts.ts";
import type { Afterwards, OutsideAnswer } from "./outside.ts";
import { factsOf, optionOf, queueOf, saidIn } from "./testing/conversation.ts";

const file = { key: "k", name: "anexo.pdf" };
const bare = queueOf(1, "Suporte", { file });
const deep = queueOf(2, "Vendas", {
  options: [
    optionOf(21, 1, "Preços", { file }),
    optionOf(22, 2, "Prazos"),
    optionOf(23, 1, "Atacado", { parentId: 22 }),
    optionOf(24, 1, "Grande", { parentId: 23, message: "" }),
    optionOf(25, 2, "Médio", { parentId: 23 }),
  ],
});
const other = queueOf(3, "Outra", { options: [optionOf(31, 9, "Única")] });

const MAX_MENUS = 3;
const answer = fc.constantFrom("1", "2", "3", "9", "0", "#", "oi", "", " 1 ", "{{name}}", "*1*");
/** A customer's messages before the attendant looks, and the customer's wait afterwards. */
const burst = fc.record({
  bodies: fc.array(fc.record({ body: answer, isText: fc.boolean() }), {
    minLength: 1,
    maxLength: 6,
  }),
  waitSeconds: fc.constantFrom(0, 1, 30, 600, 40_000),
});
const world = fc.record({
  queues: fc.subarray<QueueFacts>([bare, deep, other]),
  scheduleType: fc.constantFrom<TurnFacts["scheduleType"]>("disabled", "company", "queue"),
  greetsWithOneQueue: fc.boolean(),
  timeUseBotQueuesMinutes: fc.constantFrom(0, 5),
});

test("for any input of a customer, the attendant stays in its menus, within its limits", () => {
  fc.assert(
    fc.property(world, fc.array(burst, { maxLength: 25 }), (place, bursts) => {
      const { timeUseBotQueuesMinutes, ...rest } = place;
      const limits = { maxUseBotQueues: MAX_MENUS, timeUseBotQueuesMinutes };
      const begin = factsOf({ ...rest, connection: { ...factsOf().connection, ...limits } });
      let { now, ticket, memory } = begin;
      for (const { bodies, waitSeconds } of bursts) {
        now = addSeconds(now, waitSeconds + 1);
        const at = now;
        const messages = bodies.map((one, seq) => ({ ...one, seq, at }));
        const plan = decideTurn({ ...begin, now, ticket, memory, messages });
        expectSound(place.queues, plan.place);
        expect(plan.memory.menusSent).toBeLessThanOrEqual(MAX_MENUS);
        // One message gets at most the introduction: a greeting, a level and its file.
        if (bodies.length === 1) expect(plan.sends.length).toBeLessThanOrEqual(3);
        expect(saidIn(plan)).not.toContain("");
        ticket = { ...begin.ticket, ...plan.place };
        memory = plan.memory;
      }
    }),
    { numRuns: 500 },
  );
});

/** An option is one of the ticket's queue, and the chatbot leads only where there is something to choose. */
function expectSound(
  queues: readonly QueueFacts[],
  { queueId, chatbot, queueOptionId }: Place,
): void {
  const queue = queues.find(({ id }) => id === queueId);
  if (!queue) {
    expect([queueId, chatbot, queueOptionId]).toEqual([null, false, null]);
    return;
  }
  if (chatbot) expect(queue.options.length).toBeGreaterThan(0);
  if (queueOptionId === null) return;
  expect(chatbot).toBe(true);
  const children = queue.options.filter(({ parentId }) => parentId === queueOptionId);
  expect(children.length).toBeGreaterThan(0);
}

const agentAi: Helper = { kind: "prompt", id: promptId.parse(1) };
const afterwards = fc.constantFrom<Afterwards>(
  { kind: "stay" },
  { kind: "leave" },
  { kind: "handOver", queueId: bare.id },
  { kind: "handOver", queueId: null },
);
const helperAnswer = fc.oneof(
  fc.constant<OutsideAnswer>({ kind: "pass" }),
  afterwards.map((next): OutsideAnswer => ({ kind: "say", sends: [], next })),
);

/** Asks the helper at most once. */
function answeredTurn(
  facts: TurnFacts,
  answer: OutsideAnswer,
): { plan: TurnPlan; isAsked: boolean } {
  const isAskable = () => true;
  const first = decideWithOutside(facts, { isAskable, answered: null });
  if (!("ask" in first)) return { plan: first, isAsked: false };
  const plan = decideWithOutside(facts, { isAskable, answered: { helper: first.ask, answer } });
  if ("ask" in plan) throw new Error("it was answered");
  return { plan, isAsked: true };
}

test("with a helper too: nobody is asked about a ticket that waits for a person, nor after a person acted", () => {
  fc.assert(
    fc.property(
      ...[world, fc.boolean(), fc.array(fc.tuple(burst, helperAnswer), { maxLength: 15 })],
      (place, isOfConnection, turns) => {
        const helper = isOfConnection ? agentAi : null;
        const { timeUseBotQueuesMinutes, ...rest } = place;
        const usual = { ...factsOf().connection, helper, maxUseBotQueues: MAX_MENUS };
        const withHelper = (queue: QueueFacts): QueueFacts => ({ ...queue, helper: agentAi });
        const queues = place.queues.map(withHelper);
        const all = [bare, deep, other].map(withHelper);
        const connection = { ...usual, timeUseBotQueuesMinutes };
        const begin = factsOf({ ...rest, queues, connection });
        let { now, ticket, memory } = begin;
        for (const [{ bodies, waitSeconds }, answer] of turns) {
          now = addSeconds(now, waitSeconds + 1);
          const messages = bodies.map((one, seq) => ({ ...one, seq, at: now }));
          const ticketQueue = all.find(({ id }) => id === ticket.queueId) ?? null;
          const facts = { ...begin, now, ticket, memory, messages, ticketQueue };
          const { plan, isAsked } = answeredTurn(facts, answer);
          // In a queue without menu and helper it waits for a person.
          if (ticket.queueId !== null && !ticket.chatbot) expect(isAsked).toBe(false);
          expect(plan.helper !== null && !plan.place.chatbot).toBe(false);
          const silent = answeredTurn({ ...facts, attendedAt: now }, answer);
          expect([silent.isAsked, silent.plan.sends]).toEqual([false, []]);
          ticket = { ...begin.ticket, ...plan.place, helper: plan.helper };
          memory = plan.memory;
        }
      },
    ),
    { numRuns: 300 },
  );
});

test("an agent's act silences every automatic text", () => {
  fc.assert(
    fc.property(world, burst, (place, { bodies }) => {
      const facts = factsOf({ ...place });
      const messages = bodies.map((one, seq) => ({ ...one, seq, at: facts.now }));
      const plan = decideTurn({ ...facts, messages, attendedAt: facts.now });
      expect([plan.sends, plan.memory]).toEqual([[], facts.memory]);
    }),
  );
});
