import { useEffect, useLayoutEffect } from "react";
import type { MessageRow } from "./message-rows.ts";
import { rowIndexOf } from "./message-rows.ts";
import { settleOpenWish, showOpenWish, useOpenWish } from "./open-at.ts";

const FLASH_MS = 1_000;

/** Brings the message that is looked for into the middle as soon as it is loaded; answers which one lights up. */
export function useShowWished(now: {
  ticketId: number;
  rows: readonly MessageRow[];
  scrollToIndex: (index: number, options: { align: "center" }) => void;
  isCurrent: boolean;
}): string | null {
  const { ticketId, rows, scrollToIndex, isCurrent } = now;
  const wish = useOpenWish(ticketId);
  useLayoutEffect(() => {
    if (wish === null || wish.isShown || !isCurrent) return;
    const index = rowIndexOf(rows, wish.messageId);
    if (index === -1) return;
    scrollToIndex(index, { align: "center" });
    showOpenWish(ticketId, wish);
  }, [ticketId, wish, rows, scrollToIndex, isCurrent]);
  useEffect(() => {
    if (wish?.isShown !== true) return undefined;
    const timer = setTimeout(() => settleOpenWish(ticketId, wish), FLASH_MS);
    return () => clearTimeout(timer);
  }, [ticketId, wish]);
  return wish?.isShown === true ? wish.messageId : null;
}
