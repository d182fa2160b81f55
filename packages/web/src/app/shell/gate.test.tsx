import type { Profile } from "@balcao/contract/permissions";
import { act, cleanup, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { currentSession, endSession, startSession } from "../../api/session-store.ts";
import {
  ENDED,
  givenInvoice,
  givenPaid,
  givenSubscription,
  NOW,
  PAID_UNTIL,
} from "../../features/invoices/testing/given-subscription.ts";
import { renderOnCache } from "../../features/messages/testing/render-feature.tsx";
import { Router } from "../../router/index.tsx";
import { fakeServer } from "../../testing/fake-server.ts";
import { givenToken, givenUser } from "../../testing/given.ts";
import { memorySteps } from "../../testing/memory-steps.ts";
import { sockets } from "../../testing/sockets.ts";
import { Pages } from "../routes.tsx";

vi.mock("../../realtime/socket.ts", () => import("../../testing/sockets.ts"));

const DAY_MS = 86_400_000;
const user = userEvent.setup({ advanceTimers: (ms) => void vi.advanceTimersByTime(ms) });
const isoIn = (ms: number): string => new Date(NOW.getTime() + ms).toISOString();

const plan = {
  ...{ useCampaigns: true, useKanban: true, useOpenAi: true, useIntegrations: true },
  ...{ useSchedules: true, useInternalChat: true, useExternalApi: true },
};
const given = (profile: Profile, dueDate: string | null, isSuper = false) =>
  givenUser({ profile, super: isSuper, company: { dueDate, plan } });

/** The present answer of the server. */
let subscription = givenSubscription();
let renewed = given("admin", ENDED);

function open(
  at: string,
  profile: Profile = "admin",
  dueDate: string | null = ENDED,
  isSuper = false,
) {
  startSession(givenToken("t", 3_600), given(profile, dueDate, isSuper));
  const { requests } = fakeServer({
    "GET /api/subscription": () => ({ body: subscription }),
    "GET /api/invoices/all": () => ({
      body: { invoices: [givenInvoice(1187)], count: 1, hasMore: false },
    }),
    "GET /api/plans/list": () => ({ body: [subscription.plan] }),
    "POST /api/auth/refresh_token": () => ({
      body: { token: givenToken(`t${requests.length}`, 3_600), user: renewed },
    }),
  });
  const steps = memorySteps(at);
  renderOnCache(
    <Router steps={steps}>
      <Pages />
    </Router>,
  );
  const asked = (): string[] => [...new Set(requests.map(({ call }) => call.split("?")[0] ?? ""))];
  const address = (): string => steps.current().pathname + steps.current().search;
  return { asked, address };
}

const menu = () => within(screen.getByRole("navigation", { name: "Menu principal" }));
const locks = (): number => menu().queryAllByText("bloqueado até o pagamento").length;
/** Not the toast of the specification, which ends without a point. */
const WORDS = /^Sua assinatura .*\.$/;
const strip = () => screen.findByText(WORDS);

async function passSeconds(seconds: number): Promise<void> {
  await act(() => vi.advanceTimersByTimeAsync(seconds * 1_000));
}

beforeEach(() => {
  subscription = givenSubscription();
  renewed = given("admin", ENDED);
  vi.useFakeTimers({ shouldAdvanceTime: true, now: NOW });
});
afterEach(() => {
  cleanup();
  endSession("logout");
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe("when the subscription has ended", () => {
  test.each(["/", "/tickets", "/settings?tab=hours", "/wall", "/login"])(
    "an admin lands from %s on the invoices, and nothing else is asked of the server",
    async (at) => {
      const { asked, address } = open(at);
      expect(await screen.findByRole("heading", { level: 1, name: "Financeiro" })).toBeTruthy();
      expect(await screen.findByRole("button", { name: "PAGAR" })).toBeTruthy();
      expect(address()).toBe("/financeiro");
      await passSeconds(5);
      expect(asked().sort()).toEqual(["GET /api/invoices/all", "GET /api/subscription"]);
      expect(sockets).toEqual([]);
    },
  );

  test("the other entries of the menu have a lock and lead there too", async () => {
    const { address } = open("/financeiro");
    await screen.findByRole("button", { name: "PAGAR" });
    const links = menu().getAllByRole("link");
    expect(locks()).toBe(links.length - 1);
    expect(new Set(links.map((link) => link.getAttribute("href")))).toEqual(
      new Set(["/financeiro"]),
    );
    expect(menu().getByRole("link", { current: "page" }).textContent).toBe("Financeiro");
    await user.click(menu().getByRole("link", { name: /^Atendimentos/ }));
    expect(address()).toBe("/financeiro");
  });

  test("the top bar names the end and has only what works without the server", async () => {
    open("/financeiro");
    await screen.findByRole("button", { name: "PAGAR" });
    const [bar] = screen.getAllByRole("banner");
    const banner = within(bar ?? document.body);
    expect(banner.getByText("Boutique Aurora, venceu em 18/11/2026")).toBeTruthy();
    expect(banner.getAllByRole("button")).toHaveLength(3);
    await user.click(banner.getByRole("button", { name: /^Conta de/ }));
    await screen.findByRole("menuitem", { name: "Sair" });
    expect(screen.getAllByRole("menuitem")).toHaveLength(1);
  });

  test("a strip says since when, until when messages come, and what is to be paid; it cannot be closed", async () => {
    const { address } = open("/financeiro");
    const text = await strip();
    const whole = text.closest("[data-tone]");
    await screen.findByText(/continuam chegando/);
    expect(whole?.textContent).toMatch(
      /^Sua assinatura venceu em 18\/11\/2026\. Até o pagamento, só o Financeiro abre\. As mensagens continuam chegando até 21\/11\.Pagar R\$\s199,90$/,
    );
    expect(whole?.querySelectorAll("button")).toHaveLength(1);
    await user.click(screen.getByRole("button", { name: /^Pagar R\$/ }));
    expect(address()).toBe("/financeiro?pay");
    expect(await screen.findByRole("dialog", { name: /^Pagar a assinatura/ })).toBeTruthy();
  });

  test("three days later the strip says that messages have stopped", async () => {
    subscription = givenSubscription({ stopsAt: isoIn(-1) });
    open("/financeiro");
    expect(
      await screen.findByText(/As mensagens pararam de chegar em 19\/11 e voltam com o pagamento/),
    ).toBeTruthy();
  });

  test("without an invoice the strip leads to the provider", async () => {
    subscription = givenSubscription({ invoice: null, stopsAt: null });
    open("/financeiro");
    expect(await screen.findByText(/Fale com o suporte para renovar/)).toBeTruthy();
    await waitFor(() => expect(screen.queryByRole("button", { name: /^Pagar/ })).toBeNull());
  });

  test("a payment opens the product without a reload, also one that a colleague made", async () => {
    open("/financeiro");
    await screen.findByRole("button", { name: "PAGAR" });
    subscription = givenPaid();
    await passSeconds(61);
    await waitFor(() => expect(locks()).toBe(0));
    expect(currentSession()?.user.company.dueDate).toBe(PAID_UNTIL);
    expect(screen.getByText("Boutique Aurora, ativa até 19/12/2026")).toBeTruthy();
    expect(screen.queryByText(WORDS)).toBeNull();
    await waitFor(() => expect(sockets).toHaveLength(1));
  });

  test("an agent sees on every page whom to talk to, and the product once the company has paid", async () => {
    renewed = given("user", ENDED);
    const { asked, address } = open("/tags", "user");
    expect(
      await screen.findByRole("heading", { name: "Fale com quem administra a conta" }),
    ).toBeTruthy();
    expect(screen.getByText(/venceu em 18\/11\/2026/)).toBeTruthy();
    expect(address()).toBe("/tags");
    await passSeconds(61);
    expect(asked()).toEqual(["POST /api/auth/refresh_token"]);
    expect(sockets).toEqual([]);
    renewed = given("user", PAID_UNTIL);
    await passSeconds(61);
    expect(await screen.findByRole("heading", { level: 1, name: /^Etiquetas/ })).toBeTruthy();
    expect(locks()).toBe(0);
  });

  test.each([
    ["super users", ENDED, true],
    ["a company without a due date", null, false],
  ])("%s go on", async (_who, dueDate, isSuper) => {
    open("/tags", "admin", dueDate, isSuper);
    expect(await screen.findByRole("heading", { level: 1, name: /^Etiquetas/ })).toBeTruthy();
    expect(locks()).toBe(0);
    expect(screen.queryByText(WORDS)).toBeNull();
  });
});

describe("while the page is open the subscription ends", () => {
  const soon = isoIn(90_000);

  test("at its moment, after the due date was read once more", async () => {
    renewed = given("admin", soon);
    const { address, asked } = open("/tags", "admin", soon);
    await screen.findByRole("heading", { level: 1, name: /^Etiquetas/ });
    expect(asked()).not.toContain("POST /api/auth/refresh_token");
    await passSeconds(40);
    expect(asked()).toContain("POST /api/auth/refresh_token");
    expect(locks()).toBe(0);
    await passSeconds(60);
    await waitFor(() => expect(address()).toBe("/financeiro"));
    expect(locks()).toBeGreaterThan(0);
    expect(sockets.every(({ isOpen }) => !isOpen)).toBe(true);
  });

  test("or goes on, if it was paid meanwhile", async () => {
    renewed = given("admin", PAID_UNTIL);
    const { address } = open("/tags", "admin", soon);
    await screen.findByRole("heading", { level: 1, name: /^Etiquetas/ });
    await passSeconds(120);
    expect(address()).toBe("/tags");
    expect(locks()).toBe(0);
  });
});

describe("within five days of the due date", () => {
  test.each([
    [0, "Sua assinatura vence hoje."],
    [1, "Sua assinatura vence em 1 dia."],
    [5, "Sua assinatura vence em 5 dias."],
  ])("(%i days) a strip warns an admin on every page: %s", async (days, words) => {
    const { address } = open("/tags", "admin", isoIn(days * DAY_MS + 3_600_000));
    expect((await strip()).textContent?.trim()).toBe(words);
    await user.click(screen.getByRole("button", { name: "Pagar" }));
    expect(address()).toBe("/financeiro?pay");
  });

  test("the strip is closed for the day", async () => {
    renewed = given("admin", isoIn(3 * DAY_MS));
    open("/tags", "admin", isoIn(3 * DAY_MS));
    await user.click(await screen.findByRole("button", { name: "Fechar por hoje" }));
    expect(screen.queryByText(WORDS)).toBeNull();
    cleanup();
    open("/tags", "admin", isoIn(3 * DAY_MS));
    await screen.findByRole("heading", { level: 1, name: /^Etiquetas/ });
    expect(screen.queryByText(WORDS)).toBeNull();
    vi.setSystemTime(NOW.getTime() + DAY_MS - 3_600_000);
    // At once: an answer of the server after each second of it would take half a minute.
    act(() => void vi.advanceTimersByTime(3_700_000));
    expect((await strip()).textContent?.trim()).toBe("Sua assinatura vence em 2 dias.");
  });

  test.each([
    ["an agent", "user", 3],
    ["an admin six days before", "admin", 6],
  ] as const)("%s sees no strip", async (_who, profile, days) => {
    open("/tags", profile, isoIn(days * DAY_MS));
    await screen.findByRole("heading", { level: 1, name: /^Etiquetas/ });
    expect(screen.queryByText(WORDS)).toBeNull();
  });
});
