import type {
  ContactEvent,
  ContactId,
  Message,
  ReplyOf,
  RequestOf,
  TicketNote,
} from "@balcao/contract";
import { useQuery } from "@tanstack/react-query";
import { call } from "../../api/client.ts";
import { onCompanyEvent } from "../../realtime/live.ts";
import { livePages, liveRecords } from "../../realtime/live-list.ts";
import type { ShownContact } from "./api.ts";
import { contactPages } from "./api.ts";

export type ContactSummary = ReplyOf<"GET /contacts/:contactId/summary">;
export type MergePreview = ReplyOf<"GET /contacts/:contactId/merge">;
export type MergeChoices = RequestOf<"POST /contacts/:contactId/merge">["body"];
export type DuplicatePair = ReplyOf<"GET /contacts/duplicates">["pairs"][number];

/** What the page of a contact shows beside the contact's own fields. */
const summaries = liveRecords<number, ContactSummary>({
  key: ["contacts", "summary"],
  read: (contactId, signal) =>
    call("GET /contacts/:contactId/summary", { params: { contactId } }, { signal }),
});
onCompanyEvent("ticket", (event) => {
  if (event.action === "update") void summaries.readAgain(event.ticket.contactId);
});
onCompanyEvent("contact", (event) => {
  if ("contact" in event) void summaries.readAgain(event.contact.id);
  // Many contacts changed together, perhaps this one.
  if (event.action === "reload") historyPages.readAgain();
});

export const useSummary = (contactId: number) => useQuery(summaries.query(contactId));

/** What happened to a contact, newest first. */
export const historyPages = livePages<ContactEvent, number>({
  key: ["contacts", "history"],
  identify: ({ id }) => id,
  async read(contactId, pageNumber, signal) {
    const { events: rows, ...totals } = await call(
      "GET /contacts/:contactId/history",
      { params: { contactId }, query: { pageNumber } },
      { signal },
    );
    return { rows, ...totals };
  },
}).follow("contact", (event) => ("contact" in event ? event.contact.id : null));

/** The notes of all tickets of a contact, newest first. */
export const notePages = livePages<TicketNote, number>({
  key: ["contacts", "notes"],
  identify: ({ id }) => id,
  async read(contactId, pageNumber, signal) {
    const { notes: rows, ...totals } = await call(
      "GET /contacts/:contactId/notes",
      { params: { contactId }, query: { pageNumber } },
      { signal },
    );
    return { rows, ...totals };
  },
}).follow("ticketNote");

/** Files of one kind of all tickets of a contact, newest first. */
function filePages(kind: "pictures" | "others") {
  return livePages<Message, number>({
    key: ["contacts", kind],
    identify: ({ id }) => id,
    async read(contactId, pageNumber, signal) {
      const { messages: rows, ...totals } = await call(
        "GET /contacts/:contactId/files",
        { params: { contactId }, query: { pageNumber, kind } },
        { signal },
      );
      return { rows, ...totals };
    },
  })
    .follow("ticket", (event) => (event.action === "update" ? event.ticket.contactId : null))
    .follow("appMessage", (event) => {
      // A customer's file has come, or is gone; one that was just sent is in the ticket's event.
      if (event.action !== "update" || event.message.media === null) return null;
      return event.ticket?.contactId ?? event.message.contactId;
    });
}

export const picturePages = filePages("pictures");
export const otherFilePages = filePages("others");

/** Two contacts beside each other; read again each time, because a merge needs them as they are. */
export function useMergePreview(contactId: number, otherId: number) {
  return useQuery({
    queryKey: ["contacts", "merge", contactId, otherId],
    queryFn: ({ signal }): Promise<MergePreview> =>
      call(
        "GET /contacts/:contactId/merge",
        { params: { contactId }, query: { otherId: String(otherId) } },
        { signal },
      ),
    staleTime: 0,
    gcTime: 0,
    meta: { live: false },
  });
}

/** Makes two contacts one, which keeps the first id. */
export async function mergeContacts(contactId: number, body: MergeChoices): Promise<ShownContact> {
  const merged = await call("POST /contacts/:contactId/merge", { params: { contactId }, body });
  contactPages.readAgain();
  duplicatePages.readAgain();
  return merged;
}

/** Two contacts are two people: the pair is not suggested again. */
export async function keepApart(contactId: number, otherId: number): Promise<void> {
  const body = { otherId: otherId as ContactId }; // of a reply
  await call("POST /contacts/:contactId/distinct", { params: { contactId }, body });
  contactPages.readAgain();
  duplicatePages.readAgain();
}

export const pairKey = ({ contacts: [one, other] }: DuplicatePair): string =>
  `${one.id} ${other.id}`;

/** Pairs of contacts that may be one person. */
export const duplicatePages = livePages<DuplicatePair>({
  key: ["contacts", "duplicates"],
  identify: pairKey,
  async read(_all, pageNumber, signal) {
    const { pairs: rows, ...totals } = await call(
      "GET /contacts/duplicates",
      { query: { pageNumber } },
      { signal },
    );
    return { rows, ...totals };
  },
});
