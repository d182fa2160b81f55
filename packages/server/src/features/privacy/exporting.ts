import type { CompanyId, ContactId, PersonExport, PersonFile, SentFile } from "@balcao/contract";
import { addDays } from "date-fns/addDays";
import { addMinutes } from "date-fns/addMinutes";
import { subDays } from "date-fns/subDays";
import { and, desc, eq, gt, inArray, sql } from "drizzle-orm";
import { Readable } from "node:stream";
import type { UserCtx } from "../../platform/context.ts";
import { DomainError, systemCtx } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import { lockRecord, requireRow, toIso } from "../../platform/db/records.ts";
import { companies, contacts, personExports } from "../../platform/db/schema/index.ts";
import type { Wake } from "../../platform/db/wake.ts";
import { DueWorker } from "../../platform/jobs/due-worker.ts";
import type { Logger } from "../../platform/logging/logger.ts";
import type { MediaStore } from "../../platform/media/media-store.ts";
import { newMediaKey } from "../../platform/media/media-store.ts";
import type { Clock, IdSource } from "../../platform/sources.ts";
import { note } from "../audit/index.ts";
import type { MediaFiles } from "../media/index.ts";
import type { PageLanguage } from "./pages.ts";
import { personPage } from "./pages.ts";
import { readPerson } from "./people.ts";
import { heldTables, notCopied } from "./places.ts";
import { readPrivacySettings } from "./records.ts";

export type PersonExportDeps = {
  db: Database;
  clock: Clock;
  ids: IdSource;
  wake: Wake;
  log: Logger;
  files: Pick<MediaFiles, "openFile">;
  archives: MediaStore;
};

const TOPIC = "person-exports";
const LOOK_EVERY_MS = 30_000;
const HELD_MINUTES = 10;
const ATTEMPTS = 3;
const KEPT_DAYS = 1;
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

type Claim = { companyId: CompanyId; id: string; storeKey: string; attempts: number };

/** Writes the files that were asked for, one at a time. A run that is cut off begins anew. */
export function createPersonExporter(deps: PersonExportDeps): DueWorker<Claim> {
  return new DueWorker<Claim>({
    name: "person-exports",
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

/** The key of the file is stored before the file is written, so that none is ever without a row. */
async function claim(
  { db, clock, ids, archives }: PersonExportDeps,
  limit: number,
): Promise<Claim[]> {
  if (limit < 1) return [];
  const now = clock.now();
  const storeKey = newMediaKey(ids, "zip");
  type Taken = Omit<Claim, "storeKey"> & { before: string | null };
  const taken = await db.acrossCompanies((tx) =>
    tx.query<Taken>(sql`
      update person_exports its set state = 'running', attempts = its.attempts + 1, store_key = ${storeKey},
             held_until = ${addMinutes(now, HELD_MINUTES)}
      from (select id, store_key from person_exports
             where state = 'waiting' or (state = 'running' and held_until < ${now})
             order by created_at limit 1 for update skip locked) due
      where its.id = due.id
      returning its.company_id as "companyId", its.id, its.attempts, due.store_key as before`),
  );
  for (const { companyId, before } of taken) {
    if (before !== null) await archives.remove({ companyId }, before);
  }
  return taken.map((one) => ({ ...one, storeKey }));
}

async function run(deps: PersonExportDeps, one: Claim, signal: AbortSignal): Promise<void> {
  const { db, clock, archives, log } = deps;
  const { companyId, id, storeKey, attempts } = one;
  const ctx = systemCtx(companyId, "privacy", id);
  const save = async (values: Partial<Row>): Promise<boolean> => {
    const isOurs = and(
      eq(personExports.companyId, companyId),
      eq(personExports.id, id),
      eq(personExports.storeKey, storeKey),
    );
    const saved = await db.transaction(ctx, (tx) =>
      tx.orm.update(personExports).set(values).where(isOurs),
    );
    return (saved.rowCount ?? 0) > 0;
  };
  const holding = setInterval(() => {
    save({ heldUntil: addMinutes(clock.now(), HELD_MINUTES) }).catch(() => undefined);
  }, 60_000);
  try {
    const content = await writePerson(deps, ctx, id, signal);
    const { bytes } = await archives.put({ companyId }, storeKey, content, {
      maxBytes: FILE_MAX_BYTES,
    });
    const done = { state: "done" as const, bytes, heldUntil: null, endedAt: clock.now() };
    // The person was erased meanwhile, or another process has begun anew.
    if (!(await save(done))) await archives.remove({ companyId }, storeKey);
  } catch (error) {
    await archives.remove({ companyId }, storeKey);
    const isOver = attempts >= ATTEMPTS && !signal.aborted;
    if (isOver) await save({ state: "failed", storeKey: null, endedAt: clock.now() });
    else await save({ state: "waiting", heldUntil: null, storeKey: null });
    if (!signal.aborted)
      log.error({ err: error, companyId, exportId: id }, "an export of a person failed");
  } finally {
    clearInterval(holding);
  }
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
export async function sweepPersonExportsAcrossCompanies(
  { db, clock, archives }: Pick<PersonExportDeps, "db" | "clock" | "archives">,
  signal?: AbortSignal,
): Promise<void> {
  const before = subDays(clock.now(), KEPT_DAYS);
  const old = await db.acrossCompanies((tx) =>
    tx.query<{ companyId: CompanyId; id: string; storeKey: string }>(sql`
      select company_id as "companyId", id, store_key as "storeKey" from person_exports
       where state = 'done' and store_key is not null and ended_at < ${before}`),
  );
  for (const { companyId, id, storeKey } of old) {
    signal?.throwIfAborted();
    await archives.remove({ companyId }, storeKey);
    await db.acrossCompanies((tx) =>
      tx.query(sql`
        update person_exports set state = 'expired', store_key = null, contact_id = null where id = ${id}`),
    );
  }
}

function toExport(ctx: UserCtx, row: Row, contactName: string): PersonExport {
  const { id, state, bytes, requesterName, createdAt, endedAt } = row;
  return {
    ...{ id, state, bytes, contactName, requesterName },
    isMine: row.requesterId === ctx.actor.userId,
    createdAt: toIso(createdAt),
    expiresAt: state === "done" && endedAt ? toIso(addDays(endedAt, KEPT_DAYS)) : null,
  };
}
