import type { Company, ManagedCompany, Plan, ReplyOf } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";
import type { Api, TestApp } from "../../testing/app.ts";
import { testApp } from "../../testing/app.ts";
import type { GivenUser } from "../../testing/given.ts";

type Page = ReplyOf<"GET /companies">;

let app: TestApp;
let provider: GivenUser;
let api: Api;
let plan: Plan;
beforeAll(async () => {
  app = await testApp({ environment: { ROLES: "http" } });
  provider = await app.given.admin({ company: await app.given.company(), super: true });
  api = app.as(provider);
  const body = { name: "Equipe", users: 2, connections: 2, queues: 5, value: 199.9 };
  plan = (await api.post<Plan>("/plans", body)).body;
});

let number = 0;
const wish = (more: object = {}) => {
  number += 1;
  return {
    ...{ name: `Loja ${number}`, email: `loja${number}@loja.example`, planId: plan.id },
    ...{ phone: "(48) 99812-4471", recurrence: "MENSAL", dueDate: null, campaignsEnabled: true },
    ...more,
  };
};
const password = "Kmtpx-qwert-47";

async function create(more: object = {}): Promise<Company & { sent: ReturnType<typeof wish> }> {
  const sent = wish(more);
  const reply = await api.post<Company>("/companies", { ...sent, password });
  expect([reply.status, reply.body]).toEqual([200, expect.anything()]);
  return { ...reply.body, sent };
}

const signIn = (email: string, secret = password): Promise<Response> =>
  fetch(`${app.url}/api/auth/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email, password: secret }),
  });

/** A day of São Paulo so many days from now. */
const day = (days: number): string =>
  new Intl.DateTimeFormat("sv-SE", { timeZone: "America/Sao_Paulo" }).format(
    Date.now() + days * 86_400_000,
  );

test("a new company has its first admin, all settings, and works until its due day is over", async () => {
  const { id, sent, dueDate } = await create({ dueDate: "2099-12-19", campaignsEnabled: false });
  expect(dueDate).toBe("2099-12-20T02:59:59.999Z");
  const reply = await signIn(sent.email.toUpperCase());
  expect(reply.status).toBe(200);
  expect(await reply.json()).toMatchObject({
    user: { profile: "admin", super: false, companyId: id, company: { planId: plan.id } },
  });
  const { body } =
    await api.get<{ id: number; settings: { key: string; value: string }[] }[]>("/companies/list");
  const settings = body.find((company) => company.id === id)?.settings;
  expect(settings).toContainEqual(
    expect.objectContaining({ key: "campaignsEnabled", value: "false" }),
  );
});

test("names, e-mails, plans and passwords that cannot be are refused, with nothing half done", async () => {
  const taken = await create();
  const count = async () => (await api.get<Page>("/companies")).body.totals.all;
  const before = await count();
  const code = async (body: object) => {
    const reply = await api.post<{ code: string }>("/companies", { password, ...wish(body) });
    return [reply.status, reply.body.code];
  };
  expect(await code({ name: " L " })).toEqual([400, "ERR_COMPANY_INVALID_NAME"]);
  expect(await code({ name: taken.name })).toEqual([400, "ERR_COMPANY_NAME_ALREADY_EXISTS"]);
  expect(await code({ email: taken.email })).toEqual([400, "ERR_USER_EMAIL_EXISTS"]);
  expect(await code({ planId: 2_000_000_000 })).toEqual([404, "ERR_NO_PLAN_FOUND"]);
  expect(await code({ password: "senha123" })).toEqual([400, "ERR_PASSWORD_EASY"]);
  expect(await code({ dueDate: "31/12/2026" })).toEqual([400, "ERR_INVALID_REQUEST"]);
  expect(await count()).toBe(before);
});

test("plan, due date and name are changed; a due date may be a moment, or none", async () => {
  const { id, sent, name } = await create();
  const save = async (more: object) => {
    const reply = await api.put<Company>(`/companies/${id}`, { ...sent, status: true, ...more });
    return reply.body;
  };
  // In São Paulo it is still the evening before.
  expect((await save({ dueDate: "2099-06-01T01:00:00.000Z" })).dueDate).toBe(
    "2099-06-01T02:59:59.999Z",
  );
  expect((await save({ dueDate: "" })).dueDate).toBeNull();
  const other = await create();
  expect(await save({ name: other.name })).toMatchObject({
    code: "ERR_COMPANY_NAME_ALREADY_EXISTS",
  });
  expect(await save({ name: `${name} nova` })).toMatchObject({
    name: `${name} nova`,
    dueDate: null,
  });
  expect(await api.put("/companies/2000000000", { ...sent })).toMatchObject({ status: 404 });
});

test("a suspended company is out at once and comes back as it was; the provider's own cannot be", async () => {
  const { id, sent } = await create();
  const login = (await (await signIn(sent.email)).json()) as { token: string };
  const own = { headers: { authorization: `Bearer ${login.token}` } };
  const tags = async () => (await fetch(`${app.url}/api/tags/list`, own)).status;
  expect(await tags()).toBe(200);
  const suspended = { status: false, suspensionReason: "Sem pagamento" };
  await api.put(`/companies/${id}`, suspended);
  expect(await tags()).toBe(401);
  expect((await signIn(sent.email)).status).toBe(400);
  const shown = async () =>
    (await api.get<Page>(`/companies?searchParam=${sent.email}`)).body.companies;
  expect(await shown()).toMatchObject([{ status: false, suspensionReason: "Sem pagamento" }]);
  await api.put(`/companies/${id}`, { status: true });
  expect(await tags()).toBe(200);
  // Fields that are not sent keep their values.
  const { name, email, planId } = sent;
  expect(await shown()).toMatchObject([
    { status: true, suspensionReason: "", name, email, planId },
  ]);

  const ownId = provider.companyId;
  expect(await api.put(`/companies/${ownId}`, wish({ status: false }))).toMatchObject({
    status: 400,
    body: { code: "ERR_COMPANY_IS_PROVIDER" },
  });
});

test("the list tells days, use and lost connections in the company's own calendar, and narrows and orders", async () => {
  const late = await create({ name: "Zeta Bikes", dueDate: day(-2) });
  const today = await create({ name: "Óptica Clara", dueDate: day(0) });
  const soon = await create({ name: "Armarinho", dueDate: day(5) });
  const never = await create({ name: "Zeta Livros" });
  const company = { id: today.id, name: today.name };
  await app.given.agent({ company });
  const lostId = await app.given.connection({ company });
  await app.database.db.acrossCompanies((tx) =>
    tx.query(
      sql`update connections set status = 'DISCONNECTED', disconnected_at = now() where id = ${lostId}`,
    ),
  );
  const list = async (query = "") => (await api.get<Page>(`/companies?${query}`)).body;
  const ids = (page: Page) => page.companies.map(({ id }) => id);

  const all = await list();
  expect(ids(all).slice(0, 3)).toEqual([late.id, today.id, soon.id]);
  const of = (id: number): ManagedCompany | undefined => all.companies.find((its) => its.id === id);
  expect([late, today, soon, never].map(({ id }) => of(id)?.daysLeft)).toEqual([-2, 0, 5, null]);
  expect(of(today.id)).toMatchObject({
    ...{ users: 2, queues: 0, isProvider: false, campaignsEnabled: true },
    plan: { id: plan.id, name: "Equipe", value: 199.9, users: 2 },
    connections: [{ id: lostId, isUp: false, disconnectedAt: expect.stringMatching(/Z$/) }],
  });
  expect(of(provider.companyId)?.isProvider).toBe(true);
  expect(all.totals).toMatchObject({ due: 2, overdue: 1, down: 1, connectionsDown: 1 });
  expect(ids(await list("state=due"))).toEqual([today.id, soon.id]);
  expect(ids(await list("state=overdue"))).toEqual([late.id]);
  expect(ids(await list("state=down"))).toEqual([today.id]);
  expect(ids(await list("state=trial"))).toEqual([]);
  expect(ids(await list("searchParam=optica"))).toEqual([today.id]);
  const zetas = `searchParam=zeta&order=name`;
  expect(ids(await list(zetas))).toEqual([late.id, never.id]);
  expect(ids(await list(`${zetas}&descending=true`))).toEqual([never.id, late.id]);
  expect(ids(await list("order=users&descending=true"))[0]).toBe(today.id);
  expect((await list("pageNumber=2")).companies).toEqual([]);
  // An admin of a company sees none of it.
  const admin = app.as(await app.given.admin({ company }));
  expect(await admin.get("/companies")).toMatchObject({ status: 403 });
});

test("the totals tell what came in this month and the one before, and what is open and late", async () => {
  const totals = async () => (await api.get<Page>("/companies")).body.totals;
  const before = await totals();
  expect(before.revenue).toBe(0);
  const late = await create({ name: "Oficina Rápida", dueDate: day(-1), recurrence: "TRIMESTRAL" });
  const today = await create({ name: "Livraria Central", dueDate: day(0) });
  const { body } = await api.get<Page>(`/companies?searchParam=${today.sent.email}`);
  const invoice = body.companies[0]?.invoice;
  expect(invoice).toEqual({ id: expect.any(Number), value: 199.9, dueDate: today.dueDate });
  const after = await totals();
  expect(after.open.count - before.open.count).toBe(1);
  expect(after.open.value - before.open.value).toBeCloseTo(199.9);
  expect(after.late.count - before.late.count).toBe(1);
  expect(after.late.value - before.late.value).toBeCloseTo(599.7);

  // The month is that of São Paulo: it begins three hours later than in UTC.
  const month = `date_trunc('month', now() at time zone 'America/Sao_Paulo') at time zone 'America/Sao_Paulo'`;
  const moments = [
    ["accepted", 1_000, month],
    ["accepted", 250, `${month} + interval '1 minute'`],
    ["accepted", 40, `${month} - interval '1 second'`],
    ["returned", 7_000, month],
    ["unclear", 7_000, month],
    ["accepted", 7_000, `${month} - interval '40 days'`],
  ] as const;
  await app.database.db.acrossCompanies(async (tx) => {
    const [charge] = await tx.query<{ id: number }>(sql`
      insert into charges (company_id, invoice_id, bank, txid, value_cents)
      select company_id, id, 'simulated', 'total', value_cents from invoices where company_id = ${late.id} returning id`);
    for (const [index, [state, cents, at]] of moments.entries()) {
      await tx.query(sql`
        insert into payments (company_id, charge_id, bank, transfer_id, value_cents, received_at, state)
        values (${late.id}, ${charge?.id}, 'simulated', ${`t${index}`}, ${cents}, ${sql.raw(at)}, ${state})`);
    }
  });
  expect(await totals()).toMatchObject({ revenue: 12.5, revenueBefore: 0.4 });
  app.statements.take();
  await api.get<Page>("/companies");
  const read = app.statements.take().filter((text) => text.includes("managed as materialized"));
  expect(read).toHaveLength(2);
});

test("a smaller plan keeps what is there and takes no more", async () => {
  const { id, sent, name } = await create();
  const company = { id, name };
  await app.given.agent({ company });
  const admin = app.as(await app.given.admin({ company }));
  const small = (
    await api.post<Plan>("/plans", { ...{ name: "Mínimo", users: 1, connections: 1, queues: 1 } })
  ).body;
  await api.put(`/companies/${id}`, { ...sent, planId: small.id, status: true });
  const person = { name: "Nova", email: `nova${id}@loja.example`, password };
  expect(await admin.post("/users", person)).toMatchObject({
    status: 400,
    body: { code: "ERR_USER_LIMIT_REACHED" },
  });
  const { body } = await admin.get<{ count: number }>("/users?searchParam=&pageNumber=1");
  expect(body.count).toBe(3);
});

test("without a password the first admin is invited by e-mail, and sets the own one", async () => {
  const sent = wish();
  const { status, body } = await api.post<Company>("/companies", { ...sent, language: "es" });
  expect(status).toBe(200);
  expect((await signIn(sent.email, "")).status).not.toBe(200);
  const { mails } = (await api.get<ReplyOf<"GET /mails">>(`/mails?searchParam=${sent.email}`)).body;
  expect(mails).toMatchObject([
    { kind: "invitation", name: body.name, address: sent.email, state: "held" },
  ]);
  const token = /[A-Z0-9]{4}-[A-Z0-9]{4}/.exec(mails[0]?.text ?? "")?.[0];
  const reset = { email: sent.email, token, password: "Girafa-lilas-27" };
  expect((await app.anonymous.post("/resetpasswords", reset)).status).toBe(200);
  expect((await signIn(sent.email, reset.password)).status).toBe(200);
});
