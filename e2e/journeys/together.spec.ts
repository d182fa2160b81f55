import type { Page } from "@playwright/test";
import { anotherWindow, expect, test } from "../support/journey.ts";
import { acceptWaiting, answer, showWaiting, tickets } from "../support/screens.ts";

test("colleagues see each other in an open ticket: viewing, typing, and a reply sent meanwhile", async ({
  signedIn,
  staff,
  network,
}) => {
  const agent = await signedIn(staff.marina);
  const admin = await signedIn(staff.renata);
  const customer = await network.customer("Vera Lins");
  await customer.writes("Alguém pode ajudar?");
  await acceptWaiting(agent, customer.name);
  const strip = (page: Page) => tickets.pane(page, customer.name).getByRole("status");

  await test.step("viewing, typing, gone", async () => {
    await admin.goto(agent.url());
    await expect(strip(agent).filter({ hasText: "Renata Aguiar está vendo" })).toBeVisible();
    await expect(strip(admin).filter({ hasText: "Marina Prado está vendo" })).toBeVisible();
    await tickets.composer(admin, customer.name).pressSequentially("Posso");
    await expect(strip(agent).filter({ hasText: "Renata Aguiar está digitando…" })).toBeVisible();
  });

  await test.step("a colleague's reply is shown before the own one is sent", async () => {
    await tickets.composer(agent, customer.name).fill("Claro, o que houve?");
    await answer(admin, customer.name, "Posso ajudar sim");
    const notice = agent.getByText("Renata Aguiar respondeu enquanto você escrevia");
    await expect(notice).toBeVisible();
    await tickets.composer(agent, customer.name).press("Enter");
    await expect(agent.getByText("Pressione Enter de novo para enviar mesmo assim.")).toBeVisible();
    await expect(tickets.composer(agent, customer.name)).toHaveValue("Claro, o que houve?");
    await expect(tickets.message(agent, "Claro, o que houve?")).toHaveCount(0);
    await tickets.composer(agent, customer.name).press("Enter");
    await expect(tickets.message(agent, "Claro, o que houve?")).toHaveCount(1);
    await expect(notice).toHaveCount(0);
  });

  await test.step("a colleague who leaves is not shown any more", async () => {
    await admin.goto("/tags");
    await expect(strip(agent).filter({ hasText: "Renata Aguiar" })).toHaveCount(0);
  });
});

test("only messages on the screen are marked as read, and the line shows where reading stopped", async ({
  signedIn,
  staff,
  network,
}) => {
  const agent = await signedIn(staff.marina);
  const customer = await network.customer("Wagner Dias");
  const other = await network.customer("Xênia Lobo");
  const acks = async () => (await customer.messages()).map(({ ack }) => ack);
  await other.writes("Oi");
  await customer.writes("Primeira");
  await acceptWaiting(agent, other.name);
  await acceptWaiting(agent, customer.name);
  await expect.poll(acks).toEqual([4]);

  await test.step("not while another ticket is open", async () => {
    await tickets.card(agent, other.name).getByRole("link").click();
    await expect(tickets.composer(agent, other.name)).toBeVisible();
    await customer.writes("Segunda");
    await expect(tickets.card(agent, customer.name)).toContainText("1 mensagem não lida");
    await expect.poll(acks).toEqual([4, 2]);
  });

  await test.step("not while the tab is hidden, though the ticket is open in it", async () => {
    await tickets.card(agent, customer.name).getByRole("link").click();
    await expect.poll(acks).toEqual([4, 4]);
    await setVisibility(agent, "hidden");
    await customer.writes("Terceira");
    await expect(tickets.message(agent, "Terceira")).toHaveCount(1);
    await expect(tickets.card(agent, customer.name)).toContainText("1 mensagem não lida");
    // A message that is seen is reported within half a second: another customer's is, meanwhile.
    const colleague = await signedIn(staff.caio);
    const third = await network.customer("Yuri Paz");
    await third.writes("Oi");
    await acceptWaiting(colleague, third.name);
    await expect.poll(async () => (await third.messages())[0]?.ack).toBe(4);
    await expect.poll(acks).toEqual([4, 4, 2]);
  });

  await test.step("back at the tab, the line stands before the new messages, which are marked as read", async () => {
    await setVisibility(agent, "visible");
    await expect.poll(acks).toEqual([4, 4, 4]);
    const line = tickets.messages(agent).getByText("Mensagens não lidas");
    await expect(line).toBeVisible();
    await expect(tickets.card(agent, customer.name)).not.toContainText("não lida");
    await answer(agent, customer.name, "Vi tudo");
    await expect(line).toHaveCount(0);
  });
});

test("two windows of one agent stay equal: lists, messages, read marks and drafts", async ({
  signedIn,
  browserOf,
  staff,
  network,
}) => {
  const first = await signedIn(staff.caio);
  const customer = await network.customer("Zeca Prado");
  await customer.writes("Bom dia");
  const second = await anotherWindow(first);
  await second.goto("/tickets");
  await showWaiting(second);
  await expect(tickets.card(second, customer.name)).toBeVisible();

  await test.step("accepted in the one, served in the other", async () => {
    await acceptWaiting(first, customer.name);
    await expect(tickets.card(second, customer.name)).toHaveCount(0);
    await tickets.chip(second, "Atendendo").click();
    await tickets.card(second, customer.name).getByRole("link").click();
    await expect(tickets.message(second, "Bom dia")).toBeVisible();
  });

  await test.step("written in the one, there in the other, and gone once it is sent", async () => {
    await tickets.composer(first, customer.name).pressSequentially("Bom dia! Já");
    await tickets.chip(first, "Aguardando").focus();
    await expect(tickets.composer(second, customer.name)).toHaveValue("Bom dia! Já");
    await tickets.composer(second, customer.name).press("End");
    await tickets.composer(second, customer.name).pressSequentially(" te respondo");
    await tickets.composer(second, customer.name).press("Enter");
    for (const page of [first, second]) {
      await expect(tickets.message(page, "Bom dia! Já te respondo")).toHaveCount(1);
      await expect(tickets.composer(page, customer.name)).toHaveValue("");
    }
    const sent = tickets.message(second, "Bom dia! Já te respondo");
    await expect(sent.getByRole("img", { name: "entregue" })).toBeVisible();
    expect((await customer.messages()).filter(({ fromCustomer }) => !fromCustomer)).toHaveLength(1);
  });

  await test.step("and in another browser, which knows nothing of this one's storage", async () => {
    await tickets.composer(first, customer.name).fill("Começado aqui");
    await tickets.chip(first, "Aguardando").focus();
    await expect(tickets.composer(second, customer.name)).toHaveValue("Começado aqui");
    const address = first.url();
    const elsewhere = await browserOf({
      storageState: await first.context().storageState(),
    });
    await elsewhere.addInitScript(() => {
      for (const key of Object.keys(localStorage)) {
        if (key.startsWith("balcao.draft.")) localStorage.removeItem(key);
      }
    });
    await elsewhere.goto(address);
    await expect(tickets.composer(elsewhere, customer.name)).toHaveValue("Começado aqui");
    await tickets.composer(elsewhere, customer.name).fill("Terminado ali");
    await tickets.chip(elsewhere, "Aguardando").focus();
    await expect(tickets.composer(first, customer.name)).toHaveValue("Terminado ali");
  });
});

/** As when the agent goes to another tab, or comes back. */
async function setVisibility(page: Page, state: "hidden" | "visible"): Promise<void> {
  await page.evaluate((visibility) => {
    Object.defineProperty(document, "visibilityState", { value: visibility, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
  }, state);
}
