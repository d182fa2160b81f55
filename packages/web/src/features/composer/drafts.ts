import type { Draft, Message } from "@balcao/contract";
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { ApiError, call } from "../../api/client.ts";
import { randomUuid } from "../../api/random-uuid.ts";
import { currentSession } from "../../api/session-store.ts";
import { onceLive, useCompanyEvent } from "../../realtime/index.ts";
import type { TextStorage } from "../messages/index.ts";
import { newestMessages } from "../messages/index.ts";

const SAVE_AFTER_MS = 600;
/** For this long after the last key, drafts of other windows do not change the field. */
const TYPING_MS = 5_000;

export type SaveDraft = (content: DraftContent, wish: { keepalive: boolean }) => Promise<void>;

type Deps = {
  storage: TextStorage;
  userId: number;
  ticketId: number;
  /** Sends a draft to the server; rejects on failure. */
  save: SaveDraft;
  nowMs: () => number;
};

type OnReceived = (content: DraftContent) => void;

export type DraftKeeper = ReturnType<typeof createDraftKeeper>;

/**
 * The draft of one ticket: stored in this browser at each key, on the server a moment later. Saves are sequential, so
 * that an older text never arrives last. A failed save is retried at the next change, mount or reconnect.
 */
export function createDraftKeeper(deps: Deps) {
  const { storage, userId, ticketId, save, nowMs } = deps;
  const kept = readDraft(storage, userId, ticketId);
  let content: DraftContent = { body: kept.body, quotedMsgId: kept.quotedMsgId };
  let isSaved = kept.isSaved;
  let changes = 0;
  let typedAtMs = Number.NEGATIVE_INFINITY;
  let onReceived: OnReceived | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let arrival: ReturnType<typeof setTimeout> | undefined;
  let saving: Promise<void> | null = null;

  function set(next: DraftContent, isKnownToServer: boolean): void {
    content = next;
    isSaved = isKnownToServer;
    changes += 1;
    keepDraft(storage, userId, ticketId, { ...next, isSaved });
  }

  async function saveAll(keepalive: boolean): Promise<void> {
    while (!isSaved) {
      const sent = content;
      await save(sent, { keepalive });
      if (isSameDraft(sent, content)) set(content, true);
    }
  }

  function flush(wish: { keepalive: boolean }): void {
    clearTimeout(timer);
    if (isSaved) return;
    if (wish.keepalive && saving !== null) {
      // The page is closing: this save cannot wait for the pending one, whose text is older.
      save(content, wish).catch(() => undefined);
      return;
    }
    // A failed save shows no error: the text is in this browser and is sent later.
    saving ??= saveAll(wish.keepalive)
      .catch(() => undefined)
      .finally(() => {
        saving = null;
      });
  }

  function receive(next: DraftContent, readAt = changes): void {
    clearTimeout(arrival);
    if (!isSaved) {
      flush({ keepalive: false });
      return;
    }
    if (readAt !== changes) return;
    if (isSameDraft(next, content)) return;
    const typingMs = typedAtMs + TYPING_MS - nowMs();
    if (typingMs > 0) {
      arrival = setTimeout(() => receive(next), typingMs);
      return;
    }
    const received = { body: next.body, quotedMsgId: next.quotedMsgId };
    set(received, true);
    onReceived?.(received);
  }

  return {
    content: (): DraftContent => content,
    /** Called when the agent changed the text. */
    write(next: DraftContent): void {
      if (isSameDraft(next, content)) return;
      clearTimeout(arrival);
      typedAtMs = nowMs();
      set(next, false);
      clearTimeout(timer);
      timer = setTimeout(() => flush({ keepalive: false }), SAVE_AFTER_MS);
    },
    /** Called after sending: removes the draft here and on the server. */
    clear(): void {
      typedAtMs = Number.NEGATIVE_INFINITY;
      if (isSameDraft(content, emptyDraft)) return;
      set(emptyDraft, false);
      flush({ keepalive: false });
    },
    /** Saves unsaved changes now; with `keepalive` the request outlives the page. */
    flush,
    /** Counts the changes and saves of the draft. */
    changes: (): number => changes,
    /**
     * Applies the server's draft. An unsaved local draft wins; while the user types, the server's draft waits. A draft
     * that was asked for at `readAt` changes is ignored when a change or a save followed: it may be the text just sent.
     */
    receive,
    /** Sets the handler for changes by another window of the user; one at a time. */
    tell(handler: OnReceived | null): void {
      if (handler === null) clearTimeout(arrival);
      onReceived = handler;
    },
  };
}

type Props = { ticketId: number; keeper: DraftKeeper };

/** Applies drafts of the user's other windows, without a render of the field. */
export function DraftFollower({ ticketId, keeper }: Props): null {
  const { data } = useServerDraft(ticketId, keeper);
  useEffect(() => {
    if (data) keeper.receive(data.draft, data.readAt);
  }, [data, keeper]);
  useCompanyEvent("draft", ({ draft, clientId }) => {
    if (draft.ticketId === ticketId && clientId !== windowId) keeper.receive(draft);
  });
  useEffect(() => {
    const saveBeforeLeaving = (): void => {
      if (document.visibilityState === "hidden") keeper.flush({ keepalive: true });
    };
    const saveOnline = (): void => keeper.flush({ keepalive: false });
    document.addEventListener("visibilitychange", saveBeforeLeaving);
    window.addEventListener("online", saveOnline);
    return () => {
      document.removeEventListener("visibilitychange", saveBeforeLeaving);
      window.removeEventListener("online", saveOnline);
      keeper.flush({ keepalive: false });
    };
  }, [keeper]);
  return null;
}

/** The content of a ticket's composer: the text, and the message that it answers. */
export type DraftContent = Readonly<{ body: string; quotedMsgId: string | null }>;

/** The copy in this browser; `isSaved` means that the server has it too. */
type LocalDraft = DraftContent & Readonly<{ isSaved: boolean }>;

const emptyDraft: DraftContent = { body: "", quotedMsgId: null };

const keyOf = (userId: number, ticketId: number): string => `balcao.draft.${userId}.${ticketId}`;

/** The user's stored draft in this ticket, or an empty one. */
export function readDraft(storage: TextStorage, userId: number, ticketId: number): LocalDraft {
  const known = parse(storage.getItem(keyOf(userId, ticketId)));
  return known ?? { ...emptyDraft, isSaved: true };
}

/** Stores the composer's content; written at each change, so that it survives a crash. */
export function keepDraft(
  storage: TextStorage,
  userId: number,
  ticketId: number,
  draft: LocalDraft,
): void {
  const key = keyOf(userId, ticketId);
  if (isEmpty(draft) && draft.isSaved) {
    storage.removeItem(key);
    return;
  }
  try {
    storage.setItem(key, JSON.stringify(draft));
  } catch {
    // The storage is full: the text stays in the composer and is sent to the server.
  }
}

function isEmpty(draft: DraftContent): boolean {
  return draft.body === "" && draft.quotedMsgId === null;
}

function isSameDraft(a: DraftContent, b: DraftContent): boolean {
  return a.body === b.body && a.quotedMsgId === b.quotedMsgId;
}

function parse(stored: string | null): LocalDraft | null {
  let value: unknown;
  try {
    value = JSON.parse(stored ?? "null");
  } catch {
    return null; // written by something else
  }
  if (typeof value !== "object" || value === null) return null;
  const fields = new Map<string, unknown>(Object.entries(value));
  const [body, quotedMsgId] = [fields.get("body"), fields.get("quotedMsgId")];
  if (typeof body !== "string") return null;
  return {
    body,
    quotedMsgId: typeof quotedMsgId === "string" ? quotedMsgId : null,
    isSaved: fields.get("isSaved") === true,
  };
}

/** Identifies this window; the server repeats it in the event, so that the window ignores its own. */
export const windowId = randomUuid();

/** The user's draft on the server; refetched at each mount and after a reconnect. */
function useServerDraft(ticketId: number, keeper: DraftKeeper) {
  return useQuery({
    queryKey: ["drafts", ticketId],
    queryFn: ({ queryKey, signal }): Promise<{ draft: Draft; readAt: number }> =>
      onceLive(queryKey, async () => {
        const readAt = keeper.changes();
        const request = { params: { ticketId } };
        return { draft: await call("GET /drafts/:ticketId", request, { signal }), readAt };
      }),
    staleTime: 0,
    gcTime: 0,
    // An equal reply counts too: it shows that the server can be reached, and an unsaved draft may wait for that.
    structuralSharing: false,
  });
}

/** Sends a draft to the server; does nothing after a sign-out. */
export async function saveDraft(
  ticketId: number,
  { body, quotedMsgId }: DraftContent,
  { keepalive }: { keepalive: boolean },
): Promise<void> {
  if (currentSession() === null) {
    throw new ApiError({ status: 401, code: "ERR_SESSION_EXPIRED" });
  }
  const request = { params: { ticketId }, body: { body, quotedMsgId, clientId: windowId } };
  await call("PUT /drafts/:ticketId", request, { keepalive });
}

/** A message of the ticket, fetched if not loaded; null if it does not exist. */
export async function findMessage(ticketId: number, messageId: string): Promise<Message | null> {
  const isIt = (message: Message): boolean => message.id === messageId;
  const loaded = newestMessages(ticketId).find(isIt);
  if (loaded) return loaded;
  const query = { aroundId: messageId, markRead: "false" as const };
  const page = await call("GET /messages/:ticketId", { params: { ticketId }, query });
  return page.messages.find(isIt) ?? null;
}
