import { randomBytes, randomInt } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Locator, Page } from "@playwright/test";
import { expectNoFindingsInWindows } from "../support/axe.ts";
import { expect, test } from "../support/journey.ts";
import { newMark } from "../support/mark.ts";

/** Enough that an import can be paused. */
const ROWS = 6_000;

test("a spreadsheet is mapped, tried, imported, paused, and goes on after a reload", async ({
  signedIn,
  staff,
}) => {
  const mark = newMark();
  const page = await signedIn(staff.renata);

  await test.step("by keyboard alone to the first step", async () => {
    await page.goto("/contacts");
    await page.getByRole("button", { name: "Importar" }).first().focus();
    await page.keyboard.press("Enter");
    await expect(page.getByRole("menuitem", { name: "De uma planilha" })).toBeFocused();
    await page.keyboard.press("Enter");
    await expect(page.getByRole("heading", { level: 1, name: "Importar contatos" })).toBeVisible();
    await expect(page).toHaveURL(/\/contacts\/import$/);
    await expectNoFindingsInWindows(page, { where: "first step" });
  });

  await test.step("what is no spreadsheet is said below the area", async () => {
    const program = Buffer.concat([Buffer.from("MZ"), randomBytes(2_000)]);
    await choose(page, "clientes.xlsx", program);
    await expect(page.getByRole("alert")).toContainText("Isto não é uma planilha");
    await expectNoFindingsInWindows(page, { where: "refused file" });
  });

  await test.step("the example is saved, and is a spreadsheet that can be imported", async () => {
    const saving = page.waitForEvent("download");
    await page.getByRole("button", { name: "Baixar um exemplo" }).click();
    const file = await saving;
    expect(file.suggestedFilename()).toMatch(/\.xlsx$/);
    await page.locator("input[type=file]").setInputFiles(await file.path());
    await expect(mapping(page)).toBeVisible();
    await page.getByRole("button", { name: "Cancelar" }).click();
    await expect(page).toHaveURL(/\/contacts$/);
  });

  const primary = page.getByRole("button", { name: /^Importar [\d.]+ contatos$/ });
  await test.step("columns are recognised, and the trial says what would happen", async () => {
    await page.goto("/contacts/import");
    await choose(page, "clientes.csv", sheetOf(mark));
    await expect(mapping(page)).toContainText(`José ${mark} 1`);
    await expect(column(page, "Celular")).toHaveValue("number");
    await expect(mapping(page)).toContainText("Falta o DDD");
    await column(page, "Perfil").selectOption("tag");
    await column(page, "Cidade").selectOption("extra");
    await page.getByRole("textbox", { name: /^Nome da informação extra/ }).fill("Município");
    await expect(primary).toBeEnabled();
    await expect(primary).toContainText(ROWS.toLocaleString("pt-BR"));
    await page.getByRole("link", { name: "Falta o DDD" }).click();
    await expect(mapping(page).getByRole("row")).toHaveCount(4);
    await page.reload();
    await expect(column(page, "Cidade")).toHaveValue("extra");
    await expect(primary).toBeEnabled();
    await expectNoFindingsInWindows(page, { where: "columns" });
  });

  await test.step("a target that is used twice is reported at both columns", async () => {
    await column(page, "Cidade").selectOption("name");
    await expect(page.getByText("Já usada em outra coluna")).toHaveCount(2);
    await expect(primary).toBeDisabled();
    await column(page, "Cidade").selectOption("extra");
    await expect(primary).toBeEnabled();
  });

  await test.step("it runs, is paused, and a reload shows it as it was", async () => {
    await primary.click();
    await page.getByRole("button", { name: "Pausar" }).click();
    const heading = page.getByRole("heading", { name: "Importação de clientes.csv pausada" });
    await expect(heading).toBeVisible();
    await page.reload();
    await expect(heading).toBeVisible();
    await expectNoFindingsInWindows(page, { where: "paused import" });
    await page.getByRole("button", { name: "Continuar" }).press("Enter");
    await expect(
      page.getByRole("heading", { name: /^6\.000 contatos importados em \d/ }),
    ).toBeVisible({ timeout: 120_000 });
  });

  await test.step("the refused rows say what to do, and are saved as a file", async () => {
    const refused = page.getByRole("table", { name: "Linhas recusadas" });
    await expect(refused.getByRole("row")).toHaveCount(4);
    await expect(refused).toContainText("Formate como texto");
    await page.getByRole("button", { name: "Falta o DDD 2" }).click();
    await expect(refused.getByRole("row")).toHaveCount(3);
    const saving = page.waitForEvent("download");
    await page.getByRole("button", { name: "Baixar as 3 linhas" }).click();
    expect((await saving).suggestedFilename()).toMatch(/\.xlsx$/);
    await expectNoFindingsInWindows(page, { where: "finished import" });
  });

  await test.step("the contacts stand in the address book, with their tag", async () => {
    await page.getByRole("link", { name: "Ver os contatos" }).click();
    await page.getByRole("searchbox").fill(`${mark} 77`);
    const row = page.getByRole("row").filter({ hasText: new RegExp(`José ${mark} 77\\D`) });
    await expect(row).toContainText(`VIP ${mark}`);
  });
});

test("people are imported into a list from its page", async ({ signedIn, staff }) => {
  const mark = newMark();
  const page = await signedIn(staff.renata);
  await page.goto("/contact-lists");
  await page.getByRole("button", { name: "Adicionar" }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "Nome" }).fill(`Lista ${mark}`);
  await dialog.getByRole("button", { name: "Salvar" }).click();
  await page.getByRole("link", { name: `Lista ${mark}` }).click();
  await page.getByRole("link", { name: "Importar" }).first().click();
  const title = page.getByRole("heading", { level: 1, name: `Importar para Lista ${mark}` });
  await expect(title).toBeVisible();
  await choose(page, "pessoas.csv", Buffer.from(`nome;numero\nLia ${mark};11 98233-1047\n`));
  await page.getByRole("button", { name: "Importar 1 contato" }).click();
  await expect(page.getByRole("heading", { name: /^1 contato importado em/ })).toBeVisible();
  await page.getByRole("button", { name: "Excluir pessoas.csv" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Excluir" }).click();
  await expect(page.getByText("Importação excluída")).toBeVisible();
  await page.getByRole("link", { name: `Lista ${mark}` }).click();
  await expect(page.getByRole("row").filter({ hasText: `Lia ${mark}` })).toBeVisible();
});

test.describe("a crash", () => {
  // The page speaks to nobody while the product is away.
  test.use({ expectedErrors: /net::ERR_|WebSocket connection to/ });

  test("the product is killed in the middle of an import, which is finished with nobody twice", async ({
    signedIn,
    staff,
    product,
    network,
  }) => {
    const mark = newMark();
    const page = await signedIn(staff.renata);
    await page.goto("/contacts/import");
    await choose(page, "clientes.csv", sheetOf(mark));
    await page.getByRole("button", { name: /^Importar [\d.]+ contatos$/ }).click();
    const bar = page.getByRole("progressbar");
    await expect(bar).not.toHaveAttribute("aria-valuenow", "0");
    await product.kill();
    const done = Number(await bar.getAttribute("aria-valuenow"));
    expect(done).toBeLessThan(100);
    await product.restart();
    await expect(
      page.getByRole("heading", { name: /^6\.000 contatos importados em \d/ }),
    ).toBeVisible({ timeout: 120_000 });
    await expect(
      page.getByRole("table", { name: "Linhas recusadas" }).getByRole("row"),
    ).toHaveCount(4);
    const { count } = await network.api("GET /contacts", { query: { searchParam: mark } });
    expect(count).toBe(ROWS);
  });
});

test("a book that is exported, deleted and imported again is the same, as XLSX and as CSV", async ({
  signedIn,
  staff,
  network,
}) => {
  const mark = newMark();
  const page = await signedIn(staff.renata);
  const line = randomInt(70_000_000, 99_000_000);
  const sheet = [
    "nome;numero;email;etiquetas;aceita mensagens;cidade",
    `=Ana ${mark};11 9${line};ana.${mark}@loja.example;"VIP ${mark}, Atacado ${mark}";sim;São Paulo`,
    `"Zé ${mark} ""do Bar; da Praça""";+351 912 345 ${randomInt(100, 999)};;;não;`,
    `Bia ${mark};11 9${line + 1};;Atacado ${mark};sim;Olinda`,
  ];
  await page.goto("/contacts/import");
  await importAs(page, "clientes.csv", Buffer.from(sheet.join("\n")), 3);
  const book = async () => {
    const { contacts } = await network.api("GET /contacts", { query: { searchParam: mark } });
    return contacts.map(({ name, number, email, optOut, tags }) => ({
      ...{ name, number, email, isOut: optOut !== null, tags: tags.map((tag) => tag.name) },
    }));
  };
  const before = await book();
  expect(before).toHaveLength(3);

  for (const kind of [/xlsx/i, /csv/i]) {
    await test.step(`as ${kind.source}`, async () => {
      await page.goto(`/contacts?search=${mark}`);
      await expect(page.getByRole("row")).toHaveCount(4);
      const coming = page.waitForEvent("download");
      await page.getByRole("button", { name: "Exportar" }).click();
      await page.getByRole("menuitem", { name: kind }).click();
      const file = await coming;
      const content = await readFile(await file.path());
      await page.getByRole("checkbox", { name: "Selecionar as linhas carregadas" }).check();
      await page.getByRole("toolbar").getByRole("button", { name: "Excluir" }).click();
      const question = page.getByRole("dialog", { name: "Excluir 3 contatos?" });
      await question.getByRole("button", { name: "Excluir" }).click();
      await expect(page.getByText("3 contatos excluídos")).toBeVisible();
      expect(await book()).toEqual([]);
      await page.goto("/contacts/import");
      await importAs(page, file.suggestedFilename(), content, 3);
      expect(await book()).toEqual(before);
      const bia = await network.api("GET /contacts", { query: { searchParam: `Bia ${mark}` } });
      const contactId = bia.contacts[0]?.id ?? 0;
      const { extraInfo } = await network.api("GET /contacts/:contactId", {
        params: { contactId },
      });
      expect(extraInfo.map(({ name, value }) => [name, value])).toEqual([["cidade", "Olinda"]]);
    });
  }
});

/** Imports a file whose column "cidade" is additional information. */
async function importAs(page: Page, name: string, content: Buffer, count: number): Promise<void> {
  await choose(page, name, content);
  await column(page, "cidade").selectOption("extra");
  await page.getByRole("button", { name: `Importar ${count} contatos` }).click();
  await expect(
    page.getByRole("heading", { name: new RegExp(`^${count} contatos importados em`) }),
  ).toBeVisible();
}

const mapping = (page: Page): Locator => page.getByRole("table", { name: "Colunas da planilha" });

const column = (page: Page, title: string): Locator =>
  page.getByRole("combobox", { name: new RegExp(`^Coluna [A-Z], ${title}`) });

async function choose(page: Page, name: string, buffer: Buffer): Promise<void> {
  const mimeType = "application/octet-stream";
  await page.locator("input[type=file]").setInputFiles({ name, mimeType, buffer });
}

/** Rows in the encoding of older programs, and three that are refused. */
function sheetOf(mark: string): Buffer {
  const base = randomBytes(3).readUIntBE(0, 3) % 9_000_000;
  const numberOf = (index: number): string => `11 9${String(60_000_000 + base + index)}`;
  const rows = Array.from(
    { length: ROWS },
    (_, index) => `José ${mark} ${index + 1};${numberOf(index)};VIP ${mark};São Paulo`,
  );
  rows.splice(2, 0, "Ana;8877-4102;;", "Bia;5,51199E+12;;", "Caio;3255-0144;;");
  return Buffer.from(["Nome;Celular;Perfil;Cidade", ...rows, ""].join("\r\n"), "latin1");
}
