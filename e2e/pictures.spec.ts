import { mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "@playwright/test";
import { expect, signIn, test } from "./support/journey.ts";
import { tickets } from "./support/screens.ts";

/** The picture of the README. */
const readmePicture = fileURLToPath(new URL("../docs/pictures/tickets.png", import.meta.url));
/** The pictures of the sign-in page, which are part of the product. */
const signInPictures = fileURLToPath(
  new URL("../packages/web/src/features/auth/", import.meta.url),
);
/** The others are for people to look at. */
const folder = process.env["BALCAO_PICTURES"] ?? join(tmpdir(), "balcao-pictures");

const widths = { 1440: 900, 1024: 768, 390: 844 } as const;
const customer = "Helena Duarte";

for (const [width, height] of Object.entries(widths)) {
  for (const colorScheme of ["light", "dark"] as const) {
    test(`pictures at ${width} px, ${colorScheme}`, async ({ browserOf, staff }) => {
      mkdirSync(folder, { recursive: true });
      const page = await browserOf({ viewport: { width: Number(width), height }, colorScheme });
      const take = (name: string): Promise<void> =>
        picture(page, join(folder, `${name}-${width}-${colorScheme}.png`));

      await page.goto("/login");
      await take("login");
      await signIn(page, staff.marina);
      await welcomeIsOver(page);
      await expect(tickets.card(page, customer)).toBeVisible();
      await take("tickets");
      await tickets.chip(page, "Aguardando").click();
      await expect(tickets.list(page).getByRole("button").first()).toBeVisible();
      await take("waiting");
      await tickets.chip(page, "Atendendo").click();
      await tickets.card(page, customer).getByRole("link").click();
      await expect(tickets.message(page, "Não enviada.").last()).toBeVisible();
      await take("conversation");
      await page.keyboard.press("Alt+r");
      await expect(page.getByRole("dialog")).toBeVisible();
      await take("resolve");

      await page.keyboard.press("Escape");

      // Another account in the same browser: the pictures of an admin's page.
      await page.context().clearCookies();
      await page.evaluate(() => localStorage.removeItem("token"));
      await page.goto("/simulator");
      await signIn(page, staff.renata);
      await welcomeIsOver(page);
      await page.getByRole("button", { name: customer }).click();
      await expect(page.getByRole("log").getByRole("article").last()).toBeVisible();
      await take("simulator");
    });
  }
}

test("the picture of the README: all tickets of the demo, and one of them", async ({
  browserOf,
  staff,
}) => {
  const page = await browserOf();
  await page.goto("/login");
  await signIn(page, staff.renata);
  await welcomeIsOver(page);
  await page.getByRole("link", { name: "Atendimentos", exact: true }).click();
  await page.getByRole("button", { name: "Ver todos" }).click();
  await tickets.card(page, customer).getByRole("link").click();
  await expect(tickets.message(page, "Não enviada.").last()).toBeVisible();
  await picture(page, readmePicture);
});

for (const colorScheme of ["light", "dark"] as const) {
  test(`the picture of the sign-in page, ${colorScheme}`, async ({ browserOf, staff }) => {
    // The list and the conversation fill what is left by the menu's rail and the top bar.
    const page = await browserOf({ viewport: { width: 1160, height: 1096 }, colorScheme });
    await page.goto("/login");
    await signIn(page, staff.renata);
    await welcomeIsOver(page);
    await page.getByRole("link", { name: "Atendimentos", exact: true }).click();
    await page.getByRole("button", { name: "Ver todos" }).click();
    await tickets.card(page, "Larissa Campos").getByRole("link").click();
    await expect(tickets.messages(page).getByRole("article").last()).toBeVisible();
    await page.mouse.move(0, 0);
    await isStill(page);
    const box = await page.getByRole("main").boundingBox();
    if (!box) throw new Error("the page has no main part");
    const devTools = await page.context().newCDPSession(page);
    const { data } = await devTools.send("Page.captureScreenshot", {
      ...{ format: "webp", quality: 80 },
      clip: { ...box, scale: 1 },
    });
    writeFileSync(join(signInPictures, `product-${colorScheme}.webp`), Buffer.from(data, "base64"));
  });
}

async function welcomeIsOver(page: Page): Promise<void> {
  const welcome = page.getByText("Login efetuado com sucesso!");
  await expect(welcome).toBeVisible();
  await expect(welcome).toBeHidden();
}

/** The picture once everything is loaded, without a blinking caret. */
async function picture(page: Page, path: string): Promise<void> {
  await isStill(page);
  await page.screenshot({ path, caret: "hide" });
}

async function isStill(page: Page): Promise<void> {
  await page.evaluate(async () => {
    await document.fonts.ready;
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  });
}
