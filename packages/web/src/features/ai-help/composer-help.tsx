import type { HelpLanguage } from "@balcao/contract";
import { helpLanguages, rewriteKinds } from "@balcao/contract/prompt-choices";
import { limits } from "@balcao/contract/limits";
import { Menu } from "@mantine/core";
import type { Icon } from "@tabler/icons-react";
import {
  IconArrowBackUp,
  IconArrowsMinimize,
  IconLanguage,
  IconMessageReply,
  IconMoodSmile,
  IconSparkles,
  IconTextSpellcheck,
} from "@tabler/icons-react";
import type { ReactNode, RefObject } from "react";
import { useEffect, useEffectEvent, useMemo, useRef, useState } from "react";
import type { Language } from "../../i18n/index.ts";
import { formatNumber } from "../../i18n/format.ts";
import { useLanguage, useTranslation } from "../../i18n/index.ts";
import { useOfferCommands } from "../../ui/commands.ts";
import { IconButton } from "../../ui/index.ts";
import classes from "./ai-help.module.css";
import { ProposalStrip, UsedStrip } from "./proposal-strip.tsx";
import type { HelpWish } from "./use-proposal.ts";
import { useProposal } from "./use-proposal.ts";

export type ComposerHelpProps = {
  ticketId: number;
  fieldRef: RefObject<HTMLTextAreaElement | null>;
  text: string;
  /** Puts a text in the place of a range. */
  insert: (inserted: string, range: Range) => void;
  /** A sent message is being edited: it is put in other words, and no answer is suggested. */
  isEditing: boolean;
};

type Range = { start: number; end: number };
/** The part of the composer's text that a proposal is about. */
type Piece = Range & { text: string };

const icons = {
  shorter: IconArrowsMinimize,
  friendlier: IconMoodSmile,
  correct: IconTextSpellcheck,
} as const satisfies Record<(typeof rewriteKinds)[number], Icon>;

const KEYS = "Alt J";

/** The button of the AI service with its menu, and below it the proposal, which only a press puts into the text. */
export function ComposerHelp(props: ComposerHelpProps): ReactNode {
  const { ticketId, fieldRef, text, insert, isEditing } = props;
  const { asked, ask, again, close } = useProposal<Piece>(ticketId);
  const [used, setUsed] = useState<{ before: string; after: string } | null>(null);
  const [isOpen, setIsOpen] = useState(false);
  const [piece, setPiece] = useState<Piece>({ text: "", start: 0, end: 0 });
  const button = useRef<HTMLButtonElement>(null);
  const isUsed = used !== null && used.after === text;
  const isShown = asked !== null || isUsed;

  function open(): void {
    if (!isOpen) setPiece(pieceOf(fieldRef.current));
    setIsOpen(!isOpen);
  }

  function wish(wished: HelpWish, about: Piece): void {
    setUsed(null);
    ask(wished, about);
  }
  const suggest = (): void =>
    wish({ kind: "suggest", draft: text.slice(0, limits.aiTextMax) }, wholeOf(text));

  function leave(): void {
    close();
    setUsed(null);
    fieldRef.current?.focus({ preventScroll: true });
  }

  function write(range: Range, written: string, before: string): void {
    const field = fieldRef.current;
    if (field) replaceText(field, range, written, insert);
    close();
    setUsed({ before, after: before.slice(0, range.start) + written + before.slice(range.end) });
  }

  function undo(before: string): void {
    const field = fieldRef.current;
    if (field) replaceText(field, wholeOf(text), before, insert);
    setUsed(null);
  }

  useHelpKeys(fieldRef, { isShown, onToggle: open, onClose: leave });
  useHelpCommands({ onOpen: () => button.current?.click(), onSuggest: isEditing ? null : suggest });

  return (
    <>
      <HelpMenu
        buttonRef={button}
        isOpen={isOpen}
        piece={piece}
        isSelection={piece.text !== text.trim()}
        onChange={(next) => (next ? open() : setIsOpen(false))}
        onSuggest={isEditing ? null : suggest}
        onWish={(wished) => wish(wished, piece)}
      />
      {asked === null ? null : (
        <ProposalStrip
          asked={asked}
          mayInsertBelow={asked.wish.kind === "suggest" && text.trim() !== ""}
          onUse={(proposal) => write(placeOf(asked.wish, asked.about, text), proposal, text)}
          onInsertBelow={(proposal) => write(endOf(text), `\n${proposal}`, text)}
          onAgain={again}
          onClose={leave}
        />
      )}
      {asked === null && isUsed ? (
        <UsedStrip onUndo={() => undo(used.before)} onClose={leave} />
      ) : null}
    </>
  );
}

const wholeOf = (text: string): Piece => ({ text, start: 0, end: text.length });
const endOf = (text: string): Range => ({ start: text.length, end: text.length });

/** The selected words of the field's text, or all of them; blanks around them stay. */
function pieceOf(field: HTMLTextAreaElement | null): Piece {
  const { value = "", selectionStart = 0, selectionEnd = 0 } = field ?? {};
  const selected = value.slice(selectionStart, selectionEnd);
  const isSelected = selected.trim() !== "";
  const chosen = isSelected ? selected : value;
  const text = chosen.trim();
  const start = (isSelected ? selectionStart : 0) + chosen.length - chosen.trimStart().length;
  return { text, start, end: start + text.length };
}

/** Where a proposal goes: an answer in the draft's place; other words in that of theirs, or below where these have changed. */
function placeOf({ kind }: HelpWish, piece: Piece, text: string): Range {
  if (kind === "suggest") return wholeOf(text);
  if (text.slice(piece.start, piece.end) === piece.text) return piece;
  const start = text.indexOf(piece.text);
  return start === -1 ? endOf(text) : { start, end: start + piece.text.length };
}

/** Replaces a range as if it were typed, so that Ctrl Z brings the old text back; where a browser cannot, without that. */
function replaceText(
  field: HTMLTextAreaElement,
  { start, end }: Range,
  written: string,
  insert: ComposerHelpProps["insert"],
): void {
  field.focus({ preventScroll: true });
  field.setSelectionRange(start, end);
  const isTyped = written !== "" && document.execCommand?.("insertText", false, written);
  if (!isTyped) insert(written, { start, end });
}

type MenuProps = {
  buttonRef: RefObject<HTMLButtonElement | null>;
  isOpen: boolean;
  piece: Piece;
  isSelection: boolean;
  onChange: (isOpen: boolean) => void;
  /** Null: no answer can be suggested. */
  onSuggest: (() => void) | null;
  onWish: (wish: HelpWish) => void;
};

function HelpMenu(props: MenuProps): ReactNode {
  const { buttonRef, isOpen, piece, isSelection, onChange, onSuggest, onWish } = props;
  const { t } = useTranslation();
  const [isChoosing, setIsChoosing] = useState(false);
  const { text: written } = piece;
  const isTooLong = written.length > limits.aiTextMax;
  return (
    <Menu
      opened={isOpen}
      onChange={(next) => {
        setIsChoosing(false);
        onChange(next);
      }}
      position="top-end"
      width={264}
      shadow="md"
    >
      <Menu.Target>
        <IconButton
          ref={buttonRef}
          size="small"
          className={classes["button"]}
          icon={IconSparkles}
          label={t("aiHelp.title")}
          shortcut={KEYS}
          isActive={isOpen}
        />
      </Menu.Target>
      <Menu.Dropdown aria-label={t("aiHelp.title")} data-help="">
        {isChoosing ? (
          <Languages
            onBack={() => setIsChoosing(false)}
            onChoose={(language) => onWish({ kind: "translate", text: written, language })}
          />
        ) : (
          <>
            {onSuggest === null ? null : (
              <Menu.Item leftSection={<ItemIcon of={IconMessageReply} />} onClick={onSuggest}>
                {t("aiHelp.suggest")}
              </Menu.Item>
            )}
            {written === "" ? null : (
              <>
                <Menu.Label>
                  {isTooLong
                    ? t("aiHelp.tooLong", { max: formatNumber(limits.aiTextMax) })
                    : t(isSelection ? "aiHelp.selection" : "aiHelp.written")}
                </Menu.Label>
                {rewriteKinds.map((kind) => (
                  <Menu.Item
                    key={kind}
                    leftSection={<ItemIcon of={icons[kind]} />}
                    disabled={isTooLong}
                    onClick={() => onWish({ kind, text: written })}
                  >
                    {t(`aiHelp.${kind}`)}
                  </Menu.Item>
                ))}
                <Menu.Item
                  leftSection={<ItemIcon of={IconLanguage} />}
                  disabled={isTooLong}
                  closeMenuOnClick={false}
                  onClick={() => setIsChoosing(true)}
                >
                  {t("aiHelp.translateTo")}
                </Menu.Item>
              </>
            )}
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}

type LanguagesProps = {
  onBack: () => void;
  onChoose: (language: HelpLanguage | "customer") => void;
};

function Languages({ onBack, onChoose }: LanguagesProps): ReactNode {
  const { t } = useTranslation();
  const own = useLanguage();
  const first = useRef<HTMLButtonElement>(null);
  useEffect(() => first.current?.focus(), []);
  return (
    <>
      <Menu.Item ref={first} onClick={() => onChoose("customer")}>
        {t("aiHelp.customerLanguage")}
      </Menu.Item>
      {helpLanguages.map((language) => (
        <Menu.Item key={language} onClick={() => onChoose(language)}>
          {languageName(language, own)}
        </Menu.Item>
      ))}
      <Menu.Divider />
      <Menu.Item
        leftSection={<ItemIcon of={IconArrowBackUp} />}
        closeMenuOnClick={false}
        onClick={onBack}
      >
        {t("aiHelp.back")}
      </Menu.Item>
    </>
  );
}

/** "Espanhol". */
function languageName(language: HelpLanguage, shownIn: Language): string {
  const name = new Intl.DisplayNames([shownIn], { type: "language" }).of(language) ?? language;
  return name.slice(0, 1).toLocaleUpperCase(shownIn) + name.slice(1);
}

function ItemIcon({ of: Shown }: { of: Icon }): ReactNode {
  return <Shown size={17} stroke={1.7} aria-hidden="true" />;
}

type Keys = { isShown: boolean; onToggle: () => void; onClose: () => void };

/** Alt J opens the menu, except while a dialog is open or a note is written; Escape in the composer closes the proposal. */
function useHelpKeys(fieldRef: ComposerHelpProps["fieldRef"], keys: Keys): void {
  const { isShown } = keys;
  const onKey = useEffectEvent((event: globalThis.KeyboardEvent): void => {
    const { code, altKey, ctrlKey, metaKey, shiftKey } = event;
    if (code !== "KeyJ" || !altKey || ctrlKey || metaKey || shiftKey) return;
    if (fieldRef.current?.form?.hidden !== false) return;
    if (document.querySelector('[role="dialog"][aria-modal="true"]')) return;
    event.preventDefault();
    keys.onToggle();
  });
  useEffect(() => {
    const listener = (event: globalThis.KeyboardEvent): void => onKey(event);
    document.addEventListener("keydown", listener);
    return () => document.removeEventListener("keydown", listener);
  }, []);

  const onEscape = useEffectEvent((event: globalThis.KeyboardEvent): void => {
    if (event.key !== "Escape" || event.isComposing) return;
    // The quick replies at the caret close first.
    const isSuggesting = fieldRef.current?.hasAttribute("aria-activedescendant") ?? false;
    if (event.target === fieldRef.current && isSuggesting) return;
    event.preventDefault();
    event.stopPropagation();
    keys.onClose();
  });
  useEffect(() => {
    // Before the composer's own handler, which leaves the answered message.
    const form = fieldRef.current?.form;
    if (!form || !isShown) return undefined;
    const listener = (event: globalThis.KeyboardEvent): void => onEscape(event);
    form.addEventListener("keydown", listener);
    return () => form.removeEventListener("keydown", listener);
  }, [fieldRef, isShown]);
}

type Offered = { onOpen: () => void; onSuggest: (() => void) | null };

/** The help stands in the palette, too. */
function useHelpCommands(offered: Offered): void {
  const { t } = useTranslation();
  const newest = useRef(offered);
  useEffect(() => {
    newest.current = offered;
  });
  const maySuggest = offered.onSuggest !== null;
  const commands = useMemo(
    () => [
      {
        ...{ id: "ai-help", label: t("aiHelp.title"), icon: IconSparkles, keys: KEYS },
        run: () => newest.current.onOpen(),
      },
      ...(maySuggest
        ? [
            {
              ...{ id: "ai-suggest", label: t("aiHelp.suggestCommand"), icon: IconSparkles },
              run: () => newest.current.onSuggest?.(),
            },
          ]
        : []),
    ],
    [t, maySuggest],
  );
  useOfferCommands(commands);
}
