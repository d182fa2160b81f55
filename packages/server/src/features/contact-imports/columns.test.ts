import { expect, test } from "vitest";
import {
  columnLetters,
  guessSettings,
  isStartable,
  plainSettings,
  readRowNumber,
  recogniseTitle,
  rowReader,
} from "./columns.ts";

const rows = (...cells: string[][]) => cells.map((one, place) => ({ line: place + 1, cells: one }));
const targetsOf = (...cells: string[][]) => {
  const settings = guessSettings(rows(...cells), Math.max(...cells.map((one) => one.length)), "BR");
  return settings && [settings.titleRow, ...settings.columns.map(({ target }) => target)];
};

test.each([
  ["Nome Completo", "name"],
  ["NÚMERO", "number"],
  ["Teléfono", "number"],
  ["E-mail", "email"],
  ["Etiquetas", "tag"],
  ["Aceita promoções?", "accepts"],
  ["Cidade", null],
] as const)("the title %s is %s", (title, target) => {
  expect(recogniseTitle(title)).toBe(target);
});

test("columns are recognised by their titles, also below another row", () => {
  const title = ["Clientes da loja"];
  const names = ["Cidade", "Nome", "WhatsApp", "Fone"];
  const data = ["Santos", "Ana", "11987654321", "11987654322"];
  expect(targetsOf(title, names, data)).toEqual([2, "none", "name", "number", "none"]);
});

test("columns without a known title are guessed by what they hold", () => {
  const ana = ["Ana", "11987654321", "ana@loja.example"];
  const bia = ["Bia", "5,51199E+12", ""];
  expect(targetsOf(["Quem", "Onde", "Como"], ana, bia)).toEqual([1, "none", "number", "email"]);
  expect(targetsOf(ana, bia)).toEqual([0, "name", "number", "email"]);
  expect(targetsOf(["Nome"], ["Ana"])).toBeNull();
});

test("the titles of a call that imports at once are those of behaviour 6.1", () => {
  const [first] = rows(["Número", "E-mail", "Telefone", "numero", "Nome"]);
  const targets = plainSettings(first, 5, "BR")?.columns.map(({ target }) => target);
  expect(targets).toEqual(["number", "email", "none", "none", "name"]);
  expect(plainSettings(rows(["Telefone"])[0], 1, "BR")).toBeNull();
});

test("an import starts with one column of numbers and no target twice", () => {
  const startable = (...targets: ("number" | "name" | "extra" | "none")[]) =>
    isStartable({
      ...{ titleRow: 1, country: "BR", rule: "keep" },
      columns: targets.map((target) => ({ target, extraName: "" })),
    });
  expect(startable("number", "extra", "extra", "none", "none")).toBe(true);
  expect(startable("name", "none")).toBe(false);
  expect(startable("number", "number")).toBe(false);
  expect(startable("number", "name", "name")).toBe(false);
});

test("a row is read by the settings", () => {
  const targets = ["name", "number", "email", "tag", "accepts", "extra", "extra"] as const;
  const read = rowReader(
    {
      ...{ titleRow: 1, country: "BR", rule: "keep" },
      columns: targets.map((target) => ({ target, extraName: target === "extra" ? "" : "x" })),
    },
    ["", "", "", "", "", "Cidade"],
  );
  const cells = [" Ana  Souza ", "11", "Ana@Loja.example", "VIP; Novo,VIP;", " NÃO "];
  expect(read([...cells, "Santos", "7"])).toEqual({
    ...{ name: " Ana Souza ".trim(), writtenNumber: "11", email: "ana@loja.example" },
    ...{ isOptedOut: true, tags: ["VIP", "Novo"] },
    extra: [
      { name: "Cidade", value: "Santos" },
      { name: "G", value: "7" },
    ],
  });
  expect(read(["x".repeat(500)]).name.length).toBeLessThan(500);
  expect(read(["", "", "", "", "sim"]).isOptedOut).toBe(false);
});

test("a bad e-mail address is a problem of the row", () => {
  const row = { name: "", isOptedOut: false, tags: [], extra: [], writtenNumber: "11987654321" };
  expect(readRowNumber({ ...row, email: "ana@" }, "BR").problem).toBe("badEmail");
  expect(readRowNumber({ ...row, email: "" }, "BR").problem).toBeNull();
});

test("columns have letters as in a spreadsheet", () => {
  expect([0, 25, 26, 99].map(columnLetters)).toEqual(["A", "Z", "AA", "CV"]);
});
