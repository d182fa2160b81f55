import type { Page } from "@playwright/test";
import { setTimeout as delay } from "node:timers/promises";
import { seed, sized } from "@balcao/server/src/testing/soak.ts";
import { apiOf } from "../support/api.ts";
import type { Clerk } from "../support/clerk.ts";
import { acceptAs, clerkWorks, giveAs, ticketsOf } from "../support/clerk.ts";
import type { Crowd } from "../support/crowd.ts";
import { gatherCrowd } from "../support/crowd.ts";
import type { Dice } from "../support/dice.ts";
import { createDice } from "../support/dice.ts";
import { handsWork, openCard, showList } from "../support/hands.ts";
import { expect, test } from "../support/journey.ts";
import type { Line } from "../support/line.ts";
import { openLine } from "../support/line.ts";
import type { Account } from "../support/product.ts";
import { expectFetchedAhead } from "../support/screens.ts";
import type { Shown } from "../support/shown.ts";
import { shownOn } from "../support/shown.ts";
import { storedFor } from "../support/stored.ts";

/**
 * After a line is back, a screen may be behind the database this long (counted from the server's `ready`). Two seconds
 * are the guarantee, held against a quiet machine by `npm run soak`; `npm test` proves equality, and prints the time.
 */
const MAY_TAKE_MS = sized({ test: 30_000, soak: 2_000 });
/** A click that takes longer hangs. */
const CLICK_MS = 10_000;
const ROUNDS = sized({ test: 1, soak: 20 });
const ROUND_MS = 6_000;
/** High enough that lists and conversations are drawn as a whole. */
const viewport = { width: 1440, height: 6_000 };

// On a busy machine everybody works more slowly, and it is only the last seconds of a round that are measured.
test.setTimeout(180_000 + 60_000 * ROUNDS);

// Broken lines and lost races are in the console.
test.use({
  expectedErrors: /net::ERR_|WebSocket connection to|status of 40[034] /,
  trace: "off", // of four pages that change all the time it would be what is measured
});

/** A user at a screen, with an own connection to the server. */
type Client = Clerk & {
  page: Page;
  line: Line;
  isAdmin: boolean;
  /** When the server last said that the live channel is ready. */
  readyAtMs: number;
  dice: Dice;
};

test("after broken connections during concurrent work, every screen equals the database again", async ({
  signedIn,
  staff,
  product,
}) => {
  console.log(`convergence: BALCAO_SEED=${seed}`);
  const dice = createDice(seed);
  const crowd = await gatherCrowd(product, { people: 9, longTalk: 60 });
  const lines: Line[] = [];
  const enter = async (account: Account): Promise<Client> => {
    const line = await openLine(product.url);
    lines.push(line);
    const page = await signedIn(account, { baseURL: line.url, viewport });
    return clientOf(page, account, { line, productUrl: product.url, dice: dice.split() });
  };
  const clients = await Promise.all(
    [staff.marina, staff.caio, staff.beatriz, staff.renata].map(enter),
  );
  const tally = { customers: 0, clerks: 0, hands: 0, breaks: 0 };
  const waits: Wait[] = [];
  try {
    // From then on no code is missing that is used for the first time while a line is down.
    await Promise.all(clients.map(({ page }) => expectFetchedAhead(page)));
    // A conversation that an agent loses in the last moment is not compared: then there is a further round.
    const isEnough = (): boolean => comparedIn(waits).length >= ROUNDS * 2;
    for (let round = 1; round <= ROUNDS || (!isEnough() && round <= ROUNDS + 3); round += 1) {
      await test.step(`round ${round}: all users work, connections break`, () =>
        turmoil(clients, crowd, { dice: dice.split(), tally }));
      await test.step(`round ${round}: all have a conversation open`, async () => {
        for (const client of clients) await openSomething(client, clients, crowd);
      });
      await test.step(`round ${round}: some are away while the others go on, and come back`, async () => {
        const away = awayOf(clients, dice);
        for (const { line } of away) line.cut();
        await crowd.changeLongAgo();
        for (let count = 0; count < 12; count += 1) await crowd.stir(dice);
        for (let count = 0; count < 12; count += 1) {
          const clerk = dice.pick(clients);
          if (clerk) await clerkWorks(clerk, clients, { names: crowd.names, dice });
        }
        waits.push(...(await comeBack(clients, away)).map((wait) => ({ round, ...wait })));
      });
    }
  } finally {
    describe(waits, tally);
    await Promise.all(lines.map((line) => line.close()));
  }
  expect(comparedIn(waits).length, "conversations that were compared").toBeGreaterThanOrEqual(
    ROUNDS * 2,
  );
  const slowest = Math.max(...waits.map(({ equalMs }) => equalMs));
  expect(slowest, "ms until everything was equal").toBeLessThanOrEqual(MAY_TAKE_MS);
  const doubled = [...(await crowd.textsFromCompany())].filter(([, times]) => times > 1);
  expect(doubled, "answers that reached a customer twice").toEqual([]);
});

function comparedIn(waits: readonly Wait[]): readonly Wait[] {
  return waits.filter(({ messages }) => messages > 0);
}

async function clientOf(
  page: Page,
  account: Account,
  { line, productUrl, dice }: { line: Line; productUrl: string; dice: Dice },
): Promise<Client> {
  const token = await page.evaluate(() => JSON.parse(localStorage.getItem("token") ?? "null"));
  const api = apiOf(productUrl, token);
  const { users } = await api("GET /users", { query: {} });
  const user = users.find(({ name }) => name === account.name);
  if (!user) throw new Error(`${account.name} is no user`);
  const isAdmin = user.profile === "admin";
  if (isAdmin) await page.getByRole("button", { name: "Ver todos" }).click();
  const queues = isAdmin ? await api("GET /queue", { query: {} }) : user.queues;
  const client: Client = {
    id: user.id,
    name: user.name,
    api,
    queueIds: queues.map(({ id }) => id),
    page,
    line,
    isAdmin,
    readyAtMs: 0,
    dice,
  };
  page.on("websocket", (socket) => {
    socket.on("framereceived", ({ payload }) => {
      if (String(payload).includes('["ready"')) client.readyAtMs = performance.now();
    });
  });
  return client;
}

type Tally = { customers: number; clerks: number; hands: number; breaks: number };

/** Customers, users through the API and at their screens, and lines that break: all at once, for a while. */
async function turmoil(
  clients: readonly Client[],
  crowd: Crowd,
  { dice, tally }: { dice: Dice; tally: Tally },
): Promise<void> {
  const endMs = performance.now() + ROUND_MS;
  const { names } = crowd;
  const until = async (pace: () => number, work: () => Promise<void>): Promise<void> => {
    while (performance.now() < endMs) {
      await work();
      await delay(pace());
    }
  };
  const crowdDice = dice.split();
  const customers = until(
    () => crowdDice.between(60, 200),
    async () => {
      await crowd.stir(crowdDice);
      tally.customers += 1;
    },
  );
  const work = clients.flatMap((client) => {
    const [clerkDice, handDice, lineDice] = [dice.split(), dice.split(), dice.split()];
    return [
      until(
        () => clerkDice.between(250, 600),
        async () => {
          const isDone = await clerkWorks(client, clients, { names, dice: clerkDice });
          if (isDone) tally.clerks += 1;
        },
      ),
      until(
        () => handDice.between(250, 700),
        async () => {
          if (await handsWork(client.page, { names, dice: handDice })) tally.hands += 1;
        },
      ),
      until(
        () => lineDice.between(1_000, 3_500),
        async () => {
          await disturb(client.line, lineDice);
          tally.breaks += 1;
        },
      ),
    ];
  });
  await Promise.all([customers, ...work]);
}

/** A line that only stands still for a moment, breaks at once, or stands still before it breaks. */
async function disturb(line: Line, dice: Dice): Promise<void> {
  const kind = dice.pick(["still", "broken", "both"] as const);
  if (kind !== "broken") {
    line.hold();
    await delay(dice.between(200, 1_000));
  }
  if (kind !== "still") {
    line.cut();
    await delay(dice.between(100, 1_500));
  }
  line.mend();
}

/** Has a ticket open on the screen: the long conversation for the admin, an own one for an agent. */
async function openSomething(
  client: Client,
  clients: readonly Client[],
  crowd: Crowd,
): Promise<void> {
  const { page, isAdmin, dice } = client;
  const names = isAdmin ? [crowd.talker] : crowd.names;
  const conversation = page.locator("[data-conversation]");
  await expect(page.getByRole("banner")).toHaveAttribute("data-live", "online", {
    timeout: 20_000,
  });
  await expect(async () => {
    if (!isAdmin && (await conversation.isVisible())) return;
    if (!(await openCard(page, names, dice))) await takeOne(client, { clients, crowd, names });
    await expect(conversation).toBeVisible({ timeout: 1_000 });
  }).toPass({ timeout: 20_000 });
}

/** Accepts one of the tickets that wait, is given one by an admin, or makes one wait. */
async function takeOne(
  client: Client,
  { clients, crowd, names }: { clients: readonly Client[]; crowd: Crowd; names: readonly string[] },
): Promise<void> {
  const { dice, queueIds } = client;
  const [waiting] = await ticketsOf(client, "pending", names);
  if (waiting) return acceptAs(client, waiting);
  const admin = clients.find(({ isAdmin }) => isAdmin);
  const others = admin === undefined ? [] : await ticketsOf(admin, "open", names);
  const other = dice.pick(others);
  const queueId = dice.pick(queueIds);
  if (!admin || !other || queueId === undefined) {
    return crowd.write(dice.pick(names) ?? crowd.talker);
  }
  return giveAs(admin, other, { queueId, userId: client.id });
}

/** At least the one with the long talk, and who else has bad luck. */
function awayOf(clients: readonly Client[], dice: Dice): readonly Client[] {
  return clients.filter(({ isAdmin }) => isAdmin || dice.isLucky(0.6));
}

type Wait = {
  round: number;
  name: string;
  wasAway: boolean;
  /** From `ready` until what is on the screen was equal, and until the other list was seen to be as well. */
  screenMs: number;
  equalMs: number;
  cards: number;
  messages: number;
};

async function comeBack(
  clients: readonly Client[],
  away: readonly Client[],
): Promise<Omit<Wait, "round">[]> {
  const mendedAtMs = performance.now();
  for (const { line } of away) line.mend();
  return Promise.all(
    clients.map(async (client) => {
      const { name, page } = client;
      const wasAway = away.includes(client);
      if (wasAway) {
        await expect
          .poll(() => client.readyAtMs, { timeout: 30_000, intervals: [20] })
          .toBeGreaterThan(mendedAtMs);
      }
      const sinceMs = wasAway ? client.readyAtMs : mendedAtMs;
      const first = await untilEqual(client);
      const screenMs = performance.now() - sinceMs;
      await showList(page, first.list.tab === "open" ? "Aguardando" : "Atendendo", CLICK_MS);
      const second = await untilEqual(client);
      const equalMs = performance.now() - sinceMs;
      const cards = first.list.cards.length + second.list.cards.length;
      const messages = first.conversation?.messages.length ?? 0;
      return { name, wasAway, screenMs, equalMs, cards, messages };
    }),
  );
}

/** Answers what is on the screen once it is what the server has for its user. */
async function untilEqual({ page, name, api, isAdmin }: Client): Promise<Shown> {
  let shown = await shownOn(page);
  await expect(async () => {
    shown = await shownOn(page);
    expect(shown, name).toEqual(await storedFor({ api, showsAll: isAdmin }, shown));
  }).toPass({ timeout: sized({ test: 30_000, soak: 15_000 }), intervals: [20, 20, 50, 100] });
  return shown;
}

function describe(waits: readonly Wait[], tally: Tally): void {
  const { customers, clerks, hands, breaks } = tally;
  console.log(
    `convergence: ${customers} acts of customers, ${clerks} through the API, ${hands} at screens, ${breaks} disturbed lines`,
  );
  for (const { round, name, wasAway, screenMs, equalMs, cards, messages } of waits) {
    console.log(
      `  round ${round}, ${name} (${wasAway ? "was away" : "stayed"}): screen equal after ${screenMs.toFixed(0)} ms, ` +
        `both lists after ${equalMs.toFixed(0)} ms; ${cards} cards, ${messages} messages`,
    );
  }
}
