import type {
  EditedChatbot,
  QueueOption,
  QueueOptionChange,
  ReplyOf,
  RequestOf,
} from "@balcao/contract";
import { useQuery } from "@tanstack/react-query";
import { call } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { upload } from "../../api/upload.ts";
import { liveRecords } from "../../realtime/live-list.ts";

// Everything here changes the draft of a chatbot. Customers get it when it is published.

const countsKey = ["queue-options", "count"] as const;

const chatbots = liveRecords<number, EditedChatbot>({
  key: ["chatbot"],
  read: (queueId, signal) =>
    call("GET /queue/:queueId/chatbot", { params: { queueId } }, { signal }),
});

/** The chatbot of a queue, edited and published. No event reports its changes, so it is refetched at each mount. */
export const useChatbot = (queueId: number) =>
  useQuery({ ...chatbots.query(queueId), staleTime: 0 });

/** The options of a queue's draft; undefined while unknown. */
export function useOptions(queueId: number): readonly QueueOption[] | undefined {
  return useChatbot(queueId).data?.draft.options;
}

/** Changes the draft's options as they are shown. */
function changeOptions(
  queueId: number,
  change: (options: readonly QueueOption[]) => readonly QueueOption[],
): void {
  chatbots.apply(queueId, (known) => ({
    ...known,
    draft: { ...known.draft, options: [...change(known.draft.options)] },
  }));
}

/** The number of options per queue that customers get; undefined while unknown. */
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
    const known = queryClient.getQueryData(chatbots.query(queueId).queryKey)?.draft.options ?? [];
    const level = known.filter((option) => option.parentId === parentId);
    const option = String(nextNumber(level));
    const added = await call("POST /queue-options", {
      body: { queueId, parentId, title, message: "", option, draft: true },
    });
    // A change can be applied twice.
    changeOptions(queueId, (options) => [...options.filter(({ id }) => id !== added.id), added]);
    return added;
  });
}

/** The fields of an option that are saved one by one. */
export type OptionChange = Omit<QueueOptionChange, "draft">;

/** Saves the given fields; with `keepalive` the request outlives the page. */
export function saveOption(
  queueId: number,
  id: number,
  fields: OptionChange,
  wish: { keepalive: boolean },
): Promise<void> {
  const params = { queueOptionId: id };
  const send = async (): Promise<void> => {
    const body = { ...fields, draft: true };
    const saved = await call("PUT /queue-options/:queueOptionId", { params, body }, wish);
    changeOptions(queueId, (options) =>
      options.map((known) => (known.id === id ? written(known, fields, saved) : known)),
    );
  };
  // A page that is closing cannot wait for earlier requests.
  return wish.keepalive ? send() : inTurn(queueId, send);
}

/** The option with the saved fields; a newer place in its level stays. */
function written(
  option: QueueOption,
  fields: OptionChange,
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
  changeOptions(queueId, (options) => renumbered(options, ids));
  await inTurn(queueId, async () => {
    const body = { queueId, parentId, ids: [...ids], draft: true };
    await call("POST /queue-options/order", { body });
  });
}

const ofDraft = { query: { draft: "true" } } as const;

/** Deletes an option and all options below it. */
export function deleteOption(queueId: number, id: number): Promise<void> {
  return inTurn(queueId, async () => {
    const params = { queueOptionId: id };
    await call("DELETE /queue-options/:queueOptionId", { params, ...ofDraft });
    changeOptions(queueId, (options) => without(options, id));
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
    { params: { queueOptionId: id }, fields: { draft: "true" }, files: { file: [file] } },
    { onProgress },
  );
  await reread(queueId);
}

export async function detachFromOption(queueId: number, id: number): Promise<void> {
  const params = { queueOptionId: id };
  await call("DELETE /queue-options/:queueOptionId/media-upload", { params, ...ofDraft });
  await reread(queueId);
}

/** Saves the draft's greeting; with `keepalive` the request outlives the page. */
export function saveGreeting(
  queueId: number,
  greetingMessage: string,
  wish: { keepalive: boolean } = { keepalive: false },
): Promise<void> {
  const params = { queueId };
  const send = async (): Promise<void> => {
    await call("PUT /queue/:queueId/chatbot", { params, body: { greetingMessage } }, wish);
    chatbots.apply(queueId, (known) => ({
      ...known,
      draft: { ...known.draft, greetingMessage },
    }));
  };
  return wish.keepalive ? send() : inTurn(queueId, send);
}

/** Reads a chatbot again after the running changes, so that what is published is what is shown. */
export function readChatbotAgain(queueId: number): Promise<void> {
  return inTurn(queueId, () => chatbots.readAgain(queueId));
}

/** Customers get the draft from now on, if it is still the one of `draftAt`. */
export function publishChatbot(
  queueId: number,
  draftAt: RequestOf<"POST /queue/:queueId/chatbot/publish">["body"]["draftAt"],
): Promise<void> {
  return inTurn(queueId, async () => {
    const params = { queueId };
    const after = await call("POST /queue/:queueId/chatbot/publish", { params, body: { draftAt } });
    chatbots.apply(queueId, () => after);
  });
}

/** Discards what is not published. */
export function discardChatbotDraft(queueId: number): Promise<void> {
  return inTurn(queueId, async () => {
    const after = await call("DELETE /queue/:queueId/chatbot", { params: { queueId } });
    chatbots.apply(queueId, () => after);
  });
}

/** The running changes per queue. They are sequential, so that an older change never arrives last. */
const underWay = new Map<number, { last: Promise<unknown>; count: number }>();

/** Runs a change after the earlier ones. After the last one the chatbot is refetched. */
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
    chatbots.readAgain(queueId),
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

/** What a publication changes for customers. */
export type ChatbotChange = {
  /** `greeting`, or the id of an option. */
  key: string;
  kind: "greeting" | "added" | "removed" | "changed";
  /** The titles from the root to the option. */
  path: readonly string[];
  /** The fields that differ; of an added or removed option none. */
  fields: readonly ChangedField[];
};

export type ChangedField = {
  field: "greeting" | "number" | "title" | "message" | "file";
  before: string;
  after: string;
};

/** The differences between draft and what customers get, in the order in which the draft is shown. */
export function changesOf({
  draft,
  published,
}: Pick<EditedChatbot, "draft" | "published">): readonly ChatbotChange[] {
  const changes: ChatbotChange[] = [];
  const greeting = differing("greeting", published.greetingMessage, draft.greetingMessage);
  if (greeting.length > 0) {
    changes.push({ key: "greeting", kind: "greeting", path: [], fields: greeting });
  }
  const known = new Map(published.options.map((option) => [option.id, option]));
  const titles = (options: readonly QueueOption[], id: number): string[] =>
    pathTo(options, id).map(({ title }) => title);
  for (const option of inOrder(draft.options, null)) {
    const before = known.get(option.id);
    const change = { key: String(option.id), path: titles(draft.options, option.id) };
    if (before === undefined) changes.push({ ...change, kind: "added", fields: [] });
    else {
      const fields = fieldsBetween(before, option);
      if (fields.length > 0) changes.push({ ...change, kind: "changed", fields });
    }
  }
  const kept = new Set(draft.options.map(({ id }) => id));
  for (const { id } of inOrder(published.options, null)) {
    if (kept.has(id)) continue;
    const path = titles(published.options, id);
    changes.push({ key: String(id), kind: "removed", path, fields: [] });
  }
  return changes;
}

function fieldsBetween(before: QueueOption, after: QueueOption): ChangedField[] {
  return [
    ...differing("number", before.option, after.option),
    ...differing("title", before.title, after.title),
    ...differing("message", before.message, after.message),
    ...(fileKeyOf(before) === fileKeyOf(after)
      ? []
      : [{ field: "file" as const, before: before.mediaName ?? "", after: after.mediaName ?? "" }]),
  ];
}

/** The address of a file without its signature, which each read renews. */
const fileKeyOf = ({ mediaPath }: QueueOption): string | undefined => mediaPath?.split("?")[0];

function differing(field: ChangedField["field"], before: string, after: string): ChangedField[] {
  return before === after ? [] : [{ field, before, after }];
}

/** All options below one, each followed by its own. */
function inOrder(options: readonly QueueOption[], parentId: number | null): QueueOption[] {
  return levelOf(options, parentId).flatMap((option) => [option, ...inOrder(options, option.id)]);
}
