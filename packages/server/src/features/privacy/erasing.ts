import type { CompanyId, ContactId, Erasure, HeldCounts, InputOf } from "@balcao/contract";
import { addMinutes } from "date-fns/addMinutes";
import { and, eq, sql } from "drizzle-orm";
import { randomBytes } from "node:crypto";
import type { Ctx, UserCtx } from "../../platform/context.ts";
import { DomainError, systemCtx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import { requireRow } from "../../platform/db/records.ts";
import type { ErasedPerson, PrivacyCounts } from "../../platform/db/schema/index.ts";
import { erasures } from "../../platform/db/schema/index.ts";
import { DueWorker } from "../../platform/jobs/due-worker.ts";
import { note, replaceInAudit } from "../audit/index.ts";
import { forgetContact, readNumber, removeForgotten } from "../contacts/index.ts";
import {
  countElsewhere,
  countHeld,
  identityHash,
  identitiesOf,
  nobody,
  numbersOf,
  readPerson,
  withElsewhere,
} from "./people.ts";
import type { ErasingDeps } from "./erasing-steps.ts";
import {
  countMentions,
  eraseConversations,
  eraseEntries,
  eraseExports,
  eraseFiles,
  eraseTexts,
  noteFiles,
  textsOf,
} from "./erasing-steps.ts";
import { numberPlaces } from "./places.ts";
import type { ErasureRow } from "./records.ts";
import { toErasure } from "./records.ts";

const TOPIC = "erasures";
const LOOK_EVERY_MS = 30_000;
const HELD_MINUTES = 3;
/** From then on people are told by an error at each attempt, which is made less and less often. */
const ATTEMPTS = 20;
const REST_MAX_MINUTES = 360;
const STRETCH = 5_000;
/** Stands in the audit where the person stood. */
const ERASED = "[apagado]";

/**
 * Begins the erasure of a person, whose contact loses number and name at once. Throws ERR_PRIVACY_HOLD where a hold keeps the data,
 * and ERR_PRIVACY_CONFIRMATION unless the caller has repeated the name, or the number.
 */
export async function beginErasure(
  deps: ErasingDeps,
  ctx: UserCtx,
  { contactId: wanted, number, confirmation }: InputOf<"POST /privacy/erasures">["body"],
): Promise<Erasure> {
  const { db, ids, clock } = deps;
  const { companyId, actor } = ctx;
  const digits = wanted === null ? readNumber(number) : "";
  return db.transaction(ctx, async (tx) => {
    const contactId = wanted ?? (await findOwner(ctx, tx, numbersOf([digits])));
    const person =
      contactId === null
        ? { ...nobody, numbers: numbersOf([digits]) }
        : await readPerson(ctx, tx, contactId);
    requireConfirmed(
      contactId === null ? [digits] : [person.names[0] ?? "", ...person.numbers],
      confirmation,
    );
    const salt = randomBytes(16).toString("base64url");
    const [row] = await tx.orm
      .insert(erasures)
      .values({
        ...{ id: ids.uuid(), companyId, state: "waiting", person, salt },
        ...{ requesterId: actor.userId, requesterName: actor.name, createdAt: clock.now() },
        hashes: identitiesOf(person).map((identity) => identityHash(deps, salt, identity)),
        contactId,
      })
      .returning();
    const erasure = requireRow(row ? [row] : []);
    const held = await countHeld(tx, { companyId, contactId, person });
    if (contactId !== null) await take(deps, ctx, tx, erasure.id, contactId);
    await tx.orm
      .update(erasures)
      .set({ counts: erasedOf(held.counts) })
      .where(and(eq(erasures.companyId, companyId), eq(erasures.id, erasure.id)));
    await note(tx, ctx, { action: "erased", kind: "person", id: erasure.id, label: "" });
    deps.wake.notify(tx, TOPIC);
    return toErasure(erasure);
  });
}

/** The contact that has a number by now: its hold, and all else of it, count. */
async function findOwner(
  { companyId }: Ctx,
  tx: Tx,
  numbers: readonly string[],
): Promise<ContactId | null> {
  const [row] = await tx.query<{ id: ContactId }>(sql`
    select c.id from contacts c where c.company_id = ${companyId} and not c.is_group and (
      c.number = any (${sql.param(numbers)}::text[])
      or exists (select from contact_addresses a where a.company_id = c.company_id and a.contact_id = c.id
                    and a.kind = 'pn' and a.value = any (${sql.param(numbers)}::text[])))
     order by c.id limit 1`);
  return row?.id ?? null;
}

/** The counts of a certificate: ratings stay with their attendances, as figures without a person. */
function erasedOf(held: HeldCounts): HeldCounts {
  const counts = { ...held };
  delete counts.ratings;
  return counts;
}

function requireConfirmed(known: readonly string[], confirmation: string): void {
  const plain = (text: string) => text.trim().replaceAll(/\s+/g, " ").toLocaleLowerCase("pt");
  const digits = confirmation.replaceAll(/\D/g, "");
  const isConfirmed = known.some(
    (one) =>
      one !== "" && (plain(one) === plain(confirmation) || (digits.length >= 8 && one === digits)),
  );
  if (!isConfirmed) throw new DomainError("ERR_PRIVACY_CONFIRMATION");
}

/** The first step: the contact becomes nobody's, and its picture and the files of its scheduled messages are to go. */
async function take(
  { clock }: ErasingDeps,
  ctx: Ctx,
  tx: Tx,
  erasureId: string,
  contactId: ContactId,
): Promise<void> {
  const { companyId } = ctx;
  const { pictureKey } = await forgetContact(ctx, tx, contactId, clock.now());
  const [held] = await tx.query(sql`
    select from legal_holds where company_id = ${companyId} and contact_id = ${contactId}`);
  if (held) throw new DomainError("ERR_PRIVACY_HOLD");
  const planned = await tx.query<{ key: string }>(sql`
    select distinct file_key as key from schedules
     where company_id = ${companyId} and contact_id = ${contactId} and file_key is not null`);
  await noteFiles(tx, companyId, erasureId, [pictureKey, ...planned.map(({ key }) => key)]);
}

type Claim = { companyId: CompanyId; id: string; attempts: number };

/** Erases people in the background. Each step may be repeated, so a run that was cut off goes on where it stood. */
export function createEraser(deps: ErasingDeps): DueWorker<Claim> {
  return new DueWorker<Claim>({
    name: "erasures",
    log: deps.log,
    lookEveryMs: LOOK_EVERY_MS,
    wokenBy: { wake: deps.wake, topic: TOPIC, inMs: 0 },
    look: async (limit) => ({ due: await claim(deps, limit) }),
    work: {
      ...{ atOnce: 1, batch: 1 },
      idOf: ({ id, attempts }) => `${id} ${attempts}`,
      companyOf: ({ companyId }) => companyId,
      run: (one, signal) => run(deps, one, signal),
    },
  });
}

async function claim({ db, clock }: ErasingDeps, limit: number): Promise<Claim[]> {
  if (limit < 1) return [];
  const now = clock.now();
  return db.acrossCompanies((tx) =>
    tx.query<Claim>(sql`
      update erasures its set state = case when state = 'done' then 'done' else 'running' end,
             attempts = its.attempts + 1, held_until = ${addMinutes(now, HELD_MINUTES)}
      from (select id from erasures
             where (state in ('waiting', 'running') or state = 'done' and listed_at is null)
               and (held_until is null or held_until < ${now})
             order by created_at limit 1 for update skip locked) due
      where its.id = due.id
      returning its.company_id as "companyId", its.id, its.attempts`),
  );
}

async function run(
  deps: ErasingDeps,
  { companyId, id, attempts }: Claim,
  signal: AbortSignal,
): Promise<void> {
  const { db, clock, log } = deps;
  const ctx = systemCtx(companyId, "privacy", id);
  const isOurs = and(eq(erasures.companyId, companyId), eq(erasures.id, id));
  const save = (values: Partial<ErasureRow>) =>
    db.transaction(ctx, (tx) => tx.orm.update(erasures).set(values).where(isOurs));
  const read = async (): Promise<ErasureRow | undefined> =>
    (await db.transaction(ctx, (tx) => tx.orm.select().from(erasures).where(isOurs)))[0];
  const holding = setInterval(() => {
    save({ heldUntil: addMinutes(clock.now(), HELD_MINUTES) }).catch(() => undefined);
  }, 60_000);
  try {
    let row = await read();
    if (!row) return;
    if (row.state !== "done") {
      await erase(deps, ctx, row, signal);
      row = await read();
    }
    if (row?.endedAt && row.listedAt === null) {
      await deps.list?.(row);
      await save({ listedAt: clock.now() });
    }
    await save({ heldUntil: null });
  } catch (error) {
    if (signal.aborted) return void (await save({ heldUntil: null }).catch(() => undefined));
    // It is never given up: the identities are in its row alone.
    const rest = Math.min(HELD_MINUTES * 2 ** Math.min(attempts - 1, 10), REST_MAX_MINUTES);
    await save({ heldUntil: addMinutes(clock.now(), rest) }).catch(() => undefined);
    const told = { err: error, companyId, erasureId: id, attempts };
    if (attempts >= ATTEMPTS) log.error(told, "an erasure still does not get on");
    else log.warn(told, "an erasure did not get on; it is tried again");
  } finally {
    clearInterval(holding);
  }
}

/** Each step commits by itself and finds what an earlier run has left. */
async function erase(
  deps: ErasingDeps,
  ctx: Ctx,
  row: ErasureRow,
  signal: AbortSignal,
): Promise<void> {
  const { db } = deps;
  const { companyId } = ctx;
  const before = row.createdAt;
  let person = row.person;
  let { contactId } = row;
  let attendances = row.remains["attendances"] ?? 0;
  // A restored backup may know the person as several contacts.
  for (;;) {
    if (contactId === null && row.requesterId === null) {
      const found = await recognise(deps, ctx, row);
      if (found !== null) {
        contactId = found;
        person = await db.transaction(ctx, (tx) => takeRestored(deps, ctx, tx, row, found, person));
      }
    }
    if (contactId === null) break;
    attendances += await eraseConversations(deps, ctx, row.id, contactId, signal);
    const gone = contactId;
    await db.transaction(ctx, async (tx) => {
      await removeForgotten(deps, ctx, tx, gone);
      await tx.orm
        .update(erasures)
        .set({ contactId: null, remains: { attendances } })
        .where(and(eq(erasures.companyId, ctx.companyId), eq(erasures.id, row.id)));
    });
    contactId = null;
    if (row.requesterId !== null) break;
  }
  if (row.requesterId === null) person = await addStrays(deps, ctx, row, person ?? nobody);
  const erased = person ?? nobody;
  await eraseEntries(deps, ctx, erased);
  await eraseTexts(deps, ctx, erased, before);
  const elsewhere = await countElsewhere(deps, companyId, erased);
  for (const store of deps.stores) await store.forget(companyId, erased, before);
  await eraseExports(deps, ctx);
  const shared = await eraseFiles(deps, ctx, row.id);
  // The role of the companies' own work may not change the audit.
  await db.acrossCompanies(
    (tx) => replaceInAudit(tx, ctx, textsOf(erased), ERASED, erased.contactIds),
    ctx,
  );
  const mentions = await countMentions(deps, ctx, erased);
  await db.transaction(ctx, async (tx) => {
    const [now] = await tx.orm.select().from(erasures).where(eq(erasures.id, row.id));
    if (!now) return;
    const remains: PrivacyCounts = {
      attendances: now.remains["attendances"] ?? attendances,
      ...{ mentions, sharedFiles: shared, backups: deps.backupsKept },
    };
    await tx.orm
      .update(erasures)
      .set({
        ...{ state: "done", person: null, contactId: null, remains },
        counts: withElsewhere(now.counts, elsewhere),
        endedAt: deps.clock.now(),
        ...(deps.list === null ? { listedAt: deps.clock.now() } : {}),
      })
      .where(eq(erasures.id, row.id));
  });
}

/** A contact of a restored backup whose address gives one of the erasure's hashes. */
async function recognise(
  deps: ErasingDeps,
  ctx: Ctx,
  { salt, hashes }: ErasureRow,
): Promise<ContactId | null> {
  const wanted = new Set(hashes);
  let after = "";
  for (;;) {
    const last: string = after;
    const rows = await deps.db.transaction(ctx, (tx) =>
      tx.query<{
        contactId: ContactId;
        place: string;
        kind: string;
        key: string;
        value: string;
      }>(sql`
        select contact_id as "contactId", kind || ' ' || key as place, kind, key, value from contact_addresses
         where company_id = ${ctx.companyId} and kind || ' ' || key > ${last} and kind <> 'group'
         order by 2 limit ${STRETCH}`),
    );
    for (const { contactId, kind, key, value } of rows) {
      const identity = kind === "pn" ? `pn:${key}` : `id:${value}`;
      if (wanted.has(identityHash(deps, salt, identity))) return contactId;
    }
    const end = rows.at(-1);
    if (!end) return null;
    after = end.place;
  }
}

/** Adds what the contact is called to the person, and takes it. */
async function takeRestored(
  deps: ErasingDeps,
  ctx: Ctx,
  tx: Tx,
  row: ErasureRow,
  contactId: ContactId,
  known: ErasedPerson | null,
): Promise<ErasedPerson> {
  const found = await readPerson(ctx, tx, contactId);
  const person = joined(known ?? nobody, found);
  const held = await countHeld(tx, { companyId: ctx.companyId, contactId, person: found });
  await tx.query(
    sql`delete from legal_holds where company_id = ${ctx.companyId} and contact_id = ${contactId}`,
  );
  await take(deps, ctx, tx, row.id, contactId);
  const [now] = await tx.orm.select().from(erasures).where(eq(erasures.id, row.id));
  const counts: PrivacyCounts = { ...now?.counts };
  for (const [kind, count] of Object.entries(erasedOf(held.counts)))
    counts[kind] = (counts[kind] ?? 0) + count;
  await tx.orm.update(erasures).set({ contactId, person, counts }).where(eq(erasures.id, row.id));
  return person;
}

function joined(one: ErasedPerson, other: ErasedPerson): ErasedPerson {
  const both = (key: Exclude<keyof ErasedPerson, "contactIds">) => [
    ...new Set([...one[key], ...other[key]]),
  ];
  return {
    ...{ numbers: both("numbers"), privateIds: both("privateIds") },
    ...{ names: both("names"), emails: both("emails") },
    contactIds: [...one.contactIds, ...other.contactIds],
  };
}

/** Numbers of lists, spreadsheets and address books of a restored backup that give one of the hashes. */
async function addStrays(
  deps: ErasingDeps,
  ctx: Ctx,
  { salt, hashes, id }: ErasureRow,
  person: ErasedPerson,
): Promise<ErasedPerson> {
  const wanted = new Set(hashes);
  const places = [...numberPlaces, { name: "campaign_recipients", column: "number_normal" }];
  const parts = places.map(
    ({ name, column }) =>
      sql`select ${sql.identifier(column)} as number from ${sql.identifier(name)} where company_id = ${ctx.companyId}`,
  );
  const rows = await deps.db.transaction(ctx, (tx) =>
    tx.query<{ number: string | null }>(sql.join(parts, sql` union `)),
  );
  const found = rows.flatMap(({ number }) =>
    number !== null && /^\d+$/.test(number) && wanted.has(identityHash(deps, salt, `pn:${number}`))
      ? [number]
      : [],
  );
  const whole = joined(person, { ...nobody, numbers: numbersOf(found) });
  await deps.db.transaction(ctx, (tx) =>
    tx.orm.update(erasures).set({ person: whole }).where(eq(erasures.id, id)),
  );
  return whole;
}
