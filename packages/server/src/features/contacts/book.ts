import type {
  ContactChange,
  ContactId,
  ContactRef,
  NewContact,
  ReplyOf,
  ResultOf,
} from "@balcao/contract";
import { pageSizes } from "@balcao/contract";
import type { Ctx, UserCtx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import type { Clock } from "../../platform/sources.ts";
import type { KeyedAddress } from "./address.ts";
import { addressKey, keyedAddresses } from "./address.ts";
import type { ContactListQuery } from "./book-lists.ts";
import { listChoices, listContacts } from "./book-lists.ts";
import {
  findByNumber,
  findContact,
  lockContact,
  saveContact,
  saveExtraInfo,
  saveNumber,
} from "./book-repository.ts";
import type { FullContactRow, ShownContact, ShownContactRow } from "./contact-row.ts";
import { toContactDto, toListedContactDto, toShownContactDto } from "./contact-row.ts";
import type { ContactEvents } from "./events.ts";
import type { NumberCheck } from "./number-check.ts";
import { formsOf, readNumber } from "./number.ts";
import { deleteContact, insertContact, lockAddresses } from "./repository.ts";

/** What the address book needs of tickets, which know contacts and not the other way round. */
export type ContactTickets = {
  removeOfContact(ctx: Ctx, tx: Tx, contactId: ContactId): Promise<void>;
  /** The contact looks different on its tickets' cards. */
  contactChanged(ctx: Ctx, tx: Tx, contactId: ContactId): Promise<void>;
  lockOfContact(ctx: Ctx, tx: Tx, contactId: ContactId): Promise<void>;
  /** Throws ERR_CONTACT_NUMBER_FORBIDDEN unless the user may see all tickets of the contact that wait or are served. */
  requireAllLivingVisible(ctx: UserCtx, tx: Tx, contactId: ContactId): Promise<void>;
  attendancesOfContact(
    ctx: UserCtx,
    tx: Tx,
    contactId: ContactId,
    pageNumber: number,
  ): Promise<ReplyOf<"GET /contacts/:contactId/attendances">>;
};

/** Another number of a contact; null for none. */
export type NumberChange = { from: string | null; to: string };

/** What another number does to what is written to the contact. */
export type NumberChanges = {
  /** Scheduled messages of others do not follow to the new number. Locks them: to be called before tickets are locked. */
  holdSchedules(ctx: UserCtx, tx: Tx, contactId: ContactId): Promise<void>;
  /** The contact's conversations show the change and who made it. */
  show(ctx: UserCtx, tx: Tx, contactId: ContactId, change: NumberChange): Promise<void>;
};

export type BookDeps = {
  db: Database;
  clock: Clock;
  events: ContactEvents;
  tickets: ContactTickets;
  numberChanges: NumberChanges;
  checkNumber: NumberCheck;
};

/** The company's address book (wire-contract 5.10). */
export function createBook(deps: BookDeps) {
  const { db, clock, events, tickets, numberChanges, checkNumber } = deps;

  async function list(ctx: UserCtx, query: ContactListQuery): Promise<ResultOf<"GET /contacts">> {
    const { rows, total } = await db.transaction(ctx, (tx) => listContacts(ctx, tx, query));
    const offset = (query.pageNumber - 1) * pageSizes.contacts;
    return {
      contacts: rows.map(toListedContactDto),
      count: total,
      hasMore: total > offset + rows.length,
    };
  }

  const choices = (ctx: UserCtx, name: string): Promise<ContactRef[]> =>
    db.transaction(ctx, (tx) => listChoices(ctx, tx, name));

  async function show(ctx: UserCtx, id: ContactId): Promise<ShownContact> {
    const row = await db.transaction(ctx, (tx) => findContact(ctx, tx, id));
    return toShownContactDto(required(row));
  }

  /** A new contact by a number that the chat network knows; whoever has the number already is answered instead. */
  async function create(ctx: UserCtx, wish: NewContact): Promise<ResultOf<"POST /contacts">> {
    const forms = formsOf(readNumber(wish.number));
    const known = await db.transaction(ctx, (tx) => findByNumber(ctx, tx, forms));
    if (known) return existing(known);
    const number = await checkNumber(ctx, forms);
    return db.transaction(ctx, async (tx) => {
      const addresses = phoneOf(number);
      await lockAddresses(ctx, tx, addresses);
      const other = await findByNumber(ctx, tx, [number]);
      if (other) return existing(other);
      const { name, email } = wish;
      const person = { addresses, isGroup: false, name, email, now: clock.now() };
      const { id } = await insertContact(ctx, tx, person);
      await saveExtraInfo(ctx, tx, id, wish.extraInfo);
      const row = required(await findContact(ctx, tx, id));
      events.created(tx, row);
      return { ...toShownContactDto(row), invalido: false };
    });
  }

  /**
   * Changes what is given. Another number redirects the contact's conversations: it is for users who may see all open
   * ones, which show it (docs/people.md). The chat network is asked about it before anything is written.
   */
  async function change(ctx: UserCtx, id: ContactId, wish: ContactChange): Promise<ShownContact> {
    const before = required(await db.transaction(ctx, (tx) => findContact(ctx, tx, id)));
    const number = await otherNumber(ctx, before, wish.number ?? "");
    return db.transaction(ctx, async (tx) => {
      if (number !== null) await lockForNumber(ctx, tx, id, number);
      const locked = required(await lockContact(ctx, tx, id));
      if (number !== null) await giveNumber(ctx, tx, locked, number);
      await saveContact(ctx, tx, id, wish, clock.now());
      if (wish.extraInfo) await saveExtraInfo(ctx, tx, id, wish.extraInfo);
      const after = required(await findContact(ctx, tx, id));
      events.updated(tx, after);
      if (isOtherCard(locked, after)) await tickets.contactChanged(ctx, tx, id);
      return toShownContactDto(after);
    });
  }

  /** The number to give to a contact, as the network writes it; null when it keeps its own. */
  async function otherNumber(
    ctx: UserCtx,
    contact: FullContactRow,
    written: string,
  ): Promise<string | null> {
    if (written === "" || written === contact.number) return null;
    const digits = readNumber(written);
    if (contact.isGroup) throw new DomainError("ERR_NUMBER_FORMAT");
    if (contact.number !== null && keyOf(digits) === keyOf(contact.number)) return null;
    await db.transaction(ctx, (tx) => tickets.requireAllLivingVisible(ctx, tx, contact.id));
    return checkNumber(ctx, formsOf(digits));
  }

  /** In the order of docs/people.md: addresses, scheduled messages, tickets; the contact comes after them. */
  async function lockForNumber(ctx: UserCtx, tx: Tx, id: ContactId, number: string): Promise<void> {
    await lockAddresses(ctx, tx, phoneOf(number));
    await numberChanges.holdSchedules(ctx, tx, id);
    await tickets.lockOfContact(ctx, tx, id);
  }

  async function giveNumber(
    ctx: UserCtx,
    tx: Tx,
    { id, number: from }: FullContactRow,
    number: string,
  ): Promise<void> {
    if (from === number) return;
    // A ticket that came meanwhile counts as well; none can come any more while the contact is locked.
    await tickets.requireAllLivingVisible(ctx, tx, id);
    const owner = await findByNumber(ctx, tx, [number]);
    if (owner && owner.id !== id) throw new DomainError("ERR_DUPLICATED_CONTACT");
    await saveNumber(ctx, tx, id, number);
    await numberChanges.show(ctx, tx, id, { from, to: number });
  }

  async function remove(ctx: UserCtx, id: ContactId): Promise<{ message: string }> {
    await db.transaction(ctx, async (tx) => {
      // Tickets are locked before contacts (docs/people.md); what has come meanwhile goes with the contact locked.
      await tickets.removeOfContact(ctx, tx, id);
      required(await lockContact(ctx, tx, id));
      await tickets.removeOfContact(ctx, tx, id);
      await deleteContact(ctx, tx, id);
      events.deleted(tx, ctx, id);
    });
    return { message: "Contact deleted" };
  }

  const attendances = (
    ctx: UserCtx,
    id: ContactId,
    pageNumber: number,
  ): Promise<ReplyOf<"GET /contacts/:contactId/attendances">> =>
    db.transaction(ctx, async (tx) => {
      required(await findContact(ctx, tx, id));
      return tickets.attendancesOfContact(ctx, tx, id, pageNumber);
    });

  return { list, choices, show, create, change, remove, attendances };
}

export type Book = ReturnType<typeof createBook>;

/** Some clients read the contact itself, some what it is wrapped in (wire-contract 5.10). */
function existing(row: ShownContactRow): ResultOf<"POST /contacts"> {
  const existingContact = toContactDto(row);
  return { ...toShownContactDto(row), alreadyExists: true, existingContact, invalido: false };
}

function required<T>(row: T | undefined): T {
  if (row === undefined) throw new DomainError("ERR_NO_CONTACT_FOUND");
  return row;
}

const phoneOf = (number: string): KeyedAddress[] => keyedAddresses([{ kind: "pn", value: number }]);
const keyOf = (value: string): string => addressKey({ kind: "pn", value });

function isOtherCard(before: FullContactRow, after: FullContactRow): boolean {
  return (
    before.name !== after.name || before.number !== after.number || before.email !== after.email
  );
}
