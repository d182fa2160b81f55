import type { QueryKey } from "@tanstack/react-query";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import type { Pages } from "./use-pages.ts";
import { pagingOf } from "./use-pages.ts";

type Options<Row extends { id: number }, Reply> = {
  /** The page after this id; null for the first one. */
  read: (before: number | null, signal: AbortSignal) => Promise<Reply & { hasMore: boolean }>;
  rowsOf: (reply: Reply) => readonly Row[];
  /** Reads again every so many ms while one page alone is shown. */
  everyMs?: number;
};

/** A list of the server, read page by page after the id of the last row known; `first` is the reply with the first page. */
export function useKeysetPages<Row extends { id: number }, Reply>(
  queryKey: QueryKey,
  { read, rowsOf, everyMs }: Options<Row, Reply>,
): Pages<Row> & { first: Reply | undefined; pageCount: number } {
  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => read(pageParam, signal),
    initialPageParam: null as number | null,
    getNextPageParam: (last) => (last.hasMore ? rowsOf(last).at(-1)?.id : undefined),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.pages.length === 1 && everyMs) || false,
  });
  const pages = query.data?.pages;
  const rows = pages?.flatMap((page) => rowsOf(page));
  return {
    rows,
    count: rows?.length ?? 0,
    ...pagingOf(query),
    first: pages?.[0],
    pageCount: pages?.length ?? 0,
  };
}
