import type { Invoice, Subscription } from "@balcao/contract";
import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { Suspense } from "react";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { endSession, startSession } from "../../api/session-store.ts";
import { i18n } from "../../i18n/index.ts";
import { Router } from "../../router/index.tsx";
import { fakeServer } from "../../testing/fake-server.ts";
import { givenToken, givenUser } from "../../testing/given.ts";
import { memorySteps } from "../../testing/memory-steps.ts";
import { renderOnCache } from "../messages/testing/render-feature.tsx";
import { invoiceWords } from "./api.ts";
import { FinanceiroPage } from "./financeiro-page.tsx";
import {
  ENDED,
  essential,
  givenCharge,
  givenInvoice,
  givenSubscription,
  NOW,
  team,
} from "./testing/given-subscription.ts";

const paid = (id: number, fields: Partial<Invoice> = {}): Invoice =>
  givenInvoice(id, { status: "paid", paidAt: "2026-10-16T12:14:00.000Z", ...fields });

function open(
  invoices: readonly Invoice[],
  fields: Partial<Subscription> = {},
  { count = invoices.length, widthPx = 1440, at = "", finds = false } = {},
) {
  vi.spyOn(window, "matchMedia").mockImplementation((query) => {
    const [, side, limit] = /\((min|max)-width: (\d+)px\)/.exec(query) ?? [];
    const fits = side === "min" ? widthPx >= Number(limit) : widthPx <= Number(limit);
    const list = { matches: limit !== undefined && fits, media: query, onchange: null };
    const nothing = (): void => undefined;
    return Object.assign(new EventTarget(), list, {
      ...{ addListener: nothing, removeListener: nothing },
    });
  });
  const { requests } = fakeServer({
    "GET /api/subscription": () => ({ body: givenSubscription(fields) }),
    "GET /api/plans/list": () => ({ body: [essential, team] }),
    "GET /api/invoices/all": ({ call }) => ({
      body: {
        invoices: /searchParam=\w/.test(call) && !finds ? [] : invoices,
        ...{ count, hasMore: false },
      },
    }),
    "GET /api/companies/7": () => ({ body: { id: 7, name: "Padaria Estrela" } }),
  });
  const steps = memorySteps(`/financeiro${at}`);
  renderOnCache(
    <Router steps={steps}>
      <Suspense fallback={null}>
        <FinanceiroPage />
      </Suspense>
    </Router>,
  );
  return { requests, address: () => steps.current().search };
}

const rowOf = async (id: number): Promise<HTMLElement> => {
  const row = (await screen.findByText(String(id))).closest("tr");
  if (!row) throw new Error(`no row of ${id}`);
  return row;
};

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: NOW });
  startSession(givenToken("t", 3_600), givenUser({ company: { dueDate: ENDED } }));
});
afterEach(() => {
  cleanup();
  endSession("logout");
  vi.useRealTimers();
  vi.restoreAllMocks();
});

test.each([
  [{ months: 1 }, "Plano Equipe, novembro de 2026"],
  [{ months: 1, detail: "Plano Ouro" }, "Plano Ouro, novembro de 2026"],
  [{ months: 3 }, "Plano Equipe, 3 meses até fevereiro de 2027"],
  // A late payment counts from its own day on.
  [
    { months: 12, paidAt: "2026-12-01T12:00:00.000Z" },
    "Plano Equipe, 12 meses até dezembro de 2027",
  ],
] as const)("an invoice (%o) says plan and time: %s", (fields, words) => {
  expect(invoiceWords(i18n.t, givenInvoice(1, fields))).toBe(words);
});

test("a row says its state in words: overdue from the day after the due date on, with a tint", async () => {
  open([
    givenInvoice(1187),
    paid(1121, { dueDate: "2026-10-19T02:59:59.999Z" }),
    givenInvoice(1000, { status: "cancelled", dueDate: "2025-05-19T02:59:59.999Z" }),
  ]);
  const overdue = await rowOf(1187);
  expect(overdue.textContent).toMatch(/Plano Equipe, novembro de 2026R\$\s199,90/);
  expect(overdue.textContent).toMatch(/18\/11\/2026 há 1 dia.*Vencido.*PAGAR/);
  expect(overdue.dataset["tint"]).toBe("bad");
  const settled = await rowOf(1121);
  expect(settled.textContent).toMatch(/18\/10\/2026.*Pago.*PIX em 16\/10, 09:14/);
  expect(settled.textContent).not.toMatch(/há|PAGAR/);
  expect(settled.dataset["tint"]).toBeUndefined();
  expect((await rowOf(1000)).textContent).toMatch(/Cancelada/);
  expect(screen.getAllByRole("button", { name: "PAGAR" })).toHaveLength(1);
});

test.each([
  ["2026-11-20T02:59:59.999Z", "hoje"],
  ["2026-11-21T02:59:59.999Z", "em 1 dia"],
  ["2026-12-20T02:59:59.999Z", "em 30 dias"],
])("an invoice that is due at %s is open, and due %s", async (dueDate, words) => {
  open([givenInvoice(1187, { dueDate })]);
  const row = await rowOf(1187);
  expect(within(row).getAllByText("Em Aberto").length).toBeGreaterThan(0);
  expect(within(row).getByText(words)).toBeTruthy();
  expect(row.dataset["tint"]).toBeUndefined();
});

test("the strip above says the plan, its price, what is used of each limit, and the contact for questions", async () => {
  open([givenInvoice(1187)], { usage: { users: 8, connections: 3, queues: 11 } });
  const strip = await screen.findByRole("region", { name: "Plano" });
  await within(strip).findByText("Equipe");
  expect(strip.textContent).toMatch(/PlanoEquipeR\$\s199,90 por mês, no PIX/);
  expect(strip.textContent).toMatch(/Usuários8 de 102 livres/);
  expect(strip.textContent).toMatch(/Conexões3 de 3limite do plano/);
  expect(strip.textContent).toMatch(/Filas11 de 101 acima do limite/);
  const contact = screen.getByRole("link", { name: "financeiro@conectasul.com.br" });
  expect(contact.getAttribute("href")).toBe("mailto:financeiro@conectasul.com.br");
});

test("several months are priced together", async () => {
  open([givenInvoice(1187)], { months: 3 });
  expect(await screen.findByText(/^R\$\s599,70 a cada 3 meses, no PIX$/)).toBeTruthy();
});

test("a plan without a price has no invoice, and another one can be chosen", async () => {
  open([], { invoice: null, canPay: true, plan: { ...team, value: 0 } });
  expect(await screen.findByText("Seu plano não tem cobrança.")).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: "Mudar de plano" }));
  const plans = await screen.findByRole("region", { name: "Personalizar" });
  expect(await within(plans).findByRole("button", { name: /^Plano Essencial/ })).toBeTruthy();
});

test("a payment that is checked is said at its invoice and above the list, until a person settles it", async () => {
  const unclear = { unclearValue: 9.9 };
  open(
    [
      givenInvoice(1187, unclear),
      givenInvoice(1000, { ...unclear, status: "cancelled" }),
      paid(1121, unclear),
    ],
    { unclearValue: 9.9, invoice: givenInvoice(1187, unclear) },
  );
  expect(await screen.findByText(/^Recebemos R\$\s9,90 de R\$\s199,90\.$/)).toBeTruthy();
  for (const id of [1187, 1000]) {
    const row = await rowOf(id);
    expect(row.textContent).toMatch(/Em conferência/);
    expect(row.dataset["tint"]).toBeUndefined();
  }
  expect((await rowOf(1121)).textContent).toMatch(/Pago/);
});

test("where nothing can be paid, no plan is chosen", async () => {
  open([], { invoice: null, plan: { ...team, value: 0 }, contact: "" });
  expect(await screen.findByText("Nenhuma fatura")).toBeTruthy();
  expect(await screen.findByText("Seu plano não tem cobrança.")).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Mudar de plano" })).toBeNull();
  expect(screen.queryByText(/Dúvidas/)).toBeNull();
});

test("the search comes with 20 invoices and is asked of the server", async () => {
  const { requests, address } = open([givenInvoice(1187), paid(1121)], {}, { count: 20 });
  await userEvent.type(await screen.findByRole("searchbox"), "1121");
  await waitFor(() => expect(address()).toBe("?search=1121"));
  expect(await screen.findByText("Nada encontrado para “1121”")).toBeTruthy();
  expect(requests.at(-1)?.call).toBe("GET /api/invoices/all?searchParam=1121&pageNumber=1");
});

test("fewer invoices have no search", async () => {
  open([givenInvoice(1187), paid(1121)]);
  await rowOf(1187);
  expect(screen.queryByRole("searchbox")).toBeNull();
});

describe("the checkout opens", () => {
  const step = () => screen.findByRole("region", { name: /^(Dados|Personalizar|Revisar|Pagar)$/ });

  test("at the choice of the plan; closing it leads back to the list", async () => {
    const { address } = open([givenInvoice(1187)]);
    await screen.findAllByText("Equipe");
    await userEvent.click(await screen.findByRole("button", { name: "PAGAR" }));
    expect((await step()).getAttribute("aria-label")).toBe("Personalizar");
    expect(address()).toBe("?pay");
    await userEvent.click(screen.getByRole("button", { name: "Fechar" }));
    await waitFor(() => expect(address()).toBe(""));
  });

  test("at the PIX, while one can be paid; to change the plan at the choice of the plan", async () => {
    open([givenInvoice(1187)], { charge: givenCharge() });
    await userEvent.click(await screen.findByRole("button", { name: "Ver PIX" }));
    expect((await step()).getAttribute("aria-label")).toBe("Pagar");
    await userEvent.click(screen.getByRole("button", { name: "Fechar e pagar depois" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    await userEvent.click(screen.getByRole("button", { name: "Mudar de plano" }));
    expect((await step()).getAttribute("aria-label")).toBe("Personalizar");
  });

  test.each([
    ["has ended", givenCharge({ expiresAt: NOW.toISOString() })],
    ["is of another invoice", givenCharge({ invoiceId: givenInvoice(1100).id })],
  ])("a PIX that %s is not offered", async (_why, charge) => {
    open([givenInvoice(1187)], { charge });
    await screen.findAllByText("Equipe");
    expect(await screen.findByRole("button", { name: "PAGAR" })).toBeTruthy();
  });
});

test("a super user reads the invoices of another company, and pays nothing there", async () => {
  const root = givenUser({ super: true, company: { dueDate: ENDED } });
  startSession(givenToken("root", 3_600), root);
  const { requests } = open([givenInvoice(1187), paid(1121)], {}, { at: "?companyId=7" });
  expect(await screen.findByRole("heading", { name: "Faturas de Padaria Estrela" })).toBeTruthy();
  await rowOf(1187);
  expect(requests.map(({ call }) => call)).toContainEqual(
    expect.stringMatching(/^GET \/api\/invoices\/all\?.*companyId=7$/),
  );
  expect(screen.queryByRole("button", { name: /PAGAR|Mudar de plano/ })).toBeNull();
  expect(screen.queryByRole("link", { name: /Recibo/ })).toBeNull();
  const back = screen.getByRole("link", { name: "Empresas" });
  expect(back.getAttribute("href")).toBe("/settings?tab=companies");
});

test("others read their own invoices, whatever company the address names", async () => {
  const { requests } = open([givenInvoice(1187)], {}, { at: "?companyId=7" });
  await rowOf(1187);
  expect(screen.getByRole("button", { name: "PAGAR" })).toBeTruthy();
  expect(requests.map(({ call }) => call)).not.toContainEqual(
    expect.stringMatching(/companyId|companies/),
  );
});

describe("a receipt", () => {
  test("opens in another tab from the row of a paid invoice, and only there", async () => {
    open([givenInvoice(1187), paid(1121)]);
    const link = within(await rowOf(1121)).getByRole("link", { name: /^Recibo da fatura 1121/ });
    expect(link.getAttribute("href")).toBe("/financeiro?receipt=1121");
    expect(link.getAttribute("target")).toBe("_blank");
    expect(within(await rowOf(1187)).queryByRole("link")).toBeNull();
  });

  test("says who paid what, when and to whom, and is printed", async () => {
    const print = vi.fn();
    vi.stubGlobal("print", print);
    open([paid(1121)], {}, { at: "?receipt=1121", finds: true });
    const sheet = await screen.findByRole("article", { name: "Recibo nº 1121" });
    expect(sheet.textContent).toMatch(
      /R\$\s199,90.*Boutique Aurora.*Plano Equipe, novembro de 2026/,
    );
    expect(sheet.textContent).toMatch(/16\/10\/2026, 09:14.*PIX.*Conecta Sul Tecnologia/);
    await userEvent.click(screen.getByRole("button", { name: "Imprimir ou salvar em PDF" }));
    expect(print).toHaveBeenCalledOnce();
    vi.unstubAllGlobals();
  });

  test.each([
    ["that is not paid", [givenInvoice(1187)]],
    ["that is not there", []],
  ])("of an invoice %s is not there", async (_which, invoices) => {
    open(invoices, {}, { at: "?receipt=1187", finds: true });
    expect(await screen.findByText("Não há recibo desta fatura")).toBeTruthy();
  });
});

test("on a phone the open invoice is a card with its button, and the others are a list", async () => {
  open([givenInvoice(1187), paid(1121)], {}, { widthPx: 390 });
  const card = await screen.findByRole("region", { name: "Plano Equipe, novembro de 2026" });
  expect(card.textContent).toMatch(/Vencido.*R\$\s199,90.*há 1 dia/);
  expect(within(card).getByRole("button", { name: "PAGAR" })).toBeTruthy();
  expect(screen.getByText("8 de 10 usuários, 3 de 3 conexões, 5 de 10 filas")).toBeTruthy();
  expect(screen.getByRole("heading", { name: "Anteriores" })).toBeTruthy();
  const rows = screen.getAllByRole("row").slice(1);
  expect(rows).toHaveLength(1);
  expect(rows[0]?.textContent).toMatch(/R\$\s199,90Pago$/);
});
