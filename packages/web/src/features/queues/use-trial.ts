import type { ChatbotTrialState, ReplyOf } from "@balcao/contract";
import { useRef, useState } from "react";
import { call } from "../../api/client.ts";
import type { BotBubble } from "./chatbot-conversation.ts";
import { fileOf } from "./chatbot-conversation.ts";

type Trial = {
  bubbles: readonly BotBubble[];
  /** Null: the customer has written nothing yet. */
  state: ChatbotTrialState | null;
  isOver: boolean;
  queueName: string | null;
};

type Step = ReplyOf<"POST /queue/:queueId/trial">;

const beginning: Trial = { bubbles: [], state: null, isOver: false, queueName: null };

/** Plays the saved chatbot; `connectionId` null is this queue alone. A text that was not played can be sent again. */
export function useTrial(queueId: number, connectionId: number | null, contactName: string) {
  const [trial, setTrial] = useState<Trial>(beginning);
  const [isWaiting, setWaiting] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  /** Grows with each restart: an answer to the trial before says nothing to this one. */
  const round = useRef(0);

  async function write(text: string): Promise<boolean> {
    const mine = round.current;
    setWaiting(true);
    setError(null);
    try {
      const step = await call("POST /queue/:queueId/trial", {
        params: { queueId },
        body: { state: trial.state, text, contactName, connectionId },
      });
      if (mine === round.current) setTrial((before) => after(before, text, step));
      return true;
    } catch (failure) {
      if (mine !== round.current) return true;
      setError(failure instanceof Error ? failure : new Error(String(failure)));
      return false;
    } finally {
      if (mine === round.current) setWaiting(false);
    }
  }

  function restart(): void {
    round.current += 1;
    setTrial(beginning);
    setWaiting(false);
    setError(null);
  }

  return { ...trial, isWaiting, error, write, restart };
}

function after(before: Trial, text: string, step: Step): Trial {
  const from = before.bubbles.length;
  const own: BotBubble = { key: `${from}`, from: "customer", text, file: null };
  const said = step.messages.map((message, index): BotBubble => ({
    key: `${from + index + 1}`,
    from: "company",
    text: message.text,
    file: fileOf(message),
  }));
  return {
    bubbles: [...before.bubbles, own, ...said],
    state: step.state,
    isOver: step.isOver,
    queueName: step.queueName,
  };
}
