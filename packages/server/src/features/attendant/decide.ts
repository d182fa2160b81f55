import type { QueueId, ScheduleEntry, UserId } from "@balcao/contract";
import { closedChoiceText, hoursAt, mainMenuAnswer, menuText } from "@balcao/contract";
import { addHours } from "date-fns/addHours";
import { addMinutes } from "date-fns/addMinutes";
import { isAfter } from "date-fns/isAfter";
import { isBefore } from "date-fns/isBefore";
import type { CustomerMessage, Helper, QueueFacts, TurnFacts, TurnPlan } from "./facts.ts";
import { isSameHelper } from "./facts.ts";
import type { Answer, Progress } from "./option-level.ts";
import {
  answerLevel,
  answerWrong,
  beginOf,
  isMainMenu,
  planOf,
  queued,
  say,
  showLevel,
  shown,
} from "./option-level.ts";
import type { OutsideAnswer } from "./outside.ts";

/** The first character of texts that chatbots of this family write (behaviour 0.2). */
const BOT_MARK = "\u200E";

/**
 * Decides what the automatic attendant does about a ticket's unhandled messages; the only place that decides it. For each
 * message, in the chat's order, exactly the first rule that applies is carried out (behaviour 1.9, 2):
 *
 * 1. Silence: the ticket does not wait, has an agent, or a person acted in the attendance; it is a group's; its contact
 *    wants no chatbot; the message was written by another chatbot.
 * 2. The company or the ticket's queue is closed: the out-of-hours text, once per closed period, and nothing else.
 * 3. The ticket has a queue and its chatbot has finished: it waits for an agent.
 * 4. The ticket has a queue and its chatbot is active: `#` goes back to the main menu, anything else answers the level.
 * 5. No queue, and the connection has none: its greeting, once.
 * 6. No queue, and the connection has one: the ticket goes there.
 * 7. No queue, and the connection has several: a choice, the menu, the text about an invalid option, or silence.
 *
 * The same answer several times in a row is one answer. An answer written before the last menu or level was shown may
 * choose something, but is never a wrong answer.
 *
 * No helper is asked: one that has the ticket leaves it, but in silence and outside of opening hours.
 */
export function decideTurn(facts: TurnFacts): TurnPlan {
  return planOf(lead(facts));
}

/** The helpers that can be asked now, and the answer of the one that was. */
export type Outside = {
  isAskable(helper: Helper): boolean;
  answered: { helper: Helper; answer: OutsideAnswer } | null;
};

/**
 * The same where helpers are asked (behaviour 7.1), once for all messages, between rules 2 and 3: the one that has the
 * ticket; without a queue the connection's, unless its menu has begun; and that of a queue which the customer enters.
 * Returns the helper to ask while there is no answer of it. A customer leaves a billing look-up by `#`.
 */
export function decideWithOutside(
  facts: TurnFacts,
  { isAskable, answered }: Outside,
): TurnPlan | { ask: Helper } {
  const begin = beginOf(facts);
  const isClosed = companyClosed(facts) ?? queueClosed(facts, queueOf(facts, begin));
  const isForOthers = isSilent(facts) || isClosed || answersOf(facts.messages).length === 0;
  if (isForOthers) return decideTurn(facts);
  const first = helperAt(facts);
  if (first?.kind === "billing" && wantsToLeave(facts)) return planOf(leaveLookup(facts));
  const base = first && isAskable(first) ? { ...begin, entered: first } : lead(facts, isAskable);
  const helper = base.entered;
  if (helper === null) return planOf(base);
  if (!answered || !isSameHelper(answered.helper, helper)) return { ask: helper };
  return carryOut(facts, base, helper, answered.answer);
}

/** The helper that is asked before the customer chooses anything. */
function helperAt({ ticket, connection, memory }: TurnFacts): Helper | null {
  if (ticket.helper !== null || ticket.queueId !== null) return ticket.helper;
  const hasMenuBegun = memory.menusSent > 0 || memory.greetedAt !== null;
  return hasMenuBegun ? null : connection.helper;
}

/** The texts of a look-up write `#` in bold. */
function wantsToLeave({ messages }: TurnFacts): boolean {
  const newest = answersOf(messages).at(-1);
  return newest?.isText === true && newest.body.replaceAll("*", "").trim() === mainMenuAnswer;
}

const LOOKUP_LEFT = "Certo! Uma pessoa da nossa equipe vai continuar este atendimento.";

/** To the menu; on a connection without one the ticket waits for a person. */
function leaveLookup(facts: TurnFacts): Progress {
  const turn = left(beginOf(facts));
  const queue = queueOf(facts, turn);
  if (queue && facts.queues.length > 1) {
    const answer = { text: mainMenuAnswer, isEarly: false };
    return backToBegin({ ...facts, isAskable: () => false }, turn, queue, answer);
  }
  return say({ ...turn, place: { ...turn.place, chatbot: false } }, LOOKUP_LEFT);
}

/** What follows from a helper's answer; `base` is the turn until the helper was asked. */
function carryOut(
  facts: TurnFacts,
  base: Progress,
  helper: Helper,
  answer: OutsideAnswer,
): TurnPlan {
  if (answer.kind === "pass") return withoutHelp(facts);
  const { sends, next } = answer;
  const said: Progress = { ...base, sends: [...base.sends, ...sends], usedChatbot: true };
  switch (next.kind) {
    case "stay": {
      const place = { ...said.place, chatbot: true, queueOptionId: null };
      return planOf({ ...said, place, helper });
    }
    case "close":
      return planOf({ ...said, ends: { kind: "closed", isQuiet: next.isQuiet ?? false } });
    case "handOver":
      if (next.queueId !== null) {
        const plan = handedOver(facts, said, next.queueId, next.userId ?? null);
        return { ...plan, note: next.note };
      }
      break;
    case "leave":
      break;
  }
  const plan = withoutHelp(facts);
  return { ...plan, sends: [...sends, ...plan.sends] };
}

/** The ticket waits for a person; the queue says nothing of its own, but that it is closed. */
function handedOver(
  facts: TurnFacts,
  said: Progress,
  queueId: QueueId,
  userId: UserId | null,
): TurnPlan {
  const place = { queueId, chatbot: false, queueOptionId: null };
  const memory = { ...said.memory, wrongAnswers: 0, lastMenuAt: null };
  const there: Progress = { ...said, place, memory, helper: null, isQueuedNow: true };
  const closed = queueClosed(facts, queueOf(facts, there));
  const told = closed ? tellClosedOnce(there, closed, facts.now) : there;
  return planOf({ ...told, ends: userId === null ? null : { kind: "assigned", userId } });
}

/** As if there were no helper, for the rest of the attendance: a connection without queues has greeted then. */
function withoutHelp(facts: TurnFacts): TurnPlan {
  const plan = decideTurn(facts);
  if (plan.place.queueId !== null || plan.memory.menusSent > 0) return plan;
  return { ...plan, memory: { ...plan.memory, greetedAt: plan.memory.greetedAt ?? facts.now } };
}

function lead(facts: TurnFacts, isAskable: Outside["isAskable"] = () => false): Progress {
  const begin = beginOf(facts);
  if (isSilent(facts)) return begin;
  return answersOf(facts.messages).reduce<Progress>(
    (sofar, message) =>
      sofar.entered === null ? answerOne({ ...facts, isAskable }, sofar, message) : sofar,
    begin,
  );
}

type LedFacts = TurnFacts & Pick<Outside, "isAskable">;

function isSilent({ ticket, attendedAt }: TurnFacts): boolean {
  const isWaiting = ticket.status === "pending" && ticket.userId === null && attendedAt === null;
  return !isWaiting || ticket.isGroup || ticket.disableBot;
}

function answerOne(facts: LedFacts, before: Progress, message: CustomerMessage): Progress {
  const queue = queueOf(facts, before);
  const closed = companyClosed(facts) ?? queueClosed(facts, queue);
  if (closed) return tellClosedOnce(before, closed, facts.now);
  const turn = before.helper === null ? before : left(before);
  const answer = answerOf(turn, message);
  if (queue) {
    return turn.place.chatbot ? answerInQueue(facts, turn, queue, answer) : turn;
  }
  const [first, second] = facts.queues;
  if (!first) return greetOnce(facts, turn);
  if (!second) return enterOnlyQueue(facts, turn, first);
  return answerMainMenu(facts, turn, answer);
}

/** A helper has held the ticket as the chatbot of a queue does. */
function left(turn: Progress): Progress {
  const chatbot = turn.place.queueId !== null && turn.place.chatbot;
  return { ...turn, place: { ...turn.place, chatbot }, helper: null };
}

function answerInQueue(
  facts: LedFacts,
  turn: Progress,
  queue: QueueFacts,
  answer: Answer,
): Progress {
  const wantsMainMenu = isMainMenu(answer) && turn.memory.lastMenuAt !== null;
  return wantsMainMenu
    ? backToBegin(facts, turn, queue, answer)
    : answerLevel(turn, queue, answer, facts);
}

function queueOf({ queues, ticketQueue }: TurnFacts, { place }: Progress): QueueFacts | null {
  if (place.queueId === null) return null;
  if (ticketQueue?.id === place.queueId) return ticketQueue;
  return queues.find(({ id }) => id === place.queueId) ?? null;
}

function answerOf({ memory, hasShown }: Progress, { body, isText, at }: CustomerMessage): Answer {
  const isBeforeShown = memory.lastMenuAt !== null && !isAfter(at, memory.lastMenuAt);
  return { text: isText ? body.trim() : null, isEarly: hasShown || isBeforeShown };
}

/** Keeps the last of identical texts in a row. */
function answersOf(messages: readonly CustomerMessage[]): CustomerMessage[] {
  const ofPeople = messages.filter(({ body }) => !body.startsWith(BOT_MARK));
  return ofPeople.filter((message, index) => {
    const next = ofPeople[index + 1];
    return !(next && next.isText && message.isText && next.body.trim() === message.body.trim());
  });
}

/** A connection without queues greets once in an attendance (behaviour 2.1). */
function greetOnce(facts: TurnFacts, turn: Progress): Progress {
  const { greetingMessage } = facts.connection;
  if (turn.memory.greetedAt !== null || greetingMessage === "") return turn;
  const memory = { ...turn.memory, greetedAt: facts.now };
  return say({ ...turn, usedChatbot: true, memory }, greetingMessage);
}

/**
 * A connection with one queue puts the ticket there (behaviour 2.2) and sends the connection's greeting, if the company
 * enables it, and the queue's root level. A queue without options sends nothing; a closed one only its out-of-hours text.
 */
function enterOnlyQueue(facts: LedFacts, turn: Progress, queue: QueueFacts): Progress {
  const there = queued(turn, queue);
  const closed = queueClosed(facts, queue);
  if (closed) return tellClosed(there, closed);
  const { greetingMessage } = facts.connection;
  const isGreeted = facts.greetsWithOneQueue && greetingMessage.length > 1;
  const greeted = isGreeted ? say(there, greetingMessage) : there;
  return askedIn(facts, greeted, queue) ?? showFirstLevel(greeted, queue, facts.now);
}

/**
 * The menu of a connection with several queues (behaviour 2.3): a valid choice wins; a first message, or `#`, gets the
 * menu within the connection's limits; the first wrong answer gets the text about invalid options, later ones nothing. A
 * connection that sends its menu again after some minutes is silent until then and never reports wrong answers; it does
 * so twice in a row at most (`answerWrong`).
 */
function answerMainMenu(facts: LedFacts, turn: Progress, answer: Answer): Progress {
  const chosen = chosenQueue(facts, turn, answer);
  if (chosen) return enterChosenQueue(facts, turn, chosen);
  if (answer.isEarly || isLimitReached(facts, turn)) return turn;
  if (isMainMenu(answer)) return showMainMenu(facts, withWrongAnswers(turn, 0));
  if (isTooSoon(facts, turn)) return turn;
  if (turn.memory.lastMenuAt === null) return showMainMenu(facts, withWrongAnswers(turn, 0));
  const isMenuSentAgain = facts.connection.timeUseBotQueuesMinutes > 0;
  if (isMenuSentAgain) {
    return answerWrong(turn, facts.texts, (counted) => showMainMenu(facts, counted));
  }
  if (turn.memory.wrongAnswers > 0) return turn;
  return say(withWrongAnswers(turn, 1), facts.texts.invalidOption);
}

/** `#` in a queue's options: back to the beginning of the connection's chatbot (behaviour 2.4). */
function backToBegin(facts: LedFacts, turn: Progress, queue: QueueFacts, answer: Answer): Progress {
  if (facts.queues.length > 1) {
    const place = { queueId: null, chatbot: false, queueOptionId: null };
    const outside = withWrongAnswers({ ...turn, place }, 0);
    return isLimitReached(facts, outside) ? outside : showMainMenu(facts, outside);
  }
  const only = facts.queues[0] ?? queue;
  if (only.id !== queue.id) return enterOnlyQueue(facts, turn, only);
  const isThere = turn.place.queueOptionId === null;
  if (isThere && answer.isEarly) return turn;
  return showLevel(withWrongAnswers(turn, 0), queue, null, facts.now);
}

function showMainMenu(facts: TurnFacts, turn: Progress): Progress {
  const names = facts.queues.map(({ name }) => name);
  const memory = { ...turn.memory, menusSent: turn.memory.menusSent + 1 };
  const text = menuText(facts.connection.greetingMessage, names);
  return shown(say({ ...turn, memory }, text), facts.now);
}

/** A number counts only after the menu that explains it was shown. */
function chosenQueue(facts: TurnFacts, turn: Progress, { text }: Answer): QueueFacts | undefined {
  if (turn.memory.menusSent === 0 || text === null || !/^\d{1,4}$/.test(text)) return undefined;
  return facts.queues[Number(text) - 1];
}

/**
 * Enters the queue that the customer chose (behaviour 2.3, 2.6). A closed queue without options sends its out-of-hours
 * text with the way back, and the ticket stays without queue; if that text is empty, the ticket waits in the queue.
 */
function enterChosenQueue(facts: LedFacts, turn: Progress, queue: QueueFacts): Progress {
  const there = queued(turn, queue);
  const closed = queueClosed(facts, queue);
  if (!closed) return askedIn(facts, there, queue) ?? greetInQueue(there, queue, facts.now);
  if (queue.options.length > 0 || closed.text === "") return tellClosed(there, closed);
  // Any answer to that other than a choice or # gets no text about invalid options.
  const outside = withWrongAnswers({ ...turn, usedChatbot: true }, 1);
  return say(outside, closedChoiceText(closed.text));
}

/** Null: the queue has no helper that can be asked. */
function askedIn({ isAskable }: LedFacts, turn: Progress, { helper }: QueueFacts): Progress | null {
  return helper !== null && isAskable(helper) ? { ...turn, entered: helper } : null;
}

/** The answer of an open queue to a customer who has just chosen it. */
export function greetInQueue(turn: Progress, queue: QueueFacts, now: Date): Progress {
  if (queue.options.length > 0) return showFirstLevel(turn, queue, now);
  return say(turn, queue.greetingMessage, queue.file);
}

/** The queue's file follows its greeting only when the customer enters, not each time the level is shown again. */
function showFirstLevel(turn: Progress, queue: QueueFacts, now: Date): Progress {
  if (queue.options.length === 0) return turn;
  return say(showLevel(turn, queue, null, now), "", queue.file);
}

function isLimitReached({ connection }: TurnFacts, { memory }: Progress): boolean {
  return connection.maxUseBotQueues > 0 && memory.menusSent >= connection.maxUseBotQueues;
}

/** The menu was shown within the connection's minutes. A `#` is checked before and gets the menu anyway. */
function isTooSoon({ connection, now }: TurnFacts, { memory }: Progress): boolean {
  if (memory.lastMenuAt === null) return false;
  return isBefore(now, addMinutes(memory.lastMenuAt, connection.timeUseBotQueuesMinutes));
}

function withWrongAnswers(turn: Progress, wrongAnswers: number): Progress {
  return { ...turn, memory: { ...turn.memory, wrongAnswers } };
}

/** A closed period: its out-of-hours text, and its end. */
type ClosedPeriod = { text: string; until: Date };

/** Null: the company is open, or its hours are not checked. */
function companyClosed(facts: TurnFacts): ClosedPeriod | null {
  if (facts.scheduleType !== "company") return null;
  const until = closedUntil(facts.companySchedules, facts);
  return until && { text: facts.connection.outOfHoursMessage || facts.texts.outOfHours, until };
}

/** Null: the queue is open, or the hours of queues are not checked. */
function queueClosed(facts: TurnFacts, queue: QueueFacts | null): ClosedPeriod | null {
  if (facts.scheduleType !== "queue" || queue === null) return null;
  const until = closedUntil(queue.schedules, facts);
  return until && { text: queue.outOfHoursMessage || facts.texts.outOfHours, until };
}

/** Sends the text once per closed period; an empty text is never sent (behaviour 2.6). */
function tellClosedOnce(turn: Progress, period: ClosedPeriod, now: Date): Progress {
  const toldUntil = turn.memory.closedToldUntil;
  if (toldUntil !== null && isAfter(toldUntil, now)) return turn;
  return tellClosed(turn, period);
}

/**
 * Sends the text even if another one was sent before: for a queue that the customer has just entered. An earlier menu no
 * longer waits for an answer, so it is shown again after the closed period.
 */
function tellClosed(turn: Progress, { text, until }: ClosedPeriod): Progress {
  if (text === "") return turn;
  const memory = { ...turn.memory, closedToldUntil: until, lastMenuAt: null };
  return say({ ...turn, memory }, text);
}

/** How often the text is repeated to a customer of a company or queue that never opens. */
const TELL_AGAIN_HOURS = 4;

/**
 * The end of the closed period that contains `now`, in the company's time zone: the next opening. Null: it is open
 * (behaviour 2.6). A holiday is closed like a day without hours. Hours that never open have no next opening, so their period ends after 4 hours.
 */
export function closedUntil(
  schedules: readonly ScheduleEntry[],
  { now, timeZone, holidays }: Pick<TurnFacts, "now" | "timeZone" | "holidays">,
): Date | null {
  const hours = hoursAt(schedules, now, timeZone, holidays);
  if (hours.isOpen) return null;
  return hours.until ?? addHours(now, TELL_AGAIN_HOURS);
}
