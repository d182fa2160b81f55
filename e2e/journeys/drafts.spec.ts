import type { Page } from "@playwright/test";
import { expect, test } from "../support/journey.ts";
import { acceptWaiting, tickets } from "../support/screens.ts";

test("each ticket keeps its own draft, over other tickets and a reload, until it is sent", async ({
  signedIn,
  staff,
  network,
}) => {
  const agent = await signedIn(staff.caio);
  const [first, second] = [await network.customer("Júlia Prado"), await network.customer("Rui Sá")];
  for (const customer of [first, second]) {
    await customer.writes("Olá");
    await acceptWaiting(agent, customer.name);
  }
  await tickets.composer(agent, second.name).fill("rascunho do Rui");
  await tickets.card(agent, first.name).getByRole("link").click();
  await expect(tickets.composer(agent, first.name)).toHaveValue("");
  await tickets.composer(agent, first.name).fill("rascunho da Júlia\ncom duas linhas");

  await tickets.card(agent, second.name).getByRole("link").click();
  await expect(tickets.composer(agent, second.name)).toHaveValue("rascunho do Rui");
  await agent.reload();
  await expect(tickets.composer(agent, second.name)).toHaveValue("rascunho do Rui");
  await tickets.card(agent, first.name).getByRole("link").click();
  const composer = tickets.composer(agent, first.name);
  await expect(composer).toHaveValue("rascunho da Júlia\ncom duas linhas");

  await composer.press("Enter");
  await expect(composer).toHaveValue("");
  await agent.reload();
  await expect(composer).toHaveValue("");
  await tickets.card(agent, second.name).getByRole("link").click();
  await expect(tickets.composer(agent, second.name)).toHaveValue("rascunho do Rui");
});

test("a message that arrives while an agent types takes neither the focus nor the caret", async ({
  signedIn,
  staff,
  network,
}) => {
  const agent = await signedIn(staff.marina);
  const customer = await network.customer("Sofia Castilho");
  await customer.writes("Oi");
  await acceptWaiting(agent, customer.name);
  const composer = tickets.composer(agent, customer.name);
  await composer.fill("O prazo é  dias.");
  await putCaret(agent, "O prazo é ".length);

  // Half of them into this ticket, half as new ones: both lists and conversation move while the keys come in.
  for (const [index, letter] of "de trinta ".split("").entries()) {
    await agent.keyboard.type(letter);
    const writer = index % 2 === 0 ? customer : await network.customer("Visita");
    await writer.writes(`Mensagem ${index}`);
    if (writer === customer) {
      await expect(tickets.message(agent, `Mensagem ${index}`)).toBeVisible();
    }
    await expect(composer).toBeFocused();
  }
  await expect(composer).toHaveValue("O prazo é de trinta  dias.");
  await agent.keyboard.press("Backspace");
  await composer.press("Enter");
  await expect(tickets.message(agent, "O prazo é de trinta dias.")).toHaveCount(1);
  await expect(composer).toBeFocused();
});

async function putCaret(page: Page, position: number): Promise<void> {
  await page.evaluate((at) => {
    const field = document.activeElement;
    if (field instanceof HTMLTextAreaElement) field.setSelectionRange(at, at);
  }, position);
}
