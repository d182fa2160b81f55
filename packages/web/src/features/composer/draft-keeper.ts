import type { TextStorage } from "../messages/index.ts";
import type { DraftContent } from "./local-draft.ts";
import { emptyDraft, isSameDraft, keepDraft, readDraft } from "./local-draft.ts";

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
    /** What the server has. What was written here and is not there yet wins; it waits while somebody is typing. */
    receive,
    /** Who is told when another window of the user has written something else; one at a time. */
    tell(handler: OnReceived | null): void {
      if (handler === null) clearTimeout(arrival);
      onReceived = handler;
    },
  };
}
