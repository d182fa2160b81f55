import { readFile } from "node:fs/promises";
import type { Locator, Page } from "@playwright/test";
import {
  expectNoFindings,
  expectNoFindingsInWindows,
  narrow,
  wide,
  windows,
} from "../support/axe.ts";
import { expect, test } from "../support/journey.ts";
import { acceptWaiting, answer, tickets } from "../support/screens.ts";

test("the dashboard is the admin's home: live now, every number leads to its attendances and back, saved as a spreadsheet, and on the wall", async ({
  signedIn,
  staff,
  network,
}) => {
  const customer = await network.customer("Iara Prates");
  const admin = await signedIn(staff.renata);
  const agent = await signedIn(staff.marina);

  await test.step("an admin comes home to it, an agent to the tickets", async () => {
    await admin.goto("/");
    await expect(admin.getByRole("heading", { level: 1, name: "Painel" })).toBeVisible();
    await expect(admin).toHaveURL("/");
    await expect(
      admin.getByRole("navigation").getByRole("link", { name: "Painel" }),
    ).toHaveAttribute("aria-current", "page");
    await agent.goto("/");
    await expect(agent).toHaveURL("/tickets");
    await expect(agent.getByRole("link", { name: "Painel" })).toHaveCount(0);
  });

  await test.step("who writes is counted at once, and who is accepted waits no longer", async () => {
    const waiting = await countOf(admin, "aguardando");
    await customer.writes("Vocês têm azul?");
    await expect.poll(() => countOf(admin, "aguardando")).toBe(waiting + 1);
    await acceptWaiting(agent, customer.name);
    await answer(agent, customer.name, "Temos sim");
    await expect(tickets.message(agent, "Temos sim")).toBeVisible();
    await expect.poll(() => countOf(admin, "aguardando")).toBe(waiting);
    const resolved = await countOf(admin, "finalizados hoje");
    const { id } = await customer.ticket();
    const params = { ticketId: id };
    await network.api("PUT /tickets/:ticketId", { params, body: { status: "closed" } });
    await expect.poll(() => countOf(admin, "finalizados hoje")).toBe(resolved + 1);
  });

  await test.step("Filtrar reads the period again; its number leads to as many attendances, and Back returns", async () => {
    const form = admin.getByRole("form", { name: "Filtro" });
    await form.getByRole("combobox", { name: "Período" }).selectOption("3");
    await form.getByRole("button", { name: "Atendente: todos" }).click();
    await admin.getByRole("menuitemcheckbox", { name: "Marina Prado" }).click();
    await admin.keyboard.press("Escape");
    await form.getByRole("button", { name: "Filtrar" }).click();
    await expect.poll(() => filterOf(admin)).toMatchObject({ days: 3 });
    const home = admin.url();
    // The numbers of the filter before stay until those of this one have come.
    await expect(admin.locator("[aria-busy=true]")).toHaveCount(0);
    const attendants = admin.getByRole("region", { name: "Atendentes", exact: true });
    await expect(attendants.getByRole("row", { name: /Marina Prado/ })).toBeVisible();
    const count = await countOf(admin, "finalizados");
    expect(count).toBeGreaterThan(0);
    await figure(admin, "finalizados").click();
    await expect(admin.getByRole("heading", { level: 1, name: /Relatórios/ })).toContainText(
      String(count),
    );
    expect(filterOf(admin)).toMatchObject({ days: 3, state: "resolved" });
    await expect(admin.getByRole("row", { name: new RegExp(customer.name) })).toContainText(
      "Finalizado",
    );
    await admin.goBack();
    await expect(admin).toHaveURL(home);
    await expect(figure(admin, "finalizados")).toBeVisible();
  });

  await test.step("charts are walked through by keyboard, and a bar opens its day", async () => {
    const chart = admin.getByRole("region", { name: "Atendimentos por dia" });
    await chart.getByRole("button", { name: "Ver como tabela" }).focus();
    await admin.keyboard.press("Tab");
    const today = chart.getByRole("link").last();
    await expect(today).toBeFocused();
    await admin.keyboard.press("ArrowLeft");
    await expect(today).not.toBeFocused();
    await admin.keyboard.press("End");
    const { value, name } = await barOf(today);
    expect(value, name).toBeGreaterThan(0);
    await admin.keyboard.press("Enter");
    await expect(admin.getByRole("heading", { level: 1, name: /Relatórios/ })).toContainText(
      String(value),
    );
    await admin.goBack();
  });

  await test.step("reversed dates are refused at the field, and nothing is read", async () => {
    const form = admin.getByRole("form", { name: "Filtro" });
    await form.getByText("Por data").click();
    await form.getByLabel("Data final").fill("2020-01-01");
    await form.getByRole("button", { name: "Filtrar" }).click();
    await expect(form.getByText("A data final vem antes da inicial")).toBeVisible();
    await expect(form.getByLabel("Data final")).toBeFocused();
    expect(filterOf(admin)).toMatchObject({ days: 3 });
  });

  await test.step("the figures and the attendances behind them are saved with their filter", async () => {
    const figures = await saved(admin);
    expect(figures).toContain("Marina Prado");
    await figure(admin, "finalizados").click();
    await expect(admin.getByRole("row", { name: new RegExp(customer.name) })).toBeVisible();
    const report = await saved(admin);
    expect(report).toContain("Marina Prado");
    expect(report).toContain(customer.name);
    await admin.getByRole("searchbox").fill(customer.name);
    await expect(admin.getByRole("heading", { level: 1, name: /Relatórios 1$/ })).toBeVisible();
    await admin.getByRole("link", { name: customer.name }).click();
    await expect(admin).toHaveURL(/\/tickets\/[0-9a-f-]{36}$/);
  });

  await test.step("the wall is live, hides names, and Esc leaves it", async () => {
    await admin.setViewportSize({ width: 1920, height: 1080 });
    await admin.goto("/");
    await admin.getByRole("button", { name: "Tela de parede" }).click();
    await expect(admin).toHaveURL("/wall");
    const waiting = admin.getByRole("region", { name: "Números de agora" }).locator("p").first();
    await expect(waiting).toBeVisible();
    const before = Number(await waiting.innerText());
    const other = await network.customer("Quésia Leal");
    await other.writes("Bom dia");
    await expect(waiting).toHaveText(String(before + 1));
    await admin.mouse.move(600, 500);
    await admin.getByRole("button", { name: "Esconder nomes de clientes" }).click();
    await expect(admin).toHaveURL("/wall?names=off");
    await expect(admin.getByRole("link")).toHaveCount(0);
    await expectNoFindings(admin, { where: "the wall" });
    await admin.keyboard.press("Escape");
    await expect(admin.getByRole("heading", { level: 1, name: "Painel" })).toBeVisible();
  });
});

test.describe("with another profile", () => {
  // The change of a profile ends the older tokens: the window renews its own after a refusal; the second change may end it while it closes.
  test.use({ expectedErrors: /403 \(Forbidden\)|401 \(Unauthorized\)/ });

  test("a supervisor reads reports, and no dashboard", async ({ signedIn, staff, network }) => {
    const { users } = await network.api("GET /users", { query: { searchParam: staff.caio.email } });
    const [caio] = users;
    if (!caio) throw new Error("the demo company has no Caio");
    const profile = (name: "supervisor" | "user") =>
      network.api("PUT /users/:userId", { params: { userId: caio.id }, body: { profile: name } });
    await profile("supervisor");
    try {
      const page = await signedIn(staff.caio);
      await page.getByRole("link", { name: "Relatórios" }).click();
      await expect(page.getByRole("heading", { level: 1, name: /Relatórios/ })).toBeVisible();
      await page.goto("/");
      await expect(page).toHaveURL("/tickets");
      await page.goto("/wall");
      await expect(page).toHaveURL("/tickets");
    } finally {
      await profile("user");
    }
  });
});

test("dashboard and reports have no accessibility fault", async ({ signedIn, staff }) => {
  const page = await signedIn(staff.renata);
  const sizes = [...windows, { width: 2560, height: 1440 }];
  const look = (where: string): Promise<void> => expectNoFindingsInWindows(page, { where }, sizes);
  await page.goto("/");
  await expect(figure(page, "finalizados")).toBeVisible();
  await look("dashboard");
  // The name of a pressed one is another.
  const tables = page.getByRole("button", { name: "Ver como tabela" });
  while ((await tables.count()) > 0) await tables.first().click();
  await look("tables");
  await page.setViewportSize(narrow);
  await page.getByRole("button", { name: "Filtro" }).click();
  const sheet = page.getByRole("dialog", { name: "Filtro" });
  await expect(sheet.getByRole("button", { name: "Filtrar" })).toBeVisible();
  await expectNoFindings(page, { where: "filter" });
  await page.keyboard.press("Escape");
  await page.setViewportSize(wide);
  await page.goto("/reports");
  await expect(page.getByRole("row").nth(1)).toBeVisible();
  await look("reports");
  await page.getByRole("button", { name: /^Período/ }).click();
  await expect(page.getByRole("menuitemradio", { name: "Últimos 30 dias" })).toBeVisible();
  await expectNoFindingsInWindows(page, { where: "period of a report", within: "[role=menu]" });
});

/** The link of a figure: "486 finalizados, abrir atendimentos". */
const figure = (page: Page, name: string): Locator =>
  page.getByRole("link", { name: new RegExp(`^[\\d.]+ ${name}, abrir`) });

async function countOf(page: Page, name: string): Promise<number> {
  return numberIn(await figure(page, name).innerText());
}

async function barOf(bar: Locator): Promise<{ value: number; name: string }> {
  const name = (await bar.locator(".bc-hidden-text").textContent()) ?? "";
  return { name, value: numberIn(/: ([\d.]+)/.exec(name)?.[1] ?? "") };
}

const numberIn = (text: string): number => Number(text.replaceAll(".", ""));

/** The filter in the address. */
function filterOf(page: Page): unknown {
  return JSON.parse(new URL(page.url()).searchParams.get("filter") ?? "{}");
}

/** What the page saves as CSV. */
async function saved(page: Page): Promise<string> {
  const coming = page.waitForEvent("download");
  await page.getByRole("button", { name: "Exportar" }).click();
  await page.getByRole("menuitem", { name: /\.csv/ }).click();
  return await readFile(await (await coming).path(), "utf8");
}
