import { randomBytes } from "node:crypto";
import { addExpiredCompany } from "../support/database.ts";
import { anotherWindow, expect, signIn, test } from "../support/journey.ts";

const refusedLogin = /status of 40[01] .*\/api\/auth\/login/;

test.describe("a refused sign-in", () => {
  test.use({ expectedErrors: refusedLogin });

  test("with a wrong password says so at the form, and with an unknown address says no more", async ({
    browserOf,
    staff,
  }) => {
    const page = await browserOf();
    await page.goto("/login");
    const form = page.getByRole("form", { name: "Entrar" });
    const failure = form.getByRole("alert");

    await signIn(page, { email: staff.marina.email, password: "não é esta" });
    await expect(failure).toHaveText("E-mail ou senha incorretos.");
    await expect(form.getByRole("textbox", { name: "E-mail" })).toHaveValue(staff.marina.email);
    await expect(form.getByRole("textbox", { name: "Senha" })).toBeFocused();
    await expect(page).toHaveURL("/login");

    await signIn(page, { email: "ninguem@aurora.local", password: "não é esta" });
    await expect(failure).toHaveText("E-mail ou senha incorretos.");
    await expect(form.getByRole("textbox", { name: "E-mail" })).toHaveValue("ninguem@aurora.local");

    await signIn(page, staff.marina);
    await expect(page).toHaveURL("/tickets");
  });

  test("names the day on which the company's subscription ended", async ({
    browserOf,
    product,
    staff,
  }) => {
    const mark = randomBytes(3).toString("hex");
    const expired = await addExpiredCompany(product, staff.renata, {
      name: `Padaria ${mark}`,
      email: `ana@${mark}.local`,
      // The last moment of 3 October on the company's calendar is the 4th in Greenwich.
      dueDate: "2026-10-04T02:59:59.999Z",
    });
    const page = await browserOf();
    await page.goto("/login");
    await signIn(page, expired);
    await expect(page.getByRole("form", { name: "Entrar" }).getByRole("alert")).toHaveText(
      "Opss! Sua assinatura venceu 03/10/2026. Entre em contato com o Suporte para mais informações!",
    );
    await expect(page.getByRole("textbox", { name: "E-mail" })).toHaveValue(expired.email);
    await expect(page).toHaveURL("/login");
  });
});

test("signing in leads to the requested page, and a reload keeps the session", async ({
  browserOf,
  staff,
}) => {
  const page = await browserOf();
  await page.goto("/simulator?origem=favorito");
  await expect(page).toHaveURL("/login");
  await signIn(page, staff.renata);
  await expect(page.getByRole("heading", { level: 1, name: "Simulador" })).toBeVisible();
  await expect(page).toHaveURL("/simulator?origem=favorito");

  await page.reload();
  await expect(page.getByRole("heading", { level: 1, name: "Simulador" })).toBeVisible();
  await expect(page.getByText("Olá, Renata")).toBeVisible();
});

test.describe("with two pages", () => {
  // A call of the other page that is under way when the session ends.
  test.use({ expectedErrors: /status of 40[13]/ });

  test("signing out ends the session on every page of the browser", async ({ signedIn, staff }) => {
    const page = await signedIn(staff.marina);
    const second = await anotherWindow(page);
    await second.goto("/tickets");
    await expect(second.getByText("Olá, Marina")).toBeVisible();

    await page.getByRole("button", { name: "Conta de Marina Prado" }).click();
    await page.getByRole("menuitem", { name: "Sair" }).click();
    await expect(page).toHaveURL("/login");
    await expect(second).toHaveURL("/login");
    await page.goto("/tickets");
    await expect(page).toHaveURL("/login");
  });
});

test("an agent is led away from what is only for admins", async ({ signedIn, staff }) => {
  const page = await signedIn(staff.marina);
  await expect(page.getByRole("link", { name: "Simulador" })).toHaveCount(0);
  await page.goto("/simulator");
  await expect(page).toHaveURL("/tickets");
});

test.describe("an account in use on two computers", () => {
  // The refused call of the session that gave way.
  test.use({ expectedErrors: /status of 40[13]/ });

  test("stays with the newer one, and the older one is told", async ({ signedIn, staff }) => {
    const first = await signedIn(staff.caio);
    // A sign-in within two seconds of one's own cannot be told from it.
    await first.waitForFunction(() => {
      const { startedAtMs } = JSON.parse(localStorage.getItem("balcao.session") ?? "{}");
      return Date.now() - startedAtMs > 2_000;
    });
    const second = await signedIn(staff.caio);
    const told = first.getByText("Sua conta foi acessada em outro computador.");
    await expect(told.first()).toBeVisible();
    await expect(first).toHaveURL("/login");
    // The toast goes with the reload, the page's own words stay.
    await expect(told).toHaveCount(1);
    await expect(told).toBeVisible();

    await second.reload();
    await expect(second.getByText("Olá, Caio")).toBeVisible();
  });
});
