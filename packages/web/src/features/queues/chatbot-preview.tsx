import type { QueueOption } from "@balcao/contract";
import { renderVariables } from "@balcao/contract/message-variables";
import type { ReactNode } from "react";
import { useState } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { useSession } from "../auth/index.ts";
import classes from "./chatbot-preview.module.css";
import { IconFile } from "@tabler/icons-react";
import { useEndInView } from "../../ui/end-in-view.ts";
import { Bubble, FormattedText } from "../messages/index.ts";
import { optionLevelText, rootLevelText } from "@balcao/contract/chatbot-texts";
import type { TreeOption } from "./chatbot-api.ts";
import { levelOf, pathTo } from "./chatbot-api.ts";

type Props = {
  name: string;
  queue: BotQueue;
  options: readonly QueueOption[];
  /** The edited option; null: the beginning. */
  followedId: number | null;
};

/** The conversation down to the edited option as a customer sees it, with unsaved texts. */
export function ChatbotPreview({ name, queue, options, followedId }: Props): ReactNode {
  const { t } = useTranslation();
  const { user } = useSession();
  const [now] = useState(() => new Date());
  const { timeZone } = user.company;
  const contactName = t("queues.sampleName");
  const { bubbles, isOver } = conversationTo(queue, options, followedId, t("queues.sampleHello"));
  const rendered = bubbles.map((bubble) =>
    bubble.from === "customer"
      ? bubble
      : { ...bubble, text: renderVariables(bubble.text, { contactName, now, timeZone }) },
  );
  // The edited option stands at the end.
  const list = useEndInView(bubbles.at(-1)?.key ?? "");
  return (
    <section className={classes["preview"]} aria-label={t("queues.preview")}>
      <h3 className={classes["title"]}>{t("queues.preview")}</h3>
      <div className={classes["list"]} ref={list} tabIndex={0} role="group" aria-label={name}>
        <ChatBubbles bubbles={rendered} />
        {isOver ? <ChatNote>{t("queues.personTakesOver", { name })}</ChatNote> : null}
      </div>
    </section>
  );
}

/** A conversation with the chatbot as the customer sees it: own messages at the right. */
export function ChatBubbles({ bubbles }: { bubbles: readonly BotBubble[] }): ReactNode {
  const { t } = useTranslation();
  return bubbles.map(({ key, from, text, file }) => (
    <div key={key} className={classes["bubble"]} data-from={from}>
      <Bubble
        isOwn={from === "customer"}
        endsGroup
        text={
          <>
            <span className="bc-hidden-text">{t(`queues.${from}`)}: </span>
            {file === null ? <FormattedText text={text} /> : <FileInBubble file={file} />}
          </>
        }
      />
    </div>
  ));
}

/** A note between bubbles. */
export function ChatNote({ children }: { children: ReactNode }): ReactNode {
  return <p className={classes["note"]}>{children}</p>;
}

function FileInBubble({ file }: { file: BotFile }): ReactNode {
  const { name, mime, url } = file;
  if (url !== null && mime?.startsWith("image/")) {
    return <img className={classes["picture"]} src={url} alt={name} />;
  }
  const content = (
    <>
      <IconFile size={19} stroke={1.7} aria-hidden="true" />
      <span className={classes["fileName"]}>{name}</span>
    </>
  );
  if (url === null) return <span className={classes["file"]}>{content}</span>;
  return (
    <a className={classes["file"]} href={url} target="_blank" rel="noopener noreferrer">
      {content}
    </a>
  );
}

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
 * The conversation of a customer down to an option, with the server's texts (behaviour 2.4); `toId` null is the
 * beginning. Variables are not replaced yet.
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

/** The possible answers to a text of the chatbot: the lines of its menu. */
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
