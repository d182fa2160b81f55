import { readFile } from "node:fs/promises";
import type { Locator, Page } from "@playwright/test";
import { expect, test } from "../support/journey.ts";
import { newMark } from "../support/mark.ts";
import { acceptWaiting } from "../support/screens.ts";

test("contacts are chosen together: opted out and back, put on a list, checked, updated and deleted", async ({
  signedIn,
  staff,
  network,
}) => {
  const mark = newMark();
  const list = `Lista ${mark}`;
  const admin = await signedIn(staff.renata);
  const agent = await signedIn(staff.marina);
  const [first, second] = [
    await network.customer(`Lia ${mark}`),
    await network.customer(`Rui ${mark}`),
  ];
  for (const customer of [first, second]) await customer.writes("Bom dia");
  const book = `/contacts?search=${mark}`;

  await test.step("an agent opts several out together, and undoes it", async () => {
    await agent.goto(book);
    await expect(agent.getByRole("row")).toHaveCount(3);
    await agent.getByRole("checkbox", { name: "Selecionar as linhas carregadas" }).check();
    const bar = agent.getByRole("toolbar", { name: "Contatos selecionados" });
    await expect(bar).toContainText("2 selecionados");
    await expect(bar.getByRole("button", { name: "Excluir" })).toHaveCount(0);
    await bar.getByRole("button", { name: "Não enviar" }).click();
    for (const { name } of [first, second]) {
      await expect(row(agent, name)).toContainText("Não enviar");
    }
    await agent.getByRole("button", { name: "Desfazer", exact: true }).click();
    for (const { name } of [first, second]) {
      await expect(row(agent, name)).not.toContainText("Não enviar");
    }
  });

  await test.step("the selected ones, or all that a search finds, are saved as a spreadsheet", async () => {
    const bar = agent.getByRole("toolbar", { name: "Contatos selecionados" });
    await agent.getByRole("checkbox", { name: `Selecionar ${first.name}` }).check();
    const csv = await saved(agent, bar, /\.csv/);
    expect(csv.name).toBe("contatos.csv");
    expect(csv.content.toString()).toContain(`${first.name};${first.phone};`);
    expect(csv.content.toString()).not.toContain(second.name);
    await bar.getByRole("button", { name: "Desfazer a seleção" }).click();
    const xlsx = await saved(agent, agent.getByRole("main"), /\.xlsx/);
    expect([xlsx.name, xlsx.content.subarray(0, 2).toString()]).toEqual(["contatos.xlsx", "PK"]);
  });

  await test.step("all that a search finds are put on a new list, which keeps it", async () => {
    await admin.goto(book);
    await admin.getByRole("checkbox", { name: `Selecionar ${first.name}` }).check();
    await admin.getByRole("button", { name: "Selecionar todos os 2" }).click();
    await admin.getByRole("button", { name: "Adicionar a uma lista" }).click();
    const dialog = admin.getByRole("dialog", { name: "Adicionar 2 contatos a uma lista" });
    await dialog.getByRole("textbox", { name: "Nome" }).fill(list);
    await dialog.getByRole("checkbox", { name: "Guardar o filtro na lista" }).check();
    await dialog.getByRole("button", { name: "Salvar" }).click();
    await expect(admin.getByText("2 contatos adicionados à lista")).toBeVisible();
    await expect(admin.getByRole("toolbar", { name: "Contatos selecionados" })).toHaveCount(0);
  });

  await test.step("the numbers are checked by themselves, also of people added by hand", async () => {
    await admin.getByRole("link", { name: "Campanhas", exact: true }).click();
    await admin.getByRole("link", { name: "Listas de contatos" }).click();
    await admin.getByRole("searchbox", { name: "Buscar pelo nome" }).fill(mark);
    await admin.getByRole("link", { name: list }).click();
    await expect(admin.getByRole("button", { name: "Válidos 2" })).toBeVisible();
    await admin.getByRole("button", { name: "Adicionar" }).click();
    const dialog = admin.getByRole("dialog", { name: "Adicionar à lista" });
    await dialog.getByRole("textbox", { name: "Nome" }).fill(`Fixo ${mark}`);
    await dialog.getByRole("textbox", { name: "Número" }).fill("11 3333-0000");
    await dialog.getByRole("button", { name: "Salvar" }).click();
    await expect(row(admin, `Fixo ${mark}`)).toContainText("Sem WhatsApp");
    await admin.getByRole("button", { name: "Sem WhatsApp 1" }).click();
    await expect(row(admin, first.name)).toHaveCount(0);
    await admin.getByRole("button", { name: "Todos 3" }).click();
  });

  await test.step("who fits the filter by now is offered, who opted out is marked", async () => {
    const third = await network.customer(`Ivo ${mark}`);
    await third.writes("Olá");
    await admin.reload();
    await expect(admin.getByText(/1 contato novo cabe nele/)).toBeVisible();
    await admin.getByRole("button", { name: "Atualizar a lista" }).click();
    await expect(row(admin, third.name)).toBeVisible();
    await agent.goto(`/contacts?search=${encodeURIComponent(third.name.toLowerCase())}`);
    await agent.getByRole("button", { name: `Ações de ${third.name}` }).click();
    await agent.getByRole("menuitem", { name: "Não enviar mensagens" }).click();
    await expect(row(agent, third.name)).toContainText("Não enviar");
    await admin.reload();
    await expect(row(admin, third.name)).toContainText("Não enviar");
    await expect(admin.getByRole("button", { name: "Não enviar 1" })).toBeVisible();
  });

  await test.step("somebody is taken off, and the list goes; its contacts stay", async () => {
    await admin.getByRole("button", { name: `Excluir Fixo ${mark}` }).click();
    await admin.getByRole("dialog").getByRole("button", { name: "Excluir" }).click();
    await expect(row(admin, `Fixo ${mark}`)).toHaveCount(0);
    await admin
      .getByRole("navigation")
      .getByRole("link", { name: "Listas de contatos" })
      .last()
      .click();
    await admin.getByRole("button", { name: `Excluir ${list}` }).click();
    const question = admin.getByRole("dialog", { name: `Excluir a lista ${list}?` });
    await expect(question.getByText(/^3 pessoas saem da lista/)).toBeVisible();
    await question.getByRole("button", { name: "Excluir" }).click();
    await expect(admin.getByRole("link", { name: list })).toHaveCount(0);
    await agent.goto("/contact-lists");
    await expect(agent).toHaveURL(/\/tickets/);
  });

  await test.step("several are deleted together; who is being served stays", async () => {
    await admin.goto("/tickets");
    await acceptWaiting(admin, first.name);
    await admin.goto(book);
    await admin.getByRole("checkbox", { name: "Selecionar as linhas carregadas" }).check();
    await admin.getByRole("toolbar").getByRole("button", { name: "Excluir" }).click();
    const question = admin.getByRole("dialog", { name: "Excluir 3 contatos?" });
    await question.getByRole("button", { name: "Excluir" }).click();
    await expect(
      admin.getByText("2 contatos excluídos. 1 está em atendimento e fica."),
    ).toBeVisible();
    await expect(row(admin, first.name)).toBeVisible();
    await expect(row(admin, second.name)).toHaveCount(0);
  });
});

const row = (page: Page, name: string) => page.getByRole("row").filter({ hasText: name });

/** Presses the export button within a place, and returns the file that the browser saves. */
async function saved(page: Page, place: Locator, kind: RegExp) {
  const coming = page.waitForEvent("download");
  await place.getByRole("button", { name: "Exportar" }).click();
  await page.getByRole("menuitem", { name: kind }).click();
  const file = await coming;
  return { name: file.suggestedFilename(), content: await readFile(await file.path()) };
}
