import { expect, test } from "vitest";
import { freeTextWindow, timeLeft, untilNextState } from "./free-text-window.ts";
import type { MessageTemplate } from "@balcao/contract";
import { matches } from "../../ui/matches.ts";
import {
  buttonOfEachPlace,
  emptyValues,
  fill,
  firstBlank,
  placesOf,
  searchedText,
  sendBodyOf,
  withValue,
} from "./template-dialog.tsx";

const until = "2026-11-20T18:00:00.000Z";
const at = (time: string): number => Date.parse(`2026-11-20T${time}.000Z`);
const hour = 60 * 60_000;

test.each([
  ["11:59:59", "free", 1_000],
  ["12:00:00", "closing", 6 * hour],
  ["17:59:59", "closing", 1_000],
  ["18:00:00", "closed", null],
  ["20:00:00", "closed", null],
])("at %s a window until 18:00 is %s", (time, state, nextMs) => {
  expect(freeTextWindow(until, at(time))).toBe(state);
  expect(untilNextState(until, at(time))).toBe(nextMs);
});

test("a channel without the rule never closes the window", () => {
  expect(freeTextWindow(null, at("12:00:00"))).toBe("free");
  expect(untilNextState(null, at("12:00:00"))).toBeNull();
});

test.each([
  ["12:30:00", 5, 30],
  ["17:00:01", 1, 0],
  ["17:59:59", 0, 1],
])("at %s there are %i h %i min left", (time, hours, minutes) => {
  expect(timeLeft(until, at(time))).toEqual({ hours, minutes });
});

const template: MessageTemplate = {
  name: "pedido_saiu",
  language: "pt_BR",
  category: "UTILITY",
  header: { format: "TEXT", text: "Pedido {{1}}", parameters: 1 },
  body: "Olá {{nome}}, chega {{dia}}. Até {{dia}}, {{nome}}!",
  bodyParameters: 2,
  footer: null,
  buttons: [
    { type: "QUICK_REPLY", text: "Falar", parameters: 0 },
    { type: "URL", text: "Acompanhar", parameters: 1 },
  ],
};

test("equal parameters are one, in order of first appearance", () => {
  expect(placesOf(template.body)).toEqual(["nome", "dia"]);
  expect(placesOf("{{2}} e {{1}}")).toEqual(["2", "1"]);
  expect(placesOf("sem lugares {{}}")).toEqual([]);
});

test("every parameter is replaced; one without a value stays visible", () => {
  expect(fill(template.body, ["Ana", " "])).toBe("Olá Ana, chega {{dia}}. Até {{dia}}, Ana!");
  expect(fill("{{2}} {{1}}", ["dois", "{{2}}"])).toBe("dois {{2}}");
});

test("every parameter has its own value, and the first blank one is found", () => {
  const empty = emptyValues(template);
  expect(empty).toEqual({ header: [""], body: ["", ""], button: [""] });
  expect(firstBlank(empty)).toEqual({ part: "header", index: 0 });
  const some = withValue(
    withValue(empty, { part: "header", index: 0 }, "7"),
    { part: "body", index: 0 },
    "Ana",
  );
  expect(firstBlank(some)).toEqual({ part: "body", index: 1 });
  const all = withValue(
    withValue(some, { part: "body", index: 1 }, "sexta"),
    { part: "button", index: 0 },
    "abc",
  );
  expect(firstBlank(all)).toBeNull();
  expect(sendBodyOf(template, all, "id-1")).toEqual({
    name: "pedido_saiu",
    language: "pt_BR",
    headerParameters: ["7"],
    bodyParameters: ["Ana", "sexta"],
    buttonParameters: ["abc"],
    clientId: "id-1",
  });
});

test("a button's parameter is named after the button", () => {
  expect(buttonOfEachPlace(template)).toEqual(["Acompanhar"]);
});

test.each([
  ["pedido", true],
  ["CHEGA ola", true],
  ["chega boleto", false],
  ["", true],
])("the words “%s” match it: %s", (words, isMeant) => {
  expect(matches(searchedText(template), words)).toBe(isMeant);
});
