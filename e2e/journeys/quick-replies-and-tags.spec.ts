import type { Page } from "@playwright/test";
import { addColleague } from "../support/database.ts";
import * as files from "../support/files.ts";
import { expect, test } from "../support/journey.ts";
import { newMark } from "../support/mark.ts";
import { acceptWaiting, tickets } from "../support/screens.ts";

test("quick replies: created, found, changed and deleted, personal or the company's, with a file", async ({
  signedIn,
  staff,
  network,
}) => {
  const admin = await signedIn(staff.renata);
  const agent = await signedIn(staff.marina);
  const mark = newMark();
  const [shared, own] = [`todos-${mark}`, `meu-${mark}`];

  await test.step("an admin creates one for the company, with its rules at the fields", async () => {
    await admin.goto("/quick-messages");
    await admin.getByRole("button", { name: "Adicionar" }).first().click();
    const dialog = admin.getByRole("dialog", { name: "Nova resposta rápida" });
    await dialog.getByRole("button", { name: "Salvar" }).click();
    await expect(dialog.getByText("Obrigatório")).toBeVisible();
    await dialog.getByRole("textbox", { name: "Atalho" }).fill(shared);
    const message = dialog.getByRole("textbox", { name: "Mensagem" });
    await message.fill("Olá, ! Segue a tabela.");
    await message.evaluate((field) => {
      if (field instanceof HTMLTextAreaElement) field.setSelectionRange(5, 5);
    });
    await dialog.getByRole("button", { name: "Inserir variável" }).click();
    await admin.getByRole("menuitem", { name: "Primeiro nome do cliente" }).click();
    await expect(message).toHaveValue("Olá, {{firstName}}! Segue a tabela.");
    await dialog.getByRole("switch", { name: "Disponível para toda a equipe" }).click();
    const chooser = admin.waitForEvent("filechooser");
    await dialog.getByRole("button", { name: "Anexar arquivo" }).click();
    await (await chooser).setFiles(files.pdf("tabela.pdf"));
    await dialog.getByRole("button", { name: "Salvar" }).click();
    await expect(admin.getByText("Resposta rápida salva")).toBeVisible();
    await expect(row(admin, shared)).toContainText("tabela.pdf");
  });

  await test.step("an agent has it and cannot change it, but can change an own one", async () => {
    await agent.goto("/quick-messages");
    await expect(row(agent, shared)).toContainText("da equipe");
    await expect(row(agent, shared).getByRole("button")).toHaveCount(0);
    await agent.getByRole("button", { name: "Adicionar" }).first().click();
    const dialog = agent.getByRole("dialog");
    await expect(dialog.getByRole("switch")).toHaveCount(0);
    await dialog.getByRole("textbox", { name: "Atalho" }).fill(own);
    await dialog.getByRole("textbox", { name: "Mensagem" }).fill("Só minha");
    await dialog.getByRole("button", { name: "Salvar" }).click();
    await expect(row(agent, own)).toContainText("Sem anexo");
    await row(agent, own)
      .getByRole("button", { name: `Editar ${own}` })
      .click();
    await dialog.getByRole("textbox", { name: "Mensagem" }).fill("Minha, e nova");
    await dialog.getByRole("button", { name: "Salvar" }).click();
    await expect(row(agent, own)).toContainText("Minha, e nova");
  });

  await test.step("found by the shortcode, or reported as missing", async () => {
    const search = agent.getByRole("searchbox", { name: "Buscar pelo atalho" });
    await search.fill(own);
    await expect(row(agent, shared)).toHaveCount(0);
    await expect(row(agent, own)).toBeVisible();
    await search.fill("nenhuma assim");
    await expect(agent.getByText("Nada encontrado para “nenhuma assim”")).toBeVisible();
    await agent.getByText("Limpar busca").click();
    await expect(row(agent, shared)).toBeVisible();
  });

  await test.step("in a ticket its text and its file go to the customer", async () => {
    const customer = await network.customer("Davi Nunes");
    await customer.writes("Tem tabela?");
    await agent.goto("/tickets");
    await acceptWaiting(agent, customer.name);
    await agent.getByRole("button", { name: "Respostas rápidas", exact: true }).click();
    await agent.getByRole("combobox", { name: "Buscar resposta rápida" }).fill(shared);
    await expect(agent.getByRole("option", { name: shared })).toBeVisible();
    await agent.keyboard.press("Enter");
    const composer = tickets.composer(agent, customer.name);
    await expect(composer).toHaveValue("Olá, {{firstName}}! Segue a tabela.");
    await expect(agent.getByRole("list", { name: "Arquivos para enviar" })).toContainText(
      "tabela.pdf",
    );
    await composer.press("Enter");
    await expect
      .poll(async () => (await customer.messages()).at(-1))
      .toMatchObject({ kind: "document", file: { name: "tabela.pdf" } });
    expect((await customer.messages()).at(-1)?.body).toContain("Olá, Davi! Segue a tabela.");
  });

  await test.step("deleted after a question, and gone on every screen", async () => {
    await agent.goto("/quick-messages");
    await expect(row(agent, shared)).toBeVisible();
    await row(admin, shared)
      .getByRole("button", { name: `Excluir ${shared}` })
      .click();
    const dialog = admin.getByRole("dialog", {
      name: `Excluir a resposta rápida ${shared}?`,
    });
    await dialog.getByRole("button", { name: "Excluir" }).click();
    await expect(admin.getByText("Resposta rápida excluída")).toBeVisible();
    await expect(row(admin, shared)).toHaveCount(0);
    await expect(row(agent, shared)).toHaveCount(0);
  });
});

test("tags: all users add, supervisors choose the lanes, admins change and delete", async ({
  signedIn,
  staff,
  product,
  network,
}) => {
  const mark = newMark();
  const name = `Brinde ${mark}`;
  const supervisor = await addColleague(product, staff.marina, {
    name: "Sílvia Supervisora",
    email: `silvia.${mark}@aurora.local`,
    profile: "supervisor",
  });
  const [agent, chief, admin] = [
    await signedIn(staff.marina),
    await signedIn(supervisor),
    await signedIn(staff.renata),
  ];
  for (const page of [agent, chief, admin]) {
    await page.getByRole("navigation", { name: "Menu principal" }).getByText("Etiquetas").click();
    await expect(page.getByRole("heading", { level: 1, name: /^Etiquetas/ })).toBeVisible();
  }

  await test.step("an agent adds one, which is on all screens, and cannot change it", async () => {
    await agent.getByRole("button", { name: "Adicionar" }).click();
    const dialog = agent.getByRole("dialog", { name: "Nova etiqueta" });
    const field = dialog.getByRole("textbox", { name: "Nome" });
    await field.fill("ab");
    await dialog.getByRole("button", { name: "Salvar" }).click();
    await expect(dialog.getByText("Mensagem muito curta")).toBeVisible();
    await field.fill(name);
    await dialog.getByRole("textbox", { name: "Cor", exact: true }).fill("#3355aa");
    await expect(dialog.getByRole("switch")).toHaveCount(0);
    await dialog.getByRole("button", { name: "Salvar" }).click();
    await expect(agent.getByText("Etiqueta salva")).toBeVisible();
    for (const page of [agent, chief, admin]) await expect(row(page, name)).toBeVisible();
    await expect(row(agent, name).getByRole("button")).toHaveCount(0);
  });

  await test.step("a supervisor makes it a lane and cannot change more", async () => {
    await expect(row(chief, name).getByRole("button")).toHaveCount(1);
    await row(chief, name)
      .getByRole("button", { name: `Editar ${name}` })
      .click();
    const dialog = chief.getByRole("dialog", { name: "Editar etiqueta" });
    await expect(dialog.getByRole("textbox", { name: "Nome" })).not.toBeEditable();
    await dialog.getByRole("switch", { name: "Usar como coluna do kanban" }).click();
    await dialog.getByRole("button", { name: "Salvar" }).click();
    await expect(row(admin, name)).toContainText("Coluna do kanban");
  });

  await test.step("an admin renames it and deletes it, told how many tickets lose it", async () => {
    const customer = await network.customer("Elis Prado");
    await customer.writes("Oi");
    const { id } = await customer.ticket();
    const tags = await network.api("GET /tags/list", { query: { searchParam: name } });
    await network.api("POST /tags/sync", { body: { ticketId: id, tags } });
    await row(admin, name)
      .getByRole("button", { name: `Editar ${name}` })
      .click();
    const dialog = admin.getByRole("dialog", { name: "Editar etiqueta" });
    await dialog.getByRole("textbox", { name: "Nome" }).fill(`${name} novo`);
    await dialog.getByRole("button", { name: "Salvar" }).click();
    await expect(row(agent, `${name} novo`)).toBeVisible();
    await admin.getByRole("searchbox", { name: "Buscar por nome ou cor" }).fill(mark);
    await expect(row(admin, `${name} novo`)).toContainText("1 atendimento");
    const remove = async (): Promise<void> => {
      await row(admin, `${name} novo`)
        .getByRole("button", { name: /^Excluir/ })
        .click();
      const question = admin.getByRole("dialog", { name: `Excluir a etiqueta ${name} novo?` });
      await expect(question).toContainText("Ela será removida de 1 atendimento.");
      await question.getByRole("button", { name: "Excluir" }).click();
      await expect(row(agent, name)).toHaveCount(0);
      expect((await customer.ticket()).tags).toEqual([]);
    };
    await remove();
    await admin.getByRole("button", { name: "Desfazer" }).click();
    await expect(row(agent, `${name} novo`)).toBeVisible();
    expect((await customer.ticket()).tags).toMatchObject([{ name: `${name} novo` }]);
    await expect(row(admin, `${name} novo`)).toContainText("1 atendimento");
    await remove();
  });
});

function row(page: Page, name: string) {
  return page.getByRole("row").filter({ has: page.getByRole("rowheader", { name }) });
}
