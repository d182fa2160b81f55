import type { ScheduleEntry, Weekday } from "@balcao/contract";
import { defaultSchedules, nationalHolidayKeys } from "@balcao/contract";
import { addDays } from "date-fns/addDays";
import { addHours } from "date-fns/addHours";
import { addMinutes } from "date-fns/addMinutes";
import { subMinutes } from "date-fns/subMinutes";
import { expect, test } from "vitest";
import { closedUntil, decideTurn } from "./decide.ts";
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

/** The end of the closed period in a place that keeps no holidays. */
function untilOf(days: readonly ScheduleEntry[], now: Date, timeZone: string): Date | null {
  const national = Object.fromEntries(nationalHolidayKeys.map((key) => [key, false]));
  return closedUntil(days, { now, timeZone, holidays: { national, own: [] } });
}

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

test("2.6: the text is sent once in a closed period, and again in the next one", () => {
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

test("2.6: a queue that never opens sends it every four hours", () => {
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

test("2.6: when it opens again, the customer sees the menu again before a text is a choice of options", () => {
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

test("2.6: it sends the text each time it is chosen", () => {
  const heard = conversation(queueHours, "oi", "1", "1");
  expect(heard.map(({ said }) => said.length)).toEqual([1, 1, 1]);
});

test("2.6: a chosen queue with options that is closed says so, and keeps the ticket", () => {
  const [, chosen, thanks, back] = choice("2", [bare, full]);
  expect(chosen?.said).toEqual(["Vendas está fechado"]);
  expect(chosen?.plan.place).toEqual({ queueId: 2, chatbot: true, queueOptionId: null });
  expect([thanks?.said, back?.said]).toEqual([[], []]);
});

test("2.6: a chosen queue without out-of-hours text keeps the ticket unanswered", () => {
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

/** The same hours on some days; the others are not defined. */
function hours(times: string, ...days: Weekday[]): ScheduleEntry[] {
  const [startTime = "", endTime = ""] = times.split("-");
  return defaultSchedules().map((day) => {
    const isMeant = days.length === 0 || days.some((one) => one === day.weekdayEn);
    return isMeant ? { ...day, startTime, endTime } : { ...day, startTime: "", endTime: "" };
  });
}

const OPEN = "open";

/** 24 November 2026 is a Tuesday. `until` in UTC. */
test.each<[what: string, days: ScheduleEntry[], now: string, zone: string, until: string]>([
  ["start is open", defaultSchedules(), "2026-11-24T08:00:00", "UTC", OPEN],
  ["a second before is not", defaultSchedules(), "2026-11-24T07:59:59", "UTC", "2026-11-24T08:00"],
  ["before the end is open", defaultSchedules(), "2026-11-24T17:59:59", "UTC", OPEN],
  ["end is closed", defaultSchedules(), "2026-11-24T18:00:00", "UTC", "2026-11-25T08:00"],
  ["Saturday till Monday", defaultSchedules(), "2026-11-28T12:00:00", "UTC", "2026-11-30T08:00"],
  ["equal times: all day", defaultSchedules(), "2026-11-29T00:00:00", "UTC", "2026-11-30T08:00"],
  ["equal times anywhere", hours("09:00-09:00"), "2026-11-24T09:00:00", "UTC", "2026-11-24T13:00"],
  ["no entries: no check", [], "2026-11-24T03:00:00", "UTC", OPEN],
  ["an empty entry: no check", hours("-"), "2026-11-24T03:00:00", "UTC", OPEN],
  ["an empty end: no check", hours("08:00-"), "2026-11-24T03:00:00", "UTC", OPEN],
  [
    "till the first moment of a day without check",
    hours("08:00-12:00", "tuesday"),
    "2026-11-24T12:00:00",
    "UTC",
    "2026-11-25T00:00",
  ],
  ["over midnight: the evening", hours("18:00-02:00"), "2026-11-24T23:59:59", "UTC", OPEN],
  ["over midnight: the night", hours("18:00-02:00"), "2026-11-25T01:59:59", "UTC", OPEN],
  [
    "over midnight: its end",
    hours("18:00-02:00"),
    "2026-11-25T02:00:00",
    "UTC",
    "2026-11-25T18:00",
  ],
  [
    "over midnight into a day that is closed",
    [
      ...hours("18:00-02:00", "tuesday").slice(0, 2),
      ...hours("00:00-00:00", "wednesday").slice(2, 3),
      ...defaultSchedules().slice(3),
    ],
    "2026-11-25T01:00:00",
    "UTC",
    OPEN,
  ],
  ["till midnight", hours("08:00-00:00"), "2026-11-24T23:59:59", "UTC", OPEN],
  ["after midnight", hours("08:00-00:00"), "2026-11-25T00:00:00", "UTC", "2026-11-25T08:00"],
  [
    "the company's day, not the server's",
    defaultSchedules(),
    "2026-11-24T10:59:59",
    "America/Sao_Paulo",
    "2026-11-24T11:00",
  ],
  ["in another zone", defaultSchedules(), "2026-11-23T23:00:00", "Asia/Tokyo", OPEN],
  [
    "clocks go forward that night: opens an hour earlier",
    hours("08:00-18:00"),
    "2026-03-28T18:00:00",
    "Europe/Lisbon",
    "2026-03-29T07:00",
  ],
  [
    "clocks go back that night: opens an hour later",
    hours("08:00-18:00"),
    "2026-10-24T18:00:00",
    "Europe/Lisbon",
    "2026-10-25T08:00",
  ],
  [
    "after the change, by the clock",
    hours("08:00-18:00"),
    "2026-03-29T16:59:59",
    "Europe/Lisbon",
    OPEN,
  ],
  [
    "an opening in the hour that the clocks leave out",
    hours("01:30-18:00"),
    "2026-03-29T00:59:59",
    "Europe/Lisbon",
    "2026-03-29T01:00",
  ],
])("2.6: %s", (_what, days, now, zone, until) => {
  const end = untilOf(days, new Date(`${now}Z`), zone);
  expect(end?.toISOString().slice(0, 16) ?? OPEN).toBe(until);
});

test.each<[zone: string, changeDay: string]>([
  ["Europe/Lisbon", "2026-03-29"],
  ["Europe/Lisbon", "2026-10-25"],
  ["America/New_York", "2026-03-08"],
  ["Australia/Lord_Howe", "2026-10-04"],
  ["America/Sao_Paulo", "2026-11-01"],
])("2.6: in %s around %s a closed period lasts until the moment at which it opens", (zone, day) => {
  const days = [...hours("22:30-02:30").slice(0, 5), ...hours("01:15-09:00").slice(5)];
  const begin = new Date(`${day}T00:00:00Z`);
  const wrong: string[] = [];
  for (let minute = -3 * 1_440; minute < 3 * 1_440; minute += 17) {
    const now = addMinutes(begin, minute);
    const until = untilOf(days, now, zone);
    if (until === null) continue;
    const isClosedBefore = untilOf(days, subMinutes(until, 1), zone) !== null;
    const isOpenThen = untilOf(days, until, zone) === null;
    if (until <= now || !isClosedBefore || !isOpenThen) wrong.push(now.toISOString());
  }
  expect(wrong).toEqual([]);
});

test("without a text of connection or queue the company's own is sent; without that nothing", () => {
  const own = { ...companyHours.texts, outOfHours: "Voltamos amanhã" };
  const mute = { ...companyHours.connection, outOfHoursMessage: "" };
  const facts = { ...companyHours, connection: mute };
  expect(saidIn(decideTurn(facts))).toEqual([]);
  expect(saidIn(decideTurn({ ...facts, texts: own }))).toEqual(["Voltamos amanhã"]);
  expect(saidIn(decideTurn({ ...companyHours, texts: own }))).toEqual(["Estamos fechados"]);
  const queue = inQueue({ ...full, outOfHoursMessage: "" }, { ...queueHours, texts: own });
  expect(saidIn(decideTurn(queue))).toEqual(["Voltamos amanhã"]);
});

test("on a holiday company and queues are closed, and the text comes once in the whole closed period", () => {
  const christmas = new Date("2026-12-25T14:00:00Z");
  const on = (facts: TurnFacts, change: Partial<TurnFacts> = {}): TurnFacts => ({
    ...facts,
    now: christmas,
    messages: [{ seq: 1, at: christmas, body: "oi", isText: true }],
    ...change,
  });
  const [first, second] = conversation(on(companyHours), "oi", "oi?");
  expect([first?.said, second?.said]).toEqual([["Estamos fechados"], []]);
  expect(first?.plan.memory.closedToldUntil).toEqual(new Date("2026-12-26T11:00:00Z"));
  expect(saidIn(decideTurn(on(inQueue(full, queueHours))))).toEqual(["Vendas está fechado"]);
  const working = { national: { christmas: false }, own: [] };
  expect(saidIn(decideTurn(on(companyHours, { holidays: working })))).toEqual([menu]);
});
