import {
  defaultSchedules,
  invalidOptionText,
  personComesText,
  queueId,
  queueOptionId,
  usualHolidays,
} from "@balcao/contract";
import { addMinutes } from "date-fns/addMinutes";
import { addSeconds } from "date-fns/addSeconds";
import { decideTurn } from "../decide.ts";
import type {
  AttendantMessage,
  CustomerMessage,
  OptionFacts,
  QueueFacts,
  TurnFacts,
  TurnPlan,
} from "../facts.ts";

/** A Tuesday, 11:00 in São Paulo: the default hours are open. */
export const noon = new Date("2026-11-24T14:00:00Z");

/** A person's waiting ticket on a connection without queues; the test says what differs. */
export function factsOf(change: Partial<TurnFacts> = {}): TurnFacts {
  return {
    now: noon,
    timeZone: "America/Sao_Paulo",
    ticket: {
      status: "pending",
      userId: null,
      queueId: null,
      chatbot: false,
      queueOptionId: null,
      isGroup: false,
      disableBot: false,
      helper: null,
    },
    attendedAt: null,
    memory: {
      menusSent: 0,
      lastMenuAt: null,
      wrongAnswers: 0,
      greetedAt: null,
      closedToldUntil: null,
    },
    connection: {
      greetingMessage: "Olá {{name}}",
      outOfHoursMessage: "Estamos fechados",
      maxUseBotQueues: 0,
      timeUseBotQueuesMinutes: 0,
      helper: null,
    },
    queues: [],
    ticketQueue: null,
    scheduleType: "disabled",
    companySchedules: defaultSchedules(),
    holidays: usualHolidays,
    greetsWithOneQueue: false,
    texts: { outOfHours: "", invalidOption: invalidOptionText, personComes: personComesText },
    messages: written("oi"),
    ...change,
  };
}

export function queueOf(id: number, name: string, change: Partial<QueueFacts> = {}): QueueFacts {
  return {
    id: queueId.parse(id),
    name,
    greetingMessage: `Aqui é ${name}`,
    outOfHoursMessage: `${name} está fechado`,
    schedules: defaultSchedules(),
    file: null,
    menuChangedAt: null,
    options: [],
    helper: null,
    ...change,
  };
}

/** An option with the number that the customer writes; its id is free to choose. */
export function optionOf(
  id: number,
  number: number,
  title: string,
  change: Partial<Omit<OptionFacts, "parentId"> & { parentId: number }> = {},
): OptionFacts {
  const { parentId, ...rest } = change;
  return {
    id: queueOptionId.parse(id),
    number,
    title,
    message: `Sobre ${title}`,
    file: null,
    ...rest,
    parentId: parentId === undefined ? null : queueOptionId.parse(parentId),
  };
}

/** Texts written one after the other, all of which the attendant finds at once, and last written when it looks. */
export function written(...bodies: string[]): CustomerMessage[] {
  return bodies.map((body, index) => ({ seq: index + 1, at: noon, body, isText: true }));
}

/** The texts and file names of what is sent, in order. */
export function saidIn(plan: { sends: readonly AttendantMessage[] }): string[] {
  return plan.sends.map((sent) => (sent.kind === "text" ? sent.text : `[${sent.file.name}]`));
}

export type Heard = { said: string[]; plan: TurnPlan };

/**
 * A conversation in which each text is written a minute after the answer to the one before, as `decideTurn` leads it; what
 * it plans is where the next turn begins.
 */
export function conversation(begin: TurnFacts, ...bodies: string[]): Heard[] {
  let facts = begin;
  return bodies.map((body, index) => {
    const at = addMinutes(begin.now, index);
    const messages = [{ seq: index + 1, at, body, isText: true }];
    const plan = decideTurn({ ...facts, now: addSeconds(at, 1), messages });
    facts = { ...facts, ticket: { ...facts.ticket, ...plan.place }, memory: plan.memory };
    return { said: saidIn(plan), plan };
  });
}
