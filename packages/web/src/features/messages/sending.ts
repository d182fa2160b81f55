import { useSyncExternalStore } from "react";
import { ApiError } from "../../api/api-error.ts";
import { randomUuid } from "../../api/random-uuid.ts";
import { currentSession } from "../../api/session-store.ts";
import { nowIso } from "../../ui/clock.ts";
import { postMessage } from "./api.ts";
import type { UnsentMessage, UnsentMessages } from "./unsent-messages.ts";
import { createUnsentMessages } from "./unsent-messages.ts";

let known: { sessionId: string; messages: UnsentMessages } | null = null;

/** Those of the session; another sign-in starts from what the storage holds for its user. */
function unsentMessages(): UnsentMessages {
  const session = currentSession();
  const sessionId = session?.id ?? "";
  if (known?.sessionId !== sessionId) {
    known = { sessionId, messages: createUnsentMessages(localStorage, session?.user.id ?? 0) };
  }
  return known.messages;
}

/** What this browser still has to bring to the server in a ticket. */
export function useUnsent(ticketId: number): readonly UnsentMessage[] {
  const messages = unsentMessages();
  return useSyncExternalStore(messages.subscribe, () => messages.of(ticketId));
}

/** Shows the text at once and brings it to the server, after those sent before it in the same ticket. */
export function sendText(ticketId: number, body: string): void {
  const message = { clientId: randomUuid(), ticketId, body, createdAt: nowIso() };
  void deliver({ ...message, state: "sending", errorCode: null });
}

/** Sends a text that the server still fills in, so that nothing can be shown before it answers. */
export async function sendTemplate(ticketId: number, body: string): Promise<void> {
  await postMessage(ticketId, { body, clientId: randomUuid() });
}

/** The same message once more; the server knows it by its `clientId` if it got it after all. */
export function sendAgain(message: UnsentMessage): void {
  void deliver({ ...message, state: "sending", errorCode: null });
}

/** Gives an unsent message up. */
export function discardUnsent(message: UnsentMessage): void {
  unsentMessages().remove(message);
}

/** Takes away what the server has, however that became known. */
export function settleUnsent(ticketId: number, clientId: string): void {
  const messages = unsentMessages();
  const message = messages.of(ticketId).find((one) => one.clientId === clientId);
  if (message) messages.remove(message);
}

/** The last delivery of each ticket; the next one waits for it, so that answers arrive in the order of writing. */
const underWay = new Map<number, Promise<void>>();

async function deliver(message: UnsentMessage): Promise<void> {
  const messages = unsentMessages();
  messages.put(message);
  const before = underWay.get(message.ticketId);
  const own = (async () => {
    await before;
    try {
      await postMessage(message.ticketId, { body: message.body, clientId: message.clientId });
      messages.remove(message);
    } catch (error) {
      if (unsentMessages() !== messages) return; // signed out meanwhile: nothing may stay on this device
      const isGone = !messages
        .of(message.ticketId)
        .some((one) => one.clientId === message.clientId);
      // The live event said that it arrived, or it was discarded meanwhile.
      if (isGone) return;
      const errorCode = error instanceof ApiError ? error.code : "ERR_INTERNAL";
      messages.put({ ...message, state: "failed", errorCode });
      if (!(error instanceof ApiError)) reportError(error);
    }
  })();
  underWay.set(message.ticketId, own);
  await own;
  if (underWay.get(message.ticketId) === own) underWay.delete(message.ticketId);
}
