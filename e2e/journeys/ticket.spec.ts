import { expectNoFindings } from "../support/axe.ts";
import * as files from "../support/files.ts";
import { expect, test } from "../support/journey.ts";
import { acceptWaiting, answer, showWaiting, tickets } from "../support/screens.ts";

test("accepting greets the customer where the company wants it, and the ticket is transferred to a queue or a colleague", async ({
  signedIn,
  staff,
  network,
}) => {
  const marina = await signedIn(staff.marina);
  const caio = await signedIn(staff.caio);
  const customer = await network.customer("Gabriela Pinto");
  const dialog = marina.getByRole("dialog", {
    name: `Transferir ${customer.name}`,
  });
  const sales = dialog
    .getByRole("listbox", { name: /^Filas/ })
    .getByRole("option", { name: /^Vendas/ });
  const submit = dialog.getByRole("button", { name: /^Transferir/ });
  await customer.writes("Bom dia, tudo bem?");

  await test.step("the greeting has the names and the time of day", async () => {
    const params = { key: "sendGreetingAccepted" };
    await network.api("PUT /settings/:key", { params, body: { value: "enabled" } });
    try {
      await acceptWaiting(marina, customer.name);
      await expect(tickets.message(marina, "agora vou prosseguir com seu atendimento")).toHaveCount(
        1,
      );
    } finally {
      await network.api("PUT /settings/:key", { params, body: { value: "disabled" } });
    }
    await expect
      .poll(async () => (await customer.messages()).at(-1)?.body)
      .toMatch(
        new RegExp(`(Bom dia|Boa tarde|Boa noite|Boa madrugada).*${customer.name}.*Marina Prado`),
      );
  });

  await test.step("to a queue, whose agents see it waiting", async () => {
    await marina.getByRole("button", { name: "Transferir" }).click();
    // The dialog grows when its lists have come, and the button moves.
    await expect(sales).toBeVisible();
    await submit.click();
    await expect(dialog.getByText("Escolha uma pessoa ou uma fila")).toBeVisible();
    await sales.click();
    await submit.click();
    await expect(marina.getByText("Atendimento transferido para Vendas")).toBeVisible();
    await expect(marina).toHaveURL("/tickets");
    await expect(tickets.card(marina, customer.name)).toHaveCount(0);
    await showWaiting(caio);
    await expect(tickets.card(caio, customer.name)).toContainText("Vendas");
    await acceptWaiting(marina, customer.name);
    await expect(tickets.card(caio, customer.name)).toHaveCount(0);
  });

  await test.step("a resolution is undone by its button, a transfer by the keys", async () => {
    const address = marina.url();
    const undo = marina.getByRole("button", { name: "Desfazer" });
    await tickets.pane(marina, customer.name).getByRole("button", { name: "Resolver" }).click();
    await expect(marina).toHaveURL("/tickets");
    await undo.click();
    await expect(marina).toHaveURL(address);
    await expect(tickets.composer(marina, customer.name)).toBeEnabled();
    await expect(undo).toHaveCount(0);

    await marina.getByRole("button", { name: "Transferir" }).click();
    await sales.click();
    await submit.click();
    await expect(tickets.card(caio, customer.name)).toBeVisible();
    await expect(undo).toBeVisible();
    await marina.keyboard.press("Alt+z");
    await expect(marina).toHaveURL(address);
    await expect(tickets.card(caio, customer.name)).toHaveCount(0);
  });

  await test.step("to a colleague, found by name, who has it at once", async () => {
    await marina.getByRole("button", { name: "Transferir" }).click();
    await dialog.getByRole("combobox", { name: "Pessoa ou fila" }).fill("Caio");
    await dialog.getByRole("combobox", { name: "Fila" }).last().selectOption("Vendas");
    await submit.click();
    await expect(marina.getByText("Atendimento transferido para Caio Nunes")).toBeVisible();
    await tickets.chip(caio, "Atendendo").click();
    await tickets.card(caio, customer.name).getByRole("link").click();
    await expect(tickets.composer(caio, customer.name)).toBeEnabled();
    await answer(caio, customer.name, "Sou o Caio, vamos lá");
    await expect(tickets.message(caio, "Sou o Caio, vamos lá")).toHaveCount(1);
  });
});

test.describe("contact, notes and tags of a ticket", () => {
  // A page that has a ticket open while it is deleted asks for it once more.
  test.use({ expectedErrors: /status of 404 .*\/api\/tickets\/u\// });

  test("an agent keeps the contact, the tags and the notes of a ticket, and an admin deletes it", async ({
    signedIn,
    staff,
    network,
  }) => {
    const agent = await signedIn(staff.marina);
    const admin = await signedIn(staff.renata);
    const customer = await network.customer("Jonas Teles");
    await customer.writes("Quero um orçamento");
    await acceptWaiting(agent, customer.name);
    const address = agent.url();
    await tickets.chip(admin, "Atendendo").click();
    await admin.goto(address);
    await expect(tickets.message(admin, "Quero um orçamento")).toBeVisible();

    await test.step("tags: chosen, made on the spot, taken off, and live on other screens", async () => {
      const strip = agent.getByRole("group", { name: "Etiquetas do atendimento" });
      const made = `Urgente ${customer.phone.slice(-4)}`;
      const add = strip.getByRole("button", { name: "Etiqueta", exact: true });
      await add.click();
      await agent.getByRole("option", { name: "Orçamento", exact: true }).click();
      await expect(
        strip.getByRole("button", { name: "Remover a etiqueta Orçamento" }),
      ).toBeVisible();
      await agent.getByRole("textbox", { name: "Buscar ou criar etiqueta" }).fill(made);
      await agent.getByRole("option", { name: `Criar “${made}”` }).click();
      await expect(strip).toContainText(made);
      const others = admin.getByRole("group", { name: "Etiquetas do atendimento" });
      await expect(others).toContainText(made);
      await strip.getByRole("button", { name: `Remover a etiqueta ${made}` }).click();
      await expect(others).not.toContainText(made);
      await expect(others).toContainText("Orçamento");
    });

    const drawer = agent.getByRole("complementary", { name: "Dados do contato" });
    const heading = agent.getByRole("button", { name: customer.name, exact: true });
    await test.step("the contact: details, the form with its rules, extra information", async () => {
      await heading.click();
      const digits = async () => (await drawer.innerText()).replaceAll(/\D/g, "");
      await expect.poll(digits).toContain(customer.phone);
      await drawer.getByRole("button", { name: "Editar", exact: true }).click();
      const name = drawer.getByRole("textbox", { name: "Nome", exact: true });
      await name.fill("J");
      await drawer.getByRole("textbox", { name: "E-mail" }).fill("jonas");
      await drawer.getByRole("button", { name: "Salvar" }).click();
      await expect(drawer.getByText("Use de 2 a 50 caracteres")).toBeVisible();
      await expect(drawer.getByText("E-mail inválido")).toBeVisible();
      await name.fill(customer.name);
      await drawer.getByRole("textbox", { name: "E-mail" }).fill("jonas@exemplo.com.br");
      await drawer.getByRole("button", { name: "Adicionar informação" }).click();
      await drawer.getByRole("textbox", { name: "Nome da informação 1" }).fill("Tamanho");
      await drawer.getByRole("textbox", { name: "Valor da informação 1" }).fill("42");
      await drawer.getByRole("button", { name: "Salvar" }).click();
      await expect(agent.getByText("Contato salvo")).toBeVisible();
      await expect(drawer.getByText("42", { exact: true })).toBeVisible();
      await expect(drawer.getByRole("link", { name: "jonas@exemplo.com.br" })).toBeVisible();
    });

    await test.step("notes: in the panel and in the timeline, for colleagues only", async () => {
      const field = drawer.getByRole("textbox", { name: "Nova observação" });
      const add = drawer.getByRole("button", { name: "Adicionar observação" });
      await field.fill("x");
      await add.click();
      await expect(drawer.getByText("Escreva pelo menos 2 caracteres")).toBeVisible();
      await field.fill("Prefere retirar na loja");
      await add.click();
      await expect(agent.getByText("Observação adicionada com sucesso!")).toBeVisible();
      const inTimeline = (page: typeof agent) =>
        tickets.messages(page).getByRole("note", { name: "Nota interna" });
      await expect(inTimeline(agent)).toContainText("Prefere retirar na loja");
      await expect(inTimeline(admin)).toContainText("Marina Prado");
      expect((await customer.messages()).map(({ body }) => body)).toEqual(["Quero um orçamento"]);
      await drawer.getByRole("button", { name: /^Excluir a observação de Marina Prado/ }).click();
      await expect(agent.getByText("Observação excluída com sucesso!")).toBeVisible();
      await expect(inTimeline(admin)).toHaveCount(0);
    });

    await test.step("history: this attendance and those before, with their ends", async () => {
      await expect(drawer.getByRole("link", { name: /em atendimento/ })).toHaveCount(1);
      await agent.keyboard.press("Alt+i");
      await expect(drawer).toHaveCount(0);
      await tickets.pane(agent, customer.name).getByRole("button", { name: "Resolver" }).click();
      await expect(agent).toHaveURL("/tickets");
      await customer.writes("Voltei");
      await acceptWaiting(agent, customer.name);
      await expect(tickets.messages(agent)).toContainText("Atendimento resolvido por Marina Prado");
      await expect(tickets.messages(agent)).toContainText("Marina Prado iniciou o atendimento");
      await heading.click();
      await expect(drawer.getByRole("link", { name: /em atendimento/ })).toHaveCount(1);
      await expect(drawer.getByRole("link", { name: /resolvido/ })).toHaveCount(1);
      await drawer.getByRole("button", { name: "Fechar os dados do contato" }).click();
      await expect(heading).toBeFocused();
    });

    await test.step("deleted by an admin only, after a question, from every screen", async () => {
      await agent.getByRole("button", { name: "Mais ações" }).click();
      await expect(agent.getByRole("menuitem", { name: "Excluir" })).toHaveCount(0);
      await agent.keyboard.press("Escape");
      await admin.getByRole("button", { name: "Mais ações" }).click();
      await admin.getByRole("menuitem", { name: "Excluir" }).click();
      const dialog = admin.getByRole("dialog", {
        name: `Excluir o atendimento de ${customer.name}?`,
      });
      await expect(dialog.getByRole("button", { name: "Cancelar" })).toBeFocused();
      await dialog.getByRole("button", { name: "Excluir" }).click();
      await expect(admin.getByText("Atendimento excluído")).toBeVisible();
      await expect(admin).toHaveURL("/tickets");
      await expect(agent).toHaveURL("/tickets");
      await expect(tickets.card(agent, customer.name)).toHaveCount(0);
    });
  });
});

test("a message is scheduled from the ticket, changed, cancelled, and sent at its time", async ({
  signedIn,
  staff,
  network,
}) => {
  const agent = await signedIn(staff.marina);
  const customer = await network.customer("Sandra Melo");
  await customer.writes("Me lembra amanhã?");
  await acceptWaiting(agent, customer.name);
  const dialog = agent.getByRole("dialog", { name: "Agendar mensagem" });
  const body = dialog.getByRole("textbox", { name: "Mensagem" });
  const at = dialog.getByLabel("Enviar em");
  const submit = dialog.getByRole("button", { name: "Agendar" });

  await test.step("its rules are shown at the fields", async () => {
    await agent.keyboard.press("Alt+s");
    await expect(dialog).toContainText(`Para ${customer.name}`);
    await expect(body).toBeFocused();
    await body.fill("Oi");
    await at.fill("2020-01-01T10:00");
    await submit.click();
    await expect(dialog.getByText("Mensagem muito curta")).toBeVisible();
    await expect(dialog.getByText("Escolha uma data e hora no futuro")).toBeVisible();
    await expectNoFindings(agent, { where: "schedule dialog with errors" });
    await agent.keyboard.press("Escape");
    await expect(dialog).toHaveCount(0);
  });

  await test.step("send later takes the written text along", async () => {
    await tickets.composer(agent, customer.name).fill("Oi, {{firstName}}! Passando para lembrar.");
    await agent.getByRole("button", { name: "Mais opções de envio" }).click();
    await agent.getByRole("menuitem", { name: "Enviar depois" }).click();
    await expect(body).toHaveValue("Oi, {{firstName}}! Passando para lembrar.");
    const chooser = agent.waitForEvent("filechooser");
    await dialog.getByRole("button", { name: "Anexar imagem" }).click();
    await (await chooser).setFiles(files.picture("lembrete.png"));
    await expect(dialog).toContainText("lembrete.png");
    await submit.click();
    await expect(agent.getByText("Agendamento salvo")).toBeVisible();
    await expect(dialog).toHaveCount(0);
  });

  const { contactId } = await customer.ticket();
  const drawer = agent.getByRole("complementary", { name: "Dados do contato" });
  await test.step("it stands in the contact's panel", async () => {
    await agent.keyboard.press("Alt+i");
    await expect(drawer).toContainText("Passando para lembrar.");
    await expect(drawer).toContainText("Pendente");
  });

  await test.step("when its time comes it is on the phone, with its picture and its variable", async () => {
    const query = { contactId, dateStart: undefined, dateEnd: undefined };
    const { schedules } = await network.api("GET /schedules", { query });
    const [schedule] = schedules;
    if (!schedule) throw new Error("nothing is scheduled");
    await network.api("PUT /schedules/:scheduleId", {
      params: { scheduleId: schedule.id },
      query: {},
      body: {
        body: schedule.body,
        contactId,
        sendAt: new Date(Date.now() + 1_500).toISOString(),
      },
    });
    await expect.poll(async () => (await customer.messages()).length).toBe(2);
    const sent = (await customer.messages()).at(-1);
    expect(sent).toMatchObject({ kind: "image", fromCustomer: false });
    expect(sent?.body).toContain("Oi, Sandra! Passando para lembrar.");
    await expect(tickets.message(agent, "Oi, Sandra! Passando para lembrar.")).toHaveCount(1);
    await expect(drawer).not.toContainText("Pendente");
  });

  await test.step("another one is cancelled", async () => {
    await drawer.getByRole("button", { name: "Fechar os dados do contato" }).click();
    await agent.getByRole("button", { name: "Agendar" }).click();
    await body.fill("Isto não vai sair");
    await submit.click();
    await expect(dialog).toHaveCount(0);
    await agent.keyboard.press("Alt+i");
    await expect(drawer).toContainText("Isto não vai sair");
    await drawer.getByRole("button", { name: /^Excluir o agendamento de/ }).click();
    await expect(agent.getByText("Agendamento excluído")).toBeVisible();
    await expect(drawer).not.toContainText("Isto não vai sair");
  });
});
