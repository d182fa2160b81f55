import type {
  ContactImport,
  ContactImportId,
  ImportSettings,
  InputOf,
  ResultOf,
  ShownContactImport,
} from "@balcao/contract";
import { limits, pageSizes } from "@balcao/contract";
import { and, desc, eq, isNull } from "drizzle-orm";
import type { UserCtx } from "../../platform/context.ts";
import { DomainError, hasPermission, requirePermission } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import { hasId, listTotal, readPage } from "../../platform/db/records.ts";
import { contactImports, users } from "../../platform/db/schema/index.ts";
import type { Routes } from "../../platform/http/routes.ts";
import { countMembers } from "../contact-lists/index.ts";
import { uploadContacts, uploadMembers } from "./at-once.ts";
import { isStartable, recogniseTitle } from "./columns.ts";
import type { ContactImportsDeps, ImportRecord } from "./imports.ts";
import {
  beginNext,
  changeImport,
  findImport,
  importColumns,
  lockImport,
  ofUser,
  requireState,
  roomsOf,
  tellImport,
  toImport,
  TOPIC,
} from "./imports.ts";
import type { PhoneBookDeps } from "./phone-book.ts";
import { importPhoneBook } from "./phone-book.ts";
import { counting, createReading } from "./reading.ts";
import { exampleSheet, languageOf, refusedSheet } from "./report.ts";
import { measureRows, readRefused, readRows, rowsToWire } from "./rows.ts";
import { createRunning, endImport } from "./running.ts";
import { addImport } from "./uploads.ts";

export { sweepImportsAcrossCompanies } from "./imports.ts";

/** Imports of contacts from spreadsheets (wire-contract 5.10, 5.12 and 9; behaviour 6.1 to 6.5 and 6.7; docs/imports.md). */
export function createContactImportsFeature(deps: PhoneBookDeps) {
  return {
    /** Reads files, and counts and imports rows, in the background. */
    workers: [createReading(deps), createRunning(deps)],
    register(routes: Routes): void {
      routes.handle("GET /contact-imports", ({ ctx, query }) => listImports(deps, ctx, query));
      routes.handle("POST /contact-imports", ({ ctx, upload }) =>
        upload.fields().then(({ contactListId }) => {
          if (contactListId !== undefined) requirePermission(ctx, "contact-lists:manage");
          const { sheetMaxBytes: maxBytes } = limits;
          const wish = { maxBytes, contactListId: contactListId ?? null };
          return addImport(deps, ctx, upload.files(), wish).then(toImport);
        }),
      );
      routes.handle("GET /contact-imports/example", async ({ request }) =>
        exampleSheet(languageOf(request.headers["accept-language"])),
      );
      routes.handle("GET /contact-imports/:contactImportId", ({ ctx, params }) =>
        deps.db.transaction(ctx, async (tx) =>
          toShown(ctx, tx, await findImport(ctx, tx, params.contactImportId)),
        ),
      );
      routes.handle("PUT /contact-imports/:contactImportId", ({ ctx, params, body }) =>
        changeSettings(deps, ctx, params.contactImportId, body),
      );
      routes.handle("DELETE /contact-imports/:contactImportId", async ({ ctx, params }) => {
        await removeImport(deps, ctx, params.contactImportId);
        return { message: "Import deleted" };
      });
      routes.handle("GET /contact-imports/:contactImportId/rows", ({ ctx, params, query }) =>
        listRefused(deps, ctx, params.contactImportId, query),
      );
      routes.handle(
        "GET /contact-imports/:contactImportId/refused",
        async ({ ctx, params, request }) => {
          const language = languageOf(request.headers["accept-language"]);
          const row = await deps.db.transaction(ctx, (tx) =>
            findImport(ctx, tx, params.contactImportId),
          );
          return refusedSheet(deps, ctx, row, language);
        },
      );
      routes.handle("POST /contact-imports/:contactImportId/start", ({ ctx, params }) =>
        startImport(deps, ctx, params.contactImportId),
      );
      routes.handle("POST /contact-imports/:contactImportId/pause", ({ ctx, params }) =>
        pauseImport(deps, ctx, params.contactImportId),
      );
      routes.handle("POST /contact-imports/:contactImportId/resume", ({ ctx, params }) =>
        resumeImport(deps, ctx, params.contactImportId),
      );
      routes.handle("POST /contact-imports/:contactImportId/stop", ({ ctx, params }) =>
        stopImport(deps, ctx, params.contactImportId),
      );
      routes.handle("POST /contacts/import", async ({ ctx }) => ({
        message: "contacts imported",
        contactImportId: await importPhoneBook(deps, ctx),
      }));
      routes.handle("POST /contacts/upload", ({ ctx, upload }) =>
        uploadContacts(deps, ctx, upload.files()),
      );
      routes.handle("POST /contact-lists/:contactListId/upload", ({ ctx, params, upload }) =>
        uploadMembers(deps, ctx, params.contactListId, upload.files()),
      );
    },
  };
}

/** Rows of data that show how the columns are read. */
const PREVIEW_ROWS = 10;

async function listImports(
  { db }: ContactImportsDeps,
  ctx: UserCtx,
  { pageNumber, contactListId }: InputOf<"GET /contact-imports">["query"],
): Promise<ResultOf<"GET /contact-imports">> {
  const isListed = and(
    eq(contactImports.companyId, ctx.companyId),
    eq(contactImports.isAtOnce, false),
    hasPermission(ctx, "contact-lists:manage") ? undefined : isNull(contactImports.contactListId),
    contactListId === undefined ? undefined : eq(contactImports.contactListId, contactListId),
  );
  return db.transaction(ctx, async (tx) => {
    const { rows, ...totals } = await readPage(
      pageNumber,
      pageSizes.contactImports,
      (limit, offset) =>
        tx.orm
          .select({ ...importColumns, total: listTotal })
          .from(contactImports)
          .leftJoin(users, ofUser)
          .where(isListed)
          .orderBy(desc(contactImports.id))
          .limit(limit)
          .offset(offset),
    );
    return { records: rows.map(toImport), ...totals };
  });
}

async function toShown(ctx: UserCtx, tx: Tx, row: ImportRecord): Promise<ShownContactImport> {
  const { settings, width, sheetName, trial } = row;
  const titleRow = settings?.titleRow ?? 0;
  const { titleCells } = await measureRows(ctx, tx, row.id, titleRow);
  const preview = settings ? await readRows(ctx, tx, row.id, titleRow, PREVIEW_ROWS) : [];
  return {
    ...{ ...toImport(row), sheetName, settings, trial },
    columns: Array.from({ length: settings ? width : 0 }, (_, place) => {
      const title = titleCells[place] ?? "";
      return { title, isRecognised: recogniseTitle(title) !== null };
    }),
    preview: rowsToWire(row, preview),
  };
}

async function changeSettings(
  deps: ContactImportsDeps,
  ctx: UserCtx,
  id: ContactImportId,
  body: ImportSettings,
): Promise<ShownContactImport> {
  return deps.db.transaction(ctx, async (tx) => {
    const row = await lockImport(ctx, tx, id);
    requireState(row, "draft");
    const columns = Array.from(
      { length: row.width },
      (_, place) => body.columns[place] ?? { target: "none" as const, extraName: "" },
    );
    const settings = { ...body, columns };
    const { rows } = await measureRows(ctx, tx, id, settings.titleRow);
    const change = { ...counting(settings), rows, dueAt: deps.clock.now() };
    const changed = await changeImport(deps, ctx, tx, row, change);
    deps.wake.notify(tx, TOPIC);
    tellImport(deps, tx, "update", changed);
    return toShown(ctx, tx, changed);
  });
}

async function removeImport(
  deps: ContactImportsDeps,
  ctx: UserCtx,
  id: ContactImportId,
): Promise<void> {
  await deps.db.transaction(ctx, async (tx) => {
    const row = await lockImport(ctx, tx, id);
    requireState(row, "draft", "unreadable", "done", "stopped");
    await tx.orm.delete(contactImports).where(hasId(ctx, contactImports, id));
    tx.onCommit(() =>
      deps.realtime.publish(ctx.companyId, "contactImport", { action: "delete", id }, roomsOf(row)),
    );
  });
}

async function listRefused(
  { db }: ContactImportsDeps,
  ctx: UserCtx,
  id: ContactImportId,
  { pageNumber, problem }: InputOf<"GET /contact-imports/:contactImportId/rows">["query"],
): Promise<ResultOf<"GET /contact-imports/:contactImportId/rows">> {
  const limit = pageSizes.importRows;
  const offset = (pageNumber - 1) * limit;
  return db.transaction(ctx, async (tx) => {
    const row = await findImport(ctx, tx, id);
    const { rows, count } = await readRefused(ctx, tx, row, {
      ...{ problem: problem ?? null, afterLine: 0, limit, offset },
    });
    return { rows: rowsToWire(row, rows), count, hasMore: count > offset + rows.length };
  });
}

async function startImport(
  deps: ContactImportsDeps,
  ctx: UserCtx,
  id: ContactImportId,
): Promise<ContactImport> {
  return deps.db.transaction(ctx, async (tx) => {
    const row = await lockImport(ctx, tx, id);
    requireState(row, "draft");
    const { settings, trial, contactListId } = row;
    const isTooMuch = (trial?.newTags.length ?? 0) > limits.importNewTagsMax;
    if (settings === null || row.rows === 0 || !isStartable(settings) || isTooMuch) {
      throw new DomainError("ERR_IMPORT_SETTINGS");
    }
    if (contactListId !== null && trial !== null) {
      const members = await countMembers(ctx, tx, contactListId);
      if (members + trial.added > limits.contactListMax) {
        throw new DomainError("ERR_CONTACTLIST_FULL");
      }
    }
    return queueImport(deps, ctx, tx, row, { startedAt: deps.clock.now() });
  });
}

/** Lets an import run, or wait while another one of the company does. */
async function queueImport(
  deps: ContactImportsDeps,
  ctx: UserCtx,
  tx: Tx,
  row: ImportRecord,
  change: Partial<ImportRecord> = {},
): Promise<ContactImport> {
  const waits = { ...change, state: "waiting" as const, dueAt: deps.clock.now() };
  const waiting = await changeImport(deps, ctx, tx, row, waits);
  // With rows to be counted it still waits for that.
  const after = row.countedLine === null ? await beginNext(deps, ctx, tx, waiting) : waiting;
  tellImport(deps, tx, "update", after);
  deps.wake.notify(tx, TOPIC);
  return toImport(after);
}

async function pauseImport(
  deps: ContactImportsDeps,
  ctx: UserCtx,
  id: ContactImportId,
): Promise<ContactImport> {
  return deps.db.transaction(ctx, async (tx) => {
    const row = await lockImport(ctx, tx, id);
    requireState(row, "waiting", "running");
    const paused = await changeImport(deps, ctx, tx, row, { state: "paused", dueAt: null });
    tellImport(deps, tx, "update", paused);
    return toImport(await beginNext(deps, ctx, tx, paused));
  });
}

async function resumeImport(
  deps: ContactImportsDeps,
  ctx: UserCtx,
  id: ContactImportId,
): Promise<ContactImport> {
  return deps.db.transaction(ctx, async (tx) => {
    const row = await lockImport(ctx, tx, id);
    requireState(row, "paused");
    return queueImport(deps, ctx, tx, row);
  });
}

async function stopImport(
  deps: ContactImportsDeps,
  ctx: UserCtx,
  id: ContactImportId,
): Promise<ContactImport> {
  return deps.db.transaction(ctx, async (tx) => {
    const row = await lockImport(ctx, tx, id);
    requireState(row, "waiting", "running", "paused");
    return toImport(await endImport(deps, ctx, tx, row, { state: "stopped" }));
  });
}
