import type { InputOf, ReportFilter, ReportRow, SentFile } from "@balcao/contract";
import { limits } from "@balcao/contract";
import { parseISO } from "date-fns/parseISO";
import type { UserCtx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { SheetCell, SheetPages } from "../../platform/spreadsheets/write.ts";
import { writeSheet } from "../../platform/spreadsheets/write.ts";
import {
  filterLines,
  measureLines,
  readFilterNames,
  readPeriod,
  sheetWords,
  toMeasures,
} from "../dashboard/index.ts";
import type { ReportsDeps } from "./report.ts";
import { readRows, readWholeReport } from "./report.ts";

/** Attendances that are read at once. */
const PAGE = 1_000;

/**
 * A report as a spreadsheet, read page by page while the file is fetched. The ids are kept from the beginning, so its rows are
 * those of the sums in its first lines.
 */
export async function exportReport(
  { db, clock, sign }: ReportsDeps,
  ctx: UserCtx,
  { format, language, ...filter }: InputOf<"GET /reports/export">["query"],
): Promise<SentFile> {
  const period = await readPeriod(db, ctx, filter, clock.now());
  const { ids, ...sums } = await readWholeReport(db, ctx, filter, period);
  if (sums.n > limits.reportExportMax) {
    throw new DomainError("ERR_REPORT_TOO_LONG", { max: limits.reportExportMax });
  }
  const chosen = Int32Array.from(ids?.split(",") ?? [], Number);
  const words = sheetWords[language];
  const names = await readFilterNames(db, ctx, filter);
  const local = localTime(period.timeZone);

  const pages = async function* (): SheetPages {
    yield [
      ...filterLines(words, words.title.report, period, names),
      ...narrowedLines(words, filter),
      ...measureLines(words, [toMeasures(sums)]),
      [],
      words.report,
    ];
    for (let from = 0; from < chosen.length; from += PAGE) {
      const portion = [...chosen.subarray(from, from + PAGE)];
      const rows = await db.transaction(ctx, (tx) => readRows({ sign }, ctx, tx, portion));
      yield rows.map((row) => toCells(row, words, local));
    }
  };
  return writeSheet(words.file.report, format, pages(), { titled: false });
}

type Words = (typeof sheetWords)["pt"];

/** What the report is narrowed to beside the dashboard's filter. */
function narrowedLines(words: Words, filter: ReportFilter): SheetCell[][] {
  const { by, state, time, rates, waitOver, weekday, hour, contactId, protocol } = filter;
  const lines: [name: string, value: SheetCell | undefined][] = [
    ["by", words.states[by]],
    ["state", words.states[state]],
    ["time", time && words.states[time]],
    ["rates", rates?.length ? rates.join(", ") : undefined],
    ["waitOver", waitOver],
    ["weekday", weekday === undefined ? undefined : words.weekdays[weekday]],
    ["hour", hour],
    ["contactId", contactId],
    ["protocol", protocol],
    ["searchParam", filter.searchParam || undefined],
  ];
  return lines.flatMap(([name, value]) =>
    value === undefined ? [] : [[words.narrowed[name] ?? name, value]],
  );
}

/** Local times as `DD/MM/YYYY HH:MM`. */
function localTime(timeZone: string): (moment: string | null) => string {
  const parts = new Intl.DateTimeFormat("pt-BR", {
    ...{ timeZone, day: "2-digit", month: "2-digit", year: "numeric" },
    ...{ hour: "2-digit", minute: "2-digit", hourCycle: "h23" },
  });
  return (moment) => (moment === null ? "" : parts.format(parseISO(moment)).replace(", ", " "));
}

function toCells(
  row: ReportRow,
  words: Words,
  local: (moment: string | null) => string,
): SheetCell[] {
  const nameOf = (one: { name: string; isRemoved: boolean } | null): string => {
    if (one === null) return "";
    return one.isRemoved ? `${one.name} ${words.removed}` : one.name;
  };
  return [
    ...[row.id, row.ticketId, row.contact?.name ?? "", row.contact?.number ?? ""],
    ...[nameOf(row.user), nameOf(row.queue), nameOf(row.whatsapp)],
    ...[local(row.createdAt), local(row.queuedAt), local(row.startedAt)],
    ...[local(row.firstAnswerAt), local(row.resolvedAt)],
    ...[row.waitSeconds, row.firstAnswerSeconds, row.supportSeconds, row.rate],
    ...[row.isReopened ? words.yes : words.no, nameOf(row.closedBy), row.reason ?? ""],
  ];
}
