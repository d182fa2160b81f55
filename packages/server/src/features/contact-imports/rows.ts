import type { ContactImportId, ImportProblem, ImportRow, ImportTrial } from "@balcao/contract";
import type { Ctx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import type { SheetRow } from "../../platform/spreadsheets/read.ts";
import { readRowNumber, rowReader } from "./columns.ts";
import type { ImportRecord } from "./imports.ts";

/** A row of the sheet as it is stored. */
export type StoredSheetRow = SheetRow & {
  number: string | null;
  problem: ImportProblem | null;
  sameAs: number | null;
};

/** The first rows below a line. */
export async function readRows(
  { companyId }: Ctx,
  tx: Tx,
  id: ContactImportId,
  afterLine: number,
  limit: number,
): Promise<StoredSheetRow[]> {
  const values = [companyId, id, afterLine, limit];
  return tx.query<StoredSheetRow>(readStatement, values);
}

/** The cells of the next rows that say whether they are imported, by their columns; null for a column that there is not. */
export async function readNumberCells(
  { companyId }: Ctx,
  tx: Tx,
  id: ContactImportId,
  wish: { afterLine: number; limit: number; number: number | null; email: number | null },
): Promise<{ line: number; number: string | null; email: string | null }[]> {
  const { afterLine, limit, number, email } = wish;
  return tx.query(numberCellsStatement, [companyId, id, afterLine, limit, number, email]);
}

/** Stores rows as they were read: the JSON of a page. */
export async function addRows(
  { companyId }: Ctx,
  tx: Tx,
  id: ContactImportId,
  json: string,
): Promise<void> {
  await tx.query(addStatement, [companyId, id, json]);
}

export async function removeRows({ companyId }: Ctx, tx: Tx, id: ContactImportId): Promise<void> {
  await tx.query(removeStatement, [companyId, id]);
}

/** The widest row, the number of rows below a line, and the cells of that line; [] for line 0 or an empty one. */
export async function measureRows(
  { companyId }: Ctx,
  tx: Tx,
  id: ContactImportId,
  line: number,
): Promise<{ rows: number; titleCells: string[] }> {
  type Measured = { rows: number; titleCells: string[] | null };
  const [row] = await tx.query<Measured>(measureStatement, [companyId, id, line]);
  return { rows: row?.rows ?? 0, titleCells: row?.titleCells ?? [] };
}

type ReadNumberRow = { line: number; number: string | null; problem: ImportProblem | null };

/** Stores the numbers that were read from the cells. */
export async function saveNumbers(
  { companyId }: Ctx,
  tx: Tx,
  id: ContactImportId,
  rows: readonly ReadNumberRow[],
): Promise<void> {
  await tx.query(numbersStatement, [
    companyId,
    id,
    rows.map(({ line }) => line),
    rows.map(({ number }) => number),
    rows.map(({ problem }) => problem),
  ]);
}

/** Marks the numbers that an earlier row has already, and counts what an import would do. */
export async function countRows(
  { companyId }: Ctx,
  tx: Tx,
  { id, contactListId, settings }: ImportRecord,
): Promise<Omit<ImportTrial, "newTags">> {
  const values = [companyId, id, settings?.titleRow ?? 0];
  await tx.query(repeatedStatement, values);
  const problems = await tx.query<ImportTrial["problems"][number]>(problemsStatement, values);
  type Count = { good: number; known: number };
  const [count] = await tx.query<Count>(
    contactListId === null ? knownContactsStatement : knownMembersStatement,
    contactListId === null ? values : [...values, contactListId],
  );
  const { good, known } = count ?? { good: 0, known: 0 };
  const refused = problems.reduce((sum, one) => sum + one.count, 0);
  return { added: good - known, known, refused, problems };
}

/** The texts of one column in the rows that can be imported, each once, up to `max`. */
export async function distinctCells(
  { companyId }: Ctx,
  tx: Tx,
  { id, settings }: ImportRecord,
  place: number,
  max: number,
): Promise<string[]> {
  const values = [companyId, id, settings?.titleRow ?? 0, place, max];
  const rows = await tx.query<{ cell: string }>(cellsStatement, values);
  return rows.map(({ cell }) => cell);
}

/** Keeps which contacts or members the rows of a call that waits for them have made. */
export async function saveMade(
  { companyId }: Ctx,
  tx: Tx,
  id: ContactImportId,
  made: readonly { line: number; id: number }[],
): Promise<void> {
  const values = [companyId, id, made.map(({ line }) => line), made.map((one) => one.id)];
  await tx.query(madeStatement, values);
}

/** The next ids that `saveMade` kept. */
export async function readMade(
  { companyId }: Ctx,
  tx: Tx,
  id: ContactImportId,
  afterLine: number,
  limit: number,
): Promise<{ line: number; madeId: number }[]> {
  return tx.query(readMadeStatement, [companyId, id, afterLine, limit]);
}

/** One portion of the refused rows, and how many there are. */
export async function readRefused(
  { companyId }: Ctx,
  tx: Tx,
  { id, settings }: ImportRecord,
  wish: { problem: ImportProblem | null; afterLine: number; limit: number; offset: number },
): Promise<{ rows: StoredSheetRow[]; count: number }> {
  const { problem, afterLine, limit, offset } = wish;
  const above = Math.max(settings?.titleRow ?? 0, afterLine);
  const values = [companyId, id, above, problem];
  const rows = await tx.query<StoredSheetRow>(refusedStatement, [...values, limit, offset]);
  const [total] = await tx.query<{ count: number }>(refusedCountStatement, values);
  return { rows, count: total?.count ?? 0 };
}

/** Rows as the wire has them, by the import's present settings. */
export function rowsToWire(
  { settings, countedLine }: ImportRecord,
  rows: readonly StoredSheetRow[],
): ImportRow[] {
  if (settings === null) return [];
  const read = rowReader(settings, []);
  return rows.map(({ line, cells, ...stored }) => {
    const row = read(cells);
    // Repeated numbers are known when all rows have been counted.
    const isCounted = countedLine === null;
    const { number, problem } = isCounted ? stored : readRowNumber(row, settings.country);
    return {
      ...{ line, cells, name: row.name, writtenNumber: row.writtenNumber },
      number: problem === null || problem === "repeated" ? number : null,
      ...{ isOptedOut: row.isOptedOut, problem, sameAs: isCounted ? stored.sameAs : null },
    };
  });
}

const rowColumns = `r.line, r.cells, r.number, r.problem, r.same_as as "sameAs"`;
const ofImport = "r.company_id = $1 and r.contact_import_id = $2 and r.line > $3";

const readStatement = {
  name: "contact-imports.rows",
  text: `select ${rowColumns} from contact_import_rows r where ${ofImport} order by r.line limit $4`,
};

const numberCellsStatement = {
  name: "contact-imports.number-cells",
  text: `
select r.line, r.cells ->> $5::int as number, r.cells ->> $6::int as email
from contact_import_rows r where ${ofImport} order by r.line limit $4`,
};

const addStatement = {
  name: "contact-imports.add-rows",
  text: `
insert into contact_import_rows (company_id, contact_import_id, line, cells)
select $1, $2, line, cells from jsonb_to_recordset($3::jsonb) as r(line int, cells jsonb)`,
};

const removeStatement = {
  name: "contact-imports.remove-rows",
  text: "delete from contact_import_rows where company_id = $1 and contact_import_id = $2",
};

const measureStatement = {
  name: "contact-imports.measure",
  text: `
select (select count(*)::int from contact_import_rows r where ${ofImport}) as rows,
  (select t.cells from contact_import_rows t
    where t.company_id = $1 and t.contact_import_id = $2 and t.line = $3) as "titleCells"`,
};

const numbersStatement = {
  name: "contact-imports.save-numbers",
  text: `
update contact_import_rows r set number = v.number, problem = v.problem, same_as = null
from unnest($3::int[], $4::text[], $5::text[]) as v(line, number, problem)
where r.company_id = $1 and r.contact_import_id = $2 and r.line = v.line`,
};

const repeatedStatement = {
  name: "contact-imports.mark-repeated",
  text: `
with numbered as materialized (
  select r.line, first_value(r.line) over (partition by r.number_normal order by r.line) as first
  from contact_import_rows r where ${ofImport} and r.problem is null
), repeated as materialized (select line, first from numbered where first <> line)
update contact_import_rows r set problem = 'repeated', same_as = d.first
from repeated d where r.company_id = $1 and r.contact_import_id = $2 and r.line = d.line`,
};

const problemsStatement = {
  name: "contact-imports.problems",
  text: `
select r.problem, count(*)::int as count, (array_agg(r.line order by r.line))[1:3] as lines
from contact_import_rows r where ${ofImport} and r.problem is not null
group by r.problem order by count desc, r.problem`,
};

const countOfKnown = (isKnown: string): string => `
with good as materialized (
  select r.number_normal as key from contact_import_rows r where ${ofImport} and r.problem is null
)
select count(*)::int as good, count(*) filter (where ${isKnown})::int as known from good g`;

const knownContactsStatement = {
  name: "contact-imports.known-contacts",
  text: countOfKnown(`exists (
  select from contact_addresses a where a.company_id = $1 and a.kind = 'pn' and a.key = g.key offset 0)`),
};

const knownMembersStatement = {
  name: "contact-imports.known-members",
  text: countOfKnown(`exists (
  select from contact_list_items i
  where i.company_id = $1 and i.contact_list_id = $4 and i.number_normal = g.key offset 0)`),
};

const cellsStatement = {
  name: "contact-imports.distinct-cells",
  text: `
select distinct r.cells ->> $4::int as cell from contact_import_rows r
where ${ofImport} and r.problem is null and r.cells ->> $4::int <> '' limit $5`,
};

const madeStatement = {
  name: "contact-imports.save-made",
  text: `
update contact_import_rows r set made_id = v.id from unnest($3::int[], $4::int[]) as v(line, id)
where r.company_id = $1 and r.contact_import_id = $2 and r.line = v.line`,
};

const readMadeStatement = {
  name: "contact-imports.made",
  text: `
select r.line, r.made_id as "madeId" from contact_import_rows r
where ${ofImport} and r.made_id is not null order by r.line limit $4`,
};

const refusedRows = `from contact_import_rows r
where ${ofImport} and r.problem is not null and ($4::text is null or r.problem = $4)`;

const refusedStatement = {
  name: "contact-imports.refused",
  text: `select ${rowColumns} ${refusedRows} order by r.line limit $5 offset $6`,
};

const refusedCountStatement = {
  name: "contact-imports.refused-count",
  text: `select count(*)::int as count ${refusedRows}`,
};
