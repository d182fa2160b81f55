import { expect, test } from "vitest";
import { readPage } from "./records.ts";

/** The numbers from 1 to 5, with each range that was read. */
function fiveRows() {
  const ranges: [number, number][] = [];
  const read = async (limit: number, offset: number) => {
    ranges.push([limit, offset]);
    return [1, 2, 3, 4, 5].slice(offset, offset + limit).map((id) => ({ id, total: 5 }));
  };
  return { ranges, read };
}

test.for([
  [1, [1, 2], true],
  [2, [3, 4], true],
  [3, [5], false],
] as const)("page %i of five rows is read at once", async ([pageNumber, ids, hasMore]) => {
  const { ranges, read } = fiveRows();
  const page = await readPage(pageNumber, 2, read);
  expect(page).toMatchObject({ rows: ids.map((id) => ({ id })), count: 5, hasMore });
  expect(ranges).toHaveLength(1);
});

test("a page behind the end is empty and tells how many rows there are", async () => {
  expect(await readPage(9, 2, fiveRows().read)).toEqual({ rows: [], count: 5, hasMore: false });
});
