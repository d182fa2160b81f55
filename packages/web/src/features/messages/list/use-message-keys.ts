import type { FocusEvent, KeyboardEvent, RefObject } from "react";
import { useCallback, useEffect, useRef } from "react";
import type { MessageRow } from "./message-rows.ts";

type MessageOf = Extract<MessageRow, { kind: "message" }>;

type Options = {
  rows: readonly MessageRow[];
  scrollRef: RefObject<HTMLElement | null>;
  scrollToIndex: (index: number, options: { align: "auto" }) => void;
  /** Scrolls to the end of the loaded part, whatever the measured heights are. */
  scrollToEnd: () => void;
  /** The focused row, which stays mounted; null without one. */
  focusedKey: string | null;
  onFocusedKey: (rowKey: string | null) => void;
  onMenu: (row: MessageOf) => void;
  onReply: (row: MessageOf) => void;
};

/**
 * The keyboard control of the list (ui.md section 4): ↑ ↓ Home End move between messages, R replies to the focused one,
 * M opens its menu.
 */
export function useMessageKeys(options: Options) {
  const { rows, scrollRef, scrollToIndex, scrollToEnd, focusedKey } = options;
  const { onFocusedKey, onMenu, onReply } = options;
  /** The row to focus as soon as it is mounted. */
  const wanted = useRef<string | null>(null);

  const focusWanted = useCallback((): void => {
    if (wanted.current === null) return;
    const selector = `[data-row="${CSS.escape(wanted.current)}"]`;
    const element = scrollRef.current?.querySelector<HTMLElement>(selector);
    if (!element) return;
    wanted.current = null;
    element.focus({ preventScroll: true });
  }, [scrollRef]);
  useEffect(focusWanted);
  const focusRow = useCallback(
    (rowKey: string): void => {
      wanted.current = rowKey;
      focusWanted();
    },
    [focusWanted],
  );

  const onFocus = useCallback(
    (event: FocusEvent<HTMLElement>): void => {
      // A message's menu is rendered elsewhere, but its events bubble through here.
      if (!event.currentTarget.contains(event.target)) return;
      onFocusedKey(event.target.closest<HTMLElement>("[data-row]")?.dataset["row"] ?? null);
    },
    [onFocusedKey],
  );
  const onBlur = useCallback(
    (event: FocusEvent<HTMLElement>): void => {
      if (!event.currentTarget.contains(event.relatedTarget)) onFocusedKey(null);
    },
    [onFocusedKey],
  );

  function onKeyDown(event: KeyboardEvent<HTMLElement>): void {
    if (event.ctrlKey || event.metaKey || event.altKey || isTakenByField(event.target)) return;
    const from = rows.findIndex((row) => row.key === focusedKey);
    const row = rows[from];
    const key = event.key.toLowerCase();
    if (key === "m" && row?.kind === "message") {
      event.preventDefault();
      onMenu(row);
    } else if (key === "r" && row?.kind === "message") {
      event.preventDefault();
      onReply(row);
    } else {
      const to = targetIndex(event.key, rows, from);
      if (to === null) return;
      event.preventDefault();
      const target = rows[to];
      if (!target) return;
      if (event.key === "End") scrollToEnd();
      else scrollToIndex(to, { align: "auto" });
      onFocusedKey(target.key); // mounts its row, wherever it is
      focusRow(target.key);
    }
  }

  return { focusRow, onFocus, onBlur, onKeyDown };
}

/** The row that a key moves the focus to; null for none. Without a focused message ↑ and ↓ start at the end. */
function targetIndex(key: string, rows: readonly MessageRow[], from: number): number | null {
  const isMessage = (row: MessageRow): boolean => row.kind === "message";
  const last = rows.findLastIndex(isMessage);
  switch (key) {
    case "Home":
      return indexOrNull(rows.findIndex(isMessage));
    case "End":
      return indexOrNull(last);
    case "ArrowUp":
      if (from === -1) return indexOrNull(last);
      return indexOrNull(rows.findLastIndex((row, index) => index < from && isMessage(row)));
    case "ArrowDown":
      if (from === -1) return indexOrNull(last);
      return indexOrNull(rows.findIndex((row, index) => index > from && isMessage(row)));
    default:
      return null;
  }
}

function indexOrNull(index: number): number | null {
  return index === -1 ? null : index;
}

/** A slider or a menu in a message handles arrows and letters itself. */
function isTakenByField(target: EventTarget): boolean {
  return target instanceof HTMLElement && target.closest("input, textarea, [role=menu]") !== null;
}
