import type { RequestOf, SettingKey } from "@balcao/contract";
import { scheduleEntries } from "@balcao/contract";
import type { Locator, Page } from "@playwright/test";
import { expectNoFindingsInWindows, windows } from "../support/axe.ts";
import { anotherWindow, expect, test } from "../support/journey.ts";
import type { Customer, Network } from "../support/network.ts";
import { acceptWaiting, showWaiting, tickets } from "../support/screens.ts";

const days = [
  "Segunda-feira",
  "Terça-feira",
  "Quarta-feira",
  "Quinta-feira",
  "Sexta-feira",
  "Sábado",
  "Domingo",
];

const option = (page: Page, name: string): Locator => page.getByRole("switch", { name });
/** By its words, which are the larger target. */
const toggle = (page: Page, name: string): Promise<void> =>
  page.getByText(name, { exact: true }).click();
const scheduleType = (page: Page): Locator =>
  page.getByRole("radiogroup", { name: "Horário de atendimento" });
const outOfHours = (page: Page): Locator => page.getByText("Fora do horário.");

async function openSettings(page: Page): Promise<void> {
  await page.goto("/settings");
  await expect(page.getByRole("heading", { level: 1, name: "Configurações" })).toBeVisible();
  await expect(scheduleType(page)).toBeVisible();
}

/** Every day of the week as it is called there, and saved. */
async function setEveryDay(page: Page, state: "Aberto" | "Fechado" | "Sem horário"): Promise<void> {
  for (const day of days) {
    await page.getByRole("combobox", { name: `Atendimento, ${day}` }).selectOption(state);
  }
  await page.getByRole("button", { name: "Salvar" }).click();
  await expect(page.getByText("Horários atualizados com sucesso.").last()).toBeVisible();
}

/** The company's messages on the customer's phone, oldest first. */
async function received(customer: Customer): Promise<string[]> {
  const messages = await customer.messages();
  return messages.filter(({ fromCustomer }) => !fromCustomer).map(({ body }) => body);
}

type CompanyHours = RequestOf<"PUT /companies/:companyId/schedules">["body"] & {
  companyId: number;
};

async function companyHours({ api }: Network): Promise<CompanyHours> {
  const [connection] = await api("GET /whatsapp");
  if (!connection) throw new Error("the demo company has no connection");
  const { companyId } = connection;
  const { schedules } = await api("GET /companies/:companyId", { params: { companyId } });
  return { companyId, schedules: scheduleEntries.parse(schedules) };
}

async function put(network: Network, key: SettingKey, value: string): Promise<void> {
  await network.api("PUT /settings/:key", { params: { key }, body: { value } });
}

let hoursBefore: CompanyHours;

test.beforeEach(async ({ network }) => {
  hoursBefore = await companyHours(network);
});

// Restores the company's settings for the next journey.
test.afterEach(async ({ network }) => {
  await put(network, "userRating", "disabled");
  await put(network, "scheduleType", "disabled");
  await put(network, "sendMsgTransfTicket", "disabled");
  const { companyId, schedules } = hoursBefore;
  const params = { companyId };
  await network.api("PUT /companies/:companyId/schedules", { params, body: { schedules } });
});

test("a closed company sends its out-of-hours text once and no menu; open again, it sends its menu", async ({
  signedIn,
  staff,
  network,
}) => {
  const admin = await signedIn(staff.renata);
  const agent = await signedIn(staff.marina);
  await network.letAttend();
  const early = await network.customer("Cora Nunes");
  await put(network, "scheduleType", "company");
  await openSettings(admin);

  await test.step("the admin closes every day", async () => {
    await admin.getByRole("tab", { name: "Horários" }).click();
    await setEveryDay(admin, "Fechado");
    await expect(admin.getByText(/: fechado\.$/)).toBeVisible();
  });

  await test.step("agents are told in the conversation they have open", async () => {
    await tickets.chip(agent, "Atendendo").click();
    await tickets.list(agent).getByRole("link").first().click();
    await expect(outOfHours(agent)).toBeVisible();
  });

  await test.step("a customer is told once, however many messages arrive", async () => {
    await early.writes("Oi, tem alguém aí?");
    await expect
      .poll(() => received(early))
      .toEqual([expect.stringContaining("está fechada agora")]);
    await early.writes("Queria ver um vestido");
    // A later message has its reply, so the earlier one has been handled.
    const late = await network.customer("Davi Prates");
    await late.writes("Bom dia");
    await expect.poll(() => received(late)).toHaveLength(1);
    expect(await received(early)).toHaveLength(1);
    await showWaiting(agent);
    await expect(tickets.card(agent, early.name)).toContainText("Queria ver um vestido");
  });

  await test.step("without hours to check, the next customer gets the menu", async () => {
    await setEveryDay(admin, "Sem horário");
    await expect(outOfHours(agent)).toHaveCount(0);
    const next = await network.customer("Elis Moura");
    await next.writes("Boa tarde");
    await expect.poll(() => received(next)).toEqual([expect.stringContaining("*[ 1 ]* - Vendas")]);
    await next.writes("2");
    const card = tickets.card(agent, next.name);
    await expect(card).toContainText("Suporte");
    await expect(card).toContainText("Chatbot");
  });
});

test("the survey is switched on in one window and followed in the others; the customer rates", async ({
  signedIn,
  staff,
  network,
}) => {
  const admin = await signedIn(staff.renata);
  const other = await anotherWindow(admin);
  const agent = await signedIn(staff.marina);
  await Promise.all([openSettings(admin), openSettings(other)]);

  await test.step("a change in one window is shown in the other at once", async () => {
    await toggle(admin, "Pesquisa de satisfação");
    await expect(admin.getByText("Configuração salva")).toBeVisible();
    await expect(option(other, "Pesquisa de satisfação")).toBeChecked();
  });

  const [connection] = await network.api("GET /whatsapp");
  if (!connection) throw new Error("the demo company has no connection");
  await network.api("PUT /whatsapp/:connectionId", {
    params: { connectionId: connection.id },
    body: { complationMessage: "Até logo, {{firstName}}" },
  });

  const customer = await network.customer("Flora Dias");
  await test.step("after the resolution the rating is requested, and no completion message is sent yet", async () => {
    await customer.writes("Meu pedido chegou, obrigada");
    await acceptWaiting(agent, customer.name);
    await tickets.pane(agent, customer.name).getByRole("button", { name: "Resolver" }).click();
    await expect
      .poll(async () => (await received(customer)).at(-1))
      .toContain("Digite de 1 à 3 para qualificar");
    expect((await received(customer)).join("\n")).not.toContain("Até logo");
  });

  await test.step("a rating of 3 gets the completion message, and the ticket stays resolved", async () => {
    await customer.writes("3");
    await expect.poll(async () => (await received(customer)).at(-1)).toContain("Até logo, Flora");
    await expect(tickets.card(agent, customer.name)).toHaveCount(0);
    await tickets.tab(agent, "Resolvidos").click();
    await expect(tickets.card(agent, customer.name)).toBeVisible();
    await expect(tickets.card(agent, customer.name)).not.toContainText("não lida");
    expect(await customer.ticket()).toMatchObject({ status: "closed", unreadMessages: 0 });
  });

  await network.api("PUT /whatsapp/:connectionId", {
    params: { connectionId: connection.id },
    body: { complationMessage: "" },
  });
});

test("a transfer is told to the customer where the company wants it", async ({
  signedIn,
  staff,
  network,
}) => {
  const admin = await signedIn(staff.renata);
  await openSettings(admin);
  await toggle(admin, "Aviso de transferência");
  await expect(admin.getByText("Configuração salva")).toBeVisible();

  const agent = await signedIn(staff.marina);
  await network.letAttend();
  const customer = await network.customer("Gil Antunes");
  await customer.writes("Oi");
  await expect.poll(() => received(customer)).toHaveLength(1);
  await customer.writes("1");
  await showWaiting(agent);
  await expect(tickets.card(agent, customer.name)).toContainText("Vendas");
  await acceptWaiting(agent, customer.name);

  await agent.getByRole("button", { name: "Transferir" }).click();
  const dialog = agent.getByRole("dialog", {
    name: `Transferir ${customer.name}`,
  });
  const queues = dialog.getByRole("listbox", { name: /^Filas/ });
  await queues.getByRole("option", { name: /^Suporte/ }).click();
  await dialog.getByRole("button", { name: "Transferir para a fila Suporte" }).click();
  await expect
    .poll(async () => (await received(customer)).at(-1))
    .toContain("transferido para o departamento *Suporte*");
});

test.describe("a change that fails", () => {
  test.use({ expectedErrors: /ERR_FAILED/ });

  test("is not shown as saved", async ({ signedIn, staff }) => {
    const admin = await signedIn(staff.renata);
    await openSettings(admin);
    await admin.route("**/api/settings/call", (route) => route.abort());
    const calls = option(admin, "Aceitar chamadas");
    await expect(calls).not.toBeChecked();
    await toggle(admin, "Aceitar chamadas");
    await expect(admin.getByRole("alert").first()).toBeVisible();
    await expect(calls).not.toBeChecked();
  });
});

test("settings and hours are accessible", async ({ signedIn, staff, network }) => {
  await put(network, "scheduleType", "company");
  const admin = await signedIn(staff.renata);
  await openSettings(admin);
  await expectNoFindingsInWindows(admin, { where: "options" });
  await admin.getByRole("tab", { name: "Horários" }).click();
  await admin.getByRole("textbox", { name: "Fim, Sexta-feira" }).fill("02:00");
  await admin.getByRole("textbox", { name: "Fim, Quarta-feira" }).fill("");
  await admin.getByRole("button", { name: "Salvar" }).click();
  await expect(admin.getByText("Informe o início e o fim")).toBeVisible();
  await expect(admin.getByRole("textbox", { name: "Fim, Quarta-feira" })).toBeFocused();
  await expectNoFindingsInWindows(admin, { where: "hours with an error" });
  await admin.getByRole("tab", { name: "Mensagens automáticas" }).click();
  await expect(admin.getByRole("button", { name: /^Editar / }).first()).toBeVisible();
  await expectNoFindingsInWindows(admin, { where: "automatic texts" });
  await admin
    .getByRole("button", { name: /^Editar / })
    .first()
    .click();
  await expect(admin.getByRole("dialog")).toBeVisible();
  await expectNoFindingsInWindows(admin, { where: "an automatic text", within: "[role=dialog]" });
  await admin.getByRole("dialog").getByRole("button", { name: "Cancelar" }).click();
  await admin.getByRole("tab", { name: "Motivos" }).click();
  await admin.getByRole("textbox", { name: "Novo motivo" }).fill("V");
  await admin.getByRole("button", { name: "Adicionar" }).click();
  await expect(admin.getByText("Use ao menos 2 letras")).toBeVisible();
  await expectNoFindingsInWindows(admin, { where: "reasons with an error" });
  for (const size of windows) {
    await admin.setViewportSize(size);
    const width = await admin.evaluate(() => document.documentElement.scrollWidth);
    expect(width).toBe(size.width);
  }
});
