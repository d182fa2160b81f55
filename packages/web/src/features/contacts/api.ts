import type {
  Contact,
  ContactBulkAction,
  ContactChange,
  ContactId,
  ContactOrder,
  ContactSelection,
  ListedContact,
  NewContact,
  ReplyOf,
  SheetFormat,
} from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { ApiError, call } from "../../api/client.ts";
import { saveFile } from "../../api/download.ts";
import { queryClient } from "../../api/query-client.ts";
import { currentLanguage } from "../../i18n/index.ts";
import { useCompanyEvent } from "../../realtime/index.ts";
import { livePages, liveRecords } from "../../realtime/live-list.ts";
import type { Sort } from "../../ui/page/record-table.tsx";
import type { ContactFilter } from "./contact-filter.ts";
import { wireFilter } from "./contact-filter.ts";

export type ShownContact = ReplyOf<"GET /contacts/:contactId">;
type Attendance = ReplyOf<"GET /contacts/:contactId/attendances">["attendances"][number];

/** One contact with its extra information. */
const contactRecords = liveRecords<number, ShownContact>({
  key: ["contacts", "one"],
  read: (contactId, signal) =>
    call("GET /contacts/:contactId", { params: { contactId } }, { signal }),
}).follow("contact", (event) => {
  if (event.action === "delete") return null;
  const fields = knownFields(event.contact);
  return { of: event.contact.id, change: (known) => ({ ...known, ...fields }) };
});

/** Events may lack the extra information; then the known one stays. */
function knownFields({ extraInfo, ...fields }: Contact): Partial<ShownContact> {
  return extraInfo === undefined ? fields : { ...fields, extraInfo };
}

export const useContact = (contactId: number) => useQuery(contactRecords.query(contactId));

type BookQuery = Readonly<{ words: string; sort: Sort; filter: ContactFilter }>;

/** The address book: the contacts that are found, in their order. */
export const contactPages = livePages<ListedContact, BookQuery>({
  key: ["contacts", "page"],
  identify: ({ id }) => id,
  async read({ words: searchParam, sort, filter }, pageNumber, signal) {
    const query = {
      ...{ searchParam, pageNumber, ...wireFilter(filter, Date.now()) },
      ...(sort === null || !isOrder(sort.by)
        ? {}
        : { sort: sort.by, descending: sort.descending ? ("true" as const) : ("false" as const) }),
    };
    const { contacts: rows, count, hasMore } = await call("GET /contacts", { query }, { signal });
    return { rows, count, hasMore };
  },
}).follow("contact");

const isOrder = (column: string): column is ContactOrder =>
  ["name", "createdAt", "lastContact"].includes(column);

/** Stores a new contact (`id` null), whose number the chat network must know, or changes a known one. */
export async function saveContact(
  id: number | null,
  body: NewContact & ContactChange,
): Promise<{ id: number }> {
  if (id !== null) {
    const params = { contactId: id };
    return changed(id, await call("PUT /contacts/:contactId", { params, body }));
  }
  const stored = await call("POST /contacts", { body });
  // With additional information, if none, an unknown number is refused.
  if (stored.invalido) throw new Error("an unknown number was not refused");
  if (stored.alreadyExists) throw new ApiError({ status: 400, code: "ERR_DUPLICATED_CONTACT" });
  contactPages.readAgain();
  return stored;
}

/** Leaves a contact out of campaigns and scheduled messages, or no longer. */
export async function setOptOut(id: number, isOut: boolean): Promise<void> {
  const params = { contactId: id };
  const contact = isOut
    ? await call("PUT /contacts/:contactId/opt-out", { params })
    : await call("DELETE /contacts/:contactId/opt-out", { params });
  changed(id, contact);
}

export type BulkResult = { changedIds: number[]; refused: number };

/** Does something to all chosen contacts, portion by portion; tells how many it has looked at. */
export async function changeContacts(
  selection: ContactSelection,
  action: ContactBulkAction,
  onProgress: (done: number) => void = () => undefined,
): Promise<BulkResult> {
  const result: BulkResult = { changedIds: [], refused: 0 };
  let afterId: ContactId | null = null;
  do {
    const done: ReplyOf<"POST /contacts/bulk"> = await call("POST /contacts/bulk", {
      body: { selection, action, afterId },
    });
    result.changedIds.push(...done.changedIds);
    result.refused += done.refused;
    ({ afterId } = done);
    onProgress(result.changedIds.length + result.refused);
  } while (afterId !== null);
  contactPages.readAgain();
  return result;
}

/** Saves the chosen contacts as a spreadsheet, with titles in the language of the page. */
export async function saveContactsFile(
  selection: ContactSelection,
  format: SheetFormat,
): Promise<void> {
  await saveFile("POST /contacts/export", {
    body: { selection, format, language: currentLanguage() },
  });
}

/** Lets contacts that were opted out together get messages again. */
export async function undoOptOuts(ids: readonly number[]): Promise<void> {
  for (let from = 0; from < ids.length; from += limits.chosenContactsMax) {
    const portion = ids.slice(from, from + limits.chosenContactsMax) as ContactId[]; // of replies
    await changeContacts({ ids: portion }, "endOptOut");
  }
}

export async function deleteContact(contactId: number): Promise<void> {
  await call("DELETE /contacts/:contactId", { params: { contactId } });
  contactPages.readAgain();
}

function changed(id: number, contact: ShownContact): ShownContact {
  contactRecords.apply(id, () => contact);
  contactPages.readAgain();
  return contact;
}

/** The contact's attendances with agent and queue, newest first. */
export const attendancePages = livePages<Attendance, number>({
  key: ["contacts", "attendances"],
  identify: ({ id }) => id,
  async read(contactId, pageNumber, signal) {
    const { attendances, count, hasMore } = await call(
      "GET /contacts/:contactId/attendances",
      { params: { contactId }, query: { pageNumber } },
      { signal },
    );
    return { rows: attendances, count, hasMore };
  },
}).follow("ticket", (event) => (event.action === "update" ? event.ticket.contactId : null));

/** The messages of a ticket with files or links, page by page into the past; a new file or link of the ticket is read at once. */
export function useSharedMessages(ticketId: number) {
  const queryKey = ["messages", "shared", ticketId];
  useCompanyEvent("appMessage", (event) => {
    if (event.action === "delete" || event.message.ticketId !== ticketId) return;
    const { media, body } = event.message;
    if (media !== null || body.includes("://")) void queryClient.invalidateQueries({ queryKey });
  });
  return useInfiniteQuery({
    queryKey,
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) =>
      call(
        "GET /messages/:ticketId/shared",
        { params: { ticketId }, query: { beforeId: pageParam ?? undefined } },
        { signal },
      ),
    getNextPageParam: ({ olderId }) => olderId,
    staleTime: 0,
  });
}
