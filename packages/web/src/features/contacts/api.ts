import type { Contact, ContactChange, ReplyOf } from "@balcao/contract";
import { useMutation, useQuery } from "@tanstack/react-query";
import { call } from "../../api/client.ts";
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
