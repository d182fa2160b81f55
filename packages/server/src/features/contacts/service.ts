import type { ContactId } from "@balcao/contract";
import type { Ctx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import type { Realtime } from "../../platform/realtime/hub.ts";
import type { Clock } from "../../platform/sources.ts";
import type { ContactRow, Person } from "./contact.ts";
import { betterName, initialName } from "./contact.ts";
import { createContactEvents } from "./events.ts";
import type { KnownContact } from "./repository.ts";
import {
  deleteContact,
  findByAddresses,
  insertContact,
  lockAddresses,
  moveAddresses,
  updateContact,
} from "./repository.ts";

/** Several contacts turn out to be one person; their tickets have to be joined before the contacts can be. */
export type JoinTickets = (keep: ContactId, drop: ContactId) => Promise<void>;

/** The first turn looks, the second makes; each loss of a race against another transaction takes one more. */
const TURNS = 6;

/** The contacts of people who write. All functions run in the caller's transaction. */
export function createContactService({ clock, realtime }: { clock: Clock; realtime: Realtime }) {
  const events = createContactEvents(realtime);

  /** The person's contact by any of the addresses, made if nobody knows it: one person is one contact. */
  async function findOrCreate(
    ctx: Ctx,
    tx: Tx,
    person: Person,
    joinTickets: JoinTickets,
  ): Promise<ContactRow> {
    for (let turn = 1; turn <= TURNS; turn += 1) {
      const known = await findByAddresses(ctx, tx, person.addresses);
      if (known.length > 0) {
        const { contact } = await recognise(ctx, tx, known, person, joinTickets);
        return contact;
      }
      const made = turn === 1 ? null : await create(ctx, tx, person);
      if (made) return made;
      await lockAddresses(ctx, tx, person.addresses);
    }
    throw new Error("the contact's addresses keep changing hands");
  }

  /**
   * Inserts a person whose addresses are locked and unknown; null when one of them, or the number, has become known all
   * the same.
   */
  async function create(ctx: Ctx, tx: Tx, person: Person): Promise<ContactRow | null> {
    const name = initialName(person);
    const { isNew, owners, ...contact } = await insertContact(ctx, tx, {
      ...person,
      name,
      now: clock.now(),
    });
    if (owners.every((owner) => owner === contact.id)) {
      if (isNew) events.created(tx, contact);
      return contact;
    }
    if (isNew) await deleteContact(ctx, tx, contact.id);
    return null;
  }

  /**
   * Takes over what the message tells about a known person: new addresses, the first real name, being one person with
   * other contacts. `isChanged` when something of it was new.
   */
  async function recognise(
    ctx: Ctx,
    tx: Tx,
    known: readonly KnownContact[],
    person: Person,
    joinTickets: JoinTickets,
  ): Promise<{ contact: ContactRow; isChanged: boolean }> {
    const [first, ...others] = known.toSorted(byNumberThenAge);
    if (!first) throw new Error("nobody to recognise");
    const { known: own, ...contact } = first;
    for (const other of others) {
      await joinTickets(contact.id, other.id);
      await moveAddresses(ctx, tx, { from: other.id, to: contact.id });
      await deleteContact(ctx, tx, other.id);
      events.deleted(tx, ctx, other.id);
    }
    const name = betterName(contact, person);
    const addresses = person.addresses.filter(
      ({ kind, key, value }) =>
        !own.some((one) => one.kind === kind && one.key === key && one.value === value),
    );
    if (name === null && addresses.length === 0) {
      return { contact, isChanged: others.length > 0 };
    }
    const changed = { id: contact.id, name, addresses, now: clock.now() };
    const after = await updateContact(ctx, tx, changed);
    // An address that nobody sees is no news.
    if (after.name !== contact.name || after.number !== contact.number) events.updated(tx, after);
    return { contact: after, isChanged: true };
  }

  return {
    findOrCreate,
    create,
    recognise,
    lock: (ctx: Ctx, tx: Tx, person: Person) => lockAddresses(ctx, tx, person.addresses),
  };
}

export type ContactService = ReturnType<typeof createContactService>;

/** Whoever has a phone number is kept, then whoever is older. */
function byNumberThenAge(a: KnownContact, b: KnownContact): number {
  const missing = Number(a.number === null) - Number(b.number === null);
  return missing === 0 ? a.id - b.id : missing;
}
