import type {
  Announcement,
  AnnouncementBody,
  AnnouncementEvent,
  RequestOf,
  UnseenAnnouncements,
} from "@balcao/contract";
import { addressedEventName } from "@balcao/contract/event-names";
import { call } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { upload } from "../../api/upload.ts";
import { livePages, liveRecords } from "../../realtime/live-list.ts";
import { onNamedEvent } from "../../realtime/live.ts";
import type { AttachmentChange } from "../../ui/attachment-field.tsx";

type ListQuery = NonNullable<RequestOf<"GET /announcements">["query"]>;

/** The announcements: as super users keep them (by words), or as everybody reads them. */
export const announcementPages = livePages<Announcement, Omit<ListQuery, "pageNumber">>({
  key: ["announcements", "page"],
  identify: ({ id }) => id,
  async read(of, pageNumber, signal) {
    const query = { ...of, pageNumber };
    const { records: rows, ...rest } = await call("GET /announcements", { query }, { signal });
    return { rows, ...rest };
  },
});

/** What everybody reads: the active ones, by priority. */
export const shownOnes = { order: "priority", active: "true" } as const;

const unseenRecord = liveRecords<undefined, UnseenAnnouncements>({
  key: ["announcements", "unseen"],
  read: (_of, signal) => call("GET /announcements/unseen", {}, { signal }),
}).follow("announcementsSeen", ({ seenUntil }) => ({
  of: undefined,
  change: (known) => seenTo(known, seenUntil),
}));

/** The announcements that this account has not seen. */
export const unseenQuery = unseenRecord.query(undefined);

/** Up to there all have been seen. */
function seenTo(known: UnseenAnnouncements, seenUntil: string | null): UnseenAnnouncements {
  if (seenUntil === null || (known.seenUntil !== null && seenUntil <= known.seenUntil)) {
    return known;
  }
  const unseen = known.unseen.filter(({ publishedAt }) => publishedAt > seenUntil);
  return { seenUntil, unseen };
}

/** After an event: an active announcement that is younger than the last seen one is unseen; all others are not. */
function changedBy(known: UnseenAnnouncements, event: AnnouncementEvent): UnseenAnnouncements {
  const changedId = event.action === "delete" ? event.id : event.record.id;
  const others = known.unseen.filter(({ id }) => id !== changedId);
  if (event.action === "delete" || !event.record.status) return { ...known, unseen: others };
  const { id, publishedAt } = event.record;
  const isUnseen = known.seenUntil === null || publishedAt > known.seenUntil;
  return { ...known, unseen: isUnseen ? [{ id, publishedAt }, ...others] : others };
}

type Arrival = (record: Announcement) => void;
const arrivals = new Set<Arrival>();

/** Calls `tell` for each announcement that this account has not seen and that comes now. Returns the function that stops it. */
export function onArrival(tell: Arrival): () => void {
  arrivals.add(tell);
  return () => arrivals.delete(tell);
}

onNamedEvent(
  "announcements",
  () => addressedEventName("announcement", { to: "installation" }),
  (event: AnnouncementEvent) => {
    const known = queryClient.getQueryData(unseenQuery.queryKey);
    const next = known && changedBy(known, event);
    unseenRecord.apply(undefined, (latest) => changedBy(latest, event));
    announcementPages.readAgain();
    if (event.action === "delete" || !next) return;
    const { id } = event.record;
    const has = ({ unseen }: UnseenAnnouncements): boolean => unseen.some((one) => one.id === id);
    if (has(next) && !has(known)) for (const tell of arrivals) tell(event.record);
  },
);

/** Says that all active announcements have been seen. */
export async function markSeen(): Promise<void> {
  const { seenUntil } = await call("PUT /announcements/seen", {});
  unseenRecord.apply(undefined, (known) => seenTo(known, seenUntil));
}

/** Saves a new (`id` null) or known announcement. */
export async function saveAnnouncement(
  id: number | null,
  body: AnnouncementBody,
): Promise<Announcement> {
  const saved =
    id === null
      ? await call("POST /announcements", { body })
      : await call("PUT /announcements/:announcementId", { params: { announcementId: id }, body });
  announcementPages.readAgain();
  return saved;
}

export async function saveImage(id: number, change: AttachmentChange): Promise<void> {
  const params = { announcementId: id };
  if (change.kind === "attach") {
    await upload("POST /announcements/:announcementId/media-upload", {
      params,
      fields: { typeArch: "announcements" },
      files: { file: [change.file] },
    });
  }
  if (change.kind === "remove") {
    await call("DELETE /announcements/:announcementId/media-upload", { params });
  }
  if (change.kind !== "keep") announcementPages.readAgain();
}

export async function deleteAnnouncement(id: number): Promise<void> {
  await call("DELETE /announcements/:announcementId", { params: { announcementId: id } });
  announcementPages.readAgain();
}
