import type {
  ContactImport,
  ImportProblem,
  ImportRow,
  ImportSettings,
  ShownContactImport,
} from "@balcao/contract";
import type { InfiniteData } from "@tanstack/react-query";
import { useQuery } from "@tanstack/react-query";
import { call } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { upload } from "../../api/upload.ts";
import type { Page } from "../../api/use-pages.ts";
import { onCompanyEvent } from "../../realtime/live.ts";
import { livePages, liveRecords } from "../../realtime/live-list.ts";

const pagesKey = ["contact-imports", "page"] as const;

/** The imports of the company (0), or those into one list. */
export const importPages = livePages<ContactImport, number>({
  key: pagesKey,
  identify: ({ id }) => id,
  async read(listId, pageNumber, signal) {
    const query = { pageNumber, ...(listId === 0 ? {} : { contactListId: listId }) };
    const { records: rows, ...rest } = await call("GET /contact-imports", { query }, { signal });
    return { rows, ...rest };
  },
});

/** One import with its columns, first rows and trial. */
const importRecords = liveRecords<number, ShownContactImport>({
  key: ["contact-imports", "one"],
  read: (contactImportId, signal) =>
    call("GET /contact-imports/:contactImportId", { params: { contactImportId } }, { signal }),
}).follow("contactImport", (event) =>
  event.action === "delete" ? null : { of: event.record.id, change: withProgress(event.record) },
);

export const useImport = (id: number) => useQuery(importRecords.query(id));

const withProgress =
  (progress: ContactImport) =>
  (known: ShownContactImport): ShownContactImport => ({ ...known, ...progress });

type RowsOf = Readonly<{ importId: number; problem: ImportProblem | null }>;
const rowsKey = ["contact-imports", "rows"] as const;

/** The refused rows of an import, in the order of the sheet. */
export const refusedRows = livePages<ImportRow, RowsOf>({
  key: rowsKey,
  identify: ({ line }) => line,
  read: readRows,
});

async function readRows(
  { importId, problem }: RowsOf,
  pageNumber: string,
  signal?: AbortSignal,
): Promise<Page<ImportRow>> {
  const params = { contactImportId: importId };
  const query = { pageNumber, ...(problem === null ? {} : { problem }) };
  const name = "GET /contact-imports/:contactImportId/rows";
  return await call(name, { params, query }, { signal });
}

/**
 * Reads the end of the refused rows again: while an import runs, rows are only added there. All pages before the last are full
 * and stay as they are, so that the place of who reads them does not move.
 */
export async function readNewRows(of: RowsOf): Promise<void> {
  const key = [...rowsKey, of];
  const before = queryClient.getQueryData<InfiniteData<Page<ImportRow>>>(key);
  if (before === undefined) return;
  const last = await readRows(of, String(before.pages.length));
  queryClient.setQueryData<InfiniteData<Page<ImportRow>>>(key, (now) =>
    now?.pages.length === before.pages.length
      ? { ...now, pages: [...now.pages.slice(0, -1), last] }
      : now,
  );
}

/** In these states an event may mean that more than its record has changed: the preview, or the trial. */
const isPrepared = ({ state }: ContactImport): boolean => state === "reading" || state === "draft";

/** The state of each import that an event or a reply has told. */
const told = new Map<number, ContactImport["state"]>();

/** Imports that this page has deleted, or tried to. */
const deletedHere = new Set<number>();

onCompanyEvent("contactImport", (event) => {
  if (event.action === "delete") {
    importPages.readAgain();
    // Not only read again: a page that shows it says that it is gone. One that has deleted it is being left.
    if (!deletedHere.has(event.id)) void queryClient.resetQueries(importRecords.query(event.id));
    return;
  }
  const { record } = event;
  const isInNewState = show(record);
  if (isInNewState || isPrepared(record)) void importRecords.readAgain(record.id);
  if (isInNewState && !isPrepared(record)) refusedRows.readAgain();
});

/** Puts the progress of an import into the lists on the screen; true if its state has changed, then they are read again. */
function show(record: ContactImport): boolean {
  const isInNewState = told.get(record.id) !== record.state;
  told.set(record.id, record.state);
  queryClient.setQueriesData<InfiniteData<Page<ContactImport>>>({ queryKey: pagesKey }, (list) =>
    list ? { ...list, pages: list.pages.map(newer) } : list,
  );
  if (isInNewState) importPages.readAgain();
  return isInNewState;

  function newer(page: Page<ContactImport>): Page<ContactImport> {
    return { ...page, rows: page.rows.map((row) => (row.id === record.id ? record : row)) };
  }
}

type SheetUpload = {
  file: File;
  contactListId: number | null;
  signal: AbortSignal;
  /** From 0 to 1. */
  onProgress: (part: number) => void;
};

/** Sends a spreadsheet, which is then read in the background. Throws `ApiError`, or the abort of `signal`. */
export async function uploadSheet(sheet: SheetUpload): Promise<ContactImport> {
  const { file, contactListId, ...options } = sheet;
  const fields = contactListId === null ? {} : { contactListId: String(contactListId) };
  const request = { params: {}, fields, files: { file: [file] } };
  const created = await upload("POST /contact-imports", request, options);
  importPages.readAgain();
  return created;
}

/** Changes how a draft is read. The trial in the reply is null: what it would do is counted anew. */
export async function saveSettings(id: number, body: ImportSettings): Promise<void> {
  const params = { contactImportId: id };
  const saved = await call("PUT /contact-imports/:contactImportId", { params, body });
  importRecords.apply(id, () => saved);
  // An event that was faster than the reply knows more than it.
  void importRecords.readAgain(id);
}

/** What a person can do with an import that is under way. */
export type ImportAct = "start" | "pause" | "resume" | "stop";

export async function act(id: number, what: ImportAct): Promise<void> {
  const params = { contactImportId: id };
  const changed = await call(`POST /contact-imports/:contactImportId/${what}`, { params });
  importRecords.apply(id, withProgress(changed));
  show(changed);
  // The import may have been faster than the reply.
  void importRecords.readAgain(id);
}

/** Takes an import off the list; what was imported stays. */
export async function deleteImport(id: number): Promise<void> {
  deletedHere.add(id);
  await call("DELETE /contact-imports/:contactImportId", { params: { contactImportId: id } });
  importPages.readAgain();
}
