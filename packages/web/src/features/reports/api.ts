import type { Measures, ReportRow, SheetFormat } from "@balcao/contract";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { call } from "../../api/client.ts";
import { saveFile } from "../../api/download.ts";
import type { Pages } from "../../api/use-pages.ts";
import { pagingOf } from "../../api/use-pages.ts";
import { currentLanguage } from "../../i18n/index.ts";
import type { ReportFilter } from "./figure-filter.ts";
import { wireFilter } from "./figure-filter.ts";

/** The attendances of a report, page by page, and the figures of all of them; null until they are known. */
export function useReport(
  filter: ReportFilter,
  words: string,
): { pages: Pages<ReportRow>; sums: Measures | null } {
  const query = useInfiniteQuery({
    queryKey: ["reports", filter, words],
    queryFn: ({ pageParam, signal }) =>
      call(
        "GET /reports/attendances",
        { query: { ...wireFilter(filter), searchParam: words, after: pageParam } },
        { signal },
      ),
    initialPageParam: undefined as string | undefined, // widens the type: the first page has none
    getNextPageParam: ({ next }) => next ?? undefined,
    placeholderData: keepPreviousData,
    staleTime: 0,
    // No event tells of it, and pages further down would be read again with it.
    meta: { live: false },
  });
  const sums = query.data?.pages[0]?.sums ?? null;
  const pages: Pages<ReportRow> = {
    rows: query.data?.pages.flatMap(({ attendances }) => attendances),
    count: sums?.attendances ?? 0,
    ...pagingOf(query),
  };
  return { pages, sums };
}

/** Saves everything that the report finds as a spreadsheet. */
export async function saveReport(
  filter: ReportFilter,
  words: string,
  format: SheetFormat,
): Promise<void> {
  const query = { ...wireFilter(filter), searchParam: words, format, language: currentLanguage() };
  await saveFile("GET /reports/export", { query });
}
