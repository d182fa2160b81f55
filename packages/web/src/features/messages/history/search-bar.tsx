import { limits } from "@balcao/contract/limits";
import { useDebouncedValue } from "@mantine/hooks";
import { IconChevronDown, IconChevronUp, IconSearch, IconX } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import type { KeyboardEvent, ReactNode } from "react";
import { useEffect, useRef, useState } from "react";
import { call } from "../../../api/client.ts";
import { useTranslation } from "../../../i18n/index.ts";
import { ErrorWords, IconButton } from "../../../ui/index.ts";
import { plain } from "../../../ui/matches.ts";
import { openAt } from "./read-history.ts";
import { SEARCH_FIELD_ID, showSearch } from "./search-state.ts";
import { teamSource } from "./team-source.ts";
import classes from "./search-bar.module.css";

/** The search inside a conversation: the newest match is shown first; ↑ and Enter go to older ones, ↓ to newer ones. */
export function SearchBar({ ticketId }: { ticketId: number }): ReactNode {
  const { t } = useTranslation();
  const [typed, setTyped] = useState("");
  const [words] = useDebouncedValue(typed.trim(), limits.searchDebounceMs);
  const { matches, hasMore, readMore, isReading, error } = useMatches(ticketId, words);
  // Other words begin at their newest match.
  const [mark, setMark] = useState({ words, at: 0 });
  const at = mark.words === words ? mark.at : 0;
  const fieldRef = useRef<HTMLInputElement>(null);
  const isAsked = words.length >= limits.conversationSearchMin;
  const currentId = matches[at];
  useMarks(isAsked ? words : "");

  useEffect(() => fieldRef.current?.focus(), []);
  useEffect(() => {
    if (currentId !== undefined) openAt(ticketId, currentId);
  }, [ticketId, currentId]);
  // The next matches are read before they are needed.
  useEffect(() => {
    if (hasMore && at >= matches.length - 1) readMore();
  }, [hasMore, at, matches.length, readMore]);

  const close = (): void => {
    showSearch(ticketId, false);
    document.getElementById("messages")?.focus({ preventScroll: true });
  };
  const older = (): void => setMark({ words, at: Math.min(matches.length - 1, at + 1) });
  const newer = (): void => setMark({ words, at: Math.max(0, at - 1) });

  function onKeyDown(event: KeyboardEvent): void {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Escape") close();
    else if (event.key === "ArrowUp" || (event.key === "Enter" && !event.shiftKey)) older();
    else if (event.key === "ArrowDown" || event.key === "Enter") newer();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  return (
    <search className={classes["bar"]}>
      <IconSearch size={17} stroke={1.7} aria-hidden="true" />
      <input
        ref={fieldRef}
        id={SEARCH_FIELD_ID}
        className={classes["field"]}
        value={typed}
        maxLength={200}
        placeholder={t("messages.find.field")}
        aria-label={t("messages.find.field")}
        onChange={(event) => setTyped(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <span className={classes["count"]} role="status">
        {error === null ? stateText() : <ErrorWords error={error} />}
      </span>
      <IconButton
        icon={IconChevronUp}
        label={t("messages.find.older")}
        shortcut="↑"
        disabled={at >= matches.length - 1}
        onClick={older}
      />
      <IconButton
        icon={IconChevronDown}
        label={t("messages.find.newer")}
        shortcut="↓"
        disabled={at === 0}
        onClick={newer}
      />
      <IconButton icon={IconX} label={t("messages.find.close")} shortcut="Esc" onClick={close} />
    </search>
  );

  function stateText(): string {
    if (!isAsked) return "";
    if (matches.length > 0) {
      const total = hasMore ? `${matches.length}+` : String(matches.length);
      return t("messages.find.count", { at: at + 1, total });
    }
    return t(isReading || hasMore ? "messages.find.searching" : "messages.find.none");
  }
}

/** The ids of the messages with the words, newest first, in as many replies as were asked for. */
function useMatches(ticketId: number, words: string) {
  const { data, error, hasNextPage, isFetching, fetchNextPage } = useInfiniteQuery({
    queryKey: ["messages", "search", ticketId, words],
    queryFn: ({ pageParam, signal }) => {
      const team = teamSource(ticketId);
      if (team !== null) return team.search(ticketId, words, signal);
      const before = pageParam === null ? {} : { beforeId: pageParam };
      const query = { searchParam: words, ...before };
      return call("GET /messages/:ticketId/search", { params: { ticketId }, query }, { signal });
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextBeforeId,
    enabled: words.length >= limits.conversationSearchMin,
    // New messages arrive all the time.
    staleTime: 0,
    gcTime: 0,
  });
  const matches = data?.pages.flatMap((page) => page.matches.map(({ id }) => id)) ?? none;
  return {
    matches,
    error,
    hasMore: hasNextPage,
    isReading: isFetching,
    readMore: () => {
      if (!isFetching) void fetchNextPage();
    },
  };
}

const none: readonly string[] = [];

const MARK = "conversation-search";

/** Marks the words in the messages on the screen, also in those that scroll into view. Older browsers show no marks. */
function useMarks(words: string): void {
  useEffect(() => {
    const list = document.getElementById("messages");
    if (words === "" || list === null || !("highlights" in CSS)) return undefined;
    let frame = 0;
    const mark = (): void => {
      CSS.highlights.set(MARK, new Highlight(...rangesIn(list, words)));
    };
    const observer = new MutationObserver(() => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(mark);
    });
    mark();
    observer.observe(list, { childList: true, subtree: true, characterData: true });
    return () => {
      observer.disconnect();
      cancelAnimationFrame(frame);
      CSS.highlights.delete(MARK);
    };
  }, [words]);
}

function rangesIn(list: HTMLElement, words: string): Range[] {
  const ranges: Range[] = [];
  const texts = document.createTreeWalker(list, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
    if (node.parentElement?.closest("time, button")) continue;
    for (const [start, end] of placesOf(node.textContent ?? "", words)) {
      const range = new Range();
      range.setStart(node, start);
      range.setEnd(node, end);
      ranges.push(range);
    }
  }
  return ranges;
}

/** Where the words stand in a text, without regard to case and accents: pairs of start and end. */
export function placesOf(text: string, words: string): readonly (readonly [number, number])[] {
  const wanted = plain(words);
  let searched = "";
  /** The place in `text` of each character of `searched`. */
  const origins: number[] = [];
  let place = 0;
  for (const character of text) {
    const normal = plain(character);
    searched += normal;
    for (let index = 0; index < normal.length; index += 1) origins.push(place);
    place += character.length;
  }
  origins.push(text.length);
  const places: [number, number][] = [];
  if (wanted === "") return places;
  for (let at = searched.indexOf(wanted); at !== -1; at = searched.indexOf(wanted, at)) {
    const end = at + wanted.length;
    places.push([origins[at] ?? 0, origins[end] ?? text.length]);
    at = end;
  }
  return places;
}
