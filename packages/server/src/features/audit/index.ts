import type { Ctx } from "../../platform/context.ts";
import type { Database } from "../../platform/db/database.ts";
import type { Routes } from "../../platform/http/routes.ts";
import { exportEntries, listEntries } from "./list.ts";
import { note } from "./note.ts";

export type { NotedFields } from "./note.ts";
export { note, replaceInAudit } from "./note.ts";
export type { OpenedNotes } from "./opened.ts";
export { createOpenedNotes } from "./opened.ts";

/** The record of all deeds in a company (docs/audit.md). Tables' triggers write most of it. */
export function createAuditFeature(deps: { db: Database }) {
  return {
    register(routes: Routes): void {
      routes.handle("GET /audit", ({ ctx, query }) => listEntries(deps, ctx, query));
      routes.handle("GET /audit/export", ({ ctx, query }) => exportEntries(deps, ctx, query));
    },
  };
}

/** Files that are no data of the company: an example, the text of an error. */
const UNNOTED = new Set(["GET /contact-imports/example", "POST /companies/spreadsheet/file"]);

/** Notes a file with data of the company, before any of it is sent. */
export function noteFiles({ db }: { db: Database }) {
  return async (
    ctx: Ctx,
    call: string,
    name: string,
    choices: Readonly<Record<string, unknown>>,
  ): Promise<void> => {
    if (UNNOTED.has(call)) return;
    const isSaid = (value: unknown) => value !== undefined && value !== "" && value !== false;
    const after = Object.fromEntries(Object.entries(choices).filter(([, value]) => isSaid(value)));
    // The name of another company must be gone with it.
    const label = call.includes(":companyId") ? "" : name;
    await db.transaction(ctx, (tx) =>
      note(tx, ctx, { action: "exported", kind: "file", id: call, label, after }),
    );
  };
}

const PORTION = 5_000;

/** Removes the entries that are older than their company keeps them, in portions. */
export async function expireEntriesAcrossCompanies(
  db: Database,
  signal: AbortSignal,
): Promise<void> {
  let gone = PORTION;
  while (gone === PORTION) {
    signal.throwIfAborted();
    const [row] = await db.acrossCompanies((tx) =>
      tx.query<{ gone: number }>(expireStatement, [PORTION]),
    );
    gone = row?.gone ?? 0;
  }
}

const expireStatement = { name: "audit.expire", text: "select expire_audit($1) as gone" };
