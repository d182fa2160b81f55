import { limits } from "@balcao/contract";

const { listCountMax } = limits;

/**
 * As an expression: the rows of all the lists, each given as `from … where …`. More than `listCountMax` are not told apart:
 * nobody reads such a count, and it would cost more than the page (ADR 18).
 */
export function cappedCount(lists: readonly string[]): string {
  const counts = lists.map(
    (list) => `(select count(*)::int from (select ${list} limit ${listCountMax + 1}) n)`,
  );
  return `least(${counts.join(" + ")}, ${listCountMax + 1})`;
}

/**
 * What a page says of the whole list. Beyond `listCountMax` the count is the least that is known, and so it stays larger than
 * what was read for as long as there is more: clients which compare the two go on to the end.
 */
export function pageTotals(
  counted: number,
  page: { offset: number; rows: number; hasMore: boolean },
): { count: number; hasMore: boolean } {
  const { offset, rows, hasMore } = page;
  if (counted <= listCountMax) return { count: counted, hasMore };
  // A page far behind the end says nothing about what is before it.
  const read = rows === 0 ? 0 : offset + rows + (hasMore ? 1 : 0);
  return { count: Math.max(listCountMax, read), hasMore };
}
