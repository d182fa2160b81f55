import type {
  AuditAction,
  AuditEntry,
  AuditFilter,
  AuditKind,
  InputOf,
  ResultOf,
} from "@balcao/contract";
import { limits, pageSizes } from "@balcao/contract";
import { and, desc, eq, getTableColumns, sql } from "drizzle-orm";
import type { UserCtx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import { timeZoneOf, toIso } from "../../platform/db/records.ts";
import { auditEntries, companies, supportVisits } from "../../platform/db/schema/index.ts";
import type { SheetPages } from "../../platform/spreadsheets/write.ts";
import { writeSheet } from "../../platform/spreadsheets/write.ts";
import { auditWords } from "./words.ts";

type Deps = { db: Database };

const { words: _words, ...shown } = getTableColumns(auditEntries);

/** A page of the company's entries, the newest first. */
export async function listEntries(
  { db }: Deps,
  ctx: UserCtx,
  { before, ...filter }: InputOf<"GET /audit">["query"],
): Promise<ResultOf<"GET /audit">> {
  requireOrder(filter);
  const size = pageSizes.auditEntries;
  const rows = await db.transaction(ctx, (tx) => readEntries(ctx, tx, filter, before, size + 1));
  return { entries: rows.slice(0, size).map(toEntry), hasMore: rows.length > size };
}

const PAGE = 1_000;

/** The entries as a spreadsheet, read page by page while it is fetched. Its times are the company's. */
export async function exportEntries(
  { db }: Deps,
  ctx: UserCtx,
  { format, language, ...filter }: InputOf<"GET /audit/export">["query"],
): Promise<ResultOf<"GET /audit/export">> {
  requireOrder(filter);
  const words = auditWords[language];
  const pages = async function* (): SheetPages {
    const moments = new Intl.DateTimeFormat(language, {
      ...{
        dateStyle: "short",
        timeStyle: "medium",
        timeZone: await db.transaction(ctx, (tx) => timeZoneOf(ctx, tx)),
      },
    });
    yield [words.titles];
    let last: number | undefined;
    for (let sent = 0; sent < limits.auditExportMax; sent += PAGE) {
      const rows = await db.transaction(ctx, (tx) => readEntries(ctx, tx, filter, last, PAGE));
      yield rows.map((row) => {
        const { actor, action, kind, objectId, label, before, after, ...rest } = toEntry(row);
        return [
          ...[moments.format(row.at), actor.name, actor.visitorName ?? "", words.actions[action]],
          ...[words.kinds[kind], label, objectId, fieldsText(before), fieldsText(after)],
          ...[rest.address ?? "", rest.device ?? "", rest.requestId ?? ""],
        ];
      });
      last = rows.at(-1)?.id;
      if (rows.length < PAGE) return;
    }
  };
  return writeSheet(words.file, format, pages());
}

type Row = Omit<typeof auditEntries.$inferSelect, "words"> & { visitorName: string | null };

async function readEntries(
  { companyId }: UserCtx,
  { orm }: Tx,
  filter: AuditFilter,
  before: number | undefined,
  limit: number,
): Promise<Row[]> {
  const { dateFrom, dateTo, userId, kind, action, objectId, searchParam } = filter;
  const own = eq(auditEntries.companyId, companyId);
  const dayBegins = (day: string, plus: number) =>
    sql`(${day}::date + ${plus}::int)::timestamp at time zone (select time_zone from ${companies} where id = ${companyId})`;
  const since = dateFrom ? dayBegins(dateFrom, 0) : undefined;
  const until = dateTo ? dayBegins(dateTo, 1) : undefined;
  const placeAt = before
    ? sql`(select at from ${auditEntries} where company_id = ${companyId} and id = ${before})`
    : undefined;
  const isFound =
    searchParam &&
    sql`${auditEntries.id} in (select search_audit(${searchParam}, ${limit}, ${kind ?? null}, ${objectId || null},
      ${action ?? null}, ${userId ?? null}, ${since ?? null}, ${until ?? null}, ${placeAt ?? null}, ${before ?? null}))`;
  // Planned for what is asked: each filter has its index, and words the one that the function reads.
  return orm
    .select({ ...shown, visitorName: supportVisits.visitorName })
    .from(auditEntries)
    .leftJoin(
      supportVisits,
      and(
        eq(supportVisits.companyId, auditEntries.companyId),
        eq(supportVisits.id, auditEntries.visitId),
      ),
    )
    .where(
      and(
        own,
        ...(isFound
          ? [isFound]
          : [
              since && sql`${auditEntries.at} >= ${since}`,
              until && sql`${auditEntries.at} < ${until}`,
              userId && and(eq(auditEntries.actorId, userId), eq(auditEntries.actorKind, "user")),
              kind && eq(auditEntries.objectKind, kind),
              action && eq(auditEntries.action, action),
              objectId ? eq(auditEntries.objectId, objectId) : undefined,
              placeAt && sql`(${auditEntries.at}, ${auditEntries.id}) < (${placeAt}, ${before})`,
            ]),
      ),
    )
    .orderBy(desc(auditEntries.at), desc(auditEntries.id))
    .limit(limit);
}

/** Addresses and devices of the provider's people are not shown to the company. */
const isFromProvider = ({ actorCompanyId, visitorName }: Row): boolean =>
  actorCompanyId !== null || visitorName !== null;

const toEntry = (row: Row): AuditEntry => ({
  ...{ id: row.id, at: toIso(row.at) },
  actor: {
    ...{ kind: row.actorKind, id: row.actorId, name: row.actorName },
    ...{ isProvider: row.actorCompanyId !== null, visitorName: row.visitorName },
  },
  // Written by the product alone: triggers and calls with the contract's names.
  ...{ action: row.action as AuditAction, kind: row.objectKind as AuditKind },
  ...{ objectId: row.objectId, label: row.objectLabel, before: row.before, after: row.after },
  ...{ requestId: row.requestId },
  address: isFromProvider(row) ? null : row.address,
  device: isFromProvider(row) ? null : row.device,
});

function requireOrder({ dateFrom, dateTo }: AuditFilter): void {
  if (dateFrom && dateTo && dateFrom > dateTo) throw new DomainError("ERR_PERIOD_REVERSED");
}

const fieldsText = (fields: Record<string, unknown> | null): string =>
  Object.entries(fields ?? {})
    .map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join("; ");
