import type { QueueOption, QueueOptionChange, ReplyOf } from "@balcao/contract";
import { useQuery } from "@tanstack/react-query";
import { call } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { upload } from "../../api/upload.ts";
import { liveLists } from "../../realtime/live-list.ts";

const countsKey = ["queue-options", "count"] as const;

const optionLists = liveLists<number, QueueOption, number>({
  key: ["queue-options", "list"],
  read: (queueId, signal) => call("GET /queue-options", { query: { queueId } }, { signal }),
  identify: ({ id }) => id,
});

/** All options of a queue's chatbot. No event reports their changes, so they are refetched at each mount. */
export const useOptions = (queueId: number) =>
  useQuery({ ...optionLists.query(queueId), staleTime: 0 });

/** The number of options per queue; undefined while unknown. */
export function useOptionCounts(): ReadonlyMap<number, number> | undefined {
  const { data } = useQuery({
    queryKey: countsKey,
    queryFn: ({ signal }) => call("GET /queue-options/count", {}, { signal }),
    select: countsOf,
    staleTime: 0,
  });
  return data;
}

function countsOf(counts: ReplyOf<"GET /queue-options/count">): ReadonlyMap<number, number> {
  return new Map(counts.map(({ queueId, count }) => [queueId, count]));
}

/** Adds an option at the end of a level and returns it. */
export function addOption(
  queueId: number,
  parentId: number | null,
  title: string,
): Promise<QueueOption> {
  return inTurn(queueId, async () => {
    const known = queryClient.getQueryData(optionLists.query(queueId).queryKey) ?? [];
    const level = known.filter((option) => option.parentId === parentId);
    const option = String(nextNumber(level));
    const added = await call("POST /queue-options", {
      body: { queueId, parentId, title, message: "", option },
    });
    optionLists.apply(queueId, { row: added });
    return added;
  });
}

/** Saves the given fields; with `keepalive` the request outlives the page. */
export function saveOption(
  queueId: number,
  id: number,
  fields: QueueOptionChange,
  wish: { keepalive: boolean },
): Promise<void> {
  const params = { queueOptionId: id };
  const send = async (): Promise<void> => {
    const saved = await call("PUT /queue-options/:queueOptionId", { params, body: fields }, wish);
    optionLists.apply(queueId, { id, change: (known) => written(known, fields, saved) });
  };
  // A page that is closing cannot wait for earlier requests.
  return wish.keepalive ? send() : inTurn(queueId, send);
}

/** The option with the saved fields; a newer place in its level stays. */
function written(
  option: QueueOption,
  fields: QueueOptionChange,
  { title, message, option: number, updatedAt }: QueueOption,
): QueueOption {
  const place = fields.option === undefined ? option.option : number;
  return { ...option, title, message, updatedAt, option: place };
}

/** Renumbers a level in this order. Shown at once and reverted if the server refuses. */
export async function orderLevel(
  queueId: number,
  parentId: number | null,
  ids: readonly number[],
): Promise<void> {
  optionLists.apply(queueId, { rows: (options) => renumbered(options, ids) });
  await inTurn(queueId, async () => {
    await call("POST /queue-options/order", { body: { queueId, parentId, ids: [...ids] } });
  });
}

/** Deletes an option and all options below it. */
export function deleteOption(queueId: number, id: number): Promise<void> {
  return inTurn(queueId, async () => {
    await call("DELETE /queue-options/:queueOptionId", { params: { queueOptionId: id } });
    optionLists.apply(queueId, { rows: (options) => without(options, id) });
  });
}

/** Uploads the file that follows an option's text; replaces an earlier one. */
export async function attachToOption(
  queueId: number,
  id: number,
  file: File,
  onProgress: (part: number) => void,
): Promise<void> {
  await upload(
    "POST /queue-options/:queueOptionId/media-upload",
    { params: { queueOptionId: id }, files: { file: [file] } },
    { onProgress },
  );
  await reread(queueId);
}

export async function detachFromOption(queueId: number, id: number): Promise<void> {
  await call("DELETE /queue-options/:queueOptionId/media-upload", {
    params: { queueOptionId: id },
  });
  await reread(queueId);
}

/** The running changes per queue. They are sequential, so that an older change never arrives last. */
const underWay = new Map<number, { last: Promise<unknown>; count: number }>();

/** Runs a change after the earlier ones. After the last one the options are refetched. */
async function inTurn<T>(queueId: number, work: () => Promise<T>): Promise<T> {
  const turn = underWay.get(queueId) ?? { last: Promise.resolve(), count: 0 };
  underWay.set(queueId, turn);
  turn.count += 1;
  const mine = turn.last.then(work, work);
  turn.last = mine;
  try {
    return await mine;
  } finally {
    turn.count -= 1;
    if (turn.count === 0) {
      underWay.delete(queueId);
      void reread(queueId);
    }
  }
}

async function reread(queueId: number): Promise<void> {
  await Promise.all([
    optionLists.readAgain(queueId),
    queryClient.invalidateQueries({ queryKey: countsKey }),
  ]);
}

/** The fields of an option that the tree needs. */
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

/** The number of options below one, on all levels. */
export function countBelow(options: readonly TreeOption[], id: number): number {
  return options
    .filter(({ parentId }) => parentId === id)
    .reduce((count, child) => count + 1 + countBelow(options, child.id), 0);
}

/** The options from the root to one, inclusive; empty for an unknown one. */
export function pathTo<T extends TreeOption>(
  options: readonly T[],
  id: number | null,
): readonly T[] {
  const option = options.find((one) => one.id === id);
  if (!option) return [];
  return [...pathTo(options, option.parentId), option];
}

/** The number of a new option: one more than the level's largest. */
export function nextNumber(level: readonly TreeOption[]): number {
  return Math.max(0, ...level.map(({ option }) => Number(option))) + 1;
}

/**
 * The level with one option moved to another place (from 0); null if nothing would change or the place does not exist.
 */
export function reordered(
  ids: readonly number[],
  id: number,
  toIndex: number,
): readonly number[] | null {
  const from = ids.indexOf(id);
  if (from === -1 || toIndex === from || toIndex < 0 || toIndex >= ids.length) return null;
  return ids.filter((one) => one !== id).toSpliced(toIndex, 0, id);
}

/** The options with a level renumbered from 1. */
export function renumbered<T extends TreeOption>(
  options: readonly T[],
  ids: readonly number[],
): T[] {
  return options.map((option) => {
    const index = ids.indexOf(option.id);
    return index === -1 ? option : { ...option, option: String(index + 1) };
  });
}

/** The options without one and all below it. */
export function without<T extends TreeOption>(options: readonly T[], id: number): T[] {
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
