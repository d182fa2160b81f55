import type { ListedTag, Tag } from "@balcao/contract";
import { call } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import type { Pages } from "../../api/use-pages.ts";
import { usePages } from "../../api/use-pages.ts";
import { useCompanyEvent } from "../../realtime/index.ts";

/** All queries of tags begin with it. */
export const tagsKey = ["tags"] as const;

/** The company's tags whose name or colour has the words, with how many tickets carry each; kept current. */
export function useTagPages(words: string): Pages<ListedTag> {
  useCompanyEvent("tag", refreshTags);
  return usePages(
    [...tagsKey, "page", words],
    async (pageNumber, signal) => {
      const query = { searchParam: words, pageNumber };
      const { tags, count, hasMore } = await call("GET /tags", { query }, { signal });
      return { rows: tags, count, hasMore };
    },
    ({ id }) => id,
  );
}

export type TagValues = { name: string; color: string; kanban: boolean };

/** Saves a new tag, or of a known one (`id`) only what changed: supervisors may change the board switch alone. */
export async function saveTag(
  id: number | null,
  values: TagValues,
  changed: readonly (keyof TagValues)[],
): Promise<Tag> {
  const all = { ...values, kanban: values.kanban ? 1 : 0 };
  const body = Object.fromEntries(changed.map((key) => [key, all[key]]));
  const saved =
    id === null
      ? await call("POST /tags", { body: all })
      : await call("PUT /tags/:tagId", { params: { tagId: id }, body });
  refreshTags();
  return saved;
}

export async function deleteTag(id: number): Promise<void> {
  await call("DELETE /tags/:tagId", { params: { tagId: id } });
  refreshTags();
}

/** After a change of any tag. */
export function refreshTags(): void {
  void queryClient.invalidateQueries({ queryKey: tagsKey });
}
