import type { Message, QuickMessage } from "@balcao/contract";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { epochMs } from "../../ui/clock.ts";
import { notifyError } from "../../ui/index.ts";
import type { ComposerTarget, TakenBack } from "../messages/index.ts";
import {
  aimComposer,
  editMessage,
  lastEditableMessage,
  newestMessages,
  onUndone,
  sendFiles,
  sendText,
  sign,
  splitSignature,
  tellWriting,
  useComposerTarget,
} from "../messages/index.ts";
import { countUse } from "../quick-messages/index.ts";
import { createAnswerWatch } from "./answer-watch.tsx";
import { addToTray, takeTray, useTray } from "./tray-store.ts";
import type { ComposerText } from "./use-composer-text.ts";
import { aimAtKept, useComposerText } from "./use-composer-text.ts";

type Options = {
  ticketId: number;
  userId: number;
  userName: string;
  isDisabled: boolean;
  isRecording: boolean;
};

/** The content of the composer of a ticket and its actions. */
export function useComposer(options: Options) {
  const { ticketId, userId, userName, isDisabled, isRecording } = options;
  const { t } = useTranslation();
  const target = useComposerTarget(ticketId);
  const editing = target?.kind === "edit" ? target.message : null;
  const writing = useComposerText(userId, ticketId, editing);
  const { text, keeper, fieldRef } = writing;
  const tray = useTray(ticketId);
  const choices = useSendChoices(userId);
  const [watch] = useState(() => createAnswerWatch(userId, () => newestMessages(ticketId)));
  const [isSaving, setIsSaving] = useState(false);
  const takeBack = useRef<(message: TakenBack) => void>(() => undefined);

  const hasText = text.trim() !== "";
  const hasContent = editing === null && (hasText || tray.files.length > 0);
  const canSend = !isDisabled && !isSaving && (editing === null ? hasContent : hasText);

  const isWriting = hasContent || isRecording;
  useEffect(() => watch.writing(isWriting), [watch, isWriting]);
  useFollowTarget(target, writing);
  useEffect(() => {
    takeBack.current = (message) => {
      writing.giveBack(splitSignature(message.body).text);
      const { quotedMsg } = message;
      if (quotedMsg === null || target !== null) return;
      aimComposer(ticketId, { kind: "reply", message: { ...quotedMsg, quotedMsg: null } });
    };
  });
  useEffect(() => onUndone(ticketId, (message) => takeBack.current(message)), [ticketId]);

  function change(next: string): void {
    writing.change(next);
    tellWriting(ticketId, next.trim() === "" ? "viewing" : "typing");
  }

  const signed = (body: string): string =>
    choices.isSigned && body !== "" ? sign(userName, body) : body;

  function send(): void {
    if (!canSend) return;
    if (editing !== null) {
      void saveEdit(editing);
      return;
    }
    if (!watch.maySend()) return;
    const { text: body, files } = outgoing(text, takeTray(ticketId));
    const quotedMsg = target?.message ?? null;
    if (body !== null) {
      const undoSeconds = choices.isUndoOn ? UNDO_SECONDS : 0;
      sendText(ticketId, signed(body), { quotedMsg, undoSeconds });
    }
    const ready = files.map((file) => ({ ...file, caption: signed(file.caption) }));
    sendFiles(ticketId, ready, { quotedMsg: body === null ? quotedMsg : null });
    writing.clear();
    aimComposer(ticketId, null);
    tellWriting(ticketId, "viewing");
  }

  /** The agent knows that somebody else answered. */
  function sendAnyway(): void {
    watch.reset();
    send();
  }

  async function saveEdit(message: Message): Promise<void> {
    const { author, text: before } = splitSignature(message.body);
    const body = text.trim();
    if (body !== before) {
      setIsSaving(true);
      try {
        await editMessage(message, author === null ? body : sign(author, body));
      } catch (error) {
        notifyError(error); // the text stays in the field
        return;
      } finally {
        setIsSaving(false);
      }
    }
    leaveTarget();
  }

  function sendVoice(file: File): void {
    if (!watch.maySend()) {
      addToTray(ticketId, [file]);
      return;
    }
    const voice = {
      file,
      kind: "voice" as const,
      caption: "",
      previewUrl: URL.createObjectURL(file),
    };
    sendFiles(ticketId, [voice], { quotedMsg: target?.kind === "reply" ? target.message : null });
    aimComposer(ticketId, null);
  }

  /** Returns to the draft and its replied message. */
  function leaveTarget(): void {
    if (editing === null) aimComposer(ticketId, null);
    else void leaveEdit();
    fieldRef.current?.focus({ preventScroll: true });
  }

  async function leaveEdit(): Promise<void> {
    aimComposer(ticketId, null);
    await aimAtKept(ticketId, keeper.content().quotedMsgId);
  }

  /** True if there was a message to edit. */
  function editLast(): boolean {
    const isEmpty = text === "" && target === null && tray.files.length === 0;
    const message = isEmpty ? lastEditableMessage(ticketId, epochMs()) : null;
    if (message === null) return false;
    aimComposer(ticketId, { kind: "edit", message });
    return true;
  }

  async function pickQuickMessage(
    option: QuickMessage,
    range?: { start: number; end: number },
  ): Promise<void> {
    writing.insert(option.message, range);
    countUse(option);
    if (editing !== null) return;
    try {
      const file = await quickMessageFile(option);
      if (file) addToTray(ticketId, [file]);
    } catch {
      notifyError(t("composer.quickFileFailed"));
    }
  }

  return {
    ...writing,
    ...choices,
    target,
    isEditing: editing !== null,
    tray,
    watch,
    canSend,
    change,
    send,
    sendAnyway,
    sendVoice,
    leaveTarget,
    editLast,
    pickQuickMessage,
    addFiles: (files: readonly File[]): void => addToTray(ticketId, files),
  };
}

/** Keeps the answered message with the draft, and moves the focus to the field when a message is chosen. */
function useFollowTarget(
  target: ComposerTarget | null,
  { keeper, fieldRef }: Pick<ComposerText, "keeper" | "fieldRef">,
): void {
  const beforeRef = useRef(target);
  useEffect(() => {
    const before = beforeRef.current;
    beforeRef.current = target;
    if (target === null) {
      if (before?.kind === "reply") keeper.write({ ...keeper.content(), quotedMsgId: null });
      return;
    }
    if (target.kind === "reply") {
      const isRestored = keeper.content().quotedMsgId === target.message.id;
      if (isRestored) return;
      keeper.write({ ...keeper.content(), quotedMsgId: target.message.id });
    }
    const field = fieldRef.current;
    field?.focus({ preventScroll: true });
    field?.setSelectionRange(field.value.length, field.value.length);
  }, [target, keeper, fieldRef]);
}

/** The time in which a sent text can be undone; 0 if the agent did not enable it. */
const UNDO_SECONDS = 5;

/** How the user's messages are sent: with the user's name (on at first, spec 2), and with time to undo (off at first). */
function useSendChoices(userId: number) {
  const [isSigned, chooseSigning] = useStoredSwitch(`balcao.sign.${userId}`, true);
  const [isUndoOn, chooseUndo] = useStoredSwitch(`balcao.undo.${userId}`, false);
  return { isSigned, chooseSigning, isUndoOn, chooseUndo };
}

function useStoredSwitch(key: string, isOnAtFirst: boolean): [boolean, (isOn: boolean) => void] {
  const [isOn, setIsOn] = useState(() => {
    const stored = localStorage.getItem(key);
    return stored === null ? isOnAtFirst : stored === "on";
  });
  function choose(next: boolean): void {
    setIsOn(next);
    localStorage.setItem(key, next ? "on" : "off");
  }
  return [isOn, choose];
}

/** The messages of one send: at most one text, then the files, each with its caption. */
type Outgoing<F> = Readonly<{ text: string | null; files: readonly F[] }>;

/**
 * A text beside one file without a caption is its caption; beside several files it is a message before them. White
 * space alone is ignored.
 */
export function outgoing<F extends { caption: string }>(
  text: string,
  files: readonly F[],
): Outgoing<F> {
  const body = text.trim();
  const captioned = files.map((file) => ({ ...file, caption: file.caption.trim() }));
  const [first, ...others] = captioned;
  if (first && others.length === 0 && first.caption === "") {
    return { text: null, files: [{ ...first, caption: body }] };
  }
  return { text: body === "" ? null : body, files: captioned };
}

const LOADING_LIMIT_MS = 60_000;

/** The attachment of a quick message as a file to send; null when it has none. Throws when it cannot be fetched. */
async function quickMessageFile(option: QuickMessage): Promise<File | null> {
  if (option.mediaPath === null) return null;
  const response = await fetch(option.mediaPath, { signal: AbortSignal.timeout(LOADING_LIMIT_MS) });
  if (!response.ok) throw new Error(`the attachment answered ${response.status}`);
  const content = await response.blob();
  const type = option.mediaMime ?? content.type;
  return new File([content], option.mediaName ?? option.shortcode, { type });
}
