import type { Message } from "@balcao/contract";
import type { RefObject } from "react";
import { useEffect, useEffectEvent, useLayoutEffect, useRef, useState, useCallback } from "react";
import { epochMs } from "../../ui/clock.ts";
import { aimComposer, splitSignature } from "../messages/index.ts";
import type { DraftContent, DraftKeeper } from "./drafts.ts";
import { createDraftKeeper, findMessage, saveDraft } from "./drafts.ts";
import { limits } from "@balcao/contract/limits";
import { prefetchQuickMessages } from "../quick-messages/index.ts";

export type ComposerText = {
  fieldRef: RefObject<HTMLTextAreaElement | null>;
  text: string;
  /** The `/term` at the caret. */
  slash: SlashTerm | null;
  keeper: DraftKeeper;
  /** The text became this by typing. */
  change: (next: string) => void;
  /** The caret moved. */
  moveCaret: () => void;
  /** Inserts a text at the caret or in place of a range; the caret moves behind it. */
  insert: (inserted: string, range?: { start: number; end: number }) => void;
  /** Clears the text and its draft. */
  clear: () => void;
  /** Inserts an undone text before the current one. */
  giveBack: (text: string) => void;
};

/** The composer's text in a ticket: its draft, or the text of the edited message. Editing does not change the draft. */
export function useComposerText(
  userId: number,
  ticketId: number,
  editing: Message | null,
): ComposerText {
  const fieldRef = useRef<HTMLTextAreaElement>(null);
  const caretRef = useRef<number | null>(null);
  const [keeper] = useState(() =>
    createDraftKeeper({
      storage: localStorage,
      userId,
      ticketId,
      nowMs: epochMs,
      save: (content, wish) => saveDraft(ticketId, content, wish),
    }),
  );
  const [draftText, setDraftText] = useState(() => keeper.content().body);
  const [edited, setEdited] = useState({ messageId: "", text: "" });
  const [slash, setSlash] = useState<SlashTerm | null>(null);

  const isEdited = editing !== null && edited.messageId === editing.id;
  const text = textNow();

  const receive = useEffectEvent((content: DraftContent) => {
    setDraftText(content.body);
    if (editing === null) void aimAtKept(ticketId, content.quotedMsgId);
  });
  // Once per keeper: unsubscribing drops a draft that waits for a pause in the typing.
  useEffect(() => {
    keeper.tell((content) => receive(content));
    return () => keeper.tell(null);
  }, [keeper]);
  useEffect(() => {
    const { quotedMsgId } = keeper.content();
    if (quotedMsgId !== null) void aimAtKept(ticketId, quotedMsgId);
  }, [keeper, ticketId]);

  // After the field has the new text; before that the position does not exist.
  useLayoutEffect(() => {
    const field = fieldRef.current;
    if (caretRef.current === null || !field) return;
    field.focus({ preventScroll: true });
    field.setSelectionRange(caretRef.current, caretRef.current);
    caretRef.current = null;
  });

  const atCaret = (next: string): TextAtCaret => ({
    text: next,
    start: fieldRef.current?.selectionStart ?? next.length,
    end: fieldRef.current?.selectionEnd ?? next.length,
  });

  function write(next: string): void {
    if (editing) {
      setEdited({ messageId: editing.id, text: next });
      return;
    }
    setDraftText(next);
    keeper.write({ ...keeper.content(), body: next });
  }

  const look = (at: TextAtCaret): void =>
    setSlash((known) => {
      const next = slashTerm(at);
      return known?.start === next?.start && known?.term === next?.term ? known : next;
    });

  return {
    fieldRef,
    text,
    slash,
    keeper,
    change(next) {
      write(next);
      look(atCaret(next));
    },
    moveCaret: () => look(atCaret(fieldRef.current?.value ?? "")),
    insert(inserted, range) {
      const next = insertText({ ...atCaret(text), ...range }, inserted);
      write(next.text);
      look(next);
      caretRef.current = next.start;
    },
    clear() {
      setSlash(null);
      setDraftText("");
      keeper.clear();
    },
    giveBack(returned) {
      const next = draftText === "" ? returned : `${returned}\n${draftText}`;
      setDraftText(next);
      keeper.write({ ...keeper.content(), body: next });
      caretRef.current = editing ? null : returned.length;
    },
  };

  function textNow(): string {
    if (editing === null) return draftText;
    return isEdited ? edited.text : splitSignature(editing.body).text;
  }
}

/** Restores the replied message of the draft, if it still exists. */
export async function aimAtKept(ticketId: number, quotedMsgId: string | null): Promise<void> {
  if (quotedMsgId === null) {
    aimComposer(ticketId, null);
    return;
  }
  // Without the replied message the text is sent as a plain message.
  const message = await findMessage(ticketId, quotedMsgId).catch(() => null);
  if (message && !message.isDeleted) aimComposer(ticketId, { kind: "reply", message });
}

/** A text with the caret, or the selection, in it. */
type TextAtCaret = Readonly<{ text: string; start: number; end: number }>;

/** Replaces the selection with `inserted`; the caret moves behind it. */
export function insertText({ text, start, end }: TextAtCaret, inserted: string): TextAtCaret {
  const caret = start + inserted.length;
  return { text: text.slice(0, start) + inserted + text.slice(end), start: caret, end: caret };
}

/** The `/term` that ends at the caret, and its start. */
export type SlashTerm = Readonly<{ term: string; start: number; end: number }>;

/** At the start of the text, or after white space; without white space in it. */
const SLASH = /(?:^|\s)\/(\S*)$/;

/** The term typed after a `/`; null if the caret is not behind one. */
export function slashTerm({ text, start, end }: TextAtCaret): SlashTerm | null {
  if (start !== end) return null;
  const term = SLASH.exec(text.slice(0, end))?.[1];
  return term === undefined ? null : { term, start: end - term.length - 1, end };
}

/**
 * Lets a text field grow with its text up to `rowsMax` rows; then it scrolls. Measures at each render and when the
 * field's width changes. The field has no vertical padding. CSS `field-sizing` would do this, but Firefox lacks it.
 */
export function useAutosize(
  fieldRef: RefObject<HTMLTextAreaElement | null>,
  rowsMax: number,
): void {
  useLayoutEffect(() => {
    if (fieldRef.current) fit(fieldRef.current, rowsMax);
  });
  useEffect(() => {
    const field = fieldRef.current;
    if (!field) return undefined;
    let widthPx = field.clientWidth;
    let frame = 0;
    const observer = new ResizeObserver(() => {
      // Changes of height only are ignored.
      if (field.clientWidth === widthPx) return;
      widthPx = field.clientWidth;
      // In the next frame: an observer that resizes its own element is reported as an endless loop.
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => fit(field, rowsMax));
    });
    observer.observe(field);
    return () => {
      observer.disconnect();
      cancelAnimationFrame(frame);
    };
  }, [fieldRef, rowsMax]);
}

function fit(field: HTMLTextAreaElement, rowsMax: number): void {
  const maxPx = Number.parseFloat(getComputedStyle(field).lineHeight) * rowsMax;
  field.style.height = "auto";
  const neededPx = field.scrollHeight;
  field.style.height = `${Math.min(neededPx, maxPx)}px`;
  field.style.overflowY = neededPx > maxPx ? "auto" : "hidden";
}

/** The suggestions for the `/term` at the caret, and the marked one. */
export function useSuggestions(slash: SlashTerm | null) {
  const [dismissedAt, setDismissedAt] = useState<number | null>(null);
  const [activeId, setActiveId] = useState<string | null>(null);
  const start = slash?.start ?? null;
  // A slash at the beginning shows all of them; within a text it may be just a slash.
  const isLong =
    slash !== null && (slash.start === 0 || slash.term.length >= limits.quickReplyTermMin);
  // Dismissed for this `/` only; the next `/` gets suggestions again.
  if (dismissedAt !== null && start !== dismissedAt) setDismissedAt(null);

  const isSlash = slash !== null;
  useEffect(() => {
    if (!isSlash) return;
    prefetchQuickMessages();
    import("./quick-messages.tsx").catch(() => undefined); // asked for again, with its error, when it is shown
  }, [isSlash]);

  return {
    term: isLong && dismissedAt !== start ? slash.term : null,
    activeId,
    setActiveId,
    dismiss: useCallback(() => setDismissedAt(start), [start]),
    reset: useCallback(() => setDismissedAt(null), []),
  };
}

/** The area under dragged files, in page coordinates. */
export type DropZone = Readonly<{ top: number; left: number; width: number; height: number }>;

/**
 * Accepts files dropped on the conversation around `ref` (its closest `[data-conversation]`, else its parent). Returns
 * the area to mark while files hover over it. A file dropped outside does not replace the page.
 */
export function useFileDrop(
  ref: RefObject<HTMLElement | null>,
  onFiles: ((files: readonly File[]) => void) | null,
): DropZone | null {
  const [zone, setZone] = useState<DropZone | null>(null);
  const newest = useRef(onFiles);
  useEffect(() => {
    newest.current = onFiles;
  });

  useEffect(() => {
    const own = ref.current;
    const target = own?.closest<HTMLElement>("[data-conversation]") ?? own?.parentElement;
    if (!target) return undefined;
    // A child is entered before its parent is left, so the difference is positive while files hover.
    let depth = 0;
    const isOurs = (event: DragEvent): boolean => newest.current !== null && hasFiles(event);

    const onEnter = (event: DragEvent): void => {
      if (!isOurs(event)) return;
      event.preventDefault();
      depth += 1;
      const { top, left, width, height } = target.getBoundingClientRect();
      if (depth === 1) setZone({ top, left, width, height });
    };
    const onLeave = (event: DragEvent): void => {
      if (!isOurs(event)) return;
      depth = Math.max(0, depth - 1);
      if (depth === 0) setZone(null);
    };
    const onDrop = (event: DragEvent): void => {
      depth = 0;
      setZone(null);
      if (!isOurs(event)) return;
      event.preventDefault();
      newest.current?.([...(event.dataTransfer?.files ?? [])]);
    };
    const keepPage = (event: DragEvent): void => {
      if (hasFiles(event)) event.preventDefault();
    };

    target.addEventListener("dragenter", onEnter);
    target.addEventListener("dragleave", onLeave);
    target.addEventListener("drop", onDrop);
    window.addEventListener("dragover", keepPage);
    window.addEventListener("drop", keepPage);
    return () => {
      target.removeEventListener("dragenter", onEnter);
      target.removeEventListener("dragleave", onLeave);
      target.removeEventListener("drop", onDrop);
      window.removeEventListener("dragover", keepPage);
      window.removeEventListener("drop", keepPage);
    };
  }, [ref]);
  return zone;
}

function hasFiles(event: DragEvent): boolean {
  return event.dataTransfer?.types.includes("Files") ?? false;
}

/** The files of a paste. Text from a table or a document includes a picture of itself, which is ignored. */
export function pastedFiles(data: DataTransfer): readonly File[] {
  const isText = data.types.includes("text/plain") && data.types.includes("text/html");
  return isText ? [] : [...data.files];
}
