import type { Page } from "@playwright/test";
import * as files from "../support/files.ts";
import { expect, test } from "../support/journey.ts";
import { newMark } from "../support/mark.ts";
import { acceptWaiting, answer, simulator, tickets } from "../support/screens.ts";

test("the simulator's page sends every kind of message, and shows the replies", async ({
  signedIn,
  staff,
  network,
}) => {
  const phone = await signedIn(staff.renata);
  const agent = await signedIn(staff.marina);
  const customer = await network.customer("Fábio Luz");
  await customer.writes("Cheguei");
  await acceptWaiting(agent, customer.name);
  await phone.goto(`/simulator?phone=${customer.phone}`);
  await expect(simulator.bubble(phone, "Cheguei")).toBeVisible();
  const messages = tickets.messages(agent).getByRole("article");

  await test.step("files, each as its kind", async () => {
    const photo = files.picture("foto.png");
    await sendFile(phone, "Imagem", photo);
    await expect(messages.nth(1).getByRole("button", { name: "Abrir: Foto" })).toBeVisible();
    await sendFile(phone, "Vídeo", await files.video(phone, "filme.webm"));
    await expect(messages.nth(2).getByRole("button", { name: "Abrir: Vídeo" })).toBeVisible();
    await sendFile(phone, "Mensagem de voz", files.tone("voz.wav", 1));
    await expect(messages.nth(3).getByRole("button", { name: "Ouvir" })).toBeVisible();
    await sendFile(phone, "Figurinha", files.picture("fig.png", [200, 60, 60]));
    await expect(messages.nth(4).getByRole("img", { name: "Figurinha" })).toBeVisible();
    await sendFile(phone, "Documento", files.pdf("nota.pdf"));
    await expect(messages.nth(5).getByRole("link", { name: "Baixar nota.pdf" })).toBeVisible();
    await sendFile(phone, "Foto de visualização única", photo);
    await expect(messages.nth(6)).toContainText("Visualização única");
  });

  await test.step("contents, with an example filled in", async () => {
    await sendContent(phone, "Localização");
    await expect(messages.nth(7)).toContainText("Marco Zero");
    await sendContent(phone, "Contato");
    await expect(messages.nth(8)).toContainText("Paulo Souza");
    await sendContent(phone, "Enquete");
    await expect(messages.nth(9)).toContainText("Qual horário prefere?");
    await sendContent(phone, "Mensagem vinda de anúncio");
    await expect(messages.nth(10)).toContainText("Veio por um anúncio");
    await sendContent(phone, "Outro tipo");
    await expect(messages.nth(11)).toContainText("Produto");
    await choose(phone, "Chamada de voz");
    await expect(tickets.message(agent, "Chamada de voz perdida")).toHaveCount(1);
    await expect(simulator.bubble(phone, "Chamada de voz · recusada")).toBeVisible();
  });

  await test.step("a vote, an answer, an edit, a reaction, a deletion", async () => {
    await optionOf(phone, "Qual horário prefere?", "Votar em “Tarde”");
    await expect(tickets.message(agent, "Votou em: Tarde")).toHaveCount(1);
    await optionOf(phone, "Cheguei", "Editar");
    await expect(phone.getByText("Editando: Cheguei")).toBeVisible();
    await simulator.write(phone, "Cheguei agora");
    await expect(tickets.message(agent, "Cheguei agora")).toContainText("editada");
    await answer(agent, customer.name, "Que bom!");
    await expect(simulator.bubble(phone, "Que bom!")).toBeVisible();
    await optionOf(phone, "Que bom!", "Reagir com ❤️");
    await expect(
      tickets.message(agent, "Que bom!").getByRole("button", { name: /^❤️ de/ }),
    ).toBeVisible();
    await optionOf(phone, "Que bom!", "Responder");
    await simulator.write(phone, "Também acho");
    await expect(
      tickets.message(agent, "Também acho").getByRole("button", { name: /Que bom!/ }),
    ).toBeVisible();
    await optionOf(phone, "Cheguei agora", "Apagar para todos");
    await expect(tickets.message(agent, "Mensagem apagada")).toHaveCount(1);
  });

  await test.step("agents' actions are shown on the phone", async () => {
    const sent = tickets.message(agent, "Também acho");
    await sent.hover();
    await sent.getByRole("button", { name: "Opções da mensagem" }).click();
    await agent.getByRole("menuitem", { name: "Reagir com 👍" }).click();
    await expect(phone.getByText("👍", { exact: true })).toBeVisible();
    await tickets.composer(agent, customer.name).press("ArrowUp");
    await tickets.composer(agent, customer.name).fill("Que ótimo!");
    await tickets.composer(agent, customer.name).press("Enter");
    await expect(simulator.bubble(phone, "Que ótimo!").first()).toContainText("editada");
  });
});

test("a group made in the simulator writes by its members, and its network can lose files", async ({
  signedIn,
  staff,
}) => {
  const phone = await signedIn(staff.renata);
  await phone.goto("/simulator");
  const name = `Clube ${newMark()}`;
  await phone.getByRole("button", { name: "Novo grupo" }).click();
  const dialog = phone.getByRole("dialog", { name: "Novo grupo" });
  await dialog.getByRole("button", { name: "Criar grupo" }).click();
  await expect(dialog.getByText("Informe o nome")).toBeVisible();
  await dialog.getByRole("textbox", { name: "Nome do grupo" }).fill(name);
  await dialog.getByRole("textbox", { name: "Participantes" }).fill("Ana, Bruno");
  await dialog.getByRole("button", { name: "Criar grupo" }).click();
  await expect(simulator.phone(phone).getByText(`Você é ${name}`)).toBeVisible();
  await phone.getByRole("combobox", { name: "Quem escreve" }).selectOption("Bruno");
  await simulator.write(phone, "Oi de Bruno");
  await expect(simulator.bubble(phone, "Oi de Bruno")).toContainText("Bruno");

  const fileMode = phone.getByRole("combobox", { name: "Arquivos dos clientes" });
  // The field changes before the server has it, and a reload would cut that off.
  const stored = phone.waitForResponse((reply) => reply.url().endsWith("/network"));
  await fileMode.selectOption("Não existem mais");
  await stored;
  await phone.reload();
  await expect(fileMode).toHaveValue("gone");
  await fileMode.selectOption("São entregues");
  await expect(fileMode).toHaveValue("deliver");
});

async function choose(page: Page, item: string): Promise<void> {
  await page.getByRole("button", { name: "Enviar outra coisa" }).click();
  await page.getByRole("menuitem", { name: item, exact: true }).click();
}

async function sendFile(page: Page, item: string, file: files.NamedFile): Promise<void> {
  const chooser = page.waitForEvent("filechooser");
  await choose(page, item);
  await (await chooser).setFiles(file);
}

async function sendContent(page: Page, item: string): Promise<void> {
  await choose(page, item);
  const dialog = page.getByRole("dialog", { name: item });
  await dialog.getByRole("button", { name: "Enviar" }).click();
  await expect(dialog).toHaveCount(0);
}

/** The customer's actions on one message. */
async function optionOf(page: Page, text: string, option: string): Promise<void> {
  const bubble = simulator.bubble(page, text).first();
  await bubble.hover();
  await bubble.getByRole("button", { name: "Opções da mensagem" }).click();
  await page.getByRole("menuitem", { name: option, exact: true }).click();
}
