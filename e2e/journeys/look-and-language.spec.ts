import type { Page } from "@playwright/test";
import { expect, test } from "../support/journey.ts";

const ground = { light: "rgb(245, 244, 241)", dark: "rgb(14, 18, 17)" };

test("the theme follows the system until somebody chooses, and the choice is kept", async ({
  browserOf,
  signedIn,
  staff,
}) => {
  const visitor = await browserOf({ colorScheme: "dark" });
  await visitor.goto("/login");
  await expectTheme(visitor, "dark");
  await visitor.emulateMedia({ colorScheme: "light" });
  await expectTheme(visitor, "light");

  const page = await signedIn(staff.beatriz, { colorScheme: "dark" });
  await expectTheme(page, "dark");
  await page.getByRole("button", { name: "Usar tema claro" }).click();
  await expectTheme(page, "light");
  await page.reload();
  await expectTheme(page, "light");

  await page.getByRole("button", { name: "Conta de Beatriz Lopes" }).click();
  await expect(page.getByRole("menuitemradio", { name: "Claro" })).toBeChecked();
  await page.getByRole("menuitemradio", { name: "Escuro" }).click();
  await expectTheme(page, "dark");
  await page.emulateMedia({ colorScheme: "light" });
  await expectTheme(page, "dark");

  await page.getByRole("button", { name: "Conta de Beatriz Lopes" }).click();
  await page.getByRole("menuitemradio", { name: "Do sistema" }).click();
  await expectTheme(page, "light");

  await page.getByRole("button", { name: "Usar tema escuro" }).click();
  await page.getByRole("button", { name: "Conta de Beatriz Lopes" }).click();
  await page.getByRole("menuitem", { name: "Sair" }).click();
  await expect(page).toHaveURL("/login");
  await expectTheme(page, "dark");
});

test("the language changes at once, is said to the browser, and is kept", async ({
  signedIn,
  staff,
}) => {
  const page = await signedIn(staff.beatriz);
  const html = page.locator("html");
  await expect(html).toHaveAttribute("lang", "pt-BR");

  await page.getByRole("button", { name: "Conta de Beatriz Lopes" }).click();
  await expect(page.getByRole("menuitemradio", { name: "Português" })).toBeChecked();
  await page.getByRole("menuitemradio", { name: "English" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Conversations" })).toBeVisible();
  await expect(page.getByRole("button", { name: /^Waiting \d+$/ })).toBeVisible();
  await expect(html).toHaveAttribute("lang", "en-GB");
  await page.reload();
  await expect(page.getByRole("heading", { level: 1, name: "Conversations" })).toBeVisible();
  await expect(html).toHaveAttribute("lang", "en-GB");

  await page.getByRole("button", { name: "Account of Beatriz Lopes" }).click();
  await page.getByRole("menuitemradio", { name: "Español" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Conversaciones" })).toBeVisible();
  await expect(html).toHaveAttribute("lang", "es");

  await page.getByRole("button", { name: "Cuenta de Beatriz Lopes" }).click();
  await page.getByRole("menuitem", { name: "Salir" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Entrar" })).toBeVisible();
  await expect(html).toHaveAttribute("lang", "es");
  await page.getByRole("button", { name: "Idioma" }).click();
  await page.getByRole("menuitemradio", { name: "Português" }).click();
  await expect(html).toHaveAttribute("lang", "pt-BR");
});

/** By what is painted, not only by what the page says of itself. */
async function expectTheme(page: Page, theme: "light" | "dark"): Promise<void> {
  await expect(page.locator("html")).toHaveAttribute("data-mantine-color-scheme", theme);
  await expect(page.locator("body")).toHaveCSS("background-color", ground[theme]);
}
