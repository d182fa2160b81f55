import type { Locator, Page } from "@playwright/test";
import { expectNoFindings, windows } from "../support/axe.ts";
import { expect, test } from "../support/journey.ts";
import { newMark } from "../support/mark.ts";
import { tickets } from "../support/screens.ts";

const lane = (page: Page, name: string): Locator =>
  page.getByRole("region", { name: new RegExp(`^${name}, \\d+ atendimentos?$`) });
const cardIn = (page: Page, laneName: string, customer: string): Locator =>
  lane(page, laneName).getByRole("article").filter({ hasText: customer });
const name = (page: Page, customer: string): Locator =>
  page.getByRole("button", { name: new RegExp(`^${customer}, atendimento`) });

/** Drags a card onto a lane with the mouse, in steps as a hand does. */
async function drag(page: Page, card: Locator, to: Locator): Promise<void> {
  const [from, target] = [await card.boundingBox(), await to.boundingBox()];
  if (!from || !target) throw new Error("the card or the lane is not on the screen");
  await page.mouse.move(from.x + 60, from.y + 30);
  await page.mouse.down();
  await page.mouse.move(from.x + 80, from.y + 40, { steps: 4 });
  await page.mouse.move(target.x + target.width / 2, target.y + 120, { steps: 12 });
  await expect(to).toHaveAttribute("data-over", "true");
  await page.mouse.up();
}

// The slower one of two movers is refused.
test.use({ expectedErrors: /status of 409 .*\/api\/kanban\/cards/ });

test("two people work on one board: by mouse, by keyboard, in the panel, and at the same time", async ({
  signedIn,
  staff,
  network,
}) => {
  const mark = newMark();
  const [budget, payment] = [`Orçamento ${mark}`, `Pagamento ${mark}`];
  const admin = await signedIn(staff.renata);
  const marina = await signedIn(staff.marina);
  const customer = await network.customer(`Bianca ${mark}`);
  const other = await network.customer(`Rogério ${mark}`);
  for (const one of [customer, other]) {
    await one.writes("Qual o valor do frete?");
    await network.moveToQueue(await one.ticket(), "Suporte");
  }

  await test.step("columns are made of tags, and the board has them at once", async () => {
    await admin.getByRole("link", { name: "Kanban", exact: true }).click();
    await expect(cardIn(admin, "Em aberto", customer.name)).toContainText("Qual o valor do frete?");
    for (const [tagName, color] of [
      [budget, "#3b82c4"],
      [payment, "#c2762b"],
    ] as const) {
      await network.api("POST /tags", { body: { name: tagName, color, kanban: 1 } });
      await expect(lane(admin, tagName)).toContainText("Arraste um atendimento para cá");
    }
    await marina.goto(`/kanban?search=${mark}`);
    await expect(lane(marina, "Em aberto").getByRole("article")).toHaveCount(2);
    await admin.goto(`/kanban?search=${mark}`);
    await expect(lane(admin, "Em aberto").getByRole("article")).toHaveCount(2);
  });

  await test.step("a card is dragged with the mouse, and a colleague sees it in its new column", async () => {
    await drag(admin, cardIn(admin, "Em aberto", customer.name), lane(admin, budget));
    await expect(admin.getByText(`Atendimento movido para ${budget}`)).toBeVisible();
    await expect(cardIn(admin, budget, customer.name)).toBeVisible();
    await expect(cardIn(marina, budget, customer.name)).toBeVisible();
    await expect(lane(marina, "Em aberto").getByRole("article")).toHaveCount(1);
  });

  await test.step("by keyboard alone: lifted, put back, moved two columns and dropped", async () => {
    await name(marina, other.name).focus();
    await marina.keyboard.press("Space");
    await marina.keyboard.press("ArrowRight");
    const status = marina.getByRole("status").filter({ hasText: `${other.name} em ${budget}` });
    await expect(status).toContainText("Esc");
    await marina.keyboard.press("Escape");
    await expect(cardIn(marina, "Em aberto", other.name)).toBeVisible();
    await marina.keyboard.press("Space");
    await marina.keyboard.press("ArrowRight");
    await marina.keyboard.press("ArrowRight");
    await marina.keyboard.press("Space");
    await expect(cardIn(marina, payment, other.name)).toBeVisible();
    await expect(name(marina, other.name)).toBeFocused();
    await expect(cardIn(admin, payment, other.name)).toBeVisible();
  });

  await test.step("the slower one of two movers is told who was first", async () => {
    // The colleague has not heard of it yet: her move is on its way while the other one is done.
    const { id: ticketId } = await other.ticket();
    await marina.route("**/api/kanban/cards/*", async (route) => {
      const tags = await network.api("GET /tags/list", { query: { searchParam: budget } });
      const body = { from: await idOf(payment), to: tags[0]?.id ?? null };
      await network.api("PUT /kanban/cards/:ticketId", { params: { ticketId }, body });
      await route.continue();
    });
    await marina.getByRole("button", { name: `Mais opções de ${other.name}` }).click();
    await marina.getByRole("menuitemradio", { name: "Em aberto" }).click();
    await expect(marina.getByText(`moveu este atendimento antes para ${budget}`)).toBeVisible();
    await expect(cardIn(marina, budget, other.name)).toBeVisible();
    await marina.unroute("**/api/kanban/cards/*");
  });

  async function idOf(tagName: string): Promise<number | null> {
    const tags = await network.api("GET /tags/list", { query: { searchParam: tagName } });
    return tags[0]?.id ?? null;
  }

  await test.step("the panel answers the customer and moves the card; Esc gives the focus back", async () => {
    await name(marina, customer.name).click();
    const panel = marina.getByRole("complementary", { name: "Conversa" });
    await panel.getByRole("button", { name: "Aceitar" }).click();
    const composer = tickets.composer(marina, customer.name);
    await composer.fill("São 20 reais.");
    await composer.press("Enter");
    await expect(tickets.message(marina, "São 20 reais.")).toBeVisible();
    await expect(cardIn(marina, budget, customer.name)).toContainText("São 20 reais.");
    await panel.getByRole("button", { name: `Etapa: ${budget}` }).click();
    await marina.getByRole("menuitemradio", { name: payment }).click();
    await expect(panel.getByRole("button", { name: `Etapa: ${payment}` })).toBeVisible();
    await expect(cardIn(admin, payment, customer.name)).toBeVisible();
    await expect(marina.getByRole("menu")).toHaveCount(0);
    await composer.focus();
    await marina.keyboard.press("Escape");
    await expect(panel).toHaveCount(0);
    await expect(name(marina, customer.name)).toBeFocused();
  });

  for (const viewport of windows.concat({ width: 2560, height: 1440 })) {
    await test.step(`no accessibility fault at ${viewport.width} px, with and without the panel`, async () => {
      await marina.setViewportSize(viewport);
      await marina.goto(`/kanban?search=${mark}`);
      if (viewport.width < 600) await marina.getByRole("button", { name: payment }).click();
      await expect(cardIn(marina, payment, customer.name)).toBeVisible();
      await expectNoFindings(marina, { where: `board at ${viewport.width}` });
      await name(marina, customer.name).click();
      await expect(tickets.composer(marina, customer.name)).toBeVisible();
      await expectNoFindings(marina, { where: `panel at ${viewport.width}` });
      const isWide = await marina.evaluate(
        () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
      );
      expect(isWide, "the page itself scrolls sideways").toBe(false);
    });
  }
  await marina.setViewportSize({ width: 1440, height: 900 });

  await test.step("an admin orders the columns; a colleague's board follows", async () => {
    await admin.getByRole("button", { name: "Ordenar colunas" }).click();
    await admin.getByRole("button", { name: `Mover a coluna ${payment} com as setas` }).focus();
    await admin.keyboard.press("ArrowLeft");
    await admin.getByRole("button", { name: "Concluir" }).click();
    await marina.goto(`/kanban?search=${mark}`);
    const headings = (page: Page) => page.getByRole("heading", { level: 2 }).allInnerTexts();
    for (const page of [admin, marina]) {
      await expect
        .poll(async () => (await headings(page)).map((text) => text.replace(/\s+\d+$/, "")))
        .toEqual(expect.arrayContaining([payment, budget]));
      const order = (await headings(page)).map((text) => text.replace(/\s+\d+$/, ""));
      expect(order.indexOf(payment)).toBeLessThan(order.indexOf(budget));
    }
  });

  await test.step("a deleted tag takes its column along, and its cards stand in the first one", async () => {
    const tagId = await idOf(payment);
    if (tagId === null) throw new Error("the tag is not there");
    await network.api("DELETE /tags/:tagId", { params: { tagId }, query: {} });
    await expect(marina.getByText(new RegExp(`A coluna ${payment} saiu do quadro`))).toBeVisible();
    await expect(lane(marina, payment)).toHaveCount(0);
    await expect(cardIn(marina, "Em aberto", customer.name)).toBeVisible();
  });

  await test.step("a resolved ticket leaves the board, and is back when that is undone", async () => {
    await name(marina, customer.name).click();
    const panel = marina.getByRole("complementary", { name: "Conversa" });
    await panel.getByRole("button", { name: "Resolver", exact: true }).click();
    await expect(panel).toHaveCount(0);
    await expect(name(marina, customer.name)).toHaveCount(0);
    await marina.getByRole("button", { name: "Desfazer", exact: true }).click();
    await expect(cardIn(marina, "Em aberto", customer.name)).toBeVisible();
  });
});
