import { isAfter } from "date-fns/isAfter";
import type { CustomerMessage, QueueFacts, TurnFacts, TurnPlan } from "./facts.ts";
import { answerMainMenu, backToBegin, enterOnlyQueue, greetOnce } from "./main-menu.ts";
import { answerLevel, isMainMenu } from "./option-level.ts";
import { companyClosed, queueClosed, tellClosedOnce } from "./out-of-hours.ts";
import type { Answer, Progress } from "./progress.ts";
import { beginOf, planOf } from "./progress.ts";

/** Stands at the start of what chatbots of the family write (behaviour 0.2). */
const BOT_MARK = "\u200E";

/**
 * What the automatic attendant does about the messages of a ticket that nobody has looked at: the one place that decides
 * it. For each message, in the chat's order, the first of these that applies is all that happens (behaviour 1.9, 2):
 *
 * 1. Silence: the ticket does not wait, has an agent, or a person acted in the attendance; it is a group's; its contact
 *    wants no chatbot; the message was written by another chatbot.
 * 2. The company is closed, or the ticket's queue is: said once in the closed period, and nothing else.
 * 3. The ticket has a queue and the chatbot is done there: a person is awaited.
 * 4. The ticket has a queue and the chatbot leads: `#` goes back to the main menu, anything else answers the level.
 * 5. No queue, and the connection has none: its greeting, once.
 * 6. No queue, and the connection has one: the ticket goes there.
 * 7. No queue, and the connection has several: a choice, the menu, a word about a wrong answer, or silence.
 *
 * The same answer several times in a row is one answer. What was written before the last menu or level was to be seen
 * counts where it chooses something, and is never a wrong answer.
 */
export function decideTurn(facts: TurnFacts): TurnPlan {
  const begin = beginOf(facts);
  if (isSilent(facts)) return planOf(begin);
  const turn = answersOf(facts.messages).reduce<Progress>(
    (sofar, message) => answerOne(facts, sofar, message),
    begin,
  );
  return planOf(turn);
}

function isSilent({ ticket, attendedAt }: TurnFacts): boolean {
  const isWaiting = ticket.status === "pending" && ticket.userId === null && attendedAt === null;
  return !isWaiting || ticket.isGroup || ticket.disableBot;
}

function answerOne(facts: TurnFacts, turn: Progress, message: CustomerMessage): Progress {
  const queue = queueOf(facts, turn);
  const closed = companyClosed(facts) ?? queueClosed(facts, queue);
  if (closed) return tellClosedOnce(turn, closed, facts.now);
  const answer = answerOf(turn, message);
  if (queue) {
    return turn.place.chatbot ? answerInQueue(facts, turn, queue, answer) : turn;
  }
  const [first, second] = facts.queues;
  if (!first) return greetOnce(facts, turn);
  if (!second) return enterOnlyQueue(facts, turn, first);
  return answerMainMenu(facts, turn, answer);
}

function answerInQueue(
  facts: TurnFacts,
  turn: Progress,
  queue: QueueFacts,
  answer: Answer,
): Progress {
  const wantsMainMenu = isMainMenu(answer) && turn.memory.lastMenuAt !== null;
  return wantsMainMenu
    ? backToBegin(facts, turn, queue, answer)
    : answerLevel(turn, queue, answer, facts.now);
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

/** The last of the same texts in a row stands for all of them. */
function answersOf(messages: readonly CustomerMessage[]): CustomerMessage[] {
  const ofPeople = messages.filter(({ body }) => !body.startsWith(BOT_MARK));
  return ofPeople.filter((message, index) => {
    const next = ofPeople[index + 1];
    return !(next && next.isText && message.isText && next.body.trim() === message.body.trim());
  });
}
