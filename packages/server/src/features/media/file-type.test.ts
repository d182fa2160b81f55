import { expect, test } from "vitest";
import { extensionOf, safeFileName, withExtension } from "./file-type.ts";

test.each([
  ["foto.png", "png", "foto.png"],
  ["foto", "png", "foto.png"],
  ["", "png", "arquivo.png"],
  ["..", "txt", "arquivo.txt"],
  ["...", "txt", "arquivo.txt"],
  ["C:\\fotos\\férias.jpg", "jpg", "férias.jpg"],
  ["/etc/passwd", "txt", "passwd.txt"],
  ["../../a.txt", "txt", "a.txt"],
  ["relatorio\u202Efdp.exe", "pdf", "relatoriofdp.exe"],
  ["a\r\nb.txt", "txt", "ab.txt"],
  ["programa.exe. . ", "exe", "programa.exe"],
  ["  nota .txt", "txt", "nota .txt"],
  [".htaccess", "txt", ".htaccess.txt"],
  ["versão 1.2 final", "pdf", "versão 1.2 final.pdf"],
])("%j is kept as %j + → %j", (name, extension, kept) => {
  expect(safeFileName(name, extension)).toBe(kept);
});

test("a name of many dots takes no longer than any other", () => {
  const started = performance.now();
  const names = [".", " ", ". "].map((piece) =>
    safeFileName(`${piece.repeat(200_000)}x.pdf`, "pdf"),
  );
  // Two hundred thousand times as many steps would take minutes.
  expect(performance.now() - started).toBeLessThan(2_000);
  for (const name of names) expect(name).toMatch(/\.pdf$/);
});

test("a long name loses its middle and no half of a character", () => {
  const long = safeFileName(`${"a".repeat(250)}😀😀😀.pdf`, "pdf");
  expect(long.length).toBeLessThanOrEqual(255);
  expect(long).toMatch(/\.pdf$/);
  expect(long.isWellFormed()).toBe(true);
});

test.each([
  ["foto.PNG", "png"],
  ["a.tar.gz", "gz"],
  ["a", ""],
  [".png", ""],
  ["a.b c", ""],
])("the extension of %j is %j", (name, extension) => {
  expect(extensionOf(name)).toBe(extension);
});

test("another extension takes the place of the first one", () => {
  expect([withExtension("som.mp3", "ogg"), withExtension("som", "ogg")]).toEqual([
    ...["som.ogg", "som.ogg"],
  ]);
});
