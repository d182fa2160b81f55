import { afterEach, expect, test } from "vitest";
import { chooseLanguage, currentLanguage, i18n, isTextKey, startTexts } from "./index.ts";

afterEach(async () => {
  await chooseLanguage("pt");
});

test("Portuguese is the default language", () => {
  expect(currentLanguage()).toBe("pt");
  expect(document.documentElement.lang).toBe("pt-BR");
  expect(i18n.t("shell.logout")).toBe("Sair");
});

test("a chosen language changes the texts and the page's lang, and is kept", async () => {
  await chooseLanguage("en");
  expect(i18n.t("shell.logout")).toBe("Sign out");
  expect(document.documentElement.lang).toBe("en-GB");
  expect(localStorage.getItem("balcao.language")).toBe("en");
});

test("the next visit starts in the kept language", async () => {
  localStorage.setItem("balcao.language", "es");
  await startTexts();
  expect(i18n.t("shell.logout")).toBe("Salir");
});

test("an unknown stored language falls back to Portuguese", async () => {
  localStorage.setItem("balcao.language", "xx");
  await startTexts();
  expect(currentLanguage()).toBe("pt");
});

test("the last one of two quickly chosen languages is shown", async () => {
  await Promise.all([chooseLanguage("en"), chooseLanguage("es")]);
  expect([currentLanguage(), i18n.t("shell.logout")]).toEqual(["es", "Salir"]);
});

test("a number chooses the plural form of a text, and zero its own form if there is one", () => {
  expect(i18n.t("messages.jumpNew", { count: 1 })).toBe("1 nova");
  expect(i18n.t("messages.jumpNew", { count: 3 })).toBe("3 novas");
  expect(i18n.t("messages.jumpNew", { count: 0 })).toBe("0 novas");
  expect(i18n.t("users.deleteTickets", { count: 0 })).toBe(
    "Nenhum atendimento está aberto com esta pessoa.",
  );
  // @ts-expect-error a text that counts needs its number
  expect(i18n.t("messages.jumpNew")).toBe("messages.jumpNew");
});

test("placeholders are replaced with the values, unchanged", () => {
  expect(i18n.t("messages.sentBy", { name: "$& <b>{{name}}</b>" })).toBe(
    "Enviada por $& <b>{{name}}</b>",
  );
  // @ts-expect-error every hole needs its value
  expect(i18n.t("messages.sentBy", {})).toBe("Enviada por {{name}}");
});

test("only keys of the catalogue are texts", () => {
  expect(["shell.logout", "shell", "shell.toString", "nothing"].map(isTextKey)).toEqual([
    true,
    false,
    false,
    false,
  ]);
});
