export { addressKey, keyedAddresses, type KeyedAddress } from "./address.ts";
export { type ContactRow, type Person, toContactRef } from "./contact.ts";
export { type KnownContact } from "./repository.ts";
export { type ContactService, createContactService, type JoinTickets } from "./service.ts";
