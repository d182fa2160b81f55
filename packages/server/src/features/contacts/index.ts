import type { UserCtx } from "../../platform/context.ts";
import type { Routes } from "../../platform/http/routes.ts";
import type { ContactsDeps } from "./book.ts";
import { changeChosen } from "./bulk.ts";
import {
  addContact,
  changeContact,
  chooseContact,
  findOrAdd,
  findOrAddOn,
  listAttendances,
  listBook,
  listById,
  removeContact,
  saveOptOut,
  showContact,
} from "./book.ts";
import { exportContacts } from "./export.ts";
import { keepApart, listDuplicates } from "./duplicates.ts";
import { listHistory } from "./history.ts";
import { mergeByHand, showMerge } from "./merge-by-hand.ts";
import { showSummary } from "./summary.ts";

export {
  addressKey,
  formsOf,
  keyedAddresses,
  type KeyedAddress,
  readNumber,
  searchedDigits,
} from "./address.ts";
export {
  type ImportedPerson,
  type ImportOutcome,
  importPeople,
  readImported,
  tellReload,
} from "./book-import.ts";
export { chosenContacts } from "./book-lists.ts";
export { type ContactNumberChange, optOutOf } from "./book.ts";
export { type ContactRow, pictureUrl, type Person } from "./contact.ts";
export { forgetContact, removeForgotten } from "./forgetting.ts";
export { recordEvents } from "./history.ts";
export type { JoinedContacts } from "./merging.ts";
export { type ContactService, createContactService, isWhollyKnown } from "./people.ts";
export { KNOWN_NUMBER_DAYS } from "./number-check.ts";
export { createContactPictures } from "./pictures.ts";
export type { KnownContact } from "./repository.ts";

/** The address book (wire-contract 5.10); `createContactService` has the contacts of people who write. */
export function createContactsFeature(deps: ContactsDeps) {
  return {
    findOrAdd: (ctx: UserCtx, number: string) => findOrAdd(deps, ctx, number),
    findOrAddOn: findOrAddOn.bind(null, deps),
    listById: listById.bind(null, deps),
    showContact: showContact.bind(null, deps),
    addContact: addContact.bind(null, deps),
    changeContact: changeContact.bind(null, deps),
    register(routes: Routes): void {
      routes.handle("GET /contacts", ({ ctx, query }) => listBook(deps, ctx, query));
      routes.handle("GET /contacts/list", async ({ ctx, query }) =>
        chooseContact(deps, ctx, query),
      );
      routes.handle("GET /contacts/:contactId", ({ ctx, params }) =>
        showContact(deps, ctx, params.contactId),
      );
      routes.handle("POST /contacts", ({ ctx, body }) => addContact(deps, ctx, body));
      routes.handle("PUT /contacts/:contactId", ({ ctx, params, body }) =>
        changeContact(deps, ctx, params.contactId, body),
      );
      routes.handle("DELETE /contacts/:contactId", async ({ ctx, params }) => {
        await removeContact(deps, ctx, params.contactId);
        return { message: "Contact deleted" };
      });
      routes.handle("POST /contacts/bulk", ({ ctx, body }) => changeChosen(deps, ctx, body));
      routes.handle("POST /contacts/export", ({ ctx, body }) => exportContacts(deps, ctx, body));
      routes.handle("PUT /contacts/:contactId/opt-out", async ({ ctx, params }) => {
        const { contact } = await saveOptOut(deps, ctx, params.contactId, true);
        return contact;
      });
      routes.handle("DELETE /contacts/:contactId/opt-out", async ({ ctx, params }) => {
        const { contact } = await saveOptOut(deps, ctx, params.contactId, false);
        return contact;
      });
      routes.handle("GET /contacts/:contactId/attendances", ({ ctx, params, query }) =>
        listAttendances(deps, ctx, params.contactId, query.pageNumber),
      );
      routes.handle("GET /contacts/:contactId/summary", ({ ctx, params }) =>
        showSummary(deps, ctx, params.contactId),
      );
      routes.handle("GET /contacts/:contactId/history", ({ ctx, params, query }) =>
        listHistory(deps, ctx, params.contactId, query.pageNumber),
      );
      routes.handle("GET /contacts/duplicates", ({ ctx, query }) =>
        listDuplicates(deps, ctx, query.pageNumber),
      );
      routes.handle("POST /contacts/:contactId/distinct", async ({ ctx, params, body }) => {
        await keepApart(deps, ctx, params.contactId, body.otherId);
        return { message: "Contacts kept apart" };
      });
      routes.handle("GET /contacts/:contactId/merge", ({ ctx, params, query }) =>
        showMerge(deps, ctx, params.contactId, query.otherId),
      );
      routes.handle("POST /contacts/:contactId/merge", ({ ctx, params, body }) =>
        mergeByHand(deps, ctx, params.contactId, body),
      );
    },
  };
}
