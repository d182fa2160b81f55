import { afterEach, expect, test } from "vitest";
import { chooseLanguage, currentLanguage, i18n, startTexts } from "./index.ts";

afterEach(async () => {
  await chooseLanguage("pt");
});

test("Portuguese is the language until another is chosen", () => {
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

test("a kept language that we do not have is Portuguese", async () => {
  localStorage.setItem("balcao.language", "xx");
  await startTexts();
  expect(currentLanguage()).toBe("pt");
});
