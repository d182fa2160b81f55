import type {
  ContactListBody,
  ContactListItem,
  ContactSelection,
  ListedContactList,
  ListValidity,
  RequestOf,
  SheetFormat,
  ShownContactList,
} from "@balcao/contract";
import { useQuery } from "@tanstack/react-query";
import { call } from "../../api/client.ts";
import { saveFile } from "../../api/download.ts";
import { currentLanguage } from "../../i18n/index.ts";
import { onCompanyEvent } from "../../realtime/live.ts";
import { livePages, liveRecords } from "../../realtime/live-list.ts";

export const contactListPages = livePages<ListedContactList>({
  key: ["contact-lists", "page"],
  identify: ({ id }) => id,
  async read(searchParam, pageNumber, signal) {
    const query = { searchParam, pageNumber };
    const { records: rows, ...rest } = await call("GET /contact-lists", { query }, { signal });
    return { rows, ...rest };
  },
}).follow("ContactList");

/** One list with the state of its numbers. */
const contactListRecords = liveRecords<number, ShownContactList>({
  key: ["contact-lists", "one"],
  read: (contactListId, signal) =>
    call("GET /contact-lists/:contactListId", { params: { contactListId } }, { signal }),
});
// Its counts are no part of the event.
onCompanyEvent("ContactList", (event) => {
  if (event.action !== "delete") void contactListRecords.readAgain(event.record.id);
});

export const useContactList = (id: number) => useQuery(contactListRecords.query(id));

/** Saves the people on a list, or those of one validity, as a spreadsheet. */
export async function saveMembersFile(
  contactListId: number,
  validity: ListValidity | null,
  format: SheetFormat,
): Promise<void> {
  await saveFile("POST /contact-lists/:contactListId/export", {
    params: { contactListId },
    body: { format, language: currentLanguage(), validity: validity ?? undefined },
  });
}

type MemberQuery = Readonly<{ listId: number; words: string; validity: ListValidity | null }>;

/** The people on a list. A check of their numbers publishes the list after each step. */
export const memberPages = livePages<ContactListItem, MemberQuery>({
  key: ["contact-lists", "members"],
  identify: ({ id }) => id,
  async read({ listId: contactListId, words: searchParam, validity }, pageNumber, signal) {
    const query = { contactListId, searchParam, pageNumber, ...(validity ? { validity } : {}) };
    const { contacts: rows, ...rest } = await call(
      "GET /contact-list-items",
      { query },
      { signal },
    );
    return { rows, ...rest };
  },
})
  .follow("ContactList")
  .follow("ContactListItem");

/** Saves a new (`id` null) or known list. */
export async function saveContactList(
  id: number | null,
  body: ContactListBody,
): Promise<ListedContactList> {
  const saved =
    id === null
      ? await call("POST /contact-lists", { body })
      : await call("PUT /contact-lists/:contactListId", { params: { contactListId: id }, body });
  contactListPages.readAgain();
  return saved;
}

export async function deleteContactList(id: number): Promise<void> {
  await call("DELETE /contact-lists/:contactListId", { params: { contactListId: id } });
  contactListPages.readAgain();
}

/** Puts contacts of the address book on a list; says how many were not on it. */
export async function fillContactList(
  id: number,
  body: { selection: ContactSelection; keepsFilter: boolean },
): Promise<{ added: number }> {
  const params = { contactListId: id };
  const added = await call("POST /contact-lists/:contactListId/contacts", { params, body });
  changed(id);
  return added;
}

/** Puts those who fit the list's filter by now on it. */
export async function refreshContactList(id: number): Promise<{ added: number }> {
  const params = { contactListId: id };
  const added = await call("POST /contact-lists/:contactListId/refresh", { params });
  changed(id);
  return added;
}

/** Has the numbers that were not checked looked up. */
export async function checkContactList(id: number): Promise<void> {
  await call("POST /contact-lists/:contactListId/check", { params: { contactListId: id } });
  changed(id);
}

type MemberBody = Omit<RequestOf<"POST /contact-list-items">["body"], "contactListId">;

/** Puts somebody on a list (`id` null), or changes who is there. */
export async function saveMember(
  listId: number,
  id: number | null,
  body: MemberBody,
): Promise<ContactListItem> {
  const saved =
    id === null
      ? await call("POST /contact-list-items", { body: { ...body, contactListId: listId } })
      : await call("PUT /contact-list-items/:contactListItemId", {
          params: { contactListItemId: id },
          body,
        });
  changed(listId);
  return saved;
}

export async function removeMember({ id, contactListId }: ContactListItem): Promise<void> {
  await call("DELETE /contact-list-items/:contactListItemId", {
    params: { contactListItemId: id },
  });
  changed(contactListId);
}

function changed(id: number): void {
  contactListPages.readAgain();
  memberPages.readAgain();
  void contactListRecords.readAgain(id);
}
