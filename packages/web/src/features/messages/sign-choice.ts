import type { TextStorage } from "./drafts.ts";

const keyOf = (userId: number): string => `balcao.sign.${userId}`;

/** Whether the user's messages carry his name: on until he says otherwise (spec 2, message input). */
export function readSigning(storage: TextStorage, userId: number): boolean {
  return storage.getItem(keyOf(userId)) !== "off";
}

export function keepSigning(storage: TextStorage, userId: number, isSigned: boolean): void {
  storage.setItem(keyOf(userId), isSigned ? "on" : "off");
}
