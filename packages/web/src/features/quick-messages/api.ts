import type { CompanyEvents, QuickMessage, QuickMessageBody } from "@balcao/contract";
import { call } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { currentSession } from "../../api/session-store.ts";
import { upload } from "../../api/upload.ts";
import type { RowChange } from "../../realtime/live-list.ts";
import { liveList, livePages } from "../../realtime/live-list.ts";
import type { AttachmentChange } from "../../ui/attachment-field.tsx";

/** The user's and the company's quick messages whose shortcode contains the words. */
export const quickMessagePages = livePages<QuickMessage>({
  key: ["quick-messages", "page"],
  identify: ({ id }) => id,
  async read(searchParam, pageNumber, signal) {
    const query = { searchParam, pageNumber };
    const { records: rows, ...rest } = await call("GET /quick-messages", { query }, { signal });
    return { rows, ...rest };
  },
}).follow("quickmessage");

/** All quick messages of the user and the company, by shortcode. */
export const quickMessageList = liveList<QuickMessage, number>({
  key: ["quick-messages", "all"],
  read: (signal) => call("GET /quick-messages/list", {}, { signal }),
  identify: ({ id }) => id,
  order: (a, b) => a.shortcode.localeCompare(b.shortcode),
}).follow("quickmessage", (event) => changeFor(currentSession()?.user.id, event));

/** The change that an event makes to a user's list: a message that is now somebody else's own is removed. */
export function changeFor(
  userId: number | undefined,
  event: CompanyEvents["quickmessage"],
): RowChange<QuickMessage, number> {
  if (event.action === "delete") return { removedId: event.id };
  const { record } = event;
  const isTheirs = record.geral || record.userId === userId;
  return isTheirs ? { row: record } : { removedId: record.id };
}

/** The folders in use, by name. */
export function foldersOf(all: readonly QuickMessage[]): readonly string[] {
  const names = new Set(all.map(({ folder }) => folder).filter((name) => name !== ""));
  return [...names].toSorted((a, b) => a.localeCompare(b));
}

/** Reads the list ahead of the moment it is needed. */
export function prefetchQuickMessages(): void {
  void queryClient.prefetchQuery({ ...quickMessageList.query, staleTime: 60_000 });
}

/** Saves a new (`id` null) or known quick message. */
export async function saveQuickMessage(
  id: number | null,
  body: QuickMessageBody,
): Promise<QuickMessage> {
  const saved =
    id === null
      ? await call("POST /quick-messages", { body })
      : await call("PUT /quick-messages/:quickMessageId", { params: { quickMessageId: id }, body });
  refresh();
  return saved;
}

export async function saveAttachment(id: number, change: AttachmentChange): Promise<void> {
  const params = { quickMessageId: id };
  if (change.kind === "attach") {
    await upload("POST /quick-messages/:quickMessageId/media-upload", {
      params,
      fields: { typeArch: "quickMessage" },
      files: { file: [change.file] },
    });
  }
  if (change.kind === "remove") {
    await call("DELETE /quick-messages/:quickMessageId/media-upload", { params });
  }
  if (change.kind !== "keep") refresh();
}

/** Counts that a quick message was inserted; a failure only leaves the order as it was. */
export function countUse({ id }: QuickMessage): void {
  quickMessageList.apply({ id, change: (known) => ({ ...known, usedCount: known.usedCount + 1 }) });
  const params = { quickMessageId: id };
  call("POST /quick-messages/:quickMessageId/use", { params }).catch(() => undefined);
}

export async function deleteQuickMessage(id: number): Promise<void> {
  await call("DELETE /quick-messages/:quickMessageId", { params: { quickMessageId: id } });
  refresh();
}

function refresh(): void {
  quickMessageList.readAgain();
  quickMessagePages.readAgain();
}
