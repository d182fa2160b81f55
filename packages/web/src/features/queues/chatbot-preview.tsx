import type { QueueOption } from "@balcao/contract";
import { renderVariables } from "@balcao/contract/message-variables";
import type { ReactNode } from "react";
import { useState } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { useSession } from "../auth/index.ts";
import { ChatBubbles, ChatNote } from "./chat-bubbles.tsx";
import type { BotQueue } from "./chatbot-conversation.ts";
import { conversationTo } from "./chatbot-conversation.ts";
import classes from "./chatbot-preview.module.css";
import { useEndInView } from "./use-end-in-view.ts";

type Props = {
  name: string;
  queue: BotQueue;
  options: readonly QueueOption[];
  /** The option that is being edited; null: the beginning. */
  followedId: number | null;
};

/** The conversation down to the option that is being edited, as a customer sees it, with what is typed right now. */
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
  // Where one is now stands at the end.
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
