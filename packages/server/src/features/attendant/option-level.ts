import {
  mainMenuAnswer,
  optionLevelText,
  previousLevelAnswer,
  rootLevelText,
} from "@balcao/contract";
import type { OptionFacts, QueueFacts } from "./facts.ts";
import type { Answer, Progress } from "./progress.ts";
import { say, shown } from "./progress.ts";

/**
 * How often in a row a level is shown again to answers that choose nothing of it. Whoever goes on after that is no
 * person who reads, but another company's chatbot, and the two would never end.
 */
const REPEATS_MAX = 10;

/**
 * The answer to a level of a queue's options (behaviour 2.4); `#` is not read here. First match wins: `0` inside an
 * option, the single child of an option, the number of an option of the level; anything else shows the level again.
 * Where no level waits for an answer, the first message is none: it gets the level to be answered.
 */
export function answerLevel(
  turn: Progress,
  queue: QueueFacts,
  answer: Answer,
  now: Date,
): Progress {
  if (queue.options.length === 0) return withoutChatbot(turn);
  const here = optionOf(queue, turn.place.queueOptionId);
  if (turn.memory.lastMenuAt === null) return showLevel(turn, queue, here, now);
  if (here !== null && answer.text === previousLevelAnswer) {
    return showLevel(answeredWell(turn), queue, optionOf(queue, here.parentId), now);
  }
  const chosen = chosenOf(queue, here, answer);
  if (chosen !== null) return showLevel(answeredWell(turn), queue, chosen, now);
  if (answer.isEarly || turn.memory.wrongAnswers >= REPEATS_MAX) return turn;
  return showLevel(answeredWrong(turn), queue, here, now);
}

/** Shows a level, null being the root, and goes there; one without options below it is the chatbot's last word. */
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
  // Whatever is written chooses a single child, but not what was written before that child was to be seen.
  if (here !== null && first && children.length === 1 && !isEarly) return first;
  return children.find(({ number }) => String(number) === text) ?? null;
}

/** By their numbers, which are numbers and no texts: 10 comes after 9. */
function childrenOf({ options }: QueueFacts, parent: OptionFacts | null): OptionFacts[] {
  const parentId = parent?.id ?? null;
  return options
    .filter((option) => option.parentId === parentId)
    .toSorted((one, other) => one.number - other.number);
}

/** Null: the root; also where the option is no more. */
function optionOf({ options }: QueueFacts, id: number | null): OptionFacts | null {
  return options.find((option) => option.id === id) ?? null;
}

function at(turn: Progress, option: OptionFacts | null): Progress {
  return { ...turn, place: { ...turn.place, queueOptionId: option?.id ?? null } };
}

/** From here on a person of the queue is waited for. */
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

function answeredWrong(turn: Progress): Progress {
  return { ...turn, memory: { ...turn.memory, wrongAnswers: turn.memory.wrongAnswers + 1 } };
}
