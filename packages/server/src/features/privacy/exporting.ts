import type { CompanyId, ContactId, PersonExport, PersonFile, SentFile } from "@balcao/contract";
import { subDays } from "date-fns/subDays";
import { and, desc, eq, gt, inArray, sql } from "drizzle-orm";
import { Readable } from "node:stream";
import type { UserCtx } from "../../platform/context.ts";
import { DomainError, systemCtx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import { lockRecord, requireRow, toIso } from "../../platform/db/records.ts";
import { companies, contacts, personExports } from "../../platform/db/schema/index.ts";
import type { DueWorker } from "../../platform/jobs/due-worker.ts";
import type { KeptFile, KeptFilesDeps } from "../../platform/jobs/kept-files.ts";
import {
  createFileKeeper,
  expireFilesAcrossCompanies,
  expiryOf,
} from "../../platform/jobs/kept-files.ts";
import { note } from "../audit/index.ts";
import type { MediaFiles } from "../media/index.ts";
import type { PageLanguage } from "./pages.ts";
import { personPage } from "./pages.ts";
import { readPerson } from "./people.ts";
import { heldTables, notCopied } from "./places.ts";
import { readPrivacySettings } from "./records.ts";

export type PersonExportDeps = KeptFilesDeps & { files: Pick<MediaFiles, "openFile"> };

const TOPIC = "person-exports";
const SHOWN_DAYS = 30;
const SHOWN = 10;
/** The sizes of a zip file's parts that every program reads. */
const FILE_MAX_BYTES = 4 * 1024 ** 3 - 1;

type Row = typeof personExports.$inferSelect;

/** Begins an export of a person, or returns the one that is still written. */
export async function requestPersonExport(
  { db, clock, ids, wake }: PersonExportDeps,
  ctx: UserCtx,
  contactId: ContactId,
  language: PageLanguage,
): Promise<PersonExport> {
  const { companyId, actor } = ctx;
  return db.transaction(ctx, async (tx) => {
    const { name, isGroup } = await lockRecord(
      ctx,
      tx,
      contacts,
      contactId,
      "ERR_NO_CONTACT_FOUND",
    );
    if (isGroup) throw new DomainError("ERR_NO_CONTACT_FOUND");
    const [open] = await tx.orm
      .select()
      .from(personExports)
      .where(
        and(
          eq(personExports.companyId, companyId),
          eq(personExports.contactId, contactId),
          eq(personExports.requesterId, actor.userId),
          inArray(personExports.state, ["waiting", "running"]),
        ),
      );
    if (open) return toExport(ctx, open, name);
    const [row] = await tx.orm
      .insert(personExports)
      .values({
        ...{ id: ids.uuid(), companyId, contactId, language, state: "waiting" },
        ...{ requesterId: actor.userId, requesterName: actor.name, createdAt: clock.now() },
      })
      .returning();
    await note(tx, ctx, { action: "exported", kind: "person", id: contactId, label: name });
    wake.notify(tx, TOPIC);
    return toExport(ctx, requireRow(row ? [row] : []), name);
  });
}

export async function listPersonExports(
  { db, clock }: PersonExportDeps,
  ctx: UserCtx,
  contactId: ContactId,
): Promise<PersonExport[]> {
  const rows = await db.transaction(ctx, (tx) =>
    tx.orm
      .select({ row: personExports, name: contacts.name })
      .from(personExports)
      .leftJoin(
        contacts,
        and(
          eq(contacts.companyId, personExports.companyId),
          eq(contacts.id, personExports.contactId),
        ),
      )
      .where(
        and(
          eq(personExports.companyId, ctx.companyId),
          eq(personExports.contactId, contactId),
          gt(personExports.createdAt, subDays(clock.now(), SHOWN_DAYS)),
        ),
      )
      .orderBy(desc(personExports.createdAt))
      .limit(SHOWN),
  );
  return rows.map(({ row, name }) => toExport(ctx, row, name ?? ""));
}

/** The file, for the user who asked for it, while it is there. */
export async function openPersonExport(
  { db, archives }: PersonExportDeps,
  ctx: UserCtx,
  id: string,
): Promise<SentFile> {
  const { companyId } = ctx;
  const row = await db.transaction(ctx, async (tx) => {
    const [found] = await tx.orm
      .select()
      .from(personExports)
      .where(and(eq(personExports.companyId, companyId), eq(personExports.id, id)));
    const isTheirs = found?.state === "done" && found.requesterId === ctx.actor.userId;
    if (!isTheirs) return null;
    await note(tx, ctx, {
      ...{ action: "opened", kind: "person", id: found.contactId ?? "", label: "" },
    });
    return found;
  });
  const file = row?.storeKey ? await archives.open({ companyId }, row.storeKey) : null;
  if (!file) throw new DomainError("ERR_NO_FILE_FOUND");
  return { name: "dados-pessoais.zip", mime: "application/zip", content: file.stream };
}

/** Writes the files that were asked for. */
export function createPersonExporter(deps: PersonExportDeps): DueWorker<KeptFile> {
  return createFileKeeper(deps, {
    ...{ name: TOPIC, table: personExports, extension: "zip", maxBytes: FILE_MAX_BYTES },
    write: ({ companyId, id }, signal) =>
      writePerson(deps, systemCtx(companyId, "privacy", id), id, signal),
  });
}

async function writePerson(
  { db, clock, files }: PersonExportDeps,
  ctx: ReturnType<typeof systemCtx>,
  id: string,
  signal: AbortSignal,
): Promise<AsyncIterable<Uint8Array>> {
  const { companyId } = ctx;
  const { ZipFile } = await import("yazl");
  const { file, language, timeZone } = await db.transaction(ctx, async (tx) => {
    const [row] = await tx.orm
      .select()
      .from(personExports)
      .where(and(eq(personExports.companyId, companyId), eq(personExports.id, id)));
    const [company] = await tx.orm.select().from(companies).where(eq(companies.id, companyId));
    if (!row?.contactId || !company) throw new Error("the person is gone");
    const settings = await readPrivacySettings(ctx, tx);
    const tables = await readRows(tx, companyId, row.contactId);
    const whole: PersonFile = {
      ...{ format: "balcao-person", version: 1, createdAt: toIso(clock.now()) },
      company: { id: companyId, name: company.name },
      officer: {
        ...{ name: settings.officerName, email: settings.officerEmail },
        phone: settings.officerPhone,
      },
      ...{ tables, files: filesOf(tables) },
    };
    // The language was checked when it was asked for.
    return { file: whole, language: row.language as PageLanguage, timeZone: company.timeZone };
  });
  const zip = new ZipFile();
  const out = zip.outputStream as Readable;
  // Without a listener a file that cannot be read would end the process, and the zip file would never end.
  zip.on("error", (error) => out.destroy(error));
  zip.addBuffer(Buffer.from(JSON.stringify(file)), "pessoa.json");
  zip.addReadStream(Readable.from(personPage(language, file, timeZone)), "pessoa.html");
  for (const [key, path] of Object.entries(file.files)) {
    zip.addReadStreamLazy(path, { compress: false }, (done) => {
      if (signal.aborted) {
        done(new Error("stopped"), Readable.from([]));
        return;
      }
      files.openFile(companyId, key).then(
        // One that was deleted meanwhile is empty.
        (opened) => done(null, Readable.from(opened?.content ?? [])),
        (error: unknown) => done(error, Readable.from([])),
      );
    });
  }
  zip.end();
  return out;
}

/** The rows of every table in which the person is, the oldest first. */
async function readRows(
  tx: Tx,
  companyId: CompanyId,
  contactId: ContactId,
): Promise<PersonFile["tables"]> {
  const person = await readPerson({ companyId }, tx, contactId);
  const tables: PersonFile["tables"] = {};
  for (const { name, where } of heldTables) {
    if (notCopied.has(name)) continue;
    const order =
      name === "messages"
        ? sql`order by its.created_at, its.seq`
        : sql`order by to_jsonb(its) ->> 'created_at', to_jsonb(its) ->> 'at'`;
    const rows = await tx.query<{ row: Record<string, unknown> }>(sql`
      select to_jsonb(its) - 'company_id' as row from ${sql.identifier(name)} its
       where company_id = ${companyId} and (${where({ companyId, contactId, person })}) ${order}`);
    if (rows.length > 0) tables[name] = [...(tables[name] ?? []), ...rows.map(({ row }) => row)];
  }
  return tables;
}

/** Names in folders by kind; a key is unique, so its beginning keeps equal names apart. */
function filesOf(tables: PersonFile["tables"]): Record<string, string> {
  const named: Record<string, string> = {};
  for (const row of tables["message_media"] ?? []) {
    const key = row["file_key"];
    if (typeof key !== "string" || row["state"] !== "ready") continue;
    const name = String(row["name"])
      .replaceAll(/[^\p{L}\p{N}._ -]/gu, "_")
      .slice(-80);
    named[key] = `arquivos/${String(row["kind"])}/${key.slice(-16).replace(/\..*$/, "")}-${name}`;
  }
  for (const row of tables["contacts"] ?? []) {
    const key = row["picture_key"];
    if (typeof key === "string") named[key] = `arquivos/foto-${key.slice(-10)}`;
  }
  return named;
}

/** Removes files after their day. */
export const sweepPersonExportsAcrossCompanies = (
  deps: Parameters<typeof expireFilesAcrossCompanies>[0],
  signal?: AbortSignal,
): Promise<void> => expireFilesAcrossCompanies(deps, personExports, signal);

function toExport(ctx: UserCtx, row: Row, contactName: string): PersonExport {
  const { id, state, bytes, requesterName, createdAt } = row;
  return {
    ...{ id, state, bytes, contactName, requesterName },
    isMine: row.requesterId === ctx.actor.userId,
    createdAt: toIso(createdAt),
    expiresAt: expiryOf(row),
  };
}
