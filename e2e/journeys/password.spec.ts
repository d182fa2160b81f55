import { randomBytes } from "node:crypto";
import { expectNoFindings, expectNoFindingsInWindows } from "../support/axe.ts";
import { addColleague } from "../support/database.ts";
import { expect, signIn, test } from "../support/journey.ts";

// The wrong code, and the calls of the page whose session the new password ends.
test.use({ expectedErrors: /status of 40[134]/ });

test("a user who forgot the password sets a new one with the code that a super user reads", async ({
  product,
  staff,
  signedIn,
  browserOf,
}) => {
  const mark = randomBytes(3).toString("hex");
  const password = "Girafa-lilas-27";
  const user = await addColleague(product, staff.caio, {
    ...{ name: `Lia ${mark}`, email: `lia-${mark}@aurora.local`, profile: "user" },
  });
  const elsewhere = await signedIn(user);
  const provider = await signedIn(product.accounts.super);
  const page = await browserOf();
  const code = page.getByLabel("Código de 8 caracteres");

  await test.step("the sign-in leads to the reset, which knows no unknown e-mail", async () => {
    await page.goto("/login");
    await page.getByRole("textbox", { name: "E-mail" }).fill("ninguem@aurora.local");
    await page.getByRole("link", { name: "Esqueci minha senha" }).click();
    await expect(page).toHaveURL("/forgetpsw");
    await expectNoFindings(page, { where: "the first step of the reset" });
    await page.getByRole("button", { name: "Enviar código" }).click();
    await expect(page.getByText("Email não encontrado")).toBeVisible();
  });

  await test.step("a code is sent to the user", async () => {
    await page.getByRole("textbox", { name: "E-mail" }).fill(user.email);
    await page.getByRole("textbox", { name: "E-mail" }).press("Enter");
    await expect(page.getByRole("heading", { name: "Criar nova senha" })).toBeVisible();
    await expect(page.getByText(/Enviamos um código, válido até \d\d:\d\d, para/)).toBeVisible();
    await expect(page.getByText(/Reenviar em 0:\d\d/)).toBeVisible();
    await expect(code).toBeFocused();
    await expectNoFindingsInWindows(page, { where: "the second step" });
  });

  const read = await test.step("without a mail server a super user reads it", async () => {
    await provider.goto("/settings?tab=mails");
    await expect(provider.getByText("Nenhum servidor de e-mail está configurado.")).toBeVisible();
    const row = provider.getByRole("row").filter({ hasText: user.email });
    await expect(row).toContainText("Guardado");
    await expectNoFindings(provider, { where: "the e-mails" });
    await row.getByRole("button", { name: /Redefinição de senha/ }).click();
    const text = provider.getByRole("dialog").getByRole("region", { name: "Texto" });
    await expect(text).toContainText(user.name);
    await expectNoFindings(provider, { where: "an e-mail" });
    const [found = ""] = /[A-HJ-NP-Z2-9]{4}-[A-HJ-NP-Z2-9]{4}/.exec(await text.innerText()) ?? [];
    return found;
  });

  await test.step("a wrong code is told; the right one sets the password", async () => {
    await code.fill(read.replace(/.$/, (end) => (end === "A" ? "B" : "A")));
    await expect(page.getByLabel("Nova senha", { exact: true })).toBeFocused();
    await page.getByLabel("Nova senha", { exact: true }).fill(password);
    await page.getByLabel("Repita a nova senha").fill(password);
    await page.getByRole("button", { name: "Salvar nova senha" }).click();
    await expect(page.getByText("Código incorreto. Restam 4 tentativas.")).toBeVisible();
    await expect(code).toBeFocused();
    await code.fill(read.toLowerCase());
    await page.getByRole("button", { name: "Salvar nova senha" }).click();
    await expect(page.getByText("Senha redefinida com sucesso.")).toBeVisible();
    await expect(page).toHaveURL("/login");
    await expectNoFindings(page, { where: "the sign-in after a reset" });
  });

  await test.step("the other computer is signed out, and the new password signs in", async () => {
    await elsewhere.reload();
    await expect(elsewhere).toHaveURL("/login");
    await signIn(page, { email: user.email, password });
    await expect(page.getByRole("heading", { level: 1, name: "Atendimentos" })).toBeVisible();
  });
});
