import type { ConnectionId } from "@balcao/contract";

/** Prefix of the wake-ups between the customers' calls and the process that owns the line. */
export const LINE_TOPIC = "simulator:";

export function lineTopic(connectionId: ConnectionId): string {
  return `${LINE_TOPIC}${connectionId}`;
}

/** Typing is only told to who listens now, so the wake-up itself carries it. */
export function typingTopic(connectionId: ConnectionId, phone: string, on: boolean): string {
  return `${LINE_TOPIC}${connectionId}:${phone}:${on ? "on" : "off"}`;
}

export function parseLineTopic(topic: string): {
  connectionId: ConnectionId;
  typing?: { phone: string; on: boolean };
} {
  const [id, phone, state] = topic.slice(LINE_TOPIC.length).split(":");
  const connectionId = Number(id) as ConnectionId;
  if (phone === undefined) return { connectionId };
  return { connectionId, typing: { phone, on: state === "on" } };
}
