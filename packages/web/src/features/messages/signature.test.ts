import { expect, test } from "vitest";
import { sign, splitSignature } from "./signature.ts";

test("a signed text carries the name in bold on its own line", () => {
  expect(sign("Marina Prado", "Oi!")).toBe("*Marina Prado:*\nOi!");
});

test("a name with an asterisk does not break its own mark", () => {
  expect(splitSignature(sign("Ma*ri*na", "Oi!"))).toEqual({ author: "Marina", text: "Oi!" });
});

test.each([
  ["*Marina:*\nOi\n*Ana:*\nOlá", { author: "Marina", text: "Oi\n*Ana:*\nOlá" }],
  ["Oi *Marina:*\nOlá", { author: null, text: "Oi *Marina:*\nOlá" }],
  ["*Atenção*\nfechamos às 18h", { author: null, text: "*Atenção*\nfechamos às 18h" }],
  ["*Marina:*", { author: null, text: "*Marina:*" }],
])("%j is read as %j", (body, expected) => {
  expect(splitSignature(body)).toEqual(expected);
});
