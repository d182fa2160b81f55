import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crc32, deflateRawSync } from "node:zlib";
import { limits } from "@balcao/contract";
import { CFB, utils, write } from "@e965/xlsx";
import type { WorkSheet } from "@e965/xlsx";
import { expect, test } from "vitest";
import { DomainError } from "../context.ts";
import { atEndOfFile } from "../../testing/end-of-file.ts";
import type { SheetPage, SheetRow } from "./read.ts";
import { readSheet } from "./read.ts";
import { sheetAnswers } from "./reading/answers.ts";
import { writeSheet } from "./write.ts";

const folder = await mkdtemp(join(tmpdir(), "balcao-sheets-"));
atEndOfFile(() => rm(folder, { recursive: true, force: true }));
let files = 0;

const usual = { maxBytes: limits.sheetOpenedMaxBytes, maxRows: 1_000, maxColumns: 100 };

type Wish = Partial<typeof usual>;

/** Reads in this process: the start of another one takes longer than reading any of these files. */
async function readAll(content: Uint8Array | string, wish: Wish = {}) {
  const rows: SheetRow[] = [];
  for await (const answer of sheetAnswers(await fileOf(content), { ...usual, ...wish })) {
    if ("fault" in answer) throw Object.assign(new Error("refused"), answer.fault);
    if ("end" in answer) return { name: answer.end.name, count: answer.end.rows, rows };
    rows.push(...rowsIn(answer.page));
  }
  throw new Error("the answers have no end");
}

/** Reads as the product does, in a process of its own. */
async function readInProcess(content: Uint8Array | string, wish: Wish = {}) {
  const rows: SheetRow[] = [];
  const sheet = await readSheet(await fileOf(content), {
    ...{ limits: { ...usual, ...wish }, companyId: 1 },
    onPage: async (page) => void rows.push(...rowsIn(page)),
  });
  return { name: sheet.name, count: sheet.rows, rows };
}

async function fileOf(content: Uint8Array | string): Promise<string> {
  const path = join(folder, `${(files += 1)}`);
  await writeFile(path, content);
  return path;
}

const rowsIn = ({ json }: SheetPage): SheetRow[] => JSON.parse(json) as SheetRow[]; // what a page is

const cellsOf = async (content: Uint8Array | string) =>
  (await readAll(content)).rows.map(({ line, cells }) => [line, ...cells]);

function workbook(sheet: WorkSheet, bookType: "xlsx" | "biff8" | "xlml" = "xlsx"): Buffer {
  const book = utils.book_new();
  utils.book_append_sheet(book, sheet, "Clientes");
  return write(book, { type: "buffer", bookType }) as Buffer; // by `type`
}

const table = [
  ["nome", "numero"],
  ["Ana", "5511987654321"],
];

for (const kind of ["xlsx", "biff8", "xlml"] as const) {
  test(`${kind} is read with its sheet's name and the sheet's own line numbers`, async () => {
    const sheet = utils.aoa_to_sheet([[], ...table, [], ["", "11 3456-7890"]]);
    const { name, count, rows } = await readAll(workbook(sheet, kind));
    expect(name).toBe("Clientes");
    expect(count).toBe(3);
    expect(rows).toEqual([
      { line: 2, cells: ["nome", "numero"] },
      { line: 3, cells: ["Ana", "5511987654321"] },
      { line: 5, cells: ["", "11 3456-7890"] },
    ]);
  });
}

test("an empty first column stays where it is", async () => {
  const sheet = utils.sheet_add_aoa(utils.aoa_to_sheet([]), table, { origin: "B2" });
  expect(await cellsOf(workbook(sheet))).toEqual([
    [2, "", "nome", "numero"],
    [3, "", "Ana", "5511987654321"],
  ]);
});

test("numbers have no exponent while they are exact, dates are days, formulas have their value", async () => {
  const sheet = utils.aoa_to_sheet([[5511987654321, 5511987654321e5, "5,51199E+12", true]]);
  sheet["E1"] = { t: "n", v: 46_000, z: "dd/mm/yyyy" };
  sheet["F1"] = { t: "n", v: 46_000.5, z: "dd/mm/yyyy hh:mm" };
  sheet["G1"] = { t: "n", v: 3, f: "1+2" };
  sheet["H1"] = { t: "e", v: 0x17 };
  sheet["I1"] = { t: "n", v: 12.5 };
  sheet["!ref"] = "A1:I1";
  expect(await cellsOf(workbook(sheet))).toEqual([
    [
      ...[1, "5511987654321", "5.511987654321e+17", "5,51199E+12", "TRUE", "09/12/2025"],
      ...["09/12/2025 12:00", "3", "", "12.5"],
    ],
  ]);
});

test("of merged cells only the first has a value", async () => {
  const sheet = utils.aoa_to_sheet([["a", "left over", "c"], ["left over"]]);
  sheet["!merges"] = [utils.decode_range("A1:B2")];
  expect(await cellsOf(workbook(sheet))).toEqual([[1, "a", "", "c"]]);
});

test("HTML that is called .xls is read in its encoding", async () => {
  const html = "<html><table><tr><td>nome</td></tr><tr><td>João</td></tr></table></html>";
  expect(await cellsOf(Buffer.from(html, "latin1"))).toEqual([
    [1, "nome"],
    [2, "João"],
  ]);
});

test.each([";", ",", "\t", "|"])("values separated by %j are read", async (separator) => {
  const text = table.map((row) => row.join(separator)).join("\r\n");
  expect(await cellsOf(text)).toEqual([
    [1, "nome", "numero"],
    [2, "Ana", "5511987654321"],
  ]);
});

test("text is UTF-8, UTF-16 or Windows-1252", async () => {
  const text = "nome;numero\nJosé “Zé”;11987654321";
  const expected = [
    [1, "nome", "numero"],
    [2, "José “Zé”", "11987654321"],
  ];
  expect(await cellsOf(`\uFEFF${text}`)).toEqual(expected);
  expect(await cellsOf(Buffer.from(`\uFEFF${text}`, "utf16le"))).toEqual(expected);
  const western = Buffer.from(text.replace("“", "\u0093").replace("”", "\u0094"), "latin1");
  expect(await cellsOf(western)).toEqual(expected);
});

test("quotes, a separator inside them, blank lines and the line that names the separator", async () => {
  const text = 'sep=;\r\nnome;nota\r\n\r\n"Ana; a ""Nina""";"duas\r\nlinhas"\r\nBia;5" de tela\r\n';
  expect(await cellsOf(text)).toEqual([
    [2, "nome", "nota"],
    [4, 'Ana; a "Nina"', "duas\r\nlinhas"],
    [5, "Bia", '5" de tela'],
  ]);
});

test.each(["csv", "xlsx"] as const)(
  "what the product writes as %s it reads again",
  async (kind) => {
    const rows = [
      ["nome", "numero"],
      ["=SOMA(1;2)", "+5511987654321"],
      ['d"Ávila; Eça', "-"],
    ];
    const { content } = writeSheet("contatos", kind, one(rows));
    const parts: Buffer[] = [];
    for await (const part of content) parts.push(Buffer.from(part));
    expect((await readInProcess(Buffer.concat(parts))).rows.map(({ cells }) => cells)).toEqual(
      rows,
    );
  },
);

async function* one<T>(value: T): AsyncGenerator<T> {
  yield value;
}

test("a sheet with a million empty rows has only those with data", async () => {
  const empty = Array.from({ length: 50_000 }, (_, place) => `<row r="${place + 3}"/>`).join("");
  const far = '<row r="1048576"><c r="A1048576" s="0"/></row>';
  const sheet = utils.aoa_to_sheet(table);
  const file = repacked(workbook(sheet), (name, part) =>
    name.includes("sheet1.xml")
      ? part.replace("</sheetData>", `${empty}${far}</sheetData>`).replace(/<dimension[^>]*>/, "")
      : part,
  );
  expect((await readAll(file)).count).toBe(2);
});

test("too many rows are counted and refused", async () => {
  const rows = Array.from({ length: 25 }, (_, place) => [`Pessoa ${place}`, `${place}`]);
  const data = { rows: 24, max: 20 };
  const refused = { code: "ERR_SHEET_TOO_MANY_ROWS", data };
  const few = { maxRows: 20 };
  await expect(readAll(workbook(utils.aoa_to_sheet(rows)), few)).rejects.toMatchObject(refused);
  await expect(readAll(rows.join("\n"), few)).rejects.toMatchObject(refused);
});

test.each([
  ["exe", Buffer.from("MZ\u0090\u0000\u0003")],
  ["pdf", Buffer.from("%PDF-1.7")],
  ["png", Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10])],
  ["docx", zipped({ "word/document.xml": "<a/>" })],
  ["zip", zipped({ "fotos/1.txt": "x" })],
  ["", Buffer.from([1, 2, 3, 0, 0, 0, 5])],
])("a renamed file (%s) is refused with what it is", async (kind, file) => {
  const refused = { code: "ERR_SHEET_NOT_ONE", data: { kind } };
  await expect(readAll(file)).rejects.toMatchObject(refused);
});

test("empty files and sheets are refused", async () => {
  for (const file of ["", "\r\n\r\n;;\r\n", workbook(utils.aoa_to_sheet([]))]) {
    await expect(readAll(file)).rejects.toMatchObject({ code: "ERR_SHEET_EMPTY" });
  }
});

test("damaged files are refused", async () => {
  const whole = workbook(utils.aoa_to_sheet(table));
  const damaged = { code: "ERR_SHEET_DAMAGED" };
  await expect(readAll(whole.subarray(0, whole.length / 2))).rejects.toMatchObject(damaged);
  await expect(readAll('nome;"numero\nAna;119')).rejects.toMatchObject(damaged);
  const old = workbook(utils.aoa_to_sheet(table), "biff8");
  await expect(readAll(old.subarray(0, 600))).rejects.toMatchObject(damaged);
});

test("an encrypted workbook is refused as such", async () => {
  const container = CFB.utils.cfb_new();
  CFB.utils.cfb_add(container, "/EncryptedPackage", Buffer.from("secret"));
  const file = Buffer.from(CFB.write(container, { type: "buffer" }) as Buffer); // by `type`
  await expect(readAll(file)).rejects.toMatchObject({ code: "ERR_SHEET_ENCRYPTED" });
});

test("a bomb is refused by what it unpacks to, also when its directory lies", async () => {
  const bomb = { "xl/workbook.xml": "<a/>", "xl/worksheets/sheet1.xml": "0".repeat(3_000_000) };
  const few = { maxBytes: 2_000_000 };
  const tooLarge = { code: "ERR_SHEET_TOO_LARGE", data: { maxBytes: 2_000_000 } };
  await expect(readAll(zipped(bomb), few)).rejects.toMatchObject(tooLarge);
  const lying = readAll(zipped(bomb, 1_000), few);
  await expect(lying).rejects.toMatchObject({ code: "ERR_SHEET_DAMAGED" });
});

test("a file that the process refuses is refused with the error and its data", async () => {
  const rows = Array.from({ length: 25 }, (_, place) => [`Pessoa ${place}`, `${place}`]);
  const refused = { code: "ERR_SHEET_TOO_MANY_ROWS", data: { rows: 24, max: 20 } };
  await expect(readInProcess(rows.join("\n"), { maxRows: 20 })).rejects.toMatchObject(refused);
  await expect(readInProcess('nome;"numero')).rejects.toBeInstanceOf(DomainError);
});

test("a file of several pages is handed over page by page", async () => {
  const rows = Array.from({ length: 1_200 }, (_, place) => `${place}`);
  const pages: number[] = [];
  const sheet = await readSheet(await fileOf(rows.join("\n")), {
    ...{ limits: { ...usual, maxRows: 2_000 }, companyId: 1 },
    onPage: async (page) => void pages.push(page.rows),
  });
  expect([sheet.rows, pages]).toEqual([1_200, [500, 500, 200]]);
});

test("a file that takes too long ends the process that reads it, not the product", async () => {
  const path = join(folder, "slow");
  await writeFile(path, workbook(utils.aoa_to_sheet(table)));
  const slow = readSheet(path, {
    ...{ limits: usual, companyId: 1, timeLimitMs: 1 },
    onPage: async () => undefined,
  });
  await expect(slow).rejects.toMatchObject({ code: "ERR_SHEET_TOO_LARGE" });
});

test("reading stops when it is told to, or when a page cannot be used", async () => {
  const path = join(folder, "stopped");
  await writeFile(path, "nome\nAna");
  const onPage = async (): Promise<void> => {
    throw new Error("no room");
  };
  await expect(readSheet(path, { limits: usual, companyId: 1, onPage })).rejects.toThrow("no room");
  const signal = AbortSignal.abort(new Error("it stops"));
  const stopped = readSheet(path, { limits: usual, companyId: 1, onPage, signal });
  await expect(stopped).rejects.toThrow("it stops");
});

/** A zip of these parts; `stated` is the size that its directory tells instead of the real one. */
function zipped(parts: Record<string, string>, stated?: number): Buffer {
  const [local, central]: Buffer[][] = [[], []];
  let offset = 0;
  for (const [name, text] of Object.entries(parts)) {
    const packed = deflateRawSync(text);
    const facts = Buffer.alloc(12);
    facts.writeUInt32LE(crc32(text), 0);
    facts.writeUInt32LE(packed.length, 4);
    facts.writeUInt32LE(Math.min(Buffer.byteLength(text), stated ?? Infinity), 8);
    const head = Buffer.alloc(30);
    head.write("PK\u0003\u0004", "latin1");
    head.writeUInt16LE(20, 4);
    head.writeUInt16LE(8, 8);
    facts.copy(head, 14);
    head.writeUInt16LE(name.length, 26);
    const entry = Buffer.alloc(46);
    entry.write("PK\u0001\u0002", "latin1");
    entry.writeUInt16LE(20, 6);
    entry.writeUInt16LE(8, 10);
    facts.copy(entry, 16);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt32LE(offset, 42);
    local?.push(head, Buffer.from(name), packed);
    central?.push(entry, Buffer.from(name));
    offset += head.length + name.length + packed.length;
  }
  const directory = Buffer.concat(central ?? []);
  const end = Buffer.alloc(22);
  end.write("PK\u0005\u0006", "latin1");
  for (const at of [8, 10]) end.writeUInt16LE(Object.keys(parts).length, at);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...(local ?? []), directory, end]);
}

/** The same workbook with other parts. */
function repacked(file: Buffer, change: (name: string, part: string) => string): Buffer {
  const { FileIndex, FullPaths } = CFB.read(file, { type: "buffer" });
  const parts = FullPaths.flatMap((path: string, at: number) => {
    const { content } = FileIndex[at] ?? {};
    const name = path.replace(/^Root Entry\//, "");
    const text = content === undefined ? "" : Buffer.from(content as Uint8Array).toString();
    return text === "" ? [] : [[name, change(name, text)] as const];
  });
  return zipped(Object.fromEntries(parts));
}
