import type { Locator, Page } from "@playwright/test";
import { expect, test } from "../support/journey.ts";
import { newMark } from "../support/mark.ts";

/** A Tuesday in the middle of the month after next, so that every day of the journey is ahead. */
function aTuesday(): Date {
  const now = new Date();
  const day = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 2, 8));
  while (day.getUTCDay() !== 2) day.setUTCDate(day.getUTCDate() + 1);
  return day;
}

const tuesday = aTuesday();
const dayAfter = (days: number): string =>
  new Date(tuesday.getTime() + days * 86_400_000).toISOString().slice(0, 10);
const dayMonth = (days: number): string =>
  dayAfter(days).split("-").slice(1).toReversed().join("/");

test("the calendar: a new message that repeats, drags, undo, series, search and keyboard", async ({
  signedIn,
  staff,
  network,
}) => {
  const mark = newMark();
  const customer = await network.customer("Bianca Moreira");
  const other = await network.customer("Otávio Ramos");
  for (const one of [customer, other]) await one.writes("Bom dia");
  const { contactId } = await customer.ticket();
  const { contactId: otherId } = await other.ticket();
  const admin = await signedIn(staff.renata);
  const agent = await signedIn(staff.marina);

  await test.step("N begins a message on the chosen day; it repeats every week", async () => {
    await admin.goto(`/schedules?date=${dayAfter(0)}`);
    await expect(grid(admin)).toBeVisible();
    await admin.keyboard.press("n");
    const dialog = admin.getByRole("dialog", { name: "Agendar mensagem" });
    await dialog.getByRole("combobox", { name: "Contato" }).fill(customer.name);
    await admin.getByRole("option", { name: customer.name }).click();
    await dialog.getByRole("textbox", { name: "Mensagem" }).fill("Reposição da semana");
    await expect(dialog.getByLabel("Enviar em")).toHaveValue(`${dayAfter(0)}T09:00`);
    await dialog.getByLabel("Repetir").selectOption("Toda semana");
    await dialog.getByLabel("Até").fill(dayAfter(14));
    await expect(dialog.getByText("3 envios")).toBeVisible();
    await expect(dialog.getByText(dayMonth(7), { exact: true })).toBeVisible();
    await dialog.getByRole("button", { name: "Agendar" }).click();
    await expect(dialog).toHaveCount(0);
    for (const days of [0, 7]) await expect(entries(admin, days, customer.name)).toHaveCount(1);
  });

  await test.step("what a colleague schedules comes by itself", async () => {
    await agent.goto(`/schedules?contactId=${otherId}`);
    const dialog = agent.getByRole("dialog", { name: "Agendar mensagem" });
    await dialog.getByRole("textbox", { name: "Mensagem" }).fill(`Seu pedido ${mark} chegou?`);
    await dialog.getByLabel("Enviar em").fill(`${dayAfter(1)}T16:00`);
    await dialog.getByRole("button", { name: "Agendar" }).click();
    await expect(entries(admin, 1, other.name)).toHaveCount(1);
    // Agents see their own.
    await agent.goto(`/schedules?date=${dayAfter(0)}`);
    await expect(entries(agent, 1, other.name)).toHaveCount(1);
    await expect(entries(agent, 0, customer.name)).toHaveCount(0);
  });

  await test.step("a message is dragged to another day, and back by undo", async () => {
    await drag(admin, entries(admin, 1, other.name), day(admin, 3));
    await expect(admin.getByText(/Movida para Sexta, .* às 16:00/)).toBeVisible();
    await expect(entries(admin, 3, other.name)).toHaveCount(1);
    await admin.getByRole("button", { name: /Desfazer/ }).click();
    await expect(entries(admin, 1, other.name)).toHaveCount(1);
    await expect(entries(admin, 3, other.name)).toHaveCount(0);
  });

  await test.step("Escape ends a drag where it began", async () => {
    await lift(admin, entries(admin, 1, other.name), day(admin, 3));
    await admin.keyboard.press("Escape");
    await admin.mouse.up();
    await expect(entries(admin, 1, other.name)).toHaveCount(1);
    await expect(entries(admin, 3, other.name)).toHaveCount(0);
  });

  await test.step("a message of a series takes the following ones along, if that is wanted", async () => {
    await drag(admin, entries(admin, 0, customer.name), day(admin, 2));
    const question = admin.getByRole("dialog", { name: /Mover para Quinta/ });
    await question.getByText("Esta e as próximas").click();
    await question.getByRole("button", { name: "Mover" }).click();
    for (const days of [2, 9]) await expect(entries(admin, days, customer.name)).toHaveCount(1);
    await expect(entries(admin, 7, customer.name)).toHaveCount(0);
  });

  await test.step("a card tells the whole, and deletes this and the following", async () => {
    await entries(admin, 9, customer.name).click();
    const card = admin.getByRole("dialog", { name: `Mensagem para ${customer.name}` });
    await expect(card).toContainText("Reposição da semana");
    await expect(card).toContainText("Toda semana");
    await card.getByRole("button", { name: "Excluir" }).click();
    const question = admin.getByRole("dialog", {
      name: `Excluir a mensagem para ${customer.name}?`,
    });
    await question.getByText("Esta e as próximas").click();
    await question.getByRole("button", { name: "Excluir" }).click();
    await expect(entries(admin, 9, customer.name)).toHaveCount(0);
    await expect(entries(admin, 2, customer.name)).toHaveCount(1);
    const { schedules } = await network.api("GET /schedules", { query: { contactId } });
    expect(schedules.map(({ sendAt }) => sendAt.slice(0, 10))).toEqual([dayAfter(2)]);
  });

  await test.step("the keyboard changes view and day, and Enter opens a message", async () => {
    await admin.keyboard.press("s");
    await expect(pressedView(admin)).toHaveText("Semana");
    await admin.keyboard.press("ArrowRight");
    await admin.keyboard.press("d");
    await expect(admin.getByRole("heading", { name: /^Quarta/ })).toBeVisible();
    await entry(admin, other.name).focus();
    await admin.keyboard.press("Enter");
    const dialog = admin.getByRole("dialog", { name: "Mensagem agendada · Pendente" });
    await dialog.getByLabel("Enviar em").fill(`${dayAfter(1)}T10:30`);
    await dialog.getByRole("button", { name: "Agendar" }).click();
    await expect(entry(admin, other.name)).toContainText("10:30");
    await admin.keyboard.press("a");
    await expect(admin.getByRole("button", { name: `Seu pedido ${mark}` })).toBeVisible();
    await admin.keyboard.press("m");
  });

  await test.step("the search goes over all dates, the counts are filters", async () => {
    await admin.getByRole("searchbox").fill(`pedido ${mark}`);
    await expect(admin.getByRole("button", { name: `Seu pedido ${mark}` })).toHaveCount(1);
    await admin.getByRole("searchbox").fill("");
    await expect(entries(admin, 1, other.name)).toHaveCount(1);
    await admin
      .getByRole("button", { name: /enviadas$/ })
      .first()
      .click();
    await expect(entries(admin, 1, other.name)).toHaveCount(0);
    await admin.reload();
    await expect(admin.getByRole("button", { name: /pendentes/ })).toBeVisible();
    await expect(entries(admin, 1, other.name)).toHaveCount(0);
  });
});

const grid = (page: Page): Locator => page.getByRole("region", { name: "Calendário" });
/** The cell of a day of the month. */
const day = (page: Page, days: number): Locator =>
  grid(page).locator(`[data-date="${dayAfter(days)}"]`);
const entry = (page: Page, name: string): Locator => grid(page).getByRole("button", { name });
const pressedView = (page: Page): Locator =>
  page.getByRole("group", { name: "Visualização" }).locator("[aria-pressed=true]");

/** The entries whose middle is in the cell of a day: the library draws them over the cells. */
function entries(page: Page, days: number, name: string): Locator {
  return day(page, days).getByRole("button").filter({ hasText: name });
}

/** Takes an entry with the mouse over a day. */
async function lift(page: Page, from: Locator, to: Locator): Promise<void> {
  const start = await middle(from);
  const end = await middle(to);
  await page.mouse.move(start.x, start.y);
  await page.mouse.down();
  await page.mouse.move(start.x + 8, start.y + 8, { steps: 3 });
  await page.mouse.move(end.x, end.y, { steps: 8 });
}

async function drag(page: Page, from: Locator, to: Locator): Promise<void> {
  await lift(page, from, to);
  await page.mouse.up();
}

async function middle(of: Locator): Promise<{ x: number; y: number }> {
  const box = await of.boundingBox();
  if (!box) throw new Error("it is not on the screen");
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}
