import { IconFile } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { FormattedText } from "../messages/index.ts";
import classes from "./chat-bubbles.module.css";
import type { BotBubble, BotFile } from "./chatbot-conversation.ts";

/** A conversation with the chatbot as the customer sees it: what he writes is at the right. */
export function ChatBubbles({ bubbles }: { bubbles: readonly BotBubble[] }): ReactNode {
  const { t } = useTranslation();
  return bubbles.map(({ key, from, text, file }) => (
    <div key={key} className={classes["bubble"]} data-from={from}>
      <span className="bc-hidden-text">{t(`queues.${from}`)}: </span>
      {file === null ? <FormattedText text={text} /> : <FileInBubble file={file} />}
    </div>
  ));
}

/** What stands between bubbles: nobody wrote it. */
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
