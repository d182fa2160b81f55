import { expect, test } from "vitest";
import { closedChoiceText, menuText, optionLevelText, rootLevelText } from "./chatbot-texts.ts";

const options = [
  { number: 1, title: "Boleto" },
  { number: 10, title: "Outros" },
];

test.each<[what: string, text: string, lines: string[]]>([
  [
    "2.3: the menu of queues",
    menuText("Olá {{name}}!", ["Suporte", "Vendas *24h*"]),
    ["Olá {{name}}!", "", "*[ 1 ]* - Suporte", "*[ 2 ]* - Vendas *24h*"],
  ],
  [
    "2.4: the root level of a queue",
    rootLevelText("Financeiro", options),
    ["Financeiro", "", "*[ 1 ]* - Boleto", "*[ 10 ]* - Outros", "", "*[ # ]* - Menu inicial"],
  ],
  [
    "2.4: the level of an option",
    optionLevelText("Qual?", options),
    [
      "Qual?",
      "",
      "*[ 1 ]* - Boleto",
      "*[ 10 ]* - Outros",
      "",
      "*[ 0 ]* - Menu anterior",
      "*[ # ]* - Menu inicial",
    ],
  ],
  ["2.4: a leaf", optionLevelText("Até já", []), ["Até já"]],
  ["2.4: a leaf without a message", optionLevelText("", []), [""]],
  [
    "2.4: a level without a message",
    rootLevelText("", options.slice(0, 1)),
    ["*[ 1 ]* - Boleto", "", "*[ # ]* - Menu inicial"],
  ],
  [
    "2.6: the out-of-hours text of a chosen queue",
    closedChoiceText("Fechado"),
    ["Fechado", "", "*[ # ]* - Voltar ao Menu Principal"],
  ],
])("%s", (_what, text, lines) => {
  expect(text.split("\n")).toEqual(lines);
});
