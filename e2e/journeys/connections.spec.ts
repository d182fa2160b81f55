import type { Locator, Page } from "@playwright/test";
import { expectNoFindingsInWindows, narrow, wide } from "../support/axe.ts";
import { anotherWindow, expect, signIn, test } from "../support/journey.ts";
import { newMark } from "../support/mark.ts";
import type { Network } from "../support/network.ts";
import { expectToastApart } from "../support/screens.ts";

const row = (page: Page, name: string): Locator =>
  page.getByRole("row").filter({ has: page.getByText(name, { exact: true }) });
const press = (page: Page, action: string, name: string): Promise<void> =>
  row(page, name)
    .getByRole("button", { name: `${action}: ${name}` })
    .click();
const code = (page: Page, name: string): Locator =>
  page.getByRole("img", { name: `QR code para conectar ${name}` });
const unique = (name: string): string => `${name} ${newMark()}`;

/** Makes a simulated connection by the dialog; its code is on the screen afterwards. */
async function add(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name: "Adicionar" }).first().click();
  const dialog = page.getByRole("dialog", { name: "Nova conexão" });
  await dialog.getByRole("textbox", { name: "Nome" }).fill(name);
  await dialog.getByText("Simulador", { exact: true }).click();
  await dialog.getByRole("button", { name: "Salvar" }).click();
  await expect(page.getByText("Conexão salva com sucesso")).toBeVisible();
  await expect(code(page, name)).toBeVisible();
}

async function idOf(network: Network, name: string): Promise<number> {
  const connections = await network.api("GET /simulator/connections");
  const found = connections.find((connection) => connection.name === name);
  if (!found) throw new Error(`no connection ${name}`);
  return found.id;
}

/** The company's phone scans what is on the screen now. */
async function scan(network: Network, name: string): Promise<void> {
  const connectionId = await idOf(network, name);
  await expect
    .poll(async () => {
      const connections = await network.api("GET /simulator/connections");
      const shown = connections.find(({ id }) => id === connectionId)?.qrcode ?? "";
      if (shown === "") return "no code";
      const path = "POST /simulator/connections/:connectionId/scan" as const;
      await network.api(path, { params: { connectionId }, body: { code: shown } });
      return "scanned";
    })
    .toBe("scanned");
}

async function remove(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name: `Excluir ${name}` }).click();
  const question = page.getByRole("dialog", { name: `Excluir a conexão ${name}?` });
  await question.getByRole("button", { name: "Excluir" }).click();
  await expect(row(page, name)).toHaveCount(0);
}

test("a connection is added, linked by its code, lost, tried again, linked anew, disconnected and deleted", async ({
  signedIn,
  staff,
  network,
}) => {
  const page = await signedIn(staff.renata);
  const name = unique("Filial Santos");
  const menu = page.getByRole("navigation", { name: "Menu principal" });
  const entry = menu.getByRole("link", { name: /^Conexões/ });
  await entry.click();
  await expect(page.getByRole("heading", { level: 1, name: /^Conexões/ })).toBeVisible();

  await test.step("a name is needed; the new one shows its code", async () => {
    await page.getByRole("button", { name: "Adicionar" }).first().click();
    const dialog = page.getByRole("dialog", { name: "Nova conexão" });
    await dialog.getByRole("button", { name: "Salvar" }).click();
    await expect(dialog.getByText("Obrigatório")).toBeVisible();
    await expect(dialog.getByRole("textbox", { name: "Nome" })).toBeFocused();
    await page.keyboard.press("Escape");
    await add(page, name);
    await expect(page.getByText("Conexão salva com sucesso")).toBeVisible();
    await expect(row(page, name)).toContainText("Aguardando leitura");
  });

  await test.step("scanned, the dialog closes by itself and says so", async () => {
    await scan(network, name);
    await expect(page.getByText(`${name} conectada`)).toBeVisible();
    await expect(page.getByRole("dialog")).toHaveCount(0);
    await expect(row(page, name)).toContainText("Conectada");
    await expect(row(page, name)).toContainText("Hoje, ");
  });

  await test.step("unlinked on the phone, the row says why and the menu warns", async () => {
    const params = { connectionId: await idOf(network, name) };
    await network.api("POST /simulator/connections/:connectionId/unlink", { params });
    await expect(row(page, name)).toContainText("Desconectada");
    await expect(row(page, name)).toContainText("Desconectada pelo celular");
    await expect(entry.getByText("há uma conexão com problema")).toBeAttached();
  });

  await test.step("tried again without a link, there is a code to scan", async () => {
    await press(page, "Tentar novamente", name);
    await press(page, "QR code", name);
    await expect(code(page, name)).toBeVisible();
    await scan(network, name);
    await expect(row(page, name)).toContainText("Conectada");
    await expect(page.getByRole("dialog")).toHaveCount(0);
    await expect(entry.getByText("há uma conexão com problema")).toHaveCount(0);
  });

  await test.step("disconnected after a question, with the focus back on the page", async () => {
    await press(page, "Desconectar", name);
    const question = page.getByRole("dialog", { name: `Desconectar ${name}?` });
    await question.getByRole("button", { name: "Cancelar" }).click();
    await expect(
      row(page, name).getByRole("button", { name: `Desconectar: ${name}` }),
    ).toBeFocused();
    await press(page, "Desconectar", name);
    await question.getByRole("button", { name: "Desconectar" }).click();
    await expect(row(page, name)).toContainText("Desconectada por um administrador");
  });

  await test.step("with a new code, which the simulator's page scans, it is linked again", async () => {
    await press(page, "Novo QR code", name);
    await expect(code(page, name)).toBeVisible();
    const phone = await anotherWindow(page);
    await phone.goto("/simulator");
    await phone.getByRole("combobox", { name: "Conexão" }).selectOption({ label: name });
    await phone.getByRole("button", { name: "Ler o QR code" }).click();
    await expect(page.getByText(`${name} conectada`)).toBeVisible();
    await expect(page.getByRole("dialog")).toHaveCount(0);
    await phone.close();
  });

  await test.step("deleted after a question", async () => {
    await remove(page, name);
    await expect(page.getByText("Conexão excluída com sucesso")).toBeVisible();
  });
});

test.describe("the default connection", () => {
  test.use({ expectedErrors: /status of 400 .*\/api\/whatsapp/ });

  test("is always exactly one: another connection takes it over, also after a deletion", async ({
    signedIn,
    staff,
  }) => {
    const page = await signedIn(staff.renata);
    const name = unique("Quiosque");
    await page.goto("/connections");
    const former = page.getByRole("row").filter({ hasText: "Padrão" });
    await expect(former).toBeVisible();
    const formerName = (await former.getByRole("rowheader").innerText()).split("\n")[0] ?? "";
    await add(page, name);
    await page.keyboard.press("Escape");
    const isDefault = page.getByRole("switch", { name: /^Conexão padrão/ });

    await page.getByRole("button", { name: `Editar ${name}` }).click();
    await isDefault.click();
    await page.getByRole("button", { name: "Salvar" }).click();
    await expect(row(page, name)).toContainText("Padrão");
    await expect(row(page, formerName)).not.toContainText("Padrão");

    await page.getByRole("button", { name: `Editar ${name}` }).click();
    await isDefault.click();
    await page.getByRole("button", { name: "Salvar" }).click();
    await expect(page.getByRole("dialog").getByRole("alert")).toHaveText(
      "É necessário ter ao menos uma conexão padrão.",
    );
    await page.keyboard.press("Escape");

    await remove(page, name);
    await expect(row(page, formerName)).toContainText("Padrão");
  });

  test("a name that is taken is refused at its field", async ({ signedIn, staff }) => {
    const page = await signedIn(staff.renata);
    await page.goto("/connections");
    await page.getByRole("button", { name: "Adicionar" }).first().click();
    const dialog = page.getByRole("dialog", { name: "Nova conexão" });
    const field = dialog.getByRole("textbox", { name: "Nome" });
    await field.fill("Loja Paulista");
    await dialog.getByRole("button", { name: "Salvar" }).click();
    await expect(field).toHaveAccessibleDescription("Outra conexão já usa este nome.");
    await expect(field).toBeFocused();
    await expect(field).toHaveValue("Loja Paulista");
  });
});

test("an agent has neither the menu's entry nor the page, and only the provider sees all companies", async ({
  signedIn,
  browserOf,
  staff,
  product,
}) => {
  const agent = await signedIn(staff.marina);
  const menu = agent.getByRole("navigation", { name: "Menu principal" });
  await expect(menu.getByRole("link", { name: "Atendimentos" })).toBeVisible();
  await expect(menu.getByRole("link", { name: /^Conexões/ })).toHaveCount(0);
  for (const path of ["/connections", "/connections-health"]) {
    await agent.goto(path);
    await expect(agent).toHaveURL("/tickets");
  }
  const provider = await browserOf();
  await provider.goto("/login");
  await signIn(provider, product.accounts.super);
  await provider.getByRole("link", { name: "Saúde das conexões" }).click();
  await expect(row(provider, "Loja Paulista")).toContainText("Boutique Aurora");
  await provider.getByRole("searchbox").fill("ninguém tem este nome");
  await expect(provider.getByText("Nada encontrado para")).toBeVisible();
});

test("the connections page has no accessibility fault", async ({
  signedIn,
  browserOf,
  staff,
  product,
}) => {
  const page = await signedIn(staff.renata);
  const name = unique("Vitrine");
  await page.goto("/connections");
  await expect(row(page, "Loja Paulista")).toBeVisible();
  await page.getByRole("button", { name: "Adicionar" }).first().click();
  const dialog = page.getByRole("dialog", { name: "Nova conexão" });
  await dialog.getByText("API oficial do WhatsApp", { exact: true }).click();
  for (const tab of ["Mensagens", "Chatbot e prazos", "Geral"]) {
    await dialog.getByRole("tab", { name: tab }).click();
    await expectNoFindingsInWindows(page, {
      where: `dialog, ${tab}`,
      within: "[role=dialog]",
    });
  }
  await dialog.getByRole("button", { name: "Cancelar" }).click();
  const other = unique("Balcão");
  await add(page, other);
  await expectToastApart(page, "Conexão salva com sucesso");
  await page.keyboard.press("Escape");
  await remove(page, other);
  await page.setViewportSize(narrow);
  await add(page, name);
  await expectToastApart(page, "Conexão salva com sucesso");
  await page.setViewportSize(wide);
  await expectNoFindingsInWindows(page, { where: "code", within: "[role=dialog]" });
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expectNoFindingsInWindows(page, { where: "table" });
  await page.getByRole("button", { name: `Excluir ${name}` }).click();
  await expect(page.getByRole("dialog")).toBeVisible();
  await expectNoFindingsInWindows(page, { where: "question", within: "[role=dialog]" });
  await page.keyboard.press("Escape");
  await remove(page, name);

  const provider = await browserOf();
  await provider.goto("/login");
  await signIn(provider, product.accounts.super);
  await expect(provider.getByRole("heading", { level: 1, name: "Painel" })).toBeVisible();
  await provider.goto("/connections-health");
  await expect(row(provider, "Loja Paulista")).toBeVisible();
  await expectNoFindingsInWindows(provider, { where: "health" });
});
