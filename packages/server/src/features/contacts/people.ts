import type { ConnectionId } from "@balcao/contract";
import type { Ctx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import { hasId } from "../../platform/db/records.ts";
import { contacts } from "../../platform/db/schema/index.ts";
import type { ContactRow, Person } from "./contact.ts";
import { betterName, initialName, tellContact } from "./contact.ts";
import { recordEvents } from "./history.ts";
import type { PeopleDeps } from "./merging.ts";
import { mergeContacts } from "./merging.ts";
import type { KnownContact } from "./repository.ts";
import { noteInPhoneBook } from "./phone-book.ts";
import {
  findByAddresses,
  findContact,
  insertContact,
  lockAddresses,
  saveNumber,
  updateContact,
} from "./repository.ts";

export type ContactService = ReturnType<typeof createContactService>;

/**
 * The contacts of people who write. All functions run in the caller's transaction; docs/people.md has their locks and
 * the order of them.
 */
export const createContactService = (deps: PeopleDeps) => ({
  findOrCreate: (ctx: Ctx, tx: Tx, person: Person) => findOrCreateContact(deps, ctx, tx, person),
  note: (ctx: Ctx, tx: Tx, connectionId: ConnectionId, person: Person) =>
    noteInPhoneBook(ctx, tx, { connectionId, person, now: deps.clock.now() }),
  learn: (ctx: Ctx, tx: Tx, person: Person) => learnPerson(deps, ctx, tx, person),
  move: (ctx: Ctx, tx: Tx, contact: ContactRow, moved: MovedPerson) =>
    moveContact(deps, ctx, tx, contact, moved),
  create: (ctx: Ctx, tx: Tx, person: Person) => createContact(deps, ctx, tx, person),
  recognise: (ctx: Ctx, tx: Tx, known: KnownContact, person: Person) =>
    recogniseContact(deps, ctx, tx, known, person),
  merge: (ctx: Ctx, tx: Tx, person: Person) => mergeContacts(deps, ctx, tx, person),
  lock: (ctx: Ctx, tx: Tx, person: Person) => lockAddresses(ctx, tx, person.addresses),
});

/** The first attempt looks, the second creates; each race lost to another transaction needs one more. */
const TURNS = 6;

/** The person's contact by any of the addresses, created if none is known: one person is one contact. */
async function findOrCreateContact(
  deps: PeopleDeps,
  ctx: Ctx,
  tx: Tx,
  person: Person,
): Promise<ContactRow> {
  const contact = await resolve(deps, ctx, tx, person, { isMade: true });
  if (!contact) throw new Error("no contact was created");
  return contact;
}

/**
 * Stores what the network reports about a known person without a message. The person's tickets are
 * published when the contact looks different.
 */
async function learnPerson(
  deps: PeopleDeps,
  ctx: Ctx,
  tx: Tx,
  person: Person,
): Promise<ContactRow | null> {
  const before = await findByAddresses(ctx, tx, person.addresses);
  if (before.length === 0) return null;
  const contact = await resolve(deps, ctx, tx, person, { isMade: false });
  const [only, ...others] = before;
  const looksTheSame = contact?.name === only?.name && contact?.number === only?.number;
  if (contact && others.length === 0 && !looksTheSame) {
    const changed = { contactId: contact.id, tickets: "all" } as const;
    await deps.domainEvents.publish(tx, ctx, "contact.changed", changed);
  }
  return contact;
}

type MovedPerson = { person: Person; number: string };

/** Gives the contact another number, one of the person's addresses: messages go there from now on. */
async function moveContact(
  deps: PeopleDeps,
  ctx: Ctx,
  tx: Tx,
  { id, number: from }: ContactRow,
  { person, number: to }: MovedPerson,
): Promise<void> {
  if (from === null || from === to) return;
  await lockAddresses(ctx, tx, person.addresses);
  const now = deps.clock.now();
  await saveNumber(ctx, tx, id, to, now);
  await recordEvents(ctx, tx, now, [
    { contactId: id, change: { kind: "numberChanged", from, to } },
  ]);
  const { domainEvents } = deps;
  await domainEvents.publish(tx, ctx, "contact.numberChanged", { contactId: id, from, to });
  tellContact(deps, tx, "update", await findContact(ctx, tx, id));
  await domainEvents.publish(tx, ctx, "contact.changed", { contactId: id, tickets: "all" });
}

async function resolve(
  deps: PeopleDeps,
  ctx: Ctx,
  tx: Tx,
  person: Person,
  { isMade }: { isMade: boolean },
): Promise<ContactRow | null> {
  let isLocked = false;
  for (let turn = 1; turn <= TURNS; turn += 1) {
    const known = await findByAddresses(ctx, tx, person.addresses);
    const [only, ...others] = known;
    if (only && others.length === 0 && (isLocked || isWhollyKnown(only, person))) {
      const recognised = await recogniseContact(deps, ctx, tx, only, person);
      if (recognised) return recognised.contact;
    }
    if (!isLocked) {
      await lockAddresses(ctx, tx, person.addresses);
      isLocked = true;
    } else if (only) {
      await mergeContacts(deps, ctx, tx, person);
    } else {
      const made = isMade ? await createContact(deps, ctx, tx, person) : null;
      if (made || !isMade) return made;
    }
  }
  throw new Error("the contact's addresses keep changing hands");
}

/** Inserts a person whose addresses are locked and unknown; null when one of them, or the number, is known by now. */
async function createContact(
  deps: PeopleDeps,
  ctx: Ctx,
  tx: Tx,
  person: Person,
): Promise<ContactRow | null> {
  const values = { ...person, name: initialName(person), now: deps.clock.now() };
  const { isNew, owners, ...contact } = await insertContact(ctx, tx, values);
  if (owners.every((owner) => owner === contact.id)) {
    if (isNew) tellContact(deps, tx, "create", contact);
    return contact;
  }
  if (isNew) await tx.orm.delete(contacts).where(hasId(ctx, contacts, contact.id));
  return null;
}

/**
 * Stores what is new about the only contact of the person: addresses, which are locked, and the first real name.
 * `isChanged` when something was new. Null when a merge deleted the contact at this moment: whose the addresses are has to be
 * read again.
 */
async function recogniseContact(
  deps: PeopleDeps,
  ctx: Ctx,
  tx: Tx,
  known: KnownContact,
  person: Person,
): Promise<{ contact: ContactRow; isChanged: boolean } | null> {
  const { known: own, ...contact } = known;
  const name = betterName(contact, person);
  const addresses = person.addresses.filter(
    ({ kind, key, value }) =>
      !own.some((one) => one.kind === kind && one.key === key && one.value === value),
  );
  if (name === null && addresses.length === 0) return { contact, isChanged: false };
  const changed = { id: contact.id, name, addresses, now: deps.clock.now() };
  const after = await updateContact(ctx, tx, changed);
  if (after === null) return null;
  if (contact.number === null && after.number !== null) {
    const change = { kind: "numberChanged", from: null, to: after.number } as const;
    await recordEvents(ctx, tx, changed.now, [{ contactId: contact.id, change }]);
  }
  // A new address that no screen shows is not published.
  if (after.name !== contact.name || after.number !== contact.number) {
    tellContact(deps, tx, "update", after);
  }
  return { contact: after, isChanged: true };
}

/** Every address of the person is the contact's own. */
export function isWhollyKnown({ known }: Pick<KnownContact, "known">, person: Person): boolean {
  return person.addresses.every(({ kind, key }) =>
    known.some((one) => one.kind === kind && one.key === key),
  );
}
