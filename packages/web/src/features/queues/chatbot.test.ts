import { expect, test } from "vitest";
import { answersTo, conversationTo } from "./chatbot-preview.tsx";
import { givenOption } from "./testing/queues-server.ts";
import {
  changesOf,
  countBelow,
  levelOf,
  nextNumber,
  pathTo,
  renumbered,
  reordered,
  without,
} from "./chatbot-api.ts";

const queue = { greetingMessage: "Olá {{name}}", file: null };
const options = [
  givenOption(1, "Pedidos", { option: "1", message: "Sobre pedidos" }),
  givenOption(2, "Pessoa", { option: "2", message: "Já vamos", mediaName: "mapa.pdf" }),
  givenOption(3, "Prazo", { parentId: 1, option: "1", message: "Dois dias" }),
];
const texts = (toId: number | null): string[] =>
  conversationTo(queue, options, toId, "Oi").bubbles.map(
    ({ from, text, file }) => `${from}: ${file?.name ?? text}`,
  );

const root = [
  "company: Olá {{name}}",
  "*[ 1 ]* - Pedidos\n*[ 2 ]* - Pessoa",
  "*[ # ]* - Menu inicial",
].join("\n\n");

test("the conversation starts with the greeting and the first options", () => {
  expect(texts(null)).toEqual(["customer: Oi", root]);
});

test("the path to an option alternates the customer's answers and the replies", () => {
  expect(texts(3)).toEqual([
    "customer: Oi",
    root,
    "customer: 1",
    "company: Sobre pedidos\n\n*[ 1 ]* - Prazo\n\n*[ 0 ]* - Menu anterior\n*[ # ]* - Menu inicial",
    "customer: 1",
    "company: Dois dias",
  ]);
  expect(conversationTo(queue, options, 3, "Oi").isOver).toBe(true);
  expect(conversationTo(queue, options, 1, "Oi").isOver).toBe(false);
});

test("the file of an option follows its text", () => {
  expect(texts(2).slice(-2)).toEqual(["company: Já vamos", "company: mapa.pdf"]);
});

test("without options a person takes over after the greeting and its file", () => {
  const file = { name: "tabela.pdf", mime: "application/pdf", url: null };
  const { bubbles, isOver } = conversationTo({ greetingMessage: "Oi", file }, [], null, "Olá");
  expect(bubbles.map(({ text, file: its }) => its?.name ?? text)).toEqual([
    "Olá",
    "Oi",
    "tabela.pdf",
  ]);
  expect(isOver).toBe(true);
});

test("an empty text has no bubble", () => {
  expect(conversationTo({ greetingMessage: "", file: null }, [], null, "Olá").bubbles).toHaveLength(
    1,
  );
});

test("the possible answers are those of the menu's lines", () => {
  expect(answersTo(root)).toEqual([
    { answer: "1", title: "Pedidos" },
    { answer: "2", title: "Pessoa" },
    { answer: "#", title: "Menu inicial" },
  ]);
  expect(answersTo("Nada a escolher [ 1 ]")).toEqual([]);
});

const tree = [
  givenOption(1, "Dez", { option: "10" }),
  givenOption(2, "Nove", { option: "9" }),
  givenOption(3, "Filha", { parentId: 2, option: "1" }),
  givenOption(4, "Neta", { parentId: 3, option: "1" }),
  givenOption(5, "Bisneta", { parentId: 4, option: "1" }),
];
const titles = (of: readonly { title: string }[]): string[] => of.map(({ title }) => title);

test("a level is sorted by number, not by text", () => {
  expect(titles(levelOf(tree, null))).toEqual(["Nove", "Dez"]);
});

test("options below are counted on all levels", () => {
  expect([1, 2, 3, 5].map((id) => countBelow(tree, id))).toEqual([0, 3, 2, 0]);
});

test("the path to an option starts at the root", () => {
  expect(titles(pathTo(tree, 5))).toEqual(["Nove", "Filha", "Neta", "Bisneta"]);
  expect(pathTo(tree, 99)).toEqual([]);
});

test("a new option follows the largest number, even with gaps", () => {
  expect(nextNumber(levelOf(tree, null))).toBe(11);
  expect(nextNumber([])).toBe(1);
});

test.each([
  [[1, 2, 3], 1, 2, [2, 3, 1]],
  [[1, 2, 3], 3, 0, [3, 1, 2]],
  [[1, 2, 3], 2, 1, null],
  [[1, 2, 3], 1, -1, null],
  [[1, 2, 3], 3, 3, null],
  [[1, 2, 3], 9, 0, null],
])("in %j, moving %d to place %d gives %j", (ids, id, toIndex, expected) => {
  expect(reordered(ids, id, toIndex)).toEqual(expected);
});

test("a level is renumbered from 1, other levels keep their numbers", () => {
  const after = renumbered(tree, [1, 2]);
  expect(titles(levelOf(after, null))).toEqual(["Dez", "Nove"]);
  expect(after.find(({ id }) => id === 3)?.option).toBe("1");
});

test("an option is removed with all below it", () => {
  expect(titles(without(tree, 2))).toEqual(["Dez"]);
});

test("the changes of a draft name what was added, removed and changed, and where", () => {
  const published = { greetingMessage: "Olá", options };
  const [orders, person, deadline] = options;
  const draft = {
    greetingMessage: "Oi",
    options: [
      { ...orders!, option: "2", message: "Sobre seus pedidos" },
      { ...deadline!, title: "Prazos" },
      givenOption(9, "Trocas", { parentId: 1, option: "2" }),
    ],
  };
  expect(changesOf({ draft, published })).toEqual([
    {
      ...{ key: "greeting", kind: "greeting", path: [] },
      fields: [{ field: "greeting", before: "Olá", after: "Oi" }],
    },
    {
      ...{ key: "1", kind: "changed", path: ["Pedidos"] },
      fields: [
        { field: "number", before: "1", after: "2" },
        { field: "message", before: "Sobre pedidos", after: "Sobre seus pedidos" },
      ],
    },
    {
      ...{ key: "3", kind: "changed", path: ["Pedidos", "Prazos"] },
      fields: [{ field: "title", before: "Prazo", after: "Prazos" }],
    },
    { key: "9", kind: "added", path: ["Pedidos", "Trocas"], fields: [] },
    { key: String(person!.id), kind: "removed", path: ["Pessoa"], fields: [] },
  ]);
  expect(changesOf({ draft: published, published })).toEqual([]);
});
