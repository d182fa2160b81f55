import type {
  Charge,
  Company,
  CompanyId,
  OpenCharge,
  Plan,
  ReplyOf,
  Subscription,
  UnclearPayment,
} from "@balcao/contract";
import { sql } from "drizzle-orm";
import { beforeAll, beforeEach, expect, test } from "vitest";
import type { Api, TestApp } from "../../testing/app.ts";
import { testApp } from "../../testing/app.ts";
import type { GivenUser } from "../../testing/given.ts";
import { PASSWORD } from "../../testing/given.ts";
import type { NewMail } from "../mails/index.ts";
import { reconcileAcrossCompanies } from "./invoices.ts";
import { remindAcrossCompanies } from "./payments.ts";
import { crc16, pixCode } from "./pix-code.ts";

const DAY_MS = 86_400_000;
const payer = {
  ...{ firstName: "Renata Azevedo", lastName: "", address2: "Rua das Flores, 12" },
  ...{ city: "Recife", state: "PE", zipcode: "50030-230", country: "BR" },
};

let app: TestApp;
let provider: Api;
let basic: Plan;
let team: Plan;
beforeAll(async () => {
  app = await testApp({ environment: { ROLES: "http" } });
  const company = await app.given.company();
  provider = app.as(await app.given.admin({ company, super: true }));
  const sizes = { users: 5, connections: 3, queues: 5 };
  const plan = async (name: string, value: number) =>
    (await provider.post<Plan>("/plans", { name, ...sizes, value })).body;
  [basic, team] = [await plan("Essencial", 99.9), await plan("Equipe", 199.9)];
});

beforeEach(() => provider.put("/billing/settings", settings()));

const settings = (more: object = {}) => ({
  ...{ bank: "simulated", receiver: "Conecta Sul", city: "Florianópolis", pixKey: "", contact: "" },
  ...more,
});

type Shop = { id: CompanyId; admin: GivenUser; api: Api };

/** A company that is due so many days from now. */
async function shop(days: number | null, more: object = {}): Promise<Shop> {
  const { id, name } = await app.given.company({ dueDate: null });
  const change = { planId: basic.id, dueDate: days === null ? null : day(days), ...more };
  const reply = await provider.put<Company>(`/companies/${id}`, change);
  expect([reply.status, reply.body]).toEqual([200, expect.anything()]);
  const admin = await app.given.admin({ company: { id, name } });
  return { id, admin, api: app.as(admin) };
}

/** A day of São Paulo so many days from now. */
const day = (days: number): string =>
  new Intl.DateTimeFormat("sv-SE", { timeZone: "America/Sao_Paulo" }).format(
    app.clock.now().getTime() + days * DAY_MS,
  );
/** The end of a day of São Paulo, which has no summer time. */
const endOf = (date: string): string =>
  new Date(Date.parse(`${date}T23:59:59.999-03:00`)).toISOString();

const invoicesOf = async (api: Api) =>
  (await api.get<ReplyOf<"GET /invoices/all">>("/invoices/all")).body.invoices;
const subscriptionOf = async (api: Api) => (await api.get<Subscription>("/subscription")).body;
const reconcileAll = () =>
  app.database.db.acrossCompanies((tx) => reconcileAcrossCompanies(tx, "all", app.clock.now()));

async function charged(api: Api, more: object = {}): Promise<Charge> {
  const { invoice } = await subscriptionOf(api);
  const reply = await api.post<Charge>("/subscription", {
    ...{ ...payer, invoiceId: invoice?.id, price: 0.01, cardNumber: "4111111111111111" },
    ...more,
  });
  expect([reply.status, reply.body]).toEqual([200, expect.anything()]);
  return reply.body;
}

const confirm = (charge: Pick<Charge, "id">, value: number) =>
  provider.post(`/billing/charges/${charge.id}/pay`, { value });

const eventsOf = (id: CompanyId) =>
  app.database.db.acrossCompanies((tx) =>
    tx.query<{ action: string; value: number | null; before: Date | null; after: Date | null }>(sql`
      select action, value_cents as value, due_before as before, due_after as after
      from billing_events where company_id = ${id} order by id`),
  );

test("a company has one open invoice for its due date, at the price of its plan and recurrence", async () => {
  const { id, api } = await shop(10);
  expect(await invoicesOf(api)).toMatchObject([
    { detail: "Essencial", value: 99.9, months: 1, status: "open", dueDate: endOf(day(10)) },
  ]);
  await reconcileAll();
  await provider.put(`/companies/${id}`, { dueDate: day(20), recurrence: "TRIMESTRAL" });
  expect(await invoicesOf(api)).toMatchObject([
    { value: 299.7, months: 3, status: "open", dueDate: endOf(day(20)) },
  ]);
  await provider.put(`/plans/${basic.id}`, { ...basic, value: 109.9 });
  expect(await invoicesOf(api)).toMatchObject([{ value: 329.7 }]);
  await provider.put(`/plans/${basic.id}`, basic);
  await provider.put(`/companies/${id}`, { dueDate: null });
  expect(await invoicesOf(api)).toMatchObject([{ status: "cancelled" }]);
  expect((await subscriptionOf(api)).invoice).toBeNull();
});

test("neither the provider nor a plan without a price has an invoice", async () => {
  const free = (await provider.post<Plan>("/plans", { name: "Cortesia", value: 0 })).body;
  const { api } = await shop(-30, { planId: free.id });
  await reconcileAll();
  expect(await invoicesOf(api)).toEqual([]);
  expect(await invoicesOf(provider)).toEqual([]);
});

test("the job looks at every company with two statements, however many there are", async () => {
  await Promise.all(Array.from({ length: 20 }, () => shop(5)));
  app.statements.take();
  await app.app.db.acrossCompanies((tx) => reconcileAcrossCompanies(tx, "all", app.clock.now()));
  expect(app.statements.take()).toHaveLength(2);
});

test("three days late a company stops, once; a later due date lets it work again", async () => {
  const { id, api, admin } = await shop(-2);
  await reconcileAll();
  const stands = async () => {
    const { status, dueDate } = (await subscriptionOf(api)).company;
    return { status, dueDate };
  };
  expect(await stands()).toEqual({ status: true, dueDate: endOf(day(-2)) });
  await provider.put(`/companies/${id}`, { dueDate: day(-4) });
  expect(await stands()).toMatchObject({ status: false });
  // The provider gives it time; the job does not stop it for the same date again.
  await provider.put(`/companies/${id}`, { status: true });
  await reconcileAll();
  expect(await stands()).toMatchObject({ status: true });
  await provider.put(`/companies/${id}`, { dueDate: day(-5) });
  expect(await stands()).toMatchObject({ status: false });
  await provider.put(`/companies/${id}`, { dueDate: day(1) });
  expect(await stands()).toEqual({ status: true, dueDate: endOf(day(1)) });
  expect((await app.as(admin).get("/tickets")).status).toBe(200);
  expect((await eventsOf(id)).map(({ action }) => action)).toEqual([
    ...["due-date", "plan", "invoice-made"],
    ...["due-date", "invoice-changed", "stopped"],
    ...["due-date", "invoice-changed", "stopped"],
    ...["due-date", "invoice-changed", "restored"],
  ]);
});

test("a company that a person has suspended does not work again by a payment", async () => {
  const { id, api } = await shop(2);
  const charge = await charged(api);
  await provider.put(`/companies/${id}`, { status: false, suspensionReason: "Fraude" });
  expect((await confirm(charge, 99.9)).status).toBe(200);
  const { body } = await provider.get<Company>(`/companies/${id}`);
  expect(body).toMatchObject({ status: false });
  expect(body.dueDate).not.toBe(endOf(day(2)));
});

test("an expired company's session reaches its invoices and nothing else; an admin's password gets a token for them", async () => {
  const { id, api, admin } = await shop(-1);
  expect((await api.get("/tickets")).status).toBe(403);
  expect((await api.get("/subscription")).status).toBe(200);
  const agent = await app.given.agent({ company: { id, name: "" } });
  const login = async (email: string) =>
    (
      await app.anonymous.post<{ code: string; data: { date: string; payToken?: string } }>(
        "/auth/login",
        { email, password: PASSWORD },
      )
    ).body;
  const refused = await login(admin.email);
  expect(refused.code).toBe("ERR_SUBSCRIPTION_EXPIRED");
  expect((await login(agent.email)).data.payToken).toBeUndefined();
  const payApi = app.as({ ...admin, token: refused.data.payToken ?? "" });
  const charge = await charged(payApi);
  expect(await confirm(charge, 99.9)).toMatchObject({ status: 200 });
  // It works again, yet the token is for paying alone.
  expect((await payApi.get("/tickets")).status).toBe(403);
  expect((await payApi.get("/subscription")).status).toBe(200);
  expect((await api.get("/tickets")).status).toBe(200);
});

test("paying moves the due date by the recurrence and makes the next invoice; the browser's price is not read", async () => {
  const { id, api, admin } = await shop(5, { recurrence: "BIMESTRAL" });
  const live = await app.live(admin);
  const paid: unknown[] = [];
  live.socket.on(`company-${id}-payment`, (event: unknown) => paid.push(event));
  const charge = await charged(api);
  expect(charge).toMatchObject({
    ...{ status: "ATIVA", valor: { original: "199.80" }, calendario: { expiracao: 3600 } },
    ...{ receiver: "Conecta Sul", solicitacaoPagador: `#Fatura:${charge.invoiceId}` },
  });
  const before = await subscriptionOf(api);
  expect(before).toMatchObject({ charge: { id: charge.id }, payer: { city: "Recife" } });
  await confirm(charge, 199.8);
  await confirm(charge, 199.8);
  const after = await subscriptionOf(api);
  expect(after.company.dueDate).toBe(before.paidUntil);
  expect(after).toMatchObject({ charge: null, invoice: { status: "open", value: 199.8 } });
  expect(await invoicesOf(api)).toMatchObject([
    { status: "open", dueDate: before.paidUntil },
    { status: "paid", id: charge.invoiceId, paidAt: expect.any(String) },
  ]);
  expect((await eventsOf(id)).filter(({ action }) => action === "payment")).toEqual([
    expect.objectContaining({ value: 19_980, after: new Date(before.paidUntil ?? "") }),
  ]);
  await expect.poll(() => paid).toMatchObject([{ company: { dueDate: before.paidUntil } }]);
});

test("a late company pays from today on", async () => {
  const { api } = await shop(-2);
  const charge = await charged(api);
  await confirm(charge, 99.9);
  const { company, paidUntil } = await subscriptionOf(api);
  const [year = 0, month = 0] = day(0).split("-").map(Number);
  const lastOfNext = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const same = Math.min(Number(day(0).slice(8)), lastOfNext);
  const next = new Date(Date.UTC(year, month, same)).toISOString().slice(0, 10);
  expect(company).toMatchObject({ status: true, dueDate: endOf(next) });
  expect(paidUntil).not.toBe(company.dueDate);
});

test("a company is told once that its invoice is due soon, and that it was paid", async () => {
  const { id, name } = await app.given.company({ dueDate: null });
  const change = { planId: basic.id, email: "dona@loja.example", dueDate: day(9) };
  await provider.put(`/companies/${id}`, change);
  const told: NewMail[] = [];
  const remind = async () => {
    await remindAcrossCompanies({
      ...{ db: app.database.db, clock: app.clock, publicUrl: "https://balcao.example" },
      mails: { add: async (_tx, mail) => void told.push(mail) },
    });
    return told.filter(({ companyId }) => companyId === id);
  };
  expect(await remind()).toEqual([]);
  await provider.put(`/companies/${id}`, { dueDate: day(3) });
  await remind();
  expect(await remind()).toMatchObject([
    {
      ...{ kind: "invoice-due", to: { name, address: "dona@loja.example" } },
      data: {
        ...{ plan: "Essencial", valueCents: 9_990, url: "https://balcao.example/financeiro" },
        dueDate: day(3).split("-").toReversed().join("/"),
      },
    },
  ]);
  const api = app.as(await app.given.admin({ company: { id, name } }));
  await confirm(await charged(api), 99.9);
  const stored = await app.database.db.acrossCompanies((tx) =>
    tx.query(sql`select kind, address from mails where company_id = ${id}`),
  );
  expect(stored).toEqual([{ kind: "invoice-paid", address: "dona@loja.example" }]);
});

test("two admins get the same charge; another price or an hour later makes another", async () => {
  const { id, api } = await shop(5);
  const other = app.as(await app.given.admin({ company: { id, name: "" } }));
  const [first, second] = await Promise.all([charged(api), charged(other)]);
  expect(second.txid).toBe(first.txid);
  await provider.put(`/companies/${id}`, { recurrence: "SEMESTRAL" });
  const third = await charged(api);
  expect([third.txid === first.txid, third.valor.original]).toEqual([false, "599.40"]);
  await app.database.db.acrossCompanies((tx) =>
    tx.query(sql`update charges set expires_at = now() - interval '1 s' where id = ${third.id}`),
  );
  expect((await subscriptionOf(api)).charge).toBeNull();
  expect((await charged(api)).txid).not.toBe(third.txid);
});

test("another plan prices the invoice at once and is the company's with the payment", async () => {
  const { id, api } = await shop(5);
  const plan = JSON.stringify({ title: "Equipe", planId: team.id, price: 1 });
  const charge = await charged(api, { plan });
  expect(charge.valor.original).toBe("199.90");
  await reconcileAll();
  expect(await subscriptionOf(api)).toMatchObject({
    ...{ plan: { id: basic.id }, invoice: { detail: "Equipe", value: 199.9 } },
  });
  await confirm(charge, 199.9);
  expect(await subscriptionOf(api)).toMatchObject({ plan: { id: team.id } });
  // The provider's word is stronger than an older choice.
  await charged(api, { plan: basic.id });
  await provider.put(`/companies/${id}`, { planId: team.id });
  await provider.put(`/companies/${id}`, { planId: basic.id });
  expect(await subscriptionOf(api)).toMatchObject({ invoice: { value: 99.9 } });
  const hidden = await provider.post<Plan>("/plans", {
    ...{ name: "Interno", value: 1, useInternal: false },
  });
  const { invoice } = await subscriptionOf(api);
  const refused = await api.post("/subscription", {
    ...{ ...payer, invoiceId: invoice?.id, plan: hidden.body.id },
  });
  expect(refused).toMatchObject({ status: 404, body: { code: "ERR_NO_PLAN_FOUND" } });
});

test("another value, a paid and a cancelled invoice wait for a person, who takes the money or gives it back", async () => {
  const unclear = async () =>
    (await provider.get<{ payments: UnclearPayment[] }>("/billing/payments")).body.payments;
  const { id, api } = await shop(5);
  const charge = await charged(api);
  await confirm(charge, 9.9);
  expect(await subscriptionOf(api)).toMatchObject({ invoice: { unclearValue: 9.9 } });
  const [less] = await unclear();
  expect(less).toMatchObject({
    ...{ fault: "value", value: 9.9, expected: 99.9, company: { id }, detail: "Essencial" },
  });
  const settle = (payment: UnclearPayment | undefined, as: string) =>
    provider.post(`/billing/payments/${payment?.id}/settle`, { as });
  expect((await settle(less, "accepted")).status).toBe(200);
  expect(await settle(less, "returned")).toMatchObject({ body: { code: "ERR_NO_PAYMENT_FOUND" } });
  expect(await invoicesOf(api)).toMatchObject([{ status: "open" }, { status: "paid" }]);

  const next = await charged(api);
  await provider.put(`/companies/${id}`, { dueDate: null });
  await confirm(next, 99.9);
  const [late] = await unclear();
  expect(late).toMatchObject({ fault: "cancelled", value: 99.9 });
  expect(await subscriptionOf(api)).toMatchObject({ invoice: null, unclearValue: 99.9 });
  await settle(late, "returned");
  expect((await subscriptionOf(api)).company.dueDate).toBeNull();
  expect(await unclear()).toEqual([]);
  expect((await eventsOf(id)).map(({ action }) => action).slice(-3)).toEqual([
    ...["invoice-cancelled", "payment-unclear", "payment-returned"],
  ]);
});

test("an unclear payment is told until a person settles it, also when its PIX has ended or another is made", async () => {
  const unclear = async () =>
    (await provider.get<{ payments: UnclearPayment[] }>("/billing/payments")).body.payments;
  const settle = async (as: string) =>
    provider.post(`/billing/payments/${(await unclear())[0]?.id}/settle`, { as });
  const end = (charge: Charge) =>
    app.database.db.acrossCompanies((tx) =>
      tx.query(sql`update charges set expires_at = now() - interval '1 s' where id = ${charge.id}`),
    );
  const { id, api } = await shop(5);
  const told = async () => {
    const { invoice, unclearValue, charge } = await subscriptionOf(api);
    return [charge?.txid ?? null, invoice?.unclearValue, unclearValue];
  };
  const charge = await charged(api);
  await confirm(charge, 9.9);
  await end(charge);
  expect(await told()).toEqual([null, 9.9, 9.9]);
  const next = await charged(api);
  expect(await told()).toEqual([next.txid, 9.9, 9.9]);
  expect(await invoicesOf(api)).toMatchObject([{ status: "open", unclearValue: 9.9 }]);
  await settle("returned");
  expect(await told()).toEqual([next.txid, null, null]);

  // After a cancellation it stands before newer due dates, and is told with the invoice that is open now.
  await provider.put(`/companies/${id}`, { dueDate: null });
  await confirm(next, 99.9);
  await provider.put(`/companies/${id}`, { dueDate: day(40) });
  expect(await invoicesOf(api)).toMatchObject([
    { status: "open", unclearValue: null },
    { status: "cancelled", unclearValue: 99.9, id: next.invoiceId },
  ]);
  expect(await told()).toEqual([null, null, 99.9]);
  await settle("accepted");
  expect(await told()).toEqual([null, null, null]);
});

test("a PIX that its payer says is paid is told as that, also past its end, and never taken for money that was given back", async () => {
  const { api } = await shop(5);
  await provider.put("/billing/settings", settings({ bank: "by-hand", pixKey: "pix@x.example" }));
  const open = async () =>
    (await provider.get<{ charges: OpenCharge[] }>("/billing/charges")).body.charges;
  const charge = await charged(api);
  await api.post(`/subscription/${charge.invoiceId}/said-paid`);
  await provider.put("/billing/settings", settings());
  await app.database.db.acrossCompanies((tx) =>
    tx.query(sql`update charges set expires_at = now() - interval '1 s' where id = ${charge.id}`),
  );
  expect(await subscriptionOf(api)).toMatchObject({ charge: null, invoice: { saidPaid: true } });
  expect(await open()).toContainEqual(expect.objectContaining({ id: charge.id }));
  await confirm(charge, 9.9);
  const { body } = await provider.get<{ payments: UnclearPayment[] }>("/billing/payments");
  await provider.post(`/billing/payments/${body.payments[0]?.id}/settle`, { as: "returned" });
  expect(await subscriptionOf(api)).toMatchObject({
    invoice: { saidPaid: false, unclearValue: null },
  });
  expect(await open()).not.toContainEqual(expect.objectContaining({ id: charge.id }));
  await provider.put("/billing/settings", settings({ bank: "by-hand", pixKey: "pix@x.example" }));
  const next = await charged(api);
  expect(next.txid).not.toBe(charge.txid);
  await confirm(next, 99.9);
  expect(await invoicesOf(api)).toMatchObject([{ status: "open" }, { status: "paid" }]);
});

test("a company whose plan costs nothing chooses one that does: its invoice comes with the choice, the plan with the payment", async () => {
  const free = (await provider.post<Plan>("/plans", { name: "Grátis", value: 0 })).body;
  const { id, api } = await shop(60, { planId: free.id });
  expect(await subscriptionOf(api)).toMatchObject({ invoice: null, canPay: true, stopsAt: null });
  expect(await subscriptionOf(provider)).toMatchObject({ invoice: null, canPay: false });
  expect(await api.post("/subscription", payer)).toMatchObject({ status: 404 });
  const own = await api.post("/subscription", { ...payer, plan: free.id });
  expect(own).toMatchObject({ status: 404, body: { code: "ERR_NO_INVOICE_FOUND" } });

  const wish = (plan: Plan) => charged(api, { invoiceId: undefined, plan: plan.id });
  const [first, same] = await Promise.all([wish(basic), wish(basic)]);
  expect(same.txid).toBe(first.txid);
  const charge = await wish(team);
  expect(charge).toMatchObject({ invoiceId: first.invoiceId, valor: { original: "199.90" } });
  await reconcileAll();
  const before = await subscriptionOf(api);
  expect(before).toMatchObject({
    ...{ plan: { id: free.id }, company: { dueDate: endOf(day(60)) }, stopsAt: null },
    invoice: { detail: "Equipe", dueDate: endOf(day(7)), status: "open" },
  });
  await confirm(charge, 199.9);
  const after = await subscriptionOf(api);
  // The days that were left cost nothing, so the paid ones begin today.
  expect(after).toMatchObject({
    ...{ plan: { id: team.id }, company: { dueDate: before.paidUntil } },
    invoice: { dueDate: before.paidUntil, value: 199.9 },
  });
  expect(Date.parse(before.paidUntil ?? "")).toBeLessThan(Date.parse(endOf(day(32))));
  expect((await eventsOf(id)).map(({ action }) => action).slice(-4)).toEqual([
    ...["invoice-made", "invoice-changed", "payment", "invoice-made"],
  ]);
});

test("a choice that is not paid is over after a week, stops nothing, and can be taken by a person with its plan", async () => {
  const free = (await provider.post<Plan>("/plans", { name: "Livre", value: 0 })).body;
  const { id, api } = await shop(null, { planId: free.id });
  const charge = await charged(api, { invoiceId: undefined, plan: team.id });
  const later = new Date(app.clock.now().getTime() + 8 * DAY_MS);
  await app.database.db.acrossCompanies((tx) =>
    reconcileAcrossCompanies(tx, { companyId: id }, later),
  );
  expect(await subscriptionOf(api)).toMatchObject({
    ...{ invoice: null, company: { status: true, dueDate: null }, plan: { id: free.id } },
  });
  await confirm(charge, 199.9);
  const { body } = await provider.get<{ payments: UnclearPayment[] }>("/billing/payments");
  await provider.post(`/billing/payments/${body.payments[0]?.id}/settle`, { as: "accepted" });
  expect(await subscriptionOf(api)).toMatchObject({
    ...{ plan: { id: team.id }, invoice: { detail: "Equipe" }, unclearValue: null },
  });
});

test("super users read the invoices of any company; what others name is ignored", async () => {
  const [mine, others] = [await shop(5), await shop(6)];
  const asked = `/invoices/all?companyId=${others.id}`;
  const read = async (api: Api) =>
    (await api.get<ReplyOf<"GET /invoices/all">>(asked)).body.invoices.map(
      ({ companyId }) => companyId,
    );
  expect(await read(provider)).toEqual([others.id]);
  expect(await read(mine.api)).toEqual([mine.id]);
});

test("a PIX by hand needs the provider's key, holds until it is paid, and says who claims to have paid", async () => {
  const { api } = await shop(5);
  const byHand = settings({ bank: "by-hand" });
  expect(await provider.put("/billing/settings", byHand)).toMatchObject({
    ...{ status: 400, body: { code: "ERR_PIX_KEY_MISSING" } },
  });
  await provider.put("/billing/settings", { ...byHand, pixKey: "financeiro@conecta.example" });
  const charge = await charged(api);
  expect(charge).toMatchObject({ expiresAt: null, bank: "by-hand" });
  expect(charge.qrcode.qrcode).toContain("financeiro@conecta.example");
  await api.post(`/subscription/${charge.invoiceId}/said-paid`);
  const { body } = await provider.get<{ charges: OpenCharge[] }>("/billing/charges");
  expect(body.charges[0]).toMatchObject({ id: charge.id, value: 99.9 });
  expect(body.charges[0]?.saidPaidAt).not.toBeNull();
});

test("invoices that are paid, of others, or not there are refused", async () => {
  const [mine, others] = [await shop(5), await shop(5)];
  const charge = await charged(mine.api);
  const wish = (invoiceId: number) => ({ ...payer, invoiceId });
  expect(await others.api.post("/subscription", wish(charge.invoiceId))).toMatchObject({
    ...{ status: 404, body: { code: "ERR_NO_INVOICE_FOUND" } },
  });
  await confirm(charge, 99.9);
  expect(await mine.api.post("/subscription", wish(charge.invoiceId))).toMatchObject({
    ...{ status: 400, body: { code: "ERR_INVOICE_PAID" } },
  });
  expect(await mine.api.post("/subscription", { ...wish(1), plan: "{" })).toMatchObject({
    status: 400,
  });
});

test("the page of the company's payments costs two statements", async () => {
  const { api } = await shop(5);
  await subscriptionOf(api);
  app.statements.take();
  await subscriptionOf(api);
  // One more reads the rights of the request.
  expect(app.statements.take()).toHaveLength(3);
});

test("asking for the PIX reads its invoice once", async () => {
  const { api } = await shop(5);
  const { invoice } = await subscriptionOf(api);
  app.statements.take();
  const reply = await api.post("/subscription", { ...payer, invoiceId: invoice?.id });
  expect(reply.status).toBe(200);
  expect(app.statements.take().filter((text) => text.includes('from "invoices"'))).toHaveLength(1);
});

test("a PIX code has the fields of the central bank's manual, and its checksum", () => {
  const example =
    "00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-4266554400005204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***6304";
  expect(crc16(example)).toBe("1D3D");
  const fields = {
    ...{ key: "123e4567-e12b-12d1-a456-426655440000", receiver: "Fulano de Tal", city: "BRASILIA" },
    ...{ valueCents: 1_000, txid: "***" },
  };
  expect(pixCode({ ...fields, txid: "RP12345678" })).toMatch(
    /^00020126580014br\.gov\.bcb\.pix0136123e4567-e12b-12d1-a456-426655440000520400005303986540510\.005802BR5913FULANO DE TAL6008BRASILIA62140510RP123456786304[0-9A-F]{4}$/,
  );
});
