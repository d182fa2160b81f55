import type { ConnectionId } from "@balcao/contract";

/** Prefix of the wake-ups between the customers' calls and the process that owns the line. */
export const LINE_TOPIC = "simulator:";

/** What somebody does in a chat at this moment; `author` is who of a group. */
export type Typing = {
  phone: string;
  state: "composing" | "recording" | "paused";
  author: string | null;
};

export function lineTopic(connectionId: ConnectionId): string {
  return `${LINE_TOPIC}${connectionId}`;
}

/** Typing is only told to who listens now, so the wake-up itself carries it. */
export function typingTopic(connectionId: ConnectionId, { phone, state, author }: Typing): string {
  return `${LINE_TOPIC}${connectionId}:${phone}:${state}:${author ?? ""}`;
}

export function parseLineTopic(topic: string): { connectionId: ConnectionId; typing?: Typing } {
  const [id, phone, state, author] = topic.slice(LINE_TOPIC.length).split(":");
  const connectionId = Number(id) as ConnectionId;
  if (phone === undefined) return { connectionId };
  const isActive = state === "composing" || state === "recording";
  const typing = { phone, state: isActive ? state : "paused", author: author || null } as const;
  return { connectionId, typing };
}
