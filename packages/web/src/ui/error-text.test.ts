import { afterEach, expect, test } from "vitest";
import { ApiError } from "../api/client.ts";
import { chooseLanguage, i18n } from "../i18n/index.ts";
import { errorText } from "./error-text.ts";

afterEach(async () => {
  await chooseLanguage("pt");
});

const textOf = (error: unknown): string => errorText(i18n.t, error);

test("a known code is translated into the chosen language", async () => {
  const error = new ApiError({ status: 401, code: "ERR_INVALID_CREDENTIALS" });
  expect(textOf(error)).toBe("E-mail ou senha incorretos.");
  await chooseLanguage("en");
  expect(textOf(error)).toBe("Wrong e-mail or password.");
});

test("the text of an expired subscription is exactly that of the specification", () => {
  const sentence =
    "Opss! Sua assinatura venceu 10/11/2026. Entre em contato com o Suporte para mais informações!";
  const reply = { status: 400, code: "ERR_SUBSCRIPTION_EXPIRED", message: sentence };
  expect(textOf(new ApiError({ ...reply, data: { date: "10/11/2026" } }))).toBe(sentence);
  expect(textOf(new ApiError(reply))).toBe(sentence);
});

test.each([
  [1, "Muitas tentativas. Tente de novo em 1 segundo."],
  [42, "Muitas tentativas. Tente de novo em 42 segundos."],
])("too many attempts show a wait of %i seconds", (retryAfterSeconds, text) => {
  const data = { retryAfterSeconds };
  expect(textOf(new ApiError({ status: 429, code: "ERR_TOO_MANY_REQUESTS", data }))).toBe(text);
});

test("too many attempts without a time show a general wait", () => {
  expect(textOf(new ApiError({ status: 429, code: "ERR_TOO_MANY_REQUESTS" }))).toMatch(/Aguarde/);
});

test("an unknown text of the server is shown unchanged", () => {
  expect(textOf(new ApiError({ status: 400, code: "Algo", message: "Algo" }))).toBe("Algo");
});

test.each([new Error("boom"), "boom", null, new ApiError({ status: 0, code: "" })])(
  "anything else (%s) is something that went wrong, without its inside",
  (error) => {
    expect(textOf(error)).toBe("Algo deu errado. Tente de novo.");
  },
);
