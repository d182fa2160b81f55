import type { MessageTemplate } from "@balcao/contract";
import { expect, test } from "vitest";
import { fillTemplate, fillText, placesOf } from "./templates.ts";

const plain: MessageTemplate = {
  name: "aviso",
  language: "pt_BR",
  category: "UTILITY",
  header: null,
  body: "Olá",
  bodyParameters: 0,
  footer: null,
  buttons: [],
};
const none = { headerParameters: [], bodyParameters: [], buttonParameters: [] };

test.each([
  ["no place", [], []],
  ["{{1}} and {{2}}", ["1", "2"], ["a", "b"]],
  ["{{2}} before {{1}}, {{ 2 }} again", ["1", "2"], ["a", "b"]],
  ["{{nome}} {{dia}} {{nome}}", ["nome", "dia"], ["a", "b"]],
])("places of %s", (text, places, values) => {
  expect(placesOf(text)).toEqual(places);
  expect(fillText(text, values)).not.toContain("{{");
});

test("numbered places are filled by their number", () => {
  expect(fillText("{{2}} antes de {{1}}", ["um", "dois"])).toBe("dois antes de um");
});

test("a template without places needs no components", () => {
  expect(fillTemplate(plain, none)).toEqual({
    kind: "template",
    name: "aviso",
    language: "pt_BR",
    components: [],
    text: "Olá",
  });
});

test("named places carry their names; a picture's header carries its address", () => {
  const template = {
    ...plain,
    header: { format: "IMAGE", text: "", parameters: 1 },
    body: "Olá {{nome}}",
    bodyParameters: 1,
    footer: "Loja",
    buttons: [
      { type: "QUICK_REPLY", text: "Sim", parameters: 0 },
      { type: "URL", text: "Ver", parameters: 1 },
      { type: "COPY_CODE", text: "Copiar", parameters: 1 },
    ],
  };
  const filled = fillTemplate(template, {
    headerParameters: ["https://loja.example/foto.jpg"],
    bodyParameters: ["Helena"],
    buttonParameters: ["pedido-7", "PROMO"],
  });
  expect(filled).toMatchObject({
    text: "Olá Helena\n\nLoja",
    components: [
      {
        type: "header",
        parameters: [{ type: "image", image: { link: "https://loja.example/foto.jpg" } }],
      },
      { type: "body", parameters: [{ type: "text", parameter_name: "nome", text: "Helena" }] },
      {
        type: "button",
        sub_type: "url",
        index: "1",
        parameters: [{ type: "text", text: "pedido-7" }],
      },
      {
        type: "button",
        sub_type: "copy_code",
        index: "2",
        parameters: [{ type: "coupon_code", coupon_code: "PROMO" }],
      },
    ],
  });
});

test.each([
  ["too many", { ...none, bodyParameters: ["a"] }],
  ["for a header that is not there", { ...none, headerParameters: ["a"] }],
  ["for buttons that are not there", { ...none, buttonParameters: ["a"] }],
])("parameters that do not fit are refused: %s", (_what, parameters) => {
  expect(fillTemplate(plain, parameters)).toBeNull();
});

test("a blank parameter is none", () => {
  const template = { ...plain, body: "Olá {{1}}", bodyParameters: 1 };
  expect(fillTemplate(template, { ...none, bodyParameters: [" "] })).toBeNull();
  expect(fillTemplate(template, none)).toBeNull();
});
