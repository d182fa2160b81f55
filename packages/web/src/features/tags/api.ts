import type { ListedTag, Tag } from "@balcao/contract";
import { call } from "../../api/client.ts";
import { liveList, livePages } from "../../realtime/live-list.ts";

/** The company's tags whose name or colour contains the words, each with its number of tickets. */
export const tagPages = livePages<ListedTag>({
  key: ["tags", "page"],
  identify: ({ id }) => id,
  async read(searchParam, pageNumber, signal) {
    const query = { searchParam, pageNumber };
    const { tags: rows, ...totals } = await call("GET /tags", { query }, { signal });
    return { rows, ...totals };
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

type TagValues = Pick<Tag, "name" | "color" | "kanban">;

/** Saves a new tag, or the changed fields of a known one (`id`): supervisors may change only the board switch. */
export async function saveTag(
  id: number | null,
  values: TagValues,
  changed: Partial<TagValues> = values,
): Promise<Tag> {
  const row =
    id === null
      ? await call("POST /tags", { body: values })
      : await call("PUT /tags/:tagId", { params: { tagId: id }, body: changed });
  applyTag({ row });
  return row;
}

/** Shows our own change in both lists. */
export function applyTag(change: Parameters<typeof tagList.apply>[0]): void {
  tagList.apply(change);
  tagPages.readAgain();
}
