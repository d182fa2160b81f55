import type { Page } from "@playwright/test";
import { attach, tray } from "../support/conversation.ts";
import { expectEqualToServer } from "../support/equal.ts";
import * as files from "../support/files.ts";
import { expect, test } from "../support/journey.ts";
import { openLine } from "../support/line.ts";
import {
  acceptWaiting,
  answer,
  countOn,
  expectFetchedAhead,
  showWaiting,
  tickets,
} from "../support/screens.ts";

// While the network is away its absence is in the console, and an accepted ticket of somebody else may be asked for. The
// browser's own page for a reload without network has no storage, which the journeys' script reads.
test.use({ expectedErrors: /net::ERR_|WebSocket connection to|'sessionStorage' property/ });

test("without network the screen says so and keeps drafts and messages, and recovers and sends them by itself afterwards", async ({
  signedIn,
  staff,
  network,
}) => {
  const agent = await signedIn(staff.marina);
  const colleague = await signedIn(staff.caio);
  const customer = await network.customer("Helena Duarte");
  await customer.writes("A caixa chegou aberta");
  const leaving = await network.customer("Padaria do Bairro");
  await leaving.writes("Bom dia, ainda dá tempo?");
  await expect(tickets.chip(agent, "Aguardando")).toBeVisible();
  await acceptWaiting(agent, customer.name);
  // Counts of long lists settle a moment after the events.
  await expectEqualToServer(agent, customer.name);
  const waitingBefore = await countOn(tickets.chip(agent, "Aguardando"));
  await tickets.composer(agent, customer.name).fill("Que pena! Posso");
  const stillTheSame = await markPage(agent);
  await expectFetchedAhead(agent);

  await test.step("the network goes", async () => {
    await agent.context().setOffline(true);
    await expectOfflineWithCountdown(agent);
    await expect(tickets.composer(agent, customer.name)).toHaveValue("Que pena! Posso");
    await expect(tickets.message(agent, "A caixa chegou aberta")).toBeVisible();
  });

  await test.step("a message sent meanwhile waits in the queue", async () => {
    await answer(agent, customer.name, "Que pena! Posso trocar hoje");
    await expect(tickets.message(agent, "Posso trocar hoje")).toContainText(queued);
    await tickets.composer(agent, customer.name).fill("e também");
  });

  const arriving = await network.customer("Lucas Andrade");
  await test.step("meanwhile customers write and a colleague works", async () => {
    for (let number = 1; number <= 25; number += 1) await customer.writes(`Foto ${number}`);
    await arriving.writes("Tem em azul?");
    await acceptWaiting(colleague, leaving.name);
    await expect(tickets.message(agent, "Foto 1")).toHaveCount(0);
  });

  await test.step("the network comes back", async () => {
    await agent.context().setOffline(false);
    await expect(agent.getByText("Conexão restabelecida.")).toBeVisible();
    await expect(tickets.message(agent, "Foto 25")).toBeVisible();
    await expect(tickets.chip(agent, "Aguardando")).toHaveText(`Aguardando ${waitingBefore}`);
    await expect(tickets.composer(agent, customer.name)).toHaveValue("e também");

    const unsent = tickets.message(agent, "Posso trocar hoje");
    await expect(unsent.getByRole("img", { name: "entregue" })).toBeVisible();
    await expectEqualToServer(agent, customer.name);

    await showWaiting(agent);
    await expect(tickets.card(agent, arriving.name)).toBeVisible();
    await expect(tickets.card(agent, leaving.name)).toHaveCount(0);
    await expect(agent.getByText("Conexão restabelecida.")).toBeHidden();
  });

  const ours = async () => (await customer.messages()).filter(({ fromCustomer }) => !fromCustomer);
  expect((await ours()).map(({ body }) => body)).toEqual([signed("Que pena! Posso trocar hoje")]);
  expect(await stillTheSame(), "the page was not loaded again").toBe(true);

  await test.step("texts and files survive a reload, and one can be cancelled", async () => {
    await agent.context().setOffline(true);
    await answer(agent, customer.name, "Segue a etiqueta");
    await expect(tickets.message(agent, "Segue a etiqueta")).toContainText(queued);
    await attach(agent, files.pdf("etiqueta.pdf"));
    await expect(tray(agent)).toHaveCount(1);
    await tickets.composer(agent, customer.name).press("Enter");
    await expect(tickets.message(agent, "etiqueta.pdf")).toContainText(queued);
    for (const text of ["Esta não vai", "É só colar na caixa"]) {
      await answer(agent, customer.name, text);
    }
    const cancelled = tickets.message(agent, "Esta não vai");
    await cancelled.getByRole("button", { name: "Cancelar" }).click();
    await expect(cancelled).toHaveCount(0);
    await expect(tickets.composer(agent, customer.name)).toHaveValue("Esta não vai");
    await tickets.composer(agent, customer.name).fill("");

    const address = agent.url();
    await expect(agent.reload()).rejects.toThrow("net::ERR_INTERNET_DISCONNECTED");
    await agent.context().setOffline(false);
    await agent.goto(address);
    for (const text of ["Segue a etiqueta", "etiqueta.pdf", "É só colar na caixa"]) {
      const message = tickets.message(agent, text);
      await expect(message.getByRole("img", { name: "entregue" })).toBeVisible();
      await expect(message).toHaveCount(1);
    }
  });

  const contents = (await ours()).map(({ body, file }) => file?.name ?? body);
  expect(contents.slice(1)).toEqual([
    signed("Segue a etiqueta"),
    "etiqueta.pdf",
    signed("É só colar na caixa"),
  ]);
});

const queued = "Na fila, será enviada quando a conexão voltar.";
const signed = (text: string): string => `*Marina Prado:*\n${text}`;

test("when the server is killed and comes back, the screen recovers, and no message is lost or doubled", async ({
  signedIn,
  staff,
  network,
  product,
}) => {
  const agent = await signedIn(staff.marina);
  const customer = await network.customer("Clínica Vida Plena");
  await customer.writes("Podem entregar amanhã?");
  await acceptWaiting(agent, customer.name);
  await expect(tickets.message(agent, "Podem entregar amanhã?")).toBeVisible();
  await tickets.composer(agent, customer.name).fill("Podemos, entre");
  const stillTheSame = await markPage(agent);

  await product.kill();
  await expectOfflineWithCountdown(agent);
  await answer(agent, customer.name, "Podemos, entre 9h e 12h");
  const unsent = tickets.message(agent, "entre 9h e 12h");
  await expect(unsent).toContainText(queued);
  await tickets.composer(agent, customer.name).fill("Combinado");

  await product.restart();
  const writing = async (): Promise<void> => {
    await customer.writes("Oi?");
    await customer.writes("Alguém aí?");
  };
  // It says so for a few seconds only, perhaps while the customer still writes.
  await Promise.all([expect(agent.getByText("Conexão restabelecida.")).toBeVisible(), writing()]);
  await expect(tickets.message(agent, "Alguém aí?")).toBeVisible();
  await expect(unsent.getByRole("img", { name: "entregue" })).toBeVisible();
  await expect(unsent).toHaveCount(1);
  await expect(tickets.composer(agent, customer.name)).toHaveValue("Combinado");
  await expectEqualToServer(agent, customer.name);

  const bodies = (await customer.messages()).map(({ body }) => body);
  // The answer goes by itself, before or after what the customer writes meanwhile.
  expect(bodies.filter((body) => body !== signed("Podemos, entre 9h e 12h"))).toEqual([
    "Podem entregar amanhã?",
    "Oi?",
    "Alguém aí?",
  ]);
  expect(bodies).toHaveLength(4);
  expect(await stillTheSame(), "the page was not loaded again").toBe(true);
});

test("a line that dies silently is noticed, and a part that was never opened works without network", async ({
  signedIn,
  staff,
  network,
  product,
}) => {
  const line = await openLine(product.url);
  const agent = await signedIn(staff.marina, { baseURL: line.url });
  const customer = await network.customer("Rosa Prado");
  await customer.writes("Qual o horário de vocês?");
  await acceptWaiting(agent, customer.name);
  await expectFetchedAhead(agent);

  await test.step("nobody tells the browser that the line is dead", async () => {
    line.hold();
    await expectOfflineWithCountdown(agent);
    line.mend();
    await expect(agent.getByText("Sem conexão.")).toBeHidden();
  });

  line.cut();
  await tickets.message(agent, "Qual o horário").getByRole("button", { name: "Opções" }).click();
  await expect(agent.getByRole("menu")).toBeVisible();
  await agent.keyboard.press("Escape");
  await agent.keyboard.press("Alt+r");
  await expect(agent.getByRole("dialog", { name: /^Resolver o atendimento/ })).toBeVisible();
  await line.close();
});

async function expectOfflineWithCountdown(page: Page): Promise<void> {
  const notice = page.getByRole("status").filter({ hasText: "Sem conexão." });
  await expect(notice).toBeVisible();
  await expect(notice).toHaveText(/Tentando de novo em \d+ s\./);
}

/** Answers whether the page is still the one that was marked: a reload or navigation of the document makes a new one. */
async function markPage(page: Page): Promise<() => Promise<boolean>> {
  await page.evaluate(() => document.documentElement.toggleAttribute("data-marked", true));
  return () => page.evaluate(() => document.documentElement.hasAttribute("data-marked"));
}
