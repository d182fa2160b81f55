import type { ImportProblem, SentFile } from "@balcao/contract";
import type { Ctx } from "../../platform/context.ts";
import { writeSheet } from "../../platform/spreadsheets/write.ts";
import { columnLetters } from "./columns.ts";
import type { ContactImportsDeps, ImportRecord } from "./imports.ts";
import type { StoredSheetRow } from "./rows.ts";
import { measureRows, readRefused } from "./rows.ts";

type Language = "pt" | "en" | "es";

const reasonTitle: Record<Language, string> = { pt: "Motivo", en: "Reason", es: "Motivo" };

const reasons: Record<Language, Record<ImportProblem, string>> = {
  pt: {
    noNumber: "Sem número",
    noAreaCode: "Falta o DDD",
    lostDigits:
      "O número perdeu dígitos (como 5,51E+12). Formate a coluna como texto e cole os números de novo.",
    notANumber: "Não é um número de telefone",
    repeated: "Número repetido: está também na linha",
    badEmail: "E-mail inválido",
  },
  en: {
    noNumber: "No number",
    noAreaCode: "The area code is missing",
    lostDigits:
      "The number has lost digits (such as 5.51E+12). Format the column as text and paste the numbers again.",
    notANumber: "Not a phone number",
    repeated: "Repeated number: it is also in row",
    badEmail: "Invalid e-mail",
  },
  es: {
    noNumber: "Sin número",
    noAreaCode: "Falta el código de área",
    lostDigits:
      "El número perdió dígitos (como 5,51E+12). Da formato de texto a la columna y pega los números de nuevo.",
    notANumber: "No es un número de teléfono",
    repeated: "Número repetido: también está en la fila",
    badEmail: "Correo no válido",
  },
};

/** The language of the reasons, by the request's header. */
export function languageOf(header: string | undefined): Language {
  const [, found] = /^\s*(en|es)\b/i.exec(header ?? "") ?? [];
  const language = found?.toLowerCase();
  return language === "en" || language === "es" ? language : "pt";
}

const PAGE = 500;

/** The refused rows as the sheet has them, with the reason behind the last column. */
export function refusedSheet(
  { db }: Pick<ContactImportsDeps, "db">,
  ctx: Ctx,
  row: ImportRecord,
  language: Language,
): SentFile {
  const { id, width, settings } = row;
  const reasonOf = ({ problem, sameAs }: StoredSheetRow): string =>
    problem === null ? "" : `${reasons[language][problem]}${sameAs === null ? "" : ` ${sameAs}`}`;
  async function* pages(): AsyncGenerator<string[][]> {
    const { titleCells } = await db.transaction(ctx, (tx) =>
      measureRows(ctx, tx, id, settings?.titleRow ?? 0),
    );
    const titles = Array.from({ length: width }, (_, place) => titleCells[place] ?? "");
    const isTitled = titles.some((title) => title !== "");
    yield [
      [...(isTitled ? titles : titles.map((_, at) => columnLetters(at))), reasonTitle[language]],
    ];
    let afterLine = 0;
    for (let count = PAGE; count === PAGE;) {
      const wish = { problem: null, afterLine, limit: PAGE, offset: 0 };
      const { rows } = await db.transaction(ctx, (tx) => readRefused(ctx, tx, row, wish));
      yield rows.map((one) => [...titles.map((_, at) => one.cells[at] ?? ""), reasonOf(one)]);
      count = rows.length;
      afterLine = rows.at(-1)?.line ?? afterLine;
    }
  }
  const name = row.fileName.replace(/\.[^.]*$/, "");
  return writeSheet(`${name} - ${language === "en" ? "refused" : "recusadas"}`, "xlsx", pages());
}

const exampleRows: Record<Language, string[][]> = {
  pt: [
    ["nome", "numero", "email", "etiqueta", "aceita mensagens", "cidade"],
    ["Ana Souza", "11 98765-4321", "ana@exemplo.com.br", "VIP; Novo", "sim", "Santos"],
    ["Bruno Lima", "+55 21 99876-5432", "", "", "não", "Niterói"],
  ],
  en: [
    ["name", "number", "email", "tag", "accepts messages", "city"],
    ["Ana Souza", "11 98765-4321", "ana@example.com", "VIP; New", "yes", "Santos"],
    ["Bruno Lima", "+55 21 99876-5432", "", "", "no", "Niterói"],
  ],
  es: [
    ["nombre", "número", "correo", "etiqueta", "acepta mensajes", "ciudad"],
    ["Ana Souza", "11 98765-4321", "ana@ejemplo.com", "VIP; Nuevo", "sí", "Santos"],
    ["Bruno Lima", "+55 21 99876-5432", "", "", "no", "Niterói"],
  ],
};

const exampleName: Record<Language, string> = { pt: "exemplo", en: "example", es: "ejemplo" };

/** A spreadsheet to begin with. */
export function exampleSheet(language: Language): SentFile {
  async function* pages(): AsyncGenerator<string[][]> {
    yield exampleRows[language];
  }
  return writeSheet(exampleName[language], "xlsx", pages());
}
