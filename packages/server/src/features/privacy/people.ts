import type {
  CompanyId,
  ContactId,
  HeldCounts,
  HeldKind,
  HeldPerson,
  ReplyOf,
} from "@balcao/contract";
import { heldKinds } from "@balcao/contract";
import { createHmac } from "node:crypto";
import { desc, eq, sql } from "drizzle-orm";
import type { PersonStore } from "../../channels/port.ts";
import type { Ctx, UserCtx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import { isoText, requireRow, toIso } from "../../platform/db/records.ts";
import type { ErasedPerson } from "../../platform/db/schema/index.ts";
import { erasures } from "../../platform/db/schema/index.ts";
import type { Clock } from "../../platform/sources.ts";
import { note } from "../audit/index.ts";
import { addressKey, formsOf, searchedDigits } from "../contacts/index.ts";
import type { ErasureRow } from "./records.ts";
import { toErasure } from "./records.ts";
import type { Sought } from "./places.ts";
import { heldTables, messagesOf, patternsOf, textPlaces } from "./places.ts";

export type PeopleDeps = {
  db: Database;
  clock: Clock;
  /** The own stores of the channels. */
  stores: readonly PersonStore[];
  /** With it, identities become hashes that nobody can guess from the database alone. */
  hashKey: Buffer;
};

const FOUND_MAX = 20;
/** Certificates that one search compares, the newest. */
const CERTIFICATES_MAX = 1_000;

type PersonRow = { id: ContactId; name: string; number: string | null; email: string };

const toPerson = ({ id, name, number, email }: PersonRow) => ({
  ...{ id, name, email },
  number: number ?? "",
});

/**
 * People by any identity: a number in any writing, a private address, an e-mail address, a name, a value of the additional fields,
 * or what a contact had before it was changed or merged.
 */
export async function findPeople(
  deps: PeopleDeps,
  ctx: UserCtx,
  term: string,
): Promise<ReplyOf<"POST /privacy/find">> {
  const { db } = deps;
  const { companyId } = ctx;
  const plain = term.replace(/@(s\.whatsapp\.net|c\.us|lid|hosted\.lid)$/, "");
  const digits = plain.replaceAll(/\D/g, "");
  const isNumber = /^[\d\s()+.-]{8,}$/.test(plain) && digits.length >= 8;
  const pattern = isNumber ? `%${searchedDigits(plain)}%` : null;
  const numbers = isNumber ? numbersOf([digits, `55${digits}`]) : [];
  return db.transaction(ctx, async (tx) => {
    // The audit says who searched, never for whom.
    await note(tx, ctx, { action: "opened", kind: "person", id: "", label: "" });
    const people = await tx.query<PersonRow>(sql`
      select id, name, number, email from contacts c where company_id = ${companyId} and not is_group and (
        strpos(c.name_normal, f_norm(${plain})) > 0 or strpos(c.email_normal, f_norm(${plain})) > 0
        or c.number like ${pattern}
        or exists (select from contact_addresses a where a.company_id = ${companyId} and a.contact_id = c.id
             and (a.key like ${pattern} or a.key = ${plain} or a.value in (${plain}, ${term})))
        or exists (select from contact_extra_info x where x.company_id = ${companyId} and x.contact_id = c.id
             and (strpos(f_norm(x.value), f_norm(${plain})) > 0
               or ${digits.length >= 6} and strpos(regexp_replace(x.value, '\\D', '', 'g'), ${digits}) > 0))
        or exists (select from contact_events e where e.company_id = ${companyId} and e.contact_id = c.id
             and (strpos(f_norm(e.change::text), f_norm(${plain})) > 0
               or ${isNumber} and strpos(e.change::text, ${digits}) > 0)))
      order by c.name_normal, c.id limit ${FOUND_MAX}`);
    const known = people.length > 0 || !isNumber;
    const sought = { companyId, contactId: null, person: { ...nobody, numbers } };
    const stray = known ? null : await countHeld(tx, sought);
    const hasStray = stray !== null && Object.keys(stray.counts).length > 0;
    return {
      people: people.map(toPerson),
      stray: hasStray ? { ...stray, number: digits } : null,
      erased: await findErased(
        deps,
        ctx,
        tx,
        identitiesOf({ ...nobody, numbers, privateIds: [plain] }),
      ),
    };
  });
}

export const nobody: ErasedPerson = {
  ...{ numbers: [], privateIds: [], names: [], emails: [], contactIds: [] },
};

/** Every form in which the chat network may write the numbers. */
export const numbersOf = (numbers: readonly string[]): string[] => [
  ...new Set(numbers.flatMap((number) => formsOf(number))),
];

/** The identities that a certificate's hashes are of: each number in one form, and private ids. */
export function identitiesOf({ numbers, privateIds }: ErasedPerson): string[] {
  const keys = numbers.map((value) => `pn:${addressKey({ kind: "pn", value })}`);
  return [...new Set([...keys, ...privateIds.map((id) => `id:${id}`)])];
}

export const identityHash = (
  { hashKey }: Pick<PeopleDeps, "hashKey">,
  salt: string,
  identity: string,
): string => createHmac("sha256", hashKey).update(`${salt}:${identity}`).digest("base64url");

async function findErased(
  deps: PeopleDeps,
  { companyId }: Ctx,
  tx: Tx,
  identities: readonly string[],
) {
  const rows: ErasureRow[] = await tx.orm
    .select()
    .from(erasures)
    .where(eq(erasures.companyId, companyId))
    .orderBy(desc(erasures.createdAt))
    .limit(CERTIFICATES_MAX);
  return rows
    .filter(({ salt, hashes }) =>
      identities.some((identity) => hashes.includes(identityHash(deps, salt, identity))),
    )
    .map(toErasure);
}

/** The identities of a contact: its own, and what it was called before it was edited or merged. */
export async function readPerson(
  { companyId }: Pick<Ctx, "companyId">,
  tx: Tx,
  contactId: ContactId,
): Promise<ErasedPerson> {
  const [row] = await tx.query<{
    name: string;
    number: string | null;
    email: string;
    addresses: { kind: string; value: string }[] | null;
    changes: Change[] | null;
  }>(sql`
    select name, number, email,
      (select json_agg(json_build_object('kind', kind, 'value', value)) from contact_addresses
        where company_id = ${companyId} and contact_id = ${contactId}) as addresses,
      (select json_agg(change) from contact_events
        where company_id = ${companyId} and contact_id = ${contactId}
          and change ->> 'kind' in ('edited', 'numberChanged', 'merged')) as changes
    from contacts where company_id = ${companyId} and id = ${contactId}`);
  const { name, number, email, addresses, changes } = requireRow(
    row ? [row] : [],
    "ERR_NO_CONTACT_FOUND",
  );
  const past = (changes ?? []).flatMap(valuesOf);
  const pastOf = (field: string) => past.flatMap((one) => (one.field === field ? [one.value] : []));
  const filled = (texts: readonly (string | null)[]) => [
    ...new Set(texts.flatMap((text) => (text ? [text] : []))),
  ];
  const own = addresses ?? [];
  return {
    numbers: numbersOf(
      filled([
        number,
        ...own.filter(({ kind }) => kind === "pn").map(({ value }) => value),
        ...pastOf("number"),
      ]),
    ),
    privateIds: filled(own.filter(({ kind }) => kind !== "pn").map(({ value }) => value)),
    names: filled([name, ...pastOf("name")]),
    emails: filled([email, ...pastOf("email")]),
    contactIds: [contactId],
  };
}

type Change = {
  kind: string;
  from?: string | null;
  to?: string;
  fields?: { field: string; from: string; to: string }[];
  contact?: { name: string; number: string; email: string };
  lost?: { field: string; value: string }[];
};

function valuesOf({ from, to, fields, contact, lost }: Change): { field: string; value: string }[] {
  return [
    ...[from, to].flatMap((value) => (value ? [{ field: "number", value }] : [])),
    ...(fields ?? []).flatMap((one) => [
      { field: one.field, value: one.from },
      { field: one.field, value: one.to },
    ]),
    ...Object.entries(contact ?? {}).map(([field, value]) => ({ field, value })),
    ...(lost ?? []),
  ];
}

/** Counts by kind, in the order of `heldKinds`; kinds without a row are left out. */
export async function countHeld(
  tx: Tx,
  sought: Sought,
): Promise<{ counts: HeldCounts; bytes: number }> {
  const parts = heldTables.map(
    ({ name, kind, where }) => sql`
      select ${kind}::text as kind, count(*)::int as count from ${sql.identifier(name)}
       where company_id = ${sought.companyId} and (${where(sought)})`,
  );
  const rows = await tx.query<{ kind: HeldKind; count: number }>(sql.join(parts, sql` union all `));
  const patterns = patternsOf(sought.person);
  for (const { name, kind, columns, only } of patterns.length > 0 ? textPlaces : []) {
    // Rows that refer to the person's tickets or have the number in a column are counted above.
    if (name === "contact_import_rows" || name === "outbound") continue;
    const others = name === "deliveries" ? sql`ticket_id is null` : sql.raw(only ?? "true");
    const [found] = await tx.query<{ count: number }>(sql`
      select count(*)::int as count from ${sql.identifier(name)}
       where company_id = ${sought.companyId} and ${others}
         and concat_ws(' ', ${sql.raw(columns.join(", "))}) like any (${sql.param(patterns)}::text[])`);
    rows.push({ kind, count: found?.count ?? 0 });
  }
  const [files] = await tx.query<{ bytes: number }>(sql`
    select coalesce(sum(f.bytes), 0)::float8 as bytes from message_media f
     where f.company_id = ${sought.companyId} and f.message_id in ${messagesOf(sought)}`);
  return { counts: summed(rows), bytes: files?.bytes ?? 0 };
}

function summed(rows: readonly { kind: HeldKind; count: number }[]): HeldCounts {
  const counts: HeldCounts = {};
  for (const kind of heldKinds) {
    const count = rows.filter((row) => row.kind === kind).reduce((sum, row) => sum + row.count, 0);
    if (count > 0) counts[kind] = count;
  }
  return counts;
}

/** The rows of the channels' own stores and of the audit, which are asked for separately. */
export async function countElsewhere(
  { db, stores }: PeopleDeps,
  companyId: CompanyId,
  person: ErasedPerson,
): Promise<{ channel: number; audit: number }> {
  let channel = 0;
  for (const store of stores) channel += await store.count(companyId, person);
  const texts = [...patternsOf(person)];
  const [row] = await db.transaction({ companyId }, (tx) =>
    tx.query<{ count: number }>(sql`
      select count(*)::int as count from audit_entries
       where company_id = ${companyId} and words like any (${sql.param(texts)}::text[])`),
  );
  return { channel, audit: row?.count ?? 0 };
}

/** The data that is held of one person. */
export async function showHeld(
  deps: PeopleDeps,
  ctx: UserCtx,
  contactId: ContactId,
  exports: HeldPerson["exports"],
): Promise<HeldPerson> {
  const { companyId } = ctx;
  const { clock } = deps;
  const { shown, person } = await deps.db.transaction(ctx, async (tx) => {
    const person = await readPerson(ctx, tx, contactId);
    const [row] = await tx.query<
      PersonRow & { isGroup: boolean; openTickets: number; hold: Hold | null }
    >(sql`
      select c.id, c.name, c.number, c.email, c.is_group as "isGroup",
        (select count(*)::int from tickets where company_id = ${companyId} and contact_id = c.id and status <> 'closed') as "openTickets",
        (select json_build_object('reason', h.reason, 'at', h.created_at, 'userName', coalesce(u.name, ''))
           from legal_holds h left join users u on u.company_id = h.company_id and u.id = h.user_id
          where h.company_id = ${companyId} and h.contact_id = c.id) as hold
      from contacts c where c.company_id = ${companyId} and c.id = ${contactId}`);
    if (!row || row.isGroup) throw new DomainError("ERR_NO_CONTACT_FOUND");
    const once = `person ${contactId} ${ctx.actor.userId} ${toIso(clock.now()).slice(0, 13)}`;
    await note(tx, ctx, { action: "opened", kind: "person", id: contactId, label: "", once });
    const held = await countHeld(tx, { companyId, contactId, person });
    return { person, shown: { ...held, row } };
  });
  const elsewhere = await countElsewhere(deps, companyId, person);
  const { row, counts, bytes } = shown;
  return {
    person: toPerson(row),
    identities: [
      ...person.numbers.map((value) => ({ kind: "number", value })),
      ...person.privateIds.map((value) => ({ kind: "privateId", value })),
      ...person.emails.map((value) => ({ kind: "email", value })),
      ...person.names.map((value) => ({ kind: "name", value })),
    ],
    counts: withElsewhere(counts, elsewhere),
    ...{ bytes, exports, openTickets: row.openTickets },
    hold: row.hold && { ...row.hold, at: isoText(row.hold.at) },
  };
}

type Hold = { reason: string; at: string; userName: string };

export function withElsewhere(
  counts: HeldCounts,
  { channel, audit }: { channel: number; audit: number },
): HeldCounts {
  const sums: HeldCounts = { ...counts };
  if (channel > 0) sums.channel = (sums.channel ?? 0) + channel;
  if (audit > 0) sums.audit = (sums.audit ?? 0) + audit;
  return sums;
}
