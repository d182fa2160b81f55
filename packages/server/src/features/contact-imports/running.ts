import type {
  CompanyId,
  ContactImportId,
  ImportSettings,
  ImportTarget,
  ImportTrial,
  TagId,
} from "@balcao/contract";
import { limits } from "@balcao/contract";
import type { Ctx } from "../../platform/context.ts";
import { DomainError, systemCtx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import { DueWorker } from "../../platform/jobs/due-worker.ts";
import { importMembers, tellImported } from "../contact-lists/index.ts";
import type { ImportedPerson, ImportOutcome } from "../contacts/index.ts";
import { importPeople, tellReload } from "../contacts/index.ts";
import { readRowNumber, rowReader, tagsOf } from "./columns.ts";
import type { ContactImportsDeps, ImportRecord } from "./imports.ts";
import { beginNext, changeImport, seizeImport, tellImport, TOPIC } from "./imports.ts";
import {
  countRows,
  distinctCells,
  readNumberCells,
  readRows,
  saveMade,
  saveNumbers,
} from "./rows.ts";
import { importTags, missingTags } from "./tags.ts";

type Due = { id: ContactImportId; companyId: CompanyId };

const LOOK_EVERY_MS = 10_000;
const COUNTED_AT_ONCE = 500;
/** More take more memory at a time and are hardly faster. */
const IMPORTED_AT_ONCE = 150;
/** Between two events about an import that runs, and two about its contacts. */
const TELL_EVERY_MS = 1_000;
const RELOAD_EVERY_MS = 5_000;
/** Different texts of a column of tags that are looked at for new ones. */
const TAG_CELLS_MAX = 20_000;

/**
 * Counts what imports would do, and imports, in any number of processes: the next portion of rows of one import is one
 * transaction, which holds the import's row. What a crash interrupts is rolled back and done again by the next look.
 * Companies take turns, because the import that had its turn longest ago comes first.
 */
export function createRunning(deps: ContactImportsDeps): DueWorker<Due> {
  const { db, wake, log, clock } = deps;
  return new DueWorker<Due>({
    name: "contact-imports.running",
    log,
    lookEveryMs: LOOK_EVERY_MS,
    betweenLooksMs: 1,
    wokenBy: { wake, topic: TOPIC, inMs: 0 },
    look: async (limit, held) => {
      const values = [clock.now(), limit + held];
      return { due: await db.acrossCompanies((tx) => tx.query<Due>(dueStatement, values)) };
    },
    work: {
      atOnce: 2,
      batch: 20,
      idOf: ({ id }) => id,
      companyOf: ({ companyId }) => companyId,
      run: async (due) => ((await goOn(deps, due)) === "over" ? undefined : "again"),
    },
  });
}

/** Does the next portion of an import. `busy`: another one does. `over`: there is nothing left to do. */
export async function goOn(
  deps: ContactImportsDeps,
  { id, companyId }: Due,
): Promise<"more" | "busy" | "over"> {
  const ctx = systemCtx(companyId, TOPIC, deps.ids.uuid());
  try {
    return await deps.db.transaction(ctx, async (tx) => {
      const row = await seizeImport(ctx, tx, id);
      if (!row) return "busy";
      const { settings } = row;
      if (row.dueAt === null || settings === null || row.state === "reading") return "over";
      if (row.countedLine !== null) return countSome(deps, ctx, tx, { ...row, settings });
      if (row.state === "waiting") {
        const after = await beginNext(deps, ctx, tx, row);
        if (after.state === "running") tellImport(deps, tx, "update", after);
        return "more";
      }
      return importSome(deps, ctx, tx, { ...row, settings });
    });
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== "ERR_CONTACTLIST_FULL") throw error;
    await deps.db.transaction(ctx, async (tx) => {
      const row = await seizeImport(ctx, tx, id);
      if (row?.state === "running") {
        await endImport(deps, ctx, tx, row, { state: "stopped", errorCode: error.code });
      }
    });
    return "over";
  }
}

type Ready = ImportRecord & { settings: ImportSettings };

/** Reads the numbers of the next rows; after the last ones the trial is known. */
async function countSome(
  deps: ContactImportsDeps,
  ctx: Ctx,
  tx: Tx,
  row: Ready,
): Promise<"more" | "over"> {
  const { settings, countedLine } = row;
  const placeOf = (wanted: ImportTarget): number | null => {
    const place = settings.columns.findIndex(({ target }) => target === wanted);
    return place === -1 ? null : place;
  };
  const rows = await readNumberCells(ctx, tx, row.id, {
    ...{ afterLine: countedLine ?? 0, limit: COUNTED_AT_ONCE },
    ...{ number: placeOf("number"), email: placeOf("email") },
  });
  const numbers = rows.map(({ line, number, email }) => ({
    line,
    ...readRowNumber({ writtenNumber: number ?? "", email: email ?? "" }, settings.country),
  }));
  await saveNumbers(ctx, tx, row.id, numbers);
  const dueAt = deps.clock.now();
  if (rows.length === COUNTED_AT_ONCE) {
    await changeImport(deps, ctx, tx, row, { countedLine: rows.at(-1)?.line ?? 0, dueAt });
    return "more";
  }
  const trial = { ...(await countRows(ctx, tx, row)), newTags: await newTagsOf(ctx, tx, row) };
  const isTooMuch = trial.newTags.length > limits.importNewTagsMax;
  // It was begun before this was known.
  const state = isTooMuch ? ("draft" as const) : row.state;
  const change = { trial, countedLine: null, state, dueAt: state === "draft" ? null : dueAt };
  const counted = await changeImport(deps, ctx, tx, row, change);
  tellImport(deps, tx, "update", counted);
  if (state !== "draft") return "more";
  if (row.state !== "draft") await beginNext(deps, ctx, tx, counted);
  return "over";
}

async function newTagsOf(ctx: Ctx, tx: Tx, row: Ready): Promise<ImportTrial["newTags"]> {
  const place = row.settings.columns.findIndex(({ target }) => target === "tag");
  if (place === -1 || row.contactListId !== null) return [];
  const cells = await distinctCells(ctx, tx, row, place, TAG_CELLS_MAX);
  const names = [...new Set(cells.flatMap(tagsOf))];
  return missingTags(ctx, tx, names, limits.importNewTagsMax + 1);
}

/** Imports the next rows; after the last ones the import is done. */
async function importSome(
  deps: ContactImportsDeps,
  ctx: Ctx,
  tx: Tx,
  row: Ready,
): Promise<"more" | "over"> {
  const { batchRows = IMPORTED_AT_ONCE } = deps;
  const after = Math.max(row.doneLine, row.settings.titleRow);
  const rows = await readRows(ctx, tx, row.id, after, batchRows);
  const good = rows.filter(({ problem }) => problem === null);
  const { titleCells } = await readTitles(ctx, tx, row);
  const read = rowReader(row.settings, titleCells);
  const people = good.map(({ cells, number }) => ({ ...read(cells), number: number ?? "" }));
  const outcomes = await write(deps, ctx, tx, row, people);
  const count = (wanted: ImportOutcome["outcome"]): number =>
    outcomes.filter(({ outcome }) => outcome === wanted).length;
  if (row.isAtOnce) {
    const made = good.flatMap(({ line }, place) => {
      const one = outcomes[place];
      return one?.outcome === "added" ? [{ line, id: one.id }] : [];
    });
    await saveMade(ctx, tx, row.id, made);
  }
  const done = {
    doneLine: rows.at(-1)?.line ?? after,
    added: row.added + count("added"),
    filled: row.filled + count("filled"),
    kept: row.kept + count("kept"),
    refused: row.refused + rows.length - good.length,
  };
  if (rows.length < batchRows) {
    await endImport(deps, ctx, tx, { ...row, ...done }, { ...done, state: "done" });
    return "over";
  }
  await tellProgress(deps, ctx, tx, row, done);
  return "more";
}

/** The extra information is called by the titles. */
async function readTitles(ctx: Ctx, tx: Tx, row: Ready): Promise<{ titleCells: string[] }> {
  const isNeeded = row.settings.columns.some(({ target }) => target === "extra");
  if (!isNeeded || row.contactListId !== null) return { titleCells: [] };
  const [title] = await readRows(ctx, tx, row.id, row.settings.titleRow - 1, 1);
  return { titleCells: title?.line === row.settings.titleRow ? title.cells : [] };
}

type Person = ReturnType<ReturnType<typeof rowReader>> & { number: string };

async function write(
  deps: ContactImportsDeps,
  ctx: Ctx,
  tx: Tx,
  { contactListId, settings, userId }: Ready,
  people: readonly Person[],
): Promise<ImportOutcome[]> {
  const now = deps.clock.now();
  const { rule } = settings;
  if (contactListId === null) {
    const names = [...new Set(people.flatMap(({ tags }) => tags))];
    const tagIds = await importTags(deps, ctx, tx, names, now);
    const imported = people.map((person) => toImported(person, tagIds));
    return importPeople(deps, ctx, tx, imported, { rule, userId, now });
  }
  const members = people.map((person) => toImported({ ...person, extra: [] }, new Map()));
  // Somebody who does not want messages is a contact that opted out: lists have no such note of their own.
  const optedOut = members.filter(({ isOptedOut }) => isOptedOut);
  await importPeople(deps, ctx, tx, optedOut, { rule: "keep", userId, now });
  return importMembers(ctx, tx, contactListId, members, { rule, now });
}

function toImported(person: Person, tagIds: ReadonlyMap<string, TagId>): ImportedPerson {
  const { name, number, email, isOptedOut, extra, tags } = person;
  const ids = new Set(tags.flatMap((tag) => tagIds.get(tag) ?? []));
  return { name, number, email, isOptedOut, extra, tagIds: [...ids] };
}

type Progress = Pick<ImportRecord, "doneLine" | "added" | "filled" | "kept" | "refused">;

async function tellProgress(
  deps: ContactImportsDeps,
  ctx: Ctx,
  tx: Tx,
  row: Ready,
  done: Progress,
): Promise<void> {
  const now = deps.clock.now();
  const isDue = (last: Date | null, everyMs: number): boolean =>
    last === null || now.getTime() - last.getTime() >= everyMs;
  const isTold = isDue(row.toldAt, TELL_EVERY_MS);
  const isReloaded = isDue(row.reloadedAt, RELOAD_EVERY_MS);
  const after = await changeImport(deps, ctx, tx, row, {
    ...{ ...done, dueAt: now },
    ...(isTold ? { toldAt: now } : {}),
    ...(isReloaded ? { reloadedAt: now } : {}),
  });
  if (isTold) tellImport(deps, tx, "update", after);
  if (isReloaded) await tellContacts(deps, ctx, tx, row, { isOver: false });
}

/** Ends an import: done, or stopped with what it has imported; the next one of the company begins. */
export async function endImport(
  deps: ContactImportsDeps,
  ctx: Ctx,
  tx: Tx,
  row: ImportRecord,
  change: Partial<ImportRecord> & { state: "done" | "stopped" },
): Promise<ImportRecord> {
  const over = { ...change, dueAt: null, finishedAt: deps.clock.now() };
  const ended = await changeImport(deps, ctx, tx, row, over);
  tellImport(deps, tx, "update", ended);
  await tellContacts(deps, ctx, tx, row, { isOver: true });
  return beginNext(deps, ctx, tx, ended);
}

/** Has those who show the address book, or the list, read it again. */
async function tellContacts(
  deps: ContactImportsDeps,
  ctx: Ctx,
  tx: Tx,
  { contactListId }: ImportRecord,
  end: { isOver: boolean },
): Promise<void> {
  if (contactListId === null) tellReload(deps.realtime, tx, ctx);
  else await tellImported(deps, ctx, tx, contactListId, end);
}

const dueStatement = {
  name: "contact-imports.due",
  text: `
select i.id, i.company_id as "companyId" from contact_imports i
where i.due_at <= $1 and i.state <> 'reading' and (i.state <> 'waiting' or i.counted_line is not null or not exists (
  select from contact_imports r where r.company_id = i.company_id and r.state = 'running' and not r.is_at_once))
order by i.due_at, i.id limit $2`,
};
