import { expect, test } from "../support/journey.ts";
import { acceptWaiting, tickets } from "../support/screens.ts";

test("unread tickets are counted on the bell and in the tab's title, and lead to their conversation", async ({
  signedIn,
  staff,
  network,
}) => {
  const agent = await signedIn(staff.beatriz);
  const bell = agent.getByRole("banner").getByRole("button", { name: /não lidas$/ });
  const unreadTickets = async () => parseInt(String(await bell.getAttribute("aria-label")), 10);
  const [mine, waiting] = [await network.customer("Alba Reis"), await network.customer("Breno Sá")];
  await mine.writes("Oi");
  await acceptWaiting(agent, mine.name);
  await expect(tickets.card(agent, mine.name)).not.toContainText("não lida");
  await agent.goto("/tags");
  await expect(agent.getByRole("heading", { level: 1, name: "Etiquetas" })).toBeVisible();
  // The demo's customers wait, too.
  await expect(agent).toHaveTitle(/^\(\d+\) Etiquetas · Balcão$/);
  const before = await unreadTickets();

  await test.step("each ticket counts once, however many messages it has", async () => {
    await mine.writes("Você aí?");
    await mine.writes("Consegue ver?");
    await waiting.writes("Primeira vez aqui");
    await expect(bell).toHaveAccessibleName(`${before + 2} atendimentos com mensagens não lidas`);
    await expect(agent).toHaveTitle(`(${before + 2}) Etiquetas · Balcão`);
  });

  const list = agent.getByRole("dialog", { name: "Mensagens não lidas" });
  await test.step("the list has contact, text and count, and opens the ticket", async () => {
    await bell.click();
    const row = list.getByRole("link").filter({ hasText: mine.name });
    await expect(row).toContainText("Consegue ver?");
    await expect(row).toContainText("2 mensagens não lidas");
    await row.click();
    await expect(tickets.composer(agent, mine.name)).toBeVisible();
    await expect(list).toHaveCount(0);
    await expect(agent).toHaveTitle(new RegExp(`^\\(${before + 1}\\) `));
  });

  await test.step("a waiting one leads to the list in which it can be accepted", async () => {
    await bell.click();
    await list.getByRole("link").filter({ hasText: waiting.name }).click();
    await expect(agent).toHaveURL("/tickets");
    await expect(
      agent.getByRole("button", { name: `Aceitar atendimento de ${waiting.name}` }),
    ).toBeFocused();
  });
});

test("the menu says the server's version", async ({ signedIn, staff, network }) => {
  const agent = await signedIn(staff.marina);
  const { version } = await network.api("GET /version", {});
  await expect(agent.getByText(`Versão ${version}`)).toBeVisible();
});

test("the volume of the alerts is kept on this device, and the reload button keeps everything", async ({
  signedIn,
  staff,
}) => {
  const agent = await signedIn(staff.beatriz);
  const volume = agent.getByRole("button", { name: "Volume das notificações" });
  const slider = agent.getByRole("slider", { name: "Volume" });
  await volume.click();
  await expect(slider).toHaveValue("1");
  await slider.focus();
  for (let step = 0; step < 7; step += 1) await agent.keyboard.press("ArrowLeft");
  await expect(slider).toHaveAttribute("aria-valuetext", "30%");
  await agent.keyboard.press("Escape");
  await expect(slider).toHaveCount(0);
  await expect(volume).toBeFocused();

  await agent.evaluate(() => document.documentElement.toggleAttribute("data-marked", true));
  await agent.getByRole("button", { name: "Recarregar" }).click();
  await expect(agent.locator("html[data-marked]")).toHaveCount(0);
  await expect(agent.getByText("Olá, Beatriz")).toBeVisible();
  await volume.click();
  await expect(slider).toHaveAttribute("aria-valuetext", "30%");
  expect(await agent.evaluate(() => localStorage.getItem("volume"))).toBe("0.3");
});

test("the palette finds tickets and contacts, goes to pages and acts on the open ticket", async ({
  signedIn,
  staff,
  network,
}) => {
  const agent = await signedIn(staff.marina);
  const customer = await network.customer("Cíntia Rosa");
  await customer.writes("Sobre o casaco bordô");
  await acceptWaiting(agent, customer.name);
  const address = agent.url();
  const palette = agent.getByRole("dialog", { name: "Buscar e executar" });
  const field = palette.getByRole("combobox", { name: "Buscar e executar" });
  const group = (name: string) => palette.getByRole("group", { name });
  const open = async (words: string): Promise<void> => {
    await agent.keyboard.press("Control+k");
    await expect(field).toBeFocused();
    await agent.keyboard.type(words);
  };

  await test.step("to a page by its name", async () => {
    await open("etiq");
    await expect(group("Ir para").getByRole("option", { name: "Etiquetas" })).toBeVisible();
    await agent.keyboard.press("Enter");
    await expect(agent).toHaveURL("/tags");
  });

  await test.step("to a ticket by words of its messages", async () => {
    await open("casaco bordo");
    const found = group("Atendimentos").getByRole("option").filter({ hasText: customer.name });
    await expect(found).toBeVisible();
    await found.click();
    await expect(agent).toHaveURL(new RegExp(`^${address}`));
    await expect(tickets.message(agent, "Sobre o casaco bordô")).toBeVisible();
  });

  await test.step("to a contact, with whom a ticket can be opened", async () => {
    await open(customer.name);
    await group("Contatos").getByRole("option").filter({ hasText: customer.name }).click();
    const dialog = agent.getByRole("dialog", { name: "Novo atendimento" });
    await expect(dialog.getByRole("combobox", { name: "Contato" })).toHaveValue(customer.name);
    await dialog.getByRole("button", { name: "Cancelar" }).click();
    await expect(dialog).toHaveCount(0);
  });

  await test.step("to act on the open ticket", async () => {
    await agent.goto(address);
    await expect(tickets.composer(agent, customer.name)).toBeEnabled();
    await open("transf");
    await group("Nesta tela").getByRole("option", { name: "Transferir" }).click();
    await expect(agent.getByRole("dialog", { name: `Transferir ${customer.name}` })).toBeVisible();
    await agent.keyboard.press("Escape");
  });

  await test.step("an empty result is shown; ? lists the keys, but not in a text field", async () => {
    await open("nadinha de nada");
    await expect(palette.getByText("Nada encontrado para “nadinha de nada”")).toBeVisible();
    await agent.keyboard.press("Escape");
    await expect(palette).toHaveCount(0);
    const sheet = agent.getByRole("dialog", { name: "Atalhos do teclado" });
    await tickets.composer(agent, customer.name).pressSequentially("?");
    await expect(tickets.composer(agent, customer.name)).toHaveValue("?");
    await expect(sheet).toHaveCount(0);
    await tickets.composer(agent, customer.name).fill("");
    await tickets.chip(agent, "Atendendo").focus();
    await agent.keyboard.press("?");
    await expect(sheet).toContainText("Transferir");
    await expect(sheet).toContainText("Com o campo vazio: editar a última mensagem");
    await agent.keyboard.press("Escape");
    await expect(tickets.chip(agent, "Atendendo")).toBeFocused();
  });
});
