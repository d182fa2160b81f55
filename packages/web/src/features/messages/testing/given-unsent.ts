import type { UnsentMessage } from "../sending/unsent-messages.ts";

/** A text of ticket 1 that is being sent. */
export function givenUnsent(fields: Partial<UnsentMessage> = {}): UnsentMessage {
  return {
    clientId: "a",
    ticketId: 1,
    body: "Oi",
    createdAt: "2026-11-20T10:00:00.000Z",
    askedAt: "2026-11-20T10:00:00.000Z",
    state: "sending",
    progress: 0,
    errorCode: null,
    file: null,
    isKept: true,
    quotedMsgId: null,
    quotedMsg: null,
    undoSeconds: 0,
    ...fields,
  };
}
