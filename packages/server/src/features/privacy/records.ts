import type {
  Consent,
  ContactId,
  Erasure,
  InputOf,
  PrivacySettings,
  ReplyOf,
} from "@balcao/contract";
import { and, desc, eq, sql } from "drizzle-orm";
import type { Ctx, UserCtx } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import { findRecord, lockRecord, toIso, toIsoOrNull } from "../../platform/db/records.ts";
import {
  contactEvents,
  contacts,
  erasures,
  legalHolds,
  privacySettings,
  users,
} from "../../platform/db/schema/index.ts";
import type { Clock } from "../../platform/sources.ts";
import { note } from "../audit/index.ts";
import { recordEvents } from "../contacts/index.ts";

export type RecordsDeps = { db: Database; clock: Clock };
export type ErasureRow = typeof erasures.$inferSelect;

const CERTIFICATES_SHOWN = 100;
const CONSENTS_SHOWN = 200;

export function toErasure(row: ErasureRow): Erasure {
  const { id, state, requesterName, createdAt, endedAt, counts } = row;
  return {
    ...{ id, state, requesterName, counts },
    createdAt: toIso(createdAt),
    endedAt: toIsoOrNull(endedAt),
  };
}

export async function listErasures(
  { db }: RecordsDeps,
  ctx: UserCtx,
): Promise<ReplyOf<"GET /privacy/erasures">> {
  const rows = await db.transaction(ctx, (tx) =>
    tx.orm
      .select()
      .from(erasures)
      .where(eq(erasures.companyId, ctx.companyId))
      .orderBy(desc(erasures.createdAt))
      .limit(CERTIFICATES_SHOWN),
  );
  return { erasures: rows.map(toErasure) };
}

const noSettings: PrivacySettings = {
  ...{ mediaDays: null, messageDays: null, textPt: "", textEn: "", textEs: "" },
  ...{ isTextSent: false, officerName: "", officerEmail: "", officerPhone: "" },
};

export async function readPrivacySettings(
  { companyId }: Pick<Ctx, "companyId">,
  tx: Tx,
): Promise<PrivacySettings> {
  const [row] = await tx.orm
    .select()
    .from(privacySettings)
    .where(eq(privacySettings.companyId, companyId));
  if (!row) return noSettings;
  const { companyId: _, updatedAt: __, ...settings } = row;
  return settings;
}

export async function savePrivacySettings(
  { db, clock }: RecordsDeps,
  ctx: UserCtx,
  settings: PrivacySettings,
): Promise<PrivacySettings> {
  const { companyId } = ctx;
  const values = { ...settings, updatedAt: clock.now() };
  await db.transaction(ctx, async (tx) => {
    const before = await readPrivacySettings(ctx, tx);
    await tx.orm
      .insert(privacySettings)
      .values({ companyId, ...values })
      .onConflictDoUpdate({ target: privacySettings.companyId, set: values });
    const changed = (Object.keys(settings) as (keyof PrivacySettings)[]).filter(
      (key) => settings[key] !== before[key],
    );
    if (changed.length === 0) return;
    const only = (from: PrivacySettings) =>
      Object.fromEntries(changed.map((key) => [key, from[key]]));
    await note(tx, ctx, {
      ...{ action: "changed", kind: "privacyRules", id: "", label: "" },
      ...{ before: only(before), after: only(settings) },
    });
  });
  return settings;
}

/** Keeps a person's data, or lets them go again. */
export async function saveHold(
  { db, clock }: RecordsDeps,
  ctx: UserCtx,
  contactId: ContactId,
  reason: string | null,
): Promise<void> {
  const { companyId, actor } = ctx;
  await db.transaction(ctx, async (tx) => {
    await lockRecord(ctx, tx, contacts, contactId, "ERR_NO_CONTACT_FOUND");
    if (reason === null) {
      await tx.orm
        .delete(legalHolds)
        .where(and(eq(legalHolds.companyId, companyId), eq(legalHolds.contactId, contactId)));
    } else {
      const values = { reason, userId: actor.userId, createdAt: clock.now() };
      await tx.orm
        .insert(legalHolds)
        .values({ companyId, contactId, ...values })
        .onConflictDoUpdate({ target: [legalHolds.companyId, legalHolds.contactId], set: values });
    }
    await note(tx, ctx, {
      ...{ action: "changed", kind: "person", id: contactId, label: "" },
      after: { isHeld: reason !== null },
    });
  });
}

/** Consents are part of the contact's history, beside its opt-outs. */
export async function listConsents(
  { db }: RecordsDeps,
  ctx: UserCtx,
  contactId: ContactId,
): Promise<{ consents: Consent[] }> {
  return db.transaction(ctx, async (tx) => {
    await findRecord(ctx, tx, contacts, contactId, "ERR_NO_CONTACT_FOUND");
    const rows = await tx.orm
      .select({
        ...{ at: contactEvents.at, change: contactEvents.change },
        ...{ userId: contactEvents.userId, userName: users.name },
      })
      .from(contactEvents)
      .leftJoin(
        users,
        and(eq(users.companyId, contactEvents.companyId), eq(users.id, contactEvents.userId)),
      )
      .where(
        and(
          eq(contactEvents.companyId, ctx.companyId),
          eq(contactEvents.contactId, contactId),
          sql`change ->> 'kind' in ('optedOut', 'optOutEnded', 'consent')`,
        ),
      )
      .orderBy(desc(contactEvents.id))
      .limit(CONSENTS_SHOWN);
    return {
      consents: rows.flatMap(({ at, change, userId, userName }): Consent[] => {
        const by = userId === null ? null : { id: userId, name: userName ?? "" };
        const shared = { at: toIso(at), user: by };
        if (change.kind === "consent")
          return [{ ...shared, kind: change.consent, way: change.way, note: change.note }];
        if (change.kind === "optedOut")
          return [{ ...shared, kind: "withdrawn", way: change.source, note: "" }];
        if (change.kind === "optOutEnded")
          return [{ ...shared, kind: "given", way: "person", note: "" }];
        return [];
      }),
    };
  });
}

export async function addConsent(
  deps: RecordsDeps,
  ctx: UserCtx,
  contactId: ContactId,
  body: InputOf<"POST /privacy/contacts/:contactId/consents">["body"],
): Promise<{ consents: Consent[] }> {
  await deps.db.transaction(ctx, async (tx) => {
    const { name } = await lockRecord(ctx, tx, contacts, contactId, "ERR_NO_CONTACT_FOUND");
    const { kind: consent, way, note: words } = body;
    await recordEvents(ctx, tx, deps.clock.now(), [
      { contactId, change: { kind: "consent", consent, way, note: words } },
    ]);
    await note(tx, ctx, {
      ...{ action: "added", kind: "consent", id: contactId, label: name },
      after: { consent, way },
    });
  });
  return listConsents(deps, ctx, contactId);
}
