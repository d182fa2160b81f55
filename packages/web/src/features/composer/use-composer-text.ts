import type { Message } from "@balcao/contract";
import type { RefObject } from "react";
import { useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from "react";
import { epochMs } from "../../ui/clock.ts";
import { aimComposer, splitSignature } from "../messages/index.ts";
import { findMessage, saveDraft } from "./api.ts";
import type { SlashTerm, TextAtCaret } from "./caret.ts";
import { insertText, slashTerm } from "./caret.ts";
import type { DraftKeeper } from "./draft-keeper.ts";
import { createDraftKeeper } from "./draft-keeper.ts";
import type { DraftContent } from "./local-draft.ts";

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
  /** Puts a text at the caret, or in place of a range, and the caret behind it. */
  insert: (inserted: string, range?: { start: number; end: number }) => void;
  /** Nothing is left of what was written. */
  clear: () => void;
  /** Puts a text that was taken back before what stands there. */
  giveBack: (text: string) => void;
};

/**
 * What stands in the composer of a ticket: its draft, or the text of the message that is being edited. While one edits,
 * the draft lies aside untouched.
 */
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
  // Once for the keeper: leaving it drops a draft that waits for a pause in the typing.
  useEffect(() => {
    keeper.tell((content) => receive(content));
    return () => keeper.tell(null);
  }, [keeper]);
  useEffect(() => {
    const { quotedMsgId } = keeper.content();
    if (quotedMsgId !== null) void aimAtKept(ticketId, quotedMsgId);
  }, [keeper, ticketId]);

  // After the new text is in the field; before that there is no such place in it.
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

/** Points the composer at what the kept draft answers, if that is still there. */
export async function aimAtKept(ticketId: number, quotedMsgId: string | null): Promise<void> {
  if (quotedMsgId === null) {
    aimComposer(ticketId, null);
    return;
  }
  // Without an answer it is written as a message of its own; the text is not at stake.
  const message = await findMessage(ticketId, quotedMsgId).catch(() => null);
  if (message && !message.isDeleted) aimComposer(ticketId, { kind: "reply", message });
}
