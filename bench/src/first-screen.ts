import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, BrowserContext, Page } from "@playwright/test";
import { chromium } from "@playwright/test";
import type { Account, BuiltProduct } from "./built-product.ts";
import { startBuilt } from "./built-product.ts";
import { openDemoDesk } from "./demo-desk.ts";
import { chromiumFlags } from "./open.ts";
import type { PageFiles } from "./page-files.ts";
import { filesOfPages } from "./page-files.ts";
import type { BenchPostgres } from "./postgres.ts";
import type { Goal, PartReport } from "./report.ts";
import { figure } from "./report.ts";
import { percentile } from "./statistics.ts";

const builtPage = fileURLToPath(new URL("../../packages/web/dist/app", import.meta.url));
/** The most that a cold browser may load for a page. */
const budgets = { kilobytes: 180, scripts: 12, styles: 4, requests: 40, pocket: 6 };
const COLD_LOADS = 5;

/** A page, and what is seen of it once it is there: the first element of the selector with this text. */
type Route = {
  name: string;
  path: string;
  selector: string;
  text: string;
};

type Opened = {
  route: Route;
  page: Page;
  /** From the request of the page until it showed. */
  ms: number;
  /** The paths that it requested until then, and all so far. */
  before: ReadonlySet<string>;
  paths: readonly string[];
  /** Its calls so far: before the live connection opened, and since. */
  calls: Calls;
};

type Calls = Record<"before" | "live", string[]>;

type Loaded = {
  route: Route;
  /** Before it showed. */
  scripts: number;
  styles: number;
  kilobytes: number;
  /** Requests for scripts, styles, data and pictures until everything is fetched ahead. */
  requests: readonly string[];
};

/** How much each page takes from a cold browser until it shows: files, bytes, requests. */
export async function measureFiles(postgres: BenchPostgres): Promise<PartReport> {
  return inProduct(postgres.folder("files"), async (browser, product) => {
    const { ticket } = await openDemoDesk(product);
    const counted: Promise<Loaded>[] = [];
    const visitor = await browser.newContext({ baseURL: product.url, locale: "pt-BR" });
    counted.push(countFiles(await open(visitor, signInPage)));
    const agent = await signIn(browser, product, product.agent);
    const admin = await signIn(browser, product, product.admin);
    for (const route of routesOf(ticket.uuid)) {
      const session = route.path.startsWith("/tickets") ? agent : admin;
      // It fetches ahead some seconds after it showed, while the next ones are opened.
      counted.push(countFiles(await openSignedIn(browser, session, route)));
    }
    const pocket = await countPocket(await browser.newContext(agent));
    return describeFiles(await Promise.all(counted), pocket, await filesOfPages(builtPage));
  });
}

/** How long a cold browser waits for the list of tickets, at the product's side and 100 ms away from it. */
export async function measureCold(postgres: BenchPostgres): Promise<PartReport> {
  return inProduct(postgres.folder("cold"), async (browser, product) => {
    const session = await signIn(browser, product, product.agent);
    const [list] = routesOf("");
    if (!list) throw new Error("no list of tickets");
    const found = new Map<number, number[]>();
    for (const roundTripMs of [0, 100]) {
      const times: number[] = [];
      for (let time = 0; time < COLD_LOADS; time += 1) {
        const { ms, page } = await openSignedIn(browser, session, list, roundTripMs);
        times.push(ms);
        await page.context().close();
      }
      found.set(roundTripMs, times);
    }
    return describeCold(found);
  });
}

const withHeading = (name: string, path: string, text: string): Route => ({
  ...{ name, path, text },
  selector: "h1",
});

const signInPage: Route = {
  ...{ name: "sign-in", path: "/login" },
  ...{ selector: "button[type=submit]", text: "Entrar" },
};

function routesOf(ticketUuid: string): Route[] {
  return [
    {
      ...{ name: "tickets", path: "/tickets" },
      ...{ selector: "li[data-ticket-id]", text: "" },
    },
    {
      ...{ name: "conversation", path: `/tickets/${ticketUuid}` },
      ...{ selector: "#messages article", text: "" },
    },
    withHeading("quick replies", "/quick-messages", "Respostas rápidas"),
    withHeading("tags", "/tags", "Etiquetas"),
    withHeading("contacts", "/contacts", "Contatos"),
    withHeading("dashboard", "/", "Painel"),
    withHeading("kanban", "/kanban", "Kanban"),
    withHeading("internal chat", "/chats", "Chat interno"),
    withHeading("connections", "/connections", "Conexões"),
    withHeading("queues", "/queues", "Filas"),
    withHeading("users", "/users", "Usuários"),
    withHeading("settings", "/settings", "Configurações"),
    withHeading("simulator", "/simulator", ""),
    withHeading("schedules", "/schedules", "Agendamentos"),
    withHeading("reports", "/reports", "Relatórios"),
    withHeading("campaigns", "/campaigns", "Campanhas"),
    withHeading("settings of campaigns", "/campaigns-config", ""),
    withHeading("agents", "/prompts", ""),
    withHeading("integrations", "/queue-integration", ""),
    withHeading("API", "/messages-api", ""),
    withHeading("invoices", "/financeiro", ""),
  ];
}

/** Only what hangs is ended by it: beside the journeys a page may take half a minute. */
const PATIENCE_MS = 240_000;

async function patientPage(context: BrowserContext): Promise<Page> {
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  return page;
}

/** Opens a page in a cold browser; what it asks for is noted until its context is closed. */
async function open(context: BrowserContext, route: Route, roundTripMs = 0): Promise<Opened> {
  const page = await patientPage(context);
  const paths: string[] = [];
  const calls: Calls = { before: [], live: [] };
  let isLive = false;
  page.on("request", (request) => {
    const { pathname, search } = new URL(request.url());
    paths.push(pathname);
    const call = `${request.method()} ${pathname}${search}`;
    if (pathname.startsWith("/api/")) calls[isLive ? "live" : "before"].push(call);
  });
  page.on("websocket", (socket) =>
    socket.on("framereceived", ({ payload }) => (isLive ||= isWelcome(String(payload)))),
  );
  if (roundTripMs > 0) {
    const devTools = await context.newCDPSession(page);
    await devTools.send("Network.enable");
    const line = { offline: false, downloadThroughput: -1, uploadThroughput: -1 };
    await devTools.send("Network.emulateNetworkConditions", { ...line, latency: roundTripMs });
  }
  await page.addInitScript(watchFor, { selector: route.selector, text: route.text });
  const beginMs = performance.now();
  await page.goto(route.path, { waitUntil: "commit" });
  await page
    .waitForFunction(() => performance.getEntriesByName("shown").length > 0)
    .catch(async (error: unknown) => {
      const shown = await page.locator("body").innerText();
      throw new Error(`${route.path} has not shown "${route.text}", but: ${shown}`, {
        cause: error,
      });
    });
  const ms = performance.now() - beginMs;
  return { route, page, ms, before: new Set(await page.evaluate(requestedBefore)), paths, calls };
}

/** Socket.IO's answer to a connection that it accepts. */
const isWelcome = (frame: string): boolean => frame.startsWith("40");

/**
 * The calls that count as requests. When the live connection opens, the page repeats its earlier calls once, because it may
 * have missed changes. These repetitions do not count: their number depends on how late the connection opens. All other
 * repetitions count.
 */
function countedCalls({ before, live }: Calls): string[] {
  const again = new Set(before);
  return [...before, ...live.filter((call) => !again.delete(call))];
}

/** Opens a page as a signed-in user. The browser renews the session, and the new cookie is kept in `session`. */
async function openSignedIn(
  browser: Browser,
  session: Session,
  route: Route,
  roundTripMs = 0,
): Promise<Opened> {
  const context = await browser.newContext(session);
  const [opened] = await Promise.all([
    open(context, route, roundTripMs),
    context.waitForEvent("response", {
      predicate: (response) => response.url().endsWith("/api/auth/refresh_token"),
      timeout: PATIENCE_MS,
    }),
  ]);
  // The product ends a session whose old cookie is used more than a minute after its renewal.
  session.storageState.cookies = (await context.storageState()).cookies;
  return opened;
}

/** Runs in the page: marks the moment in which an element is there. Asked from outside, a busy machine tells it late. */
function watchFor({ selector, text }: Pick<Route, "selector" | "text">): void {
  // No function has a name here: the loader would wrap it in a helper that the page does not have.
  new MutationObserver((_changes, observer) => {
    const found = [...document.querySelectorAll(selector)];
    if (!found.some((one) => one.textContent.includes(text))) return;
    observer.disconnect();
    performance.mark("shown");
  }).observe(document, { subtree: true, childList: true, characterData: true });
}

/** Runs in the page: the paths that were requested before that. */
function requestedBefore(): string[] {
  const shownMs = performance.getEntriesByName("shown")[0]?.startTime ?? 0;
  return performance
    .getEntriesByType("resource")
    .filter(({ startTime }) => startTime <= shownMs)
    .map(({ name }) => new URL(name).pathname);
}

async function countFiles({ route, page, before, paths, calls }: Opened): Promise<Loaded> {
  const scripts = [...before].filter((path) => path.endsWith(".js"));
  const sizes = await Promise.all(scripts.map((path) => readFile(join(builtPage, `${path}.gz`))));
  await page.waitForFunction(() => sessionStorage.getItem("balcao.fetchedAhead") !== null);
  await page.context().close();
  // A file that is asked for again comes from the browser's cache.
  const files = new Set(paths.filter((path) => !path.startsWith("/api/")));
  return {
    route,
    scripts: scripts.length,
    styles: [...before].filter((path) => path.endsWith(".css")).length,
    kilobytes: sizes.reduce((sum, { length }) => sum + length, 0) / 1000,
    requests: [...countedCalls(calls), ...files],
  };
}

/** How many requests come after a page has fetched ahead, until it is kept for a time without a network. */
async function countPocket(context: BrowserContext): Promise<number> {
  const page = await patientPage(context);
  const paths = new Set<string>();
  context.on("request", (request) => paths.add(new URL(request.url()).pathname));
  await page.goto("/tickets");
  await page.waitForFunction(() => sessionStorage.getItem("balcao.fetchedAhead") !== null);
  const before = paths.size;
  await page.evaluate(untilKept);
  await context.close();
  return paths.size - before;
}

/** Runs in the page. */
async function untilKept(): Promise<void> {
  while ((await caches.match("/")) === undefined)
    await new Promise((done) => setTimeout(done, 200));
}

async function inProduct(
  folder: string,
  measure: (browser: Browser, product: BuiltProduct) => Promise<PartReport>,
): Promise<PartReport> {
  const product = await startBuilt(folder);
  let browser: Browser | undefined;
  try {
    browser = await chromium.launch({
      executablePath: process.env["CHROMIUM_PATH"] ?? "/usr/bin/chromium-headless-shell",
      args: chromiumFlags,
    });
    return await measure(browser, product);
  } finally {
    await browser?.close();
    await product.stop();
  }
}

/** The options of a browser's context that is signed in. */
type Session = {
  baseURL: string;
  locale: string;
  storageState: Awaited<ReturnType<BrowserContext["storageState"]>>;
};

/** Signs in at the page. */
async function signIn(
  browser: Browser,
  { url }: BuiltProduct,
  account: Account | null,
): Promise<Session> {
  if (account === null) throw new Error("the demo company has no such account");
  const context = await browser.newContext({ baseURL: url, locale: "pt-BR" });
  const page = await patientPage(context);
  await page.goto("/login");
  await page.getByRole("textbox", { name: "E-mail" }).fill(account.email);
  await page.getByRole("textbox", { name: "Senha" }).fill(account.password);
  await page.getByRole("button", { name: "Entrar" }).click();
  await page.getByRole("heading", { level: 1, name: /^(Atendimentos|Painel)/ }).waitFor();
  const storageState = await context.storageState();
  await context.close();
  return { baseURL: url, locale: "pt-BR", storageState };
}

function describeFiles(
  loaded: readonly Loaded[],
  pocket: number,
  pages: readonly PageFiles[],
): PartReport {
  const goals = loaded.flatMap(({ route, ...found }): Goal[] => {
    const goal = (what: string, value: number, unit: string, limit: number): Goal => {
      return { figure: `${route.name}: ${what}`, value, unit, limit, want: "≤" };
    };
    return [
      goal("code before it shows", found.kilobytes, "kB gzip", budgets.kilobytes),
      goal("scripts before it shows", found.scripts, "", budgets.scripts),
      goal("styles before it shows", found.styles, "", budgets.styles),
      goal("requests in all", found.requests.length, "", budgets.requests),
    ];
  });
  const ofPages = pages.flatMap(({ name, ...found }): Goal[] => {
    const figure = (what: string): string => `/${name}, from the build: ${what}`;
    const { kilobytes, scripts, styles } = budgets;
    return [
      {
        ...{ figure: figure("code"), value: found.kilobytes, unit: "kB gzip" },
        ...{ limit: kilobytes, want: "≤" },
      },
      { figure: figure("scripts"), value: found.scripts, unit: "", limit: scripts, want: "≤" },
      { figure: figure("styles"), value: found.styles, unit: "", limit: styles, want: "≤" },
    ];
  });
  return {
    name: "files",
    title: "what each page takes from a cold browser until it shows",
    tables: [
      {
        headings: ["", "JS, kB gzip", "JS files", "CSS files", "requests in all"],
        rows: loaded.map(({ route, ...found }) => [
          route.name,
          ...[found.kilobytes, found.scripts, found.styles, found.requests.length].map(figure),
        ]),
      },
      {
        headings: ["every address, from the build", "JS, kB gzip", "JS files", "CSS files"],
        rows: pages.map(({ name, ...found }) => [
          `/${name}`,
          ...[found.kilobytes, found.scripts, found.styles].map(figure),
        ]),
      },
    ],
    goals: [
      ...goals,
      ...ofPages,
      {
        ...{ figure: "kept for a time without a network: requests after that" },
        ...{ value: pocket, unit: "", limit: budgets.pocket, want: "≤" },
      },
    ],
    notes: [
      "Requests in all: with everything that is fetched ahead once the page is idle, without the calls that are repeated when the live connection opens.",
      "From the build: what the page needs by its imports, with the texts of the longest language.",
      ...loaded
        .filter(({ requests }) => requests.length > budgets.requests)
        .map(({ route, requests }) => `${route.name} asked for ${requests.join(", ")}.`),
    ],
  };
}

function describeCold(found: ReadonlyMap<number, readonly number[]>): PartReport {
  const limits = new Map([
    [0, 1_200],
    [100, 1_600],
  ]);
  return {
    name: "cold",
    title: `the list of tickets in a cold browser, ${COLD_LOADS} times`,
    tables: [
      {
        headings: ["round trip", "p50", "longest"],
        rows: [...found].map(([ms, times]) => [
          `${ms} ms`,
          ...[0.5, 1].map((share) => `${figure(percentile(times, share))} ms`),
        ]),
      },
    ],
    goals: [...found].map(([ms, times]): Goal => {
      const limit = limits.get(ms) ?? 0;
      const value = percentile(times, 0.5);
      return { figure: `list at ${ms} ms, p50`, value, unit: "ms", limit, want: "≤" };
    }),
    notes: ["From the request of the page until the first ticket stands in the list."],
  };
}
