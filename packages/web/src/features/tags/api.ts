import type { ListedTag, Tag } from "@balcao/contract";
import { call } from "../../api/client.ts";
import { liveList, livePages } from "../../realtime/live-list.ts";

/** The company's tags whose name or colour contains the words, each with its number of tickets. */
export const tagPages = livePages<ListedTag>({
  key: ["tags", "page"],
  identify: ({ id }) => id,
  async read(searchParam, pageNumber, signal) {
    const query = { searchParam, pageNumber };
    const { tags: rows, count, hasMore } = await call("GET /tags", { query }, { signal });
    return { rows, count, hasMore };
  },
}).follow("tag");

/** The company's tags by name, to choose from. */
export const tagList = liveList<Tag, number>({
  key: ["tags", "list"],
  read: (signal) => call("GET /tags/list", { query: {} }, { signal }),
  identify: ({ id }) => id,
  order: (a, b) => a.name.localeCompare(b.name) || a.id - b.id,
}).follow("tag", (event) =>
  event.action === "delete" ? { removedId: event.tagId } : { row: event.tag },
);

/** The default colour of a tag (behaviour 8.4). */
export const DEFAULT_TAG_COLOR = "#A4CCCC";

/** Brings back a tag that was deleted a moment ago. */
export async function undoTagDeletion(id: number): Promise<void> {
  const row = await call("POST /tags/:tagId/undo", { params: { tagId: id } });
  tagList.apply({ row });
  tagPages.readAgain();
}

type TagValues = { name: string; color: string; kanban: boolean };

/** Saves a new tag, or the changed fields of a known one (`id`): supervisors may change only the board switch. */
export async function saveTag(
  id: number | null,
  values: TagValues,
  { kanban, ...changed }: Partial<TagValues> = values,
): Promise<Tag> {
  const lane = kanban === undefined ? {} : { kanban: Number(kanban) };
  const saved =
    id === null
      ? await call("POST /tags", { body: { ...values, kanban: Number(values.kanban) } })
      : await call("PUT /tags/:tagId", { params: { tagId: id }, body: { ...changed, ...lane } });
  tagList.apply({ row: saved });
  tagPages.readAgain();
  return saved;
}

export async function deleteTag(id: number): Promise<void> {
  await call("DELETE /tags/:tagId", { params: { tagId: id }, query: { undo: "true" } });
  tagList.apply({ removedId: id });
  tagPages.readAgain();
}
