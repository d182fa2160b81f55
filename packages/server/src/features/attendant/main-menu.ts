import { closedChoiceText, invalidOptionText, menuText } from "@balcao/contract";
import { addMinutes } from "date-fns/addMinutes";
import { isBefore } from "date-fns/isBefore";
import type { QueueFacts, TurnFacts } from "./facts.ts";
import { isMainMenu, showLevel } from "./option-level.ts";
import { queueClosed, tellClosed } from "./out-of-hours.ts";
import type { Answer, Progress } from "./progress.ts";
import { queued, say, shown } from "./progress.ts";

/** A connection without queues greets once in an attendance (behaviour 2.1). */
export function greetOnce(facts: TurnFacts, turn: Progress): Progress {
  const { greetingMessage } = facts.connection;
  if (turn.memory.greetedAt !== null || greetingMessage === "") return turn;
  const memory = { ...turn.memory, greetedAt: facts.now };
  return say({ ...turn, usedChatbot: true, memory }, greetingMessage);
}

/**
 * A connection with one queue puts the ticket there (behaviour 2.2), with the connection's greeting where the company
 * wants it, and the queue's root level. A queue without options says nothing of its own; a closed one only that.
 */
export function enterOnlyQueue(facts: TurnFacts, turn: Progress, queue: QueueFacts): Progress {
  const there = queued(turn, queue);
  const closed = queueClosed(facts, queue);
  if (closed) return tellClosed(there, closed);
  const { greetingMessage } = facts.connection;
  const isGreeted = facts.greetsWithOneQueue && greetingMessage.length > 1;
  return showFirstLevel(isGreeted ? say(there, greetingMessage) : there, queue, facts.now);
}

/**
 * The menu of a connection with several queues (behaviour 2.3): a valid choice wins; a first message, or `#`, gets the
 * menu within the connection's limits; the first wrong answer is told, those after it get silence. A connection that sends
 * its menu again after some minutes is silent until then, and tells nobody that he is wrong.
 */
export function answerMainMenu(facts: TurnFacts, turn: Progress, answer: Answer): Progress {
  const chosen = chosenQueue(facts, turn, answer);
  if (chosen) return enterChosenQueue(facts, turn, chosen);
  if (answer.isEarly || isLimitReached(facts, turn)) return turn;
  if (isMainMenu(answer)) return showMainMenu(facts, turn);
  if (isTooSoon(facts, turn)) return turn;
  const isMenuSentAgain = facts.connection.timeUseBotQueuesMinutes > 0;
  if (turn.memory.lastMenuAt === null || isMenuSentAgain) return showMainMenu(facts, turn);
  if (turn.memory.wrongAnswers > 0) return turn;
  return say(withWrongAnswers(turn, 1), invalidOptionText);
}

/** `#` in a queue's options: back to where the connection begins (behaviour 2.4). */
export function backToBegin(
  facts: TurnFacts,
  turn: Progress,
  queue: QueueFacts,
  answer: Answer,
): Progress {
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
  const memory = { ...turn.memory, menusSent: turn.memory.menusSent + 1, wrongAnswers: 0 };
  const text = menuText(facts.connection.greetingMessage, names);
  return shown(say({ ...turn, memory }, text), facts.now);
}

/** A number counts once the menu was shown that says what it means. */
function chosenQueue(facts: TurnFacts, turn: Progress, { text }: Answer): QueueFacts | undefined {
  if (turn.memory.menusSent === 0 || text === null || !/^\d{1,4}$/.test(text)) return undefined;
  return facts.queues[Number(text) - 1];
}

/**
 * The queue that the customer chose (behaviour 2.3, 2.6). One without options that is closed now says so with the way
 * back, and the ticket stays outside of it; where it has nothing to say about that, the ticket waits in it unanswered.
 */
function enterChosenQueue(facts: TurnFacts, turn: Progress, queue: QueueFacts): Progress {
  const there = queued(turn, queue);
  const closed = queueClosed(facts, queue);
  if (!closed) return greetInQueue(there, queue, facts.now);
  if (queue.options.length > 0 || closed.text === "") return tellClosed(there, closed);
  // What he writes to that, other than a choice or #, needs no word about invalid options.
  const outside = withWrongAnswers({ ...turn, usedChatbot: true }, 1);
  return say(outside, closedChoiceText(closed.text));
}

/** What an open queue says to a customer who has just chosen it. */
export function greetInQueue(turn: Progress, queue: QueueFacts, now: Date): Progress {
  if (queue.options.length > 0) return showFirstLevel(turn, queue, now);
  return say(turn, queue.greetingMessage, queue.file);
}

/** The queue's file follows its greeting when the customer comes, and not each time that he sees the level again. */
function showFirstLevel(turn: Progress, queue: QueueFacts, now: Date): Progress {
  if (queue.options.length === 0) return turn;
  return say(showLevel(turn, queue, null, now), "", queue.file);
}

function isLimitReached({ connection }: TurnFacts, { memory }: Progress): boolean {
  return connection.maxUseBotQueues > 0 && memory.menusSent >= connection.maxUseBotQueues;
}

/** The menu was there within the connection's minutes; whoever asks for it with # gets it all the same. */
function isTooSoon({ connection, now }: TurnFacts, { memory }: Progress): boolean {
  if (memory.lastMenuAt === null) return false;
  return isBefore(now, addMinutes(memory.lastMenuAt, connection.timeUseBotQueuesMinutes));
}

function withWrongAnswers(turn: Progress, wrongAnswers: number): Progress {
  return { ...turn, memory: { ...turn.memory, wrongAnswers } };
}
