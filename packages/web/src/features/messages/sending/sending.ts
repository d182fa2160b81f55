import type { MediaKind, Message } from "@balcao/contract";
import { useSyncExternalStore } from "react";
import { ApiError } from "../../../api/client.ts";
import { randomUuid } from "../../../api/random-uuid.ts";
import { currentSession, subscribeToSession } from "../../../api/session-store.ts";
import { upload } from "../../../api/upload.ts";
import { batchPerFrame } from "../../../realtime/index.ts";
import { onCompanyEvent } from "../../../realtime/live.ts";
import { nowIso } from "../../../ui/clock.ts";
import { postMessage } from "../api.ts";
import { writeMessageEvent } from "../history/message-history.ts";
import type { UnsentMessage, UnsentMessages } from "./unsent-messages.ts";
import { createUnsentMessages } from "./unsent-messages.ts";

/** The options of a message beside its text. */
type SendExtras = { quotedMsg?: Message | null; undoSeconds?: number };

/** A file as it was chosen. `previewUrl` is an object URL, which belongs to the message from here on. */
export type ChosenFile = {
  file: File;
  kind: MediaKind;
  caption: string;
  previewUrl: string | null;
};

let known: { sessionId: string; messages: UnsentMessages } | null = null;
const files = createUnsentFiles();

/** Those of the session; another sign-in starts from what the storage holds for its user. */
function unsentMessages(): UnsentMessages {
  const session = currentSession();
  const sessionId = session?.id ?? "";
  if (known?.sessionId !== sessionId) {
    known = { sessionId, messages: createUnsentMessages(localStorage, session?.user.id ?? 0) };
  }
  return known.messages;
}

subscribeToSession(() => {
  // Nothing of one session may go out, or stay in memory, in the next.
  if (known && known.sessionId !== currentSession()?.id) files.dropAll();
});

/** The messages of a ticket that this browser has not sent yet. */
export function useUnsent(ticketId: number): readonly UnsentMessage[] {
  const messages = unsentMessages();
  return useSyncExternalStore(messages.subscribe, () => messages.of(ticketId));
}

/** Shows the text at once and brings it to the server, after what was sent before it in the same ticket. */
export function sendText(ticketId: number, body: string, extras: SendExtras = {}): void {
  void deliver(newMessage(ticketId, body, extras));
}

/**
 * Shows the files at once and brings them to the server one by one, in their order. A reply goes with the first of
 * them.
 */
export function sendFiles(
  ticketId: number,
  chosen: readonly ChosenFile[],
  extras: SendExtras = {},
): void {
  for (const [index, { file, kind, caption, previewUrl }] of chosen.entries()) {
    const quotedMsg = index === 0 ? (extras.quotedMsg ?? null) : null;
    const message: UnsentMessage = {
      ...newMessage(ticketId, caption, { quotedMsg }),
      file: { name: file.name, mime: file.type, bytes: file.size, kind, previewUrl },
    };
    files.hold(message, file);
    void deliver(message);
  }
}

function newMessage(ticketId: number, body: string, extras: SendExtras): UnsentMessage {
  const quotedMsg = extras.quotedMsg ?? null;
  return {
    clientId: randomUuid(),
    ticketId,
    body,
    createdAt: nowIso(),
    state: "sending",
    progress: 0,
    errorCode: null,
    file: null,
    quotedMsgId: quotedMsg?.id ?? null,
    quotedMsg,
    undoSeconds: extras.undoSeconds ?? 0,
  };
}

/** Sends a text that the server still fills in, so that nothing can be shown before it answers. */
export async function sendTemplate(ticketId: number, body: string): Promise<void> {
  await postMessage(ticketId, { body, clientId: randomUuid() });
}

/** The same message once more; the server knows it by its `clientId` if it got it after all. */
export function sendAgain(message: UnsentMessage): void {
  void deliver({ ...message, state: "sending", progress: 0, errorCode: null });
}

/** Gives an unsent message up; an upload under way ends. */
export function discardUnsent(message: UnsentMessage): void {
  unsentMessages().remove(message);
  files.drop(message.clientId);
}

/** Takes away what the server has, however that became known. */
export function settleUnsent(ticketId: number, clientId: string): void {
  const message = unsentMessages()
    .of(ticketId)
    .find((one) => one.clientId === clientId);
  if (message) settle(message);
}

onCompanyEvent("appMessage", ({ message: { ticketId, clientId } }) => {
  if (clientId !== null) batchPerFrame(() => settleUnsent(ticketId, clientId));
});

function settle(message: UnsentMessage): void {
  unsentMessages().remove(message);
  files.release(message.clientId);
}

/** The last delivery of each ticket; the next one waits for it, so that answers arrive in the order of writing. */
const underWay = new Map<number, Promise<void>>();

async function deliver(message: UnsentMessage): Promise<void> {
  const messages = unsentMessages();
  messages.put(message);
  const before = underWay.get(message.ticketId);
  const own = (async () => {
    await before;
    if (!isWaiting(messages, message)) return; // discarded before its turn
    try {
      await post(messages, message);
      if (unsentMessages() === messages) settle(message);
    } catch (error) {
      // The live event said that it arrived, or it was discarded meanwhile.
      if (!isWaiting(messages, message)) return;
      const errorCode = error instanceof ApiError ? error.code : "ERR_INTERNAL";
      messages.put({ ...message, state: "failed", errorCode });
      if (!(error instanceof ApiError)) reportError(error);
    }
  })();
  underWay.set(message.ticketId, own);
  await own;
  if (underWay.get(message.ticketId) === own) underWay.delete(message.ticketId);
}

/** Still of this session (after signing out nothing may stay on this device), and neither sent nor discarded. */
function isWaiting(messages: UnsentMessages, message: UnsentMessage): boolean {
  if (unsentMessages() !== messages) return false;
  return messages.of(message.ticketId).some((one) => one.clientId === message.clientId);
}

async function post(messages: UnsentMessages, message: UnsentMessage): Promise<void> {
  const { ticketId, clientId, body, quotedMsgId, undoSeconds } = message;
  if (message.file === null) {
    const quotedMsg = quotedMsgId === null ? null : { id: quotedMsgId };
    await postMessage(ticketId, { body, clientId, quotedMsg, undoSeconds });
    return;
  }
  const held = files.start(clientId);
  if (held === null) return;
  let shownPercent = 0;
  messages.put({ ...message, state: "uploading" });
  await postFile(message, held.file, {
    signal: held.signal,
    onProgress(part) {
      const percent = Math.floor(part * 100);
      if (percent === shownPercent || !isWaiting(messages, message)) return;
      shownPercent = percent;
      messages.put({ ...message, state: "uploading", progress: part });
    },
  });
}

/** Brings one file to the server as one message; the same `clientId` twice is one message. */
async function postFile(
  message: UnsentMessage,
  file: File,
  options: { signal: AbortSignal; onProgress: (part: number) => void },
): Promise<Message> {
  const { ticketId, clientId, body, quotedMsgId } = message;
  const stored = await upload(
    "POST /messages/:ticketId",
    {
      params: { ticketId },
      fields: { fromMe: "true", clientId, body, ...(quotedMsgId === null ? {} : { quotedMsgId }) },
      files: { medias: [file] },
    },
    options,
  );
  writeMessageEvent({ action: "create", message: stored });
  return stored;
}

type Held = { file: File; previewUrl: string | null; upload: AbortController | null };

/**
 * The contents of files on their way, which only this page has: while there is one, the browser asks before the page is
 * left.
 */
function createUnsentFiles() {
  const held = new Map<string, Held>();

  function forget(clientId: string): Held | undefined {
    const one = held.get(clientId);
    if (!one) return undefined;
    held.delete(clientId);
    if (one.previewUrl !== null) URL.revokeObjectURL(one.previewUrl);
    if (held.size === 0) window.removeEventListener("beforeunload", askBeforeLeaving);
    return one;
  }

  function drop(clientId: string): void {
    forget(clientId)?.upload?.abort();
  }

  return {
    hold(message: UnsentMessage, file: File): void {
      if (held.size === 0) window.addEventListener("beforeunload", askBeforeLeaving);
      const previewUrl = message.file?.previewUrl ?? null;
      held.set(message.clientId, { file, previewUrl, upload: null });
    },
    /** The content and the signal that ends its upload; null when it is not held any more. */
    start(clientId: string): { file: File; signal: AbortSignal } | null {
      const one = held.get(clientId);
      if (!one) return null;
      one.upload = new AbortController();
      return { file: one.file, signal: one.upload.signal };
    },
    /** Its message has arrived. */
    release: (clientId: string): void => void forget(clientId),
    /** Its message was given up; an upload under way ends. */
    drop,
    dropAll(): void {
      for (const clientId of [...held.keys()]) drop(clientId);
    },
  };
}

function askBeforeLeaving(event: BeforeUnloadEvent): void {
  event.preventDefault();
}
