import type { Charge, Plan, Subscription } from "@balcao/contract";
import { act, cleanup, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { Suspense } from "react";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { currentSession, endSession, startSession } from "../../api/session-store.ts";
import { Router } from "../../router/index.tsx";
import { fakeServer } from "../../testing/fake-server.ts";
import { givenToken, givenUser } from "../../testing/given.ts";
import { memorySteps } from "../../testing/memory-steps.ts";
import { sockets } from "../../testing/sockets.ts";
import { LiveSession, useStoredSession } from "../auth/index.ts";
import { renderOnCache } from "../messages/testing/render-feature.tsx";
import { FinanceiroPage } from "./financeiro-page.tsx";
import {
  ENDED,
  essential,
  givenCharge,
  givenInvoice,
  givenPaid,
  givenSubscription,
  NOW,
  PAID_UNTIL,
  team,
} from "./testing/given-subscription.ts";

vi.mock("../../realtime/socket.ts", () => import("../../testing/sockets.ts"));

const refused = (code: string) => ({ status: 400, body: { error: code, code } });
type Handlers = Parameters<typeof fakeServer>[0];

/** The present answer of the server. */
let current: Subscription;
const user = userEvent.setup({ advanceTimers: (ms) => void vi.advanceTimersByTime(ms) });

function open(fields: Partial<Subscription> = {}, more: Handlers = {}, at = "/financeiro?pay") {
  current = givenSubscription(fields);
  const { requests } = fakeServer({
    "GET /api/subscription": () => ({ body: current }),
    "GET /api/plans/list": () => ({ body: [essential, team] }),
    "GET /api/invoices/all": () => ({ body: { invoices: [], count: 0, hasMore: false } }),
    "POST /api/subscription": () => ({ body: started({}) }),
    ...more,
  });
  const steps = memorySteps(at);
  function Screen() {
    const session = useStoredSession();
    return (
      <Router steps={steps}>
        {session ? <LiveSession session={session} /> : null}
        <Suspense fallback={null}>
          <FinanceiroPage />
        </Suspense>
      </Router>
    );
  }
  renderOnCache(<Screen />);
  const sent = (): unknown[] =>
    requests.filter(({ call }) => call === "POST /api/subscription").map(({ body }) => body);
  const asked = (): number =>
    requests.filter(({ call }) => call === "GET /api/subscription").length;
  return { sent, asked, address: () => steps.current().pathname };
}

/** The server makes a charge, which the subscription has from then on. */
function started(fields: Partial<Charge>): Charge {
  const charge = givenCharge(fields);
  current = { ...current, charge };
  return charge;
}

const button = (name: string | RegExp) => screen.findByRole("button", { name });
const press = async (name: string | RegExp): Promise<void> => user.click(await button(name));
const step = async (name: string) => within(await screen.findByRole("region", { name }));
const field = (name: string) => screen.getByLabelText<HTMLInputElement>(name);

async function passSeconds(seconds: number): Promise<void> {
  await act(() => vi.advanceTimersByTimeAsync(seconds * 1_000));
}

beforeEach(() => {
  vi.useFakeTimers({ shouldAdvanceTime: true, now: NOW });
  startSession(givenToken("t", 3_600), givenUser({ company: { dueDate: ENDED } }));
});
afterEach(() => {
  cleanup();
  endSession("logout");
  vi.useRealTimers();
  vi.restoreAllMocks();
});

test("a chosen plan leads to the review, and its PIX is asked for with all fields of the form", async () => {
  const { sent } = open();
  await step("Personalizar");
  await press(/^Plano Essencial/);
  const review = await step("Revisar");
  expect(review.getByText(/Renata Almeida/)).toBeTruthy();
  expect(review.getByText("19/12/2026")).toBeTruthy();
  expect(
    review.getByText("Plano Essencial passa a valer quando o pagamento for confirmado."),
  ).toBeTruthy();
  await press(/^Gerar PIX de R\$\s99,90$/);
  await step("Pagar");
  const sentBody = sent()[0] as { plan: string };
  expect(sentBody).toEqual({
    ...{ firstName: "Renata Almeida", lastName: "", address2: "Rua das Flores, 12" },
    ...{ city: "Florianópolis", state: "SC", zipcode: "88010-000", country: "BR" },
    ...{ useAddressForPaymentDetails: false, nameOnCard: "", cardNumber: "", cvv: "" },
    ...{ price: 99.9, users: 3, connections: 1, invoiceId: 1187 },
    plan: expect.any(String),
  });
  expect(JSON.parse(sentBody.plan)).toEqual({
    ...{ title: "Essencial", planId: 1, price: 99.9, users: 3, connections: 1, queues: 4 },
  });
  expect(
    await screen.findByText(
      "Assinatura realizada com sucesso!, aguardando a realização do pagamento",
    ),
  ).toBeTruthy();
});

test("plans are priced for the months of the invoice; the company's own is among them though it is not offered", async () => {
  open({ months: 3, plan: { ...team, id: 9 as typeof team.id, name: "Antigo", value: 50 } });
  const plans = await step("Personalizar");
  await plans.findByRole("button", { name: /^Plano Essencial/ });
  expect(plans.getAllByRole("button").map(({ textContent }) => textContent)).toEqual([
    expect.stringMatching(/^Plano AntigoPlano atualR\$\s150,00 a cada 3 meses/),
    expect.stringMatching(/^Plano EssencialR\$\s299,70 a cada 3 meses/),
    expect.stringMatching(/^Plano EquipeR\$\s599,70 a cada 3 meses/),
    "Voltar",
  ]);
});

test("over a limit of another plan its row says which, and that nothing is deleted", async () => {
  open();
  const plans = await step("Personalizar");
  const smaller = await plans.findByRole("button", { name: /^Plano Essencial/ });
  expect(smaller.textContent).toMatch(
    /Ficam 8 usuários; novos só abaixo do limite de 3\.Ficam 3 conexões.*Nada é excluído\.$/,
  );
  expect(plans.getByRole("button", { name: /^Plano Equipe/ }).textContent).not.toMatch(/Ficam/);
});

test("unknown data are asked for before the PIX, with the texts of the specification", async () => {
  const { sent } = open({ payer: null });
  await step("Personalizar");
  expect(screen.queryByRole("button", { name: "Dados" })).toBeNull();
  await press(/^Plano Equipe/);
  await press("Preencher os dados");
  await step("Dados");
  await user.selectOptions(field("País"), "");
  await press("Continuar");
  for (const missing of [
    "O nome completo é obrigatório",
    "O Endereço é obrigatório",
    "Cidade é obrigatória",
    "CEP é obrigatório",
    "País é obrigatório",
  ]) {
    expect(await screen.findByText(missing)).toBeTruthy();
  }
  expect(document.activeElement).toBe(field("Nome completo"));
  await user.type(field("Nome completo"), " Loja Um ");
  await user.type(field("Endereço"), "Rua 1");
  await user.type(field("Cidade"), "Recife");
  await user.type(field("CEP"), "50000-000");
  await user.selectOptions(field("País"), "usa");
  await press("Continuar");
  await step("Revisar");
  await press(/^Gerar PIX/);
  await waitFor(() => expect(sent()).toHaveLength(1));
  expect(sent()[0]).toMatchObject({ firstName: "Loja Um", state: "", country: "usa" });
});

test("known data are ticked and prefilled; a ticked step is a button", async () => {
  open();
  await step("Personalizar");
  await press("Dados");
  await step("Dados");
  expect(field("Nome completo").value).toBe("Renata Almeida");
  expect(screen.queryByRole("button", { name: "Revisar" })).toBeNull();
  expect(screen.getByText("Passo 1 de 4, Dados")).toBeTruthy();
});

test("a plan that costs nothing is changed for one that does: the choice makes the invoice, the payment the plan", async () => {
  const free = { ...team, id: 9 as Plan["id"], name: "Grátis", value: 0 };
  const { sent } = open(
    { invoice: null, canPay: true, plan: free, charge: null },
    {
      "POST /api/subscription": () => {
        const invoice = givenInvoice(1187, { detail: "Essencial" });
        current = { ...current, invoice };
        return { body: started({}) };
      },
    },
  );
  expect(screen.queryByText(/fatura nº/)).toBeNull();
  await press(/^Plano Essencial/);
  await press(/^Gerar PIX de R\$\s99,90/);
  expect(await (await step("Pagar")).findByText("Aguardando o pagamento")).toBeTruthy();
  expect(sent()[0]).not.toHaveProperty("invoiceId");
  await passSeconds(5);
  expect(screen.queryByText("Pagamento confirmado.")).toBeNull();
  current = { ...current, plan: essential };
  await passSeconds(5);
  expect(await screen.findByText("Pagamento confirmado.")).toBeTruthy();
});

test("a refused PIX says why; a bank that does not answer is asked again after 8 s", async () => {
  const answers = [
    refused("ERR_PIX_KEY_MISSING"),
    { status: 503, body: { error: "ERR_BANK_AWAY", code: "ERR_BANK_AWAY" } },
    null,
  ];
  const { sent } = open(
    {},
    {
      "POST /api/subscription": () => answers.shift() ?? { body: started({}) },
    },
  );
  await press(/^Plano Equipe/);
  await press(/^Gerar PIX/);
  expect(
    await screen.findByText("O recebimento por PIX ainda não foi configurado. Fale com o suporte."),
  ).toBeTruthy();
  await press(/^Gerar PIX/);
  expect(await screen.findByText("O banco não respondeu. Tentando de novo em 8 s.")).toBeTruthy();
  expect(sent()).toHaveLength(2);
  await passSeconds(9);
  await step("Pagar");
  expect(sent()).toHaveLength(3);
});

describe("the PIX", () => {
  test("shows value, receiver and code, which is copied; the button says so for 2 s", async () => {
    const writeText = vi.fn(() => Promise.resolve());
    open({ charge: givenCharge() });
    vi.spyOn(navigator, "clipboard", "get").mockReturnValue({
      writeText,
    } as unknown as Clipboard);
    const pix = await step("Pagar");
    expect(pix.getByText(/^R\$\s199,90$/)).toBeTruthy();
    expect(pix.getByText("Conecta Sul Tecnologia")).toBeTruthy();
    expect(pix.getByText("19/12/2026")).toBeTruthy();
    expect(pix.getByRole("img", { name: "QR code do PIX" })).toBeTruthy();
    await press("Copiar");
    expect(writeText).toHaveBeenCalledWith("00020101021226630014br.gov.bcb.pix");
    expect(await button("Copiado")).toBeTruthy();
    expect(pix.getByText("Código PIX copiado")).toBeTruthy();
    await passSeconds(2);
    expect(await button("Copiar")).toBeTruthy();
  });

  test("counts down to its own end, warns in the last 5 min, and then another one is made", async () => {
    const { sent } = open(
      { charge: givenCharge({ expiresAt: "2026-11-19T12:05:03.000Z" }) },
      { "POST /api/subscription": () => ({ body: started({ id: 6 as Charge["id"] }) }) },
    );
    const counter = await screen.findByRole("timer");
    expect(counter.textContent).toMatch(/Vale por mais 05:0\d/);
    expect(counter.dataset["soon"]).toBeUndefined();
    await passSeconds(5);
    expect(counter.dataset["soon"]).toBe("true");
    await passSeconds(300);
    expect(counter.textContent).toMatch(/00:00/);
    expect((await screen.findAllByText("Este PIX expirou")).length).toBeGreaterThan(0);
    // The server leaves it out from now on.
    current = { ...current, charge: null };
    await passSeconds(5);
    await press("Gerar outro");
    await waitFor(() => expect(screen.queryByText("Este PIX expirou")).toBeNull());
    expect(sent()[0]).toMatchObject({ invoiceId: 1187, price: 199.9 });
  });

  test("of the test bank says that it pays nothing; only super users get to that bank", async () => {
    open({ charge: givenCharge({ bank: "simulated" }) });
    expect(await screen.findByText("Banco de teste: este código não paga nada.")).toBeTruthy();
    expect(screen.queryByRole("link", { name: "Abrir o banco de teste" })).toBeNull();
    act(() => {
      const root = givenUser({ super: true, company: { dueDate: ENDED } });
      startSession(givenToken("root", 3_600), root);
    });
    const link = await screen.findByRole("link", { name: "Abrir o banco de teste" });
    expect(link.getAttribute("href")).toBe("/settings?tab=billing");
  });

  test("by hand has no end; its payer says that it is paid, which is then checked", async () => {
    const byHand = { bank: "by-hand", expiresAt: null } as const;
    open(
      { charge: givenCharge(byHand) },
      {
        "POST /api/subscription/1187/said-paid": () => ({
          body: started({ ...byHand, saidPaidAt: NOW.toISOString() }),
        }),
      },
    );
    expect(await screen.findByText("Aguardando o pagamento")).toBeTruthy();
    expect(screen.queryByRole("timer")).toBeNull();
    await press("Já paguei");
    expect(await screen.findByText("Em conferência")).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Já paguei" })).toBeNull();
  });

  test("of another value is unclear, and a person checks it", async () => {
    const invoice = givenInvoice(1187, { unclearValue: 99.9 });
    open({ charge: givenCharge(), invoice, unclearValue: 99.9 });
    const pix = await step("Pagar");
    expect(pix.getByText(/^Recebemos R\$\s99,90 de R\$\s199,90\.$/)).toBeTruthy();
    expect(pix.getByText("Nossa equipe vai conferir e avisar por e-mail.")).toBeTruthy();
  });

  test.each([
    ["of another value", { unclearValue: 99.9 }, 99.9, /^Recebemos R\$\s99,90 de R\$\s199,90\.$/],
    ["of an invoice that is over", {}, 199.9, /^Recebemos R\$\s199,90\.$/],
    ["that its payer told", { saidPaid: true }, null, "Em conferência"],
  ] as const)(
    "a payment %s is checked also after the end of its PIX, before another plan or PIX is chosen",
    async (_which, fields, unclearValue, words) => {
      open({ charge: null, invoice: givenInvoice(1187, fields), unclearValue });
      const plans = await step("Personalizar");
      expect(await plans.findByText(words)).toBeTruthy();
      await press(/^Plano Equipe/);
      expect(await (await step("Revisar")).findByText(words)).toBeTruthy();
    },
  );
});

describe("the payment", () => {
  test("is asked for every 5 s; it moves the due date, is said, and leads to the start page after 4 s", async () => {
    const { asked, address } = open({ charge: givenCharge() });
    await step("Pagar");
    const before = asked();
    await passSeconds(11);
    // A busy machine may make one more.
    expect([before + 2, before + 3]).toContain(asked());
    expect(screen.getByText("Aguardando o pagamento")).toBeTruthy();
    current = givenPaid();
    await passSeconds(5);
    expect(await screen.findByText("Pagamento confirmado.")).toBeTruthy();
    expect(screen.getByText("Ativa até 19/12/2026.")).toBeTruthy();
    expect(screen.queryByRole("img", { name: "QR code do PIX" })).toBeNull();
    expect(await screen.findByText("Sua assinatura foi renovada até 19/12/2026")).toBeTruthy();
    expect(currentSession()?.user.company.dueDate).toBe(PAID_UNTIL);
    expect(address()).toBe("/financeiro");
    await passSeconds(4);
    expect(address()).toBe("/tickets");
  });

  test("is not asked for while the page is hidden", async () => {
    const { asked } = open({ charge: givenCharge() });
    await step("Pagar");
    const before = asked();
    vi.spyOn(document, "visibilityState", "get").mockReturnValue("hidden");
    await passSeconds(16);
    expect(asked()).toBe(before);
  });

  test("comes at once with its event", async () => {
    open({ charge: givenCharge() });
    await step("Pagar");
    await waitFor(() => expect(sockets.length).toBeGreaterThan(0));
    const { company } = (current = givenPaid());
    act(() => {
      sockets.at(-1)?.receive("ready");
      sockets.at(-1)?.receive("company-3-payment", {
        ...{ action: "CONCLUIDA", company: { id: 3, status: true, dueDate: company.dueDate } },
      });
    });
    expect(await screen.findByText("Pagamento confirmado.")).toBeTruthy();
  });

  test("by a colleague, while the PIX was asked for, is found instead of a second one", async () => {
    open(
      {},
      {
        "POST /api/subscription": () => {
          current = givenPaid();
          return refused("ERR_INVOICE_PAID");
        },
      },
    );
    await press(/^Plano Equipe/);
    await press(/^Gerar PIX/);
    expect(await screen.findByText("Pagamento confirmado.")).toBeTruthy();
  });
});
