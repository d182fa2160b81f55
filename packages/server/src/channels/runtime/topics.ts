import type { ConnectionId } from "@balcao/contract";
import type { Tx } from "../../platform/db/database.ts";
import type { Wake } from "../../platform/db/wake.ts";

/** Prefixes and topics of the runtime's wake-ups. */
export const CONNECTIONS_TOPIC = "connections";
export const RETRY_TOPIC = "connection-retry:";
export const OUTBOUND_TOPIC = "outbound:";
export const MEDIA_TOPIC = "media-download:";
export const QUESTION_TOPIC = "channel-question:";
/** Carries what it is about, because nothing of it is stored. */
export const TYPING_TOPIC = "channel-typing:";
const ANSWER_TOPIC = "channel-answer:";

export const outboundTopic = (connectionId: ConnectionId): string =>
  `${OUTBOUND_TOPIC}${connectionId}`;

export const mediaTopic = (connectionId: ConnectionId): string => `${MEDIA_TOPIC}${connectionId}`;

export const questionTopic = (connectionId: ConnectionId): string =>
  `${QUESTION_TOPIC}${connectionId}`;

export const answerTopic = (questionId: string): string => `${ANSWER_TOPIC}${questionId}`;

/** Tells the runtime that what people want of a connection changed: start, stop, unlink, a new or deleted one. */
export function connectionsChanged(wake: Wake, tx: Tx): void {
  wake.notify(tx, CONNECTIONS_TOPIC);
}

/** Tells the owner of a connection that waits to try again that the network can be reached now. */
export function retryConnection(wake: Wake, tx: Tx, connectionId: ConnectionId): void {
  wake.notify(tx, `${RETRY_TOPIC}${connectionId}`);
}

/** The connection a topic names after its prefix. */
export function connectionOf(topic: string, prefix: string): ConnectionId {
  return Number(topic.slice(prefix.length)) as ConnectionId;
}
