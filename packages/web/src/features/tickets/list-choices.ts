import { useState } from "react";
import type { TextStorage } from "../messages/index.ts";

/** How a user last looked at the lists on this device. */
export type ListChoices = Readonly<{
  showAll: boolean;
  /** Null: all queues. */
  queueIds: readonly number[] | null;
}>;

const keyOf = (userId: number): string => `balcao.list.${userId}`;

export function readListChoices(storage: TextStorage, userId: number): ListChoices {
  let stored: unknown;
  try {
    stored = JSON.parse(storage.getItem(keyOf(userId)) ?? "null");
  } catch {
    stored = null; // written by something else
  }
  if (typeof stored !== "object" || stored === null) return { showAll: false, queueIds: null };
  const showAll = "showAll" in stored && stored.showAll === true;
  const queueIds = "queueIds" in stored ? idList(stored.queueIds) : null;
  return { showAll, queueIds };
}

export function keepListChoices(storage: TextStorage, userId: number, choices: ListChoices): void {
  storage.setItem(keyOf(userId), JSON.stringify(choices));
}

/** The choices of the signed-in user, kept on this device. */
export function useListChoices(userId: number): [ListChoices, (next: ListChoices) => void] {
  const [choices, setChoices] = useState(() => readListChoices(localStorage, userId));
  function choose(next: ListChoices): void {
    setChoices(next);
    keepListChoices(localStorage, userId, next);
  }
  return [choices, choose];
}

function idList(value: unknown): readonly number[] | null {
  if (!Array.isArray(value)) return null;
  const ids = value.filter((id): id is number => Number.isInteger(id));
  return ids.length > 0 ? ids : null;
}
