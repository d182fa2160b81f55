import type { Locator, Page } from "@playwright/test";
import { execFile } from "node:child_process";
import { createHmac } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expectNoFindings, windows } from "../support/axe.ts";
import { expect, test } from "../support/journey.ts";
import { newMark } from "../support/mark.ts";
import type { Network } from "../support/network.ts";
import { startOutside } from "../support/outside.ts";
import { acceptWaiting, tickets } from "../support/screens.ts";

// The browser writes each refused call into the console.
test.use({ expectedErrors: /status of 401 .*\/api\/v1\// });

const unique = (name: string): string => `${name} ${newMark()}`;

/** Chooses who answers first on the company's line; nobody at the end of the journey. */
async function withFirstAnswer(
  network: Network,
  helper: { promptId: number } | { integrationId: number },
  work: () => Promise<void>,
): Promise<void> {
  const [line] = await network.api("GET /simulator/connections");
  if (!line) throw new Error("the demo company has no line");
  const params = { connectionId: line.id };
  await network.api("PUT /whatsapp/:connectionId", { params, body: helper });
  try {
    await work();
  } finally {
    const none = { promptId: null, integrationId: null };
    await network.api("PUT /whatsapp/:connectionId", { params, body: none });
  }
}

async function expectEverywhere(page: Page, where: string, within?: string): Promise<void> {
  for (const viewport of windows) {
    await page.setViewportSize(viewport);
    await expectNoFindings(page, { where, ...(within === undefined ? {} : { within }) });
  }
  await page.setViewportSize({ width: 1440, height: 900 });
}

const menuLink = (page: Page, name: string): Locator =>
  page.getByRole("navigation", { name: "Menu principal" }).getByRole("link", { name, exact: true });

test("an AI agent is made and tried, serves a customer, and hands over to a person", async ({
  signedIn,
  staff,
  network,
}) => {
  const outside = await startOutside();
  const page = await signedIn(staff.renata);
  const name = unique("Trocas e prazos");
  await menuLink(page, "Agentes de IA").click();
  await expect(page.getByRole("heading", { level: 1, name: /^Agentes de IA/ })).toBeVisible();
  await expectEverywhere(page, "AI agents");

  await test.step("made, its key is checked, and it is tried before it is saved", async () => {
    await page.getByRole("button", { name: "Adicionar" }).first().click();
    const dialog = page.getByRole("dialog", { name: "Novo agente de IA" });
    await dialog.getByRole("textbox", { name: "Nome" }).fill(name);
    await dialog.getByRole("combobox", { name: "Passa para a fila" }).selectOption("Suporte");
    await dialog
      .getByRole("textbox", { name: "Instruções" })
      .fill("Você atende a Boutique Aurora em assuntos de troca e entrega, com frases curtas.");
    await dialog.getByRole("textbox", { name: "Endereço" }).fill(`${outside.url}/v1`);
    await dialog.getByLabel("Chave", { exact: true }).fill("sk-segredo-4f2A");
    await dialog.getByLabel("Chave", { exact: true }).press("Tab");
    await expect(dialog.getByText("Chave aceita")).toBeVisible();
    const log = dialog.getByRole("log", { name: "Conversa de teste" });
    await dialog.getByRole("textbox", { name: "Escreva como cliente" }).fill("Como troco?");
    await page.keyboard.press("Enter");
    await expect(log).toContainText("A troca é grátis em até 30 dias.");
    await expect(log).toContainText("486 tokens");
    await dialog.getByRole("textbox", { name: "Escreva como cliente" }).fill("Quero uma pessoa");
    await page.keyboard.press("Enter");
    await expect(log).toContainText("Passaria para Suporte");
    await expectEverywhere(page, "an AI agent with its trial", "[role=dialog]");
    await dialog.getByRole("button", { name: "Salvar" }).click();
    await expect(dialog).toHaveCount(0);
    const row = page.getByRole("row").filter({ hasText: name });
    await expect(row).toContainText("Suporte");
    await row.getByRole("button", { name: /^Editar/ }).click();
    const saved = page.getByRole("dialog", { name });
    await expect(saved.getByLabel("Chave", { exact: true })).toHaveValue("••••••••4f2A");
    await page.keyboard.press("Escape");
  });

  const { prompts } = await network.api("GET /prompt", { query: { searchParam: name } });
  const promptId = prompts[0]?.id ?? 0;
  await withFirstAnswer(network, { promptId }, async () => {
    const customer = await network.customer("Helena Duarte");
    const onPhone = async (): Promise<string> =>
      (await customer.messages()).map(({ body }) => body).join("\n");
    await test.step("a customer is answered, and given to the queue when she asks for a person", async () => {
      await customer.writes("Comprei um vestido, como troco?");
      await expect.poll(onPhone).toContain("A troca é grátis em até 30 dias.");
      await customer.writes("Prefiro falar com uma pessoa");
      await expect.poll(onPhone).toContain("Já chamo alguém.");
      await expect.poll(async () => (await customer.ticket()).queue?.name).toBe("Suporte");
    });
    await test.step("an agent accepts, reads what was said, and the AI is silent", async () => {
      await menuLink(page, "Atendimentos").click();
      await acceptWaiting(page, customer.name);
      await expect(tickets.message(page, "A troca é grátis em até 30 dias.")).toBeVisible();
      const asked = outside.calls("/chat/completions").length;
      await customer.writes("Oi?");
      await expect(tickets.message(page, "Oi?")).toBeVisible();
      expect(outside.calls("/chat/completions")).toHaveLength(asked);
    });
    await test.step("the agent is proposed an answer, which a press puts into the field; nothing is sent", async () => {
      const body = { baseUrl: `${outside.url}/v1`, model: "modelo-a", apiKey: "sk-equipe-9c1D" };
      await network.api("PUT /aiService", { body });
      const before = await onPhone();
      const field = tickets.composer(page, customer.name);
      await field.click();
      await page.getByRole("button", { name: "Ajuda da IA" }).click();
      await expect(page.getByRole("menuitem", { name: "Sugerir resposta" })).toBeVisible();
      await expectEverywhere(page, "the help of the AI service", "[role=menu]");
      await page.getByRole("menuitem", { name: "Sugerir resposta" }).click();
      const proposal = page.getByRole("region", { name: "Proposta da IA" });
      await expect(proposal).toContainText("Já chamo alguém.");
      await expectEverywhere(page, "a proposal in the composer", "[data-conversation]");
      await proposal.getByRole("button", { name: "Usar" }).click();
      await expect(field).toHaveValue("Já chamo alguém.");
      await expect(field).toBeFocused();
      expect(await onPhone()).toBe(before);
      await network.api("PUT /aiService", { body: { apiKey: "" } });
      await expect(page.getByRole("button", { name: "Ajuda da IA" })).toHaveCount(0);
    });
  });
  await network.api("DELETE /prompt/:promptId", { params: { promptId } });
  await outside.close();
});

test("a webhook gets what customers write, signed; a failure is seen and sent again; a Typebot flow leads to a queue", async ({
  signedIn,
  staff,
  network,
}) => {
  const outside = await startOutside();
  const page = await signedIn(staff.renata);
  const name = unique("Painel da logística");
  await menuLink(page, "Integrações").click();
  const form = page.getByRole("dialog");

  await test.step("made by its type, and tested in its row", async () => {
    await page.getByRole("button", { name: "Adicionar" }).first().click();
    await form.getByText("Webhook", { exact: true }).click();
    await form.getByRole("textbox", { name: "Nome" }).fill(name);
    await form.getByRole("textbox", { name: "Endereço" }).fill(`${outside.url}/hook`);
    await form.getByRole("button", { name: "Salvar" }).click();
    await expect(form).toHaveCount(0);
    await page.getByRole("button", { name: `Testar ${name}` }).click();
    await expect(page.getByRole("row").filter({ hasText: name })).toContainText("200 em");
  });

  const { queueIntegrations } = await network.api("GET /queueIntegration", {
    query: { searchParam: name },
  });
  const integrationId = queueIntegrations[0]?.id ?? 0;
  const params = { integrationId };
  await withFirstAnswer(network, { integrationId }, async () => {
    const customer = await network.customer("Bianca Moreira");
    const log = page.getByRole("listbox", { name: "Últimas entregas" });
    // Customers of other journeys write on the same line.
    const callsWith = (text: string) =>
      outside.calls("/hook").filter(({ body }) => body.includes(text));
    await test.step("what a customer writes arrives with a signature that its secret confirms", async () => {
      const question = `Conseguem responder ainda hoje? ${newMark()}`;
      await customer.writes(question);
      await expect.poll(() => callsWith(question).length).toBe(1);
      const [call] = callsWith(question);
      if (!call) throw new Error("nothing arrived");
      expect(JSON.parse(call.body)).toMatchObject({ text: question });
      const { secret } = await network.api("GET /queueIntegration/:integrationId/secret", {
        params,
      });
      const { "webhook-id": id, "webhook-timestamp": at } = call.headers;
      const mac = createHmac("sha256", Buffer.from(secret.replace(/^whsec_/, ""), "base64"));
      const signature = mac.update(`${String(id)}.${String(at)}.${call.body}`).digest("base64");
      expect(call.headers["webhook-signature"]).toBe(`v1,${signature}`);
      await expect(log.getByRole("option").first()).toContainText("Mensagem recebida");
    });
    await test.step("a refused one stands in the log with its answer, and is sent again with the same id", async () => {
      outside.hook.status = 422;
      const question = `E amanhã? ${newMark()}`;
      await customer.writes(question);
      const { id } = await customer.ticket();
      const failed = log.getByRole("option", { name: new RegExp(`nº ${id} 422`) });
      await expect(failed).toBeVisible();
      await failed.click();
      await expect(page.getByRole("tab", { name: "Resposta" })).toBeVisible();
      await expectEverywhere(page, "integrations with a delivery");
      outside.hook.status = 200;
      await page.getByRole("button", { name: "Enviar de novo" }).click();
      await expect(failed).toHaveCount(0);
      const ids = callsWith(question).map(({ headers }) => headers["webhook-id"]);
      expect(ids.length).toBeGreaterThan(1);
      expect(new Set(ids).size).toBe(1);
    });
  });

  await test.step("a flow of Typebot talks to a customer and leads to a queue", async () => {
    const queues = await network.api("GET /queue", { query: {} });
    outside.typebot.queueId = queues.find((queue) => queue.name === "Financeiro")?.id ?? 0;
    const flow = await network.api("POST /queueIntegration", {
      body: {
        ...{ type: "typebot", name: unique("Catálogo"), urlN8N: outside.url },
        ...{ typebotSlug: "catalogo", typebotDelayMessage: 0 },
      },
    });
    await withFirstAnswer(network, { integrationId: flow.id }, async () => {
      const customer = await network.customer("Otávio Ramos");
      await customer.writes("Oi");
      const bodies = async (): Promise<string[]> =>
        (await customer.messages()).map(({ body }) => body);
      await expect.poll(async () => (await bodies()).join("\n")).toContain("Qual é o assunto?");
      await customer.writes("Boleto");
      await expect.poll(async () => (await customer.ticket()).queue?.name).toBe("Financeiro");
      await expect
        .poll(async () => (await bodies()).join("\n"))
        .toContain("Vou passar para a equipe.");
    });
    await network.api("DELETE /queueIntegration/:integrationId", {
      params: { integrationId: flow.id },
    });
  });
  await network.api("DELETE /queueIntegration/:integrationId", { params });
  await outside.close();
});

/** Sends texts in turn, and prints the message's id, or the code of the refusal, for each. */
const sendingProgram = `
import { createBalcao } from "@balcao/client";
const [url, token, number, wishes] = process.argv.slice(2);
const balcao = createBalcao({ url, token, retries: 0 });
const said = [];
for (const [idempotencyKey, body] of JSON.parse(wishes)) {
  const sent = balcao.messages.send({ number, body }, { idempotencyKey });
  said.push(await sent.then(({ messageIds }) => messageIds[0], ({ code }) => code));
}
console.log(JSON.stringify(said));
`;

type Program = {
  /** Runs the program, and returns what it printed. */
  send(token: string, number: string, wishes: [key: string, body: string][]): Promise<string[]>;
  remove(): Promise<void>;
};

/** A program of its own with the typed client, as npm unpacks it from the installation. */
async function installProgram(url: string): Promise<Program> {
  const folder = await mkdtemp(join(tmpdir(), "balcao-program-"));
  const client = join(folder, "node_modules/@balcao/client");
  await mkdir(client, { recursive: true });
  const archive = await fetch(`${url}/api/v1/client.tgz`);
  await writeFile(join(folder, "client.tgz"), Buffer.from(await archive.arrayBuffer()));
  const unpack = ["-xzf", join(folder, "client.tgz"), "-C", client, "--strip-components=1"];
  await promisify(execFile)("tar", unpack);
  await writeFile(join(folder, "send.mjs"), sendingProgram);
  return {
    async send(token, number, wishes) {
      const args = [join(folder, "send.mjs"), url, token, number, JSON.stringify(wishes)];
      const { stdout } = await promisify(execFile)(process.execPath, args);
      return JSON.parse(stdout) as string[]; // as the program prints it
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

test("a token is made, tried on the page, used by a program once for each key, and revoked", async ({
  signedIn,
  staff,
  network,
  product,
}) => {
  const page = await signedIn(staff.renata);
  const customer = await network.customer("Cecília Barros");
  const name = unique("Loja virtual");
  let token = "";
  await menuLink(page, "API").click();
  await expect(page.getByRole("heading", { level: 1, name: "API" })).toBeVisible();

  await test.step("it is shown once", async () => {
    await page.getByRole("button", { name: "Criar token" }).first().click();
    const form = page.getByRole("dialog", { name: "Novo token" });
    await form.getByRole("textbox", { name: "Nome" }).fill(name);
    await form
      .getByRole("group", { name: "Contatos" })
      .getByRole("checkbox", { name: "Ler" })
      .check();
    await expectEverywhere(page, "a new token", "[role=dialog]");
    await form.getByRole("button", { name: "Criar token" }).click();
    const made = page.getByRole("dialog", { name: `Token de ${name}` });
    token = (await made.getByText(/^blc_live_\w+$/).textContent()) ?? "";
    await made.getByRole("button", { name: "Já guardei" }).click();
    await expect(page.getByRole("row").filter({ hasText: name })).toContainText("messages:send");
    await expect(page.getByText(token)).toHaveCount(0);
  });

  await test.step("a trial really sends", async () => {
    const trial = page.getByRole("region", { name: "Experimentar" });
    await trial.getByRole("textbox", { name: "Número" }).fill(customer.phone);
    await trial.getByRole("textbox", { name: "Mensagem" }).fill("Seu pedido saiu para entrega.");
    await expectEverywhere(page, "API page");
    await trial.getByRole("button", { name: "Enviar" }).click();
    await expect(trial).toContainText("201");
    await expect
      .poll(async () => (await customer.messages()).map(({ body }) => body))
      .toEqual(["Seu pedido saiu para entrega."]);
  });

  const program = await installProgram(product.url);
  await test.step("a program with the typed client sends a repeated request once", async () => {
    const [first, again, other] = await program.send(token, customer.phone, [
      ["pedido-1", "Chegou?"],
      ["pedido-1", "Chegou?"],
      ["pedido-1", "Outra coisa"],
    ]);
    expect([again, other]).toEqual([first, "ERR_IDEMPOTENCY_KEY_REUSED"]);
    await expect.poll(async () => (await customer.messages()).length).toBe(2);
    await page.getByRole("tab", { name: "Registro" }).click();
    await expect(page.getByRole("row").filter({ hasText: "409" }).first()).toBeVisible();
    await expectEverywhere(page, "log of the API");
    await page.getByRole("tab", { name: "Referência" }).click();
    await expect(page.getByText("/v1/messages").first()).toBeVisible();
    await expectEverywhere(page, "reference of the API");
    await page.getByRole("tab", { name: "Webhooks" }).click();
    await expect(page.getByRole("button", { name: "Adicionar webhook" }).first()).toBeVisible();
    await expectEverywhere(page, "webhooks of the API");
    await page.getByRole("button", { name: "Servidor MCP" }).click();
    const assistants = page.getByRole("dialog", { name: "Servidor MCP" });
    await expect(assistants.getByText(`${product.url}/api/mcp`).first()).toBeVisible();
    await expectEverywhere(page, "assistants of the API", "[role=dialog]");
    await page.keyboard.press("Escape");
  });

  await test.step("revoked, it is refused at once", async () => {
    await page.getByRole("tab", { name: "Tokens e teste" }).click();
    await page.getByRole("button", { name: `Revogar ${name}` }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Revogar" }).click();
    await expect(page.getByRole("row").filter({ hasText: name })).toHaveCount(0);
    const refused = await program.send(token, customer.phone, [["pedido-2", "Ainda?"]]);
    expect(refused).toEqual(["ERR_INVALID_TOKEN"]);
    await program.remove();
  });
});
