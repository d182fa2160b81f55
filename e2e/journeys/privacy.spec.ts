import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { expectNoFindingsInWindows } from "../support/axe.ts";
import { expect, test } from "../support/journey.ts";
import { acceptWaiting, answer, tickets } from "../support/screens.ts";

// The open conversation of a person who is being erased.
test.use({
  expectedErrors: /status of 40[034] .*\/api\/(tickets|messages|ticket-notes|contacts|privacy)\//,
});

const entries = (page: Page) => page.getByRole("list", { name: "Registros da auditoria" });

async function openTab(page: Page, name: "Auditoria" | "Privacidade"): Promise<void> {
  await page.goto("/settings");
  await page.getByRole("tab", { name }).click();
  await expect(page.getByRole("tab", { name })).toHaveAttribute("aria-selected", "true");
}

test("an admin finds a person, hands out a copy and erases it with a certificate; the audit tells who looked and who erased", async ({
  signedIn,
  staff,
  network,
}) => {
  const agent = await signedIn(staff.marina);
  const admin = await signedIn(staff.renata);
  const customer = await network.customer("Zulmira Quitéria");
  const { name, phone } = customer;
  await customer.writes("Meu segredo é azul");
  await acceptWaiting(agent, name);
  await answer(agent, name, "Guardado!");
  await expect(tickets.message(agent, "Guardado!")).toBeVisible();
  const ticketAddress = agent.url();

  await test.step("opening somebody else's conversation is listed, with what is known of it", async () => {
    await admin.goto(ticketAddress);
    await expect(tickets.message(admin, "Meu segredo é azul")).toBeVisible();
    await openTab(admin, "Auditoria");
    await admin.getByRole("searchbox", { name: "Buscar na auditoria" }).fill(name);
    const opened = entries(admin).getByRole("button", { name: `abriu o atendimento de ${name}` });
    await opened.focus();
    await admin.keyboard.press("Enter");
    await expect(opened).toHaveAttribute("aria-expanded", "true");
    await expect(entries(admin).getByRole("table").first()).toContainText("Usuário");
    await expectNoFindingsInWindows(admin, { where: "the audit" });
  });

  await test.step("the person is found by the number, and its copy is a file", async () => {
    await openTab(admin, "Privacidade");
    const field = admin.getByRole("textbox", { name: "Número, e-mail, nome ou documento" });
    await field.fill(phone);
    await field.press("Enter");
    await expect(admin.getByRole("region", { name: "O que está guardado" })).toContainText(
      "Mensagens",
    );
    await admin.getByRole("button", { name: "Preparar cópia" }).click();
    const saving = admin.waitForEvent("download");
    await admin.getByRole("button", { name: /^Baixar \(/ }).click();
    expect((await saving).suggestedFilename()).toBe("dados-pessoais.zip");
    await expectNoFindingsInWindows(admin, { where: "personal data" });
  });

  const certificate =
    await test.step("the erasure asks for the name and gives a certificate without it", async () => {
      await admin.getByRole("button", { name: "Apagar os dados" }).click();
      const dialog = admin.getByRole("dialog", { name: `Apagar os dados de ${name}?` });
      const confirmation = dialog.getByRole("textbox");
      const erase = dialog.getByRole("button", { name: "Apagar os dados" });
      await confirmation.fill("Outra pessoa");
      await erase.click();
      await expect(dialog.getByRole("alert")).toContainText("não confere");
      await confirmation.fill(name);
      await erase.click();
      await expect(dialog).toHaveCount(0);
      const saving = admin.waitForEvent("download");
      await admin
        .getByRole("button", { name: /^Baixar o certificado de / })
        .first()
        .click();
      return readFile(await (await saving).path(), "utf8");
    });
  expect(certificate).toContain("O que foi eliminado");
  for (const mark of [name, phone, "azul"]) expect(certificate).not.toContain(mark);

  await test.step("no trace of the person is left on the screens", async () => {
    await expect(tickets.card(agent, name)).toHaveCount(0);
    await expect(tickets.messages(agent)).toHaveCount(0);
    await agent.goto("/contacts");
    await agent.getByRole("searchbox").fill(phone);
    await expect(agent.getByRole("link", { name })).toHaveCount(0);
    await openTab(admin, "Auditoria");
    await expect(entries(admin)).toContainText("apagou os dados de uma pessoa");
    await expect(entries(admin)).toContainText("abriu o atendimento de [apagado]");
    await expect(entries(admin)).not.toContainText(name);
  });
});
