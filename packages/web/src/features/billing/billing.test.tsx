import type { BillingSettings, OpenCharge, UnclearPayment } from "@balcao/contract";
import { openCharge, unclearPayment } from "@balcao/contract";
import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { Suspense } from "react";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { endSession, startSession } from "../../api/session-store.ts";
import { Router } from "../../router/index.tsx";
import { fakeServer } from "../../testing/fake-server.ts";
import { givenToken, givenUser } from "../../testing/given.ts";
import { memorySteps } from "../../testing/memory-steps.ts";
import { renderOnCache } from "../messages/testing/render-feature.tsx";
import { BillingPanel } from "./index.ts";

const NOW = new Date("2026-11-19T12:00:00.000Z");
const ago = (minutes: number): string => new Date(NOW.getTime() - minutes * 60_000).toISOString();

const settings: BillingSettings = {
  ...{ bank: "simulated", receiver: "Conecta Sul", city: "Florianopolis", pixKey: "" },
  ...{ contact: "financeiro@conectasul.com.br", efi: null, asaas: null, notifyUrl: null },
};

const givenCharge = (id: number, name: string, fields: Partial<OpenCharge> = {}): OpenCharge =>
  openCharge.parse({
    ...{ id, company: { id: id + 10, name }, invoiceId: 1_187, detail: "Equipe", value: 199.9 },
    ...{ bank: "by-hand", txid: `t${id}`, createdAt: ago(40), expiresAt: null },
    ...{ saidPaidAt: null, ...fields },
  });

const givenPayment = (fields: Partial<UnclearPayment> = {}): UnclearPayment =>
  unclearPayment.parse({
    ...{ id: 9, company: { id: 6, name: "Padaria Central" }, invoiceId: 1_100, detail: "Equipe" },
    ...{ value: 99.9, expected: 199.9, fault: "value", receivedAt: ago(180), ...fields },
  });

const refused = (code: string, data?: unknown) => ({
  status: 400,
  body: { error: code, code, data },
});
type Handlers = Parameters<typeof fakeServer>[0];
type Given = {
  settings?: Partial<BillingSettings>;
  charges?: OpenCharge[];
  payments?: UnclearPayment[];
};

function open(given: Given = {}, more: Handlers = {}) {
  const lists = { charges: given.charges ?? [], payments: given.payments ?? [] };
  const { requests } = fakeServer({
    "GET /api/billing/settings": () => ({ body: { ...settings, ...given.settings } }),
    "PUT /api/billing/settings": ({ body }) => ({
      body: { ...settings, ...given.settings, ...(body as object) },
    }),
    "GET /api/billing/charges": () => ({
      body: { charges: lists.charges, count: lists.charges.length, hasMore: false },
    }),
    "GET /api/billing/payments": () => ({
      body: { payments: lists.payments, count: lists.payments.length, hasMore: false },
    }),
    ...more,
  });
  renderOnCache(
    <Router steps={memorySteps("/settings?tab=billing")}>
      <Suspense fallback={null}>
        <BillingPanel />
      </Suspense>
    </Router>,
  );
  const sent = (call: string): unknown[] =>
    requests.filter((one) => one.call === call).map(({ body }) => body);
  return { sent, lists };
}

const save = () => userEvent.click(screen.getByRole("button", { name: "Salvar" }));
const dialog = async (name: string) => within(await screen.findByRole("dialog", { name }));

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: NOW });
  startSession(givenToken("t", 3_600), givenUser({ super: true }));
});
afterEach(() => {
  cleanup();
  endSession("logout");
  vi.useRealTimers();
});

describe("how companies pay", () => {
  test("is changed together; PIX by hand needs a key, and a contact a valid address", async () => {
    const { sent } = open();
    const bank = await screen.findByLabelText("Banco");
    expect(screen.getByLabelText<HTMLInputElement>("Quem recebe").value).toBe("Conecta Sul");
    await userEvent.selectOptions(bank, "PIX na mão");
    const contact = screen.getByLabelText("E-mail para dúvidas");
    await userEvent.clear(contact);
    await userEvent.type(contact, "financeiro");
    await save();
    expect(await screen.findByText("Informe a chave PIX")).toBeTruthy();
    expect(screen.getByText("E-mail inválido")).toBeTruthy();
    expect(document.activeElement).toBe(screen.getByLabelText("Chave PIX"));
    await userEvent.type(screen.getByLabelText("Chave PIX"), " 48999990000 ");
    await userEvent.clear(contact);
    await save();
    expect(await screen.findByText("Configurações salvas")).toBeTruthy();
    expect(sent("PUT /api/billing/settings")).toEqual([
      {
        ...{ bank: "by-hand", receiver: "Conecta Sul", city: "Florianopolis" },
        ...{ pixKey: "48999990000", contact: "" },
      },
    ]);
  });

  test("the server's word on the key stands at its field", async () => {
    open({}, { "PUT /api/billing/settings": () => refused("ERR_PIX_KEY_MISSING") });
    await screen.findByLabelText("Banco");
    await save();
    expect(await screen.findByText("Informe a chave PIX")).toBeTruthy();
    expect(screen.queryByRole("alert")).toBeNull();
  });

  test("a bank with an API needs its credentials as a whole; what is wrong with the certificate stands at it", async () => {
    const { sent } = open(
      {},
      {
        "PUT /api/billing/settings": () =>
          refused("ERR_BANK_CERTIFICATE", { reason: "passphrase" }),
      },
    );
    await userEvent.selectOptions(await screen.findByLabelText("Banco"), "Efí");
    await save();
    expect(await screen.findAllByText("Obrigatório")).toHaveLength(3);
    expect(sent("PUT /api/billing/settings")).toEqual([]);
    await userEvent.type(screen.getByLabelText("Client ID"), "id-1");
    await userEvent.type(screen.getByLabelText("Client Secret"), "secret-1");
    const file = new File([new Uint8Array([1, 2, 3])], "banco.p12");
    await userEvent.upload(screen.getByLabelText("Escolher o certificado"), file);
    await save();
    expect(await screen.findByText("A senha do certificado não está correta.")).toBeTruthy();
    expect(sent("PUT /api/billing/settings")[0]).toMatchObject({
      bank: "efi",
      efi: {
        ...{ clientId: "id-1", clientSecret: "secret-1", certificate: "AQID" },
        ...{ passphrase: "", sandbox: false },
      },
    });
  });

  test("stored credentials are not shown, stay when they are not given, and can be tested", async () => {
    const answers = [refused("ERR_BANK_REFUSED", { words: "chave inválida" })];
    const { sent } = open(
      { settings: { bank: "asaas", asaas: { keyEnd: "x9f2", sandbox: true } } },
      {
        "POST /api/billing/settings/test": () =>
          answers.shift() ?? { body: { notifyUrl: "https://balcao.example/pix" } },
      },
    );
    expect(
      await screen.findByText(
        /^Acesso guardado: chave terminada em x9f2, ambiente de testes do banco/,
      ),
    ).toBeTruthy();
    expect(screen.queryByLabelText("Chave da API")).toBeNull();
    const testIt = () => userEvent.click(screen.getByRole("button", { name: "Testar o acesso" }));
    await testIt();
    expect(await screen.findByText("O banco recusou: chave inválida")).toBeTruthy();
    await testIt();
    expect(await screen.findByText(/^O banco aceitou o acesso e avisa/)).toBeTruthy();
    await save();
    await waitFor(() => expect(sent("PUT /api/billing/settings")).toHaveLength(1));
    expect(sent("PUT /api/billing/settings")[0]).not.toHaveProperty("asaas");
    await userEvent.click(screen.getByRole("button", { name: "Trocar o acesso" }));
    await userEvent.type(screen.getByLabelText("Chave da API"), "nova");
    await save();
    await waitFor(() => expect(sent("PUT /api/billing/settings")).toHaveLength(2));
    expect(sent("PUT /api/billing/settings")[1]).toMatchObject({
      asaas: { apiKey: "nova", sandbox: false },
    });
  });
});

describe("an open charge", () => {
  test("says who owes what since when, and who says that it is paid", async () => {
    open({
      charges: [
        givenCharge(1, "Pet Shop", { saidPaidAt: ago(10) }),
        givenCharge(2, "Ótica", { createdAt: ago(60 * 5) }),
        givenCharge(3, "Farmácia", { bank: "simulated", expiresAt: ago(1) }),
      ],
    });
    const rows = (await screen.findAllByRole("row")).map(({ textContent }) => textContent);
    expect(rows[1]).toMatch(/Pet ShopEquipe, nº 1187R\$\s199,90há 40 mindiz que pagou há 10 min/);
    expect(rows[2]).toMatch(/Ótica.*há 5 hAguardandoConfirmar pagamento/);
    expect(rows[3]).toMatch(/Farmácia.*ExpiradaPagar/);
  });

  test("is confirmed with the value that arrived, which is the charge's until it is changed", async () => {
    const { sent, lists } = open(
      { charges: [givenCharge(1, "Pet Shop")] },
      {
        "POST /api/billing/charges/1/pay": () => {
          lists.charges = [];
          return { status: 204 };
        },
      },
    );
    const confirm = () => screen.findByRole("button", { name: "Confirmar pagamento de Pet Shop" });
    await userEvent.click(await confirm());
    const question = await dialog("Confirmar o pagamento de Pet Shop?");
    const value = question.getByLabelText<HTMLInputElement>("Valor recebido");
    expect(value.value).toBe("199,90");
    await userEvent.clear(value);
    await userEvent.type(value, "0");
    await userEvent.click(question.getByRole("button", { name: "Confirmar pagamento" }));
    expect(question.getByText("Informe um valor como 199,90")).toBeTruthy();
    await userEvent.clear(value);
    await userEvent.type(value, "1.099,9");
    await userEvent.click(question.getByRole("button", { name: "Confirmar pagamento" }));
    expect(await screen.findByText("Pagamento registrado")).toBeTruthy();
    expect(sent("POST /api/billing/charges/1/pay")).toEqual([{ value: 1_099.9 }]);
    expect(await screen.findByText("Nenhuma cobrança em aberto")).toBeTruthy();
  });

  test("of the test bank is paid there; one that is not open any more says so and leaves the list", async () => {
    const { lists } = open(
      { charges: [givenCharge(2, "Ótica", { bank: "simulated" })] },
      {
        "POST /api/billing/charges/2/pay": () => {
          lists.charges = [];
          return { ...refused("ERR_NO_CHARGE_FOUND"), status: 404 };
        },
      },
    );
    await userEvent.click(await screen.findByRole("button", { name: "Pagar a cobrança de Ótica" }));
    const question = await dialog("Pagar a cobrança de Ótica?");
    await userEvent.click(question.getByRole("button", { name: "Pagar" }));
    expect(await question.findByText("Esta cobrança não está mais em aberto.")).toBeTruthy();
    await waitFor(() => expect(screen.queryByText("Equipe, nº 1187")).toBeNull());
  });
});

describe("an unclear payment", () => {
  test("says what came in of what, and why a person has to look", async () => {
    open({
      payments: [
        givenPayment(),
        givenPayment({ id: 8 as UnclearPayment["id"], fault: "cancelled", value: 199.9 }),
        givenPayment({ id: 7 as UnclearPayment["id"], fault: "again", value: 199.9 }),
      ],
    });
    const rows = (await screen.findAllByRole("row")).map(({ textContent }) => textContent);
    expect(rows[1]).toMatch(
      /Padaria CentralEquipe, nº 1100R\$\s99,90 de R\$\s199,90Valor diferenteHoje, 06:00/,
    );
    expect(rows[2]).toMatch(/A fatura foi cancelada/);
    expect(rows[3]).toMatch(/A fatura já estava paga/);
  });

  test.each([
    ["Aceitar o pagamento de Padaria Central", /^Aceitar R\$\s99,90/, "Aceitar", "accepted"],
    ["Pagamento de Padaria Central devolvido", /foram devolvidos a/, "Devolvido", "returned"],
  ] as const)("(%s) is settled after a question", async (button, title, confirm, as) => {
    const { sent } = open(
      { payments: [givenPayment()] },
      { "POST /api/billing/payments/9/settle": () => ({ status: 204 }) },
    );
    await userEvent.click(await screen.findByRole("button", { name: button }));
    const question = within(await screen.findByRole("dialog", { name: title }));
    expect(sent("POST /api/billing/payments/9/settle")).toEqual([]);
    await userEvent.click(question.getByRole("button", { name: confirm }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(sent("POST /api/billing/payments/9/settle")).toEqual([{ as }]);
  });

  test("that somebody else has settled says so", async () => {
    open(
      { payments: [givenPayment()] },
      {
        "POST /api/billing/payments/9/settle": () => ({
          ...refused("ERR_NO_PAYMENT_FOUND"),
          status: 404,
        }),
      },
    );
    await userEvent.click(
      await screen.findByRole("button", { name: "Aceitar o pagamento de Padaria Central" }),
    );
    const question = within(await screen.findByRole("dialog"));
    await userEvent.click(question.getByRole("button", { name: "Aceitar" }));
    expect(await question.findByText("Este pagamento já foi conferido.")).toBeTruthy();
  });
});
