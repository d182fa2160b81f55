import type { MediaKind, Message } from "@balcao/contract";
import { useEffect, useSyncExternalStore } from "react";
import { ApiError } from "../../../api/client.ts";
import { randomUuid } from "../../../api/random-uuid.ts";
import { currentSession, lastSignOut, subscribeToSession } from "../../../api/session-store.ts";
import { upload } from "../../../api/upload.ts";
import { batchPerFrame, useLiveStatus } from "../../../realtime/index.ts";
import { onCompanyEvent } from "../../../realtime/live.ts";
import { epochMs, nowIso } from "../../../ui/clock.ts";
import { postMessage } from "../api.ts";
import { writeMessageEvent } from "../history/message-history.ts";
import { teamSource } from "../history/team-source.ts";
import type { Outbox } from "./outbox.ts";
import { createOutbox, exclusively } from "./outbox.ts";
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

/** Fetched with the first file. Where it cannot be fetched, the file is held by this page alone. */
const loadKeptFiles = () => import("./kept-files.ts");

/** The files in the storage together; what goes beyond is held by the page alone. */
const KEPT_MAX_BYTES = 512 * 1024 * 1024;

/** The contents of files that this page chose or has read, by the `clientId` of their message. */
const contents = new Map<string, File>();

type Sender = { sessionId: string; messages: UnsentMessages; outbox: Outbox };

let known: Sender | null = null;

/** That of the session; another sign-in starts from what the storage holds for its user. */
function sender(): Sender {
  const session = currentSession();
  const sessionId = session?.id ?? "";
  if (known?.sessionId === sessionId) return known;
  const owner = { companyId: session?.user.companyId ?? 0, userId: session?.user.id ?? 0 };
  const messages = createUnsentMessages(localStorage, owner, epochMs());
  const outbox = createOutbox({
    messages,
    name: `balcao.unsent ${owner.companyId} ${owner.userId}`,
    isOver: () => currentSession()?.id !== sessionId,
    reload: () => reload(own),
    post: (message, options) => post(own, message, options),
    settle: (message) => take(own, message),
    exclusively,
    nowMs: epochMs,
  });
  const own: Sender = { sessionId, messages, outbox };
  known = own;
  messages.subscribe(() => askBeforeLeaving(own));
  if (session !== null) restoreFiles(own).catch(reportError);
  return own;
}

subscribeToSession(() => {
  const ended = known;
  if (ended === null || ended.sessionId === currentSession()?.id) return;
  // The next session must not send or keep messages of this one. Stored messages wait for their user, unless
  // that user signed out.
  known = null;
  ended.outbox.stop();
  for (const message of ended.messages.all()) {
    release(message, { isForgotten: lastSignOut() === "logout" });
  }
  window.removeEventListener("beforeunload", preventLeaving);
});

/** The messages of a ticket that this browser has not sent yet. */
export function useUnsent(ticketId: number): readonly UnsentMessage[] {
  const { messages } = sender();
  return useSyncExternalStore(messages.subscribe, () => messages.of(ticketId));
}

/** How many messages of the user have not left this browser. */
export function unsentCount(): number {
  return sender().messages.all().length;
}

/** Sends what waits when the line is back, and follows the other tabs. Rendered once, for as long as one is signed in. */
export function OutboxKeeper(): null {
  const { state } = useLiveStatus();
  useEffect(() => {
    const { outbox } = sender();
    if (state === "online") outbox.lineIsBack();
    if (state === "offline") outbox.lineIsLost();
  }, [state]);
  useEffect(() => {
    const follow = ({ storageArea }: StorageEvent): void => {
      if (storageArea === localStorage) reload(sender());
    };
    window.addEventListener("storage", follow);
    // Live events may be blocked where requests are not.
    sender().outbox.sendAll();
    return () => window.removeEventListener("storage", follow);
  }, []);
  return null;
}

/** Shows the text at once and brings it to the server, after what was sent before it in the same ticket. */
export function sendText(ticketId: number, body: string, extras: SendExtras = {}): void {
  const { messages, outbox } = sender();
  messages.put(newMessage(ticketId, body, extras));
  outbox.send(ticketId);
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
  const own = sender();
  for (const [index, { file, kind, caption, previewUrl }] of chosen.entries()) {
    const quotedMsg = index === 0 ? (extras.quotedMsg ?? null) : null;
    const message: UnsentMessage = {
      ...newMessage(ticketId, caption, { quotedMsg }),
      file: { name: file.name, mime: file.type, bytes: file.size, kind, previewUrl },
      isKept: null,
    };
    contents.set(message.clientId, file);
    own.messages.put(message);
    void keep(own, message, file);
  }
  own.outbox.send(ticketId);
}

function newMessage(ticketId: number, body: string, extras: SendExtras): UnsentMessage {
  const quotedMsg = extras.quotedMsg ?? null;
  const now = nowIso();
  return {
    clientId: randomUuid(),
    ticketId,
    body,
    createdAt: sender().messages.nextPlace(ticketId, now),
    askedAt: now,
    state: "sending",
    progress: 0,
    errorCode: null,
    file: null,
    isKept: true,
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
export function sendAgain({ clientId, ticketId }: UnsentMessage): void {
  const { messages, outbox } = sender();
  const again = { state: "sending", progress: 0, errorCode: null, askedAt: nowIso() } as const;
  messages.change(clientId, again);
  outbox.send(ticketId);
}

/** Gives an unsent message up; an upload under way ends. */
export function discardUnsent(message: UnsentMessage): void {
  const own = sender();
  take(own, message);
  own.outbox.abort(message.clientId);
}

/** Takes away what the server has, however that became known. */
export function settleUnsent(ticketId: number, clientId: string): void {
  const own = sender();
  const message = own.messages.of(ticketId).find((one) => one.clientId === clientId);
  if (message) take(own, message);
}

onCompanyEvent("appMessage", ({ message: { ticketId, clientId } }) => {
  if (clientId !== null) batchPerFrame(() => settleUnsent(ticketId, clientId));
});

function take({ messages }: Sender, message: UnsentMessage): void {
  messages.remove(message);
  release(message, { isForgotten: true });
}

/** Lets go of a file of this page; `isForgotten`: of its content in the storage, too. */
function release(
  { clientId, file }: UnsentMessage,
  { isForgotten }: { isForgotten: boolean },
): void {
  if (file === null) return;
  contents.delete(clientId);
  if (file.previewUrl !== null) URL.revokeObjectURL(file.previewUrl);
  if (isForgotten) void forgetContent(clientId);
}

function reload({ messages, outbox }: Sender): void {
  for (const message of messages.reload()) {
    release(message, { isForgotten: true });
    outbox.abort(message.clientId);
  }
}

/** Writes a file to the storage while it is being sent. */
async function keep({ messages }: Sender, { clientId }: UnsentMessage, file: File): Promise<void> {
  const keptBytes = messages
    .all()
    .reduce((bytes, one) => bytes + (one.isKept === false ? 0 : (one.file?.bytes ?? 0)), 0);
  const isKept = keptBytes <= KEPT_MAX_BYTES && (await keepContent(clientId, file));
  messages.change(clientId, { isKept });
  if (!messages.find(clientId)) void forgetContent(clientId);
}

/** After a reload the contents are in the storage only. */
async function restoreFiles({ messages }: Sender): Promise<void> {
  const files = messages.all().filter(({ file }) => file !== null);
  if (files.length === 0) return;
  const { sweepFiles } = await loadKeptFiles();
  await sweepFiles(localStorageHas, epochMs());
  for (const { clientId, file } of files) {
    if (file?.kind !== "image" || file.previewUrl !== null) continue;
    const content = await contentOf(clientId);
    if (content === null || !messages.find(clientId)) continue;
    messages.change(clientId, { file: { ...file, previewUrl: URL.createObjectURL(content) } });
  }
}

/** Also of other users of this browser. */
function localStorageHas(clientId: string): boolean {
  return Object.keys(localStorage).some((key) => key.endsWith(`.${clientId}`));
}

async function contentOf(clientId: string): Promise<File | null> {
  const held = contents.get(clientId);
  if (held) return held;
  const { keptFile } = await loadKeptFiles();
  const kept = await keptFile(clientId);
  if (kept) contents.set(clientId, kept);
  return kept;
}

async function keepContent(clientId: string, file: File): Promise<boolean> {
  try {
    const { keepFile } = await loadKeptFiles();
    return await keepFile(clientId, file, epochMs());
  } catch {
    return false; // the message says so
  }
}

async function forgetContent(clientId: string): Promise<void> {
  try {
    const { forgetFile } = await loadKeptFiles();
    await forgetFile(clientId);
  } catch {
    // It is swept later.
  }
}

type PostOptions = { signal: AbortSignal; onMoved: () => void };

async function post(own: Sender, message: UnsentMessage, options: PostOptions): Promise<void> {
  const { ticketId, clientId, body, quotedMsgId, undoSeconds } = message;
  if (message.file !== null) {
    await postFile(own, message, options);
    return;
  }
  const quotedMsg = quotedMsgId === null ? null : { id: quotedMsgId };
  const team = teamSource(ticketId);
  if (team !== null) {
    const wish = { signal: options.signal, onProgress: options.onMoved };
    writeMessageEvent({ action: "create", message: await team.post(message, null, wish) });
    return;
  }
  await postMessage(ticketId, { body, clientId, quotedMsg, undoSeconds }, options.signal);
}

/** Brings one file to the server as one message. */
async function postFile(
  { messages }: Sender,
  message: UnsentMessage,
  { signal, onMoved }: PostOptions,
): Promise<void> {
  const { ticketId, clientId, body, quotedMsgId } = message;
  const file = await contentOf(clientId);
  if (file === null) throw new ApiError({ status: 410, code: "ERR_FILE_NOT_KEPT" });
  if (!messages.find(clientId)) return;
  messages.change(clientId, { state: "uploading" });
  let shownPercent = 0;
  const wish = {
    signal,
    onProgress(part: number) {
      onMoved();
      const percent = Math.floor(part * 100);
      if (percent === shownPercent) return;
      shownPercent = percent;
      messages.change(clientId, { state: "uploading", progress: part });
    },
  };
  const stored =
    (await teamSource(ticketId)?.post(message, file, wish)) ??
    (await upload(
      "POST /messages/:ticketId",
      {
        params: { ticketId },
        fields: {
          fromMe: "true",
          clientId,
          body,
          ...(quotedMsgId === null ? {} : { quotedMsgId }),
        },
        files: { medias: [file] },
      },
      wish,
    ));
  writeMessageEvent({ action: "create", message: stored });
}

/** The browser asks before the page goes while a file moves, or while something is held by this page alone. */
function askBeforeLeaving({ messages }: Sender): void {
  const mustAsk = messages
    .all()
    .some(({ state, isKept }) => state === "uploading" || isKept !== true);
  if (mustAsk) window.addEventListener("beforeunload", preventLeaving);
  else window.removeEventListener("beforeunload", preventLeaving);
}

function preventLeaving(event: BeforeUnloadEvent): void {
  event.preventDefault();
}
