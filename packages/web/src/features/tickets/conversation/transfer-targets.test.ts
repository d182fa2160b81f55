import type { QueueId } from "@balcao/contract";
import { weekdays } from "@balcao/contract/weekdays";
import { describe, expect, test } from "vitest";
import { givenMember, givenQueue } from "../testing/given-choices.ts";
import type { Target } from "./transfer-targets.ts";
import { hoursNow, queueFor, stepFrom, targetsOf } from "./transfer-targets.ts";

const queues = ["Vendas", "Suporte", "Crédito"].map((name, index) => givenQueue(index + 1, name));
const team = {
  people: [
    givenMember(1, "Lia", { availability: "away" }),
    givenMember(2, "Davi", { availability: "paused", pauseReason: "Almoço" }),
    givenMember(3, "Marina", { openTickets: 6 }),
    givenMember(4, "Caio", { openTickets: 4, queueIds: [1, 2] }),
    givenMember(5, "Beatriz", { openTickets: 2, queueIds: [2] }),
    givenMember(6, "Téo", { online: false }),
  ],
  queues: [{ id: 2 as QueueId, waiting: 3, oldestSince: null, withinTarget: null }],
};
const options = { words: "", holderId: null, hoursOf: () => ({ kind: "unchecked" }) as const };
const nameOf = (target: Target): string =>
  target.kind === "person" ? target.member.name : target.queue.name;

describe("targets of a transfer", () => {
  test("people who can take it first, the least load first; then full, paused, away and offline ones", () => {
    const { people } = targetsOf(team, queues, options);
    expect(people.map(nameOf)).toEqual(["Beatriz", "Caio", "Marina", "Davi", "Lia", "Téo"]);
  });

  test("queues in their order with what waits and who can take it", () => {
    const found = targetsOf(team, queues, options).queues;
    expect(
      found.map((one) => one.kind === "queue" && [one.queue.waiting, one.queue.available]),
    ).toEqual([
      [0, 1],
      [3, 2],
      [0, 0],
    ]);
  });

  test("both are filtered without case and accents; the user who has it is not there", () => {
    const found = targetsOf(team, queues, { ...options, words: "CRED" });
    expect([found.people, found.queues.map(nameOf)]).toEqual([[], ["Crédito"]]);
    const others = targetsOf(team, queues, { ...options, holderId: 5 });
    expect(others.people.map(nameOf)).not.toContain("Beatriz");
  });
});

describe("arrow keys", () => {
  const lists = targetsOf(team, queues, options);
  const [first, second] = lists.people;
  const [sales, support] = lists.queues;
  const last = lists.people.at(-1);
  test.each([
    ["down begins with the first person", null, "ArrowDown", first],
    ["down goes on", first, "ArrowDown", second],
    ["down goes from the last person to the first queue", last, "ArrowDown", sales],
    ["up goes back", sales, "ArrowUp", last],
    ["up stays at the top", first, "ArrowUp", first],
    ["right goes to the queue beside", second, "ArrowRight", support],
    ["left goes back", support, "ArrowLeft", second],
    ["right stops at the last queue", last, "ArrowRight", lists.queues[2]],
  ] as const)("%s", (_, from, key, to) => {
    expect(stepFrom(from ?? null, key, lists)).toEqual(to);
  });
});

test("a person keeps the present queue if he is in it, else gets his first one", () => {
  const member = givenMember(4, "Caio", { queueIds: [2, 3] });
  expect(queueFor(member, 3, queues)).toBe(3);
  expect(queueFor(member, 1, queues)).toBe(2);
  expect(queueFor(member, null, queues)).toBe(2);
  expect(queueFor(givenMember(4, "Caio", { queueIds: [] }), 1, queues)).toBe(1);
});

test("hours say until when it is open, or when it opens", () => {
  const days = weekdays.map((weekdayEn) => ({
    ...{ weekdayEn, startTime: "08:00", endTime: "12:00" },
    ...{ startTimeB: "13:30", endTimeB: "18:00" },
  }));
  const at = (time: string) => new Date(`2026-11-19T${time}:00-03:00`);
  const now = (time: string) => hoursNow(days, at(time), "America/Sao_Paulo", null);
  expect(now("09:00")).toEqual({ kind: "open", untilTime: "12:00" });
  expect(now("17:59")).toEqual({ kind: "open", untilTime: "18:00" });
  expect(now("12:30")).toEqual({ kind: "closed", opensAt: at("13:30").toISOString() });
  expect(hoursNow([], at("09:00"), "America/Sao_Paulo", null)).toEqual({
    kind: "open",
    untilTime: null,
  });
});
