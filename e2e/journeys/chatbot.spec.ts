import type { Locator, Page } from "@playwright/test";
import { expectNoFindingsInWindows } from "../support/axe.ts";
import { expect, test } from "../support/journey.ts";
import { newMark } from "../support/mark.ts";
import type { Network } from "../support/network.ts";
import { showWaiting, simulator, tickets } from "../support/screens.ts";

test("a chatbot of two levels is built as a draft, previewed, tried, published and used by a customer; its queue is deleted", async ({
  signedIn,
  staff,
  network,
}) => {
  const page = await signedIn(staff.renata);
  const name = unique("Trocas");
  const menu = page.getByRole("navigation", { name: "Menu principal" });
  await menu.getByRole("link", { name: "Filas e chatbot" }).click();
  await expect(
    page.getByRole("heading", { level: 1, name: /^Filas e chatbot \d+$/ }),
  ).toBeVisible();
  const editor = page.getByRole("dialog", { name: `Editar ${name}` });
  let connectionId = 0;

  await test.step("a queue with a colour that no other has", async () => {
    await page.getByRole("button", { name: "Adicionar" }).click();
    const dialog = page.getByRole("dialog", { name: "Nova fila" });
    await expect(dialog.getByRole("textbox", { name: "Nome" })).toBeFocused();
    await expectNoFindingsInWindows(page, { where: "new queue" });
    await dialog.getByRole("textbox", { name: "Nome" }).fill(name);
    await dialog.getByRole("radio", { name: "Roxo médio, #8f6edb", exact: true }).check();
    await expect(dialog.getByRole("textbox", { name: "Cor", exact: true })).toHaveValue("#8f6edb");
    await dialog.getByRole("textbox", { name: "Saudação" }).fill("Olá, {{firstName}}.");
    await dialog.getByRole("tab", { name: "Chatbot" }).click();
    await dialog.getByRole("button", { name: "Salvar e continuar" }).click();
    await expect(editor.getByRole("button", { name: "Adicionar opção" })).toBeVisible();
  });

  await test.step("two levels, with the customer's view beside them", async () => {
    await addOption(page, editor, "Adicionar opção", "Pessoa", "Já chamamos alguém.");
    await addOption(page, editor, "Adicionar opção", "Produtos", "Sobre qual produto?");
    await addOption(page, editor, "Adicionar opção abaixo de Produtos", "Roupas", "Até 30 dias.");
    await addOption(page, editor, "Adicionar opção abaixo de Produtos", "Calçados", "Até 15 dias.");
    const preview = editor.getByRole("region", { name: "Como o cliente vê" });
    await expect(preview).toContainText("Olá, Maria.");
    await expect(preview).toContainText("[ 2 ] - Produtos");
    await expect(preview).toContainText("Até 15 dias.");
    await expect(preview).toContainText(`uma pessoa da fila ${name} atende`);
    await expectNoFindingsInWindows(page, { where: "chatbot editor" });
  });

  await test.step("the options change places by keyboard and by drag", async () => {
    await option(editor, "2 Produtos").focus();
    await page.keyboard.press("Alt+ArrowUp");
    await expect(option(editor, "1 Produtos")).toBeFocused();
    await expect(option(editor, "2 Pessoa")).toBeVisible();
    await drag(page, editor, "Calçados", "Roupas");
    await expect(option(editor, "1 Calçados")).toBeVisible();
    await expect
      .poll(() => optionsOf(network, name, "draft"))
      .toEqual([...["1 Calçados", "1 Produtos", "2 Pessoa", "2 Roupas"]]);
  });

  await test.step("tried on the phone in the dialog: by numbers, and again from the start", async () => {
    await editor.getByRole("button", { name: "Experimentar" }).click();
    const trial = page.getByRole("dialog", { name: `Experimentar ${name}` });
    const log = trial.getByRole("log", { name: "Conversa de teste" });
    await expect(
      trial.getByRole("textbox", { name: "Mensagem do cliente de teste" }),
    ).toBeFocused();
    await page.keyboard.type("Oi");
    await page.keyboard.press("Enter");
    await expect(log).toContainText("[ 1 ] - Produtos");
    await trial.getByRole("button", { name: "1 Produtos" }).click();
    await expect(log).toContainText("Sobre qual produto?");
    await expectNoFindingsInWindows(page, { where: "trial" });
    await page.keyboard.type("2");
    await page.keyboard.press("Enter");
    await expect(log).toContainText("Até 30 dias.");
    await expect(log).toContainText(`uma pessoa da fila ${name} atende`);
    await trial.getByRole("button", { name: "Recomeçar" }).click();
    await expect(log).not.toContainText("Produtos");
    await page.keyboard.press("Escape");
    await expect(trial).toHaveCount(0);
  });

  await test.step("customers get nothing of it until it is published, which shows what changes", async () => {
    expect(await optionsOf(network, name, "published")).toEqual([]);
    await expect(editor.getByText("Rascunho com 4 mudanças.")).toBeVisible();
    await editor.getByRole("button", { name: "Publicar" }).click();
    const question = page.getByRole("dialog", { name: `Publicar o chatbot de ${name}?` });
    await expect(question.getByRole("listitem")).toHaveText([
      "Nova Produtos",
      "Nova Produtos › Calçados",
      "Nova Produtos › Roupas",
      "Nova Pessoa",
    ]);
    await expectNoFindingsInWindows(page, { where: "publication" });
    await question.getByRole("button", { name: "Publicar" }).click();
    await expect(page.getByText("Chatbot publicado")).toBeVisible();
    await expect(editor.getByText("Publicado: os clientes já recebem este chatbot.")).toBeVisible();
    expect(await optionsOf(network, name, "published")).toHaveLength(4);
    await page.keyboard.press("Escape");
    await expect(editor).toHaveCount(0);
    await expectNoFindingsInWindows(page, { where: "queues" });
  });

  await test.step("a test customer writes to a connection with this queue, and the chatbot answers", async () => {
    connectionId = await addConnection(network, name);
    await page.goto(`/simulator?connection=${connectionId}`);
    await page.getByRole("button", { name: "Cliente de teste" }).click();
    await expect(page.getByRole("textbox", { name: "Mensagem do cliente" })).toBeFocused();
    await expect(simulator.phone(page)).toContainText("(teste)");
    await page.keyboard.type("Boa tarde");
    await page.keyboard.press("Enter");
    await expect(simulator.bubble(page, "[ 1 ] - Produtos")).toBeVisible();
    await simulator.write(page, "1");
    await expect(simulator.bubble(page, "Sobre qual produto?")).toBeVisible();
    // A publication in the middle of the menu: the answer to the old one shows the new one.
    await publishRenamed(network, name, "Roupas", "Vestuário");
    await simulator.write(page, "2");
    await expect(simulator.bubble(page, "[ 2 ] - Vestuário")).toBeVisible();
    await simulator.write(page, "2");
    await expect(simulator.bubble(page, "Até 30 dias.")).toBeVisible();
    const text = await simulator.phone(page).innerText();
    const customer = /Você é (.+? \(teste\))/.exec(text)?.[1] ?? "";
    await page.goto("/tickets");
    await showWaiting(page);
    await expect(tickets.card(page, customer)).toContainText(name);
  });

  await test.step("the question before its deletion counts what uses it, and its ticket goes to another queue", async () => {
    await menu.getByRole("link", { name: "Filas e chatbot" }).click();
    await page.getByRole("button", { name: `Excluir ${name}` }).click();
    const question = page.getByRole("dialog", { name: `Excluir a fila ${name}?` });
    await expect(question).toContainText("1 atendimento aberto ou aguardando está nela.");
    await expect(question).toContainText("4 opções do chatbot são excluídas.");
    await expectNoFindingsInWindows(page, { where: "queue deletion" });
    await question
      .getByRole("combobox", { name: "Os atendimentos vão para" })
      .selectOption("Vendas");
    await question.getByRole("button", { name: "Excluir" }).click();
    await expect(page.getByText("Fila excluída")).toBeVisible();
    await expect(page.getByRole("row").filter({ hasText: name })).toHaveCount(0);
    await network.api("DELETE /whatsapp/:connectionId", { params: { connectionId } });
  });
});

function unique(name: string): string {
  return `${name} ${newMark()}`;
}

const option = (editor: Locator, name: string): Locator =>
  editor.getByRole("button", { name, exact: true });

/** Adds an option and writes its title and text; it is saved once the row says so. */
async function addOption(
  page: Page,
  editor: Locator,
  button: string,
  title: string,
  text: string,
): Promise<void> {
  await editor.getByRole("button", { name: button, exact: true }).click();
  await expect(editor.getByRole("textbox", { name: "Título" })).toBeFocused();
  await expect(editor.getByRole("textbox", { name: "Título" })).toHaveValue("Nova opção");
  await page.keyboard.type(title);
  await page.keyboard.press("Enter");
  await editor.getByRole("textbox", { name: "Texto" }).fill(text);
  await editor.getByRole("textbox", { name: "Texto" }).blur();
}

/** Takes one option by its handle to the place before another one of its level. */
async function drag(page: Page, editor: Locator, from: string, to: string): Promise<void> {
  const handle = editor.getByRole("button", { name: `Arrastar ${from}` });
  await handle.hover();
  await page.mouse.down();
  const target = await editor.getByRole("button", { name: `Arrastar ${to}` }).boundingBox();
  if (!target) throw new Error(`${to} is not on the screen`);
  await page.mouse.move(target.x + target.width / 2, target.y + 3, { steps: 5 });
  await page.mouse.up();
}

/** The options of the draft, or those that customers get, by number and title. */
async function optionsOf(
  network: Network,
  queueName: string,
  version: "draft" | "published",
): Promise<string[]> {
  const { id } = await queueOf(network, queueName);
  const chatbot = await network.api("GET /queue/:queueId/chatbot", { params: { queueId: id } });
  return chatbot[version].options.map(({ option: number, title }) => `${number} ${title}`).sort();
}

/** Gives an option another title, and publishes it. */
async function publishRenamed(
  network: Network,
  queueName: string,
  title: string,
  newTitle: string,
): Promise<void> {
  const params = { queueId: (await queueOf(network, queueName)).id };
  const { published } = await network.api("GET /queue/:queueId/chatbot", { params });
  const option = published.options.find((one) => one.title === title);
  if (!option) throw new Error(`no option ${title}`);
  await network.api("PUT /queue-options/:queueOptionId", {
    params: { queueOptionId: option.id },
    body: { title: newTitle, draft: true },
  });
  const { draftAt } = await network.api("GET /queue/:queueId/chatbot", { params });
  const body = { draftAt: draftAt ?? "" };
  await network.api("POST /queue/:queueId/chatbot/publish", { params, body });
}

async function queueOf(network: Network, name: string) {
  const queue = (await network.api("GET /queue", { query: {} })).find((one) => one.name === name);
  if (!queue) throw new Error(`no queue ${name}`);
  return queue;
}

/** A simulated connection of its own, linked, with this queue alone. */
async function addConnection(network: Network, queueName: string): Promise<number> {
  const queue = await queueOf(network, queueName);
  const body = { name: queueName, channel: "simulator" as const, queueIds: [queue.id] };
  const { id } = await network.api("POST /whatsapp", { body });
  await expect
    .poll(async () => {
      const connections = await network.api("GET /simulator/connections");
      const own = connections.find((one) => one.id === id);
      if (own && own.qrcode !== "" && own.status !== "CONNECTED") {
        const path = "POST /simulator/connections/:connectionId/scan" as const;
        await network.api(path, { params: { connectionId: id }, body: { code: own.qrcode } });
      }
      return own?.status;
    })
    .toBe("CONNECTED");
  return id;
}
