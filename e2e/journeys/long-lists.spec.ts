import type { Page } from "@playwright/test";
import { sized } from "@balcao/server/src/testing/soak.ts";
import type { FrameReport } from "../support/frames.ts";
import { measureDrift, watchFrames } from "../support/frames.ts";
import { expect, test } from "../support/journey.ts";
import { measureTyping } from "../support/key-events.ts";
import { addBusyCompany, addContacts, addOlderMessages } from "../support/long-history.ts";
import type { Customer, Network } from "../support/network.ts";
import { acceptWaiting, tickets } from "../support/screens.ts";

const TICKETS = 10_000;
const MESSAGES = 50_000;
const CONTACTS = 100_000;
/** So far is scrolled, which loads page after page; `npm run soak` goes to the last ticket. */
const far = sized({ test: 1, soak: 10 });
const FAR_TICKETS = Math.min(TICKETS, 1_000 * far);
const FAR_CONTACTS = 1_000 * far;
const FAR_MESSAGES = Math.min(MESSAGES, 800 * far);
/** The goal holds on a quiet machine (`npm run soak`); here, only typing that stands still is caught. */
const TYPING_P95_MS = sized({ test: 1_000, soak: 200 });
const WHEEL_PX = 700;
const KEY_REPEAT_MS = 33;

test.setTimeout(240_000 * far);
// The pictures of a trace would be what is measured.
test.use({ trace: "off" });

test("a list of 10,000 tickets scrolls far by wheel and keys, and is never blank", async ({
  signedIn,
  staff,
  product,
}) => {
  const agent = await addBusyCompany(product, staff.marina, TICKETS);
  const page = await signedIn(agent);
  // More than a thousand are not told apart.
  const chip = page.getByRole("button", { name: "Atendendo 1.000+" });
  await expect(chip).toBeVisible();
  const cards = tickets.list(page).getByRole("listitem");
  await expect(cards.first()).toBeVisible();
  const lastCard = (): Promise<number> => lastPosition(page, "#ticket-list li");

  const down = await watchFrames(page, "#ticket-list");
  await cards.first().hover();
  await wheelUntil(page, WHEEL_PX, async () => (await lastCard()) >= FAR_TICKETS);
  report("tickets, wheel down", await down.stop(), `to card ${await lastCard()}`);

  const up = await watchFrames(page, "#ticket-list");
  await wheelUntil(page, -3 * WHEEL_PX, () => isAtTop(page, "#ticket-list"));
  report("tickets, wheel up", await up.stop(), "to the first card");

  const keys = await watchFrames(page, "#ticket-list");
  await cards.first().getByRole("link").focus();
  for (let press = 0; press < 60; press += 1) await hold(page, "ArrowDown");
  await expect(cards.and(page.locator("[aria-posinset='61']")).getByRole("link")).toBeFocused();
  await page.keyboard.press("End");
  await expect(tickets.list(page).locator(":focus")).toHaveText(/^Cliente (?!00)/);
  await page.keyboard.press("Home");
  await expect(cards.and(page.locator("[aria-posinset='1']")).getByRole("link")).toBeFocused();
  report("tickets, keys", await keys.stop(), "60 × ↓, End, Home");
  await expect(chip).toBeVisible();
});

test("a table of 100,000 contacts scrolls far, and is never blank", async ({
  signedIn,
  staff,
  product,
}) => {
  // Windows of rows are proved by the other lists; this one is for its size.
  test.skip(!process.env["BALCAO_SOAK"], "npm run soak");
  const company = await addBusyCompany(product, staff.caio, 1);
  await addContacts(product, company, CONTACTS);
  const page = await signedIn(company);
  await page.goto("/contacts");
  const rows = page.locator("tbody tr:not([aria-hidden])");
  await expect(rows.first()).toBeVisible();
  const lastRow = async (): Promise<number> =>
    Math.max(
      ...(await rows.evaluateAll((found) => found.map((row) => Number(row.dataset["index"])))),
    );

  const down = await watchFrames(page, "[data-page-scroller]");
  await rows.first().hover();
  await wheelUntil(page, WHEEL_PX, async () => (await lastRow()) >= FAR_CONTACTS);
  report("contacts, wheel down", await down.stop(), `to row ${await lastRow()}`);

  const up = await watchFrames(page, "[data-page-scroller]");
  await wheelUntil(page, -3 * WHEEL_PX, () => isAtTop(page, "[data-page-scroller]"));
  report("contacts, wheel up", await up.stop(), "to the first row");
});

test("a conversation of 50,000 messages scrolls far, is never blank, keeps its place, and takes keys at once", async ({
  signedIn,
  staff,
  product,
  network,
}) => {
  const page = await signedIn(staff.marina);
  const customer = await network.customer("Olga Antiga");
  await customer.writes("Ainda lembram de mim?");
  await acceptWaiting(page, customer.name);
  await addOlderMessages(product, customer.name, MESSAGES);
  await page.reload();
  // How many there are is not counted; the older ones have their number in their text.
  const newest = tickets.message(page, "Ainda lembram de mim?");
  await expect(newest).toHaveAttribute("aria-setsize", "-1");
  const firstMessage = (): Promise<number> => firstNumber(page, "#messages article");

  await test.step("by wheel", async () => {
    const up = await watchFrames(page, "#messages");
    await tickets.messages(page).hover();
    await wheelUntil(page, -WHEEL_PX, async () => {
      return (await firstMessage()) <= MESSAGES - FAR_MESSAGES;
    });
    report("messages, wheel up", await up.stop(), `to message ${await firstMessage()}`);
    const down = await watchFrames(page, "#messages");
    await wheelUntil(page, 3 * WHEEL_PX, () => isAtEnd(page, "#messages"));
    report("messages, wheel down", await down.stop(), "to the last message");
  });

  await test.step("by keys", async () => {
    const keys = await watchFrames(page, "#messages");
    await tickets.messages(page).focus();
    for (let press = 0; press < 40; press += 1) await hold(page, "PageUp");
    await page.keyboard.press("Home");
    await page.keyboard.press("End");
    await expect(tickets.message(page, "Ainda lembram de mim?")).toBeFocused();
    report("messages, keys", await keys.stop(), "40 × page up, Home, End");
  });

  await test.step("older messages come above without moving what is read", async () => {
    const { prepends, largestDriftPx } = await measureDrift(page, sized({ test: 6, soak: 12 }));
    console.log(`long lists: ${prepends} pages put above, drift at most ${largestDriftPx} px`);
    expect(largestDriftPx, "px that the reading position moved").toBeLessThan(1);
  });

  await test.step("typing while messages arrive, on a processor four times slower", async () => {
    await page.reload();
    await expect(tickets.composer(page, customer.name)).toBeVisible();
    await tickets.composer(page, customer.name).focus();
    const traffic = await startTraffic(network, customer);
    const text = "Claro que lembramos de você, e o pedido já saiu para entrega hoje cedo. ".repeat(
      sized({ test: 1, soak: 2 }),
    );
    const { keys, p50Ms, p95Ms, longestMs } = await measureTyping(page, text, {
      slowdown: 4,
      paceMs: 60,
    });
    const { sent, perSecond } = await traffic.stop();
    console.log(
      `long lists: ${keys} keys at 4 × throttling with ${perSecond.toFixed(1)} messages/s arriving (${sent}): ` +
        `p50 ${p50Ms} ms, p95 ${p95Ms} ms, longest ${longestMs} ms`,
    );
    await expect(tickets.composer(page, customer.name)).toHaveValue(text);
    expect(p95Ms, "ms from a key to its frame, p95").toBeLessThan(TYPING_P95_MS);
  });
});

/** Turns the wheel over what the mouse is on, as a hurried hand does, until something holds. */
async function wheelUntil(page: Page, byPx: number, holds: () => Promise<boolean>): Promise<void> {
  await expect(async () => {
    for (let turn = 0; turn < 5; turn += 1) await page.mouse.wheel(0, byPx);
    expect(await holds()).toBe(true);
  }).toPass({ timeout: 60_000 * far, intervals: [0] });
}

/** Presses a key as often as one that is held down repeats, but at most once in a frame. */
async function hold(page: Page, key: string): Promise<void> {
  await page.keyboard.press(key, { delay: KEY_REPEAT_MS });
  await page.evaluate(() => new Promise(requestAnimationFrame));
}

function positions(page: Page, rows: string): Promise<number[]> {
  return page
    .locator(rows)
    .evaluateAll((found) => found.map((row) => Number(row.ariaPosInSet)).filter((at) => at > 0));
}

async function lastPosition(page: Page, rows: string): Promise<number> {
  return Math.max(0, ...(await positions(page, rows)));
}

/** The smallest number of the old messages that are drawn. */
async function firstNumber(page: Page, rows: string): Promise<number> {
  const texts = await page.locator(rows).allInnerTexts();
  const numbers = texts.map((text) => Number(/Mensagem antiga (\d+)/.exec(text)?.[1] ?? Infinity));
  return Math.min(...numbers);
}

function isAtTop(page: Page, scroller: string): Promise<boolean> {
  return page.locator(scroller).evaluate((area) => area.scrollTop === 0);
}

function isAtEnd(page: Page, scroller: string): Promise<boolean> {
  return page
    .locator(scroller)
    .evaluate((area) => area.scrollHeight - area.scrollTop - area.clientHeight < 2);
}

function report(what: string, frames: FrameReport, how: string): void {
  console.log(
    `long lists: ${what} (${how}): ${frames.frames} frames, ${frames.blank} blank, ` +
      `largest gap ${frames.largestGapPx.toFixed(0)} px, longest frame ${frames.longestFrameMs.toFixed(0)} ms`,
  );
  expect(frames.where, `${what}: blank frames`).toEqual([]);
  expect(frames.frames, `${what}: frames looked at`).toBeGreaterThan(20);
}

/** Seven messages a second: every other one into the open ticket, the others from somebody else. */
async function startTraffic(
  network: Network,
  customer: Customer,
): Promise<{ stop(): Promise<{ sent: number; perSecond: number }> }> {
  const other = await network.customer("Outro Cliente");
  const beginMs = performance.now();
  const underWay: Promise<void>[] = [];
  const timer = setInterval(() => {
    const writer = underWay.length % 2 === 0 ? customer : other;
    underWay.push(writer.writes(`Chegou a mensagem ${underWay.length}`));
  }, 1_000 / 7);
  return {
    async stop() {
      clearInterval(timer);
      await Promise.all(underWay);
      const seconds = (performance.now() - beginMs) / 1_000;
      return { sent: underWay.length, perSecond: underWay.length / seconds };
    },
  };
}
