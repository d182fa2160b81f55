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
/** So long after the last key the field counts as being typed in: what another window wrote does not touch it. */
const TYPING_MS = 5_000;

export type SaveDraft = (content: DraftContent, wish: { keepalive: boolean }) => Promise<void>;

type Deps = {
  storage: TextStorage;
  userId: number;
  ticketId: number;
  /** Brings a draft to the server; rejects when that failed. */
  save: SaveDraft;
  nowMs: () => number;
};

type OnReceived = (content: DraftContent) => void;

export type DraftKeeper = ReturnType<typeof createDraftKeeper>;

/**
 * The draft of one ticket: in this browser at each key, on the server a moment later. Saves go out one after the other,
 * so that an older text never arrives last. What could not be saved stays here and is saved at the next chance.
 */
export function createDraftKeeper(deps: Deps) {
  const { storage, userId, ticketId, save, nowMs } = deps;
  const kept = readDraft(storage, userId, ticketId);
  let content: DraftContent = { body: kept.body, quotedMsgId: kept.quotedMsgId };
  let isSaved = kept.isSaved;
  let typedAtMs = Number.NEGATIVE_INFINITY;
  let onReceived: OnReceived | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let arrival: ReturnType<typeof setTimeout> | undefined;
  let saving: Promise<void> | null = null;

  function set(next: DraftContent, isKnownToServer: boolean): void {
    content = next;
    isSaved = isKnownToServer;
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
      // The page is going: nothing can wait for the save under way, whose text is older than this one.
      save(content, wish).catch(() => undefined);
      return;
    }
    // A failed save is no news for the agent: the text is in this browser and goes out at the next chance.
    saving ??= saveAll(wish.keepalive)
      .catch(() => undefined)
      .finally(() => {
        saving = null;
      });
  }

  function receive(next: DraftContent): void {
    clearTimeout(arrival);
    if (!isSaved) {
      flush({ keepalive: false });
      return;
    }
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
    /** The agent changed something. */
    write(next: DraftContent): void {
      if (isSameDraft(next, content)) return;
      clearTimeout(arrival);
      typedAtMs = nowMs();
      set(next, false);
      clearTimeout(timer);
      timer = setTimeout(() => flush({ keepalive: false }), SAVE_AFTER_MS);
    },
    /** It was sent: nothing is left of it, here and elsewhere. */
    clear(): void {
      typedAtMs = Number.NEGATIVE_INFINITY;
      if (isSameDraft(content, emptyDraft)) return;
      set(emptyDraft, false);
      flush({ keepalive: false });
    },
    /** Saves now what is not saved yet. `keepalive`: also when the page goes. */
    flush,
    /** Takes the draft of the server. An unsaved local draft wins; while the user types, the server's draft waits. */
    receive,
    /** Sets the handler for changes by another window of the user; one at a time. */
    tell(handler: OnReceived | null): void {
      if (handler === null) clearTimeout(arrival);
      onReceived = handler;
    },
  };
}

type Props = { ticketId: number; keeper: DraftKeeper };

/** Brings in what the user's other windows write. It draws nothing, so the field is not drawn again for it. */
export function DraftFollower({ ticketId, keeper }: Props): null {
  const { data } = useServerDraft(ticketId);
  useEffect(() => {
    if (data) keeper.receive(data);
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

/** The copy of this browser. `isSaved`: the server has it too. */
type LocalDraft = DraftContent & Readonly<{ isSaved: boolean }>;

const emptyDraft: DraftContent = { body: "", quotedMsgId: null };

const keyOf = (userId: number, ticketId: number): string => `balcao.draft.${userId}.${ticketId}`;

/** The stored draft of the user in this ticket; the empty draft if there is none. */
export function readDraft(storage: TextStorage, userId: number, ticketId: number): LocalDraft {
  const known = parse(storage.getItem(keyOf(userId, ticketId)));
  return known ?? { ...emptyDraft, isSaved: true };
}

/** Keeps what stands in the composer; written at each change so that nothing can lose it. */
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
    // The storage is full: the text is still in the composer and on its way to the server.
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

/** Names this window to the server, which tells it back to the user's other windows. */
export const windowId = randomUuid();

/** The user's draft in a ticket as the server has it; read anew at each mount and after a break of the live channel. */
function useServerDraft(ticketId: number) {
  return useQuery({
    queryKey: ["drafts", ticketId],
    queryFn: ({ queryKey, signal }): Promise<Draft> =>
      onceLive(queryKey, () => call("GET /drafts/:ticketId", { params: { ticketId } }, { signal })),
    staleTime: 0,
    gcTime: 0,
    // An answer counts also when it says the same: the server can be reached, and a draft may wait for that.
    structuralSharing: false,
  });
}

/** Brings a draft to the server; refused here after signing out, so that nothing is written for it any more. */
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

/** A message of the ticket, loaded or not; null when it is not there (any more). */
export async function findMessage(ticketId: number, messageId: string): Promise<Message | null> {
  const isIt = (message: Message): boolean => message.id === messageId;
  const loaded = newestMessages(ticketId).find(isIt);
  if (loaded) return loaded;
  const query = { aroundId: messageId, markRead: "false" as const };
  const page = await call("GET /messages/:ticketId", { params: { ticketId }, query });
  return page.messages.find(isIt) ?? null;
}
