import type { Routes } from "../../platform/http/routes.ts";
import type { Realtime } from "../../platform/realtime/hub.ts";
import type { ContactTickets, NumberChanges } from "./book.ts";
import { createBook } from "./book.ts";
import { createContactEvents } from "./events.ts";
import type { NumberCheckDeps } from "./number-check.ts";
import { createNumberCheck } from "./number-check.ts";
import { registerContactRoutes } from "./routes.ts";

export { addressKey, keyedAddresses, type KeyedAddress } from "./address.ts";
export { type ContactRow, type Person, toContactRef } from "./contact.ts";
export type { NumberChange } from "./book.ts";
export { searchedDigits } from "./number.ts";
export { createContactPictures } from "./pictures.ts";
export { type KnownContact } from "./repository.ts";
export {
  type ContactService,
  createContactService,
  isWhollyKnown,
  type TicketsOfPeople,
} from "./service.ts";

export type ContactsDeps = NumberCheckDeps & {
  realtime: Realtime;
  tickets: ContactTickets;
  numberChanges: NumberChanges;
};

/** The address book, and the contacts of people who write (`createContactService`). */
export function createContactsFeature(deps: ContactsDeps): { register(routes: Routes): void } {
  const { db, clock, realtime, tickets, numberChanges } = deps;
  const events = createContactEvents(realtime);
  const checkNumber = createNumberCheck(deps);
  const book = createBook({ db, clock, events, tickets, numberChanges, checkNumber });
  return { register: (routes) => registerContactRoutes(routes, book) };
}
