import type { Message } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import type { ReactVirtualizer } from "@tanstack/react-virtual";
import { defaultRangeExtractor, useVirtualizer } from "@tanstack/react-virtual";
import type { RefObject } from "react";
import { useCallback, useDeferredValue, useEffect, useLayoutEffect, useRef, useState } from "react";
import { useLiveStatus } from "../../../realtime/index.ts";
import type { PageSide } from "../api.ts";
import { useMorePages } from "../api.ts";
import { pictureSize, isLine, writtenText } from "../bubble/message-content.ts";
import type { MessageHistory } from "../history/message-history.ts";
import type { MessageRow } from "./message-rows.ts";

/** This close to the end new messages keep the list at the end (ui.md section 3, message list). */
const END_DISTANCE_PX = 80;
/**
 * Rows rendered beyond the view on either side: more than a page key skips, because the browser may paint a frame
 * before the scroll event.
 */
const ROWS_BEYOND = 20;
/** Until the end of the conversation is painted, which those rows would delay. */
const ROWS_BEYOND_AT_FIRST = 2;
/** A conversation opens at its end; the browser limits the value. */
const END_PX = 1e7;

type Virtualizer = ReactVirtualizer<HTMLDivElement, HTMLDivElement>;

/**
 * Virtual rows that keep their place when older ones arrive above, and follow new ones at the end. The focused row
 * stays mounted.
 */
export function useMessageVirtualizer(
  rows: readonly MessageRow[],
  scrollRef: RefObject<HTMLDivElement | null>,
  options: { hasNewer: boolean; activeIndex: number },
): { virtualizer: Virtualizer; isAtEnd: boolean } {
  const { hasNewer, activeIndex } = options;
  const getItemKey = useCallback((index: number) => rows[index]?.key ?? index, [rows]);
  // A page appended to the loaded part is not followed, not even the last one.
  const [hadNewer, setHadNewer] = useState(hasNewer);
  useEffect(() => setHadNewer(hasNewer), [hasNewer]);
  // oxlint-disable-next-line react/incompatible-library -- it is used as its documents say
  const virtualizer = useVirtualizer<HTMLDivElement, HTMLDivElement>({
    count: rows.length,
    getScrollElement: () => scrollRef.current,
    getItemKey,
    estimateSize: (index) => estimatedHeightPx(rows[index]),
    anchorTo: "end",
    followOnAppend: !hasNewer && !hadNewer,
    scrollEndThreshold: END_DISTANCE_PX,
    initialOffset: END_PX,
    overscan: useDeferredValue(ROWS_BEYOND, ROWS_BEYOND_AT_FIRST),
    paddingStart: 16,
    paddingEnd: 8,
    rangeExtractor: (range) => {
      const indexes = defaultRangeExtractor(range);
      if (activeIndex < 0 || indexes.includes(activeIndex)) return indexes;
      return [...indexes, activeIndex].toSorted((a, b) => a - b);
    },
  });
  useStayAtEnd(virtualizer, scrollRef);
  useEndBelowLines(virtualizer, scrollRef, rows);
  const isAtEnd = virtualizer.scrollElement === null || virtualizer.isAtEnd(END_DISTANCE_PX);
  return { virtualizer, isAtEnd };
}

/** Keeps the end in view when the pane shrinks: by a longer reply, a notice, a phone keyboard. */
function useStayAtEnd(virtualizer: Virtualizer, scrollRef: RefObject<HTMLDivElement | null>): void {
  const { isAtEnd, scrollToEnd } = virtualizer;
  useEffect(() => {
    const element = scrollRef.current;
    if (!element) return undefined;
    let wasAtEnd = true;
    let heightPx = element.clientHeight;
    const note = (): void => {
      // A pane that shrank scrolls by itself; the user did not.
      if (element.clientHeight === heightPx) wasAtEnd = isAtEnd(END_DISTANCE_PX);
    };
    const observer = new ResizeObserver(() => {
      const isChanged = element.clientHeight !== heightPx;
      heightPx = element.clientHeight;
      if (isChanged && wasAtEnd) scrollToEnd();
    });
    element.addEventListener("scroll", note, { passive: true });
    observer.observe(element);
    return () => {
      element.removeEventListener("scroll", note);
      observer.disconnect();
    };
  }, [scrollRef, isAtEnd, scrollToEnd]);
}

/**
 * Keeps the end in view when rows come between those that are shown: what happened with the ticket is read after its
 * messages. The virtualizer keeps the first row in view, and only follows what is appended.
 */
function useEndBelowLines(
  virtualizer: Virtualizer,
  scrollRef: RefObject<HTMLDivElement | null>,
  rows: readonly MessageRow[],
): void {
  const shown = useRef({ rows, heightPx: 0 });
  useLayoutEffect(() => {
    const before = shown.current;
    shown.current = { rows, heightPx: virtualizer.getTotalSize() };
    const area = scrollRef.current;
    if (!area || rows === before.rows || rows.at(-1)?.key !== before.rows.at(-1)?.key) return;
    if (before.heightPx - area.clientHeight - area.scrollTop <= END_DISTANCE_PX)
      virtualizer.scrollToEnd();
  });
}

export type MorePages = {
  isPending: boolean;
  isError: boolean;
  loadWhenNear: () => void;
  retry: () => void;
};

/**
 * Loads the page above or below before it is visible. A failed page is retried by its button or when the live channel
 * is back.
 */
export function useMoreOnScroll(
  side: PageSide,
  ticketId: number,
  history: MessageHistory,
  scrollRef: RefObject<HTMLElement | null>,
): MorePages {
  const { isPending, isError, variables, mutate, reset } = useMorePages(ticketId, side);
  const isOnline = useLiveStatus().state === "online";
  // Forgets the failure, so the effect below asks for the page again. A request that is under way keeps its outcome.
  useEffect(() => {
    if (isOnline) reset();
  }, [isOnline, reset]);
  const hasMore = side === "older" ? history.hasMore : history.hasNewer;
  const edgeId = (side === "older" ? history.messages[0] : history.messages.at(-1))?.id;

  const loadWhenNear = useCallback((): void => {
    const element = scrollRef.current;
    if (!element || !hasMore || edgeId === undefined || isPending) return;
    if (distancePx(element, side) > limits.olderMessagesDistancePx) return;
    if (isError && variables === edgeId) return; // there is a button for what failed
    mutate(edgeId);
  }, [scrollRef, side, hasMore, edgeId, isPending, isError, variables, mutate]);
  // Also for a conversation that is too short to scroll.
  useEffect(loadWhenNear, [loadWhenNear]);

  const retry = useCallback((): void => {
    if (edgeId !== undefined) mutate(edgeId);
  }, [edgeId, mutate]);
  return { isPending, isError, loadWhenNear, retry };
}

function distancePx(element: HTMLElement, side: PageSide): number {
  if (side === "older") return element.scrollTop;
  return element.scrollHeight - element.clientHeight - element.scrollTop;
}

const DAY_ROW_PX = 44;
const LINE_ROW_PX = 32;
const LINE_PX = 20;
const BUBBLE_PX = 16;
const GROUP_GAP_PX = 9;
const QUOTE_PX = 52;
const AUDIO_PX = 50;
const CARD_PX = 62;
const CALL_PX = 30;
const OPTION_PX = 32;
const REACTIONS_PX = 21;
const BELOW_PX = 24;
const CHARACTERS_PER_LINE = 62;

/** The estimated height of a row, until it is measured. A message that cannot be rendered may not be readable here either. */
function estimatedHeightPx(row: MessageRow | undefined): number {
  try {
    return heightOfPx(row);
  } catch {
    return DAY_ROW_PX; // rendering it reports the error
  }
}

function heightOfPx(row: MessageRow | undefined): number {
  if (row === undefined || row.kind === "day") return DAY_ROW_PX;
  if (row.kind !== "message") return LINE_ROW_PX;
  const { item } = row;
  const gap = row.endsGroup ? GROUP_GAP_PX : 0;
  if (item.kind === "unsent") return gap + BUBBLE_PX + linesPx(item.unsent.body);
  return gap + storedHeightPx(item.message);
}

function storedHeightPx(message: Message): number {
  if (message.isDeleted) return BUBBLE_PX + LINE_PX;
  if (isLine(message)) return CALL_PX;
  const quote = message.quotedMsg === null ? 0 : QUOTE_PX;
  const reactions = message.reactions.length === 0 ? 0 : REACTIONS_PX;
  const hasLines =
    message.failedCode !== null || message.changeFailedCode !== null || message.isUnconfirmed;
  const below = hasLines ? BELOW_PX : 0;
  const text = writtenText(message);
  return BUBBLE_PX + quote + reactions + below + filePx(message) + linesPx(text);
}

function filePx({ media, details }: Message): number {
  if (media !== null) {
    if (media.kind === "audio" || media.kind === "voice") return AUDIO_PX;
    return media.kind === "document" ? CARD_PX : pictureSize(media).heightPx;
  }
  if (details?.kind === "contacts") return CARD_PX * details.contacts.length;
  if (details?.kind === "poll") return CARD_PX + OPTION_PX * details.options.length;
  return details?.kind === "location" || details?.kind === "ad" ? CARD_PX : 0;
}

function linesPx(text: string): number {
  let lines = 0;
  for (const line of text.split("\n", 200)) {
    lines += Math.max(1, Math.ceil(line.length / CHARACTERS_PER_LINE));
  }
  return LINE_PX * Math.max(1, lines);
}
