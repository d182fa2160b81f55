import type { QueueOption } from "@balcao/contract";

/** What the tree needs to know of an option. */
export type TreeOption = Pick<QueueOption, "id" | "parentId" | "option" | "title">;

/** The options of one level in the order in which the customer sees them. */
export function levelOf<T extends TreeOption>(
  options: readonly T[],
  parentId: number | null,
): readonly T[] {
  return options
    .filter((option) => option.parentId === parentId)
    .toSorted((a, b) => Number(a.option) - Number(b.option) || a.id - b.id);
}

/** How many options lie below one, in all levels. */
export function countBelow(options: readonly TreeOption[], id: number): number {
  return options
    .filter(({ parentId }) => parentId === id)
    .reduce((count, child) => count + 1 + countBelow(options, child.id), 0);
}

/** The options from the root down to one, itself included; none for one that is not there. */
export function pathTo<T extends TreeOption>(
  options: readonly T[],
  id: number | null,
): readonly T[] {
  const option = options.find((one) => one.id === id);
  if (!option) return [];
  return [...pathTo(options, option.parentId), option];
}

/** The number that a new option of a level gets: behind the last one. */
export function nextNumber(level: readonly TreeOption[]): number {
  return Math.max(0, ...level.map(({ option }) => Number(option))) + 1;
}

/** The level with one option taken to another place (from 0); null when it stands there or cannot go there. */
export function reordered(
  ids: readonly number[],
  id: number,
  toIndex: number,
): readonly number[] | null {
  const from = ids.indexOf(id);
  if (from === -1 || toIndex === from || toIndex < 0 || toIndex >= ids.length) return null;
  return ids.filter((one) => one !== id).toSpliced(toIndex, 0, id);
}

/** The options as they are once a level is numbered anew from 1. */
export function renumbered<T extends TreeOption>(
  options: readonly T[],
  ids: readonly number[],
): readonly T[] {
  return options.map((option) => {
    const index = ids.indexOf(option.id);
    return index === -1 ? option : { ...option, option: String(index + 1) };
  });
}

/** The options without one and without all below it. */
export function without<T extends TreeOption>(options: readonly T[], id: number): readonly T[] {
  const gone = new Set<number>([id]);
  let known = 0;
  while (known !== gone.size) {
    known = gone.size;
    for (const option of options) {
      if (option.parentId !== null && gone.has(option.parentId)) gone.add(option.id);
    }
  }
  return options.filter((option) => !gone.has(option.id));
}
