import type { AttendantFile, AttendantMessage, QueueFacts, TurnFacts, TurnPlan } from "./facts.ts";

/** A turn in the middle: what it does so far. */
export type Progress = TurnPlan & {
  /** A menu or level was shown in it: what follows was written without having seen that. */
  hasShown: boolean;
};

/** What the customer wrote, trimmed; null: not a text. */
export type Answer = {
  text: string | null;
  /** It was written before the last menu or level was to be seen: it may choose, but it is never wrong. */
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
    hasShown: false,
  };
}

export function planOf({ hasShown: _hasShown, ...plan }: Progress): TurnPlan {
  return plan;
}

/** With a text and a file more to send; what is empty is nothing to send. */
export function say(turn: Progress, text: string, file: AttendantFile | null = null): Progress {
  const sends: AttendantMessage[] = [];
  if (text !== "") sends.push({ kind: "text", text });
  if (file !== null) sends.push({ kind: "file", file });
  return { ...turn, sends: [...turn.sends, ...sends] };
}

/** A menu or level is there to be answered from now on. */
export function shown(turn: Progress, now: Date): Progress {
  return {
    ...turn,
    hasShown: true,
    usedChatbot: true,
    memory: { ...turn.memory, lastMenuAt: now },
  };
}

/** The ticket waits in the queue from now on, and the chatbot leads through its options, if it has any. */
export function queued(turn: Progress, queue: QueueFacts): Progress {
  return {
    ...turn,
    place: { queueId: queue.id, chatbot: queue.options.length > 0, queueOptionId: null },
    isQueuedNow: true,
    usedChatbot: true,
    memory: { ...turn.memory, wrongAnswers: 0, lastMenuAt: null },
  };
}
