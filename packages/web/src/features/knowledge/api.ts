import type { FoundKnowledge, KnowledgeItem, ReplyOf, RequestOf } from "@balcao/contract";
import { queryOptions } from "@tanstack/react-query";
import { call } from "../../api/client.ts";
import type { UploadOptions } from "../../api/send-form.ts";
import { upload } from "../../api/upload.ts";
import { livePages } from "../../realtime/live-list.ts";

/** The items whose title, file or text has the words. */
export const knowledgePages = livePages<KnowledgeItem>({
  key: ["knowledge", "page"],
  identify: ({ id }) => id,
  async read(searchParam, pageNumber, signal) {
    const query = { searchParam, pageNumber };
    const { items: rows, ...totals } = await call("GET /knowledge", { query }, { signal });
    return { rows, ...totals };
  },
}).follow("knowledge");

/** The text of an item as it is now; it is read each time its form opens. */
export const textQuery = ({ id }: KnowledgeItem) =>
  queryOptions({
    queryKey: ["knowledge", "text", id],
    queryFn: async ({ signal }) =>
      (await call("GET /knowledge/:knowledgeId", { params: { knowledgeId: id } }, { signal })).text,
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });

type Body = RequestOf<"POST /knowledge">["body"];

/** Saves a new (`id` null) or known item, whose kind stays. */
export async function saveItem(id: number | null, { kind, ...body }: Body): Promise<KnowledgeItem> {
  const saved =
    id === null
      ? await call("POST /knowledge", { body: { ...body, kind } })
      : await call("PUT /knowledge/:knowledgeId", { params: { knowledgeId: id }, body });
  knowledgePages.readAgain();
  return saved;
}

export async function deleteItem(id: number): Promise<void> {
  await call("DELETE /knowledge/:knowledgeId", { params: { knowledgeId: id } });
  knowledgePages.readAgain();
}

/** Has the text of a file read; nothing is stored. */
export const readFile = (
  file: File,
  options: UploadOptions,
): Promise<ReplyOf<"POST /knowledge/upload">> =>
  upload("POST /knowledge/upload", { params: {}, files: { file: [file] } }, options);

/** What agents would get for a text. */
export const searchKnowledge = async (
  text: string,
  signal: AbortSignal,
): Promise<readonly FoundKnowledge[]> =>
  (await call("POST /knowledge/search", { body: { text } }, { signal })).parts;
