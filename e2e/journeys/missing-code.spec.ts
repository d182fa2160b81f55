import { openOptions } from "../support/conversation.ts";
import { expect, test } from "../support/journey.ts";
import { acceptWaiting, recordedFor, tickets } from "../support/screens.ts";

// A file that does not come is in the console.
test.use({ expectedErrors: /net::ERR_|dynamically imported module|could not be loaded/ });

const emojis = "**/assets/emoji-picker-*.js";

test("emojis whose code does not load say so in their place, and the draft or recording stays", async ({
  signedIn,
  staff,
  network,
}) => {
  const agent = await signedIn(staff.marina);
  let isAway = true;
  await agent.route(emojis, (route) => (isAway ? route.abort() : route.continue()));
  const customer = await network.customer("Rafael Nogueira");
  await customer.writes("Vocês abrem no feriado?");
  await acceptWaiting(agent, customer.name);
  const composer = tickets.composer(agent, customer.name);
  const bar = agent.getByRole("group", { name: "Gravando áudio" });
  const missing = agent.getByRole("alert").filter({ hasText: "Não foi possível carregar" });

  await test.step("while a message is written", async () => {
    await composer.fill("Abrimos até as doze");
    await agent.getByRole("button", { name: "Emojis" }).click();
    await expect(missing).toBeVisible();
    await agent.keyboard.press("Escape");
    await expect(composer).toHaveValue("Abrimos até as doze");
    await composer.fill("");
  });

  await test.step("while a voice message is recorded, until it comes", async () => {
    await agent.getByRole("button", { name: "Gravar áudio" }).click();
    await expect(recordedFor(bar, 1)).toBeVisible();
    await openOptions(tickets.message(agent, "Vocês abrem no feriado?"));
    await agent.getByRole("menuitem", { name: "Mais reações" }).click();
    await expect(missing).toBeVisible();
    isAway = false;
    await missing.getByRole("button", { name: "Tentar de novo" }).click();
    await expect(agent.getByRole("gridcell").first()).toBeVisible();
    await agent.keyboard.press("Escape");
    await expect(bar).toBeVisible();
    await bar.getByRole("button", { name: "Enviar áudio" }).click();
    const voice = tickets.messages(agent).getByRole("article").last();
    await expect(voice.getByRole("img", { name: "entregue" })).toBeVisible();
  });
});

test("code that fails to load once is requested again, without notice", async ({
  signedIn,
  staff,
  network,
}) => {
  const agent = await signedIn(staff.marina);
  let asked = 0;
  await agent.route(emojis, async (route) => {
    asked += 1;
    await (asked === 1 ? route.abort() : route.continue());
  });
  const customer = await network.customer("Sofia Prado");
  await customer.writes("Oi!");
  await acceptWaiting(agent, customer.name);
  await agent.getByRole("button", { name: "Emojis" }).click();
  await expect(agent.getByRole("gridcell").first()).toBeVisible();
  expect(asked).toBeGreaterThan(1);
});

for (const [what, file] of [
  ["texts", "**/assets/texts-pt-first-*.js"],
  ["code", "**/assets/start-*.js"],
] as const) {
  test(`a start without its ${what} says so on the splash and can be tried again`, async ({
    browserOf,
  }) => {
    const page = await browserOf();
    await page.route(file, (route) => route.abort());
    await page.goto("/login");
    const missing = page.getByRole("alert");
    await expect(missing).toContainText("Não foi possível carregar o Balcão.");
    await page.unroute(file);
    await missing.getByRole("button", { name: "Tentar de novo" }).click();
    await expect(page.getByRole("button", { name: "Entrar" })).toBeVisible();
  });
}
