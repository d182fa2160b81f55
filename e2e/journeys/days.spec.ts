import type { Page } from "@playwright/test";
import { expect, test } from "../support/journey.ts";
import { newMark } from "../support/mark.ts";
import type { Network } from "../support/network.ts";
import { acceptWaiting, answer, tickets } from "../support/screens.ts";

// The network goes away in the middle of the agent's day.
test.use({ expectedErrors: /net::ERR_|WebSocket connection to/ });

test("a day of an agent: a note for the manager, no network, an undo, a macro, a snooze, a saved view", async ({
  signedIn,
  staff,
  network,
}) => {
  const [agent, manager] = [await signedIn(staff.marina), await signedIn(staff.renata)];
  const { id: macroId } = await network.api("POST /macros", {
    body: { ...macro, key: "9", message: "Pagamento confirmado!", resolves: true },
  });
  const customer = await network.customer("Helena Duarte");
  await customer.writes("O Pix caiu?");
  await acceptWaiting(agent, customer.name);
  const composer = tickets.composer(agent, customer.name);

  await test.step("a note asks the manager, who gets a notice and comes to it", async () => {
    await composer.focus();
    await agent.keyboard.press("Alt+n");
    const note = agent.getByRole("textbox", { name: "Nova observação" });
    await expect(note).toBeFocused();
    await agent.keyboard.type("@Renata");
    await expect(agent.getByRole("option", { name: /^Renata Aguiar/ })).toBeVisible();
    await agent.keyboard.press("Enter");
    await agent.keyboard.type("o Pix dela caiu?");
    await agent.keyboard.press("Control+Enter");
    await expect(agent.getByRole("note")).toContainText("@Renata Aguiar o Pix dela caiu?");

    const bell = manager.getByRole("banner").getByRole("button", { name: /1 menção/ });
    await bell.click();
    await manager.getByRole("link").filter({ hasText: "o Pix dela caiu?" }).click();
    await expect(manager.getByRole("note")).toContainText("o Pix dela caiu?");
    await expect(manager.getByRole("banner").getByRole("button", { name: /menção/ })).toHaveCount(
      0,
    );
  });

  await test.step("what is written without network goes out by itself", async () => {
    await agent.getByRole("tab", { name: "Responder" }).click();
    await agent.context().setOffline(true);
    await expect(agent.getByRole("status").filter({ hasText: "Sem conexão." })).toBeVisible();
    await answer(agent, customer.name, "Vou conferir e já volto");
    await expect(tickets.message(agent, "Vou conferir")).toContainText("Na fila");
    await agent.context().setOffline(false);
    const sent = tickets.message(agent, "Vou conferir");
    await expect(sent.getByRole("img", { name: "entregue" })).toBeVisible();
    await expect(agent.getByText("Conexão restabelecida.")).toBeHidden();
  });

  await test.step("resolved too early: an undo brings the conversation back", async () => {
    await composer.press("Alt+r");
    const question = agent.getByRole("dialog", { name: /^Resolver o atendimento/ });
    await expect(question.getByRole("button", { name: "Resolver" })).toBeFocused();
    await agent.keyboard.press("Enter");
    await expect(agent).toHaveURL("/tickets");
    await agent.getByRole("button", { name: "Desfazer" }).click();
    await expect(composer).toBeEnabled();
    await expect(tickets.card(agent, customer.name)).toBeVisible();
  });

  await test.step("a macro answers and resolves with one key", async () => {
    await composer.press("Alt+Shift+9");
    await expect(agent.getByText(/^Macro Pago executada\./)).toBeVisible();
    await expect(agent).toHaveURL("/tickets");
    await expect(tickets.card(agent, customer.name)).toHaveCount(0);
    await customer.received("Pagamento confirmado!");
  });

  const later = await network.customer("Otávio Ramos");
  await later.writes("Ainda vou medir a parede");
  await acceptWaiting(agent, later.name);

  await test.step("put off until the customer answers, who does", async () => {
    await agent.getByRole("button", { name: "Adiar" }).click();
    const dialog = agent.getByRole("dialog", { name: `Adiar o atendimento de ${later.name}` });
    await dialog.getByRole("button", { name: "Até o cliente responder" }).click();
    await expect(tickets.card(agent, later.name)).toHaveCount(0);
    await agent.getByRole("button", { name: /^Adiados/ }).click();
    await expect(tickets.card(agent, later.name)).toContainText("volta quando o cliente responder");
    await agent.getByRole("button", { name: /^Adiados/ }).click();
    await expect(tickets.card(agent, later.name)).toHaveCount(0);
    await later.writes("Medi: são três metros");
    await expect(tickets.card(agent, later.name)).toContainText("Medi: são três metros");
  });

  await test.step("the unread ones are a view, one press away", async () => {
    await agent.getByRole("button", { name: "Filtrar" }).click();
    await agent.getByRole("menuitemcheckbox", { name: "Não lidas" }).click();
    await agent.keyboard.press("Escape");
    await agent.getByRole("button", { name: "Salvar os filtros como visão" }).click();
    const dialog = agent.getByRole("dialog", { name: "Salvar visão" });
    await dialog.getByRole("textbox", { name: /^Nome da visão/ }).fill("Por ler");
    await dialog.getByRole("button", { name: "Salvar" }).click();
    const view = agent.getByRole("button", { name: /^Por ler/ });
    await expect(view).toHaveAttribute("aria-pressed", "true");
    await expect(tickets.card(agent, later.name)).toBeVisible();
    await view.click();
    await expect(view).toHaveAttribute("aria-pressed", "false");
    await agent.reload();
    await view.click();
    await expect(tickets.card(agent, later.name)).toBeVisible();
  });

  await network.api("DELETE /macros/:macroId", { params: { macroId } });
});

test("a day of a supervisor: a queue with targets that assigns in turns, a pause, the team's load, many at once", async ({
  signedIn,
  staff,
  network,
}) => {
  const admin = await signedIn(staff.renata);
  const queueName = `Plantão ${newMark()}`;

  await test.step("a queue that assigns in turns, with a target for the first answer", async () => {
    await admin.goto("/queues");
    await admin.getByRole("button", { name: "Adicionar" }).first().click();
    const dialog = admin.getByRole("dialog", { name: "Nova fila" });
    await dialog.getByRole("textbox", { name: "Nome" }).fill(queueName);
    await dialog.getByText("Em turnos", { exact: true }).click();
    await dialog.getByRole("textbox", { name: "Primeira resposta" }).fill("30");
    await dialog.getByRole("button", { name: "Salvar" }).click();
    await expect(admin.getByText("Fila salva")).toBeVisible();
  });

  const queues = await network.api("GET /queue", { query: {} });
  const queueIds = queues.filter(({ name }) => name === queueName).map(({ id }) => id);
  const [ana, bia] = [
    await addAgent(network, "Ana Plantonista", queueIds),
    await addAgent(network, "Bia Plantonista", queueIds),
  ];
  const [first, second] = [await signedIn(ana), await signedIn(bia)];
  await admin.goto("/tickets");
  const team = admin.getByRole("region", { name: "Equipe" });

  const come = async (name: string) => {
    const customer = await network.customer(name);
    await customer.writes("Preciso de ajuda agora");
    await network.moveToQueue(await customer.ticket(), queueName);
    return customer;
  };
  const isMine = (page: Page, name: string) => expect(tickets.card(page, name)).toBeVisible();

  const customers =
    await test.step("two tickets go to two people, who see what is left", async () => {
      const [one, other] = [await come("Cliente Um"), await come("Cliente Dois")];
      await isMine(first, one.name);
      await isMine(second, other.name);
      await expect(tickets.card(first, other.name)).toHaveCount(0);
      await expect(tickets.card(first, one.name)).toContainText(/falta/);
      await tickets.card(first, one.name).getByRole("link").click();
      await answer(first, one.name, "Bom dia, já vejo");
      const queue = team.getByRole("button", { name: new RegExp(queueName) });
      await expect(queue).toContainText("100 % na meta");
      return [one, other];
    });

  await test.step("who is on a pause gets none, and the team's strip says so", async () => {
    await first.getByRole("button", { name: `Conta de ${ana.name}` }).click();
    await first.getByRole("menuitemradio", { name: "Almoço" }).click();
    await expect(team.getByText(/^Almoço/)).toBeVisible();
    for (const name of ["Cliente Três", "Cliente Quatro"]) {
      const next = await come(name);
      await isMine(second, next.name);
      customers.push(next);
    }
    await expect(tickets.card(first, "Cliente Três")).toHaveCount(0);
    const load = team.getByRole("button", { name: /Bia/ });
    await expect(load).toContainText(/Bia ?3 de/);
  });

  await test.step("their tickets are resolved together, and all come back", async () => {
    await admin.getByRole("button", { name: "Ver todos" }).click();
    await team.getByRole("button", { name: new RegExp(queueName) }).click();
    for (const { name } of customers) {
      const card = tickets.card(admin, name);
      await card.hover();
      await card.getByRole("checkbox").check();
    }
    const bar = admin.getByRole("toolbar", { name: "Ações para os atendimentos selecionados" });
    await expect(bar).toContainText("4 selecionados");
    await bar.getByRole("button", { name: "Resolver" }).click();
    const dialog = admin.getByRole("dialog", { name: /^Resolver 4 atendimentos/ });
    await dialog.getByRole("button", { name: "Resolver" }).click();
    for (const { name } of customers) await expect(tickets.card(admin, name)).toHaveCount(0);
    await expect(tickets.card(second, "Cliente")).toHaveCount(0);
    await admin.getByRole("button", { name: "Desfazer" }).click();
    for (const { name } of customers) await expect(tickets.card(admin, name)).toBeVisible();
    await expect(tickets.card(second, "Cliente")).toHaveCount(3);
  });
});

const macro = { name: "Pago", key: null, message: "", tagId: null, queueId: null, reasonId: null };

async function addAgent(network: Network, wanted: string, queueIds: number[]) {
  const mark = newMark();
  const person = {
    name: `${wanted} ${mark}`,
    email: `${mark}@aurora.local`,
    password: `Plantao-${mark}-9`,
  };
  await network.api("POST /users", { body: { ...person, queueIds } });
  return person;
}
