import type { Locator, Page } from "@playwright/test";
import { expect, test } from "../support/journey.ts";
import { showWaiting, tickets } from "../support/screens.ts";

test("a whole service without a mouse: sign in, accept, answer, resolve", async ({
  browserOf,
  staff,
  network,
}) => {
  const page = await browserOf();
  const customer = await network.customer("Otávio Ramos");
  await customer.writes("Vou passar aí às 15h");

  await test.step("sign in", async () => {
    await page.goto("/login");
    await expect(page.getByRole("textbox", { name: "E-mail" })).toBeFocused();
    await page.keyboard.type(staff.marina.email);
    await page.keyboard.press("Tab");
    await page.keyboard.type(staff.marina.password);
    await page.keyboard.press("Enter");
    await expect(page.getByRole("heading", { level: 1, name: "Atendimentos" })).toBeVisible();
  });

  await test.step("to the first waiting ticket, and accept", async () => {
    await page.keyboard.press("Alt+2");
    const accept = page.getByRole("button", { name: `Aceitar atendimento de ${customer.name}` });
    // Those who wait longer stand above otherwise.
    await page.getByRole("button", { name: "Ordem da lista: Maior espera" }).focus();
    await page.keyboard.press("Enter");
    await expect(accept).toBeVisible();
    await page.keyboard.press("Alt+ArrowDown");
    await expect(accept).toBeFocused();
    await page.keyboard.press("Alt+a");
    await expect(tickets.composer(page, customer.name)).toBeFocused();
  });

  await test.step("answer in two lines", async () => {
    await page.keyboard.type("Perfeito!");
    await page.keyboard.press("Shift+Enter");
    await page.keyboard.type("Esperamos você");
    await page.keyboard.press("Enter");
    await expect(
      tickets.message(page, "Perfeito!").getByRole("img", { name: "entregue" }),
    ).toBeVisible();
    expect((await customer.messages()).at(-1)?.body).toBe(
      "*Marina Prado:*\nPerfeito!\nEsperamos você",
    );
  });

  await test.step("resolve: asked first, refused, then confirmed", async () => {
    const dialog = page.getByRole("dialog", {
      name: `Resolver o atendimento de ${customer.name}?`,
    });
    await page.keyboard.press("Alt+r");
    await expect(dialog.getByRole("button", { name: "Resolver" })).toBeFocused();
    await page.keyboard.press("Escape");
    await expect(dialog).toBeHidden();
    await expect(tickets.composer(page, customer.name)).toBeFocused();

    await page.keyboard.press("Alt+r");
    await expect(dialog.getByRole("button", { name: "Resolver" })).toBeFocused();
    await page.keyboard.press("Enter");
    await expect(page).toHaveURL("/tickets");
    await expect(tickets.card(page, customer.name)).toHaveCount(0);
    // The next card has the focus, so that the keyboard goes on from there.
    await expect(focusedIn(tickets.list(page))).toHaveCount(1);
    await page.keyboard.press("Alt+3");
    await expect(tickets.card(page, customer.name)).toBeVisible();
  });
});

test("the Tab key starts with the skip links to content, list and composer, and the focus is visible", async ({
  signedIn,
  staff,
  network,
}) => {
  const page = await signedIn(staff.marina);
  const customer = await network.customer("Helena Duarte");
  await customer.writes("Bom dia");
  await showWaiting(page);
  await page.getByRole("button", { name: `Aceitar atendimento de ${customer.name}` }).click();
  await expect(tickets.composer(page, customer.name)).toBeFocused();
  await page.reload();
  await expect(tickets.message(page, "Bom dia")).toBeVisible();

  await skipToContent(page);
  await tabTo(page, page.getByRole("link", { name: "Ir para o campo de mensagem" }));
  await page.keyboard.press("Enter");
  await expect(tickets.composer(page, customer.name)).toBeFocused();

  await page.reload();
  await expect(tickets.message(page, "Bom dia")).toBeVisible();
  await skipToContent(page);
  await tabTo(page, page.getByRole("link", { name: "Ir para a lista de atendimentos" }));
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  await expect(focusedIn(tickets.list(page))).toHaveCount(1);
  expect(await page.evaluate(focusOutlines)).toContain("solid");
});

test("a dialog closed with Escape gives the focus back to the button that opened it", async ({
  signedIn,
  staff,
}) => {
  const page = await signedIn(staff.renata);
  await page.goto("/simulator");
  const opener = page.getByRole("button", { name: "Novo cliente" });
  // The first time its code is fetched as well.
  for (const _time of ["first", "second"]) {
    await opener.press("Enter");
    await expect(page.getByRole("textbox", { name: "Nome" })).toBeFocused();
    await page.keyboard.press("Escape");
    await expect(page.getByRole("dialog")).toBeHidden();
    await expect(opener).toBeFocused();
  }
});

/** The outline of the focused element, or the one drawn over the area that it stretches to. */
function focusOutlines(): string[] {
  const focused = document.activeElement;
  if (!focused) return [];
  return [undefined, "::after"].map((part) => getComputedStyle(focused, part).outlineStyle);
}

function focusedIn(list: Locator): Locator {
  return list.locator(":focus");
}

async function skipToContent(page: Page): Promise<void> {
  await page.keyboard.press("Tab");
  await expect(page.getByRole("link", { name: "Ir para o conteúdo" })).toBeFocused();
  await page.keyboard.press("Enter");
}

/** Presses Tab until the element has the focus, at most as often as there are ways to skip. */
async function tabTo(page: Page, element: Locator): Promise<void> {
  for (let presses = 0; presses < 3; presses += 1) {
    await page.keyboard.press("Tab");
    if (await element.evaluate((node) => node === document.activeElement)) return;
  }
  await expect(element).toBeFocused();
}
