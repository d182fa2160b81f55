import type { Ticket } from "@balcao/contract";
import { limits } from "@balcao/contract";
import type { Browser, Page } from "@playwright/test";
import { chromium } from "@playwright/test";
import pg from "pg";
import type { Account } from "./built-product.ts";
import { ownerUrlOf, startBuilt } from "./built-product.ts";
import type { DemoDesk } from "./demo-desk.ts";
import { openDemoDesk } from "./demo-desk.ts";
import type { BenchPostgres } from "./postgres.ts";
import type { PartReport } from "./report.ts";
import { figure } from "./report.ts";
import { percentile } from "./statistics.ts";

const MESSAGES = 50_000;
/** Each one on a page loaded anew; the first one fills the browser's caches and does not count. */
const OPENINGS = 15;
/** Tickets that are opened in turns on one page, and how often; the first round fills the caches and does not count. */
const TURNS = { tickets: 4, rounds: 6 };
const PATIENCE_MS = 30_000;
/** About 400 messages of two lines. */
const SCROLL = { wheels: 40, wheelPx: 700, pauseMs: 80 };

/** As Debian's Chromium wants it in containers and as root, and without looks for hosts outside. */
export const chromiumFlags = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-dev-shm-usage",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
];

/** A ticket with a very long conversation is opened on the built product, in a browser. */
export async function measureOpen(postgres: BenchPostgres): Promise<PartReport> {
  const product = await startBuilt(postgres.folder("open"));
  let browser: Browser | undefined;
  try {
    // The browser signs in after it: an account has one session at a time.
    const desk = await openDemoDesk(product);
    const { ticket, account } = desk;
    const { tickets } = await desk.get("GET /tickets", "/tickets?status=open");
    await addMessages(await ownerUrlOf(product), ticket);
    browser = await chromium.launch({
      executablePath: process.env["CHROMIUM_PATH"] ?? "/usr/bin/chromium-headless-shell",
      args: chromiumFlags,
    });
    const page = await browser.newPage({ baseURL: product.url, locale: "pt-BR" });
    await signIn(page, account);
    const openedMs: number[] = [];
    for (let opening = 0; opening <= OPENINGS; opening += 1) {
      await page.goto("/tickets");
      await cardOf(page, ticket).waitFor();
      await page.waitForLoadState("networkidle");
      const ms = await open(page, ticket);
      if (opening > 0) openedMs.push(ms);
    }
    const longTasksMs = await scrollBack(page);
    // The long one keeps the place that it was scrolled to.
    const others = tickets.filter(({ id }) => id !== ticket.id).slice(0, TURNS.tickets);
    const warmMs = await openInTurns(page, others);
    await browser.close();
    browser = undefined;
    const apiMs = await readNewest(await openDemoDesk(product), ticket);
    return describe({ openedMs, apiMs, warmMs, longTasksMs });
  } finally {
    await browser?.close();
    await product.stop();
  }
}

/** Older messages before those of the ticket, from both sides in turns, a minute apart. */
async function addMessages(ownerUrl: string, ticket: Ticket): Promise<void> {
  const client = new pg.Client({ connectionString: ownerUrl });
  await client.connect();
  try {
    await client.query(
      `insert into messages (company_id, id, ticket_id, connection_id, provider_id, contact_id, user_id, body, from_me,
                             read, ack, media_type, queue_id, created_at, updated_at)
       select t.company_id, uuidv7(at - now()), t.id, t.connection_id, 'antiga-' || n,
              case when n % 3 > 0 then t.contact_id end, case when n % 3 = 0 then t.user_id end,
              'Mensagem antiga ' || n || repeat(' com mais algumas palavras', n % 7),
              n % 3 = 0, true, 3, 'conversation', t.queue_id, at, at
         from tickets t, generate_series(1, $2::int) n,
              lateral (select date_trunc('milliseconds', least(t.created_at, first.at)) - ($2::int - n + 1) * interval '1 min' as at
                         from (select min(created_at) as at from messages where ticket_id = t.id) first) moment
        where t.id = $1
        order by n`,
      [ticket.id, MESSAGES],
    );
    await client.query("vacuum analyze messages");
  } finally {
    await client.end();
  }
}

async function signIn(page: Page, { email, password }: Account): Promise<void> {
  // Functions that run in the page come from the loader of this program with this call around their names.
  await page.addInitScript("globalThis.__name = (named) => named");
  await page.goto("/login");
  await page.getByRole("textbox", { name: "E-mail" }).fill(email);
  await page.getByRole("textbox", { name: "Senha" }).fill(password);
  await page.getByRole("button", { name: "Entrar" }).click();
  await page.getByRole("heading", { level: 1, name: "Atendimentos" }).waitFor();
}

const cardOf = (page: Page, { id }: Ticket) =>
  page.locator(`li[data-ticket-id="${id}"]`).getByRole("link");

/** Clicks the ticket's card and waits for its last messages; answers the ms from click to paint. */
async function open(page: Page, ticket: Ticket): Promise<number> {
  const paint = await page.evaluateHandle(watchOpening, ticket.contact.name);
  await cardOf(page, ticket).click();
  const ms = await paint.evaluate(
    ({ ms: shown }, patienceMs) =>
      Promise.race([
        shown,
        new Promise<null>((resolve) => setTimeout(() => resolve(null), patienceMs)),
      ]),
    PATIENCE_MS,
  );
  if (ms === null) throw new Error(`the end of ${ticket.contact.name}'s conversation did not show`);
  return ms;
}

/** Opens each of the tickets from the list again and again, on a page that has opened all of them once. */
async function openInTurns(page: Page, tickets: readonly Ticket[]): Promise<number[]> {
  if (tickets.length < 2) throw new Error("the agent serves too few tickets");
  const takenMs: number[] = [];
  for (let round = 0; round <= TURNS.rounds; round += 1) {
    for (const ticket of tickets) {
      const ms = await open(page, ticket);
      if (round > 0) takenMs.push(ms);
      await page.waitForLoadState("networkidle");
    }
  }
  return takenMs;
}

/** Scrolls back in the open conversation; answers the ms of each task that kept the page busy for more than 50. */
async function scrollBack(page: Page): Promise<number[]> {
  const area = page.locator("#messages");
  await area.hover();
  const tasks = await page.evaluateHandle(() => {
    const foundMs: number[] = [];
    new PerformanceObserver((list) => {
      foundMs.push(...list.getEntries().map(({ duration }) => duration));
    }).observe({ type: "longtask" });
    return foundMs;
  });
  for (let wheel = 0; wheel < SCROLL.wheels; wheel += 1) {
    await page.mouse.wheel(0, -SCROLL.wheelPx);
    await page.waitForTimeout(SCROLL.pauseMs);
  }
  const leftPx = await area.evaluate((element) => element.scrollHeight - element.scrollTop);
  if (leftPx < (SCROLL.wheels * SCROLL.wheelPx) / 2)
    throw new Error("the conversation did not scroll");
  return tasks.jsonValue();
}

/** Runs in the page: from the next click to the frame on the screen that has the last message of the contact's conversation in view. */
function watchOpening(contactName: string): { ms: Promise<number> } {
  const ms = new Promise<number>((resolve) => {
    addEventListener("click", ({ timeStamp }) => lookForEnd(timeStamp), {
      capture: true,
      once: true,
    });
    function lookForEnd(clickedAtMs: number): void {
      requestAnimationFrame(() => {
        if (!isEndInView()) return lookForEnd(clickedAtMs);
        afterPaint(() => {
          const paintedMs = performance.now() - clickedAtMs;
          // A resize observer runs between the animation frame and its paint, and may scroll.
          if (isEndInView()) resolve(paintedMs);
          else lookForEnd(clickedAtMs);
        });
      });
    }
  });

  function isEndInView(): boolean {
    const pane = [...document.querySelectorAll("[data-conversation]")].find(
      (each) => each.getAttribute("aria-label") === contactName,
    );
    const area = pane?.querySelector("#messages");
    const last = [...(area?.querySelectorAll("article") ?? [])].at(-1);
    if (!area || !last) return false;
    // The size of a long set is not counted, so the end is where nothing is left to scroll.
    if (area.scrollHeight - area.clientHeight - area.scrollTop > 2) return false;
    const { top, bottom } = last.getBoundingClientRect();
    const view = area.getBoundingClientRect();
    return top < view.bottom && bottom > view.top;
  }

  /** A message to oneself from an animation frame arrives once that frame is painted. */
  function afterPaint(then: () => void): void {
    const { port1, port2 } = new MessageChannel();
    port1.addEventListener("message", then, { once: true });
    port1.start();
    port2.postMessage(null);
  }

  return { ms };
}

/** The newest page by itself over HTTP, as often. */
async function readNewest(desk: DemoDesk, { id }: Ticket): Promise<number[]> {
  const takenMs: number[] = [];
  for (let time = 0; time <= OPENINGS; time += 1) {
    const beginMs = performance.now();
    const page = await desk.get("GET /messages/:ticketId", `/messages/${id}?markRead=false`);
    if (!page.hasMore || page.count < limits.listCountMax)
      throw new Error("the conversation is not as long as it should be");
    if (time > 0) takenMs.push(performance.now() - beginMs);
  }
  return takenMs;
}

type Found = {
  openedMs: readonly number[];
  apiMs: readonly number[];
  warmMs: readonly number[];
  longTasksMs: readonly number[];
};

function describe({ openedMs, apiMs, warmMs, longTasksMs }: Found): PartReport {
  const row = (name: string, values: readonly number[]): string[] => [
    name,
    ...[0.5, 0.95, 1].map((share) => `${figure(percentile(values, share))} ms`),
  ];
  const longest = Math.max(0, ...longTasksMs);
  return {
    name: "open",
    title: `opening a ticket of ${MESSAGES} messages in Chromium, ${OPENINGS} times on a page loaded anew`,
    tables: [
      {
        headings: ["", "p50", "p95", "longest"],
        rows: [
          row("from the click on its card until its last messages are painted", openedMs),
          row("of that, its newest page over HTTP by itself", apiMs),
          row("again on a page that opened it before, in turns with others", warmMs),
        ],
      },
    ],
    goals: [
      {
        figure: "click to first paint, p95",
        value: percentile(openedMs, 0.95),
        unit: "ms",
        limit: 500,
        want: "≤",
      },
      {
        figure: "again from the list, click to paint, p50",
        value: percentile(warmMs, 0.5),
        unit: "ms",
        limit: 100,
        want: "≤",
      },
      {
        figure: "longest task while about 400 messages scroll by",
        value: longest,
        unit: "ms",
        limit: 50,
        want: "≤",
      },
    ],
    notes: [
      "Browser, product and its database share the cores.",
      `Tasks over 50 ms while scrolling: ${longTasksMs.map((ms) => figure(ms)).join(", ") || "none"}.`,
    ],
  };
}
