import type { ContactEventChange, ContactId, MessageId } from "@balcao/contract";
import type { Ctx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import { moveStatements, ROWS_AT_ONCE } from "../../platform/db/references.ts";
import type { DomainEvents } from "../../platform/events.ts";
import type { Realtime } from "../../platform/realtime/hub.ts";
import type { Clock } from "../../platform/sources.ts";
import type { SignFile } from "../media/index.ts";
import type { ContactRow, Person, ShownContactRow } from "./contact.ts";
import { nameOfOne, tellContact, tellContactDeleted } from "./contact.ts";
import { recordEvents } from "./history.ts";
import type { KnownContact } from "./repository.ts";
import { findByAddresses, findContact } from "./repository.ts";

export type PeopleDeps = {
  clock: Clock;
  realtime: Realtime;
  domainEvents: DomainEvents;
  sign: SignFile;
  /**
   * Moves the tickets of some contacts to the one that stays; the contacts are not changed. Returns the newest messages
   * that moved to another ticket.
   */
  joinTickets(ctx: Ctx, tx: Tx, contacts: JoinedContacts): Promise<MessageId[]>;
};

/** The contacts `drop` are the same person as `keep`. */
export type JoinedContacts = { keep: ContactId; drop: readonly ContactId[] };

declare module "../../platform/events.ts" {
  interface EventPayloads {
    /** Other contacts were merged into this one, and these are the newest messages that moved to another ticket. */
    "contact.merged": { contactId: ContactId; messageIds: readonly MessageId[] };
  }
}

/**
 * Merges the contacts that own the person's addresses, which are locked. A contact with a phone number stays, else the
 * oldest one; the tickets and all records of the others move to it, and the others are deleted.
 */
export async function mergeContacts(
  deps: PeopleDeps,
  ctx: Ctx,
  tx: Tx,
  person: Person,
): Promise<void> {
  await lockMerging(ctx, tx);
  const owners = await findByAddresses(ctx, tx, person.addresses);
  const [stays, ...others] = owners.toSorted(byNumberThenAge);
  if (!stays || others.length === 0) return;
  await joinContacts(deps, ctx, tx, { stays, others, name: nameOfOne(stays, others) });
}

/** One merge of a company at a time; between addresses and tickets in the order of locks (docs/people.md). */
export async function lockMerging({ companyId }: Ctx, tx: Tx): Promise<void> {
  await tx.query(lockMergingStatement, [companyId]);
}

type Merged = {
  stays: ContactRow;
  others: readonly ContactRow[];
  /** The name that stays. */
  name: string;
  /** Values of the one that stays that give way, for the history. */
  lost?: Extract<ContactEventChange, { kind: "merged" }>["lost"];
  /** The last changes to the one that stays, once the others are deleted. */
  finish?: () => Promise<void>;
};

/** Makes contacts one, writes it into its history and tells everybody. Addresses and merging are locked. */
export async function joinContacts(
  deps: PeopleDeps,
  ctx: Ctx,
  tx: Tx,
  { stays, others, name, lost = [], finish }: Merged,
): Promise<ShownContactRow> {
  const { domainEvents } = deps;
  const contactId = stays.id;
  const drop = others.map(({ id }) => id);
  const messageIds = await deps.joinTickets(ctx, tx, { keep: contactId, drop });
  for (const { id } of others) {
    await absorbContact(deps, ctx, tx, { from: id, into: contactId, name });
    tellContactDeleted(deps, tx, ctx, id);
  }
  await finish?.();
  const row = await findContact(ctx, tx, contactId);
  const events = others.map((other, index) => ({
    contactId,
    change: {
      kind: "merged" as const,
      contact: { name: other.name, number: other.number ?? "", email: other.email },
      lost: index === 0 ? lost : [],
    },
  }));
  await recordEvents(ctx, tx, deps.clock.now(), events);
  tellContact(deps, tx, "update", row);
  const to = row.number;
  for (const { number } of [stays, ...others]) {
    if (number === null || to === null || number === to) continue;
    await domainEvents.publish(tx, ctx, "contact.numberChanged", { contactId, from: number, to });
  }
  await domainEvents.publish(tx, ctx, "contact.changed", { contactId, tickets: "all" });
  await domainEvents.publish(tx, ctx, "contact.merged", { contactId, messageIds });
  return row;
}

function byNumberThenAge(a: KnownContact, b: KnownContact): number {
  const missing = Number(a.number === null) - Number(b.number === null);
  return missing === 0 ? a.id - b.id : missing;
}

/**
 * Merges a contact, whose tickets have moved already, into another one and deletes it. The other one takes the fields that
 * it lacks.
 */
async function absorbContact(
  { clock }: PeopleDeps,
  ctx: Ctx,
  tx: Tx,
  { from, into, name }: { from: ContactId; into: ContactId; name: string },
): Promise<void> {
  const { companyId } = ctx;
  await tx.query(move.together, [companyId, from, into]);
  for (const portion of move.portions) {
    for (let count = ROWS_AT_ONCE; count === ROWS_AT_ONCE;) {
      count = (await tx.query(portion, [companyId, from, into])).length;
    }
  }
  await tx.query(absorbStatement, [companyId, from, into, name, clock.now()]);
  await tx.query(deleteStatement, [companyId, from]);
}

const lockMergingStatement = {
  name: "contacts.lock-merging",
  text: `
select pg_advisory_xact_lock(hashtextextended('people ' || company_id, 4162))
from (values ($1::int)) as its(company_id)`,
};

const move = moveStatements("contacts");

/** The bot or the contact that is switched off in one of them stays off, and an opt-out of one of them stays. */
const absorbStatement = {
  name: "contacts.absorb",
  text: `
update contacts k set
  name = $4,
  email = case when k.email = '' then g.email else k.email end,
  picture_key = coalesce(k.picture_key, g.picture_key),
  disable_bot = k.disable_bot or g.disable_bot,
  active = k.active and g.active,
  opted_out_at = coalesce(k.opted_out_at, g.opted_out_at),
  opt_out_source = case when k.opted_out_at is null then g.opt_out_source else k.opt_out_source end,
  opted_out_by = case when k.opted_out_at is null then g.opted_out_by else k.opted_out_by end,
  created_at = least(k.created_at, g.created_at),
  updated_at = $5
from contacts g
where k.company_id = $1 and k.id = $3 and g.company_id = $1 and g.id = $2`,
};

const deleteStatement = {
  name: "contacts.absorbed",
  text: "delete from contacts where company_id = $1 and id = $2",
};
