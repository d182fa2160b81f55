import type { Page } from "@playwright/test";
import { errors } from "@playwright/test";
import type { Dice } from "./dice.ts";
import { tickets } from "./screens.ts";

/** An action whose button is gone, because a colleague took the ticket, is skipped. */
const PATIENCE_MS = 700;

let answers = 0;

/** Does something on a tickets screen, as far as it offers it; answers whether it was done. */
export async function handsWork(
  page: Page,
  { names, dice }: { names: readonly string[]; dice: Dice },
): Promise<boolean> {
  const what = dice.between(1, 100);
  try {
    if (what <= 15) return await changeList(page, dice);
    if (what <= 35) return await accept(page, names);
    if (what <= 55) return await openCard(page, names, dice);
    if (what <= 85) return await answerOpened(page);
    return await press(page, dice.isLucky(0.5) ? "Devolver" : "Resolver");
  } catch (error) {
    if (error instanceof errors.TimeoutError) return false;
    throw error;
  }
}

/** Opens one of the customers' tickets that the user serves. */
export async function openCard(page: Page, names: readonly string[], dice: Dice): Promise<boolean> {
  await showList(page, "Atendendo");
  const links = tickets.list(page).getByRole("link");
  const shown = await links.evaluateAll((found) => found.map((link) => link.textContent));
  const name = dice.pick(shown.filter((one) => names.includes(one)));
  if (name === undefined) return false;
  await tickets.card(page, name).getByRole("link").click({ timeout: PATIENCE_MS });
  return true;
}

/** Shows one of the two lists of open tickets; they are always there, but a busy page may take its time. */
export async function showList(
  page: Page,
  label: "Atendendo" | "Aguardando",
  patienceMs = PATIENCE_MS,
): Promise<void> {
  await tickets.tab(page, "Abertos").click({ timeout: patienceMs });
  await tickets.chip(page, label).click({ timeout: patienceMs });
}

async function changeList(page: Page, dice: Dice): Promise<boolean> {
  const label = dice.pick(["Atendendo", "Aguardando", "Resolvidos"] as const) ?? "Atendendo";
  if (label !== "Resolvidos") await showList(page, label);
  else await tickets.tab(page, label).click({ timeout: PATIENCE_MS });
  return true;
}

async function accept(page: Page, names: readonly string[]): Promise<boolean> {
  await showList(page, "Aguardando");
  const buttons = tickets.list(page).getByRole("button", { name: "Aceitar atendimento de " });
  const labels = await buttons.evaluateAll((found) => found.map((button) => button.ariaLabel));
  const label = labels.find((one) => names.some((name) => one?.endsWith(name)));
  if (label == null) return false;
  await page.getByRole("button", { name: label }).click({ timeout: PATIENCE_MS });
  return true;
}

async function answerOpened(page: Page): Promise<boolean> {
  const composer = page.getByRole("textbox", { name: /^Mensagem para / });
  if (!(await composer.isVisible())) return false;
  if (!(await composer.isEnabled({ timeout: PATIENCE_MS }))) return false;
  answers += 1;
  await composer.fill(`Dito na tela ${answers}`, { timeout: PATIENCE_MS });
  await composer.press("Enter", { timeout: PATIENCE_MS });
  return true;
}

async function press(page: Page, name: "Devolver" | "Resolver"): Promise<boolean> {
  const button = page.locator("[data-conversation]").getByRole("button", { name, exact: true });
  if (!(await button.isVisible())) return false;
  await button.click({ timeout: PATIENCE_MS });
  return true;
}
