import {
  mainMenuAnswer,
  menuRepeatsMax,
  optionLevelText,
  previousLevelAnswer,
  rootLevelText,
} from "@balcao/contract";
import { isBefore } from "date-fns/isBefore";
import type {
  AttendantFile,
  AttendantMessage,
  AttendantTexts,
  Helper,
  OptionFacts,
  QueueFacts,
  TurnFacts,
  TurnPlan,
} from "./facts.ts";

/**
 * Answers a customer at a level of a queue's options (behaviour 2.4); `#` is not handled here. First match wins: `0` inside an
 * option, the single child of an option, the number of an option of the level; anything else is a wrong answer
 * (`answerWrong`), which shows the level again.
 * If no level waits for an answer, the first message only gets the level. So does an answer to a level that was shown before a
 * publication changed what can be chosen: its number may mean something else now.
 */
export function answerLevel(
  turn: Progress,
  queue: QueueFacts,
  answer: Answer,
  { now, texts }: Pick<TurnFacts, "now" | "texts">,
): Progress {
  if (queue.options.length === 0) return withoutChatbot(turn);
  const here = optionOf(queue, turn.place.queueOptionId);
  const { lastMenuAt } = turn.memory;
  if (lastMenuAt === null || isOutdated(queue, lastMenuAt)) {
    return showLevel(turn, queue, here, now);
  }
  if (here !== null && answer.text === previousLevelAnswer) {
    return showLevel(answeredWell(turn), queue, optionOf(queue, here.parentId), now);
  }
  const chosen = chosenOf(queue, here, answer);
  if (chosen !== null) return showLevel(answeredWell(turn), queue, chosen, now);
  if (answer.isEarly) return turn;
  return answerWrong(turn, texts, (counted) => showLevel(counted, queue, here, now));
}

function isOutdated({ menuChangedAt }: QueueFacts, shownAt: Date): boolean {
  return menuChangedAt !== null && isBefore(shownAt, menuChangedAt);
}

/**
 * An answer that chooses nothing: what was shown is shown again, twice in a row at most. The third one gets the word that a
 * person will come, the next ones nothing; a choice counts all the same. So two chatbots end, too.
 */
export function answerWrong(
  turn: Progress,
  { personComes }: AttendantTexts,
  showAgain: (counted: Progress) => Progress,
): Progress {
  const { wrongAnswers } = turn.memory;
  if (wrongAnswers > menuRepeatsMax) return turn;
  const counted = { ...turn, memory: { ...turn.memory, wrongAnswers: wrongAnswers + 1 } };
  return wrongAnswers < menuRepeatsMax ? showAgain(counted) : say(counted, personComes);
}

/** Shows a level, null being the root, and moves there; at one without further options the chatbot has finished. */
export function showLevel(
  turn: Progress,
  queue: QueueFacts,
  option: OptionFacts | null,
  now: Date,
): Progress {
  const children = childrenOf(queue, option);
  if (option === null) {
    const text = rootLevelText(queue.greetingMessage, children);
    return shown(say(at(turn, null), text), now);
  }
  const told = say(at(turn, option), optionLevelText(option.message, children), option.file);
  return children.length > 0 ? shown(told, now) : withoutChatbot(told);
}

export function isMainMenu(answer: Answer): boolean {
  return answer.text === mainMenuAnswer;
}

function chosenOf(
  queue: QueueFacts,
  here: OptionFacts | null,
  { text, isEarly }: Answer,
): OptionFacts | null {
  const children = childrenOf(queue, here);
  const [first] = children;
  // Any text chooses a single child, unless it was written before that child was shown.
  if (here !== null && first && children.length === 1 && !isEarly) return first;
  return children.find(({ number }) => String(number) === text) ?? null;
}

/** Ordered numerically: 10 comes after 9. */
function childrenOf({ options }: QueueFacts, parent: OptionFacts | null): OptionFacts[] {
  const parentId = parent?.id ?? null;
  return options
    .filter((option) => option.parentId === parentId)
    .toSorted((one, other) => one.number - other.number);
}

/** Null: the root, also for a deleted option. */
function optionOf({ options }: QueueFacts, id: number | null): OptionFacts | null {
  return options.find((option) => option.id === id) ?? null;
}

function at(turn: Progress, option: OptionFacts | null): Progress {
  return { ...turn, place: { ...turn.place, queueOptionId: option?.id ?? null } };
}

/** From here on the ticket waits for an agent of the queue. */
function withoutChatbot(turn: Progress): Progress {
  return {
    ...turn,
    place: { ...turn.place, chatbot: false, queueOptionId: null },
    usedChatbot: true,
    memory: { ...turn.memory, lastMenuAt: null },
  };
}

function answeredWell(turn: Progress): Progress {
  return { ...turn, memory: { ...turn.memory, wrongAnswers: 0 } };
}

/** A turn in progress: the plan so far. */
export type Progress = TurnPlan & {
  /** A menu or level was shown in this turn, so later messages were written before the customer saw it. */
  hasShown: boolean;
  /** The helper of a queue that was entered in this turn: it answers everything from here on. */
  entered: Helper | null;
};

/** A message of the customer; `text` is trimmed, null if it is not a text. */
export type Answer = {
  text: string | null;
  /** Written before the last menu or level was shown: it may choose, but is never a wrong answer. */
  isEarly: boolean;
};

export function beginOf({ ticket, memory }: TurnFacts): Progress {
  return {
    place: {
      queueId: ticket.queueId,
      chatbot: ticket.chatbot,
      queueOptionId: ticket.queueOptionId,
    },
    isQueuedNow: false,
    usedChatbot: false,
    memory,
    sends: [],
    helper: ticket.helper,
    ends: null,
    hasShown: false,
    entered: null,
  };
}

export function planOf({ hasShown: _hasShown, entered: _entered, ...plan }: Progress): TurnPlan {
  return plan;
}

/** Adds a text and a file to send; empty ones are left out. */
export function say(turn: Progress, text: string, file: AttendantFile | null = null): Progress {
  const sends: AttendantMessage[] = [];
  if (text !== "") sends.push({ kind: "text", text });
  if (file !== null) sends.push({ kind: "file", file });
  return { ...turn, sends: [...turn.sends, ...sends] };
}

/** From now on a menu or level waits for an answer. */
export function shown(turn: Progress, now: Date): Progress {
  return {
    ...turn,
    hasShown: true,
    usedChatbot: true,
    memory: { ...turn.memory, lastMenuAt: now },
  };
}

/** From now on the ticket waits in the queue; its chatbot is active if it has options. */
export function queued(turn: Progress, queue: QueueFacts): Progress {
  return {
    ...turn,
    place: { queueId: queue.id, chatbot: queue.options.length > 0, queueOptionId: null },
    isQueuedNow: true,
    usedChatbot: true,
    memory: { ...turn.memory, wrongAnswers: 0, lastMenuAt: null },
  };
}
