import type { SheetFormat } from "@balcao/contract";
import { keepPreviousData, queryOptions, useQuery } from "@tanstack/react-query";
import { call } from "../../api/client.ts";
import { saveFile } from "../../api/download.ts";
import { currentLanguage } from "../../i18n/index.ts";
import type { FiguresFilter } from "../reports/index.ts";
import { wireFilter } from "../reports/index.ts";

/** Figures of a period have no event: they are read again this often while the tab is visible. */
const READ_EVERY_MS = 60_000;

const period = { staleTime: 0, refetchInterval: READ_EVERY_MS, placeholderData: keepPreviousData };

/** All figures of a period. */
export function useFigures(filter: FiguresFilter) {
  return useQuery({
    queryKey: ["dashboard", "figures", filter],
    queryFn: ({ signal }) =>
      call("GET /dashboard/figures", { query: wireFilter(filter) }, { signal }),
    meta: { live: false },
    ...period,
  });
}

/** One of the charts, for dates of its own. */
export const chartQueries = {
  users: (filter: FiguresFilter) =>
    queryOptions({
      queryKey: ["dashboard", "by-user", filter],
      queryFn: ({ signal }) =>
        call("GET /dashboard/by-user", { query: wireFilter(filter) }, { signal }),
      meta: { live: false },
      ...period,
    }),
  time: (filter: FiguresFilter) =>
    queryOptions({
      queryKey: ["dashboard", "by-time", filter],
      queryFn: ({ signal }) =>
        call("GET /dashboard/by-time", { query: wireFilter(filter) }, { signal }),
      meta: { live: false },
      ...period,
    }),
};

/** Saves the figures of a period as a spreadsheet. */
export async function saveFigures(filter: FiguresFilter, format: SheetFormat): Promise<void> {
  const query = { ...wireFilter(filter), format, language: currentLanguage() };
  await saveFile("GET /dashboard/export", { query });
}
