import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BrowserContext, CDPSession, Page } from "@playwright/test";
import { chromium } from "@playwright/test";
import { browserOptions } from "../support/browser.ts";
import { expect, signIn, test } from "../support/journey.ts";
import { startPushService } from "../support/push-service.ts";
import { acceptWaiting, answer, tickets } from "../support/screens.ts";

/** A whole browser with a profile of its own: the shell without windows has no notifications, and nothing is installed in private. */
async function openPhone(url: string): Promise<{ phone: BrowserContext; close(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), "balcao-phone-"));
  const { launchOptions, contextOptions, ...options } = browserOptions;
  const phone = await chromium.launchPersistentContext(folder, {
    ...contextOptions,
    baseURL: url,
    locale: options.locale ?? "pt-BR",
    timezoneId: options.timezoneId ?? "America/Sao_Paulo",
    executablePath: process.env["CHROMIUM_WHOLE_PATH"] ?? "/usr/bin/chromium",
    args: [...(launchOptions?.args ?? []), "--headless=new"],
    viewport: { width: 390, height: 844 },
    permissions: ["notifications"],
  });
  return {
    phone,
    async close() {
      await phone.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

test("the inbox is an app on the phone: told while its page is closed, read and answered without network, gone with the session", async ({
  product,
  staff,
  network,
}) => {
  const service = await startPushService();
  const { phone, close } = await openPhone(product.url);
  await service.serve(phone);
  const page = phone.pages()[0] ?? (await phone.newPage());
  await page.goto("/login");
  await signIn(page, staff.marina);
  await expect(page.getByRole("heading", { level: 1, name: "Atendimentos" })).toBeVisible();
  const customer = await network.customer("Olívia Ramos");
  await customer.writes("Vocês entregam hoje?");
  await acceptWaiting(page, customer.name);
  const address = page.url();

  await test.step("it can be installed", async () => {
    await expectKeptShell(page);
    const browser = await phone.newCDPSession(page);
    await expect(async () => {
      const { installabilityErrors } = await browser.send("Page.getInstallabilityErrors");
      expect(installabilityErrors).toEqual([]);
    }).toPass();
  });

  await test.step("notifications are turned on in the profile", async () => {
    await page.goto("/tickets");
    await page.getByRole("button", { name: "Abrir menu" }).click();
    await page.getByRole("button", { name: "Meu perfil" }).click();
    const profile = page.getByRole("dialog", { name: "Meu perfil" });
    await profile.getByRole("switch", { name: "Notificações neste aparelho" }).click();
    await profile.getByRole("button", { name: "Enviar teste" }).click();
    expect(JSON.parse(await service.message(1))).toMatchObject({ title: "Notificação de teste" });
    await expect(page.getByText("O teste foi enviado.")).toBeVisible();
  });

  await test.step("a message reaches the closed page, once per conversation, and opens it at the ticket", async () => {
    await page.goto("about:blank");
    const sent = service.count();
    await customer.writes("Preciso para as 18h");
    const message = await service.message(sent + 1);
    expect(JSON.parse(message)).toMatchObject({
      ...{ title: customer.name, body: "Preciso para as 18h" },
      url: new URL(address).pathname,
    });
    const deliver = await deliverer(phone, page, product.url);
    await deliver(message);
    await deliver(message);
    await expect
      .poll(() => shownIn(phone))
      .toEqual([{ title: customer.name, body: "Preciso para as 18h" }]);
    await page.goto(address);
    await expect(tickets.message(page, "Preciso para as 18h")).toBeVisible();
  });

  await test.step("what is shared from the phone becomes a draft of the chosen ticket", async () => {
    await page.goto("/tickets");
    await share(page, "Pedido em anexo");
    await expect(page.getByText("Abra o atendimento que vai receber: pedido.txt")).toBeVisible();
    await page.getByText(customer.name).first().click();
    await page.getByRole("button", { name: "Usar aqui" }).click();
    const remove = page.getByRole("button", { name: "Remover pedido.txt" });
    await expect(remove).toBeVisible();
    await expect(tickets.composer(page, customer.name)).toHaveValue("Pedido em anexo");
    await expect(page.getByText(/^Usar neste/)).toHaveCount(0);
    expect(await page.evaluate(() => caches.has("balcao.shared"))).toBe(false);
    expect((await customer.messages()).some(({ fromCustomer }) => !fromCustomer)).toBe(false);
    await remove.click();
    await tickets.composer(page, customer.name).fill("");
    await page.goto(address);
  });

  await test.step("ten minutes without network: a reload, five answers, each sent once", async () => {
    await expect(tickets.message(page, "Preciso para as 18h")).toBeVisible();
    await expectKeptConversation(page);
    await phone.setOffline(true);
    await page.reload();
    await expect(page.getByText(/^Sem conexão: o que você vê é de/)).toBeVisible();
    await expect(tickets.message(page, "Preciso para as 18h")).toBeVisible();
    await page.clock.install();
    for (const text of ["Um", "Dois", "Três"]) await answer(page, customer.name, `Parte ${text}`);
    await page.clock.fastForward("10:00");
    await page.reload();
    for (const text of ["Quatro", "Cinco"]) await answer(page, customer.name, `Parte ${text}`);
    await expect(tickets.message(page, "Parte Um")).toBeVisible();
    await phone.setOffline(false);
    const parts = ["Um", "Dois", "Três", "Quatro", "Cinco"].map(
      (text) => `*Marina Prado:*\nParte ${text}`,
    );
    await expect
      .poll(async () =>
        (await customer.messages())
          .filter(({ fromCustomer }) => !fromCustomer)
          .map(({ body }) => body),
      )
      .toEqual(parts);
    await expect(page.getByText(/^Sem conexão: o que você vê é de/)).toHaveCount(0);
  });

  await test.step("signing out leaves nothing of it in the browser", async () => {
    await page.goto("/tickets");
    expect(await otherThanProgram(page)).toEqual([]);
    await share(page, "De ninguém mais");
    await expect(page.getByText(/^Abra o atendimento/)).toBeVisible();
    await page.getByRole("button", { name: "Abrir menu" }).click();
    await page.getByRole("button", { name: "Sair" }).click();
    await expect(page.getByRole("button", { name: "Entrar" })).toBeVisible();
    await expect
      .poll(() => page.evaluate(async () => (await indexedDB.databases()).map(({ name }) => name)))
      .not.toContain("balcao.kept");
    await expect(page.getByText(/^Abra o atendimento/)).toHaveCount(0);
    expect(await page.evaluate(() => caches.has("balcao.shared"))).toBe(false);
    expect(await otherThanProgram(page)).toEqual([]);
    await expect.poll(() => shownIn(phone)).toEqual([]);
    const sent = service.count();
    await customer.writes("Obrigada!");
    await expect.poll(async () => (await customer.ticket()).unreadMessages).toBeGreaterThan(0);
    expect(service.count()).toBe(sent);
  });
  await close();
  await service.stop();
});

/** Posts to the product what the phone's share sheet posts. */
async function share(page: Page, text: string): Promise<void> {
  await page.evaluate((said) => {
    const form = Object.assign(document.createElement("form"), {
      ...{ method: "post", action: "/share", enctype: "multipart/form-data" },
    });
    const field = (name: string, type: string) =>
      form.appendChild(Object.assign(document.createElement("input"), { name, type }));
    field("text", "text").value = said;
    const transfer = new DataTransfer();
    transfer.items.add(new File(["2 pães"], "pedido.txt", { type: "text/plain" }));
    field("files", "file").files = transfer.files;
    document.body.append(form);
    form.submit();
  }, text);
  await page.waitForURL(/\/tickets/);
}

/** Lists what the browser's caches have beside the page and its files. */
async function otherThanProgram(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    const found: string[] = [];
    for (const name of await caches.keys()) {
      const kept = await (await caches.open(name)).keys();
      found.push(...kept.map(({ url }) => new URL(url).pathname));
    }
    return found.filter((path) => path !== "/" && !path.startsWith("/assets/"));
  });
}

/** The worker serves the page, and all files of this version are kept. */
async function expectKeptShell(page: Page): Promise<void> {
  await expect
    .poll(() =>
      page.evaluate(async () => {
        if (!navigator.serviceWorker.controller) return false;
        for (const name of await caches.keys()) {
          if (await (await caches.open(name)).match("/")) return true;
        }
        return false;
      }),
    )
    .toBe(true);
}

/** The conversation on the screen has been written to the storage since the page was opened. */
async function expectKeptConversation(page: Page): Promise<void> {
  await expect
    .poll(() =>
      page.evaluate(async () => {
        const known = (await indexedDB.databases()).some(({ name }) => name === "balcao.kept");
        if (!known) return false;
        const opening = indexedDB.open("balcao.kept");
        await new Promise((resolve) => opening.addEventListener("success", resolve));
        const asked = opening.result.transaction("rows").objectStore("rows").getAll();
        await new Promise((resolve) => asked.addEventListener("success", resolve));
        opening.result.close();
        const rows = asked.result as { isConversation: boolean; at: number }[];
        return rows.some((row) => row.isConversation && row.at > performance.timeOrigin);
      }),
    )
    .toBe(true);
}

/** Delivers messages to the worker as the browser's push service does. */
async function deliverer(phone: BrowserContext, page: Page, origin: string) {
  const session: CDPSession = await phone.newCDPSession(page);
  const found = new Promise<string>((resolve) => {
    session.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
      const own = registrations.find(({ scopeURL }) => scopeURL.startsWith(origin));
      if (own) resolve(own.registrationId);
    });
  });
  await session.send("ServiceWorker.enable");
  const registrationId = await found;
  return (data: string) =>
    session.send("ServiceWorker.deliverPushMessage", { origin, registrationId, data });
}

/** The notifications that stand on the phone. */
async function shownIn(phone: BrowserContext): Promise<{ title: string; body: string }[]> {
  const [worker] = phone.serviceWorkers();
  if (!worker) throw new Error("there is no worker");
  return worker.evaluate(async () => {
    const { registration } = globalThis as unknown as { registration: ServiceWorkerRegistration };
    return (await registration.getNotifications()).map(({ title, body }) => ({ title, body }));
  });
}
