import { limits } from "@balcao/contract/limits";
import { useDebouncedCallback } from "@mantine/hooks";
import { IconSearch, IconX } from "@tabler/icons-react";
import type { KeyboardEvent, ReactNode } from "react";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "../../../i18n/index.ts";
import { IconButton } from "../../../ui/index.ts";
import classes from "./search-panel.module.css";

/** The id of the search box. */
export const SEARCH_BOX_ID = "ticket-search";

/** The server's limit. */
const TEXT_MAX = 200;

type Props = {
  words: string;
  onWords: (words: string) => void;
  /** The arrow down moves the focus into the results. */
  onLeaveDown: () => void;
};

/** The words of a search. They are sent after a pause in typing. */
export function SearchPanel({ words, onWords, onLeaveDown }: Props): ReactNode {
  const { t } = useTranslation();
  const boxRef = useRef<HTMLInputElement>(null);
  const { text, setText, askNow } = useTypedText(words, onWords);

  useEffect(() => boxRef.current?.focus({ preventScroll: true }), []);

  function clear(): void {
    askNow("");
    boxRef.current?.focus();
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "ArrowDown") onLeaveDown();
    else if (event.key === "Enter") askNow(text);
    else if (event.key === "Escape" && text !== "") clear();
    else return;
    event.preventDefault();
  }

  return (
    <div role="search" className={classes["panel"]}>
      <div className={classes["box"]}>
        <IconSearch className={classes["sign"]} size={17} stroke={1.7} aria-hidden="true" />
        <input
          ref={boxRef}
          id={SEARCH_BOX_ID}
          type="text"
          inputMode="search"
          enterKeyHint="search"
          className={classes["field"]}
          value={text}
          maxLength={TEXT_MAX}
          autoComplete="off"
          placeholder={t("tickets.search.placeholder")}
          aria-label={t("tickets.search.label")}
          onChange={(event) => setText(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        {text === "" ? null : (
          <IconButton
            size="small"
            label={t("common.clearSearch")}
            shortcut="Esc"
            icon={IconX}
            onClick={clear}
          />
        )}
      </div>
    </div>
  );
}

/** The text of the field; it becomes the search after a pause. Clearing the search clears the field. */
function useTypedText(words: string, onWords: (words: string) => void) {
  const [text, setTyped] = useState(words);
  const [asked, setAsked] = useState(words);
  if (asked !== words) {
    setAsked(words);
    if (searchText(text) !== words) setTyped(words);
  }
  const ask = (typed: string): void => {
    const next = searchText(typed);
    if (next !== words) onWords(next);
  };
  const askSoon = useDebouncedCallback(ask, limits.searchDebounceMs);
  return {
    text,
    setText(typed: string): void {
      setTyped(typed);
      askSoon(typed);
    },
    askNow(typed: string): void {
      askSoon.cancel();
      setTyped(typed);
      ask(typed);
    },
  };
}

function searchText(typed: string): string {
  return typed.trim().toLowerCase();
}
