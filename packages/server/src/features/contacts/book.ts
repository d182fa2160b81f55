import type {
  ConnectionId,
  ContactChange,
  ContactId,
  ContactRef,
  InputOf,
  MessageId,
  NewContact,
  ReplyOf,
  ResultOf,
  TicketId,
} from "@balcao/contract";
import { pageSizes } from "@balcao/contract";
import type { Ctx, UserCtx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import { hasId, readWhole, requireRow, toIso } from "../../platform/db/records.ts";
import { contacts } from "../../platform/db/schema/index.ts";
import type { DomainEvents } from "../../platform/events.ts";
import type { Realtime } from "../../platform/realtime/hub.ts";
import type { MediaFiles } from "../media/index.ts";
import type { KeyedAddress } from "./address.ts";
import { addressKey, formsOf, keyedAddresses, readNumber } from "./address.ts";
import type { ChoiceRow } from "./book-lists.ts";
import { listChoices, listContacts } from "./book-lists.ts";
import type { FullContactRow, ShownContact, ShownContactRow } from "./contact.ts";
import {
  fullColumns,
  shownColumns,
  tellContact,
  tellContactDeleted,
  toContact,
  toContactRef,
  toListedContact,
  toShownContact,
} from "./contact.ts";
import { changesSince, editedFields, recordEvents } from "./history.ts";
import type { JoinedContacts } from "./merging.ts";
import type { NumberCheckDeps } from "./number-check.ts";
import { checkedNumber } from "./number-check.ts";
import { findContact, insertContact, lockAddresses, saveNumber } from "./repository.ts";

declare module "../../platform/events.ts" {
  interface EventPayloads {
    /** The cards of the contact's tickets change: of all, or of those that wait or are served. */
    "contact.changed": { contactId: ContactId; tickets: "all" | "living" };
    /** A user is about to give a contact another number. Its addresses are locked, its tickets are not yet. */
    "contact.numberChanging": { contactId: ContactId };
    "contact.numberChanged": ContactNumberChange;
    /** A contact is about to be deleted. Published before and after the lock of the contact. */
    "contact.removing": { contactId: ContactId };
  }
}

/** Another number of a contact; null for none. */
export type ContactNumberChange = { contactId: ContactId; from: string | null; to: string };

/** Queries and locks of the tickets feature, which imports this one. */
export type ContactTickets = {
  lockOfContact(ctx: Ctx, tx: Tx, contactId: ContactId): Promise<void>;
  /** Throws ERR_CONTACT_NUMBER_FORBIDDEN unless the user may see all tickets of the contact that wait or are served. */
  requireAllLivingVisible(ctx: Ctx, tx: Tx, contactId: ContactId): Promise<void>;
  /** Locks the contact's tickets; throws ERR_CONTACT_HAS_TICKET while one of them is open. */
  requireNoneOpen(ctx: Ctx, tx: Tx, contactId: ContactId): Promise<void>;
  /** Tickets of these contacts that are served on one connection: they cannot become one. */
  servedTogether(ctx: Ctx, tx: Tx, contactIds: readonly ContactId[]): Promise<ServedTicket[]>;
  lockOfContacts(ctx: Ctx, tx: Tx, contactIds: readonly ContactId[]): Promise<void>;
  /** See `PeopleDeps`. */
  joinOfContacts(ctx: Ctx, tx: Tx, contacts: JoinedContacts): Promise<MessageId[]>;
  /** The newest ticket of the contact that the user may see. */
  newestVisible(ctx: UserCtx, tx: Tx, contactId: ContactId): Promise<TicketId | null>;
  attendancesOfContact(
    ctx: UserCtx,
    tx: Tx,
    contactId: ContactId,
    pageNumber: number,
  ): Promise<ReplyOf<"GET /contacts/:contactId/attendances">>;
};

export type ServedTicket = { id: TicketId; uuid: string; contactId: ContactId };

export type ContactsDeps = NumberCheckDeps & {
  realtime: Realtime;
  files: Pick<MediaFiles, "signedPath">;
  tickets: ContactTickets;
  domainEvents: DomainEvents;
};

export async function listBook(
  { db, files }: ContactsDeps,
  ctx: UserCtx,
  query: InputOf<"GET /contacts">["query"],
): Promise<ResultOf<"GET /contacts">> {
  const { rows, total } = await db.transaction(ctx, (tx) => listContacts(ctx, tx, query));
  const offset = (query.pageNumber - 1) * pageSizes.contacts;
  return {
    contacts: rows.map((row) => toListedContact(row, files.signedPath)),
    count: total,
    hasMore: total > offset + rows.length,
  };
}

/** All contacts by name, or as many as the caller asks for. */
export function chooseContact(
  { db, files }: ContactsDeps,
  ctx: UserCtx,
  { name, limit: most }: InputOf<"GET /contacts/list">["query"],
): AsyncIterable<ContactRef[]> {
  const toWire = (row: ChoiceRow): ContactRef => toContactRef(row, files.signedPath);
  return readWhole(
    (limit, last: ChoiceRow | undefined) =>
      db.transaction(ctx, (tx) => listChoices(ctx, tx, name, { limit: most ?? limit, last })),
    toWire,
  );
}

export async function showContact(
  { db, files }: ContactsDeps,
  ctx: Ctx,
  id: ContactId,
): Promise<ShownContact> {
  const row = await db.transaction(ctx, (tx) => findContact(ctx, tx, id));
  return toShownContact(row, files.signedPath);
}

/** Creates a contact by a number that the chat network knows, or returns the contact that has the number. */
export async function addContact(
  deps: ContactsDeps,
  ctx: Ctx,
  wish: NewContact,
): Promise<ResultOf<"POST /contacts">> {
  try {
    return await storeContact(deps, ctx, wish);
  } catch (error) {
    // Previews of shared contacts send no `extraInfo` and read a reply, not an error (wire-contract 14, 1).
    const isUnknown = error instanceof DomainError && error.code === "ERR_WAPP_INVALID_CONTACT";
    if (isUnknown && wish.extraInfo === undefined) return { invalido: true };
    throw error;
  }
}

/**
 * The contact with a number, made with the number as its name if there is none. Waits for the chat network, and throws as
 * `checkedNumber`.
 */
export async function findOrAdd(deps: ContactsDeps, ctx: Ctx, number: string): Promise<ContactId> {
  const name = readNumber(number);
  const stored = await storeContact(deps, ctx, { number, name, email: "" });
  if (stored.invalido) throw new DomainError("ERR_WAPP_INVALID_CONTACT");
  return stored.id as ContactId; // of the row that was read or written; the reply's type is wider
}

/**
 * The same for a message on a connection: the number is checked on that connection's network, unless the contact has a
 * conversation there.
 */
export async function findOrAddOn(
  deps: ContactsDeps,
  ctx: Ctx,
  written: string,
  connectionId: ConnectionId,
): Promise<ContactId> {
  const forms = formsOf(readNumber(written));
  const values = [ctx.companyId, forms.map(keyOf), forms, connectionId];
  const [known] = await deps.db.read<{ id: ContactId }>(ctx, inTouchStatement, values);
  if (known) return known.id;
  const asking = { ...deps, pickConnection: async () => connectionId };
  return findOrAdd(asking, ctx, await checkedNumber(asking, ctx, forms));
}

/** Contacts by their ids, after one of them; or those with a number. */
export async function listById(
  { db, files }: ContactsDeps,
  ctx: Ctx,
  { afterId, number, limit }: { afterId: number; number: string | undefined; limit: number },
): Promise<ShownContact[]> {
  const rows = await db.transaction(ctx, async (tx) => {
    if (number === undefined) {
      return tx.query<ShownContactRow>(byIdStatement, [ctx.companyId, afterId, limit]);
    }
    const found = await findByNumber(ctx, tx, formsOf(readNumber(number)));
    return found && found.id > afterId ? [found] : [];
  });
  return rows.map((row) => toShownContact(row, files.signedPath));
}

async function storeContact(
  deps: ContactsDeps,
  ctx: Ctx,
  { number: written, name, email, extraInfo = [] }: NewContact,
): Promise<ResultOf<"POST /contacts">> {
  const { db, clock, realtime } = deps;
  const sign = deps.files.signedPath;
  const forms = formsOf(readNumber(written));
  const known = await db.transaction(ctx, (tx) => findByNumber(ctx, tx, forms));
  if (known) return existing(deps, known);
  const number = await checkedNumber(deps, ctx, forms);
  return db.transaction(ctx, async (tx) => {
    const addresses = phoneOf(number);
    await lockAddresses(ctx, tx, addresses);
    const other = await findByNumber(ctx, tx, [number]);
    if (other) return existing(deps, other);
    const person = { addresses, isGroup: false, name, email, now: clock.now() };
    const { id } = await insertContact(ctx, tx, person);
    await saveExtraInfo(ctx, tx, id, extraInfo);
    const row = await findContact(ctx, tx, id);
    tellContact({ realtime, sign }, tx, "create", row);
    return { ...toShownContact(row, sign), invalido: false };
  });
}

/**
 * Another number redirects the contact's conversations: only users who may see all open ones change it, and the
 * conversations show it (docs/people.md). The chat network is asked about the number before anything is written. With
 * `ifUpdatedAt` a contact that was changed since is refused (ERR_CONTACT_CHANGED) and told as it is.
 */
export async function changeContact(
  deps: ContactsDeps,
  ctx: Ctx,
  id: ContactId,
  { ifUpdatedAt, ...change }: ContactChange & { ifUpdatedAt?: string | undefined },
): Promise<ShownContact> {
  const { db, clock, realtime, domainEvents } = deps;
  const sign = deps.files.signedPath;
  const known = await db.transaction(ctx, async (tx) => {
    const row = await findContact(ctx, tx, id);
    await requireUnchanged(ctx, tx, row, ifUpdatedAt);
    return row;
  });
  const number = await otherNumber(deps, ctx, known, change.number ?? "");
  const now = clock.now();
  return db.transaction(ctx, async (tx) => {
    if (number !== null) await lockForNumber(deps, ctx, tx, id, number);
    const locked = await lockContact(ctx, tx, id);
    // Read once it is locked: the lock alone may have waited for a change of the additional fields.
    const before = await findContact(ctx, tx, id);
    await requireUnchanged(ctx, tx, before, ifUpdatedAt);
    if (number !== null) await giveNumber(deps, ctx, tx, locked, { number, now });
    const { name, email, active, disableBot } = change;
    await tx.orm
      .update(contacts)
      .set({ name, email, active, disableBot, updatedAt: now })
      .where(hasId(ctx, contacts, id));
    if (change.extraInfo) await saveExtraInfo(ctx, tx, id, change.extraInfo);
    const after = await findContact(ctx, tx, id);
    const fields = editedFields(before, after);
    if (fields.length > 0) {
      const edited = { contactId: id, change: { kind: "edited" as const, fields } };
      await recordEvents(ctx, tx, now, [edited]);
    }
    tellContact({ realtime, sign }, tx, "update", after);
    if (isOtherCard(locked, after)) {
      await domainEvents.publish(tx, ctx, "contact.changed", { contactId: id, tickets: "living" });
    }
    return toShownContact(after, sign);
  });
}

/** Throws ERR_CONTACT_CHANGED when the contact is not as the caller saw it. */
async function requireUnchanged(
  ctx: Ctx,
  tx: Tx,
  row: ShownContactRow,
  seenAt: string | undefined,
): Promise<void> {
  if (seenAt === undefined || seenAt === toIso(row.updatedAt)) return;
  const { name, number, email, extraInfo } = row;
  throw new DomainError("ERR_CONTACT_CHANGED", {
    contact: {
      ...{ updatedAt: toIso(row.updatedAt), name, number: number ?? "", email },
      extraInfo: extraInfo ?? [],
    },
    changes: await changesSince(ctx, tx, row.id, seenAt),
  });
}

/** The number to give to a contact, as the network writes it; null when it keeps its own. */
async function otherNumber(
  deps: ContactsDeps,
  ctx: Ctx,
  contact: FullContactRow,
  written: string,
): Promise<string | null> {
  if (written === "" || written === contact.number) return null;
  const digits = readNumber(written);
  if (contact.isGroup) throw new DomainError("ERR_NUMBER_FORMAT");
  if (contact.number !== null && keyOf(digits) === keyOf(contact.number)) return null;
  await deps.db.transaction(ctx, (tx) => deps.tickets.requireAllLivingVisible(ctx, tx, contact.id));
  return checkedNumber(deps, ctx, formsOf(digits));
}

/** In the order of docs/people.md: addresses, scheduled messages, tickets; the contact comes after them. */
async function lockForNumber(
  { domainEvents, tickets }: ContactsDeps,
  ctx: Ctx,
  tx: Tx,
  id: ContactId,
  number: string,
): Promise<void> {
  await lockAddresses(ctx, tx, phoneOf(number));
  await domainEvents.publish(tx, ctx, "contact.numberChanging", { contactId: id });
  await tickets.lockOfContact(ctx, tx, id);
}

async function giveNumber(
  { tickets, domainEvents }: ContactsDeps,
  ctx: Ctx,
  tx: Tx,
  { id, number: from }: FullContactRow,
  { number, now }: { number: string; now: Date },
): Promise<void> {
  if (from === number) return;
  // Tickets that were created meanwhile count too; none can be created while the contact is locked.
  await tickets.requireAllLivingVisible(ctx, tx, id);
  const owner = await findByNumber(ctx, tx, [number]);
  if (owner && owner.id !== id) throw new DomainError("ERR_DUPLICATED_CONTACT");
  await saveNumber(ctx, tx, id, number, now);
  const changed = { contactId: id, from, to: number };
  await recordEvents(ctx, tx, now, [
    { contactId: id, change: { kind: "numberChanged", from, to: number } },
  ]);
  await domainEvents.publish(tx, ctx, "contact.numberChanged", changed);
}

export async function removeContact(
  { db, realtime, domainEvents, tickets }: ContactsDeps,
  ctx: UserCtx,
  id: ContactId,
): Promise<void> {
  const removing = { contactId: id };
  await db.transaction(ctx, async (tx) => {
    // Tickets are locked before contacts (docs/people.md); once the contact is locked, the tickets created meanwhile follow.
    await tickets.requireNoneOpen(ctx, tx, id);
    await domainEvents.publish(tx, ctx, "contact.removing", removing);
    await lockContact(ctx, tx, id);
    await tickets.requireNoneOpen(ctx, tx, id);
    await domainEvents.publish(tx, ctx, "contact.removing", removing);
    await tx.orm.delete(contacts).where(hasId(ctx, contacts, id));
    tellContactDeleted({ realtime }, tx, ctx, id);
  });
}

/**
 * Campaigns and scheduled messages leave the contact out from now on, or reach it again. A known opt-out keeps its time and
 * its source.
 */
export async function saveOptOut(
  { db, clock, realtime, files, domainEvents }: ContactsDeps,
  ctx: UserCtx,
  id: ContactId,
  isOut: boolean,
): Promise<{ contact: ShownContact; isChanged: boolean }> {
  const sign = files.signedPath;
  const now = clock.now();
  return db.transaction(ctx, async (tx) => {
    const before = await lockContact(ctx, tx, id);
    if ((before.optedOutAt !== null) === isOut) {
      const contact = toShownContact(await findContact(ctx, tx, id), sign);
      return { contact, isChanged: false };
    }
    const values = isOut
      ? { optedOutAt: now, optOutSource: "person" as const, optedOutBy: ctx.actor.userId }
      : { optedOutAt: null, optOutSource: null, optedOutBy: null };
    await tx.orm
      .update(contacts)
      .set({ ...values, updatedAt: now })
      .where(hasId(ctx, contacts, id));
    const change = isOut
      ? ({ kind: "optedOut", source: "person" } as const)
      : ({ kind: "optOutEnded" } as const);
    await recordEvents(ctx, tx, now, [{ contactId: id, change }]);
    const after = await findContact(ctx, tx, id);
    tellContact({ realtime, sign }, tx, "update", after);
    await domainEvents.publish(tx, ctx, "contact.changed", { contactId: id, tickets: "living" });
    return { contact: toShownContact(after, sign), isChanged: true };
  });
}

/**
 * For other features: notes that a customer has written that campaigns are to end, or has told the chat network so. False: they had
 * ended before, with a time and a source that stay.
 */
export const optOutOf =
  (deps: OptOutDeps) =>
  (ctx: Ctx, tx: Tx, id: ContactId): Promise<boolean> =>
    optOutByWord(deps, ctx, tx, id);

type OptOutDeps = Pick<ContactsDeps, "clock" | "realtime" | "files" | "domainEvents">;

async function optOutByWord(
  { clock, realtime, files, domainEvents }: OptOutDeps,
  ctx: Ctx,
  tx: Tx,
  id: ContactId,
): Promise<boolean> {
  const { optedOutAt } = await lockContact(ctx, tx, id);
  if (optedOutAt !== null) return false;
  const now = clock.now();
  await tx.orm
    .update(contacts)
    .set({ optedOutAt: now, optOutSource: "word", optedOutBy: null, updatedAt: now })
    .where(hasId(ctx, contacts, id));
  const change = { kind: "optedOut", source: "word" } as const;
  await recordEvents(ctx, tx, now, [{ contactId: id, change }]);
  tellContact({ realtime, sign: files.signedPath }, tx, "update", await findContact(ctx, tx, id));
  await domainEvents.publish(tx, ctx, "contact.changed", { contactId: id, tickets: "living" });
  return true;
}

export async function listAttendances(
  { db, tickets }: ContactsDeps,
  ctx: UserCtx,
  id: ContactId,
  pageNumber: number,
): Promise<ReplyOf<"GET /contacts/:contactId/attendances">> {
  return db.transaction(ctx, async (tx) => {
    await findContact(ctx, tx, id);
    return tickets.attendancesOfContact(ctx, tx, id, pageNumber);
  });
}

/** Throws ERR_NO_CONTACT_FOUND. */
export async function lockContact(ctx: Ctx, tx: Tx, id: ContactId): Promise<FullContactRow> {
  const rows = await tx.query<FullContactRow>(lockStatement, [ctx.companyId, id]);
  return requireRow(rows, "ERR_NO_CONTACT_FOUND");
}

/** The contact with one of these numbers, in either form of the Brazilian ninth digit. */
async function findByNumber(
  ctx: Ctx,
  tx: Tx,
  forms: readonly string[],
): Promise<ShownContactRow | undefined> {
  const values = [ctx.companyId, forms.map(keyOf), forms];
  const [row] = await tx.query<ShownContactRow>(byNumberStatement, values);
  return row;
}

/** Replaces the contact's additional fields: fields with an id of the contact stay, all others are new. */
async function saveExtraInfo(
  ctx: Ctx,
  tx: Tx,
  contactId: ContactId,
  list: NonNullable<NewContact["extraInfo"]>,
): Promise<void> {
  const rows = list.map(({ id, name, value }, place) => ({ id: id ?? null, name, value, place }));
  await tx.query(extraInfoStatement, [ctx.companyId, contactId, JSON.stringify(rows)]);
}

/** Some clients read the contact itself, others the object around it (wire-contract 5.10). */
function existing({ files }: ContactsDeps, row: ShownContactRow): ResultOf<"POST /contacts"> {
  const existingContact = toContact(row, files.signedPath);
  const shown = toShownContact(row, files.signedPath);
  return { ...shown, alreadyExists: true, existingContact, invalido: false };
}

const phoneOf = (number: string): KeyedAddress[] => keyedAddresses([{ kind: "pn", value: number }]);
const keyOf = (value: string): string => addressKey({ kind: "pn", value });

function isOtherCard(before: FullContactRow, after: FullContactRow): boolean {
  return (
    before.name !== after.name || before.number !== after.number || before.email !== after.email
  );
}

const lockStatement = {
  name: "contacts.lock",
  text: `select ${fullColumns("c")} from contacts c where c.company_id = $1 and c.id = $2 for update`,
};

const byNumberStatement = {
  name: "contacts.by-number",
  text: `
select ${shownColumns("c")} from contacts c
where c.company_id = $1 and c.id = (
  select contact_id as id from contact_addresses
  where company_id = $1 and kind = 'pn' and key = any($2::text[])
  union all
  select id from contacts where company_id = $1 and number = any($3::text[])
  order by id limit 1)`,
};

const byIdStatement = {
  name: "contacts.by-id",
  text: `
select ${shownColumns("c")} from contacts c
where c.company_id = $1 and c.id > $2 order by c.id limit $3`,
};

const inTouchStatement = {
  name: "contacts.in-touch",
  text: `
select t.contact_id as id from tickets t
where t.company_id = $1 and t.connection_id = $4
  and exists (select from messages m where m.company_id = $1 and m.ticket_id = t.id) and t.contact_id in (
  select contact_id from contact_addresses where company_id = $1 and kind = 'pn' and key = any($2::text[])
  union all
  select id from contacts where company_id = $1 and number = any($3::text[]))
order by t.contact_id limit 1`,
};

// By hand: one round trip.
const extraInfoStatement = {
  name: "contacts.extra-info",
  text: `
with wanted as (
  select w.*, x.id as own_id
  from jsonb_to_recordset($3::jsonb) as w(id int, name text, value text, place int)
  left join contact_extra_info x on x.company_id = $1 and x.contact_id = $2 and x.id = w.id
), gone as (
  delete from contact_extra_info
  where company_id = $1 and contact_id = $2
    and not exists (select from wanted where own_id = contact_extra_info.id)
), changed as (
  update contact_extra_info x set name = w.name, value = w.value
  from wanted w where x.company_id = $1 and x.id = w.own_id
)
insert into contact_extra_info (company_id, contact_id, name, value)
select $1, $2, name, value from wanted where own_id is null order by place`,
};
