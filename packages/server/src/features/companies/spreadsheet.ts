import type {
  CompanyCellFault,
  CompanyOfSheet,
  CompanySheetColumn,
  CompanySheetRow,
  ErrorCode,
  InputOf,
  PlanId,
  Recurrence,
  ResultOf,
  SentFile,
} from "@balcao/contract";
import { companyOfSheet, companySheetColumns, limits, recurrences } from "@balcao/contract";
import { and, eq, sql } from "drizzle-orm";
import type { UserCtx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import { companies, plans } from "../../platform/db/schema/index.ts";
import type { UploadedFile } from "../../platform/http/upload.ts";
import type { SheetRow } from "../../platform/spreadsheets/read.ts";
import { plainWords, readSheetAtOnce } from "../../platform/spreadsheets/read.ts";
import { writeSheet } from "../../platform/spreadsheets/write.ts";
import type { ManagingDeps } from "./managing.ts";
import { createCompanyAcrossCompanies } from "./managing.ts";

/** Limits of reading a workbook: its size once it is unpacked, and the time. */
const OPENED_MAX_BYTES = 20 * 1024 * 1024;
const READING_MS = 15_000;

/** Titles as `plainWords` has them. */
const titles: Record<CompanySheetColumn, readonly string[]> = {
  name: ["nome", "nome da empresa", "empresa", "razao social", "name", "company", "nombre"],
  email: ["e mail", "email", "mail", "correo", "correo electronico"],
  phone: ["telefone", "celular", "whatsapp", "fone", "phone", "telefono", "movil"],
  plan: ["plano", "plan", "nome do plano"],
  dueDate: ["vencimento", "data de vencimento", "due date", "due", "vencimiento"],
  recurrence: ["recorrencia", "cobranca", "recurrence", "recurrencia", "billing period"],
  campaigns: ["campanhas", "campanha", "campaigns", "campanas", "envio em massa"],
};
const columnOfTitle = new Map(
  companySheetColumns.flatMap((column) => titles[column].map((title) => [title, column] as const)),
);
const needed = ["name", "email", "plan"] as const;

const recurrenceWords: Record<Recurrence, readonly string[]> = {
  MENSAL: ["mensal", "mensual", "monthly", "1"],
  BIMESTRAL: ["bimestral", "every 2 months", "2"],
  TRIMESTRAL: ["trimestral", "every 3 months", "quarterly", "3"],
  SEMESTRAL: ["semestral", "every 6 months", "6"],
  ANUAL: ["anual", "annual", "yearly", "12"],
};
const recurrenceOfWord = new Map(
  recurrences.flatMap((one) => recurrenceWords[one].map((word) => [word, one] as const)),
);
const answers = new Map(
  Object.entries({ sim: true, s: true, yes: true, y: true, si: true, true: true, 1: true }).concat(
    Object.entries({ nao: false, n: false, no: false, false: false, 0: false }),
  ),
);

/** Users whose spreadsheet this process is reading: one at a time each, so that none takes all places of the others. */
const reading = new Set<number>();

/**
 * Reads a spreadsheet of companies and says what is wrong in its cells; nothing is stored. Throws ERR_TOO_MANY_REQUESTS while another
 * one of the same user is read.
 */
export async function readCompanySheetAcrossCompanies(
  { db }: ManagingDeps,
  { companyId, actor }: UserCtx,
  files: AsyncIterable<UploadedFile>,
): Promise<ResultOf<"POST /companies/spreadsheet">> {
  if (reading.has(actor.userId)) {
    throw new DomainError("ERR_TOO_MANY_REQUESTS", { retryAfterSeconds: READING_MS / 1_000 });
  }
  reading.add(actor.userId);
  try {
    const sheet = inColumns(await readFirst(files, companyId));
    const known = await db.acrossCompanies(async (tx) => {
      const of = (column: CompanySheetColumn) => sheet.map(({ cells }) => cells[column]);
      const emails = of("email").map((email) => email.toLowerCase());
      return {
        plans: await tx.orm.select({ id: plans.id, name: plans.name }).from(plans),
        taken: await tx.query<{ word: string }>(sql`
          select name as word from companies where name = any(${sql.param(of("name"))}::text[])
          union all
          select email from users where email = any(${sql.param(emails)}::text[]) and deleted_at is null`),
      };
    });
    const planIds = new Map(known.plans.map(({ id, name }) => [plainWords(name), id]));
    const taken = new Set(known.taken.map(({ word }) => word));
    const seen = new Set<string>();
    return { rows: sheet.map((row) => checked(row, { planIds, taken, seen })) };
  } finally {
    reading.delete(actor.userId);
  }
}

async function readFirst(
  files: AsyncIterable<UploadedFile>,
  companyId: number,
): Promise<SheetRow[]> {
  const maxColumns = limits.importColumnsMax;
  for await (const file of files) {
    const rows = await readSheetAtOnce(file, {
      ...{ companyId, maxFileBytes: limits.companySheetMaxBytes, timeLimitMs: READING_MS },
      limits: {
        ...{ maxBytes: OPENED_MAX_BYTES, maxRows: limits.companySheetRowsMax },
        // One more: a sheet that is wider is none of companies.
        maxColumns: maxColumns + 1,
      },
    });
    if (rows.some(({ cells }) => cells.length > maxColumns)) {
      throw new DomainError("ERR_SHEET_TOO_WIDE", { max: maxColumns });
    }
    return rows;
  }
  throw new DomainError("ERR_FILE_MISSING");
}

type Cells = CompanySheetRow["cells"];
type NamedRow = { line: number; cells: Cells };

/** The rows below the titles, which stand in one of the first rows. Throws ERR_SHEET_NO_COMPANIES and ERR_SHEET_EMPTY. */
function inColumns(rows: readonly SheetRow[]): NamedRow[] {
  const first = rows.slice(0, limits.importTitleRowMax).map(({ cells }) => placesOf(cells));
  const at = first.findIndex((places) => needed.every((column) => places.has(column)));
  const places = first[at];
  if (!places) throw new DomainError("ERR_SHEET_NO_COMPANIES");
  const below = rows.slice(at + 1).map(({ line, cells }) => {
    const cell = (column: CompanySheetColumn): string => cells[places.get(column) ?? -1] ?? "";
    return {
      line,
      cells: {
        ...{ name: cell("name"), email: cell("email"), phone: cell("phone"), plan: cell("plan") },
        ...{ dueDate: cell("dueDate"), recurrence: cell("recurrence") },
        campaigns: cell("campaigns"),
      },
    };
  });
  // Rows that have nothing in these columns are remarks, or a sum.
  const named = below.filter(({ cells }) => Object.values(cells).some((text) => text !== ""));
  if (named.length === 0) throw new DomainError("ERR_SHEET_EMPTY");
  return named;
}

/** The place of each column in the row of titles. The first of two equal titles counts. */
function placesOf(cells: readonly string[]): Map<CompanySheetColumn, number> {
  const places = new Map<CompanySheetColumn, number>();
  for (const [place, cell] of cells.entries()) {
    const column = columnOfTitle.get(plainWords(cell));
    if (column !== undefined && !places.has(column)) places.set(column, place);
  }
  return places;
}

type Known = {
  planIds: ReadonlyMap<string, PlanId>;
  /** Names of companies, and e-mails of users. */
  taken: ReadonlySet<string>;
  /** Those of the rows above. */
  seen: Set<string>;
};

function checked({ line, cells }: NamedRow, { planIds, taken, seen }: Known): CompanySheetRow {
  const faults: CompanySheetRow["faults"] = {};
  const fault = (column: CompanySheetColumn, why: CompanyCellFault): void => {
    faults[column] ??= why;
  };
  for (const column of needed) if (cells[column] === "") fault(column, "missing");
  const recurrence = recurrenceOf(cells.recurrence);
  const campaignsEnabled = cells.campaigns === "" || answers.get(plainWords(cells.campaigns));
  const planId = planIds.get(plainWords(cells.plan));
  const dueDate = dayOf(cells.dueDate);
  if (recurrence === undefined) fault("recurrence", "unknown");
  if (campaignsEnabled === undefined) fault("campaigns", "unknown");
  if (planId === undefined) fault("plan", "unknown");
  if (dueDate === undefined) fault("dueDate", "invalid");
  if (cells.name.length < limits.nameMin) fault("name", "short");
  const { name, email, phone } = cells;
  const wish = { name, email, phone, planId, dueDate, recurrence, campaignsEnabled };
  const parsed = companyOfSheet.safeParse(wish);
  for (const { path, code } of parsed.error?.issues ?? []) {
    const column = companySheetColumns.find((one) => one === path[0]);
    if (column) fault(column, code === "too_big" ? "long" : "invalid");
  }
  for (const column of ["name", "email"] as const) {
    const text = column === "email" ? email.toLowerCase() : name;
    if (text !== "" && taken.has(text)) fault(column, "taken");
    if (text !== "" && seen.has(text)) fault(column, "repeated");
    seen.add(text);
  }
  const isWhole = parsed.success && Object.keys(faults).length === 0;
  return { line, cells, faults, company: isWhole ? parsed.data : null };
}

const recurrenceOf = (cell: string): Recurrence | undefined =>
  cell === "" ? "MENSAL" : recurrenceOfWord.get(plainWords(cell));

/** `yyyy-mm-dd` of "19/12/2026", "19/12/26" or "2026-12-19"; null for none, undefined for what is no day. */
function dayOf(cell: string): string | null | undefined {
  if (cell === "") return null;
  const [, isoYear, isoMonth, isoDay] = /^(\d{4})-(\d{1,2})-(\d{1,2})$/.exec(cell) ?? [];
  const [, day = isoDay, month = isoMonth, year = isoYear] =
    /^(\d{1,2})[/.-](\d{1,2})[/.-](\d{4}|\d{2})$/.exec(cell) ?? [];
  if (day === undefined || month === undefined || year === undefined) return undefined;
  const whole = `${year.length === 2 ? `20${year}` : year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
  return companyOfSheet.shape.dueDate.safeParse(whole).success ? whole : undefined;
}

type BatchResult = ResultOf<"POST /companies/batch">["results"][number];

/** The reasons for which one company is refused while the others go on. */
const refusals = new Set<ErrorCode>([
  ...(["ERR_COMPANY_INVALID_NAME", "ERR_COMPANY_NAME_ALREADY_EXISTS"] as const),
  ...(["ERR_USER_EMAIL_EXISTS", "ERR_NO_PLAN_FOUND"] as const),
]);

/** Creates companies, each in a transaction of its own, and invites their first admins. */
export async function createBatchAcrossCompanies(
  deps: ManagingDeps,
  { companies: wanted, language }: InputOf<"POST /companies/batch">["body"],
): Promise<ResultOf<"POST /companies/batch">> {
  const results: BatchResult[] = [];
  for (const company of wanted) results.push(await createOne(deps, company, language));
  return { results };
}

async function createOne(
  deps: ManagingDeps,
  company: CompanyOfSheet,
  language: InputOf<"POST /companies/batch">["body"]["language"],
): Promise<BatchResult> {
  try {
    const { id: companyId } = await createCompanyAcrossCompanies(deps, {
      ...{ ...company, language, password: "", status: true, suspensionReason: "" },
    });
    return { companyId, isNew: true, code: null };
  } catch (error) {
    if (!(error instanceof DomainError) || !refusals.has(error.code)) throw error;
    const companyId = await findSame(deps, company);
    if (companyId !== null) return { companyId, isNew: false, code: null };
    return { companyId: null, isNew: false, code: error.code as BatchResult["code"] }; // by `refusals`
  }
}

/** A company of this name and e-mail: the call before was cut off after it had created it. */
async function findSame({ db }: ManagingDeps, { name, email }: CompanyOfSheet) {
  const rows = await db.acrossCompanies((tx) =>
    tx.orm
      .select({ id: companies.id })
      .from(companies)
      .where(and(eq(companies.name, name), eq(companies.email, email))),
  );
  return rows[0]?.id ?? null;
}

/** The caller's rows as a spreadsheet. */
export function companySheet({
  name,
  rows,
}: InputOf<"POST /companies/spreadsheet/file">["body"]): SentFile {
  async function* pages(): AsyncGenerator<string[][]> {
    yield rows;
  }
  return writeSheet(name, "xlsx", pages());
}
