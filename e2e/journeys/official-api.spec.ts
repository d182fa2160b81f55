import { expectNoFindings } from "../support/axe.ts";
import { startGraph } from "../support/graph.ts";
import { expect, signIn, test } from "../support/journey.ts";
import { startProduct } from "../support/product.ts";
import { acceptWaiting, answer, tickets } from "../support/screens.ts";

test("the official API is connected; its 24 hours are counted down and enforced, and a template is sent", async ({
  browser,
}) => {
  const graph = await startGraph();
  // A product of its own, which asks for another address of the Graph API.
  const product = await startProduct({
    GRAPH_API_URL: graph.url,
    BALCAO_AUTH_REQUESTS_PER_MINUTE: "1000",
  });
  const context = await browser.newContext({
    baseURL: product.url,
    viewport: { width: 1440, height: 900 },
  });
  const page = await context.newPage();
  try {
    await page.goto("/login");
    await signIn(page, product.accounts.admin);
    await page.getByRole("link", { name: /^Conexões/ }).click();
    let webhookUrl = "";

    await test.step("wrong credentials are refused in the dialog, right ones connect", async () => {
      await page.getByRole("button", { name: "Adicionar" }).first().click();
      const dialog = page.getByRole("dialog", { name: "Nova conexão" });
      await dialog.getByRole("textbox", { name: "Nome" }).fill("Central");
      await dialog.getByText("API oficial do WhatsApp", { exact: true }).click();
      await dialog.getByLabel("ID do número de telefone").fill(graph.account.phoneNumberId);
      await dialog
        .getByLabel("ID da conta do WhatsApp Business")
        .fill(graph.account.businessAccountId);
      await dialog.getByLabel("Token de acesso").fill("EAAwrong");
      await dialog.getByLabel("Chave secreta do aplicativo").fill(graph.account.appSecret);
      await dialog.getByRole("button", { name: "Salvar" }).click();
      await expect(dialog.getByRole("alert")).toContainText("A Meta recusou estas credenciais");
      await dialog.getByLabel("Token de acesso").fill(graph.account.accessToken);
      await dialog.getByRole("button", { name: "Salvar" }).click();
      const told = page.getByRole("dialog", { name: "Falta informar o endereço à Meta" });
      await expect(told).toBeVisible();
      const shown = new URL(await told.getByLabel("Endereço do webhook").inputValue());
      webhookUrl = new URL(shown.pathname, product.url).href;
      expect(
        await told.getByRole("textbox", { name: "Token de verificação" }).inputValue(),
      ).not.toBe("");
      await told.getByRole("button", { name: "Fechar" }).last().click();
      await expect(page.getByRole("row", { name: /Central/ })).toContainText("Conectada");
    });

    await test.step("with a few hours left they are counted down, and everything goes through", async () => {
      const customer = { phone: "5511911110001", name: "Ana Lima" };
      await graph.writes(webhookUrl, customer, { body: "Cheguei cedo", hoursAgo: 20.5 });
      await page.getByRole("link", { name: "Atendimentos" }).click();
      await acceptWaiting(page, customer.name);
      await expect(page.getByText(/^Janela de 24 h: 3 h \d+ min$/)).toBeVisible();
      await answer(page, customer.name, "Já vejo");
      await expect.poll(() => graph.sent.at(-1)?.text?.body ?? "").toContain("Já vejo");
    });

    await test.step("closed, only a template goes through, filled with its values", async () => {
      const customer = { phone: "5511911110002", name: "Bruno Sá" };
      await graph.writes(webhookUrl, customer, { body: "Alguém aí?", hoursAgo: 25 });
      await acceptWaiting(page, customer.name);
      await expect(tickets.composer(page, customer.name)).toBeDisabled();
      await page.getByRole("button", { name: "Enviar modelo" }).click();
      const dialog = page.getByRole("dialog", { name: `Enviar modelo a ${customer.name}` });
      await expect(dialog.getByRole("button", { name: /^pedido_saiu/ })).toBeVisible();
      await expectNoFindings(page, {
        where: "templates",
        within: "[role=dialog]",
      });
      await dialog.getByRole("searchbox").fill("pedido");
      await dialog.getByRole("button", { name: /^pedido_saiu/ }).click();
      await dialog.getByLabel("Valor de 1").fill("Bruno");
      await dialog.getByLabel("Valor de 2").fill("amanhã");
      await expect(dialog.getByText("Olá Bruno, seu pedido sai amanhã.")).toBeVisible();
      await expectNoFindings(page, {
        where: "a template",
        within: "[role=dialog]",
      });
      await dialog.getByRole("button", { name: "Enviar", exact: true }).click();
      await expect(dialog).toHaveCount(0);
      await expect(tickets.message(page, "Olá Bruno, seu pedido sai amanhã.")).toHaveCount(1);
      await expect
        .poll(() => graph.sent.at(-1))
        .toMatchObject({ to: customer.phone, template: { name: "pedido_saiu" } });
    });

    await test.step("the customer writes again, and the composer is free", async () => {
      const customer = { phone: "5511911110002", name: "Bruno Sá" };
      await graph.writes(webhookUrl, customer, { body: "Obrigado" });
      await expect(tickets.composer(page, customer.name)).toBeEnabled();
    });

    await test.step("a campaign sends the template to each person of a list once, filled with their names", async () => {
      const people = ["5511911110003", "5511911110004"];
      await page.goto("/campaigns-config");
      await page.getByRole("combobox", { name: "Entre mensagens" }).selectOption("0");
      await page.getByRole("button", { name: "Salvar" }).click();
      await expect(page.getByRole("button", { name: "Salvar" })).toHaveCount(0);
      await page.goto("/contact-lists?new=");
      const list = page.getByRole("dialog", { name: "Nova lista de contatos" });
      await list.getByRole("textbox", { name: "Nome" }).fill("Pedidos");
      await list.getByRole("button", { name: "Salvar" }).click();
      await page.getByRole("link", { name: "Pedidos" }).click();
      for (const [place, number] of people.entries()) {
        await page.getByRole("button", { name: "Adicionar" }).first().click();
        const dialog = page.getByRole("dialog", { name: "Adicionar à lista" });
        await dialog.getByRole("textbox", { name: "Nome" }).fill(`Pessoa ${place}`);
        await dialog.getByRole("textbox", { name: "Número" }).fill(number);
        await dialog.getByRole("button", { name: "Salvar" }).click();
        await expect(page.getByRole("rowheader", { name: `Pessoa ${place}` })).toBeVisible();
      }
      await page.goto("/campaigns/new");
      const editor = page.getByRole("dialog", { name: /Nova campanha/ });
      await editor.getByRole("textbox", { name: "Nome" }).fill("Saiu");
      await editor.getByRole("combobox", { name: "Conexão" }).selectOption({ label: "Central" });
      await editor.getByRole("combobox", { name: "Lista de contatos" }).selectOption("Pedidos");
      await editor
        .getByRole("combobox", { name: "Modelo aprovado" })
        .selectOption("pedido_saiu pt_BR");
      await editor.getByLabel("Texto 1").fill("{nome}");
      await editor.getByLabel("Texto 2").fill("amanhã");
      await expect(editor.getByText("Olá Pessoa 0, seu pedido sai amanhã.")).toBeVisible();
      await editor.getByRole("button", { name: "Enviar agora" }).click();
      const question = page.getByRole("dialog", { name: "Enviar Saiu agora?" });
      await question.getByRole("button", { name: "Enviar agora" }).click();
      const got = (number: string) => graph.sent.filter(({ to }) => to === number);
      for (const number of people) await expect.poll(() => got(number)).toHaveLength(1);
      await expect(page.getByRole("row", { name: /Saiu/ })).toContainText("Finalizada");
      for (const number of people) {
        expect(got(number)).toMatchObject([{ template: { name: "pedido_saiu" } }]);
      }
    });
  } finally {
    await context.close();
    await product.stop();
    await graph.stop();
  }
});
