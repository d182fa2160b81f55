import { ageLastMessage } from "../support/database.ts";
import { settledCount } from "../support/equal.ts";
import { expect, test } from "../support/journey.ts";
import { newMark } from "../support/mark.ts";
import { acceptWaiting, answer, countOn, showWaiting, tickets } from "../support/screens.ts";

test("an admin finds any ticket by name, number, text, tags and users, and it opens at the found message", async ({
  signedIn,
  staff,
  network,
}) => {
  const admin = await signedIn(staff.renata);
  const mark = newMark();
  const customer = await network.customer("Iracema Brandão");
  await customer.writes(`A peça ${mark} é de Paranaguá, na seção de coleções`);
  for (let number = 1; number <= 60; number += 1) await customer.writes(`Depois, ${number} de 60`);
  await acceptWaiting(admin, customer.name);
  await admin.goto("/tickets");
  const box = admin.getByRole("textbox", { name: "Buscar nos atendimentos" });
  const card = tickets.card(admin, customer.name);

  await test.step("by text anywhere in the history, without case and accents", async () => {
    await tickets.searchTab(admin).click();
    await expect(box).toBeFocused();
    await box.fill(`${mark} E DE PARANAGUA`);
    await expect(card.locator("mark")).toHaveText(`${mark} é de Paranaguá`);
    await expect(card).toContainText("na seção");
    await expect(tickets.list(admin).getByRole("listitem")).toHaveCount(1);
    await expect(admin.getByText("1 atendimento encontrado")).toBeVisible();

    await box.press("ArrowDown");
    await expect(card.getByRole("link")).toBeFocused();
    await admin.keyboard.press("Enter");
    await expect(tickets.message(admin, "Paranaguá")).toBeInViewport();
    await expect(tickets.message(admin, "Depois, 60 de 60")).toHaveCount(0);
  });

  await test.step("by name and by number", async () => {
    await box.fill(customer.name.replace("ã", "a"));
    await expect(card).toBeVisible();
    await box.fill(customer.phone.slice(-8));
    await expect(card).toBeVisible();
  });

  await test.step("by tags and by agent; an empty result is shown, and can be cleared", async () => {
    const filter = async (part: string, option: string): Promise<void> => {
      await admin.getByRole("button", { name: "Filtrar" }).click();
      await admin.getByRole("menuitem", { name: part }).click();
      await admin.getByRole("menuitemcheckbox", { name: option }).click();
      await admin.keyboard.press("Escape");
    };
    await box.fill("");
    await filter("Etiqueta", "Cliente VIP");
    await expect(tickets.card(admin, "Helena Duarte").first()).toBeVisible();
    await expect(card).toHaveCount(0);
    await filter("Atendente", "Rede simulada");
    await expect(admin.getByText("Nenhum atendimento com estes filtros")).toBeVisible();
    await admin.getByRole("button", { name: "Limpar filtros" }).click();
    await expect(admin.getByText("Busque em todos os atendimentos")).toBeVisible();
  });
});

test("cards show the age of the last message, in its ranges", async ({
  signedIn,
  staff,
  network,
  product,
}) => {
  const ages = [
    ["5 minutes", "5 min", "ok"],
    ["20 minutes", "há 20 min", null],
    ["45 minutes", "45 min", "warn"],
    ["3 hours", "3 h", "bad"],
    ["50 hours", "2 d", "bad"],
  ] as const;
  const customers = await Promise.all(ages.map(() => network.customer("Idade")));
  for (const [index, customer] of customers.entries()) {
    await customer.writes("Faz tempo");
    await ageLastMessage(product, (await customer.ticket()).uuid, ages[index]?.[0] ?? "");
  }
  const agent = await signedIn(staff.beatriz);
  await showWaiting(agent);
  for (const [index, customer] of customers.entries()) {
    const [, label, tone] = ages[index] ?? [];
    const shown = tickets.card(agent, customer.name).getByText(label ?? "", { exact: true });
    await expect(shown).toBeVisible();
    if (tone === null) await expect(shown).not.toHaveAttribute("data-tone", /./);
    else await expect(shown).toHaveAttribute("data-tone", String(tone));
  }
});

test("lists load on as they are scrolled, are finished from the card, and show whose queues were chosen", async ({
  signedIn,
  staff,
  network,
}) => {
  const agent = await signedIn(staff.marina);
  await showWaiting(agent);
  const before = await settledCount(agent, "Aguardando");
  const first = await network.customer("Fila longa");
  await first.writes("Sou o mais antigo da fila");
  await expect(tickets.card(agent, first.name)).toBeVisible();
  const others = await Promise.all(Array.from({ length: 44 }, () => network.customer("Visita")));
  for (const one of others) await one.writes("Bom dia");

  await test.step("the count is exact at once, the rest comes by scrolling", async () => {
    const total = before + 45;
    await expect(tickets.chip(agent, "Aguardando")).toHaveText(`Aguardando ${total}`);
    await agent.reload();
    await showWaiting(agent);
    const list = tickets.list(agent);
    await expect(list.getByRole("listitem").first()).toBeVisible();
    await list.getByRole("listitem").first().hover();
    await expect(async () => {
      await agent.mouse.wheel(0, 1_500);
      await expect(tickets.card(agent, first.name)).toBeVisible({ timeout: 500 });
    }).toPass();
  });

  await test.step("Resolver on the card asks and resolves", async () => {
    await agent.getByRole("button", { name: `Aceitar atendimento de ${first.name}` }).click();
    await expect(tickets.composer(agent, first.name)).toBeEnabled();
    await agent.getByRole("button", { name: `Resolver atendimento de ${first.name}` }).click();
    const dialog = agent.getByRole("dialog", {
      name: `Resolver o atendimento de ${first.name}?`,
    });
    await dialog.getByRole("button", { name: "Resolver" }).click();
    await expect(agent).toHaveURL("/tickets");
    await expect(tickets.card(agent, first.name)).toHaveCount(0);
    await tickets.tab(agent, "Resolvidos").click();
    await expect(tickets.card(agent, first.name)).toBeVisible();
  });

  await test.step("only the chosen queues, and all again", async () => {
    const [sales, support] = [await network.customer("Vendinha"), await network.customer("Ajuda")];
    for (const [customer, queue] of [
      [sales, "Vendas"],
      [support, "Suporte"],
    ] as const) {
      await customer.writes("Oi");
      await network.moveToQueue(await customer.ticket(), queue);
    }
    await tickets.tab(agent, "Abertos").click();
    await showWaiting(agent);
    await expect(tickets.card(agent, support.name)).toContainText("Suporte");
    const all = await settledCount(agent, "Aguardando");
    await agent.getByRole("button", { name: "Filtrar" }).click();
    await agent.getByRole("menuitem", { name: "Fila" }).click();
    await agent.getByRole("menuitemcheckbox", { name: "Vendas" }).click();
    await agent.keyboard.press("Escape");
    await expect(tickets.card(agent, sales.name)).toContainText("Vendas");
    await expect(tickets.card(agent, support.name)).toHaveCount(0);
    await expect.poll(() => countOn(tickets.chip(agent, "Aguardando"))).toBeLessThan(all);
    // The address keeps the filter.
    await agent.reload();
    await showWaiting(agent);
    await agent.getByRole("button", { name: "Remover o filtro Vendas" }).click();
    await expect(tickets.chip(agent, "Aguardando")).toHaveText(`Aguardando ${all}`);
  });
});

test("an admin previews a waiting conversation without marking it as read, and sees the tickets of others", async ({
  signedIn,
  staff,
  network,
}) => {
  const [admin, agent] = [await signedIn(staff.renata), await signedIn(staff.caio)];
  const customer = await network.customer("Larissa Campos");
  await customer.writes("Tem no tamanho M?");
  await showWaiting(admin);
  await showWaiting(agent);
  await expect(tickets.card(agent, customer.name)).toBeVisible();
  await expect(
    agent.getByRole("button", { name: `Espiar a conversa de ${customer.name}` }),
  ).toHaveCount(0);

  await test.step("a waiting card is no link", async () => {
    await expect(tickets.card(agent, customer.name).getByRole("link")).toHaveCount(0);
    await tickets.card(agent, customer.name).getByText(customer.name).click();
    await expect(agent).toHaveURL("/tickets");
  });

  await test.step("the preview is live, sends nothing and marks nothing as read", async () => {
    await admin.getByRole("button", { name: `Espiar a conversa de ${customer.name}` }).click();
    const dialog = admin.getByRole("dialog", { name: `Conversa de ${customer.name}` });
    await expect(dialog.getByText("Tem no tamanho M?")).toBeVisible();
    await customer.writes("Ou no P?");
    await expect(dialog.getByText("Ou no P?")).toBeVisible();
    await expect(dialog.getByRole("textbox")).toHaveCount(0);
    await dialog.getByRole("button", { name: "Fechar" }).last().click();
    await expect(tickets.card(admin, customer.name)).toContainText("2 mensagens não lidas");
    const acks = async () => (await customer.messages()).map(({ ack }) => ack);
    await expect.poll(acks).toEqual([2, 2]);
  });

  await test.step("a colleague's ticket is among all, with the colleague's name", async () => {
    await acceptWaiting(agent, customer.name);
    await answer(agent, customer.name, "Temos os dois");
    await tickets.chip(admin, "Atendendo").click();
    await expect(tickets.card(admin, customer.name)).toHaveCount(0);
    await admin.getByRole("button", { name: "Ver todos" }).click();
    await expect(tickets.card(admin, customer.name)).toContainText(staff.caio.name);
    await expect(tickets.card(admin, customer.name)).toContainText("Temos os dois");
    await admin.getByRole("button", { name: "Ver todos" }).click();
    await expect(tickets.card(admin, customer.name)).toHaveCount(0);
    await expect(agent.getByRole("button", { name: "Ver todos" })).toHaveCount(0);
  });
});

test.describe("a new ticket", () => {
  // Refused tickets and numbers stand in the console.
  test.use({ expectedErrors: /status of 4\d\d .*\/api\/(tickets|contacts)/ });

  test("is opened with a known or a new contact, in a queue, unless a colleague has the contact's ticket", async ({
    signedIn,
    staff,
    network,
  }) => {
    const agent = await signedIn(staff.marina);
    const [known, held] = [
      await network.customer("Teresa Vaz"),
      await network.customer("Ugo Reis"),
    ];
    const colleague = await signedIn(staff.caio);
    for (const customer of [known, held]) {
      await customer.writes("Oi");
    }
    await network.moveToQueue(await held.ticket(), "Vendas");
    await acceptWaiting(colleague, held.name);
    await acceptWaiting(agent, known.name);
    await tickets.pane(agent, known.name).getByRole("button", { name: "Resolver" }).click();
    await expect(agent).toHaveURL("/tickets");

    const opener = agent.getByRole("button", { name: "Novo atendimento" }).first();
    const dialog = agent.getByRole("dialog", { name: "Novo atendimento" });
    const contact = dialog.getByRole("combobox", { name: "Contato" });
    const queue = dialog.getByRole("combobox", { name: "Fila" });
    const submit = dialog.getByRole("button", { name: "Abrir atendimento" });

    await test.step("from three letters on, and with a queue", async () => {
      await opener.click();
      await contact.fill(known.name.slice(0, 2));
      await expect(agent.getByText("Digite ao menos 3 caracteres.")).toBeVisible();
      await contact.fill(known.name);
      await agent.getByRole("option", { name: known.name }).first().click();
      await submit.click();
      await expect(dialog.getByText("Selecione uma fila")).toBeVisible();
      await expect(queue).toBeFocused();
      await queue.click();
      await agent.getByRole("option", { name: "Suporte" }).click();
      await submit.click();
      await expect(dialog).toHaveCount(0);
      await expect(tickets.composer(agent, known.name)).toBeEnabled();
      await expect(tickets.pane(agent, known.name)).toContainText("Suporte");
    });

    await test.step("a colleague's: the page shows agent and queue", async () => {
      await opener.click();
      await contact.fill(held.name);
      await agent.getByRole("option", { name: held.name }).first().click();
      await queue.click();
      await agent.getByRole("option", { name: "Suporte" }).click();
      await submit.click();
      await expect(dialog.getByRole("alert")).toHaveText(
        `${staff.caio.name} já está atendendo este contato na fila Vendas.`,
      );
      await agent.keyboard.press("Escape");
      await expect(dialog).toHaveCount(0);
      await expect(opener).toBeFocused();
    });

    await test.step("an unknown number becomes a contact", async () => {
      const newcomer = await network.customer("Zilda Nova");
      await opener.click();
      await contact.fill(newcomer.name);
      await agent.getByRole("option", { name: `Criar contato “${newcomer.name}”` }).click();
      await expect(dialog.getByRole("textbox", { name: "Nome" })).toHaveValue(newcomer.name);
      const number = dialog.getByRole("textbox", { name: "Número" });
      await number.fill("55 11");
      await queue.click();
      await agent.getByRole("option", { name: "Vendas" }).click();
      const save = dialog.getByRole("button", { name: "Salvar e abrir atendimento" });
      await save.click();
      await expect(dialog.getByText("Informe ao menos 8 dígitos")).toBeVisible();
      await number.fill("5511999990000");
      await save.click();
      await expect(dialog.getByText("Este número não tem WhatsApp")).toBeVisible();
      await number.fill(newcomer.phone);
      await save.click();
      await expect(tickets.composer(agent, newcomer.name)).toBeEnabled();
      await answer(agent, newcomer.name, "Bem-vinda");
      await expect.poll(async () => (await newcomer.messages()).length).toBe(1);
    });
  });
});
