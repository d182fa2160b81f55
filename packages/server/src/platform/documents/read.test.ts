import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { atEndOfFile } from "../../testing/end-of-file.ts";
import { pdfOf } from "../../testing/pdf.ts";
import { readDocument } from "./read.ts";
import { readText } from "./reading/document.ts";

const folder = await mkdtemp(join(tmpdir(), "balcao-documents-"));
atEndOfFile(() => rm(folder, { recursive: true, force: true }));
const usual = { maxPages: 10, maxCharacters: 10_000 };

/** Reads in this process: the start of another one takes longer than reading any of these files. */
async function textOf(content: string | Uint8Array, limits = usual) {
  const path = join(folder, "file");
  await writeFile(path, content);
  return readText(path, limits);
}

const readInProcess = (
  content: Uint8Array,
  change: { maxFileBytes?: number; timeLimitMs?: number } = {},
) => {
  const { maxFileBytes = 100_000, ...rest } = change;
  async function* chunks(): AsyncGenerator<Uint8Array> {
    yield content;
  }
  const limits = { ...usual, maxFileBytes };
  return readDocument({ name: "trocas.pdf", content: chunks() }, { companyId: 1, limits, ...rest });
};

test.each<[what: string, content: string | Uint8Array, text: string]>([
  [
    "UTF-8 with its mark",
    "\uFEFFTroca em até 30 dias.\r\n\r\n\r\n\r\n  Sem   custo.",
    "Troca em até 30 dias.\n\nSem custo.",
  ],
  [
    "the usual encoding of Windows",
    Buffer.from("Devolução grátis \u0096 sempre", "latin1"),
    "Devolução grátis – sempre",
  ],
  ["UTF-16", Buffer.from("\uFEFFPreço: R$ 10", "utf16le"), "Preço: R$ 10"],
  [
    "words that were divided at an end of a line",
    "A devolu-\nção é grátis",
    "A devolução é grátis",
  ],
])("a text in %s is read", async (_what, content, text) => {
  expect(await textOf(content)).toEqual({ text, isCut: false });
});

test("a PDF is read page by page, with its paragraphs", async () => {
  const pages = [
    ["Prazo de devolução:", "30 dias (corridos).", "", "", "Frete grátis."],
    ["Página dois."],
  ];
  const text = "Prazo de devolução:\n30 dias (corridos).\n\nFrete grátis.\n\nPágina dois.";
  expect(await textOf(pdfOf(pages))).toEqual({ text, isCut: false });
  expect(await readInProcess(pdfOf(pages))).toEqual({ text, isCut: false });
});

test.each<[what: string, content: Uint8Array, fault: string]>([
  [
    "a picture",
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0]),
    "ERR_DOCUMENT_NOT_ONE",
  ],
  ["a PDF with a password", pdfOf([["Segredo"]], { isEncrypted: true }), "ERR_DOCUMENT_ENCRYPTED"],
  ["half a PDF", pdfOf([["Troca"]]).subarray(0, 60), "ERR_DOCUMENT_DAMAGED"],
  ["scanned pages", pdfOf([[], []]), "ERR_DOCUMENT_EMPTY"],
  ["an empty text", Buffer.from(" \r\n\t"), "ERR_DOCUMENT_EMPTY"],
])("%s is refused with what it is", async (_what, content, fault) => {
  expect(await textOf(content)).toEqual({ fault });
});

test("more pages or characters than the limits are cut", async () => {
  const pages = ["Um", "Dois", "Três"].map((word) => [word]);
  expect(await textOf(pdfOf(pages), { ...usual, maxPages: 2 })).toEqual({
    ...{ text: "Um\n\nDois", isCut: true },
  });
  const few = { ...usual, maxCharacters: 3 };
  expect(await textOf("Sim, troca", few)).toEqual({ text: "Sim", isCut: true });
});

test("a process that takes too long is ended, and a larger file is not read", async () => {
  const slow = readInProcess(pdfOf([["Troca"]]), { timeLimitMs: 1 });
  await expect(slow).rejects.toMatchObject({ code: "ERR_DOCUMENT_TOO_LARGE" });
  const large = readInProcess(Buffer.alloc(100), { maxFileBytes: 99 });
  await expect(large).rejects.toMatchObject({ code: "ERR_FILE_TOO_LARGE" });
});
