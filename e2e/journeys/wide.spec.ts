import type { Locator, Page } from "@playwright/test";
import { expect, test } from "../support/journey.ts";
import { acceptWaiting, showWaiting, tickets } from "../support/screens.ts";

type Box = { left: number; right: number; widthPx: number };

/** Where the list and the conversation of a ticket stand in the window. */
async function panes(page: Page, name: string): Promise<{ list: Box; conversation: Box }> {
  const boxOf = async (element: ReturnType<typeof tickets.list>): Promise<Box> => {
    const box = await element.boundingBox();
    if (!box) throw new Error("it is not on the screen");
    return { left: box.x, right: box.x + box.width, widthPx: box.width };
  };
  const list = await boxOf(tickets.list(page));
  return { list, conversation: await boxOf(tickets.pane(page, name)) };
}

/** The middle and the width of an element. */
async function columnOf(element: Locator): Promise<{ middlePx: number; widthPx: number }> {
  const box = await element.boundingBox();
  if (!box) throw new Error("it is not on the screen");
  return { middlePx: box.x + box.width / 2, widthPx: box.width };
}

test("on a wide screen the list stands at the left, a third of the room at most, the conversation at the right", async ({
  signedIn,
  staff,
  network,
}) => {
  const agent = await signedIn(staff.marina, { viewport: { width: 1024, height: 768 } });
  const customer = await network.customer("Helena Duarte");
  await customer.writes("Bom dia");
  await showWaiting(agent);
  const card = tickets.card(agent, customer.name);
  const accept = card.getByRole("button", { name: /^Aceitar/ });
  const badge = card.getByText("1", { exact: true });
  await agent.getByRole("heading", { level: 1 }).hover();
  await expect(card.getByText("Bom dia")).toBeVisible();
  const restingPx = (await card.boundingBox())?.height;
  await expect(accept.locator("..")).toHaveCSS("opacity", "0");
  await card.hover();
  await expect(accept.locator("..")).toHaveCSS("opacity", "1");
  expect((await card.boundingBox())?.height).toBe(restingPx);
  const badgeBox = await badge.boundingBox();
  expect((badgeBox?.y ?? 0) + (badgeBox?.height ?? 0)).toBeLessThanOrEqual(
    (await accept.boundingBox())?.y ?? 0,
  );
  await acceptWaiting(agent, customer.name);

  for (const width of [1024, 1440, 2560]) {
    await agent.setViewportSize({ width, height: 900 });
    await expect(async () => {
      const { list, conversation } = await panes(agent, customer.name);
      expect(list.right).toBeLessThanOrEqual(conversation.left + 1);
      expect(conversation.right).toBeGreaterThan(width - 2);
      const roomPx = conversation.right - list.left;
      expect(list.widthPx / roomPx).toBeLessThan(0.35);
      // Messages and composer are one column in the middle; the scrollbar takes half of its width from it.
      const middlePx = (conversation.left + conversation.right) / 2;
      const field = tickets.composer(agent, customer.name).locator("xpath=ancestor::form");
      const rows = tickets.messages(agent).locator("> div");
      for (const column of [await columnOf(field), await columnOf(rows)]) {
        expect(column.widthPx).toBeLessThanOrEqual(960);
        expect(Math.abs(column.middlePx - middlePx)).toBeLessThan(10);
      }
      if (width === 1024) expect(list.widthPx / roomPx).toBeGreaterThan(0.32);
    }).toPass({ timeout: 60_000 });
  }
  await expect(agent.getByRole("navigation", { name: "Telas do atendimento" })).toBeHidden();
});

/**
 * The elements whose content goes beyond their edge and is cut or scrolls sideways. Text that is cut with dots is meant, and so are
 * fields, rows of chips, and tabs (ui-2, "Settings").
 */
const beyondTheEdge = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const isMeant = (element: Element): boolean => {
      const { textOverflow, clipPath, overflowX, visibility } = getComputedStyle(element);
      return (
        textOverflow === "ellipsis" ||
        clipPath !== "none" ||
        overflowX === "visible" ||
        visibility === "hidden" ||
        element.matches(
          "input, select, textarea, [data-sideways], [role=tablist], .mantine-Switch-track",
        )
      );
    };
    return [...document.querySelectorAll("html, body *")]
      .filter((element) => element.clientWidth > 0 && !isMeant(element))
      .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth + 1)
      .map(
        (element) => `${element.tagName} ${element.className} ${element.textContent.slice(0, 60)}`,
      );
  });

test("no page hides anything beyond its edge, and the actions of each table row are in view", async ({
  signedIn,
  staff,
}) => {
  const admin = await signedIn(staff.renata);
  for (const path of [
    ...["/tickets", "/quick-messages", "/tags", "/connections", "/queues", "/users"],
    ...["/settings", "/settings?tab=reasons", "/simulator"],
  ]) {
    await admin.setViewportSize({ width: 1440, height: 900 });
    await admin.goto(path);
    await expect(admin.getByRole("heading", { level: 1 })).toBeVisible();
    await expect(admin.getByRole("status", { name: "Carregando" })).toHaveCount(0);
    for (const width of [1440, 1024, 390]) {
      await admin.setViewportSize({ width, height: 900 });
      await expect.poll(() => beyondTheEdge(admin), `${path}, ${width} px`).toEqual([]);
      for (const action of await admin.locator("tbody tr:first-child button").all()) {
        await expect(action).toBeInViewport({ ratio: 1 });
      }
    }
  }
});
