import { limits } from "@balcao/contract/limits";
import { Menu } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { call } from "../../../api/client.ts";
import type { Icon } from "@tabler/icons-react";
import { IconChevronDown, IconSearch, IconTag, IconUser, IconX } from "@tabler/icons-react";
import type { KeyboardEvent, ReactNode } from "react";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "../../../i18n/index.ts";
import { useCompanyEvent } from "../../../realtime/index.ts";
import { IconButton } from "../../../ui/index.ts";
import { matches } from "../../../ui/matches.ts";
import { tagList } from "../../tags/index.ts";
import type { SearchWish } from "../list/ticket-view.ts";
import classes from "./search-panel.module.css";

/** The id of the search box. */
export const SEARCH_BOX_ID = "ticket-search";

/** User names change rarely, so they are cached for this long. */
const USERS_FRESH_MS = 60_000;
/** The server's limit. */
const TEXT_MAX = 200;

type Props = {
  wish: SearchWish;
  onWish: (wish: SearchWish) => void;
  /** Only admins can filter by users. */
  maySeeUsers: boolean;
  /** The arrow down moves the focus into the results. */
  onLeaveDown: () => void;
};

/** The search by words, tags and, for admins, users. Words are sent after a pause in typing. */
export function SearchPanel({ wish, onWish, maySeeUsers, onLeaveDown }: Props): ReactNode {
  const { t } = useTranslation();
  const boxRef = useRef<HTMLInputElement>(null);
  const { text, setText, askNow } = useTypedText(wish, onWish);
  const tags = useQuery(tagList.query).data;
  const users = useFilterUsers(maySeeUsers);

  // A deleted tag has no tickets and no longer appears in the filter, so it is removed.
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

/** The users for the filter of a search, by name. */
function useFilterUsers(enabled: boolean): readonly FilterOption[] | undefined {
  const { data } = useQuery({
    queryKey: ["tickets", "choices", "users"],
    queryFn: ({ signal }) => call("GET /users/list", { query: {} }, { signal }),
    select: (users) => users.toSorted((a, b) => a.name.localeCompare(b.name)),
    staleTime: USERS_FRESH_MS,
    enabled,
  });
  return data;
}

/** The text of the field; it becomes the search after a pause. Clearing the search clears the field. */
function useTypedText(wish: SearchWish, onWish: (wish: SearchWish) => void) {
  const [text, setTyped] = useState(wish.text);
  const [asked, setAsked] = useState(wish.text);
  if (asked !== wish.text) {
    setAsked(wish.text);
    if (searchText(text) !== wish.text) setTyped(wish.text);
  }
  const ask = (typed: string): void => {
    const next = searchText(typed);
    if (next !== wish.text) onWish({ ...wish, text: next });
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

export type FilterOption = Readonly<{ id: number; name: string; color?: string }>;

type FilterMenuProps = {
  label: string;
  icon: Icon;
  /** Undefined while unknown. */
  options: readonly FilterOption[] | undefined;
  chosen: readonly number[];
  onChoose: (ids: readonly number[]) => void;
};

/** From this number of options on, they can be searched by name. */
const SEARCHED_FROM = 9;
/** The largest number of options shown; a search finds the others. */
const SHOWN_MAX = 60;

/** Chooses any number of options; the button shows the count. */
function FilterMenu({ label, icon: Sign, options, chosen, onChoose }: FilterMenuProps): ReactNode {
  const { t } = useTranslation();
  const [name, setName] = useState("");
  const all = options ?? [];
  const found = all.filter((option) => matches(option.name, name)).slice(0, SHOWN_MAX);

  function toggle(id: number): void {
    onChoose(chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id]);
  }

  return (
    <Menu position="bottom-start" width={240} onClose={() => setName("")}>
      <Menu.Target>
        <button
          type="button"
          className={classes["chip"]}
          data-active={chosen.length > 0 || undefined}
        >
          <Sign size={15} stroke={1.7} aria-hidden="true" />
          {label}
          {chosen.length > 0 ? <span className={classes["count"]}>{chosen.length}</span> : null}
          <IconChevronDown size={13} stroke={1.9} aria-hidden="true" />
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        {all.length < SEARCHED_FROM ? null : (
          <Menu.Search
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            placeholder={t("tickets.search.findOption")}
            aria-label={t("tickets.search.findOption")}
          />
        )}
        <div className={classes["options"]}>
          {found.map((option) => (
            <Menu.CheckboxItem
              key={option.id}
              checked={chosen.includes(option.id)}
              onChange={() => toggle(option.id)}
            >
              <span className={classes["option"]}>
                {option.color === undefined ? null : (
                  <span className={classes["color"]} style={{ background: option.color }} />
                )}
                {option.name}
              </span>
            </Menu.CheckboxItem>
          ))}
        </div>
        {found.length === 0 ? (
          <p className={classes["none"]}>
            {options === undefined ? t("common.loading") : t("tickets.search.noOption")}
          </p>
        ) : null}
        {chosen.length > 0 ? (
          <>
            <Menu.Divider />
            <Menu.Item onClick={() => onChoose([])}>{t("tickets.search.dropFilter")}</Menu.Item>
          </>
        ) : null}
      </Menu.Dropdown>
    </Menu>
  );
}
