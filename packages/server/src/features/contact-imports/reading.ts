import type { CompanyId, ContactImportId, ImportSettings } from "@balcao/contract";
import { limits, sheetErrors } from "@balcao/contract";
import { addSeconds } from "date-fns/addSeconds";
import type { Ctx } from "../../platform/context.ts";
import { DomainError, systemCtx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import { DueWorker } from "../../platform/jobs/due-worker.ts";
import { readSheet } from "../../platform/spreadsheets/read.ts";
import { guessSettings, plainSettings } from "./columns.ts";
import type { ContactImportsDeps, ImportRecord } from "./imports.ts";
import { changeImport, COUNTRY, seizeImport, tellImport, TOPIC } from "./imports.ts";
import { addRows, measureRows, readRows, removeRows } from "./rows.ts";

/** A file that one process reads; `reader` identifies the claim. */
export type ReadingClaim = {
  id: ContactImportId;
  companyId: CompanyId;
  reader: string;
  fileKey: string;
  isAtOnce: boolean;
};

/** A file that is to be read has a key. */
type ClaimedRow = Omit<ReadingClaim, "reader" | "fileKey"> & { fileKey: string | null };

/** A reader that has not extended its claim for so long counts as lost. */
const CLAIM_SECONDS = 30;
const EXTEND_EVERY_MS = 10_000;
const LOOK_EVERY_MS = 10_000;
/** Rows by which columns are guessed. */
const SAMPLE_ROWS = 200;

/** Reads the files of imports, two at the same time in each process. */
export function createReading(deps: ContactImportsDeps): DueWorker<ReadingClaim> {
  const { db, wake, log, clock, ids } = deps;
  return new DueWorker<ReadingClaim>({
    name: "contact-imports.reading",
    log,
    lookEveryMs: LOOK_EVERY_MS,
    wokenBy: { wake, topic: TOPIC, inMs: 0 },
    look: async (limit) => {
      const now = clock.now();
      const reader = ids.uuid();
      const values = [now, addSeconds(now, CLAIM_SECONDS), reader, limit];
      const rows = await db.acrossCompanies((tx) => tx.query<ClaimedRow>(claimStatement, values));
      return { due: rows.map((row) => ({ ...row, fileKey: row.fileKey ?? "", reader })) };
    },
    work: {
      atOnce: 2,
      // A claim that waits would run out.
      batch: 2,
      // A reader whose claim was taken over stops at its next page, so the new claim does not wait for it.
      idOf: ({ id, reader }) => `${id} ${reader}`,
      companyOf: ({ companyId }) => companyId,
      run: (claim, signal) => readImport(deps, claim, signal),
      giveBack: async (claims) => {
        for (const claim of claims) await extendClaim(deps, claim, 0);
      },
    },
  });
}

/** A claim on a file whose import was just made, for a call that reads it itself. */
export const newClaim = ({ clock, ids }: Pick<ContactImportsDeps, "clock" | "ids">) => ({
  reader: ids.uuid(),
  dueAt: addSeconds(clock.now(), CLAIM_SECONDS),
});

/** Stores the rows of a file. Afterwards it is a draft or unreadable, and the file is removed. */
export async function readImport(
  deps: ContactImportsDeps,
  claim: ReadingClaim,
  stopping?: AbortSignal,
): Promise<void> {
  const ctx = systemCtx(claim.companyId, TOPIC, deps.ids.uuid());
  const lost = new AbortController();
  const extending = setInterval(() => {
    extendClaim(deps, claim, CLAIM_SECONDS).then(
      (isHeld) => isHeld || lost.abort(new ClaimLost()),
      (error: unknown) =>
        deps.log.warn({ err: error }, "the claim on a spreadsheet was not extended"),
    );
  }, EXTEND_EVERY_MS);
  const signal = AbortSignal.any([lost.signal, ...(stopping ? [stopping] : [])]);
  try {
    // What a reader before has left behind.
    await ofClaim(deps, ctx, claim, (tx, row) => removeRows(ctx, tx, row.id));
    await readFile(deps, ctx, claim, signal);
  } catch (error) {
    if (stopping?.aborted) await extendClaim(deps, claim, 0);
    if (stopping?.aborted || error instanceof ClaimLost) return;
    if (!(error instanceof DomainError) || !isSheetError(error.code)) throw error;
    await refuse(deps, ctx, claim, error);
  } finally {
    clearInterval(extending);
  }
  await deps.media.removeUnused(claim.companyId, [claim.fileKey]);
}

const noReader = { reader: null, fileKey: null };

const isSheetError = (code: string): boolean => (sheetErrors as readonly string[]).includes(code);

/** Another process has the file by now, or nobody wants it any more. */
class ClaimLost extends Error {
  constructor() {
    super("the claim on a spreadsheet is lost");
  }
}

async function readFile(
  deps: ContactImportsDeps,
  ctx: Ctx,
  claim: ReadingClaim,
  signal: AbortSignal,
): Promise<void> {
  const maxRows = claim.isAtOnce ? limits.smallSheetRowsMax : limits.sheetRowsMax;
  const { sheetOpenedMaxBytes: maxBytes, importColumnsMax: maxColumns } = limits;
  let width = 0;
  const { name } = await deps.media.withLocalFile(claim.companyId, claim.fileKey, (path) =>
    readSheet(path, {
      ...{ limits: { maxBytes, maxRows, maxColumns }, companyId: claim.companyId, signal },
      onPage: async (page) => {
        width = Math.max(width, page.width);
        await ofClaim(deps, ctx, claim, (tx, row) => addRows(ctx, tx, row.id, page.json));
      },
    }),
  );
  await ofClaim(deps, ctx, claim, async (tx, row) => {
    const sample = await readRows(ctx, tx, row.id, 0, SAMPLE_ROWS);
    const settings = claim.isAtOnce
      ? plainSettings(sample[0], width, COUNTRY)
      : guessSettings(sample, width, COUNTRY);
    if (settings === null) throw new DomainError("ERR_SHEET_NO_NUMBERS");
    const { rows } = await measureRows(ctx, tx, row.id, settings.titleRow);
    const facts = { sheetName: name, width, ...counting(settings), rows, dueAt: deps.clock.now() };
    const state = claim.isAtOnce ? ("running" as const) : ("draft" as const);
    const draft = await changeImport(deps, ctx, tx, row, { ...facts, state, ...noReader });
    tellImport(deps, tx, "update", draft);
    deps.wake.notify(tx, TOPIC);
  });
}

/** The columns of an import whose rows are to be counted (anew) with these settings. */
export const counting = (settings: ImportSettings) => ({
  settings,
  trial: null,
  countedLine: settings.titleRow,
});

async function refuse(
  deps: ContactImportsDeps,
  ctx: Ctx,
  claim: ReadingClaim,
  error: DomainError,
): Promise<void> {
  const errorData = (error.data as ImportRecord["errorData"] | undefined) ?? null; // by `ErrorData`
  try {
    await ofClaim(deps, ctx, claim, async (tx, row) => {
      await removeRows(ctx, tx, row.id);
      const fault = { state: "unreadable" as const, errorCode: error.code, errorData };
      const change = { ...fault, ...noReader, dueAt: null };
      tellImport(deps, tx, "update", await changeImport(deps, ctx, tx, row, change));
    });
  } catch (lost) {
    if (!(lost instanceof ClaimLost)) throw lost;
  }
}

/** Does something as long as the claim holds; throws ClaimLost. */
async function ofClaim(
  { db }: ContactImportsDeps,
  ctx: Ctx,
  { id, reader }: ReadingClaim,
  work: (tx: Tx, row: ImportRecord) => Promise<void>,
): Promise<void> {
  await db.transaction(ctx, async (tx) => {
    // The claim may be extended at this moment.
    const row = await seizeImport(ctx, tx, id, { waits: true });
    if (row?.state !== "reading" || row.reader !== reader) throw new ClaimLost();
    await work(tx, row);
  });
}

/** False when the claim is lost. With 0 seconds it is given back. */
async function extendClaim(
  { db, clock }: ContactImportsDeps,
  { id, companyId, reader }: ReadingClaim,
  seconds: number,
): Promise<boolean> {
  const values = [companyId, id, reader, addSeconds(clock.now(), seconds)];
  const rows = await db.forLeases((tx) => tx.query(extendStatement, values));
  return rows.length > 0;
}

const claimStatement = {
  name: "contact-imports.claim-files",
  text: `
with due as (
  select id from contact_imports where state = 'reading' and due_at <= $1
  order by due_at limit $4 for no key update skip locked
)
update contact_imports i set due_at = $2, reader = $3::uuid from due where i.id = due.id
returning i.id, i.company_id as "companyId", i.file_key as "fileKey", i.is_at_once as "isAtOnce"`,
};

const extendStatement = {
  name: "contact-imports.extend-claim",
  text: `
update contact_imports set due_at = $4
where company_id = $1 and id = $2 and reader = $3::uuid and state = 'reading'
returning id`,
};
