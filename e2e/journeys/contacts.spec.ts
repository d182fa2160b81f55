import { randomInt } from "node:crypto";
import type { Page } from "@playwright/test";
import { expect, test } from "../support/journey.ts";
import { newMark } from "../support/mark.ts";
import { acceptWaiting, tabTo } from "../support/screens.ts";

// A conversation of somebody else, and a contact with an open one.
test.use({ expectedErrors: /status of 40[03] .*\/api\/(tickets|contacts)\/\d+/ });

test("the address book: added, found in any spelling, filtered, ordered, opted out, opened and deleted", async ({
  signedIn,
  staff,
  network,
}) => {
  const mark = newMark();
  const name = `Helena ${mark}`;
  const digits = `119${String(randomInt(10_000_000, 99_999_999))}`;
  const written = `+55 11 9${digits.slice(3, 7)}-${digits.slice(7)}`;
  const agent = await signedIn(staff.marina);
  const admin = await signedIn(staff.renata);
  const customer = await network.customer("Otávio Ramos");
  await customer.writes("Bom dia");

  await test.step("an agent adds a contact, with the rules at the fields", async () => {
    await agent.goto("/contacts");
    await agent.getByRole("button", { name: "Adicionar" }).first().click();
    const dialog = agent.getByRole("dialog", { name: "Novo contato" });
    await dialog.getByRole("button", { name: "Salvar" }).click();
    await expect(dialog.getByText("Use de 2 a 50 caracteres")).toBeVisible();
    await dialog.getByRole("textbox", { name: "Nome" }).fill(name);
    await dialog.getByRole("textbox", { name: "Número" }).fill(`(11) 9${digits.slice(3)}`);
    await dialog.getByRole("textbox", { name: "E-mail" }).fill(`${mark}@exemplo.com.br`);
    await dialog.getByRole("button", { name: "Salvar" }).click();
    await expect(agent.getByText("Contato salvo")).toBeVisible();
    await agent.getByRole("button", { name: "Adicionar" }).first().click();
    await dialog.getByRole("textbox", { name: "Nome" }).fill("Outra Helena");
    await dialog.getByRole("textbox", { name: "Número" }).fill(`55${digits}`);
    await dialog.getByRole("button", { name: "Salvar" }).click();
    await expect(dialog.getByText("Outro contato já tem este número.")).toBeVisible();
    await dialog.getByRole("button", { name: "Cancelar" }).click();
  });

  await test.step("it is found by name, e-mail and number, and the address keeps the search", async () => {
    const search = agent.getByRole("searchbox", { name: "Buscar por nome, número ou e-mail" });
    for (const words of [name.toLowerCase(), `${mark}@exemplo`, written]) {
      await search.fill(words);
      await expect
        .poll(() => new URL(agent.url()).searchParams.get("search"))
        .toBe(words.toLowerCase());
      await expect(row(agent, name)).toContainText(written);
      await expect(row(agent, customer.name)).toHaveCount(0);
    }
    await agent.reload();
    await expect(search).toHaveValue(written);
    await expect(row(agent, name)).toBeVisible();
  });

  await test.step("an opt-out can be undone; without that it stands in the list and in the filter", async () => {
    const more = row(agent, name).getByRole("button", { name: `Ações de ${name}` });
    await more.click();
    await agent.getByRole("menuitem", { name: "Não enviar mensagens" }).click();
    await expect(row(agent, name)).toContainText("Não enviar");
    await agent.getByRole("button", { name: /^Desfazer/ }).click();
    await expect(row(agent, name)).not.toContainText("Não enviar");
    await more.click();
    await agent.getByRole("menuitem", { name: "Não enviar mensagens" }).click();
    await expect(row(agent, name)).toContainText("Não enviar");
    await agent.goto("/contacts");
    await agent.getByRole("button", { name: "Filtro", exact: true }).click();
    await agent.getByRole("menuitemcheckbox", { name: "Não enviar" }).click();
    await agent.keyboard.press("Escape");
    await expect(row(agent, name)).toBeVisible();
    await expect(row(agent, customer.name)).toHaveCount(0);
    await expect(agent.getByRole("button", { name: "Remover o filtro Não enviar" })).toBeVisible();
    await agent.getByRole("button", { name: "Limpar", exact: true }).click();
  });

  await test.step("the newest contact stands first by last contact, and its conversation opens", async () => {
    await agent.getByRole("button", { name: "Último contato" }).click();
    await expect(agent.getByRole("columnheader", { name: "Último contato" })).toHaveAttribute(
      "aria-sort",
      "descending",
    );
    await expect(agent.getByRole("row").nth(1)).toContainText(customer.name);
    await acceptWaiting(admin, customer.name);
    await agent.goto(`/contacts?search=${encodeURIComponent(customer.name.toLowerCase())}`);
    await agent.getByRole("button", { name: `Abrir conversa com ${customer.name}` }).click();
    const dialog = agent.getByRole("dialog", { name: "Novo atendimento" });
    await expect(dialog.getByRole("combobox", { name: "Contato" })).toHaveValue(customer.name);
    await agent.keyboard.press("Escape");
  });

  await test.step("who writes with a contact that opted out is told so, live", async () => {
    await expect(admin.getByText("Não quer receber mensagens da empresa")).toHaveCount(0);
    await agent.getByRole("button", { name: `Ações de ${customer.name}` }).click();
    await agent.getByRole("menuitem", { name: "Não enviar mensagens" }).click();
    await expect(admin.getByText("Não quer receber mensagens da empresa")).toBeVisible();
    await agent.getByRole("button", { name: `Ações de ${customer.name}` }).click();
    await agent.getByRole("menuitem", { name: "Voltar a enviar" }).click();
    await agent.getByRole("dialog").getByRole("button", { name: "Voltar a enviar" }).click();
    await expect(admin.getByText("Não quer receber mensagens da empresa")).toHaveCount(0);
  });

  await test.step("only an admin deletes, and not while a conversation is open", async () => {
    await agent.getByRole("button", { name: `Ações de ${customer.name}` }).click();
    await expect(agent.getByRole("menuitem", { name: "Editar" })).toBeVisible();
    await expect(agent.getByRole("menuitem", { name: "Excluir" })).toHaveCount(0);
    for (const [who, isRefused] of [
      [customer.name, true],
      [name, false],
    ] as const) {
      await admin.goto(`/contacts?search=${encodeURIComponent(who.toLowerCase())}`);
      await admin.getByRole("button", { name: `Ações de ${who}` }).click();
      await admin.getByRole("menuitem", { name: "Excluir" }).click();
      const question = admin.getByRole("dialog", { name: `Excluir ${who}?` });
      await question.getByRole("button", { name: "Excluir" }).click();
      if (isRefused) await expect(question.getByText(/tem um atendimento aberto/)).toBeVisible();
      else await expect(admin.getByText("Contato excluído")).toBeVisible();
    }
    await expect(admin.getByText(/^Nada encontrado/)).toBeVisible();
  });
});

test("without a mouse: a contact is found, opened, edited, and the way back keeps the search; so is a list", async ({
  signedIn,
  staff,
  network,
}) => {
  const mark = newMark();
  const customer = await network.customer(`Iolanda ${mark}`);
  await customer.writes("Bom dia");
  const page = await signedIn(staff.renata);
  const press = (key: string): Promise<void> => page.keyboard.press(key);

  await test.step("search and open", async () => {
    await page.goto("/contacts");
    await expect(page.getByRole("row").nth(1)).toBeVisible();
    await press("/");
    await expect(page.getByRole("searchbox")).toBeFocused();
    await page.keyboard.type(`iolanda ${mark}`);
    await expect(page.getByRole("row")).toHaveCount(2);
    await tabTo(page, row(page, mark).getByRole("link"));
    const box = row(page, mark).getByRole("checkbox");
    await press("Space");
    await expect(box).toBeChecked();
    await expect(page.getByRole("toolbar")).toBeVisible();
    await press("Delete");
    await expect(page.getByRole("dialog", { name: "Excluir 1 contato?" })).toBeVisible();
    await press("Escape");
    await expect(page.getByRole("dialog")).toHaveCount(0);
    await tabTo(page, row(page, mark).getByRole("link"));
    await press("Escape");
    await expect(box).not.toBeChecked();
    await press("ArrowDown");
    await tabTo(page, row(page, mark).getByRole("link"));
    await press("Enter");
    await expect(page.getByRole("heading", { level: 1, name: customer.name })).toBeVisible();
  });

  await test.step("edit", async () => {
    await tabTo(page, page.getByRole("button", { name: "Editar" }).first());
    await press("Enter");
    const dialog = page.getByRole("dialog");
    await expect(dialog.getByRole("textbox", { name: "Nome" })).toBeFocused();
    await press("End");
    await page.keyboard.type(" Reis");
    await press("Enter");
    await expect(dialog).toHaveCount(0);
    await expect(
      page.getByRole("heading", { level: 1, name: `${customer.name} Reis` }),
    ).toBeVisible();
  });

  await test.step("back to the search", async () => {
    // The key for it is the browser's own.
    await page.goBack();
    await expect(page.getByRole("searchbox")).toHaveValue(`iolanda ${mark}`);
    await expect(row(page, `${customer.name} Reis`)).toBeVisible();
  });

  await test.step("a list is made, opened and gets a member", async () => {
    await page.goto("/contact-lists");
    await tabTo(page, page.getByRole("button", { name: "Adicionar" }).first());
    await press("Enter");
    await expect(page.getByRole("dialog").getByRole("textbox", { name: "Nome" })).toBeFocused();
    await page.keyboard.type(`Lista ${mark}`);
    await press("Enter");
    await expect(page.getByRole("dialog")).toHaveCount(0);
    await tabTo(page, page.getByRole("link", { name: `Lista ${mark}` }));
    await press("Enter");
    await expect(page.getByRole("heading", { level: 1, name: `Lista ${mark}` })).toBeVisible();
    await tabTo(page, page.getByRole("button", { name: "Adicionar" }).first());
    await press("Enter");
    await expect(page.getByRole("dialog").getByRole("textbox", { name: "Nome" })).toBeFocused();
    await page.keyboard.type(`Lia ${mark}`);
    await press("Tab");
    await page.keyboard.type(`119${String(randomInt(10_000_000, 99_999_999))}`);
    await press("Enter");
    await expect(page.getByRole("dialog")).toHaveCount(0);
    await expect(row(page, `Lia ${mark}`)).toBeVisible();
  });
});

const row = (page: Page, name: string) => page.getByRole("row").filter({ hasText: name });
