import { expect, test } from "vitest";
import { renderVariables } from "./message-variables.ts";

const values = {
  contactName: "Ana Maria & Filhos",
  now: new Date("2026-11-20T11:04:09Z"),
  timeZone: "America/Sao_Paulo",
};

test.each<[text: string, rendered: string]>([
  ["Olá {{name}}!", "Olá Ana Maria & Filhos!"],
  ["{{firstName}}, {{firstName}}", "Ana, Ana"],
  ["{{ms}}", "Bom dia"],
  ["{{gretting}}", "Bom dia"],
  ["{{protocol}}", "20261120080409"],
  ["{{hora}}", "08:04:09"],
  ["{{unknown}} {{ name }} {name} {{Name}}", "{{unknown}} {{ name }} {name} {{Name}}"],
  ["{{", "{{"],
  ["{{name", "{{name"],
  ["{{{name}}}", "{Ana Maria & Filhos}"],
  ["<b>{{name}}</b> $& $1", "<b>Ana Maria & Filhos</b> $& $1"],
  ["no variables", "no variables"],
  ["{{queue}} {{user}}", "{{queue}} {{user}}"],
])("%j is sent as %j", (text, rendered) => {
  expect(renderVariables(text, values)).toBe(rendered);
});

test("the names of queue and user are filled in where they are given, and not rendered again", () => {
  const names = { user: "{{name}}" };
  expect(renderVariables("{{queue}}: {{user}}", { ...values, names })).toBe("{{queue}}: {{name}}");
});

test.each<[contactName: string, firstName: string]>([
  ["  Ana Maria", "Ana"],
  ["🎀 Ana", "Ana"],
  ["🎀", "cliente"],
  ["+55 11 98456-2210", "cliente"],
  ["Empresa X LTDA", "Empresa X LTDA"],
  ["Padaria Sol S/A", "Padaria Sol S/A"],
  ["Lisa", "Lisa"],
])("the first name of %j is %j", (contactName, firstName) => {
  expect(renderVariables("{{firstName}}", { ...values, contactName })).toBe(firstName);
});

test("a name that looks like a variable is not rendered again", () => {
  const text = renderVariables("{{name}} {{firstName}}", { ...values, contactName: "{{hora}} $&" });
  expect(text).toBe("{{hora}} $& {{hora}}");
});

test.each<[hour: string, greeting: string]>([
  ["00:00:00", "Boa madrugada"],
  ["05:59:59", "Boa madrugada"],
  ["06:00:00", "Bom dia"],
  ["11:59:59", "Bom dia"],
  ["12:00:00", "Boa tarde"],
  ["17:59:59", "Boa tarde"],
  ["18:00:00", "Boa noite"],
  ["23:59:59", "Boa noite"],
])("at %s the greeting is %s, and the hour is written as it is", (hour, greeting) => {
  const now = new Date(`2026-11-20T${hour}Z`);
  expect(renderVariables("{{ms}} {{hora}}", { ...values, now, timeZone: "UTC" })).toBe(
    `${greeting} ${hour}`,
  );
});

test("the day is the one of the company's time zone", () => {
  const now = new Date("2026-12-31T23:30:00Z");
  expect(renderVariables("{{protocol}}", { ...values, now, timeZone: "Asia/Tokyo" })).toBe(
    "20270101083000",
  );
});
