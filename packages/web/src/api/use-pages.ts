import type { QueryKey } from "@tanstack/react-query";
import type { UseInfiniteQueryResult } from "@tanstack/react-query";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";

/** One page of a list call. */
export type Page<T> = { rows: readonly T[]; count: number; hasMore: boolean };

/** A list of the server read page by page; the first page at once, further ones by `loadMore`. */
export type Pages<T> = {
  /** Undefined until the first answer. */
  rows: readonly T[] | undefined;
  /** The rows belong to the previous key; the reply for this one is pending. */
  isPrevious: boolean;
  /** The number of rows on all pages. */
  count: number;
  hasMore: boolean;
  isLoadingMore: boolean;
  error: Error | null;
  loadMore(): void;
  retry(): void;
};

/**
 * Reads a list by page number. The old rows stay while another key loads. `identify` removes duplicates of rows that
 * moved to the next page.
 */
export function usePages<T>(
  queryKey: QueryKey,
  readPage: (pageNumber: string, signal: AbortSignal) => Promise<Page<T>>,
  identify: (row: T) => number | string,
  /** `staleTime: 0` refetches on every mount; `refetchInterval` refetches every so many ms while mounted. */
  options: { staleTime?: number; refetchInterval?: number; enabled?: boolean } = {},
): Pages<T> {
  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => readPage(String(pageParam), signal),
    initialPageParam: 1,
    getNextPageParam: (last: Page<T>, all) => (last.hasMore ? all.length + 1 : undefined),
    placeholderData: keepPreviousData,
    ...options,
  });
  const pages = query.data?.pages;
  const byId = new Map(pages?.flatMap(({ rows }) => rows.map((row) => [identify(row), row])));
  return {
    rows: pages ? [...byId.values()] : undefined,
    count: pages?.at(-1)?.count ?? 0,
    ...pagingOf(query),
  };
}

/** The part of `Pages` that does not depend on how a page is asked for. */
export function pagingOf(query: UseInfiniteQueryResult): Omit<Pages<unknown>, "rows" | "count"> {
  // Read while the list is drawn. Read only when more is wanted, its change would draw nothing, and a list that was drawn
  // during a fetch would never read on.
  const { hasNextPage, isFetching, fetchNextPage, refetch } = query;
  return {
    isPrevious: query.isPlaceholderData,
    hasMore: hasNextPage,
    isLoadingMore: query.isFetchingNextPage,
    error: query.error,
    loadMore: () => {
      if (hasNextPage && !isFetching) void fetchNextPage();
    },
    retry: () => void refetch(),
  };
}
