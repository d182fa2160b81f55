import type {
  Browser,
  BrowserContext,
  BrowserContextOptions,
  ConsoleMessage,
  Page,
  TestInfo,
  WebError,
} from "@playwright/test";
import { expect, request, test as base } from "@playwright/test";
import { endpoints } from "@balcao/contract";
import { randomUUID } from "node:crypto";
import { limitUsers } from "./database.ts";
import type { Network } from "./network.ts";
import { openNetwork } from "./network.ts";
import type { Account, Product } from "./product.ts";
import { startProduct } from "./product.ts";
import { rememberCalls, screenOf } from "./witness.ts";

type Staff = Readonly<Record<"renata" | "marina" | "caio" | "beatriz", Account>>;

/** The trace of a journey asks for the pictures on the screen anew, also for those that only the page itself has. */
const ofTheTrace = /^Connecting to 'blob:/;

/**
 * On a machine that is full, a call that waited five seconds for the database is answered 503, and the page asks again. The
 * product's output says so; any other 503 is a failure.
 */
const askedAgain = /status of 503/;
const wasFull =
  /(timeout exceeded when trying to connect|Query read timeout).*"msg":"not available"/;

const OUTPUT_MAX = 8_000;

type Fixtures = {
  /** Console errors that belong to the journey (`test.use`); all others fail it. */
  expectedErrors: RegExp | null;
  /** Opens a browser; `browserOf` and `signedIn` are made with it. */
  openBrowser: (options?: BrowserContextOptions, session?: Session) => Promise<Page>;
  /**
   * A browser of its own, as another computer would be; nobody is signed in. Without options other than its size it may
   * have been an earlier journey's, of which nothing is left but the product's files in its cache.
   */
  browserOf: (options?: BrowserContextOptions) => Promise<Page>;
  /**
   * The same with a session of the account, on the tickets page. The session is made by the API and is the account's only
   * one, as after the form; the form itself has its own journeys (sign-in, keyboard).
   */
  signedIn: (account: Account, options?: BrowserContextOptions) => Promise<Page>;
  network: Network;
  /** Says what the product printed during a journey that failed. */
  productSays: void;
};

type WorkerFixtures = {
  product: Product;
  /** Those that earlier journeys have left: the first page of a new one takes 0.6 s of CPU more. */
  usedBrowsers: BrowserContext[];
  /** The demo company: Renata is its admin; Marina serves Suporte and Vendas, Caio Vendas, Beatriz Financeiro. */
  staff: Staff;
  openedNetwork: Awaited<ReturnType<typeof openNetwork>>;
};

/**
 * The journeys' test: one product per worker, started anew as a first user would, and browsers that no two share at the
 * same time. A journey fails on any error in a console, which includes what the content security policy refuses.
 */
export const test = base.extend<Fixtures, WorkerFixtures>({
  product: [
    // Playwright wants the first argument destructured, also where there is nothing to take from it.
    // oxlint-disable-next-line no-empty-pattern
    async ({}, use) => {
      // All sign-ins of a run come from one address within a few minutes.
      const product = await startProduct({
        BALCAO_AUTH_REQUESTS_PER_MINUTE: "1000",
        // Journeys play the services that companies name.
        BALCAO_OUTSIDE_HOSTS: "127.0.0.1:*",
        BALCAO_PUSH_HOSTS: "127.0.0.1:*",
      });
      // Journeys of one worker add more people together than the demo company's plan has.
      await limitUsers(product, product.accounts.admin, 100);
      await use(product);
      await product.stop();
    },
    { scope: "worker", timeout: 600_000 },
  ],
  usedBrowsers: [
    // Playwright wants the first argument destructured here, too.
    // oxlint-disable-next-line no-empty-pattern
    async ({}, use) => {
      const contexts: BrowserContext[] = [];
      await use(contexts);
      await Promise.all(contexts.map((context) => context.close()));
    },
    { scope: "worker" },
  ],
  staff: [
    async ({ product }, use) => {
      const { admin, agents } = product.accounts;
      const agent = (name: string): Account => {
        const account = agents.find((one) => one.name.startsWith(`${name} `));
        if (!account) throw new Error(`the demo company has no ${name}`);
        return account;
      };
      await use({
        renata: admin,
        marina: agent("Marina"),
        caio: agent("Caio"),
        beatriz: agent("Beatriz"),
      });
    },
    { scope: "worker" },
  ],
  openedNetwork: [
    async ({ product }, use) => {
      await use(await openNetwork(product));
    },
    { scope: "worker" },
  ],
  network: async ({ openedNetwork }, use) => {
    await use(openedNetwork);
    await openedNetwork.calmDown();
  },
  productSays: [
    async ({ product }, use, testInfo) => {
      const before = product.output();
      await use();
      if (testInfo.status === testInfo.expectedStatus) return;
      const output = product.output();
      // After a restart it is another process, which said nothing before.
      const said = output.startsWith(before) ? output.slice(before.length) : output;
      console.error(
        `The product said during "${testInfo.title}":\n${said.slice(-OUTPUT_MAX) || "nothing"}`,
      );
    },
    { auto: true },
  ],
  expectedErrors: [null, { option: true }],
  openBrowser: async ({ browser, product, usedBrowsers, expectedErrors }, use, testInfo) => {
    const opened: Opened[] = [];
    const errors: string[] = [];
    await use(async (options = {}, session) => {
      const { viewport, ...special } = options;
      const isUsual = Object.keys(special).length === 0;
      const used = isUsual ? usedBrowsers.pop() : undefined;
      const context = used ?? (await openContext(browser, product, isUsual ? {} : options));
      const { calls, stop } = rememberCalls(context);
      const stopErrors = collectErrors(context, errors);
      const stopCollecting = (): void => {
        stop();
        stopErrors();
      };
      opened.push({ context, isUsual, calls, stopCollecting });
      if (session) await context.addCookies(session.cookies);
      const left = context.pages();
      const page = await context.newPage();
      await Promise.all(left.map((one) => one.close()));
      if (isUsual && viewport) await page.setViewportSize(viewport);
      if (used || session) await page.addInitScript(begin, session?.stored ?? {});
      return page;
    });
    if (testInfo.status !== testInfo.expectedStatus) await tellScreens(opened, testInfo);
    for (const { context, isUsual, stopCollecting } of opened) {
      if (!isUsual || testInfo.status !== testInfo.expectedStatus) {
        await context.close();
        continue;
      }
      stopCollecting();
      // One stays, on what is no page of the product: the next one is opened in its process.
      const [last, ...others] = context.pages();
      await Promise.all([leaveProduct(last), ...others.map((page) => page.close())]);
      await context.clearCookies();
      await context.setOffline(false);
      usedBrowsers.push(context);
    }
    const isFull = wasFull.test(product.output());
    const unexpected = errors.filter(
      (error) =>
        !ofTheTrace.test(error) &&
        !expectedErrors?.test(error) &&
        !(isFull && askedAgain.test(error)),
    );
    expect(product.collapse(), "the product's end").toBeNull();
    expect(unexpected, "errors in the browser's console").toEqual([]);
  },
  browserOf: async ({ openBrowser }, use) => {
    await use((options) => openBrowser(options));
  },
  signedIn: async ({ openBrowser, product }, use) => {
    await use(async (account, options) => {
      const page = await openBrowser(options, await sessionOf(product.url, account));
      await page.goto("/tickets");
      await expect(page.getByRole("heading", { level: 1, name: "Atendimentos" })).toBeVisible();
      return page;
    });
  },
});

export { expect } from "@playwright/test";

/**
 * Another window of the same browser. A tab would hide the page, and a hidden page draws once a second, for which every press
 * waits.
 */
export async function anotherWindow(page: Page): Promise<Page> {
  const opened = page.context().waitForEvent("page");
  await page.evaluate(() => {
    window.open("about:blank", "_blank", "popup,noopener,width=1440,height=900");
  });
  return opened;
}

/** A page whose session has just ended may be going to the sign-in page by itself, which interrupts a navigation. */
async function leaveProduct(page: Page | undefined): Promise<void> {
  if (page === undefined) return;
  await expect(async () => {
    await page.goto("/icon.svg");
  }).toPass();
}

type Session = Awaited<ReturnType<typeof sessionOf>>;

/** Signs in by the API. Returns the cookies and what is stored when the form has done so in a browser. */
async function sessionOf(productUrl: string, { email, password }: Account) {
  const client = await request.newContext({ baseURL: productUrl });
  try {
    const response = await client.post("/api/auth/login", { data: { email, password } });
    if (!response.ok()) throw new Error(`sign-in of ${email}: ${await response.text()}`);
    const { token, user } = endpoints["POST /auth/login"].reply.parse(await response.json());
    const stored = {
      token: JSON.stringify(token),
      userId: String(user.id),
      companyId: String(user.companyId),
      "balcao.lastUserId": String(user.id),
      "balcao.user": JSON.stringify(user),
      "balcao.session": JSON.stringify({ id: randomUUID(), startedAtMs: Date.now() }),
    };
    const { cookies } = await client.storageState();
    return { cookies, stored };
  } finally {
    await client.dispose();
  }
}

/** Runs in the page before its own code, and does something only before the first page of the window. */
function begin(stored: Readonly<Record<string, string>>): void {
  if (window !== window.top || sessionStorage.getItem("journey.begun") !== null) return;
  sessionStorage.setItem("journey.begun", "yes");
  localStorage.clear();
  for (const [name, value] of Object.entries(stored)) localStorage.setItem(name, value);
}

/** Fills the form of the sign-in page and sends it; what follows is the journey's to see. */
export async function signIn(
  page: Page,
  { email, password }: Pick<Account, "email" | "password">,
): Promise<void> {
  await page.getByRole("textbox", { name: "E-mail" }).fill(email);
  await page.getByRole("textbox", { name: "Senha" }).fill(password);
  await page.getByRole("button", { name: "Entrar" }).click();
}

function openContext(
  browser: Browser,
  product: Product,
  options: BrowserContextOptions = {},
): Promise<BrowserContext> {
  return browser.newContext({
    baseURL: product.url,
    viewport: { width: 1440, height: 900 },
    colorScheme: "light",
    // Journeys set the network of the page alone. The worker has a journey of its own (phone).
    serviceWorkers: "block",
    ...options,
  });
}

type Opened = {
  context: BrowserContext;
  isUsual: boolean;
  calls: readonly string[];
  stopCollecting(): void;
};

/** The end of the run repeats it below the error (scripts/lib/reports.mjs). */
async function tellScreens(opened: readonly Opened[], testInfo: TestInfo): Promise<void> {
  for (const { context, calls } of opened) {
    for (const page of context.pages()) {
      testInfo.annotations.push({ type: "screen", description: await screenOf(page) });
    }
    testInfo.annotations.push({ type: "calls", description: calls.join(", ") });
  }
}

/** Returns how to end it. */
function collectErrors(context: BrowserContext, errors: string[]): () => void {
  const onMessage = (message: ConsoleMessage): void => {
    if (message.type() === "error") errors.push(`${message.text()} (${message.location().url})`);
  };
  const onError = (event: WebError): void => {
    errors.push(`uncaught: ${event.error().message}`);
  };
  context.on("console", onMessage).on("weberror", onError);
  return () => context.off("console", onMessage).off("weberror", onError);
}
