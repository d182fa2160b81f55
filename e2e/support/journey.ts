import type { Browser, BrowserContext, BrowserContextOptions, Page } from "@playwright/test";
import { expect, request, test as base } from "@playwright/test";
import { endpoints } from "@balcao/contract";
import { randomUUID } from "node:crypto";
import type { Network } from "./network.ts";
import { openNetwork } from "./network.ts";
import type { Account, Product } from "./product.ts";
import { startProduct } from "./product.ts";

type Staff = Readonly<Record<"renata" | "marina" | "caio" | "beatriz", Account>>;

/** The trace of a journey asks for the pictures on the screen anew, also for those that only the page itself has. */
const ofTheTrace = /^Connecting to 'blob:/;

const OUTPUT_MAX = 8_000;

type Fixtures = {
  /** Console errors that belong to the journey (`test.use`); all others fail it. */
  expectedErrors: RegExp | null;
  /** A browser of its own, as another computer would be; nobody is signed in. */
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
  /** The demo company: Renata is its admin; Marina serves Suporte and Vendas, Caio Vendas, Beatriz Financeiro. */
  staff: Staff;
  openedNetwork: Awaited<ReturnType<typeof openNetwork>>;
};

/**
 * The journeys' test: one product per worker, started anew as a first user would, and browsers that nobody shares. A
 * journey fails on any error in a console, which includes what the content security policy refuses.
 */
export const test = base.extend<Fixtures, WorkerFixtures>({
  product: [
    // Playwright wants the first argument destructured, also where there is nothing to take from it.
    // oxlint-disable-next-line no-empty-pattern
    async ({}, use) => {
      // All sign-ins of a run come from one address within a few minutes.
      const product = await startProduct({ BALCAO_AUTH_REQUESTS_PER_MINUTE: "1000" });
      await use(product);
      await product.stop();
    },
    { scope: "worker", timeout: 240_000 },
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
  browserOf: async ({ browser, product, expectedErrors }, use) => {
    const contexts: BrowserContext[] = [];
    const errors: string[] = [];
    await use(async (options) => {
      const context = await openContext(browser, product, options);
      contexts.push(context);
      collectErrors(context, errors);
      return context.newPage();
    });
    await Promise.all(contexts.map((context) => context.close()));
    const unexpected = errors.filter(
      (error) => !ofTheTrace.test(error) && !expectedErrors?.test(error),
    );
    expect(product.collapse(), "the product's end").toBeNull();
    expect(unexpected, "errors in the browser's console").toEqual([]);
  },
  signedIn: async ({ browserOf, product }, use) => {
    await use(async (account, options) => {
      const baseURL = options?.baseURL ?? product.url;
      const page = await browserOf({
        ...options,
        storageState: await sessionOf(product.url, account, baseURL),
      });
      await page.goto("/tickets");
      await expect(page.getByRole("heading", { level: 1, name: "Atendimentos" })).toBeVisible();
      return page;
    });
  },
});

export { expect } from "@playwright/test";

type StorageState = Exclude<BrowserContextOptions["storageState"], string | undefined>;

/** Signs in by the API. Returns the cookies and the stored session that the form leaves in a browser at `pageUrl`. */
async function sessionOf(
  productUrl: string,
  { email, password }: Account,
  pageUrl: string,
): Promise<StorageState> {
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
    const localStorage = Object.entries(stored).map(([name, value]) => ({ name, value }));
    const { cookies } = await client.storageState();
    return { cookies, origins: [{ origin: new URL(pageUrl).origin, localStorage }] };
  } finally {
    await client.dispose();
  }
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
    ...options,
  });
}

function collectErrors(context: BrowserContext, errors: string[]): void {
  context.on("console", (message) => {
    if (message.type() === "error") errors.push(`${message.text()} (${message.location().url})`);
  });
  context.on("weberror", (event) => errors.push(`uncaught: ${event.error().message}`));
}
