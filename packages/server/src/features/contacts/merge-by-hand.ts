import type { ContactId, DuplicateReason, InputOf, MergeSide, ReplyOf } from "@balcao/contract";
import { and, eq, inArray, isNull } from "drizzle-orm";
import type { Ctx, UserCtx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import { hasId, requireRow, toIso } from "../../platform/db/records.ts";
import { contacts, erasures } from "../../platform/db/schema/index.ts";
import { note } from "../audit/index.ts";
import type { KeyedAddress } from "./address.ts";
import { addressKey, keyedAddresses } from "./address.ts";
import type { ContactsDeps } from "./book.ts";
import { lockContact } from "./book.ts";
import type { ShownContact, ShownContactRow } from "./contact.ts";
import { toShownContact } from "./contact.ts";
import { reasonOf } from "./duplicates.ts";
import type { PeopleDeps } from "./merging.ts";
import { joinContacts, lockMerging } from "./merging.ts";
import { findContact, lockAddresses } from "./repository.ts";

type Choices = InputOf<"POST /contacts/:contactId/merge">["body"];
type Lost = { field: "name" | "email" | "extraInfo"; label: string; value: string }[];

/** Two contacts beside each other, and what belongs to each. */
export async function showMerge(
  { db, files, tickets }: ContactsDeps,
  ctx: UserCtx,
  id: ContactId,
  otherId: ContactId,
): Promise<ReplyOf<"GET /contacts/:contactId/merge">> {
  return db.transaction(ctx, async (tx) => {
    const [own, other] = await findPair(ctx, tx, id, otherId);
    const side = async (row: ShownContactRow): Promise<MergeSide> => ({
      contact: toShownContact(row, files.signedPath),
      ...(await countOf(ctx, tx, row.id)),
    });
    const [pair] = await tx.query<{ reason: DuplicateReason | null }>(reasonStatement, [
      ...[ctx.companyId, id, otherId],
    ]);
    return {
      own: await side(own),
      other: await side(other),
      reason: pair?.reason ?? null,
      inTheWay: await tickets.servedTogether(ctx, tx, [id, otherId]),
    };
  });
}

/**
 * Makes two contacts one, for good. Like another number it redirects conversations, so it is for users who may see all open
 * ones of both. Refused while both are served on one connection, and when one of them was changed since the caller read it.
 */
export async function mergeByHand(
  deps: ContactsDeps,
  ctx: UserCtx,
  id: ContactId,
  choices: Choices,
): Promise<ShownContact> {
  const { db, clock, realtime, domainEvents, tickets, files } = deps;
  const { otherId } = choices;
  const ids = [id, otherId].toSorted((a, b) => a - b);
  const people: PeopleDeps = {
    ...{ clock, realtime, domainEvents, sign: files.signedPath },
    joinTickets: tickets.joinOfContacts,
  };
  return db.transaction(ctx, async (tx) => {
    // In the order of locks of docs/people.md.
    const [mine, theirs] = await findPair(ctx, tx, id, otherId);
    const own = await readAddresses(ctx, tx, ids);
    const numbers = [mine, theirs].flatMap(({ number }) => (number === null ? [] : [number]));
    const phones = keyedAddresses(numbers.map((value) => ({ kind: "pn", value })));
    await lockAddresses(ctx, tx, [...own, ...phones]);
    await lockMerging(ctx, tx);
    await tickets.lockOfContacts(ctx, tx, ids);
    for (const one of ids) await lockContact(ctx, tx, one);
    // Tickets that were created meanwhile count too; none can be created while the contacts are locked.
    for (const one of ids) await tickets.requireAllLivingVisible(ctx, tx, one);
    const inTheWay = await tickets.servedTogether(ctx, tx, ids);
    if (inTheWay.length > 0) {
      throw new DomainError("ERR_CONTACTS_BOTH_SERVED", { tickets: inTheWay });
    }
    const [stays, goes] = await findPair(ctx, tx, id, otherId);
    requireSeen(stays, choices.updatedAt);
    requireSeen(goes, choices.otherUpdatedAt);

    const value = (field: "name" | "email" | "number"): string => {
      const [wanted, instead] = choices[field] === "own" ? [stays, goes] : [goes, stays];
      return (wanted[field] ?? "") || (instead[field] ?? "");
    };
    const kept = { name: value("name"), email: value("email"), number: value("number") || null };
    const lost: Lost = [
      ...lostValues(stays, kept),
      ...(await dropInfo(ctx, tx, choices, stays, goes)),
    ];
    const row = await joinContacts(people, ctx, tx, {
      ...{ stays, others: [goes], name: kept.name, lost },
      async finish() {
        await tx.orm
          .update(contacts)
          .set({ email: kept.email, number: kept.number })
          .where(hasId(ctx, contacts, id));
        // Numbers without an address of their own would be forgotten with the contact that had them.
        const addresses = numbers.map((number) => ({
          key: addressKey({ kind: "pn", value: number }),
          value: number,
        }));
        await tx.query(addressesStatement, [ctx.companyId, id, JSON.stringify(addresses)]);
      },
    });
    await note(tx, ctx, {
      ...{ action: "merged", kind: "contact", id, label: row.name },
      before: { name: goes.name, number: goes.number, contact_id: goes.id },
    });
    return toShownContact(row, files.signedPath);
  });
}

/**
 * Two different people. Throws ERR_NO_CONTACT_FOUND, and ERR_CONTACTS_NOT_MERGEABLE for a group, one contact twice, and a contact
 * that is being erased: the erasure would go on with the other one.
 */
async function findPair(
  ctx: Ctx,
  tx: Tx,
  id: ContactId,
  otherId: ContactId,
): Promise<[ShownContactRow, ShownContactRow]> {
  const own = await findContact(ctx, tx, id);
  const other = await findContact(ctx, tx, otherId);
  const erased = await tx.orm
    .select({ id: erasures.id })
    .from(erasures)
    .where(
      and(
        eq(erasures.companyId, ctx.companyId),
        inArray(erasures.contactId, [id, otherId]),
        isNull(erasures.endedAt),
      ),
    )
    .limit(1);
  if (id === otherId || own.isGroup || other.isGroup || erased.length > 0) {
    throw new DomainError("ERR_CONTACTS_NOT_MERGEABLE");
  }
  return [own, other];
}

function requireSeen({ updatedAt }: ShownContactRow, seenAt: string): void {
  if (toIso(updatedAt) !== seenAt) throw new DomainError("ERR_CONTACT_CHANGED");
}

/** What the contact that stays loses; all of the other one's own fields stand in the history anyway. */
function lostValues(stays: ShownContactRow, kept: { name: string; email: string }): Lost {
  return (["name", "email"] as const).flatMap((field) =>
    stays[field] === "" || stays[field] === kept[field]
      ? []
      : [{ field, label: "", value: stays[field] }],
  );
}

/** Removes the additional fields that were not chosen; returns them. */
async function dropInfo(
  ctx: Ctx,
  tx: Tx,
  { extraInfo }: Choices,
  stays: ShownContactRow,
  goes: ShownContactRow,
): Promise<Lost> {
  if (extraInfo.length === 0) return [];
  const chosen = (name: string): "own" | "other" | undefined =>
    extraInfo.find((one) => one.name === name.trim())?.from;
  const has = (row: ShownContactRow, name: string): boolean =>
    row.extraInfo?.some((one) => one.name.trim() === name.trim()) ?? false;
  const dropped = [
    ...(stays.extraInfo ?? []).filter(({ name }) => chosen(name) === "other" && has(goes, name)),
    ...(goes.extraInfo ?? []).filter(({ name }) => chosen(name) === "own" && has(stays, name)),
  ];
  await tx.query(dropInfoStatement, [ctx.companyId, dropped.map(({ id }) => id)]);
  return dropped.map(({ name, value }) => ({ field: "extraInfo", label: name, value }));
}

async function readAddresses(
  { companyId }: Ctx,
  tx: Tx,
  ids: readonly ContactId[],
): Promise<KeyedAddress[]> {
  return tx.query<KeyedAddress>(addressesOfStatement, [companyId, ids]);
}

async function countOf(
  { companyId }: Ctx,
  tx: Tx,
  id: ContactId,
): Promise<Omit<MergeSide, "contact">> {
  const rows = await tx.query<Omit<MergeSide, "contact">>(countStatement, [companyId, id]);
  return requireRow(rows);
}

const addressesOfStatement = {
  name: "contacts.addresses-of",
  text: `
select kind, key, value from contact_addresses where company_id = $1 and contact_id = any($2::int[])`,
};

const addressesStatement = {
  name: "contacts.keep-numbers",
  text: `
insert into contact_addresses (company_id, kind, key, value, contact_id)
select $1, 'pn', a.key, a.value, $2 from jsonb_to_recordset($3::jsonb) as a(key text, value text)
on conflict (company_id, kind, key) do nothing`,
};

const dropInfoStatement = {
  name: "contacts.drop-info",
  text: "delete from contact_extra_info where company_id = $1 and id = any($2::int[])",
};

const reasonStatement = {
  name: "contacts.merge-reason",
  text: `
select ${reasonOf("a", "b")} as reason
from contacts a join contacts b on b.company_id = $1 and b.id = $3
where a.company_id = $1 and a.id = $2`,
};

const countStatement = {
  name: "contacts.merge-counts",
  text: `
select
  (select count(*)::int from tickets t join attendances a on a.company_id = $1 and a.ticket_id = t.id
    where t.company_id = $1 and t.contact_id = c.id) as attendances,
  (select count(*)::int from tickets t join messages m on m.company_id = $1 and m.ticket_id = t.id
    where t.company_id = $1 and t.contact_id = c.id) as messages,
  (select count(*)::int from schedules s where s.company_id = $1 and s.contact_id = c.id) as schedules,
  (select count(*)::int from tickets t join ticket_notes n on n.company_id = $1 and n.ticket_id = t.id
    where t.company_id = $1 and t.contact_id = c.id and n.deleted_at is null) as notes,
  (select count(*)::int from contact_lists l where l.company_id = $1 and exists (
    select from contact_addresses a join contact_list_items i
      on i.company_id = $1 and i.contact_list_id = l.id and i.number_normal = a.key
    where a.company_id = $1 and a.contact_id = c.id and a.kind = 'pn')) as lists
from contacts c where c.company_id = $1 and c.id = $2`,
};
