import { readFile } from "node:fs/promises";
import type { Locator, Page } from "@playwright/test";
import { anotherWindow, expect, test } from "../support/journey.ts";
import { newMark } from "../support/mark.ts";
import type { Customer, Network } from "../support/network.ts";
import { showWaiting, tickets } from "../support/screens.ts";

const PEOPLE = 8;
/** What a campaign's text begins with on the network: an invisible character and a space. */
const MARK = "\u200C ";

test("a campaign is written, previewed, tested, sent, stopped, continued, answered and left; its report is what the phones got", async ({
  signedIn,
  staff,
  network,
}) => {
  const mark = newMark();
  const [list, campaign] = [`Clientes ${mark}`, `Volta ${mark}`];
  await network.api("POST /campaign-settings", {
    body: { settings: { messageInterval: 2, longerIntervalAfter: 0, greaterInterval: 0 } },
  });
  const people = await peopleOn(network, list, PEOPLE);
  const [ana, bia] = people as [Customer, Customer];
  const myself = await network.customer("Meu aparelho");
  const admin = await signedIn(staff.renata);

  await test.step("two texts with a variable are seen as people of the list get them", async () => {
    await admin.getByRole("link", { name: "Campanhas", exact: true }).click();
    await admin.getByRole("button", { name: "Nova campanha" }).first().click();
    const dialog = admin.getByRole("dialog", { name: /Nova campanha/ });
    await dialog.getByRole("textbox", { name: "Nome" }).fill(campaign);
    await dialog.getByRole("combobox", { name: "Lista de contatos" }).selectOption({ label: list });
    await dialog.getByRole("combobox", { name: "Conexão" }).selectOption({ index: 1 });
    await dialog.getByRole("textbox", { name: "Mensagem 1" }).fill("Olá {nome}, temos novidades");
    await dialog.getByRole("tab", { name: /Msg\. 2/ }).click();
    await dialog.getByRole("textbox", { name: "Mensagem 2" }).fill("{nome}, venha nos ver");
    await expect(dialog.getByText(`${PEOPLE} pessoas`).first()).toBeVisible();
    const preview = dialog.getByRole("region", { name: "Como fica" });
    await expect(preview).toContainText(`Olá ${ana.name}, temos novidades`);
    await preview.getByRole("button", { name: "Próxima pessoa" }).click();
    await expect(preview).toContainText(`${bia.name}, venha nos ver`);
    await preview.getByRole("button", { name: "Pessoa anterior" }).click();
  });

  await test.step("a test goes to one number alone", async () => {
    const editor = admin.getByRole("dialog", { name: /campanha/ });
    await editor.getByRole("button", { name: "Enviar teste" }).click();
    const question = admin.getByRole("dialog", { name: "Enviar teste" });
    await question.getByRole("textbox", { name: "Número com DDD" }).fill(myself.phone);
    await question.getByRole("button", { name: "Enviar" }).click();
    await expect(admin.getByText("Teste enviado")).toBeVisible();
    await expect.poll(() => textsOf(myself)).toEqual([`Olá ${ana.name}, temos novidades`]);
    expect(await textsOf(ana)).toEqual([]);
  });

  const watcher = await anotherWindow(admin);
  await test.step("it is sent, and another window watches it", async () => {
    const editor = admin.getByRole("dialog", { name: /campanha/ });
    await editor.getByRole("button", { name: "Enviar agora" }).click();
    const question = admin.getByRole("dialog", { name: `Enviar ${campaign} agora?` });
    await question.getByRole("button", { name: "Enviar agora" }).click();
    await expect(admin.getByText("Campanha iniciada")).toBeVisible();
    await expect(row(admin, campaign)).toContainText("Em andamento");
    await watcher.goto("/campaigns");
    await expect(row(watcher, campaign)).toContainText(/[1-9] de 8/);
  });

  await test.step("it is stopped in the middle, and continued", async () => {
    await row(admin, campaign).getByRole("link", { name: campaign }).click();
    await admin.getByRole("button", { name: "Parar envio" }).click();
    const stop = admin.getByRole("dialog", { name: `Parar ${campaign}?` });
    await stop.getByRole("button", { name: "Parar envio" }).click();
    await expect(stop).toHaveCount(0);
    await expect(admin.getByRole("button", { name: "Continuar envio" })).toBeVisible();
    await expect(row(watcher, campaign)).toContainText("Cancelada");
    const sent = (await Promise.all(people.map(textsOf))).flat().length;
    expect(sent).toBeLessThan(PEOPLE);
    await admin.getByRole("button", { name: "Continuar envio" }).click();
    const question = admin.getByRole("dialog", { name: `Continuar ${campaign}?` });
    await question.getByRole("button", { name: "Continuar envio" }).click();
    await expect(row(watcher, campaign)).toContainText("Finalizada");
    await expect(row(watcher, campaign)).toContainText("8 de 8");
  });

  await test.step("each person got one text, once", async () => {
    const texts = await Promise.all(people.map(textsOf));
    expect(texts).toEqual(
      people.map(({ name }, place) => [
        `${MARK}${place % 2 === 0 ? `Olá ${name}, temos novidades` : `${name}, venha nos ver`}`,
      ]),
    );
  });

  await test.step("who answers waits for an agent; who writes SAIR is told once and gets no more", async () => {
    await ana.writes("Quero saber mais");
    await bia.writes("Sair.");
    const agent = await signedIn(staff.marina);
    await showWaiting(agent);
    await expect(tickets.card(agent, ana.name)).toBeVisible();
    await expect.poll(async () => (await textsOf(bia)).length).toBe(2);
    await bia.writes("sair");
    const people = admin.getByRole("region", { name: "Pessoas da campanha" });
    await expect(row(people, ana.name)).toContainText(/Atendimento \d+/);
    await expect(row(people, bia.name)).toContainText("Pediu para sair");
    expect((await textsOf(bia)).length).toBe(2);
  });

  await test.step("the file of the report has each person once, as delivered", async () => {
    const coming = admin.waitForEvent("download");
    await admin.getByRole("button", { name: /^Exportar/ }).click();
    await admin.getByRole("menuitem", { name: /\.csv/ }).click();
    const file = await coming;
    const rows = (await readFile(await file.path(), "utf8")).trim().split("\r\n").slice(1);
    expect(rows).toHaveLength(PEOPLE);
    for (const { name } of people) expect(rows.filter((one) => one.includes(name))).toHaveLength(1);
  });
});

test("a campaign asks first; who answers gets the message, the others do not", async ({
  signedIn,
  staff,
  network,
}) => {
  const mark = newMark();
  const [list, campaign] = [`Convite ${mark}`, `Pergunta ${mark}`];
  await network.api("POST /campaign-settings", {
    body: { settings: { messageInterval: 1, longerIntervalAfter: 0, greaterInterval: 0 } },
  });
  const [ana, bia] = (await peopleOn(network, list, 2)) as [Customer, Customer];
  const admin = await signedIn(staff.renata);
  await admin.goto("/campaigns/new");
  const dialog = admin.getByRole("dialog", { name: /Nova campanha/ });
  await dialog.getByRole("textbox", { name: "Nome" }).fill(campaign);
  await dialog.getByRole("combobox", { name: "Lista de contatos" }).selectOption({ label: list });
  await dialog.getByRole("combobox", { name: "Conexão" }).selectOption({ index: 1 });
  await dialog.getByRole("textbox", { name: "Mensagem 1" }).fill("O convite é este");
  await dialog.getByRole("switch", { name: "Pedir confirmação antes" }).click();
  await dialog.getByRole("textbox", { name: "Pedido de confirmação 1" }).fill("Podemos escrever?");
  await dialog.getByRole("button", { name: "Enviar agora" }).click();
  const question = admin.getByRole("dialog", { name: `Enviar ${campaign} agora?` });
  await question.getByRole("button", { name: "Enviar agora" }).click();
  for (const person of [ana, bia]) {
    await expect.poll(() => textsOf(person)).toEqual([`${MARK}Podemos escrever?`]);
  }
  await ana.writes("Pode sim");
  await expect
    .poll(() => textsOf(ana))
    .toEqual([`${MARK}Podemos escrever?`, `${MARK}O convite é este`]);
  await row(admin, campaign).getByRole("link", { name: campaign }).click();
  const people = admin.getByRole("region", { name: "Pessoas da campanha" });
  await expect(row(people, ana.name)).toContainText("Entregue");
  await expect(row(people, bia.name)).toContainText("Confirmação pedida");
  expect(await textsOf(bia)).toHaveLength(1);
});

const row = (place: Page | Locator, name: string) =>
  place.getByRole("row").filter({ hasText: name });

/** New customers on a new list, in the order of their names. */
async function peopleOn(network: Network, name: string, count: number): Promise<Customer[]> {
  const { id } = await network.api("POST /contact-lists", { body: { name } });
  const people: Customer[] = [];
  for (let place = 0; place < count; place += 1) {
    const customer = await network.customer(`Pessoa ${String.fromCodePoint(97 + place)}`);
    const body = { contactListId: id, name: customer.name, number: customer.phone };
    await network.api("POST /contact-list-items", { body });
    people.push(customer);
  }
  return people;
}

/** The texts that the company has sent to a phone. */
async function textsOf(customer: Customer): Promise<string[]> {
  const messages = await customer.messages();
  return messages.filter(({ fromCustomer }) => !fromCustomer).map(({ body }) => body);
}
