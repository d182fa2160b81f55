import { beforeEach, expect, test } from "vitest";
import { createGuardedFetch } from "../../platform/http/guarded-fetch.ts";
import { documentIn, formattedDocument } from "./documents.ts";
import { openAsaas } from "./systems/asaas.ts";
import type { BillingAccess, Unblocked } from "./systems/call.ts";
import { openIxc } from "./systems/ixc.ts";
import { openMkAuth } from "./systems/mk-auth.ts";
import {
  asaasKey,
  ixcToken,
  mkAuthKeys,
  mkTitle,
  startAsaas,
  startIxc,
  startMkAuth,
} from "./testing/stubs.ts";

const CPF = "52998224725";
const CNPJ = "11222333000181";

test.each([
  ["529.982.247-25", CPF],
  ["529 982 247/25", CPF],
  [CPF, CPF],
  ["11.222.333/0001-81", CNPJ],
  ["11222333,000181", CNPJ],
  ["529.982.247-24", null],
  ["11.222.333/0001-80", null],
  ["111.111.111-11", null],
  ["00000000000000", null],
  ["5299822472", null],
  ["meu cpf é 52998224725", null],
  ["", null],
])("documents: %s is read as %s", (text, digits) => {
  expect(documentIn(text)).toBe(digits);
});

test("documents are written as they are printed", () => {
  expect([CPF, CNPJ].map(formattedDocument)).toEqual(["529.982.247-25", "11.222.333/0001-81"]);
});

const reach = { fetch: createGuardedFetch({ allowedHosts: ["127.0.0.1:*"] }), callMs: 10_000 };
const [mk, asaas, ixc] = await Promise.all([startMkAuth(), startAsaas(), startIxc()]);
const mkAccess = {
  ...{ url: mk.url, clientId: mkAuthKeys.clientidmkauth },
  clientSecret: mkAuthKeys.clientsecretmkauth,
};
const open = {
  "mk-auth": (by = reach) => openMkAuth(by, mkAccess),
  asaas: (by = reach) => openAsaas(by, { token: asaasKey, url: asaas.url }),
  ixc: (by = reach) => openIxc(by, { url: ixc.url, token: ixcToken }),
};
const stubs = { "mk-auth": mk, asaas, ixc };
const never = new AbortController().signal;
const find = (access: BillingAccess, document = CPF) => access.findBill(document, never);

beforeEach(() => {
  for (const { asked, system } of Object.values(stubs)) {
    asked.length = 0;
    system.fails = undefined;
  }
});

test("MK-Auth: the token, then the customer with the open title that is due first", async () => {
  const later = mkTitle({ titulo: "9", datavenc: "2026-12-20" });
  const paid = mkTitle({ titulo: "1", datavenc: "2026-10-20", status: "pago" });
  const due = mkTitle({ qrcode: "00020126PIX", linhadig: "0339 9", valor: 1234.5 });
  mk.customers.set(CPF, [later, paid, due]);
  expect(await find(open["mk-auth"]())).toEqual({
    name: "Ana Souza",
    bill: {
      ...{ number: "", value: 1234.5, dueDate: "2026-11-20 00:00:00", line: "0339 9" },
      ...{ description: "Internet 500 Mb", pix: "00020126PIX" },
      link: `${mk.url}/boleto/21boleto.php?titulo=4711`,
    },
    unblock: null,
  });
  expect(mk.calls()).toEqual(["GET /api/", `GET /api/cliente/show/${CPF}`]);
  expect(await find(open["mk-auth"](), CNPJ)).toBeNull();

  mk.customers.set(CNPJ, mkTitle({ bloqueado: "sim", status: "pago", uuid_cliente: "a/b" }));
  const blocked = await find(open["mk-auth"](), CNPJ);
  expect(blocked).toMatchObject({ bill: null });
  expect(await blocked?.unblock?.(never)).toMatchObject({ isDone: true });
  expect(mk.calls().at(-1)).toBe("GET /api/cliente/desbloqueio/a%2Fb");
});

test("Asaas: what is overdue comes before what is pending, the earliest first, with PIX and bar code where it has them", async () => {
  const payment = (id: string, status: string, dueDate: string) => ({
    ...{ id, status, dueDate, customer: "cus_1", value: 99.9, invoiceNumber: `F${id}` },
    ...{ description: null, invoiceUrl: `https://www.asaas.com/i/${id}` },
  });
  asaas.data.customers.set(CPF, [
    { id: "cus_0", name: "Antiga", deleted: true },
    { id: "cus_1", name: "Ana Souza" },
  ]);
  asaas.data.payments = [payment("p3", "PENDING", "2026-12-20")];
  expect((await find(open.asaas()))?.bill).toMatchObject({ number: "Fp3", pix: "", line: "" });
  asaas.data.payments.push(payment("p2", "OVERDUE", "2026-11-20"));
  asaas.data.payments.push(payment("p1", "OVERDUE", "2026-10-20"));
  asaas.data.pix.set("p1", "00020126ASAAS");
  asaas.data.lines.set("p1", "00190000090");
  expect(await find(open.asaas())).toEqual({
    name: "Ana Souza",
    bill: {
      ...{ number: "Fp1", value: 99.9, dueDate: "2026-10-20", description: "" },
      ...{ link: "https://www.asaas.com/i/p1", line: "00190000090", pix: "00020126ASAAS" },
    },
    unblock: null,
  });
  expect(await find(open.asaas(), CNPJ)).toBeNull();
});

test("IXC: lists by a GET with a body; a bill is printed before its line is read", async () => {
  ixc.tables.cliente = [{ id: "7", razao: "Ana Souza", cnpj_cpf: "529.982.247-25" }];
  const bill = (id: string, fields: object) => ({
    ...{ id, id_cliente: "7", status: "A", valor: "1234.50", linha_digitavel: "" },
    ...{ impresso: "N", ...fields },
  });
  ixc.tables.fn_areceber = [
    bill("31", { data_vencimento: "2026-12-20" }),
    bill("30", { data_vencimento: "2026-11-20" }),
    bill("29", { data_vencimento: "2026-10-20", status: "R" }),
  ];
  ixc.acts.get_boleto = ({ boletos }) => {
    const printed = { linha_digitavel: "0339 9", impresso: "S" };
    ixc.tables.fn_areceber.find(({ id }) => id === boletos)!["linha_digitavel"] =
      printed.linha_digitavel;
    return {};
  };
  ixc.acts.get_pix = ({ id_areceber: id }) => ({ pix: { qrCode: { qrcode: `PIX${String(id)}` } } });
  const found = await find(open.ixc());
  expect(found).toEqual({
    name: "Ana Souza",
    bill: {
      ...{ number: "30", value: 1234.5, dueDate: "2026-11-20", description: "", link: "" },
      ...{ line: "0339 9", pix: "PIX30" },
    },
    unblock: null,
  });
  expect(ixc.calls()).toEqual(
    ["cliente", "fn_areceber", "get_boleto", "fn_areceber", "get_pix"].map(
      (name) => `GET /webservice/v1/${name}`,
    ),
  );
  ixc.acts.get_pix = () => ({ type: "error", message: "sem PIX" });
  expect((await find(open.ixc()))?.bill).toMatchObject({ number: "30", pix: "" });
  expect(await find(open.ixc(), CNPJ)).toBeNull();
});

test.each<[string, object[], unknown, boolean | undefined, Unblocked | undefined]>([
  [
    "a blocked contract is opened, also where another one ended",
    [
      { id: "1", status: "I", status_internet: "D" },
      { id: "2", status: "A", status_internet: "CA" },
    ],
    { tipo: "sucesso", mensagem: "Liberado" },
    false,
    { isDone: true, isOnline: false },
  ],
  [
    "one that is open already counts as opened",
    [{ id: "2", status: "A", status_internet: "FA" }],
    { tipo: "erro", codigo: "107", mensagem: "Já liberado" },
    undefined,
    { isDone: true, isOnline: null },
  ],
  [
    "a refusal has the system's words",
    [{ id: "2", status: "A", status_internet: "CM" }],
    { tipo: "erro", mensagem: "Limite de liberações atingido" },
    true,
    { isDone: false, words: "Limite de liberações atingido" },
  ],
  ["nothing is blocked", [{ id: "2", status: "A", status_internet: "A" }], {}, true, undefined],
])("IXC, on trust: %s", async (_what, contracts, answer, isOnline, expected) => {
  ixc.tables.cliente = [{ id: "7", razao: "Ana Souza", cnpj_cpf: "529.982.247-25" }];
  ixc.tables.cliente_contrato = contracts.map((one) => ({ ...one, id_cliente: "7" }));
  ixc.tables.radusuarios =
    isOnline === undefined ? [] : [{ id: "1", id_contrato: "2", online: isOnline ? "S" : "N" }];
  const asked: unknown[] = [];
  ixc.acts.desbloqueio_confianca = (body) => {
    asked.push(body);
    return answer;
  };
  const found = await open.ixc().findBlocked?.(CPF, never);
  expect(await found?.unblock?.(never)).toEqual(expected);
  expect(asked).toEqual(expected === undefined ? [] : [{ id: "2" }]);
});

const failures = [
  ["never answers", null, { fault: "no-answer", status: null }],
  ["refuses the access data", { status: 401 }, { fault: "refused", status: 401 }],
  ["is out of order", { status: 500, body: "oops" }, { fault: "status", status: 500 }],
  ["leads elsewhere", { status: 302 }, { fault: "status", status: 302 }],
  ["answers a page", { body: "<html>Entrar</html>" }, { fault: "answer", status: null }],
  ["answers 10 MB", { body: "1".repeat(10_000_000) }, { fault: "too-large", status: null }],
] as const;

test.each(
  (["mk-auth", "asaas", "ixc"] as const).flatMap((system) =>
    failures.map(([what, fails, expected]) => ({ system, what, fails, expected })),
  ),
)(
  "$system $what: its failure says nothing of the customer",
  async ({ system, fails, expected }) => {
    stubs[system].system.fails = fails;
    const access = open[system](fails === null ? { ...reach, callMs: 40 } : reach);
    for (const ask of [() => find(access), () => access.check(never)]) {
      const error: unknown = await ask().catch((reason: unknown) => reason);
      expect(error).toMatchObject({ name: "SystemFailed", ...expected });
      expect(`${JSON.stringify(error)} ${String(error)}`).not.toMatch(/529|Entrar|segredo/);
    }
  },
);

test.each(["mk-auth", "asaas", "ixc"] as const)("%s takes its access data", async (system) => {
  expect(await open[system]().check(never)).toBeUndefined();
});
