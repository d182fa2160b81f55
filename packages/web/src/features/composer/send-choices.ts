import type { TextStorage } from "../messages/index.ts";

const signKey = (userId: number): string => `balcao.sign.${userId}`;
const undoKey = (userId: number): string => `balcao.undo.${userId}`;

/** How long a sent text can be taken back, where the agent wants that. */
export const UNDO_SECONDS = 5;

/** Whether the user's messages carry his name: on until he says otherwise (spec 2, message input). */
export function readSigning(storage: TextStorage, userId: number): boolean {
  return storage.getItem(signKey(userId)) !== "off";
}

export function keepSigning(storage: TextStorage, userId: number, isSigned: boolean): void {
  storage.setItem(signKey(userId), isSigned ? "on" : "off");
}

/** Whether the user's texts wait a few seconds in which he can take them back: off until he says otherwise. */
export function readUndo(storage: TextStorage, userId: number): boolean {
  return storage.getItem(undoKey(userId)) === "on";
}

export function keepUndo(storage: TextStorage, userId: number, isOn: boolean): void {
  storage.setItem(undoKey(userId), isOn ? "on" : "off");
}
