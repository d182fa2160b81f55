import type { ImportProblem, ImportSettings, ImportTarget } from "@balcao/contract";
import { limits } from "@balcao/contract";
import type { SheetRow } from "../../platform/spreadsheets/read.ts";
import { plainWords } from "../../platform/spreadsheets/read.ts";
import { readImportNumber } from "./numbers.ts";

const titles: Record<Exclude<ImportTarget, "extra" | "none">, readonly string[]> = {
  name: [
    ...["nome", "nome completo", "name", "full name", "nombre", "nombre completo"],
    ...["nome do cliente", "contato", "contacto"],
  ],
  number: [
    ...["numero", "number", "telefone", "telefones", "celular", "whatsapp", "whats", "zap"],
    ...["fone", "phone", "phone number", "telefono", "movil", "mobile", "cel", "tel"],
    ...["numero de telefone", "numero de whatsapp", "numero do whatsapp"],
  ],
  email: ["e mail", "email", "mail", "correo", "correo electronico", "endereco de e mail"],
  tag: ["etiqueta", "etiquetas", "tag", "tags"],
  accepts: [
    ...["aceita", "aceita mensagens", "aceita promocoes", "aceita receber mensagens"],
    ...["accepts messages", "accepts promotions", "opt in", "acepta", "acepta mensajes"],
    ...["acepta promociones", "recebe mensagens", "receber mensagens"],
  ],
};

const targetOfTitle = new Map(
  Object.entries(titles).flatMap(
    ([target, names]) => names.map((name) => [name, target as keyof typeof titles] as const), // keys of `titles`
  ),
);

/** The target of a column with this title; null for an unknown title. */
export function recogniseTitle(title: string): ImportTarget | null {
  return targetOfTitle.get(plainWords(title)) ?? null;
}

/** The titles of behaviour 6.1; the calls that import at once take no other. */
const plainTitles: Readonly<Record<string, ImportTarget>> = {
  nome: "name",
  numero: "number",
  email: "email",
  "e mail": "email",
};

/** The settings of a call that imports at once; null without a column of numbers. */
export function plainSettings(
  first: SheetRow | undefined,
  width: number,
  country: string,
): ImportSettings | null {
  const used = new Set<ImportTarget>();
  const columns = Array.from({ length: width }, (_, place) => {
    const target = plainTitles[plainWords(first?.cells[place] ?? "")] ?? "none";
    if (target === "none" || used.has(target)) return noColumn;
    used.add(target);
    return { target, extraName: "" };
  });
  if (!first || !used.has("number")) return null;
  return { titleRow: first.line, columns, country, rule: "keep" };
}

const noColumn = { target: "none" as const, extraName: "" };
const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

/** How a spreadsheet is probably meant, from its first rows; null when no column seems to have numbers. */
export function guessSettings(
  sample: readonly SheetRow[],
  width: number,
  country: string,
): ImportSettings | null {
  const titleRow = guessTitleRow(sample, country);
  const row = sample.find(({ line }) => line === titleRow);
  const data = sample.filter(({ line }) => line > titleRow);
  const targets: ImportTarget[] = Array.from({ length: width }, () => "none");
  const isFree = (target: ImportTarget): boolean => !targets.includes(target);
  for (let place = 0; place < width; place += 1) {
    const target = recogniseTitle(row?.cells[place] ?? "");
    if (target !== null && isFree(target)) targets[place] = target;
  }
  const guess = (target: ImportTarget, isOne: (cell: string) => boolean): void => {
    if (!isFree(target)) return;
    const shares = targets.map((taken, place) =>
      taken === "none" ? shareOf(data, place, isOne) : 0,
    );
    const most = Math.max(0, ...shares);
    if (most >= 0.5) targets[shares.indexOf(most)] = target;
  };
  guess("number", (cell) => isNumber(cell, country));
  guess("email", (cell) => EMAIL.test(cell));
  if (titleRow === 0) guess("name", (cell) => /^[\p{L}\s.'’-]+$/u.test(cell));
  if (isFree("number")) return null;
  const columns = targets.map((target) => ({ target, extraName: "" }));
  return { titleRow, columns, country, rule: "fill" };
}

/** A number, or one that was. */
function isNumber(cell: string, country: string): boolean {
  const { problem } = readImportNumber(cell, country);
  return problem === null || problem === "lostDigits" || problem === "noAreaCode";
}

function shareOf(
  rows: readonly SheetRow[],
  place: number,
  isOne: (cell: string) => boolean,
): number {
  const cells = rows.map(({ cells: all }) => all[place] ?? "").filter((cell) => cell !== "");
  // One number among a thousand empty cells is no column of numbers.
  return cells.length * 5 < rows.length ? 0 : cells.filter(isOne).length / cells.length;
}

/** The line of the titles: the first one with a title of a number column, else line 1 if it has no data; 0 for none. */
function guessTitleRow(sample: readonly SheetRow[], country: string): number {
  const first = sample.filter(({ line }) => line <= limits.importTitleRowMax);
  const named = first.find(({ cells }) => cells.some((cell) => recogniseTitle(cell) === "number"));
  if (named) return named.line;
  const [row] = first;
  const isData = (cell: string): boolean => isNumber(cell, country) || EMAIL.test(cell);
  return row && sample.length > 1 && !row.cells.some(isData) ? row.line : 0;
}

/** Whether an import can start: one column of numbers, and none twice but additional information. */
export function isStartable({ columns }: ImportSettings): boolean {
  const targets = columns.map(({ target }) => target);
  const single = targets.filter((target) => target !== "none" && target !== "extra");
  return single.includes("number") && new Set(single).size === single.length;
}

/** The values of a row, read with the import's settings. */
export type ReadRow = {
  /** "" without one. */
  name: string;
  writtenNumber: string;
  email: string;
  isOptedOut: boolean;
  tags: string[];
  extra: { name: string; value: string }[];
};

const NO = new Set(["nao", "n", "no", "0", "false", "falso", "sair"]);
const TAGS_MAX = 20;

/** Reads rows of one sheet; `titleCells` has the titles, [] for none. */
export function rowReader(settings: ImportSettings, titleCells: readonly string[]) {
  const placeOf = (target: ImportTarget): number =>
    settings.columns.findIndex((column) => column.target === target);
  const [name, number, email] = [placeOf("name"), placeOf("number"), placeOf("email")];
  const [tag, accepts] = [placeOf("tag"), placeOf("accepts")];
  const extras = settings.columns.flatMap(({ target, extraName }, place) =>
    target === "extra" ? [{ place, name: extraName || titleOf(titleCells, place) }] : [],
  );
  return (cells: readonly string[]): ReadRow => {
    const at = (place: number): string => cells[place] ?? "";
    return {
      name: cut(at(name).replace(/\s+/g, " ").trim()),
      writtenNumber: at(number),
      email: at(email).toLowerCase(),
      isOptedOut: NO.has(plainWords(at(accepts))),
      tags: tagsOf(at(tag)),
      extra: extras
        .map((one) => ({ name: cut(one.name), value: at(one.place) }))
        .filter(({ value }) => value !== "")
        .slice(0, limits.extraInfoMax),
    };
  };
}

/** A column without a title is called by its letters. */
function titleOf(titleCells: readonly string[], place: number): string {
  return titleCells[place] || columnLetters(place);
}

export function columnLetters(place: number): string {
  const last = String.fromCharCode(65 + (place % 26));
  return place < 26 ? last : `${columnLetters(Math.floor(place / 26) - 1)}${last}`;
}

export function tagsOf(cell: string): string[] {
  const names = cell.split(/[,;]/).map((name) => cut(name.replace(/\s+/g, " ").trim()));
  return [...new Set(names.filter((name) => name !== ""))].slice(0, TAGS_MAX);
}

const cut = (text: string): string => Array.from(text).slice(0, limits.nameMax).join("");

/** The number of a row, or why it is not imported; repeated numbers are found later, among all rows. */
export function readRowNumber(
  { writtenNumber, email }: Pick<ReadRow, "writtenNumber" | "email">,
  country: string,
): { number: string | null; problem: ImportProblem | null } {
  const read = readImportNumber(writtenNumber, country);
  if (read.problem !== null) return read;
  const isBadEmail = email !== "" && (!EMAIL.test(email) || email.length > limits.emailMax);
  return isBadEmail ? { number: read.number, problem: "badEmail" } : read;
}
