import type { ContactId } from "@balcao/contract";
import type { Ctx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import type { Realtime } from "../../platform/realtime/hub.ts";
import type { Clock } from "../../platform/sources.ts";
import type { NumberChange } from "./book.ts";
import { findContact, saveNumber } from "./book-repository.ts";
import type { ContactRow, Person } from "./contact.ts";
import { betterName, initialName, nameOfOne } from "./contact.ts";
import { createContactEvents } from "./events.ts";
import type { KnownContact } from "./repository.ts";
import {
  absorbContact,
  deleteContact,
  findByAddresses,
  insertContact,
  lockAddresses,
  lockMerging,
  updateContact,
} from "./repository.ts";

/** What contacts need of tickets when people turn out to be one, in the transaction that finds it out. */
export type TicketsOfPeople = {
  /** Gives the tickets of some contacts to the one that stays; the contacts are as they were. */
  join(keep: ContactId, drop: readonly ContactId[]): Promise<void>;
  /** The conversations of a contact show that it is written to at another number; nobody of the company did it. */
  numberChanged(keep: ContactId, change: NumberChange): Promise<void>;
  /** Tells all tickets of a contact, which has other ones or looks different. */
  tell(keep: ContactId): Promise<void>;
};

/** The first turn looks, the second makes; each loss of a race against another transaction takes one more. */
const TURNS = 6;

/**
 * The contacts of people who write. All functions run in the caller's transaction; which locks they take, and in which
 * order, is written down in docs/people.md.
 */
export function createContactService({ clock, realtime }: { clock: Clock; realtime: Realtime }) {
  const events = createContactEvents(realtime);

  /** The person's contact by any of the addresses, made if nobody knows it: one person is one contact. */
  async function findOrCreate(
    ctx: Ctx,
    tx: Tx,
    person: Person,
    tickets: TicketsOfPeople,
  ): Promise<ContactRow> {
    const contact = await resolve(ctx, tx, person, { tickets, isMade: true });
    if (!contact) throw new Error("nobody was made");
    return contact;
  }

  /**
   * What the network tells about somebody without a message: takes it over where he is known, else forgets it. His
   * tickets are told when he looks different.
   */
  async function learn(
    ctx: Ctx,
    tx: Tx,
    person: Person,
    tickets: TicketsOfPeople,
  ): Promise<ContactRow | null> {
    const before = await findByAddresses(ctx, tx, person.addresses);
    if (before.length === 0) return null;
    const contact = await resolve(ctx, tx, person, { tickets, isMade: false });
    const [only, ...others] = before;
    const looksTheSame = contact?.name === only?.name && contact?.number === only?.number;
    if (contact && others.length === 0 && !looksTheSame) await tickets.tell(contact.id);
    return contact;
  }

  /** The person has another number, one of the addresses: the contact is written to there, and shows it. */
  async function move(
    ctx: Ctx,
    tx: Tx,
    contact: ContactRow,
    { person, number: to, tickets }: { person: Person; number: string; tickets: TicketsOfPeople },
  ): Promise<void> {
    if (contact.number === null || contact.number === to) return;
    await lockAddresses(ctx, tx, person.addresses);
    const from = contact.number;
    await saveNumber(ctx, tx, contact.id, to);
    await tickets.numberChanged(contact.id, { from, to });
    const moved = await findContact(ctx, tx, contact.id);
    if (moved) events.updated(tx, moved);
    await tickets.tell(contact.id);
  }

  async function resolve(
    ctx: Ctx,
    tx: Tx,
    person: Person,
    { tickets, isMade }: { tickets: TicketsOfPeople; isMade: boolean },
  ): Promise<ContactRow | null> {
    let isLocked = false;
    for (let turn = 1; turn <= TURNS; turn += 1) {
      const known = await findByAddresses(ctx, tx, person.addresses);
      const [only, ...others] = known;
      if (only && others.length === 0 && (isLocked || isWhollyKnown(only, person))) {
        return (await recognise(ctx, tx, only, person)).contact;
      }
      if (!isLocked) {
        await lockAddresses(ctx, tx, person.addresses);
        isLocked = true;
      } else if (only) {
        await merge(ctx, tx, person, tickets);
      } else {
        const made = isMade ? await create(ctx, tx, person) : null;
        if (made || !isMade) return made;
      }
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
   * Takes over what is told about the only contact that knows the person: new addresses, which are locked, and the first
   * real name. `isChanged` when something of it was new.
   */
  async function recognise(
    ctx: Ctx,
    tx: Tx,
    known: KnownContact,
    person: Person,
  ): Promise<{ contact: ContactRow; isChanged: boolean }> {
    const { known: own, ...contact } = known;
    const name = betterName(contact, person);
    const addresses = person.addresses.filter(
      ({ kind, key, value }) =>
        !own.some((one) => one.kind === kind && one.key === key && one.value === value),
    );
    if (name === null && addresses.length === 0) return { contact, isChanged: false };
    const changed = { id: contact.id, name, addresses, now: clock.now() };
    const after = await updateContact(ctx, tx, changed);
    // An address that nobody sees is no news.
    if (after.name !== contact.name || after.number !== contact.number) events.updated(tx, after);
    return { contact: after, isChanged: true };
  }

  /**
   * Makes the contacts that own the person's addresses, which are locked, one: whoever has a phone number stays, then
   * whoever is older. The others' tickets and all that hangs on them come to it, and they are no more.
   */
  async function merge(ctx: Ctx, tx: Tx, person: Person, tickets: TicketsOfPeople): Promise<void> {
    await lockMerging(ctx, tx);
    const owners = await findByAddresses(ctx, tx, person.addresses);
    const [stays, ...others] = owners.toSorted(byNumberThenAge);
    if (!stays || others.length === 0) return;
    await tickets.join(
      stays.id,
      others.map(({ id }) => id),
    );
    const name = nameOfOne(stays, others);
    for (const { id } of others) {
      const row = await absorbContact(ctx, tx, {
        from: id,
        into: stays.id,
        name,
        now: clock.now(),
      });
      events.deleted(tx, ctx, id);
      if (id === others.at(-1)?.id) events.updated(tx, row);
    }
    for (const { number } of others) {
      if (number === null || stays.number === null || number === stays.number) continue;
      await tickets.numberChanged(stays.id, { from: number, to: stays.number });
    }
    await tickets.tell(stays.id);
  }

  return {
    findOrCreate,
    learn,
    move,
    create,
    recognise,
    merge,
    lock: (ctx: Ctx, tx: Tx, person: Person) => lockAddresses(ctx, tx, person.addresses),
  };
}

export type ContactService = ReturnType<typeof createContactService>;

/** Every address of the person is the contact's own. */
export function isWhollyKnown({ known }: Pick<KnownContact, "known">, person: Person): boolean {
  return person.addresses.every(({ kind, key }) =>
    known.some((one) => one.kind === kind && one.key === key),
  );
}

/** Whoever has a phone number is kept, then whoever is older. */
function byNumberThenAge(a: KnownContact, b: KnownContact): number {
  const missing = Number(a.number === null) - Number(b.number === null);
  return missing === 0 ? a.id - b.id : missing;
}
