/** The part of the browser's storage that is used here. */
export type TextStorage = Pick<Storage, "getItem" | "setItem" | "removeItem">;

const keyOf = (userId: number, ticketId: number): string => `balcao.draft.${userId}.${ticketId}`;

/** What the user had begun to write in this ticket, "" when nothing. */
export function readDraft(storage: TextStorage, userId: number, ticketId: number): string {
  return storage.getItem(keyOf(userId, ticketId)) ?? "";
}

/** Keeps what stands in the composer; written at each change so that nothing can lose it. */
export function keepDraft(
  storage: TextStorage,
  userId: number,
  ticketId: number,
  text: string,
): void {
  const key = keyOf(userId, ticketId);
  if (text === "") {
    storage.removeItem(key);
    return;
  }
  try {
    storage.setItem(key, text);
  } catch {
    // The storage is full: the text is still in the composer, and nothing else can be done about it here.
  }
}
