import type { QueueOption, QueueOptionChange, ReplyOf } from "@balcao/contract";
import { useQuery } from "@tanstack/react-query";
import { call } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { upload } from "../../api/upload.ts";
import { nextNumber, renumbered, without } from "./option-tree.ts";

const countsKey = ["queue-options", "count"] as const;
const keyOf = (queueId: number) => ["queue-options", queueId] as const;

function optionsQuery(queueId: number) {
  return {
    queryKey: keyOf(queueId),
    queryFn: ({ signal }: { signal: AbortSignal }): Promise<QueueOption[]> =>
      call("GET /queue-options", { query: { queueId } }, { signal }),
  };
}

/** All options of a queue's chatbot. No event tells of them, so they are read again whenever they are shown. */
export function useOptions(queueId: number) {
  return useQuery({ ...optionsQuery(queueId), staleTime: 0 });
}

/** How many options each queue has, in one request for all; undefined while unknown. */
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

/** A new option at the end of a level; answers it as it was stored. */
export function addOption(
  queueId: number,
  parentId: number | null,
  title: string,
): Promise<QueueOption> {
  return inTurn(queueId, async () => {
    const level = known(queueId).filter((option) => option.parentId === parentId);
    const option = String(nextNumber(level));
    const added = await call("POST /queue-options", {
      body: { queueId, parentId, title, message: "", option },
    });
    change(queueId, (options) => [...options, added]);
    return added;
  });
}

/** Writes what is given; with `keepalive` it outlives the page. */
export function saveOption(
  queueId: number,
  id: number,
  fields: QueueOptionChange,
  wish: { keepalive: boolean },
): Promise<void> {
  const params = { queueOptionId: id };
  const send = async (): Promise<void> => {
    const saved = await call("PUT /queue-options/:queueOptionId", { params, body: fields }, wish);
    change(queueId, (options) =>
      options.map((option) => (option.id === id ? written(option, fields, saved) : option)),
    );
  };
  // A page that goes away waits for nothing.
  return wish.keepalive ? send() : inTurn(queueId, send);
}

/** The option with what was written of it: a place that it was given meanwhile stays. */
function written(
  option: QueueOption,
  fields: QueueOptionChange,
  { title, message, option: number, updatedAt }: QueueOption,
): QueueOption {
  const place = fields.option === undefined ? option.option : number;
  return { ...option, title, message, updatedAt, option: place };
}

/** Numbers a level anew in this order: on the screen at once, and taken back when it is refused. */
export async function orderLevel(
  queueId: number,
  parentId: number | null,
  ids: readonly number[],
): Promise<void> {
  await queryClient.cancelQueries({ queryKey: keyOf(queueId) });
  change(queueId, (options) => renumbered(options, ids));
  await inTurn(queueId, async () => {
    await call("POST /queue-options/order", { body: { queueId, parentId, ids: [...ids] } });
  });
}

/** Removes an option with all below it. */
export function deleteOption(queueId: number, id: number): Promise<void> {
  return inTurn(queueId, async () => {
    await call("DELETE /queue-options/:queueOptionId", { params: { queueOptionId: id } });
    change(queueId, (options) => without(options, id));
  });
}

/** The file that follows an option's text, in place of an earlier one. */
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

/** What is done to the options of each queue, one after the other, so that an older wish never arrives last. */
const underWay = new Map<number, { last: Promise<unknown>; count: number }>();

/** After the last one of several the options are read again: what the server has is what is shown. */
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
    queryClient.invalidateQueries({ queryKey: keyOf(queueId) }),
    queryClient.invalidateQueries({ queryKey: countsKey }),
  ]);
}

function known(queueId: number): readonly QueueOption[] {
  return queryClient.getQueryData<QueueOption[]>(keyOf(queueId)) ?? [];
}

function change(
  queueId: number,
  make: (options: readonly QueueOption[]) => readonly QueueOption[],
): void {
  queryClient.setQueryData<readonly QueueOption[]>(keyOf(queueId), (options) =>
    options ? make(options) : options,
  );
}
