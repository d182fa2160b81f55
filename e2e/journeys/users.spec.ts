import type { Locator, Page } from "@playwright/test";
import { expectNoFindings, expectNoFindingsInWindows, narrow } from "../support/axe.ts";
import { limitUsers } from "../support/database.ts";
import { expect, signIn, test } from "../support/journey.ts";
import { newMark } from "../support/mark.ts";
import type { Network } from "../support/network.ts";
import { acceptWaiting, showWaiting, tickets } from "../support/screens.ts";

/** A session that was ended is refused, and then the company that nobody asks for any more. */
const endedSession = /status of 40[13] /;

type Person = { name: string; email: string; password: string };

/** A user who does not exist yet. */
function newPerson(name: string): Person {
  const mark = newMark();
  return { name: `${name} ${mark}`, email: `${mark}@aurora.local`, password: "segredo-456" };
}

const row = (page: Page, name: string): Locator =>
  page.getByRole("row").filter({ has: page.getByText(name, { exact: true }) });

async function openUsers(page: Page): Promise<void> {
  const menu = page.getByRole("navigation", { name: "Menu principal" });
  await menu.getByRole("link", { name: "Usuários" }).click();
  await expect(page.getByRole("heading", { level: 1, name: /^Usuários/ })).toBeVisible();
}

async function openNew(page: Page): Promise<Locator> {
  await page.getByRole("button", { name: "Adicionar" }).first().click();
  return page.getByRole("dialog", { name: "Novo usuário" });
}

async function fill(dialog: Locator, { name, email, password }: Person): Promise<void> {
  await dialog.getByRole("textbox", { name: "Nome" }).fill(name);
  await dialog.getByRole("textbox", { name: "E-mail" }).fill(email);
  await dialog.getByText("Definir senha", { exact: true }).click();
  await dialog.getByRole("textbox", { name: "Senha" }).fill(password);
}

const save = (dialog: Locator): Promise<void> =>
  dialog.getByRole("button", { name: "Salvar" }).click();

/** An agent who is made by the API. */
async function addAgent(network: Network, name: string): Promise<Person & { id: number }> {
  const person = newPerson(name);
  const { id } = await network.api("POST /users", { body: person });
  return { ...person, id };
}

test.describe("an agent", () => {
  test.use({ expectedErrors: endedSession });

  test("is added with a queue, sees its tickets, is edited, and deleted with open tickets", async ({
    signedIn,
    browserOf,
    staff,
    network,
  }) => {
    const admin = await signedIn(staff.renata);
    const person = newPerson("Joana Prates");
    await openUsers(admin);

    await test.step("added with the queue Financeiro", async () => {
      const dialog = await openNew(admin);
      await dialog.getByText("Definir senha", { exact: true }).click();
      await save(dialog);
      await expect(dialog.getByText("Obrigatório")).toHaveCount(3);
      await expect(dialog.getByRole("textbox", { name: "Nome" })).toBeFocused();
      await fill(dialog, person);
      await dialog.getByRole("checkbox", { name: "Financeiro" }).check();
      await save(dialog);
      await expect(admin.getByText("Usuário adicionado")).toBeVisible();
      await expect(row(admin, person.name)).toContainText("Financeiro");
      await expect(row(admin, person.name)).toContainText("Atendente");
    });

    const customer = await network.customer("Vera Sampaio");
    await customer.writes("Segue o comprovante");
    // It is there once the message has arrived.
    await expect(async () => void (await customer.ticket())).toPass();
    const ticket = await customer.ticket();
    const agent = await browserOf();

    await test.step("signs in, is shown as online, and sees the waiting tickets of that queue", async () => {
      await network.moveToQueue(ticket, "Financeiro");
      await agent.goto("/login");
      await signIn(agent, person);
      await showWaiting(agent);
      await expect(tickets.card(agent, customer.name)).toBeVisible();
      await expect(
        row(admin, person.name).getByRole("img", { name: "Está conectado agora" }),
      ).toBeVisible();
      await expect(agent.getByRole("link", { name: "Usuários" })).toHaveCount(0);
      await agent.goto("/users");
      await expect(agent).not.toHaveURL(/users/);
    });

    await test.step("another name and queue change the agent's screen at once", async () => {
      await showWaiting(agent);
      await admin.getByRole("button", { name: `Editar ${person.name}` }).click();
      const dialog = admin.getByRole("dialog", { name: `Editar ${person.name}` });
      await expect(dialog.getByRole("checkbox", { name: "Financeiro" })).toBeChecked();
      await dialog.getByRole("textbox", { name: "Nome" }).fill(`Ivone ${person.name}`);
      await dialog.getByRole("checkbox", { name: "Financeiro" }).uncheck();
      await dialog.getByRole("checkbox", { name: "Vendas" }).check();
      await save(dialog);
      await expect(admin.getByText("Usuário salvo")).toBeVisible();
      await expect(agent.getByRole("banner")).toContainText("Olá, Ivone");
      await expect(tickets.card(agent, customer.name)).toHaveCount(0);
      await network.moveToQueue(ticket, "Vendas");
      await expect(tickets.card(agent, customer.name)).toBeVisible();
      await acceptWaiting(agent, customer.name);
      await expect(tickets.message(agent, "Segue o comprovante")).toBeVisible();
    });

    await test.step("deleted after a question that counts the open ticket, which waits again", async () => {
      const name = `Ivone ${person.name}`;
      await admin.getByRole("button", { name: `Excluir ${name}` }).click();
      const question = admin.getByRole("dialog", { name: `Excluir ${name}?` });
      await expect(question).toContainText("1 atendimento aberto volta a aguardar na sua fila.");
      await expect(question).toContainText("O histórico das conversas é mantido.");
      await question.getByRole("button", { name: "Cancelar" }).click();
      await expect(admin.getByRole("button", { name: `Excluir ${name}` })).toBeFocused();
      await admin.getByRole("button", { name: `Excluir ${name}` }).click();
      await question.getByRole("button", { name: "Excluir" }).click();
      await expect(admin.getByText("Usuário excluído")).toBeVisible();
      await expect(row(admin, name)).toHaveCount(0);
      await expect(agent).toHaveURL(/\/login/);
      const seller = await signedIn(staff.caio);
      await showWaiting(seller);
      await expect(tickets.card(seller, customer.name)).toContainText("Vendas");
      await acceptWaiting(seller, customer.name);
      await expect(tickets.message(seller, "Segue o comprovante")).toBeVisible();
    });
  });
});

test.describe("features outside the company's plan", () => {
  test.use({ expectedErrors: /status of 400 .*\/api\/users/ });

  test("a taken e-mail and one user too many are refused in the dialog, which keeps its values", async ({
    signedIn,
    product,
    staff,
    network,
  }) => {
    const page = await signedIn(staff.renata);
    await openUsers(page);
    const person = newPerson("Otávio Reis");
    const dialog = await openNew(page);
    await fill(dialog, { ...person, email: staff.marina.email });
    await save(dialog);
    await expect(dialog.getByText("Outra pessoa já usa este e-mail.")).toBeVisible();
    await expect(dialog.getByRole("textbox", { name: "E-mail" })).toBeFocused();

    const { count } = await network.api("GET /users", { query: {} });
    await limitUsers(product, staff.renata, count);
    try {
      await dialog.getByRole("textbox", { name: "E-mail" }).fill(person.email);
      await save(dialog);
      await expect(dialog.getByRole("alert")).toContainText(`permite ${count} usuários`);
      await expect(dialog.getByRole("textbox", { name: "Nome" })).toHaveValue(person.name);
    } finally {
      await limitUsers(product, staff.renata, 100);
    }
  });
});

test.describe("the own profile", () => {
  // The new password ends the token; the next call renews it.
  test.use({ expectedErrors: endedSession });

  test("can be changed by every user, and a new password keeps the own session", async ({
    signedIn,
    browserOf,
    network,
  }) => {
    const agent = await addAgent(network, "Lia Torres");
    const page = await signedIn(agent);
    const newPassword = "outra-senha-789";

    await test.step("name and password, from the account menu", async () => {
      await page.getByRole("button", { name: `Conta de ${agent.name}` }).click();
      await page.getByRole("menuitem", { name: "Meu perfil" }).click();
      const dialog = page.getByRole("dialog", { name: "Meu perfil" });
      await expect(dialog.getByRole("radiogroup", { name: "Perfil" })).toHaveCount(0);
      await dialog.getByRole("textbox", { name: "Nome" }).fill(`Dra. ${agent.name}`);
      await dialog.getByRole("textbox", { name: "Nova senha" }).fill(newPassword);
      await dialog.getByRole("textbox", { name: "Senha atual" }).fill(agent.password);
      await save(dialog);
      await expect(page.getByText("Perfil salvo")).toBeVisible();
      await expect(page.getByRole("banner")).toContainText("Olá, Dra.");
    });

    await test.step("the renewed session works, also after a reload", async () => {
      await page.getByRole("link", { name: "Etiquetas" }).click();
      await expect(page.getByRole("heading", { level: 1, name: /^Etiquetas/ })).toBeVisible();
      await expect(page.getByRole("table", { name: "Etiquetas" })).toBeVisible();
      // The old socket is ended a few seconds later, and another one takes its place.
      await page.waitForResponse((reply) => reply.url().includes("/auth/refresh_token"));
      await page.reload();
      await expect(page.getByRole("table", { name: "Etiquetas" })).toBeVisible();
      await expect(page.getByRole("banner")).toHaveAttribute("data-live", "online");
    });

    await test.step("the earlier password is refused", async () => {
      const other = await browserOf();
      await other.goto("/login");
      await signIn(other, agent);
      await expect(other.getByText("E-mail ou senha incorretos.")).toBeVisible();
      await signIn(other, { ...agent, password: newPassword });
      await expect(other).toHaveURL("/tickets");
    });
    await network.api("DELETE /users/:userId", { params: { userId: agent.id } });
  });
});

test("the users' page has no accessibility fault", async ({ signedIn, staff, network }) => {
  const agent = await addAgent(network, "Nina Couto");
  const page = await signedIn(staff.renata);
  await page.goto("/users");
  await expect(row(page, agent.name)).toBeVisible();
  await expectNoFindingsInWindows(page, { where: "list" });
  const search = page.getByRole("searchbox", { name: "Buscar por nome ou e-mail" });
  await search.fill("zzzz");
  await expect(page.getByText("Nada encontrado para “zzzz”")).toBeVisible();
  await expectNoFindingsInWindows(page, { where: "nobody found" });
  await search.fill(agent.name);
  await page.getByRole("button", { name: `Excluir ${agent.name}` }).click();
  await expect(page.getByText("Nenhum atendimento está aberto com esta pessoa.")).toBeVisible();
  await expectNoFindingsInWindows(page, { where: "question" });
  await network.api("DELETE /users/:userId", { params: { userId: agent.id } });
});

test("the users' dialogs have no accessibility fault", async ({ signedIn, staff }) => {
  const page = await signedIn(staff.renata);
  await page.goto("/users");
  const dialog = await openNew(page);
  await dialog.getByText("Definir senha", { exact: true }).click();
  await save(dialog);
  await expect(dialog.getByText("Obrigatório")).toHaveCount(3);
  await expect(dialog.getByRole("checkbox", { name: "Vendas" })).toBeVisible();
  await expectNoFindingsInWindows(page, { where: "new user with errors" });
  await page.keyboard.press("Escape");

  await page.setViewportSize(narrow);
  await page.getByRole("button", { name: "Abrir menu" }).click();
  await expectNoFindings(page, { where: "menu" });
  await page.getByRole("button", { name: "Meu perfil" }).click();
  await expect(page.getByRole("dialog", { name: "Meu perfil" })).toBeVisible();
  await expectNoFindingsInWindows(page, { where: "profile" });
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
});
