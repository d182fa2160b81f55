import type { InputOf, SentFile } from "@balcao/contract";
import type { UserCtx } from "../../platform/context.ts";
import type { SheetCell, SheetPages } from "../../platform/spreadsheets/write.ts";
import { writeSheet } from "../../platform/spreadsheets/write.ts";
import type { FiguresDeps } from "./figures.ts";
import { showFigures } from "./figures.ts";
import {
  dayText,
  filterLines,
  measureCells,
  measureLines,
  measureTitles,
  readFilterNames,
  sheetWords,
} from "./sheet.ts";

/** The dashboard as it is shown, as a spreadsheet: its tables one below the other, the filter before them. */
export async function exportFigures(
  deps: FiguresDeps,
  ctx: UserCtx,
  { format, language, ...filter }: InputOf<"GET /dashboard/export">["query"],
): Promise<SentFile> {
  const figures = await showFigures(deps, ctx, filter);
  const names = await readFilterNames(deps.db, ctx, filter);
  const words = sheetWords[language];
  const { period, before, measures, users, queues, series, heatMap } = figures;
  const named = (row: { id: number | null; name: string; isRemoved: boolean }): string => {
    if (row.id === null) return words.none;
    return row.isRemoved ? `${row.name} ${words.removed}` : row.name;
  };
  const titles = measureTitles(words);
  const sets = before.measures === null ? [measures] : [measures, before.measures];
  const compared = `${words.before}: ${dayText(before.from)} ${words.to} ${dayText(before.to)}`;
  const hours = Array.from({ length: 24 }, (_, hour) => hour);

  const lines: SheetCell[][] = [
    ...filterLines(words, words.title.dashboard, period, names),
    [],
    [words.sections.figures, words.thisPeriod, ...(before.measures === null ? [] : [compared])],
    ...measureLines(words, sets),
    [],
    [words.sections.users, words.openNow, ...titles],
    ...users.map((row) => [named(row), row.openNow, ...measureCells(row)]),
    [],
    [words.sections.queues, ...titles],
    ...queues.map((row) => [named(row), ...measureCells(row)]),
    [],
    [
      `${words.sections.time}: ${words.time[period.unit]}`,
      ...[words.figures.attendances, words.figures.resolved],
    ],
    ...series.map(({ from, hour, attendances, resolved }) => [
      hour === null ? dayText(from) : `${dayText(from)} ${hour} h`,
      ...[attendances, resolved],
    ]),
    [],
    [words.sections.heat, ...hours.map((hour) => `${hour} h`)],
    ...heatMap.map((cells, weekday) => [words.weekdays[weekday] ?? "", ...cells]),
  ];
  const pages = async function* (): SheetPages {
    yield lines;
  };
  return writeSheet(words.file.dashboard, format, pages(), { titled: false });
}
