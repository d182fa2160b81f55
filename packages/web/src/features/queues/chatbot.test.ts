import { expect, test } from "vitest";
import { answersTo, conversationTo } from "./chatbot-preview.tsx";
import { givenOption } from "./testing/queues-server.ts";
import {
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

test("at the beginning the customer sees the greeting with the first options", () => {
  expect(texts(null)).toEqual(["customer: Oi", root]);
});

test("the way to an option is what the customer writes and what he gets for it", () => {
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

test("the file of an option comes after its text", () => {
  expect(texts(2).slice(-2)).toEqual(["company: Já vamos", "company: mapa.pdf"]);
});

test("without options there is the greeting with its file, and a person takes over", () => {
  const file = { name: "tabela.pdf", mime: "application/pdf", url: null };
  const { bubbles, isOver } = conversationTo({ greetingMessage: "Oi", file }, [], null, "Olá");
  expect(bubbles.map(({ text, file: its }) => its?.name ?? text)).toEqual([
    "Olá",
    "Oi",
    "tabela.pdf",
  ]);
  expect(isOver).toBe(true);
});

test("an empty text is no bubble", () => {
  expect(conversationTo({ greetingMessage: "", file: null }, [], null, "Olá").bubbles).toHaveLength(
    1,
  );
});

test("the answers to a text are those of its menu lines", () => {
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

test("a level stands by its numbers, not by their letters", () => {
  expect(titles(levelOf(tree, null))).toEqual(["Nove", "Dez"]);
});

test("what lies below is counted through all levels", () => {
  expect([1, 2, 3, 5].map((id) => countBelow(tree, id))).toEqual([0, 3, 2, 0]);
});

test("the way to an option begins at the root", () => {
  expect(titles(pathTo(tree, 5))).toEqual(["Nove", "Filha", "Neta", "Bisneta"]);
  expect(pathTo(tree, 99)).toEqual([]);
});

test("a new option comes behind the last number, also where numbers were left out", () => {
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
])("of %j, %d taken to place %d gives %j", (ids, id, toIndex, expected) => {
  expect(reordered(ids, id, toIndex)).toEqual(expected);
});

test("a level is numbered anew from 1, others keep their numbers", () => {
  const after = renumbered(tree, [1, 2]);
  expect(titles(levelOf(after, null))).toEqual(["Dez", "Nove"]);
  expect(after.find(({ id }) => id === 3)?.option).toBe("1");
});

test("an option goes with all that is below it", () => {
  expect(titles(without(tree, 2))).toEqual(["Dez"]);
});
