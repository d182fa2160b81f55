import type { QuickMessage, Ticket } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import { useMediaQuery } from "@mantine/hooks";
import { IconLock, IconMicrophone, IconSend2 } from "@tabler/icons-react";
import type { ClipboardEvent, FormEvent, KeyboardEvent, ReactNode } from "react";
import { memo, Suspense, useCallback, useEffect, useId, useRef, useState } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { IconButton, notifyInfo } from "../../ui/index.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { AfterShown } from "../../ui/after-shown.tsx";
import { OnDemand } from "../../ui/on-demand.tsx";
import { AiHelp } from "../ai-help/index.ts";
import { sign, tellWriting } from "../messages/index.ts";
import { showNoteTab, toggleNoteTab, useNoteTab } from "../notes/index.ts";
import { MeanwhileAnswered } from "./answer-watch.tsx";
import {
  ComposerTabs,
  ComposerTools,
  SendMenuTarget,
  SignSwitch,
  TargetBar,
} from "./composer-tools.tsx";
import classes from "./composer.module.css";
import { DraftFollower } from "./drafts.ts";
import type { SuggestionsHandle } from "./quick-messages.tsx";
import { useComposer } from "./use-composer.ts";
import { pastedFiles, useAutosize, useFileDrop, useSuggestions } from "./use-composer-text.ts";

type Props = {
  ticket: Pick<Ticket, "id" | "contact">;
  user: { id: number; name: string };
  /** The reason why nothing can be sent now; null if it can. */
  disabledReason: string | null;
  /** Focuses the field when the ticket opens. */
  mustFocus: boolean;
  /** Opens the dialog that schedules the text; undefined if messages cannot be scheduled. */
  onSendLater?: ((text: string) => void) | undefined;
  /**
   * Opens the approved messages of the network; undefined if there are none, or nothing may be sent. A stable function,
   * so that the composer is not rendered again.
   */
  onTemplate?: (() => void) | undefined;
};

/**
 * The composer of a ticket. Mount it per ticket: it starts with the ticket's draft. Live events never render it, so the
 * caret stays in place.
 */
export function Composer(props: Props): ReactNode {
  const { ticket, user, disabledReason, mustFocus, onSendLater, onTemplate } = props;
  const newest = useRef(onSendLater);
  useEffect(() => {
    newest.current = onSendLater;
  });
  const sendLater = useCallback((text: string) => newest.current?.(text), []);
  return (
    <ComposerBox
      ticketId={ticket.id}
      customerName={ticket.contact.name}
      userId={user.id}
      userName={user.name}
      disabledReason={disabledReason}
      mustFocus={mustFocus}
      onSendLater={onSendLater ? sendLater : null}
      onTemplate={onTemplate ?? null}
    />
  );
}

const SendMenu = lazyPart(async () => (await import("./composer-menus.tsx")).SendMenu);
const NoteComposer = lazyPart(async () => (await import("./note-composer.tsx")).NoteComposer);
const Suggestions = lazyPart(async () => (await import("./quick-messages.tsx")).Suggestions);
const Tray = lazyPart(async () => (await import("./tray.tsx")).Tray);
const DropOverlay = lazyPart(async () => (await import("./tray.tsx")).DropOverlay, "over");
const RecordingBar = lazyPart(
  async () => (await import("./recorder/recording-bar.tsx")).RecordingBar,
);
const HoldToRecord = lazyPart(
  async () => (await import("./recorder/hold.tsx")).HoldToRecord,
  "over",
  "rare",
);

const NARROW = `(max-width: ${limits.drawerOverlayBelowPx - 1}px)`;
const IME_KEY_CODE = 229;

type BoxProps = Pick<Props, "disabledReason" | "mustFocus"> & {
  ticketId: number;
  customerName: string;
  userId: number;
  userName: string;
  onSendLater: ((text: string) => void) | null;
  onTemplate: (() => void) | null;
};

/** The rounded box: replied message, files, text and tools. */
const ComposerBox = memo(function ComposerBox(props: BoxProps): ReactNode {
  const { ticketId, customerName, userId, userName, disabledReason, mustFocus } = props;
  const { onSendLater, onTemplate } = props;
  const { t } = useTranslation();
  const isNarrow = useMediaQuery(NARROW) ?? false;
  const hasTouch = useMediaQuery("(pointer: coarse)");
  const ids = { reason: useId(), suggestions: useId() };
  const isDisabled = disabledReason !== null;
  const [isRecording, setIsRecording] = useState(false);
  const composer = useComposer({ ticketId, userId, userName, isDisabled, isRecording });
  const { fieldRef, text, target, tray, isEditing, canSend } = composer;
  const formRef = useRef<HTMLFormElement>(null);
  const suggestionsRef = useRef<SuggestionsHandle>(null);
  const suggestions = useSuggestions(composer.slash);
  const noteTab = useNoteTab(ticketId);
  const isNote = noteTab !== null;
  const mayAttach = !isDisabled && !isEditing && !isNote;
  const dropZone = useFileDrop(formRef, mayAttach ? addFiles : null);

  useAutosize(fieldRef, limits.composerRowsMax);
  useEffect(() => {
    if (mustFocus) fieldRef.current?.focus({ preventScroll: true });
  }, [fieldRef, mustFocus]);
  useNoteKey(ticketId);
  // A message to reply to or to edit is chosen: it belongs to the reply.
  useEffect(() => {
    if (target !== null) showNoteTab(ticketId, null);
  }, [target, ticketId]);
  const wasNote = useRef(isNote);
  useEffect(() => {
    if (wasNote.current && !isNote) fieldRef.current?.focus({ preventScroll: true });
    wasNote.current = isNote;
  }, [fieldRef, isNote]);

  const focusField = (): void => fieldRef.current?.focus({ preventScroll: true });

  function addFiles(files: readonly File[]): void {
    composer.addFiles(files);
    focusField();
  }

  function onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>): void {
    // While an input method composes, Enter accepts its suggestion; some browsers report that only by the key code.
    if (event.nativeEvent.isComposing || event.keyCode === IME_KEY_CODE) return;
    const isPlain = !event.shiftKey && !event.altKey && !event.ctrlKey && !event.metaKey;
    if (isPlain && suggestionsRef.current?.takeKey(event.key)) {
      event.preventDefault();
      event.stopPropagation();
      return;
    }
    if (event.key === "Enter" && !event.shiftKey && !event.altKey) {
      event.preventDefault();
      composer.send();
    } else if (event.key === "ArrowUp" && isPlain && composer.editLast()) {
      event.preventDefault();
    }
  }

  /** Escape leaves the innermost state of the box; menus and popovers handle their own. */
  function onEscape(event: KeyboardEvent<HTMLFormElement>): void {
    const isOurs = event.target instanceof Node && event.currentTarget.contains(event.target);
    if (event.key !== "Escape" || !isOurs || event.nativeEvent.isComposing) return;
    if (!isRecording && target === null) return;
    event.preventDefault();
    event.stopPropagation();
    if (isRecording) stopRecording();
    else composer.leaveTarget();
  }

  function onPaste(event: ClipboardEvent): void {
    const files = pastedFiles(event.clipboardData);
    if (files.length === 0 || !mayAttach) return;
    event.preventDefault();
    addFiles(files);
  }

  function onSubmit(event: FormEvent): void {
    event.preventDefault();
    composer.send();
    focusField();
  }

  function startRecording(): void {
    setIsRecording(true);
    tellWriting(ticketId, "recording");
  }

  function stopRecording(): void {
    setIsRecording(false);
    tellWriting(ticketId, "viewing");
    focusField();
  }

  function onRecorded(file: File | null): void {
    stopRecording();
    if (file === null) notifyInfo(t("composer.recordShort"));
    else composer.sendVoice(file);
  }

  const pickSuggestion = (option: QuickMessage): void => {
    if (composer.slash) void composer.pickQuickMessage(option, composer.slash);
  };

  const replyBox = (
    <form
      ref={formRef}
      className={classes["composer"]}
      hidden={isNote}
      data-disabled={isDisabled || undefined}
      onSubmit={onSubmit}
      onKeyDown={onEscape}
    >
      <DraftFollower ticketId={ticketId} keeper={composer.keeper} />
      <MeanwhileAnswered ticketId={ticketId} watch={composer.watch} onSend={composer.sendAnyway} />
      <Suspense fallback={null}>
        {suggestions.term === null || isDisabled ? null : (
          <Suggestions
            ref={suggestionsRef}
            id={ids.suggestions}
            term={suggestions.term}
            contactName={customerName}
            onPick={pickSuggestion}
            onClose={suggestions.dismiss}
            onActive={suggestions.setActiveId}
          />
        )}
        {dropZone === null ? null : <DropOverlay zone={dropZone} />}
        {(tray.files.length === 0 && tray.refused.length === 0) || isEditing ? null : (
          <Tray ticketId={ticketId} tray={tray} onSend={composer.send} onEmptied={focusField} />
        )}
      </Suspense>
      <ComposerTabs
        isNote={false}
        onChoose={(note) => showNoteTab(ticketId, note ? { edited: null } : null)}
      >
        <AfterShown>
          <AiHelp
            ticketId={ticketId}
            fieldRef={fieldRef}
            text={text}
            insert={composer.insert}
            isEditing={isEditing}
            isDisabled={isDisabled}
          />
          {hasTouch ? (
            <HoldToRecord
              formRef={formRef}
              selector={`.${classes["mic"]}`}
              onStart={startRecording}
            />
          ) : null}
        </AfterShown>
      </ComposerTabs>
      {target === null || isDisabled ? null : (
        <TargetBar target={target} customerName={customerName} onCancel={composer.leaveTarget} />
      )}
      <textarea
        ref={fieldRef}
        id="composer"
        className={classes["field"]}
        rows={1}
        value={text}
        maxLength={limits.messageBodyMax - sign(userName, "").length}
        disabled={isDisabled}
        placeholder={t("composer.placeholder")}
        aria-label={t("composer.field", { name: customerName })}
        aria-describedby={isDisabled ? ids.reason : undefined}
        aria-autocomplete="list"
        aria-haspopup="listbox"
        aria-controls={suggestions.activeId === null ? undefined : ids.suggestions}
        aria-activedescendant={suggestions.activeId ?? undefined}
        onChange={(event) => composer.change(event.currentTarget.value)}
        onSelect={composer.moveCaret}
        onKeyDown={onKeyDown}
        onPaste={onPaste}
        onFocus={suggestions.reset}
        onBlur={() => {
          suggestions.dismiss();
          composer.keeper.flush({ keepalive: false });
        }}
      />
      {isRecording && !isDisabled ? (
        <Suspense fallback={<div className={classes["waiting"]} />}>
          <RecordingBar onDone={onRecorded} onCancel={stopRecording} />
        </Suspense>
      ) : (
        <div className={classes["tools"]}>
          {isDisabled ? (
            <>
              <p id={ids.reason} className={classes["reason"]}>
                <IconLock size={15} stroke={1.7} aria-hidden="true" />
                {disabledReason}
              </p>
              {onTemplate === null ? null : (
                <button type="button" className={classes["instead"]} onClick={onTemplate}>
                  {t("templates.open")}
                </button>
              )}
            </>
          ) : (
            <ComposerTools
              isNarrow={isNarrow}
              onInsert={composer.insert}
              onQuickMessage={(option) => void composer.pickQuickMessage(option)}
              onFiles={mayAttach ? addFiles : null}
            />
          )}
          <SignSwitch
            isOn={composer.isSigned}
            disabled={isDisabled || isEditing}
            onChange={composer.chooseSigning}
          />
          <IconButton
            icon={IconMicrophone}
            className={classes["mic"]}
            label={t("composer.record")}
            disabled={!mayAttach}
            onClick={startRecording}
          />
          <OnDemand
            part={SendMenu}
            standIn={
              <SendMenuTarget disabled={isDisabled} aria-haspopup="menu" aria-expanded={false} />
            }
          >
            <SendMenu
              target={<SendMenuTarget disabled={isDisabled} />}
              isUndoOn={composer.isUndoOn}
              onUndoChange={composer.chooseUndo}
              onSendLater={onSendLater === null ? null : () => onSendLater(text.trim())}
              onTemplate={onTemplate}
              onVariable={isNarrow ? composer.insert : null}
            />
          </OnDemand>
          <IconButton
            type="submit"
            variant="filled"
            className={classes["send"]}
            icon={IconSend2}
            label={isEditing ? t("composer.save") : t("composer.send")}
            shortcut="Enter"
            disabled={!canSend}
          />
        </div>
      )}
    </form>
  );
  return (
    <>
      {replyBox}
      {noteTab === null ? null : (
        <Suspense fallback={<div className={classes["noteRoom"]} />}>
          <NoteComposer
            key={noteTab.edited?.id ?? "new"}
            ticketId={ticketId}
            userId={userId}
            edited={noteTab.edited}
          />
        </Suspense>
      )}
    </>
  );
});

/** Alt N changes the tab, except while a dialog is open. */
function useNoteKey(ticketId: number): void {
  useEffect(() => {
    const onKeyDown = (event: globalThis.KeyboardEvent): void => {
      const { code, altKey, ctrlKey, metaKey, shiftKey } = event;
      if (code !== "KeyN" || !altKey || ctrlKey || metaKey || shiftKey) return;
      if (document.querySelector('[role="dialog"][aria-modal="true"]')) return;
      event.preventDefault();
      toggleNoteTab(ticketId);
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, [ticketId]);
}
