import { createHmac, randomBytes } from "node:crypto";
import type { Page } from "@playwright/test";
import { expectNoFindingsInWindows } from "../support/axe.ts";
import { addColleague } from "../support/database.ts";
import { expect, signIn, test } from "../support/journey.ts";
import { tabTo } from "../support/screens.ts";

// The password alone, a wrong code, and the calls of a session that another one has ended.
test.use({ expectedErrors: /status of 40[0134]/ });

const STEP_SECONDS = 30;

/** The code of an authenticator app (RFC 6238) for a key in base 32, `ahead` steps of time from now. */
function codeOf(secret: string, ahead = 0): string {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  const bits = Array.from(secret, (letter) =>
    alphabet.indexOf(letter).toString(2).padStart(5, "0"),
  );
  const bytes = bits.join("").match(/.{8}/g) ?? [];
  const key = Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 1_000 / STEP_SECONDS) + ahead));
  const hash = createHmac("sha1", key).update(counter).digest();
  const offset = (hash.at(-1) ?? 0) & 0xf;
  const number = (hash.readUInt32BE(offset) & 0x7fffffff) % 1_000_000;
  return String(number).padStart(6, "0");
}

async function openSecurity(page: Page, name: string) {
  await page.getByRole("button", { name: `Conta de ${name}` }).click();
  await page.getByRole("menuitem", { name: "Meu perfil" }).click();
  await page.getByRole("button", { name: "Gerenciar" }).click();
  return page.getByRole("dialog", { name: "Segurança da conta" });
}

async function signOut(page: Page): Promise<void> {
  await page.context().clearCookies();
  await page.evaluate(() => localStorage.clear());
  await page.goto("/login");
}

test("a user turns the second factor on, signs in with its code, without the phone by a recovery code, and by a passkey", async ({
  product,
  staff,
  browserOf,
}) => {
  const mark = randomBytes(3).toString("hex");
  const user = await addColleague(product, staff.caio, {
    ...{ name: `Rita ${mark}`, email: `rita-${mark}@aurora.local`, profile: "user" },
  });
  // Browsers make no passkeys at IP addresses.
  const page = await browserOf({ baseURL: product.url.replace("127.0.0.1", "localhost") });
  const devices = await page.context().newCDPSession(page);
  await devices.send("WebAuthn.enable");
  await devices.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      ...{ protocol: "ctap2", transport: "internal", hasResidentKey: true },
      ...{ hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true },
    },
  });
  const code = page.getByLabel("Código de 6 dígitos", { exact: true });
  await page.goto("/login");
  await signIn(page, user);
  await expect(page).toHaveURL("/tickets");

  const { secret, recovery } = await test.step("the factor is turned on", async () => {
    const dialog = await openSecurity(page, user.name);
    await dialog.getByRole("button", { name: "Ligar" }).click();
    await dialog.getByLabel("Senha atual").fill(user.password);
    await dialog.getByLabel("Senha atual").press("Enter");
    const secret = (await dialog.locator("code").innerText()).replaceAll(" ", "");
    await dialog.getByLabel("Código de 6 dígitos do aplicativo").fill(codeOf(secret, -1));
    await dialog.getByRole("button", { name: "Confirmar" }).click();
    const codes = dialog.getByRole("list", { name: "Códigos de recuperação" });
    await expect(codes.getByRole("listitem")).toHaveCount(10);
    const recovery = await codes.getByRole("listitem").first().innerText();
    await dialog.getByRole("button", { name: "Pronto" }).click();
    await expect(dialog.getByText("Restam 10 códigos de recuperação.")).toBeVisible();
    await dialog.getByRole("button", { name: "Adicionar chave" }).click();
    await dialog.getByLabel("Nome da chave").fill("Notebook");
    await dialog.getByLabel("Senha atual").fill(user.password);
    await dialog.getByLabel("Senha atual").press("Enter");
    await expect(dialog.getByText("Ainda não usada")).toBeVisible();
    await expectNoFindingsInWindows(page, { where: "the security of the account" });
    return { secret, recovery };
  });

  await test.step("a sign-in asks for a code, and takes the right one", async () => {
    await signOut(page);
    await signIn(page, user);
    await code.fill("000000");
    await code.press("Enter");
    await expect(page.getByText("Código incorreto ou já usado.")).toBeVisible();
    await expectNoFindingsInWindows(page, { where: "the step for a code" });
    await code.fill(codeOf(secret));
    await code.press("Enter");
    await expect(page).toHaveURL("/tickets");
  });

  await test.step("without the phone a recovery code does, once", async () => {
    await signOut(page);
    await signIn(page, user);
    await page.getByRole("button", { name: /Perdi o celular/ }).click();
    await page.getByLabel("Código de recuperação").fill(recovery.toLowerCase());
    await page.getByLabel("Código de recuperação").press("Enter");
    await expect(page).toHaveURL("/tickets");
    const dialog = await openSecurity(page, user.name);
    await expect(dialog.getByText("Restam 9 códigos de recuperação.")).toBeVisible();
    await expect(dialog.getByText("Entrada com código de recuperação")).toBeVisible();
  });

  await test.step("a passkey signs in without password and code", async () => {
    await signOut(page);
    await page.getByRole("button", { name: "Usar chave de acesso" }).click();
    await expect(page).toHaveURL("/tickets");
  });
});

test("an admin makes a role without a permission; its user neither sees nor may do it, from that moment on", async ({
  product,
  staff,
  signedIn,
}) => {
  const mark = randomBytes(3).toString("hex");
  const colleague = await addColleague(product, staff.caio, {
    ...{ name: `Davi ${mark}`, email: `davi-${mark}@aurora.local`, profile: "user" },
  });
  const role = `Balcão ${mark}`;
  const hers = await signedIn(colleague);
  const page = await signedIn(staff.renata);
  const menu = hers.getByRole("navigation").first();
  await expect(menu.getByRole("link", { name: "Tarefas" })).toBeVisible();
  await expect(menu.getByRole("link", { name: "Chat interno" })).toBeVisible();

  await test.step("the role is made by keyboard alone", async () => {
    await page.goto("/users?tab=roles");
    await page.getByRole("row", { name: /Supervisor/ }).waitFor();
    await expectNoFindingsInWindows(page, { where: "the roles" });
    await page.getByRole("button", { name: "Adicionar" }).focus();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Novo perfil" });
    await expect(dialog.getByRole("textbox", { name: "Nome" })).toBeFocused();
    await page.keyboard.type(role);
    const chats = dialog.getByRole("checkbox", { name: /^Usar o chat interno/ });
    await tabTo(page, chats);
    await page.keyboard.press("Space");
    await expect(chats).not.toBeChecked();
    await expectNoFindingsInWindows(page, { where: "the matrix of a role" });
    await page.keyboard.press("Enter");
    await expect(dialog).toBeHidden();
    await expect(page.getByRole("row", { name: new RegExp(role) })).toContainText("1 a menos");
  });

  await test.step("its user is without the page at once", async () => {
    await page.goto(`/users?search=${mark}`);
    await page.getByRole("button", { name: `Editar ${colleague.name}` }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Perfil").selectOption({ label: role });
    await dialog.getByRole("button", { name: "Ver acessos e sessões" }).click();
    const security = page.getByRole("dialog", { name: `Segurança de ${colleague.name}` });
    await expect(security.getByText("Entrada com senha").first()).toBeVisible();
    await expectNoFindingsInWindows(page, { where: "the security of a colleague" });
    await page.keyboard.press("Escape");
    await dialog.getByRole("button", { name: "Salvar" }).click();
    await expect(dialog).toBeHidden();
    await expect(menu.getByRole("link", { name: "Chat interno" })).toBeHidden();
    await expect(menu.getByRole("link", { name: "Tarefas" })).toBeVisible();
    const token = await hers.evaluate(() => JSON.parse(localStorage.getItem("token") ?? '""'));
    const reply = await hers.request.post("/api/chats", {
      data: { title: mark, users: [] },
      headers: { authorization: `Bearer ${token}` },
    });
    expect(await reply.json()).toMatchObject({ code: "ERR_NO_PERMISSION" });
    await hers.goto("/chats");
    await expect(hers).toHaveURL("/tickets");
  });

  await test.step("what the company demands of a sign-in is found by the search", async () => {
    await page.goto("/settings");
    await page.getByRole("searchbox").fill("segundo fator");
    const demand = page.getByRole("switch", { name: "Exigir segundo fator de todos" });
    await expect(demand).not.toBeChecked();
    await expectNoFindingsInWindows(page, { where: "the search of the settings" });
  });
});
