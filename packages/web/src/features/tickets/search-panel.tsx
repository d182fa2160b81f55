import { limits } from "@balcao/contract/limits";
import { useDebouncedCallback } from "@mantine/hooks";
import { IconSearch, IconTag, IconUser, IconX } from "@tabler/icons-react";
import type { KeyboardEvent, ReactNode } from "react";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { useCompanyEvent } from "../../realtime/index.ts";
import { IconButton } from "../../ui/index.ts";
import { useAllTags } from "../tags/index.ts";
import { useFilterUsers } from "./choices.ts";
import { FilterMenu } from "./filter-menu.tsx";
import classes from "./search-panel.module.css";
import type { SearchWish } from "./ticket-view.ts";

/** What the search box is found by. */
export const SEARCH_BOX_ID = "ticket-search";

/** As much as the server takes. */
const TEXT_MAX = 200;

type Props = {
  wish: SearchWish;
  onWish: (wish: SearchWish) => void;
  /** Admins may look for the tickets of some users. */
  maySeeUsers: boolean;
  /** The arrow down leads into the results. */
  onLeaveDown: () => void;
};

/** What is searched for: words, tags and, for admins, users. Words are asked for after a pause in the typing. */
export function SearchPanel({ wish, onWish, maySeeUsers, onLeaveDown }: Props): ReactNode {
  const { t } = useTranslation();
  const boxRef = useRef<HTMLInputElement>(null);
  const { text, setText, askNow } = useTypedText(wish, onWish);
  const tags = useAllTags(true);
  const users = useFilterUsers({ enabled: maySeeUsers });

  // Nothing carries a deleted tag, and nobody could take it out of the filter.
  useCompanyEvent("tag", (event) => {
    if (event.action !== "delete" || !wish.tagIds.includes(event.tagId)) return;
    onWish({ ...wish, tagIds: wish.tagIds.filter((id) => id !== event.tagId) });
  });

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
      <div className={classes["filters"]}>
        <FilterMenu
          label={t("tickets.search.tags")}
          icon={IconTag}
          options={tags}
          chosen={wish.tagIds}
          onChoose={(tagIds) => onWish({ ...wish, tagIds })}
        />
        {maySeeUsers ? (
          <FilterMenu
            label={t("tickets.search.users")}
            icon={IconUser}
            options={users}
            chosen={wish.userIds}
            onChoose={(userIds) => onWish({ ...wish, userIds })}
          />
        ) : null}
      </div>
    </div>
  );
}

/** The text of the box, which becomes the wish after a pause; what clears the wish clears the box. */
function useTypedText(wish: SearchWish, onWish: (wish: SearchWish) => void) {
  const [text, setTyped] = useState(wish.text);
  const [asked, setAsked] = useState(wish.text);
  if (asked !== wish.text) {
    setAsked(wish.text);
    if (wordsOf(text) !== wish.text) setTyped(wish.text);
  }
  const ask = (typed: string): void => {
    const words = wordsOf(typed);
    if (words !== wish.text) onWish({ ...wish, text: words });
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

function wordsOf(typed: string): string {
  return typed.trim().toLowerCase();
}
