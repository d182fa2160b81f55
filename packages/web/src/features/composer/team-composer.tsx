import { limits } from "@balcao/contract/limits";
import { useDebouncedValue } from "@mantine/hooks";
import {
  IconAt,
  IconMicrophone,
  IconMoodSmile,
  IconPaperclip,
  IconSend2,
  IconTicket,
} from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { ClipboardEvent, FormEvent, KeyboardEvent, ReactNode } from "react";
import { Suspense, useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from "react";
import { call } from "../../api/client.ts";
import { useTranslation } from "../../i18n/index.ts";
import { epochMs } from "../../ui/clock.ts";
import { AppAvatar, IconButton, notifyError, notifyInfo } from "../../ui/index.ts";
import { plain } from "../../ui/matches.ts";
import {
  aimComposer,
  editMessage,
  lastEditableMessage,
  sendFiles,
  sendText,
  useComposerTarget,
} from "../messages/index.ts";
import { ToolPopover } from "./composer-menus.tsx";
import { LazyEmojiPicker, TargetBar } from "./composer-tools.tsx";
import classes from "./composer.module.css";
import { OptionList, optionId, useActiveOption } from "./option-list.tsx";
import { RecordingBar } from "./recorder/recording-bar.tsx";
import teamClasses from "./team-composer.module.css";
import { addToTray, kindOf, takeTray, useTray } from "./tray-store.ts";
import { DropOverlay, Tray } from "./tray.tsx";
import { insertText, pastedFiles, useAutosize, useFileDrop } from "./use-composer-text.ts";

type Person = { id: number; name: string };

type Props = {
  /** The chat's id in the stores of conversations. */
  conversationId: number;
  title: string;
  placeholder: string;
  userId: number;
  /** Who can be mentioned. */
  people: readonly Person[];
};

/** An `@` at the start or after white space, and what follows it up to the caret. */
const MENTION = /(?:^|\s)@([^\s@]*)$/;
const OFFERED_MAX = 50;

/** The composer of a chat of the team: as that of a ticket, without signature, quick replies and notes. Mount it per chat. */
export function TeamComposer(props: Props): ReactNode {
  const { conversationId: id, title, placeholder, userId, people } = props;
  const { t } = useTranslation();
  const listId = useId();
  const formRef = useRef<HTMLFormElement>(null);
  const fieldRef = useRef<HTMLTextAreaElement>(null);
  const filesRef = useRef<HTMLInputElement>(null);
  const caretRef = useRef<number | null>(null);
  const key = `balcao.chat.${userId}.${id}`;
  const [text, setText] = useState(() => readDraft(key));
  const [term, setTerm] = useState<string | null>(null);
  const [dismissed, setDismissed] = useState<string | null>(null);
  const [isRecording, setRecording] = useState(false);
  const target = useComposerTarget(id);
  const editing = target?.kind === "edit" ? target.message : null;
  const tray = useTray(id);
  const isOpen = term !== null && term !== dismissed;
  const options = useMemo(
    () =>
      isOpen
        ? people.filter(({ name }) => plain(name).includes(plain(term ?? ""))).slice(0, OFFERED_MAX)
        : [],
    [isOpen, people, term],
  );
  const marked = useActiveOption(options, options.length);
  const active = options[marked.index];
  const mayAttach = editing === null;
  const dropZone = useFileDrop(formRef, mayAttach ? addFiles : null);
  const canSend = text.trim() !== "" || (mayAttach && tray.files.length > 0);

  useAutosize(fieldRef, limits.composerRowsMax);
  const focusField = (): void => fieldRef.current?.focus({ preventScroll: true });
  useEffect(() => fieldRef.current?.focus({ preventScroll: true }), []);
  useLayoutEffect(() => {
    const field = fieldRef.current;
    if (caretRef.current === null || !field) return;
    field.focus({ preventScroll: true });
    field.setSelectionRange(caretRef.current, caretRef.current);
    caretRef.current = null;
  });
  // An edited message's text takes the place of the draft, which comes back afterwards.
  const editedId = editing?.id ?? null;
  const [shownId, setShownId] = useState(editedId);
  if (shownId !== editedId) {
    setShownId(editedId);
    setText(editing?.body ?? readDraft(key));
  }
  useEffect(() => {
    if (target !== null) fieldRef.current?.focus({ preventScroll: true });
  }, [target]);
  // The target of a chat that is left is no longer aimed at.
  useEffect(() => () => aimComposer(id, null), [id]);

  const caret = (): number => fieldRef.current?.selectionStart ?? text.length;
  const look = (all: string, at: number): void =>
    setTerm(MENTION.exec(all.slice(0, at))?.[1] ?? null);

  function write(next: string): void {
    setText(next);
    if (editing === null) keepDraft(key, next);
  }

  function put(inserted: string, from = caret()): void {
    const next = insertText({ text, start: from, end: caret() }, inserted);
    write(next.text);
    look(next.text, next.start);
    caretRef.current = next.start;
  }

  function pick({ name }: Person): void {
    put(`@${name} `, caret() - (term ?? "").length - 1);
    setDismissed(null);
  }

  function addFiles(files: readonly File[]): void {
    addToTray(id, files);
    focusField();
  }

  function send(): void {
    const body = text.trim();
    if (!canSend) return;
    if (editing !== null) {
      editMessage(editing, body)
        .then(() => aimComposer(id, null))
        .catch(notifyError);
      return;
    }
    const quotedMsg = target?.message ?? null;
    const files = takeTray(id);
    // The text is the caption of a single file without one.
    const [only] = files;
    const isCaption = files.length === 1 && only?.caption === "" && body !== "";
    if (body !== "" && !isCaption) sendText(id, body, { quotedMsg });
    const ready = isCaption && only ? [{ ...only, caption: body }] : files;
    sendFiles(id, ready, { quotedMsg: body === "" || isCaption ? quotedMsg : null });
    write("");
    setTerm(null);
    aimComposer(id, null);
  }

  function takeListKey(pressed: string): boolean {
    if (active === undefined) return false;
    if (pressed === "Enter" || pressed === "Tab") pick(active);
    else if (pressed === "Escape") setDismissed(term);
    else return marked.takeKey(pressed);
    return true;
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (event.nativeEvent.isComposing) return;
    const isPlain = !event.shiftKey && !event.altKey && !event.ctrlKey && !event.metaKey;
    if (isPlain && takeListKey(event.key)) {
      event.preventDefault();
      event.stopPropagation();
    } else if (event.key === "Enter" && !event.shiftKey && !event.altKey) {
      event.preventDefault();
      send();
    } else if (event.key === "ArrowUp" && isPlain && text === "" && editing === null) {
      const message = lastEditableMessage(id, epochMs());
      if (message === null) return;
      event.preventDefault();
      aimComposer(id, { kind: "edit", message });
    } else if (event.key === "Escape" && target !== null) {
      event.preventDefault();
      event.stopPropagation();
      aimComposer(id, null);
    }
  }

  function onPaste(event: ClipboardEvent): void {
    const files = pastedFiles(event.clipboardData);
    if (files.length === 0 || !mayAttach) return;
    event.preventDefault();
    addFiles(files);
  }

  function onRecorded(file: File | null): void {
    setRecording(false);
    focusField();
    if (file === null) notifyInfo(t("composer.recordShort"));
    else sendFiles(id, [{ file, kind: kindOf(file), caption: "", previewUrl: null }], {});
  }

  return (
    <form
      ref={formRef}
      className={classes["composer"]}
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        send();
        focusField();
      }}
    >
      {dropZone === null ? null : <DropOverlay zone={dropZone} />}
      {options.length === 0 ? null : (
        <div className={teamClasses["box"]}>
          <OptionList
            id={listId}
            label={t("chats.mention")}
            options={options}
            keyOf={({ id: personId }) => personId}
            activeIndex={marked.index}
            renderOption={(person) => (
              <>
                <AppAvatar name={person.name} id={person.id} size={22} />
                <span className="bc-ellipsis">{person.name}</span>
              </>
            )}
            onPick={pick}
            onPoint={marked.point}
          />
        </div>
      )}
      {tray.files.length === 0 && tray.refused.length === 0 ? null : (
        <Tray ticketId={id} tray={tray} onSend={send} onEmptied={focusField} />
      )}
      {target === null ? null : (
        <TargetBar target={target} customerName={title} onCancel={() => aimComposer(id, null)} />
      )}
      <textarea
        ref={fieldRef}
        id="composer"
        className={classes["field"]}
        rows={1}
        value={text}
        maxLength={limits.messageBodyMax}
        placeholder={placeholder}
        aria-label={placeholder}
        aria-autocomplete="list"
        aria-haspopup="listbox"
        aria-controls={active === undefined ? undefined : listId}
        aria-activedescendant={active === undefined ? undefined : optionId(listId, active.id)}
        onChange={(event) => {
          const next = event.currentTarget.value;
          write(next);
          setDismissed(null);
          look(next, event.currentTarget.selectionStart);
        }}
        onSelect={() => look(text, caret())}
        onKeyDown={onKeyDown}
        onPaste={onPaste}
        onBlur={() => setDismissed(term)}
      />
      {isRecording ? (
        <Suspense fallback={<div className={classes["waiting"]} />}>
          <RecordingBar
            onDone={onRecorded}
            onCancel={() => {
              setRecording(false);
              focusField();
            }}
          />
        </Suspense>
      ) : (
        <div className={classes["tools"]}>
          <div className={classes["inserts"]} role="group" aria-label={t("composer.tools")}>
            <ToolPopover label={t("composer.emoji")} icon={IconMoodSmile}>
              {(close) => (
                <LazyEmojiPicker
                  onPick={(emoji) => {
                    close();
                    put(emoji);
                  }}
                />
              )}
            </ToolPopover>
            <IconButton
              icon={IconPaperclip}
              label={t("composer.attach")}
              disabled={!mayAttach}
              onClick={() => filesRef.current?.click()}
            />
            <input
              ref={filesRef}
              type="file"
              multiple
              hidden
              tabIndex={-1}
              aria-hidden="true"
              onChange={(event) => {
                addFiles([...(event.currentTarget.files ?? [])]);
                // The same file may be chosen again after it was removed.
                event.currentTarget.value = "";
              }}
            />
            <IconButton
              icon={IconAt}
              label={t("chats.mention")}
              onClick={() => {
                setDismissed(null);
                put(text === "" || /\s$/.test(text) ? "@" : " @");
              }}
            />
            <ToolPopover label={t("chats.linkTicket")} icon={IconTicket}>
              {(close) => (
                <TicketChoice
                  onPick={(uuid) => {
                    close();
                    const link = `${window.location.origin}/tickets/${uuid} `;
                    put(text === "" || /\s$/.test(text) ? link : ` ${link}`);
                  }}
                />
              )}
            </ToolPopover>
          </div>
          <span className={teamClasses["gap"]} />
          <IconButton
            icon={IconMicrophone}
            label={t("composer.record")}
            disabled={!mayAttach}
            onClick={() => setRecording(true)}
          />
          <IconButton
            type="submit"
            variant="filled"
            className={classes["send"]}
            icon={IconSend2}
            label={editing === null ? t("composer.send") : t("composer.save")}
            shortcut="Enter"
            disabled={!canSend}
          />
        </div>
      )}
    </form>
  );
}

const CHOICES = 8;

/** Tickets that the user sees, by the customer's name. */
function TicketChoice({ onPick }: { onPick: (uuid: string) => void }): ReactNode {
  const { t } = useTranslation();
  const [typed, setTyped] = useState("");
  const [words] = useDebouncedValue(typed.trim().toLowerCase(), limits.searchDebounceMs);
  const { data } = useQuery({
    queryKey: ["chats", "choices", words],
    queryFn: ({ signal }) =>
      call("GET /tickets", { query: { searchParam: words, pageNumber: "1" } }, { signal }),
    staleTime: 0,
    gcTime: 0,
  });
  const found = data?.tickets.slice(0, CHOICES);
  return (
    <div className={teamClasses["choice"]}>
      <input
        type="search"
        className={teamClasses["find"]}
        data-autofocus
        value={typed}
        placeholder={t("chats.findTicket")}
        aria-label={t("chats.findTicket")}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      {found?.length === 0 ? <p className="bc-meta">{t("chats.noTicket")}</p> : null}
      {found?.map(({ id, uuid, contact }) => (
        <button key={id} type="button" className={teamClasses["row"]} onClick={() => onPick(uuid)}>
          <span className="bc-ellipsis">{contact.name}</span>
          <span className="bc-meta">{t("chats.ticketNumber", { id })}</span>
        </button>
      ))}
    </div>
  );
}

function readDraft(key: string): string {
  return localStorage.getItem(key) ?? "";
}

function keepDraft(key: string, text: string): void {
  try {
    if (text === "") localStorage.removeItem(key);
    else localStorage.setItem(key, text);
  } catch {
    // The storage is full: the text stays in the field.
  }
}
