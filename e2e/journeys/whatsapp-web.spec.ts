import type { Locator, Page } from "@playwright/test";
import type { CompanyAccount } from "@balcao/server/src/channels/whatsapp-web/testing/company.ts";
import { startPeer } from "@balcao/server/src/channels/whatsapp-web/testing/peer.ts";
import { apiOfPage } from "../support/equal.ts";
import { expect, signIn, test } from "../support/journey.ts";
import { startProduct } from "../support/product.ts";
import { acceptWaiting, answer, tickets } from "../support/screens.ts";

const NAME = "Balcão da loja";
const row = (page: Page): Locator =>
  page.getByRole("row").filter({ has: page.getByText(NAME, { exact: true }) });
const press = (page: Page, action: string): Promise<void> =>
  row(page)
    .getByRole("button", { name: `${action}: ${NAME}` })
    .click();

/** The code that the page shows to be scanned, or to be typed, as soon as it is there. */
async function shown(page: Page, what: "qrcode" | "pairingCode"): Promise<string> {
  const api = await apiOfPage(page);
  const read = async (): Promise<string> => {
    const connections = await api("GET /whatsapp");
    return connections.find(({ name }) => name === NAME)?.[what] ?? "";
  };
  await expect.poll(read).not.toBe("");
  return read();
}

/** The company's phone scans the code on the screen. */
async function scan(page: Page, phone: CompanyAccount): Promise<void> {
  await expect(page.getByRole("img", { name: `QR code para conectar ${NAME}` })).toBeVisible();
  await phone.scanQr(await shown(page, "qrcode"));
  await expect(row(page)).toContainText("Conectada");
  await expect(page.getByRole("dialog")).toHaveCount(0);
}

test("a real client links by its code, serves a customer, reconnects after a crash without a code, and is linked again after the phone unlinked it", async ({
  browser,
}) => {
  const peer = await startPeer();
  const product = await startProduct({
    WHATSAPP_WEB_URL: peer.url,
    WHATSAPP_WEB_ROOT_KEY: peer.rootKeyHex,
    BALCAO_AUTH_REQUESTS_PER_MINUTE: "1000",
  });
  const context = await browser.newContext({
    baseURL: product.url,
    viewport: { width: 1440, height: 900 },
  });
  const page = await context.newPage();
  const phone = peer.account("5511940000001");
  const customer = phone.contact("5511988880001", { name: "Clara Nunes" });
  try {
    await page.goto("/login");
    await signIn(page, product.accounts.admin);

    await test.step("added, its code is scanned and the dialog closes by itself", async () => {
      await page.getByRole("link", { name: /^Conexões/ }).click();
      await page.getByRole("button", { name: "Adicionar" }).first().click();
      const dialog = page.getByRole("dialog", { name: "Nova conexão" });
      await dialog.getByRole("textbox", { name: "Nome" }).fill(NAME);
      await dialog.getByText("WhatsApp por QR code", { exact: true }).click();
      await dialog.getByRole("button", { name: "Salvar" }).click();
      await scan(page, phone);
      await expect(row(page)).toContainText(phone.phoneNumber);
    });

    await test.step("a customer writes, gets a reply, and edits the message", async () => {
      const id = await customer.sends("Vocês abrem no sábado?");
      await page.getByRole("link", { name: "Atendimentos" }).click();
      await acceptWaiting(page, "Clara Nunes");
      await expect(tickets.message(page, "Vocês abrem no sábado?")).toBeVisible();
      await answer(page, "Clara Nunes", "Abrimos, das 9h às 13h");
      await expect
        .poll(() => customer.received().some(({ text }) => text?.includes("das 9h às 13h")))
        .toBe(true);
      await customer.edits(id, "Vocês abrem no domingo?");
      await expect(tickets.message(page, "Vocês abrem no domingo?")).toContainText("editada");
      await expect(tickets.message(page, "no sábado")).toHaveCount(0);
    });

    await test.step("killed and started again it is linked as before; no message sent meanwhile is lost", async () => {
      await product.kill();
      await customer.sends("E no feriado?");
      await product.restart();
      await expect(tickets.message(page, "E no feriado?")).toBeVisible({ timeout: 120_000 });
      await expect(tickets.message(page, "E no feriado?")).toHaveCount(1);
      await page.getByRole("link", { name: /^Conexões/ }).click();
      await expect(row(page)).toContainText("Conectada");
      expect(peer.waitingForLink()).toBe(0);
    });

    await test.step("unlinked on the phone it says so, and is linked again", async () => {
      phone.unlink();
      await expect(row(page)).toContainText("Desconectada");
      await expect(row(page)).toContainText("Desconectada pelo celular");
      await press(page, "Tentar novamente");
      await press(page, "QR code");
      await scan(page, phone);
    });

    await test.step("disconnected, it is linked with a code that is typed on the phone", async () => {
      await press(page, "Desconectar");
      await page
        .getByRole("dialog", { name: `Desconectar ${NAME}?` })
        .getByRole("button", { name: "Desconectar" })
        .click();
      await expect(row(page)).toContainText("Desconectada por um administrador");
      await press(page, "Novo QR code");
      const dialog = page.getByRole("dialog");
      await dialog.getByText("Conectar com um número de telefone").click();
      await dialog.getByRole("textbox").fill("+55 11 94000-0001");
      await dialog.getByRole("textbox").press("Enter");
      await phone.typeCode(await shown(page, "pairingCode"));
      await expect(row(page)).toContainText("Conectada");
      await expect(dialog).toHaveCount(0);
    });

    await test.step("deleted, the phone has no linked device any more", async () => {
      await page.getByRole("button", { name: `Excluir ${NAME}` }).click();
      await page
        .getByRole("dialog", { name: `Excluir a conexão ${NAME}?` })
        .getByRole("button", { name: "Excluir" })
        .click();
      await expect(row(page)).toHaveCount(0);
      await expect.poll(() => phone.linkedDevices()).toBe(0);
    });
  } finally {
    await context.close();
    await product.stop();
    await peer.close();
  }
});
