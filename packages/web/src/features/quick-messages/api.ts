import type { QuickMessage, QuickMessageBody } from "@balcao/contract";
import { call } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { upload } from "../../api/upload.ts";
import type { Pages } from "../../api/use-pages.ts";
import { usePages } from "../../api/use-pages.ts";
import type { AttachmentChange } from "../../ui/attachment-field.tsx";
import { useCompanyEvent } from "../../realtime/index.ts";

/** All queries of quick messages begin with it. */
const key = ["quick-messages"] as const;

/** The user's and the company's quick messages whose shortcode has the words, kept current by live events. */
export function useQuickMessages(words: string): Pages<QuickMessage> {
  useCompanyEvent("quickmessage", refresh);
  return usePages(
    [...key, "page", words],
    async (pageNumber, signal) => {
      const query = { searchParam: words, pageNumber };
      const { records, count, hasMore } = await call("GET /quick-messages", { query }, { signal });
      return { rows: records, count, hasMore };
    },
    ({ id }) => id,
  );
}

/**
 * Saves a new (`id` null) or known quick message, then its attachment. Answers the message; rejects with the id of what was
 * saved in `SavedWithoutFile` when only the file was refused.
 */
export async function saveQuickMessage(
  id: number | null,
  body: QuickMessageBody,
  attachment: AttachmentChange,
): Promise<void> {
  const saved =
    id === null
      ? await call("POST /quick-messages", { body })
      : await call("PUT /quick-messages/:quickMessageId", { params: { quickMessageId: id }, body });
  const params = { quickMessageId: saved.id };
  try {
    if (attachment.kind === "attach") {
      await upload("POST /quick-messages/:quickMessageId/media-upload", {
        params,
        fields: { typeArch: "quickMessage" },
        files: { file: [attachment.file] },
      });
    }
    if (attachment.kind === "remove") {
      await call("DELETE /quick-messages/:quickMessageId/media-upload", { params });
    }
  } catch (error) {
    throw new SavedWithoutFile(saved.id, error);
  } finally {
    refresh();
  }
}

/** The texts are saved, the attachment is not; saving again goes on with the same quick message. */
export class SavedWithoutFile extends Error {
  readonly id: number;
  constructor(id: number, cause: unknown) {
    super("the attachment was not saved", { cause });
    this.name = "SavedWithoutFile";
    this.id = id;
  }
}

export async function deleteQuickMessage(id: number): Promise<void> {
  await call("DELETE /quick-messages/:quickMessageId", { params: { quickMessageId: id } });
  refresh();
}

function refresh(): void {
  void queryClient.invalidateQueries({ queryKey: key });
}
