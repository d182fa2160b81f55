import type { Contact, ContactChange, ReplyOf } from "@balcao/contract";
import { useInfiniteQuery, useMutation, useQuery } from "@tanstack/react-query";
import { call } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { useCompanyEvent } from "../../realtime/index.ts";
import { livePages, liveRecords } from "../../realtime/live-list.ts";

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

export function useChangeContact(contactId: number) {
  return useMutation({
    mutationFn: (body: ContactChange) =>
      call("PUT /contacts/:contactId", { params: { contactId }, body }),
    onSuccess: (contact) => contactRecords.apply(contactId, () => contact),
  });
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
