/** The count of a long list is exact up to here (ADR 16): nobody reads a larger one, and it would cost more than the page. */
export const COUNT_MAX = 1_000;

/** As an expression: the rows of all the lists, each given as `from … where …`; more than `COUNT_MAX` are not told apart. */
export function cappedCount(lists: readonly string[]): string {
  const counts = lists.map(
    (list) => `(select count(*)::int from (select ${list} limit ${COUNT_MAX + 1}) n)`,
  );
  return `least(${counts.join(" + ")}, ${COUNT_MAX + 1})`;
}

/**
 * What a page says of the whole list. Beyond `COUNT_MAX` the count is the least that is known, and so it stays larger than
 * what was read for as long as there is more: clients which compare the two go on to the end.
 */
export function pageTotals(
  counted: number,
  page: { offset: number; rows: number; hasMore: boolean },
): { count: number; hasMore: boolean } {
  const { offset, rows, hasMore } = page;
  if (counted <= COUNT_MAX) return { count: counted, hasMore };
  // A page far behind the end says nothing about what is before it.
  const read = rows === 0 ? 0 : offset + rows + (hasMore ? 1 : 0);
  return { count: Math.max(COUNT_MAX, read), hasMore };
}
