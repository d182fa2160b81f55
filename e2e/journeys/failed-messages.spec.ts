import { expect, test } from "../support/journey.ts";
import { acceptWaiting, answer, simulator, tickets } from "../support/screens.ts";

test("a refused message keeps its text, is sent by a retry, or removed when discarded", async ({
  signedIn,
  staff,
  network,
}) => {
  const admin = await signedIn(staff.renata);
  await admin.goto("/simulator");
  const agent = await signedIn(staff.marina);
  const customer = await network.customer("Samuel Tavares");
  await customer.writes("Qual o código de rastreio?");
  await acceptWaiting(agent, customer.name);
  const card = tickets.card(agent, customer.name);
  const first = tickets.message(agent, "O código é BR123");
  const second = tickets.message(agent, "Isto eu não devia escrever");

  await test.step("the network refuses", async () => {
    await admin.getByRole("combobox", { name: "Mensagens da empresa" }).selectOption("É recusado");
    await expect(admin.getByText("A rede devolve um erro na hora.")).toBeVisible();

    await answer(agent, customer.name, "O código é BR123");
    await expect(first).toContainText("Não enviada.");
    await expect(first.getByRole("img", { name: "não enviada" })).toBeVisible();
    await expect(card).toContainText("Não enviada: O código é BR123");

    await answer(agent, customer.name, "Isto eu não devia escrever");
    await expect(second).toContainText("Não enviada.");
  });

  await test.step("neither a failed retry nor a reload changes it", async () => {
    await first.getByRole("button", { name: "Tentar de novo" }).click();
    await expect(first).toContainText("Não enviada.");
    await agent.reload();
    await expect(first).toContainText("Não enviada.");
    await expect(second).toContainText("Não enviada.");
    expect(await customer.messages()).toHaveLength(1);
  });

  await test.step("a retry sends it once the network accepts messages, exactly once", async () => {
    await admin
      .getByRole("combobox", { name: "Mensagens da empresa" })
      .selectOption("Chega ao cliente");
    await expect(admin.getByText("A rede aceita e entrega as mensagens.")).toBeVisible();
    await first.getByRole("button", { name: "Tentar de novo" }).click();
    await expect(first.getByRole("img", { name: "entregue" })).toBeVisible();
    await expect(first).not.toContainText("Não enviada.");
    await expect(first).toHaveCount(1);
  });

  await test.step("discarding removes the other one for good", async () => {
    await second.getByRole("button", { name: "Descartar" }).click();
    await expect(second).toHaveCount(0);
    await agent.reload();
    await expect(first.getByRole("img", { name: "entregue" })).toBeVisible();
    await expect(second).toHaveCount(0);
    await expect(card).toContainText("O código é BR123");
    await expect(card).not.toContainText("Não enviada");
  });

  await test.step("the phone shows exactly what was sent", async () => {
    await admin.getByRole("button", { name: customer.name }).click();
    await expect(simulator.bubble(admin, "O código é BR123")).toHaveCount(1);
    await expect(simulator.bubble(admin, "não devia")).toHaveCount(0);
    const bodies = (await customer.messages()).map(({ body }) => body);
    expect(bodies).toEqual(["Qual o código de rastreio?", "*Marina Prado:*\nO código é BR123"]);
  });
});
