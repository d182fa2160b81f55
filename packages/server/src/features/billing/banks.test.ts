import type {
  BillingSettings,
  Charge,
  Company,
  Plan,
  Subscription,
  UnclearPayment,
} from "@balcao/contract";
import { sql } from "drizzle-orm";
import { beforeAll, expect, test, vi } from "vitest";
import type { Api, TestApp } from "../../testing/app.ts";
import { testApp } from "../../testing/app.ts";
import { newTlsCertificate } from "../../testing/tls-certificate.ts";
import type { AsaasStub, EfiStub } from "./testing/bank-stubs.ts";
import { oldP12, p12 } from "./testing/p12-samples.ts";
import { bankAuthority, startAsaasStub, startEfiStub } from "./testing/bank-stubs.ts";

const payer = {
  ...{ firstName: "Renata Azevedo", address2: "Rua das Flores, 12", city: "Recife" },
  ...{ zipcode: "50030-230", country: "BR" },
};

let app: TestApp;
let provider: Api;
let plan: Plan;
let efi: EfiStub;
let asaas: AsaasStub;
beforeAll(async () => {
  [efi, asaas] = await Promise.all([startEfiStub(), startAsaasStub()]);
  app = await testApp({
    environment: { BALCAO_PUBLIC_URL: "https://balcao.example" },
    bankSettings: { efiUrl: efi.url, asaasUrl: asaas.url, ca: bankAuthority, callMs: 1_000 },
  });
  const company = await app.given.company();
  provider = app.as(await app.given.admin({ company, super: true }));
  plan = (await provider.post<Plan>("/plans", { name: "Equipe", users: 9, value: 199.9 })).body;
});

const save = (more: object) =>
  provider.put<BillingSettings & { code: string; data: unknown }>("/billing/settings", {
    ...{ receiver: "Conecta", city: "Recife", pixKey: "pix@conecta.example", contact: "" },
    ...more,
  });

/** An admin's calls, in a company that is due in ten days. */
async function shop(): Promise<Api> {
  const { id, name } = await app.given.company();
  const dueDate = new Date(Date.now() + 10 * 86_400_000).toISOString();
  await provider.put<Company>(`/companies/${id}`, { planId: plan.id, dueDate });
  return app.as(await app.given.admin({ company: { id, name } }));
}

const subscriptionOf = async (api: Api) => (await api.get<Subscription>("/subscription")).body;

async function wished(api: Api) {
  const { invoice } = await subscriptionOf(api);
  return api.post<Charge & { code: string; data: unknown }>("/subscription", {
    ...{ ...payer, invoiceId: invoice?.id },
  });
}

async function notify(body: object, path = ""): Promise<number> {
  const { notifyUrl } = (await provider.get<BillingSettings>("/billing/settings")).body;
  const key = (notifyUrl ?? "").split("/").at(-1);
  return (await app.anonymous.post(`/subscription/webhook/${key}${path}`, body)).status;
}

const paidUntil = async (api: Api, until: string | null) =>
  vi.waitFor(async () => expect((await subscriptionOf(api)).company.dueDate).toBe(until), 5_000);

test("Efí: a charge is made over mutual TLS, and five notifications at once move the due date once", async () => {
  expect((await save({ bank: "efi", efi: efi.access })).body).toMatchObject({
    bank: "efi",
    efi: { clientId: "id-1", certificateUntil: expect.any(String) },
  });
  expect((await provider.post("/billing/settings/test")).status).toBe(200);
  expect(efi.webhooks).toMatchObject([
    {
      chave: "pix@conecta.example",
      url: expect.stringMatching(/^https:\/\/balcao\.example\/api\/subscription\/webhook\/\w{48}$/),
    },
  ]);
  const api = await shop();
  const before = await subscriptionOf(api);
  const { body: charge } = await wished(api);
  expect(efi.charges.get(charge.txid)).toMatchObject({
    ...{ valor: { original: "199.90" }, solicitacaoPagador: `#Fatura:${charge.invoiceId}` },
  });
  expect(charge.qrcode.qrcode).toMatch(/^000201-loc-/);
  const pix = { pix: [{ txid: charge.txid, endToEndId: "E1", valor: "199.90" }] };
  // Told before it is paid: the bank is asked, and nothing has come in.
  expect(await notify(pix, "/pix")).toBe(200);
  efi.pay(charge.txid);
  const told = await Promise.all(Array.from({ length: 5 }, () => notify(pix, "/pix")));
  expect(told).toEqual([200, 200, 200, 200, 200]);
  await paidUntil(api, before.paidUntil);
  await notify(pix, "/pix");
  await app.idle();
  expect(await subscriptionOf(api)).toMatchObject({ company: { dueDate: before.paidUntil } });
});

test("Efí: a charge whose answer came too late is asked for again by the same txid", async () => {
  await save({ bank: "efi", efi: efi.access });
  const api = await shop();
  efi.isSlow = true;
  const count = efi.charges.size;
  expect(await wished(api)).toMatchObject({ status: 503, body: { code: "ERR_BANK_AWAY" } });
  const again = await wished(api);
  expect(again.status).toBe(200);
  expect(efi.charges.size).toBe(count + 1);
  expect(efi.charges.has(again.body.txid)).toBe(true);
});

test("Efí: money of another value waits for a person; money for another key is not ours", async () => {
  await save({ bank: "efi", efi: efi.access });
  const [less, foreign] = [await shop(), await shop()];
  const [one, two] = [(await wished(less)).body, (await wished(foreign)).body];
  efi.pay(one.txid, "19.99");
  efi.pay(two.txid);
  Object.assign(efi.charges.get(two.txid) ?? {}, { chave: "outra@chave.example" });
  await notify({ pix: [{ txid: one.txid }, { txid: two.txid }] });
  await vi.waitFor(async () => {
    const { body } = await provider.get<{ payments: UnclearPayment[] }>("/billing/payments");
    expect(body.payments).toMatchObject([{ fault: "value", value: 19.99, expected: 199.9 }]);
  }, 5_000);
  expect((await subscriptionOf(foreign)).charge).toMatchObject({ id: two.id, status: "ATIVA" });
});

test("a notification with another key is no address of ours; a strange one with ours changes nothing", async () => {
  await save({ bank: "efi", efi: efi.access });
  const api = await shop();
  const { body: charge } = await wished(api);
  const forged = { pix: [{ txid: charge.txid, valor: "199.90" }] };
  const other = await app.anonymous.post(`/subscription/webhook/${"0".repeat(48)}`, forged);
  expect(other.status).toBe(404);
  for (const body of [forged, { evento: "teste_webhook" }, { payment: { pixQrCodeId: 1 } }]) {
    expect(await notify(body)).toBe(200);
  }
  for (const body of [{ pix: "x" }, [], { payment: 1 }]) expect(await notify(body)).toBe(400);
  await app.idle();
  expect((await subscriptionOf(api)).charge).toMatchObject({ id: charge.id, status: "ATIVA" });
});

test("a notification that never came is made up for by asking", async () => {
  await save({ bank: "efi", efi: efi.access });
  const api = await shop();
  const until = (await subscriptionOf(api)).paidUntil;
  const { body: charge } = await wished(api);
  efi.pay(charge.txid);
  // A minute later, which the notification of another charge does not wait for.
  await app.database.db.acrossCompanies((tx) =>
    tx.query(sql`update charges set asked_at = now() - interval '1 min' where id = ${charge.id}`),
  );
  await notify({ pix: [{ txid: "x" }] });
  await paidUntil(api, until);
});

test("certificates that cannot be used are refused with the reason, and secrets are shown to nobody", async () => {
  const other = newTlsCertificate();
  const pem = (text: string) => Buffer.from(text).toString("base64");
  const refused = async (certificate: string) => {
    const { status, body } = await save({ bank: "efi", efi: { ...efi.access, certificate } });
    return [status, body.code, body.data];
  };
  const unreadable = [400, "ERR_BANK_CERTIFICATE", { reason: "unreadable" }];
  expect(await refused(pem("no certificate"))).toEqual(unreadable);
  expect(await refused(pem(`${other.certificate}-----BEGIN PRIVATE KEY-----`))).toEqual(unreadable);
  const p12File = (certificate: string, passphrase = "segredo") =>
    save({ bank: "efi", efi: { ...efi.access, certificate, passphrase } });
  expect((await p12File(oldP12)).body.data).toEqual({ reason: "old" });
  expect((await p12File(p12, "x")).body.data).toEqual({ reason: "passphrase" });
  expect((await p12File(p12)).body.efi?.certificateUntil).toMatch(/^2126-/);
  // The certificate of another client is refused by the bank alone.
  const strange = { ...efi.access, certificate: pem(other.certificate + other.key) };
  expect((await save({ bank: "efi", efi: strange })).status).toBe(200);
  const answer = await provider.post<{ code: string }>("/billing/settings/test");
  expect(answer.body.code).toBe("ERR_BANK_REFUSED");
  await save({ bank: "efi", efi: { ...efi.access, clientSecret: "wrong" } });
  expect((await provider.post("/billing/settings/test")).body).toMatchObject({
    ...{ code: "ERR_BANK_REFUSED", data: { words: "Invalid or inactive credentials" } },
  });
  const shown = JSON.stringify((await provider.get("/billing/settings")).body);
  expect(shown).not.toMatch(/secret-1|wrong|BEGIN|LS0t/);
  const rows = await app.database.db.acrossCompanies((tx) =>
    tx.query<{ text: string }>(sql`select encode(secrets, 'escape') as text from billing_settings`),
  );
  expect(JSON.stringify(rows)).not.toMatch(/id-1|wrong/);
});

test("Asaas: a code of one use is paid and told of, without certificate or customer", async () => {
  expect(await save({ bank: "asaas" })).toMatchObject({
    body: { code: "ERR_BANK_ACCESS_MISSING" },
  });
  await save({ bank: "asaas", asaas: { apiKey: "wrong" } });
  expect((await provider.post("/billing/settings/test")).body).toMatchObject({
    ...{ code: "ERR_BANK_REFUSED", data: { words: "A chave de API é inválida" } },
  });
  const saved = await save({ bank: "asaas", asaas: { apiKey: asaas.apiKey } });
  expect(saved.body.asaas).toEqual({ keyEnd: "0001", sandbox: false });
  await provider.post("/billing/settings/test");
  await provider.post("/billing/settings/test");
  expect(asaas.webhooks).toHaveLength(1);
  const api = await shop();
  const until = (await subscriptionOf(api)).paidUntil;
  // Two at once, for which that bank makes two codes: both are shown the one that is asked for.
  const [{ body: charge }, { body: other }] = await Promise.all([wished(api), wished(api)]);
  expect(other.qrcode).toEqual(charge.qrcode);
  const code = asaas.codes.find(({ id }) => charge.qrcode.qrcode.endsWith(id));
  expect(code).toMatchObject({ value: 199.9, addressKey: "pix@conecta.example" });
  expect(charge.qrcode.qrcode).toBe(`000201-${code?.id}`);
  asaas.pay(code?.id ?? "", 199.9);
  await notify({ event: "PAYMENT_RECEIVED", payment: { id: "pay_0", pixQrCodeId: code?.id } });
  await paidUntil(api, until);
});
