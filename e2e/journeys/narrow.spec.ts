import type { Page } from "@playwright/test";
import { expect, test } from "../support/journey.ts";
import { answer, recordedFor, showWaiting, tickets } from "../support/screens.ts";

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

test("on a phone an agent goes from the list to the ticket and back, one pane at a time", async ({
  signedIn,
  staff,
  network,
}) => {
  const agent = await signedIn(staff.marina, phone);
  const customer = await network.customer("Bianca Moreira");
  await customer.writes("Qual o valor do frete para Recife?");
  const panes = agent.getByRole("navigation", { name: "Telas do atendimento" });
  const composer = tickets.composer(agent, customer.name);
  const heading = agent.getByRole("heading", { level: 1 });

  await test.step("the list alone", async () => {
    await expect(heading).toHaveText("Atendimentos");
    await expect(agent.getByText("Escolha um atendimento")).toBeHidden();
    await expect(agent.getByRole("banner")).toHaveCount(0);
    await showWaiting(agent);
    const accept = agent.getByRole("button", { name: `Aceitar atendimento de ${customer.name}` });
    await expect(accept.locator("..")).toHaveCSS("opacity", "1");
    expect((await accept.boundingBox())?.height).toBe(40);
    await accept.tap();
  });

  await test.step("the ticket alone, with its actions", async () => {
    await expect(heading).toHaveAccessibleName(customer.name);
    await expect(tickets.list(agent)).toBeHidden();
    // The keyboard of a phone would cover half of what is to be read.
    await expect(composer).not.toBeFocused();
    await composer.tap();
    await composer.fill("Sai por R$ 18,90");
    await agent.getByRole("button", { name: "Enviar" }).tap();
    await expect(
      tickets.message(agent, "Sai por R$ 18,90").getByRole("img", { name: "entregue" }),
    ).toBeVisible();
  });

  await test.step("back by the switch, and again to the ticket", async () => {
    await panes.getByRole("button", { name: /^Lista/ }).tap();
    await expect(tickets.card(agent, customer.name)).toContainText("Sai por R$ 18,90");
    await expect(composer).toBeHidden();
    await panes.getByRole("button", { name: "Atendimento", exact: true }).tap();
    await expect(composer).toBeVisible();
    await agent.getByRole("button", { name: "Voltar para a lista" }).tap();
    await tickets.card(agent, customer.name).getByRole("link").tap();
    await expect(composer).toBeVisible();
  });

  await test.step("returned by the menu of the rest", async () => {
    await answer(agent, customer.name, "Já volto");
    await expect(tickets.message(agent, "Já volto")).toBeVisible();
    await agent.getByRole("button", { name: "Mais ações" }).tap();
    await agent.getByRole("menuitem", { name: "Devolver" }).tap();
    await expect(agent).toHaveURL("/tickets");
    await expect(heading).toHaveText("Atendimentos");
  });

  await test.step("a finger swipes to the next ticket and back, and holds the microphone to record", async () => {
    const other = await network.customer("Rafael Nunes");
    await other.writes("Tem em azul?");
    await showWaiting(agent);
    for (const { name } of [customer, other]) {
      const accept = agent.getByRole("button", { name: `Aceitar atendimento de ${name}` });
      await accept.tap();
      await expect(heading).toHaveAccessibleName(name);
      await agent.getByRole("button", { name: "Voltar para a lista" }).tap();
      if (name === customer.name) await showWaiting(agent);
    }
    await tickets.card(agent, other.name).getByRole("link").tap();
    await expect(heading).toHaveAccessibleName(other.name);
    const touch = await fingerOf(agent);
    const text = tickets.message(agent, "Tem em azul?");
    await expect(text).toBeVisible();
    // The last one served is the first of the list. The part that follows fingers comes after the page.
    await expect(async () => {
      await touch.swipe({ x: 330, y: 400 }, { x: 150, y: 405 });
      await expect(heading).toHaveAccessibleName(customer.name, { timeout: 1_000 });
    }).toPass();
    await touch.swipe({ x: 90, y: 400 }, { x: 280, y: 405 });
    await expect(heading).toHaveAccessibleName(other.name);

    const microphone = agent.getByRole("button", { name: "Gravar áudio" });
    const bar = agent.getByRole("group", { name: "Gravando áudio" });
    // It stands still.
    await microphone.tap({ trial: true });
    const box = await microphone.boundingBox();
    if (!box) throw new Error("the microphone is not there");
    const from = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    await touch.down(from);
    await expect(bar.getByText("Deslize para cancelar")).toBeVisible();
    await expect(recordedFor(bar, 1)).toBeVisible();
    await touch.move({ x: from.x - 60, y: from.y });
    await touch.move({ x: from.x - 160, y: from.y });
    await expect(bar).toHaveCount(0);
    await touch.up();

    await touch.down(from);
    await expect(recordedFor(bar, 2)).toBeVisible();
    await touch.up();
    const voice = tickets.messages(agent).getByRole("article").last();
    await expect(voice.getByRole("button", { name: "Ouvir" })).toBeVisible();
    await expect(voice.getByRole("img", { name: "entregue" })).toBeVisible();
    await agent.getByRole("button", { name: "Voltar para a lista" }).tap();
  });

  await test.step("no page is wider than the screen", async () => {
    const overflowPx = await agent.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect(overflowPx).toBe(0);
  });
});

test("on a phone the menu lies over the page and holds what the top bar holds elsewhere", async ({
  signedIn,
  staff,
}) => {
  const admin = await signedIn(staff.renata, phone);
  const menu = admin.getByRole("navigation", { name: "Menu principal" });
  await expect(menu).toHaveCount(0);

  await admin.getByRole("button", { name: "Abrir menu" }).tap();
  await expect(menu.getByText("renata@aurora.local")).toBeVisible();
  await admin.keyboard.press("Escape");
  await expect(menu).toHaveCount(0);
  await expect(admin.getByRole("button", { name: "Abrir menu" })).toBeFocused();

  await admin.getByRole("button", { name: "Abrir menu" }).tap();
  await menu.getByRole("link", { name: "Simulador" }).tap();
  await expect(admin.getByRole("heading", { level: 1, name: "Simulador" })).toBeVisible();
  await expect(menu).toHaveCount(0);

  await admin.getByRole("button", { name: "Abrir menu" }).tap();
  await menu.getByRole("button", { name: "Usar tema escuro" }).tap();
  await expect(admin.locator("html")).toHaveAttribute("data-mantine-color-scheme", "dark");
  await menu.getByRole("button", { name: "Sair" }).tap();
  await expect(admin).toHaveURL("/login");
});

type Point = { x: number; y: number };

/** One finger on the glass. */
async function fingerOf(page: Page) {
  const devtools = await page.context().newCDPSession(page);
  const send = (type: "touchStart" | "touchMove" | "touchEnd", touchPoints: Point[]) =>
    devtools.send("Input.dispatchTouchEvent", { type, touchPoints });
  const down = (at: Point) => send("touchStart", [at]);
  const move = (at: Point) => send("touchMove", [at]);
  const up = () => send("touchEnd", []);
  return {
    ...{ down, move, up },
    async swipe(from: Point, to: Point) {
      await down(from);
      for (const part of [0.2, 0.5, 0.8, 1]) {
        await move({ x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part });
      }
      await up();
    },
  };
}
