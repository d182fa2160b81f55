import { optionLevelText, rootLevelText } from "@balcao/contract/chatbot-texts";
import type { TreeOption } from "./option-tree.ts";
import { levelOf, pathTo } from "./option-tree.ts";

/** One bubble of a conversation with a chatbot. */
export type BotBubble = {
  key: string;
  from: "company" | "customer";
  text: string;
  file: BotFile | null;
};

export type BotFile = { name: string; mime: string | null; url: string | null };

type WithText = TreeOption & {
  message: string;
  mediaPath: string | null;
  mediaName: string | null;
  mediaMime: string | null;
};

export type BotQueue = { greetingMessage: string; file: BotFile | null };

/**
 * The conversation of a customer who comes to an option, by the texts that the server makes (behaviour 2.4); `toId` null is
 * the beginning. Variables are still to be replaced.
 */
export function conversationTo(
  queue: BotQueue,
  options: readonly WithText[],
  toId: number | null,
  firstMessage: string,
): { bubbles: readonly BotBubble[]; isOver: boolean } {
  const root = levelOf(options, null);
  const bubbles: BotBubble[] = [{ key: "first", from: "customer", text: firstMessage, file: null }];
  const { greetingMessage } = queue;
  const text = root.length === 0 ? greetingMessage : rootLevelText(greetingMessage, numbered(root));
  bubbles.push(...saidBy("root", text, queue.file));
  let isOver = root.length === 0;
  for (const option of pathTo(options, toId)) {
    const children = levelOf(options, option.id);
    bubbles.push({ key: `to-${option.id}`, from: "customer", text: option.option, file: null });
    const level = optionLevelText(option.message, numbered(children));
    bubbles.push(...saidBy(`at-${option.id}`, level, fileOf(option)));
    isOver = children.length === 0;
  }
  return { bubbles, isOver };
}

/** The file of a queue or an option; null without one. */
export function fileOf(of: {
  mediaPath: string | null;
  mediaName: string | null;
  mediaMime: string | null;
}): BotFile | null {
  if (of.mediaName === null) return null;
  return { name: of.mediaName, mime: of.mediaMime, url: of.mediaPath };
}

/** What can be answered to a text of the chatbot: the lines of its menu. */
export function answersTo(text: string): readonly { answer: string; title: string }[] {
  return [...text.matchAll(/^\*\[ (\d+|#) \]\* - (.*)$/gm)].map(([, answer = "", title = ""]) => ({
    answer,
    title,
  }));
}

function saidBy(key: string, text: string, file: BotFile | null): BotBubble[] {
  const said: BotBubble[] = [];
  // An empty text is not sent.
  if (text !== "") said.push({ key, from: "company", text, file: null });
  if (file !== null) said.push({ key: `${key}-file`, from: "company", text: "", file });
  return said;
}

function numbered(options: readonly TreeOption[]): { number: number; title: string }[] {
  return options.map(({ option, title }) => ({ number: Number(option), title }));
}
