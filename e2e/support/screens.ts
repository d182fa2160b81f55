import type { Locator, Page } from "@playwright/test";
import { expect } from "@playwright/test";

/** The tickets screen by what stands on it. */
export const tickets = {
  list: (page: Page): Locator => page.getByRole("list", { name: "Lista de atendimentos" }),
  card: (page: Page, name: string): Locator =>
    tickets.list(page).getByRole("listitem").filter({ hasText: name }),
  chip: (page: Page, label: "Atendendo" | "Aguardando"): Locator =>
    page.getByRole("button", { name: new RegExp(`^${label} \\d+$`) }),
  tab: (page: Page, name: "Abertos" | "Resolvidos"): Locator => page.getByRole("tab", { name }),
  searchTab: (page: Page): Locator => page.getByRole("tab", { name: "Buscar" }),
  /** The open conversation. */
  pane: (page: Page, name: string): Locator => page.getByRole("region", { name }),
  composer: (page: Page, name: string): Locator =>
    page.getByRole("textbox", { name: `Mensagem para ${name}` }),
  messages: (page: Page): Locator => page.getByRole("log", { name: "Mensagens" }),
  /** By a part of the text. The time follows it at once: "line 3" is also found in line 3 of 00:25. */
  message: (page: Page, text: string): Locator =>
    tickets.messages(page).getByRole("article").filter({ hasText: text }),
};

/** How many tickets a chip says there are now; a number to count on is `settledCount`. */
export async function countOn(chip: Locator): Promise<number> {
  return Number(/\d+/.exec(await chip.innerText())?.[0]);
}

/**
 * Shows who is waiting, those who wrote last first: whoever waits longest stands first otherwise, and a journey's own customer
 * may be far below those of others.
 */
export async function showWaiting(page: Page): Promise<void> {
  const waiting = tickets.chip(page, "Aguardando");
  await waiting.click();
  await expect(waiting).toHaveAttribute("aria-pressed", "true");
  const order = page.getByRole("button", { name: /^Ordem da lista: / });
  // The first look may still see the order of the list before.
  await expect(async () => {
    if ((await order.innerText()).includes("Maior espera")) await order.click();
    await expect(order).toContainText("Mais recente", { timeout: 3_000 });
  }).toPass();
}

/** Looks at who is waiting, accepts this one and has the conversation open. */
export async function acceptWaiting(page: Page, name: string): Promise<void> {
  await showWaiting(page);
  await page.getByRole("button", { name: `Aceitar atendimento de ${name}` }).click();
  await expect(tickets.pane(page, name).getByRole("heading", { name })).toBeVisible();
  await expect(page).toHaveURL(/\/tickets\/[0-9a-f-]{36}$/);
}

/** Writes an answer and sends it with Enter. */
export async function answer(page: Page, name: string, text: string): Promise<void> {
  await tickets.composer(page, name).fill(text);
  await tickets.composer(page, name).press("Enter");
}

/** The time of a recording, once it is at least so many seconds (up to nine) long: one second alone may pass between two looks. */
export function recordedFor(bar: Locator, seconds: number): Locator {
  return bar.getByText(new RegExp(`^(0:0[${seconds}-9]|0:[1-5]\\d|[1-9]\\d*:\\d\\d)$`));
}

/** The simulator by what stands on it. */
export const simulator = {
  phone: (page: Page): Locator => page.getByRole("region", { name: "Celular do cliente" }),
  bubble: (page: Page, text: string): Locator =>
    page
      .getByRole("log", { name: "Conversa com a empresa" })
      .getByRole("article")
      .filter({ hasText: text }),
  async write(page: Page, text: string): Promise<void> {
    await page.getByRole("textbox", { name: "Mensagem do cliente" }).fill(text);
    await page.getByRole("textbox", { name: "Mensagem do cliente" }).press("Enter");
  },
};

/** Waits for a toast and compares its place with the buttons that no toast may cover: menu, "Novo", bell and account. */
export async function expectToastApart(page: Page, text: string): Promise<void> {
  const place = page.locator(".mantine-Notifications-root").filter({ hasText: text });
  await expect(place).toBeVisible();
  const names = /^(Abrir menu|Novo|Nov[oa] .*|Adicionar.*|Conta de .*|.*mensagens não lidas)$/i;
  const toast = await place.evaluate((element) => element.getBoundingClientRect().toJSON());
  const boxes = await page
    .getByRole("button", { name: names, includeHidden: true })
    .evaluateAll((buttons) =>
      buttons.map((button) => ({
        name: button.getAttribute("aria-label") ?? button.textContent,
        ...button.getBoundingClientRect().toJSON(),
      })),
    );
  expect(boxes.length).toBeGreaterThan(0);
  const covered = boxes.filter(
    ({ left, right, top, bottom }) =>
      left < toast.right && right > toast.left && top < toast.bottom && bottom > toast.top,
  );
  expect(covered, "buttons below the toast").toEqual([]);
}

/** Waits until the page has fetched all of its code into the browser's cache. */
export async function expectFetchedAhead(page: Page): Promise<void> {
  await expect
    .poll(() => page.evaluate(() => sessionStorage.getItem("balcao.fetchedAhead")))
    .not.toBeNull();
}

const TABS_MAX = 120;

/** Goes on by the Tab key until the element has the focus. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  await expect(target).toBeVisible();
  for (let n = 0; n < TABS_MAX; n += 1) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press("Tab");
  }
  await expect(target).toBeFocused();
}
