import { expect, test } from "vitest";
import { queueChoices } from "./transfer-dialog.tsx";
import { givenColleague, givenQueue } from "../testing/given-choices.ts";

const names = { own: (name: string) => `Filas de ${name}`, others: "Outras filas" };
const queues = ["Suporte", "Vendas", "Financeiro"].map((name, index) =>
  givenQueue(index + 1, name),
);

test("without a colleague the queues keep their order", () => {
  expect(queueChoices(queues, null, names)).toEqual([
    { value: "1", label: "Suporte" },
    { value: "2", label: "Vendas" },
    { value: "3", label: "Financeiro" },
  ]);
});

test("the queues of the chosen colleague come first", () => {
  expect(queueChoices(queues, givenColleague(8, "Caio", [2]), names)).toEqual([
    { group: "Filas de Caio", items: [{ value: "2", label: "Vendas" }] },
    {
      group: "Outras filas",
      items: [
        { value: "1", label: "Suporte" },
        { value: "3", label: "Financeiro" },
      ],
    },
  ]);
});

test("a colleague of all queues has no other queues, one without queues no own ones", () => {
  expect(queueChoices(queues, givenColleague(8, "Caio", [1, 2, 3]), names)).toHaveLength(1);
  expect(queueChoices(queues, givenColleague(8, "Caio", []), names)).toHaveLength(3);
});
