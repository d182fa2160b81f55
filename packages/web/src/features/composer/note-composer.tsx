import type { NoteMention, NoteReaders, TicketNote } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import { IconAt, IconMoodSmile, IconUsers } from "@tabler/icons-react";
import type { FormEvent, KeyboardEvent, ReactNode } from "react";
import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from "react";
import { useLanguage, useTranslation } from "../../i18n/index.ts";
import { localeTags } from "../../i18n/languages.ts";
import { Button } from "../../ui/button.tsx";
import { errorText, IconButton, notifySuccess } from "../../ui/index.ts";
import { plain } from "../../ui/matches.ts";
import { notePieces, saveNote, showNoteTab, useNoteReaders } from "../notes/index.ts";
import { ToolPopover } from "./composer-menus.tsx";
import { ComposerTabs, LazyEmojiPicker } from "./composer-tools.tsx";
import classes from "./composer.module.css";
import { OptionList, optionId, useActiveOption } from "./option-list.tsx";
import noteClasses from "./note-composer.module.css";
import { insertText, useAutosize } from "./use-composer-text.ts";

type Props = {
  ticketId: number;
  userId: number;
  /** The note that is edited; null for a new one. Mount it per note. */
  edited: TicketNote | null;
};

/** The composer's second tab: a note for the team, with mentions. The reply's draft stays as it is. */
export function NoteComposer({ ticketId, userId, edited }: Props): ReactNode {
  const { t } = useTranslation();
  const listId = useId();
  const note = useNoteText(userId, ticketId, edited);
  const { fieldRef, text, mentions } = note;
  const readers = useNoteReaders(ticketId, note.term !== null || mentions.length > 0).data;
  const [isSaving, setSaving] = useState(false);
  const [refusal, setRefusal] = useState<string | null>(null);
  const [dismissed, setDismissed] = useState<string | null>(null);
  const isOpen = note.term !== null && note.term !== dismissed;
  const options = useMemo(
    () => (isOpen && readers ? mentionable(readers, userId, note.term ?? "") : []),
    [isOpen, readers, userId, note.term],
  );
  const marked = useActiveOption(options, options.length);
  const active = options[marked.index];

  useAutosize(fieldRef, limits.composerRowsMax);
  useEffect(() => fieldRef.current?.focus({ preventScroll: true }), [fieldRef]);

  async function save(): Promise<void> {
    const body = text.trim();
    if (isSaving) return;
    if (body.length < limits.noteMin) {
      setRefusal(t("notes.short"));
      return;
    }
    setSaving(true);
    try {
      await saveNote(ticketId, edited, { note: body, mentions });
      note.clear();
      notifySuccess(t(edited === null ? "notes.added" : "notes.changed"));
      if (edited !== null) showNoteTab(ticketId, { edited: null });
    } catch (error) {
      setRefusal(errorText(t, error)); // the text stays in the field
    } finally {
      setSaving(false);
    }
  }

  function pick(option: Mentionable): void {
    note.mention(option);
    setDismissed(null);
  }

  function takeListKey(key: string): boolean {
    if (active === undefined) return false;
    if (key === "Enter" || key === "Tab") pick(active);
    else if (key === "Escape") setDismissed(note.term);
    else return marked.takeKey(key);
    return true;
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (event.nativeEvent.isComposing) return;
    const isPlain = !event.shiftKey && !event.altKey && !event.ctrlKey && !event.metaKey;
    if (isPlain && takeListKey(event.key)) {
      event.preventDefault();
      event.stopPropagation();
    } else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      void save();
    } else if (event.key === "Escape") {
      event.preventDefault();
      event.stopPropagation();
      showNoteTab(ticketId, edited === null ? null : { edited: null });
    }
  }

  function onSubmit(event: FormEvent): void {
    event.preventDefault();
    void save();
  }

  return (
    <form
      className={`${classes["composer"]} ${noteClasses["note"]}`}
      aria-label={t("composer.tabNote")}
      onSubmit={onSubmit}
    >
      {options.length === 0 ? null : (
        <div className={noteClasses["box"]}>
          <OptionList
            id={listId}
            label={t("notes.mention")}
            options={options}
            keyOf={keyOf}
            activeIndex={marked.index}
            renderOption={(option) => <MentionOption option={option} />}
            onPick={pick}
            onPoint={marked.point}
          />
        </div>
      )}
      <ComposerTabs isNote onChoose={() => showNoteTab(ticketId, null)} />
      <div className={noteClasses["text"]}>
        <Mirror text={text} mentions={mentions} scrolled={note.scrolledPx} />
        <textarea
          ref={fieldRef}
          className={classes["field"]}
          rows={2}
          value={text}
          maxLength={limits.noteMax}
          placeholder={t("notes.write")}
          aria-label={edited === null ? t("notes.label") : t("notes.editing")}
          aria-invalid={refusal !== null || undefined}
          aria-autocomplete="list"
          aria-haspopup="listbox"
          aria-controls={active === undefined ? undefined : listId}
          aria-activedescendant={active === undefined ? undefined : optionId(listId, keyOf(active))}
          onChange={(event) => {
            setRefusal(null);
            setDismissed(null);
            note.change(event.currentTarget.value);
          }}
          onSelect={note.moveCaret}
          onScroll={note.scroll}
          onKeyDown={onKeyDown}
          onBlur={() => setDismissed(note.term)}
        />
      </div>
      <div className={classes["tools"]}>
        <div className={classes["inserts"]} role="group" aria-label={t("composer.tools")}>
          <IconButton
            icon={IconAt}
            label={t("notes.mention")}
            onClick={() => {
              setDismissed(null);
              note.insert(text === "" || /\s$/.test(text) ? "@" : " @");
            }}
          />
          <ToolPopover label={t("composer.emoji")} icon={IconMoodSmile}>
            {(close) => (
              <LazyEmojiPicker
                onPick={(emoji) => {
                  close();
                  note.insert(emoji);
                }}
              />
            )}
          </ToolPopover>
        </div>
        <span className={noteClasses["told"]} role="status">
          {refusal === null ? (
            <Told mentions={mentions} readers={readers} userId={userId} />
          ) : (
            <span className={noteClasses["refusal"]}>{refusal}</span>
          )}
        </span>
        {edited === null ? null : (
          <Button
            variant="default"
            onClick={() => {
              note.clear();
              showNoteTab(ticketId, { edited: null });
            }}
          >
            {t("common.cancel")}
          </Button>
        )}
        <Button
          type="submit"
          className={noteClasses["save"] ?? ""}
          loading={isSaving}
          disabled={text.trim() === ""}
          title="Ctrl Enter"
          aria-keyshortcuts="Control+Enter Meta+Enter"
        >
          {t("notes.save")}
        </Button>
      </div>
    </form>
  );
}

/** Behind the transparent field: paints the mentions. Both have the same measures, so it has the field's text. */
function Mirror(props: {
  text: string;
  mentions: readonly NoteMention[];
  scrolled: number;
}): ReactNode {
  const { text, mentions, scrolled } = props;
  const ref = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (ref.current) ref.current.scrollTop = scrolled;
  });
  return (
    <div ref={ref} className={noteClasses["mirror"]} aria-hidden="true">
      {notePieces(text, mentions).map(({ text: piece, isMention }, at) =>
        // The pieces of a text have no other identity than their place.
        // oxlint-disable-next-line react/no-array-index-key
        isMention ? <mark key={at}>{piece}</mark> : <span key={at}>{piece}</span>,
      )}
    </div>
  );
}

type ToldProps = {
  mentions: readonly NoteMention[];
  readers: NoteReaders | undefined;
  userId: number;
};

/** Who gets a notice of the note, and who is named without access to the ticket. */
function Told({ mentions, readers, userId }: ToldProps): ReactNode {
  const { t } = useTranslation();
  const language = useLanguage();
  if (readers === undefined || mentions.length === 0) return null;
  const { told, deaf } = toldBy(mentions, readers, userId);
  const list = (names: readonly string[]): string => {
    const shown = names.length > NAMES_MAX ? names.slice(0, NAMES_MAX - 1) : names;
    const rest = names.length - shown.length;
    const items = rest === 0 ? shown : [...shown, t("notes.others", { count: rest })];
    return new Intl.ListFormat(localeTags[language]).format(items);
  };
  return (
    <>
      {told.length === 0 ? null : t("notes.told", { count: told.length, names: list(told) })}
      {deaf.length === 0 ? null : (
        <span className={noteClasses["deaf"]}>{t("notes.deaf", { names: list(deaf) })}</span>
      )}
    </>
  );
}

const NAMES_MAX = 3;

/** The first names of the people who get a notice, and of those who are named and may not see the ticket. */
export function toldBy(
  mentions: readonly NoteMention[],
  { users }: Pick<NoteReaders, "users">,
  userId: number,
): { told: string[]; deaf: string[] } {
  const isNamed = (kind: NoteMention["kind"], id: number): boolean =>
    mentions.some((mention) => mention.kind === kind && mention.id === id);
  const others = users.filter(({ id }) => id !== userId);
  const first = (name: string): string => name.split(" ", 1)[0] ?? name;
  const told = others.filter(
    ({ id, canRead, queueIds }) =>
      canRead && (isNamed("user", id) || queueIds.some((queueId) => isNamed("queue", queueId))),
  );
  const deaf = others.filter(({ id, canRead }) => !canRead && isNamed("user", id));
  return { told: told.map(({ name }) => first(name)), deaf: deaf.map(({ name }) => first(name)) };
}

type Mentionable = NoteMention & { hasAccess: boolean };

/** The most people and queues offered at once; a longer term finds the others. */
const OFFERED_MAX = 50;

/** The people and queues whose name has the term: those with access first, then queues, then all others. */
export function mentionable(
  { users, queues }: NoteReaders,
  userId: number,
  term: string,
): readonly Mentionable[] {
  const wanted = plain(term);
  const people = users
    .filter(({ id }) => id !== userId)
    .map(({ id, name, canRead }): Mentionable => {
      return { kind: "user", id, name, hasAccess: canRead };
    });
  const groups = queues.map(({ id, name }): Mentionable => {
    return { kind: "queue", id, name, hasAccess: true };
  });
  return [
    ...people.filter(({ hasAccess }) => hasAccess),
    ...groups,
    ...people.filter(({ hasAccess }) => !hasAccess),
  ]
    .filter(({ name }) => plain(name).includes(wanted))
    .slice(0, OFFERED_MAX);
}

const keyOf = ({ kind, id }: Mentionable): string => `${kind}-${id}`;

function MentionOption({ option }: { option: Mentionable }): ReactNode {
  const { t } = useTranslation();
  const Sign = option.kind === "queue" ? IconUsers : IconAt;
  return (
    <>
      <Sign size={17} stroke={1.7} aria-hidden="true" />
      <span className="bc-ellipsis">{option.name}</span>
      <span className={`bc-meta ${noteClasses["fact"]}`}>
        {option.kind === "queue" ? t("notes.queue") : null}
        {option.hasAccess ? null : t("notes.noAccess")}
      </span>
    </>
  );
}

/** An `@` at the start or after white space, and what follows it up to the caret. */
const MENTION = /(?:^|\s)@([^\s@]*)$/;

type NoteDraft = Readonly<{ text: string; picked: readonly NoteMention[] }>;

const emptyDraft: NoteDraft = { text: "", picked: [] };

/** The text of the note tab with its mentions. A new note is kept in this browser until it is saved. */
function useNoteText(userId: number, ticketId: number, edited: TicketNote | null) {
  const key = `balcao.note.${userId}.${ticketId}`;
  const fieldRef = useRef<HTMLTextAreaElement>(null);
  const caretRef = useRef<number | null>(null);
  const [draft, setDraft] = useState<NoteDraft>(() =>
    edited === null ? readNote(key) : { text: edited.note, picked: edited.mentions },
  );
  const [term, setTerm] = useState<string | null>(null);
  const [scrolledPx, setScrolledPx] = useState(0);
  const { text, picked } = draft;
  const mentions = useMemo(
    () => picked.filter(({ name }) => text.includes(`@${name}`)),
    [picked, text],
  );

  useLayoutEffect(() => {
    const field = fieldRef.current;
    if (caretRef.current === null || !field) return;
    field.focus({ preventScroll: true });
    field.setSelectionRange(caretRef.current, caretRef.current);
    caretRef.current = null;
  });

  function write(next: NoteDraft): void {
    setDraft(next);
    if (edited === null) keepNote(key, next);
  }
  const look = (all: string, caret: number): void =>
    setTerm(MENTION.exec(all.slice(0, caret))?.[1] ?? null);
  const caret = (): number => fieldRef.current?.selectionStart ?? text.length;

  function put(inserted: string, from: number, more: readonly NoteMention[] = []): void {
    const next = insertText({ text, start: from, end: caret() }, inserted);
    write({ text: next.text, picked: [...picked, ...more] });
    look(next.text, next.start);
    caretRef.current = next.start;
  }

  return {
    fieldRef,
    text,
    mentions,
    term,
    scrolledPx,
    change(next: string): void {
      write({ text: next, picked });
      look(next, caret());
    },
    moveCaret: (): void => look(text, caret()),
    scroll: (): void => setScrolledPx(fieldRef.current?.scrollTop ?? 0),
    /** Inserts a text at the caret. */
    insert: (inserted: string): void => put(inserted, caret()),
    /** Replaces the `@term` before the caret with a name. */
    mention({ kind, id, name }: NoteMention): void {
      put(`@${name} `, caret() - (term ?? "").length - 1, [{ kind, id, name }]);
    },
    clear(): void {
      setTerm(null);
      write(emptyDraft);
    },
  };
}

function readNote(key: string): NoteDraft {
  let value: unknown;
  try {
    value = JSON.parse(localStorage.getItem(key) ?? "null");
  } catch {
    return emptyDraft; // written by something else
  }
  if (typeof value !== "object" || value === null) return emptyDraft;
  const fields = new Map<string, unknown>(Object.entries(value));
  const [text, picked] = [fields.get("text"), fields.get("picked")];
  if (typeof text !== "string") return emptyDraft;
  return { text, picked: Array.isArray(picked) ? picked.filter(isMention) : [] };
}

function isMention(value: unknown): value is NoteMention {
  if (typeof value !== "object" || value === null) return false;
  const fields = new Map<string, unknown>(Object.entries(value));
  const kind = fields.get("kind");
  return (
    (kind === "user" || kind === "queue") &&
    typeof fields.get("id") === "number" &&
    typeof fields.get("name") === "string"
  );
}

function keepNote(key: string, draft: NoteDraft): void {
  try {
    if (draft.text === "") localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(draft));
  } catch {
    // The storage is full: the text stays in the field.
  }
}
