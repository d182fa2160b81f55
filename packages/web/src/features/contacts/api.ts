import type { Contact, ContactChange, ReplyOf } from "@balcao/contract";
import { useMutation, useQuery } from "@tanstack/react-query";
import { call } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import type { Pages } from "../../api/use-pages.ts";
import { usePages } from "../../api/use-pages.ts";
import { useCompanyEvent } from "../../realtime/index.ts";

export type ShownContact = ReplyOf<"GET /contacts/:contactId">;
type Attendance = ReplyOf<"GET /contacts/:contactId/attendances">["attendances"][number];

const keyOf = (contactId: number) => ["contacts", contactId] as const;

/** One contact with its extra information, kept current by live events. */
export function useContact(contactId: number) {
  useCompanyEvent("contact", (event) => {
    if (event.action === "delete" || event.contact.id !== contactId) return;
    queryClient.setQueryData<ShownContact>(keyOf(contactId), (known) =>
      known ? { ...known, ...withoutUnknown(event.contact) } : known,
    );
  });
  return useQuery({
    queryKey: keyOf(contactId),
    queryFn: ({ signal }) =>
      call("GET /contacts/:contactId", { params: { contactId } }, { signal }),
  });
}

/** Events may leave the extra information out: then what is known of it stays. */
function withoutUnknown(contact: Contact): Partial<ShownContact> {
  const { extraInfo, ...fields } = contact;
  return extraInfo === undefined ? fields : { ...fields, extraInfo };
}

export function useChangeContact(contactId: number) {
  return useMutation({
    mutationFn: (body: ContactChange) =>
      call("PUT /contacts/:contactId", { params: { contactId }, body }),
    onSuccess: (contact) => queryClient.setQueryData(keyOf(contactId), contact),
  });
}

/** When the contact was served, by whom and in which queue, the newest first. */
export function useAttendances(contactId: number): Pages<Attendance> {
  const queryKey = [...keyOf(contactId), "attendances"];
  useCompanyEvent("ticket", (event) => {
    if (event.action !== "update" || event.ticket.contactId !== contactId) return;
    void queryClient.invalidateQueries({ queryKey });
  });
  return usePages(
    queryKey,
    async (pageNumber, signal) => {
      const { attendances, count, hasMore } = await call(
        "GET /contacts/:contactId/attendances",
        { params: { contactId }, query: { pageNumber } },
        { signal },
      );
      return { rows: attendances, count, hasMore };
    },
    ({ id }) => id,
    { staleTime: 0 },
  );
}
