import type { TextStorage } from "../messages/index.ts";

/** What stands in a ticket's composer: the text, and what it answers. */
export type DraftContent = Readonly<{ body: string; quotedMsgId: string | null }>;

/** The copy of this browser. `isSaved`: the server has it too. */
export type LocalDraft = DraftContent & Readonly<{ isSaved: boolean }>;

export const emptyDraft: DraftContent = { body: "", quotedMsgId: null };

const keyOf = (userId: number, ticketId: number): string => `balcao.draft.${userId}.${ticketId}`;

/** What the user had begun to write in this ticket; the empty draft when nothing. */
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

export function isSameDraft(a: DraftContent, b: DraftContent): boolean {
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
