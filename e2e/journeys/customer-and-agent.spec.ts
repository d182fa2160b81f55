import { settledCount } from "../support/equal.ts";
import { anotherWindow, expect, test } from "../support/journey.ts";
import { newMark } from "../support/mark.ts";
import { acceptWaiting, answer, showWaiting, simulator, tickets } from "../support/screens.ts";

test("a new customer writes, the agent replies, and both see the acknowledgements", async ({
  signedIn,
  staff,
}) => {
  const admin = await signedIn(staff.renata);
  const phone = await anotherWindow(admin);
  await phone.goto("/simulator");
  const agent = await signedIn(staff.marina);
  const waitingBefore = await settledCount(agent, "Aguardando");
  await showWaiting(agent);

  const name = `Lívia Rocha ${newMark()}`;
  await test.step("the customer writes, and waits on every agent's screen at once", async () => {
    await phone.getByRole("button", { name: "Novo cliente" }).click();
    const dialog = phone.getByRole("dialog", { name: "Novo cliente" });
    await dialog.getByRole("textbox", { name: "Nome" }).fill(name);
    await dialog.getByRole("button", { name: "Criar cliente" }).click();
    await expect(simulator.phone(phone).getByText(`Você é ${name}`)).toBeVisible();
    await phone.getByRole("switch", { name: "Ler as mensagens da empresa ao vê-las" }).uncheck();
    await simulator.write(phone, "Vocês têm o vestido verde no P?");

    const card = tickets.card(agent, name);
    await expect(card).toContainText("Vocês têm o vestido verde no P?");
    await expect(card).toContainText("1 mensagem não lida");
    await expect(tickets.chip(agent, "Aguardando")).toHaveText(`Aguardando ${waitingBefore + 1}`);
    await expect(
      simulator.bubble(phone, "vestido verde").getByRole("img", { name: "Recebida pela empresa" }),
    ).toBeVisible();

    await simulator.write(phone, "É para sábado 💚");
    await expect(card).toContainText("É para sábado 💚");
    await expect(card).toContainText("2 mensagens não lidas");
  });

  await test.step("the agent accepts, which marks the messages as read, and the customer sees it", async () => {
    await acceptWaiting(agent, name);
    await expect(tickets.composer(agent, name)).toBeFocused();
    await expect(tickets.messages(agent).getByText("Mensagens não lidas")).toBeVisible();
    // The attendant may have answered before the agent accepted.
    await expect(tickets.message(agent, "vestido verde")).toHaveCount(1);
    await expect(tickets.message(agent, "É para sábado")).toHaveCount(1);
    await expect(tickets.chip(agent, "Aguardando")).toHaveText(`Aguardando ${waitingBefore}`);
    await expect(tickets.card(agent, name).getByRole("link")).toHaveAttribute(
      "aria-current",
      "page",
    );
    await expect(tickets.card(agent, name)).not.toContainText("não lida");
    await expect(
      simulator.bubble(phone, "É para sábado").getByRole("img", { name: "Lida por um atendente" }),
    ).toBeVisible();
  });

  await test.step("the answer is on the phone, delivered, and read once the customer looks", async () => {
    await answer(agent, name, "Temos sim, *reservo* para você?");
    const sent = tickets.message(agent, "Temos sim");
    await expect(sent).toHaveCount(1);
    await expect(sent.getByText("Marina Prado:")).toBeVisible();
    await expect(sent.locator("strong")).toHaveText("reservo");
    await expect(simulator.bubble(phone, "Temos sim, reservo para você?")).toBeVisible();
    await expect(sent.getByRole("img", { name: "entregue" })).toBeVisible();
    await expect(tickets.composer(agent, name)).toHaveValue("");

    await phone.getByRole("switch", { name: "Ler as mensagens da empresa ao vê-las" }).check();
    await expect(sent.getByRole("img", { name: "lida" })).toBeVisible();
    await expect(tickets.card(agent, name).getByRole("img", { name: "lida" })).toBeVisible();
    await expect(sent).toHaveCount(1);
  });

  await test.step("the customer's typing and next message arrive while the ticket is open", async () => {
    await phone.getByRole("textbox", { name: "Mensagem do cliente" }).pressSequentially("Sim, por");
    await expect(tickets.pane(agent, name).getByText("digitando…")).toBeVisible();
    await simulator.write(phone, "Sim, por favor");
    await expect(tickets.message(agent, "Sim, por favor")).toBeVisible();
    await expect(tickets.pane(agent, name).getByText("digitando…")).toBeHidden();
  });
});

test("the demo's admin alone, with the simulator in a second window, sees both sides", async ({
  signedIn,
  staff,
}) => {
  const page = await signedIn(staff.renata);
  const phone = await anotherWindow(page);
  await phone.goto("/simulator");
  const name = `Camila Rocha ${newMark()}`;
  await phone.getByRole("button", { name: "Novo cliente" }).click();
  await phone.getByRole("textbox", { name: "Nome" }).fill(name);
  await phone.getByRole("button", { name: "Criar cliente" }).click();
  await simulator.write(phone, "Que cor vocês indicam?");

  await acceptWaiting(page, name);
  await answer(page, name, "O verde, com certeza");
  await expect(simulator.bubble(phone, "O verde, com certeza")).toBeVisible();
  const sent = tickets.message(page, "O verde, com certeza");
  await expect(sent.getByRole("img", { name: "lida" })).toBeVisible();
});

test("a ticket is returned, accepted again, resolved, reopened, and comes back when the customer writes", async ({
  signedIn,
  staff,
  network,
}) => {
  const agent = await signedIn(staff.marina);
  const customer = await network.customer("Otávio Ramos");
  await customer.writes("Meu pedido não chegou");
  await acceptWaiting(agent, customer.name);
  const address = agent.url();
  const pane = tickets.pane(agent, customer.name);
  const number = await pane.getByText(/atendimento nº \d+$/).innerText();
  const card = tickets.card(agent, customer.name);

  await test.step("returned, it waits again", async () => {
    await pane.getByRole("button", { name: "Devolver" }).click();
    await expect(agent).toHaveURL("/tickets");
    await expect(card).toHaveCount(0);
    await acceptWaiting(agent, customer.name);
    await expect(agent).toHaveURL(address);
  });

  await test.step("resolved, it is among the resolved ones, where it can be reopened", async () => {
    await pane.getByRole("button", { name: "Resolver" }).click();
    await expect(agent).toHaveURL("/tickets");
    await expect(card).toHaveCount(0);
    await tickets.tab(agent, "Resolvidos").click();
    await card.getByRole("link").click();
    await expect(pane.getByText("Atendimento resolvido. Reabra para responder.")).toBeVisible();
    await expect(tickets.composer(agent, customer.name)).toBeDisabled();
    await pane.getByRole("button", { name: "Reabrir" }).click();
    await expect(tickets.composer(agent, customer.name)).toBeEnabled();
    await expect(tickets.tab(agent, "Abertos")).toHaveAttribute("aria-selected", "true");
    await expect(card.getByRole("link")).toHaveAttribute("aria-current", "page");
  });

  await test.step("resolved again, the same ticket waits after the customer's next message", async () => {
    await pane.getByRole("button", { name: "Resolver" }).click();
    await expect(agent).toHaveURL("/tickets");
    await customer.writes("Ainda nada…");
    await showWaiting(agent);
    await expect(card).toContainText("Ainda nada…");
    await acceptWaiting(agent, customer.name);
    await expect(agent).toHaveURL(address);
    await expect(pane.getByText(number)).toBeVisible();
    await expect(tickets.message(agent, "Meu pedido não chegou")).toHaveCount(1);
    await expect(tickets.message(agent, "Ainda nada…")).toHaveCount(1);
  });
});
