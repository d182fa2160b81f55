import type { Page } from "@playwright/test";
import * as files from "../support/files.ts";
import { expect, test } from "../support/journey.ts";
import { acceptWaiting, answer, tickets } from "../support/screens.ts";

// The refused save of the second person, and the page of a contact that was merged away.
test.use({ expectedErrors: /status of (409|404) .*\/api\/contacts\/\d+/ });

test("the page of a contact: what belongs to it, an edit by two people at once, and a merge", async ({
  signedIn,
  staff,
  network,
}) => {
  const agent = await signedIn(staff.marina);
  const admin = await signedIn(staff.renata);
  const customer = await network.customer("Helena Duarte");
  const twin = await network.customer("Helena D.");
  await customer.writes("Bom dia");
  await customer.sendsFile(files.picture("vestido.png"), { as: "image" });
  await customer.sendsFile(files.pdf("nota.pdf"), { as: "document" });
  await twin.writes("Oi, é a Helena");
  await acceptWaiting(agent, customer.name);
  await answer(agent, customer.name, "Bom dia, Helena");
  // The page shows the files that are there when it opens.
  const photo = tickets.messages(agent).getByRole("button", { name: "Abrir: Foto" });
  await expect(photo.locator("img")).toBeVisible();
  const { contactId } = await customer.ticket();

  await test.step("a click on the row opens it, with attendances and files, and the conversation is a click away", async () => {
    await agent.goto(`/contacts?search=${encodeURIComponent(customer.name.toLowerCase())}`);
    await agent.getByRole("link", { name: customer.name }).click();
    await expect(agent).toHaveURL(new RegExp(`/contacts/${contactId}$`));
    const attendances = agent.getByRole("region", { name: "Atendimentos" });
    await expect(attendances.getByRole("row").nth(1)).toContainText("Em atendimento");
    const shared = agent.getByRole("region", { name: "Arquivos" });
    await expect(shared.getByRole("link", { name: /^Foto, / })).toBeVisible();
    await shared.getByRole("button", { name: /^Outros/ }).click();
    await expect(shared.getByText("nota.pdf")).toBeVisible();
    await attendances.getByRole("link").first().click();
    await expect(agent).toHaveURL(/\/tickets\/[0-9a-f-]{36}/);
    await agent.goBack();
  });

  await test.step("a note of the page is one of the conversation, and opting out is told at once", async () => {
    const notes = agent.getByRole("region", { name: "Observações" });
    await notes.getByRole("button", { name: "Nova" }).click();
    await notes.getByRole("textbox").fill("Gosta de linho e tons claros.");
    await notes.getByRole("button", { name: "Adicionar observação" }).click();
    await expect(notes.getByRole("listitem")).toContainText("Gosta de linho");
    await admin.goto(`/contacts/${contactId}`);
    await expect(admin.getByText("Gosta de linho e tons claros.")).toBeVisible();
    await admin.getByRole("button", { name: `Ações de ${customer.name}` }).click();
    await admin.getByRole("menuitem", { name: "Não enviar mensagens" }).click();
    const strip = agent.getByRole("region", { name: "Não quer receber mensagens da empresa" });
    await expect(strip).toContainText(staff.renata.name);
    await expect(history(agent)).toContainText("Pediu para não receber mensagens");
    await strip.getByRole("button", { name: "Voltar a enviar" }).click();
    await agent.getByRole("dialog").getByRole("button", { name: "Voltar a enviar" }).click();
    await expect(strip).toHaveCount(0);
  });

  await test.step("two people edit it: the second one chooses, field by field", async () => {
    for (const page of [agent, admin]) {
      await page.getByRole("button", { name: "Editar", exact: true }).click();
    }
    const [mine, theirs] = [agent.getByRole("dialog"), admin.getByRole("dialog")];
    await theirs.getByRole("textbox", { name: "E-mail" }).fill("loja@exemplo.com.br");
    await theirs.getByRole("button", { name: "Adicionar informação" }).click();
    await theirs.getByRole("textbox", { name: "Nome da informação 1" }).fill("Tamanho");
    await theirs.getByRole("textbox", { name: "Valor da informação 1" }).fill("M");
    await theirs.getByRole("button", { name: "Salvar" }).click();
    await expect(theirs).toHaveCount(0);
    await mine.getByRole("textbox", { name: "E-mail" }).fill("casa@exemplo.com.br");
    await mine.getByRole("button", { name: "Salvar" }).click();
    const conflict = mine.getByRole("group", {
      name: `${staff.renata.name} mudou o e-mail agora`,
    });
    await expect(conflict.getByRole("radio", { name: /casa@exemplo/ })).toBeChecked();
    await conflict.getByRole("radio", { name: /loja@exemplo/ }).check();
    await mine.getByRole("button", { name: "Salvar" }).click();
    await expect(mine).toHaveCount(0);
    await expect(agent.getByRole("link", { name: "loja@exemplo.com.br" })).toBeVisible();
    await expect(agent.getByText("Tamanho", { exact: true })).toBeVisible();
  });

  await test.step("two contacts of one person become one, with both numbers and both conversations", async () => {
    await agent.getByRole("button", { name: `Ações de ${customer.name}` }).click();
    await agent.getByRole("menuitem", { name: "Unir com outro" }).click();
    const choice = agent.getByRole("dialog", { name: /com outro contato/ });
    await choice.getByRole("combobox", { name: "Outro contato" }).fill(twin.name);
    await agent.getByRole("option", { name: new RegExp(twin.name) }).click();
    await choice.getByRole("button", { name: "Continuar" }).click();
    const dialog = agent.getByRole("dialog", { name: "Unir dois contatos" });
    await expect(dialog.getByRole("radio", { name: customer.name })).toBeChecked();
    await dialog.getByRole("radio", { name: twin.name }).check();
    await expect(dialog).toContainText("Não dá para desfazer");
    await dialog.getByRole("button", { name: "Unir contatos" }).click();
    await expect(agent.getByText(`Contatos unidos: ${twin.name}`)).toBeVisible();
    await expect(agent.getByText("Outro número")).toBeVisible();
    await expect(history(agent)).toContainText(`Antes, Nome: ${customer.name}`);
    await expect(history(admin)).toContainText(`Unido com ${twin.name}`);
    const { contactId: otherId } = await twin.ticket();
    expect(otherId).toBe(contactId);
    await twin.writes("Continuo aqui");
    expect((await twin.ticket()).contactId).toBe(contactId);
  });

  await test.step("contacts that look like one person are suggested, and not again once people know better", async () => {
    const [one, other] = [await network.customer("Ana"), await network.customer("Ana")];
    for (const { writes } of [one, other]) await writes("Oi");
    const name = `Ana ${one.phone}`;
    for (const { ticket } of [one, other]) {
      const params = { contactId: (await ticket()).contactId };
      const body = { name, email: "ana@exemplo.com.br" };
      await network.api("PUT /contacts/:contactId", { params, body });
    }
    await agent.goto(`/contacts?search=${encodeURIComponent(name.toLowerCase())}`);
    const mark = agent.getByRole("button", { name: `Ver se ${name} está em dobro` });
    await expect(mark).toHaveCount(2);
    await agent.getByRole("button", { name: /^\d+ possíve/ }).click();
    const dialog = agent.getByRole("dialog", { name: /^Unir dois contatos/ });
    await expect(dialog).toContainText(/1 de \d+/);
    await agent.keyboard.press("Escape");
    await mark.first().click();
    await expect(dialog).toContainText("Mesmo nome e e-mail.");
    await dialog.getByRole("button", { name: "Não são a mesma pessoa" }).click();
    await expect(agent.getByText("Este par não será mais sugerido")).toBeVisible();
    await expect(mark).toHaveCount(0);
  });
});

const history = (page: Page) => page.getByRole("region", { name: "Histórico do contato" });
