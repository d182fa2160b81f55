import type {
  ContactEventChange,
  ContactFieldChange,
  ContactId,
  ExtraInfo,
  ReplyOf,
} from "@balcao/contract";
import { pageSizes } from "@balcao/contract";
import { and, desc, eq, gt, sql } from "drizzle-orm";
import type { Ctx, UserCtx } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import { listTotal, readPage, toIso } from "../../platform/db/records.ts";
import { contactEvents, users } from "../../platform/db/schema/index.ts";
import type { ShownContactRow } from "./contact.ts";
import { findContact } from "./repository.ts";

type HistoryPage = ReplyOf<"GET /contacts/:contactId/history">;

/**
 * Writes what happens to contacts into their histories, in the transaction that changes them. The actor is who did it; the
 * product itself stands there as null.
 */
export async function recordEvents(
  { companyId, actor }: Ctx,
  tx: Tx,
  at: Date,
  events: readonly { contactId: ContactId; change: ContactEventChange }[],
): Promise<void> {
  if (events.length === 0) return;
  const userId = actor.kind === "user" ? actor.userId : null;
  await tx.orm
    .insert(contactEvents)
    .values(events.map(({ contactId, change }) => ({ companyId, contactId, change, userId, at })));
}

/** The history of one contact, newest first. */
export function listHistory(
  { db }: { db: Database },
  ctx: UserCtx,
  contactId: ContactId,
  pageNumber: number,
): Promise<HistoryPage> {
  return db.transaction(ctx, async (tx) => {
    await findContact(ctx, tx, contactId);
    const { rows, ...totals } = await readPage(
      pageNumber,
      pageSizes.contactHistory,
      (limit, offset) =>
        tx.orm
          .select({ ...eventColumns, total: listTotal })
          .from(contactEvents)
          .leftJoin(users, isItsUser)
          .where(isOf(ctx, contactId))
          .orderBy(desc(contactEvents.id))
          .limit(limit)
          .offset(offset),
    );
    const events = rows.map(({ id, at, change, userId, userName }) => ({
      ...{ id, at: toIso(at), change },
      user: userId === null ? null : { id: userId, name: userName ?? "" },
    }));
    return { events, ...totals };
  });
}

/** Changes that one look at a contact's newer history tells; a form names a few fields. */
const NEWER_EVENTS_MAX = 200;

/** The last change of each field after a moment, with who made it. */
export async function changesSince(
  ctx: Ctx,
  tx: Tx,
  contactId: ContactId,
  since: string,
): Promise<FieldsChanged> {
  const rows = await tx.orm
    .select(eventColumns)
    .from(contactEvents)
    .leftJoin(users, isItsUser)
    .where(and(isOf(ctx, contactId), gt(contactEvents.at, sql`${since}::timestamptz`)))
    .orderBy(desc(contactEvents.id))
    .limit(NEWER_EVENTS_MAX);
  const last = new Map<string, FieldsChanged[number]>();
  for (const { change, at, userId, userName } of rows) {
    const user = userId === null ? null : { id: userId, name: userName ?? "" };
    for (const { field, label } of fieldsOf(change)) {
      const key = `${field} ${label}`;
      if (!last.has(key)) last.set(key, { field, label, at: toIso(at), user });
    }
  }
  return [...last.values()];
}

type FieldsChanged = {
  field: string;
  label: string;
  at: string;
  user: { id: number; name: string } | null;
}[];

function fieldsOf(change: ContactEventChange): { field: string; label: string }[] {
  switch (change.kind) {
    case "edited":
      return change.fields;
    case "numberChanged":
      return [{ field: "number", label: "" }];
    case "merged":
      return change.lost;
    case "optedOut":
    case "optOutEnded":
    case "consent":
      return [];
  }
}

type Before = Omit<ShownContactRow, "number">;

/** What an edit changed, but for the number, which has an event of its own. */
export function editedFields(before: Before, after: Before): ContactFieldChange[] {
  const plain = (["name", "email", "active", "disableBot"] as const).flatMap((field) =>
    before[field] === after[field]
      ? []
      : [{ field, label: "", from: String(before[field]), to: String(after[field]) }],
  );
  return [...plain, ...editedInfo(before.extraInfo ?? [], after.extraInfo ?? [])];
}

function editedInfo(
  before: readonly ExtraInfo[],
  after: readonly ExtraInfo[],
): ContactFieldChange[] {
  const field = "extraInfo" as const;
  const changed = before.flatMap(({ id, name, value }) => {
    const now = after.find((row) => row.id === id);
    if (now?.name === name) {
      return now.value === value ? [] : [{ field, label: name, from: value, to: now.value }];
    }
    const gone = { field, label: name, from: value, to: "" };
    return now ? [gone, { field, label: now.name, from: "", to: now.value }] : [gone];
  });
  const added = after
    .filter(({ id }) => !before.some((row) => row.id === id))
    .map(({ name, value }) => ({ field, label: name, from: "", to: value }));
  return [...changed, ...added];
}

const eventColumns = {
  id: contactEvents.id,
  at: contactEvents.at,
  change: contactEvents.change,
  userId: contactEvents.userId,
  userName: users.name,
};
const isItsUser = and(
  eq(users.companyId, contactEvents.companyId),
  eq(users.id, contactEvents.userId),
);
const isOf = ({ companyId }: Pick<Ctx, "companyId">, contactId: ContactId) =>
  and(eq(contactEvents.companyId, companyId), eq(contactEvents.contactId, contactId));
