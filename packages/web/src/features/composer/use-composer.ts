import type { Message, QuickMessage } from "@balcao/contract";
import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { epochMs } from "../../ui/clock.ts";
import { notifyError } from "../../ui/index.ts";
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
import { createAnswerWatch } from "./answer-watch.ts";
import { outgoing } from "./outgoing.ts";
import { quickMessageFile } from "./quick-message-file.ts";
import { UNDO_SECONDS } from "./send-choices.ts";
import { addToTray, subscribeToTrays, takeTray, trayOf } from "./tray-store.ts";
import { aimAtKept, useComposerText } from "./use-composer-text.ts";
import { useFollowTarget } from "./use-follow-target.ts";
import { useSendChoices } from "./use-send-choices.ts";

type Options = {
  ticketId: number;
  userId: number;
  userName: string;
  isDisabled: boolean;
  isRecording: boolean;
};

/** What stands in the composer of a ticket, and what can be done with it. */
export function useComposer(options: Options) {
  const { ticketId, userId, userName, isDisabled, isRecording } = options;
  const { t } = useTranslation();
  const target = useComposerTarget(ticketId);
  const editing = target?.kind === "edit" ? target.message : null;
  const writing = useComposerText(userId, ticketId, editing);
  const { text, keeper, fieldRef } = writing;
  const tray = useSyncExternalStore(subscribeToTrays, () => trayOf(ticketId));
  const choices = useSendChoices(userId);
  const [watch] = useState(() => createAnswerWatch(userId, () => newestMessages(ticketId)));
  const [isSaving, setIsSaving] = useState(false);
  const takeBack = useRef<(message: Message) => void>(() => undefined);

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

  /** Back to the draft, with what it answers. */
  function leaveTarget(): void {
    if (editing === null) aimComposer(ticketId, null);
    else void leaveEdit();
    fieldRef.current?.focus({ preventScroll: true });
  }

  async function leaveEdit(): Promise<void> {
    aimComposer(ticketId, null);
    await aimAtKept(ticketId, keeper.content().quotedMsgId);
  }

  /** Whether there was a message to edit. */
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
