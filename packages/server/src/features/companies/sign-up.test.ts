import type { Company, ManagedCompany, Plan, ReplyOf } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { beforeAll, beforeEach, expect, test } from "vitest";
import type { Api, TestApp } from "../../testing/app.ts";
import { testApp } from "../../testing/app.ts";
import type { GivenUser } from "../../testing/given.ts";

let app: TestApp;
let provider: GivenUser;
let api: Api;
let plan: Plan;
let hidden: Plan;
beforeAll(async () => {
  app = await testApp({ environment: { ROLES: "http" } });
  provider = await app.given.admin({ company: await app.given.company(), super: true });
  api = app.as(provider);
  const make = async (name: string, more: object = {}) =>
    (await api.post<Plan>("/plans", { name, users: 3, value: 99.9, ...more })).body;
  plan = await make("Essencial");
  hidden = await make("Sob medida", { useInternal: false });
});
// The count of this address starts again.
beforeEach(() =>
  app.database.db.acrossCompanies((tx) => tx.query(sql`delete from login_attempts`)),
);

const password = "Kmtpx-qwert-47";
let number = 0;
const wish = (more: object = {}) => {
  number += 1;
  return {
    ...{ name: `Ateliê ${number}`, email: `ateli${number}@loja.example`, password },
    ...{ phone: "(11) 98456-2210", planId: plan.id, ...more },
  };
};
type Refusal = { code: string; data?: { retryAfterSeconds: number } };
const signUp = <T = Refusal>(body: object) => app.anonymous.post<T>("/companies/cadastro", body);
const codeOf = async (more: object) => {
  const { status, body } = await signUp(wish(more));
  return [status, body.code];
};
const companies = async (words: string): Promise<readonly ManagedCompany[]> =>
  (await api.get<ReplyOf<"GET /companies">>(`/companies?searchParam=${words}`)).body.companies;
const signIn = (email: string) =>
  app.anonymous.post<ReplyOf<"POST /auth/login">>("/auth/login", { email, password });
const set = (key: string, value: string) => api.put(`/settings/${key}`, { value });

/** The last millisecond of the day in São Paulo, so many days from now. */
const endOfDay = (days: number): string => {
  const style = new Intl.DateTimeFormat("sv-SE", { timeZone: "America/Sao_Paulo" });
  const day = style.format(app.clock.now().getTime() + days * 86_400_000);
  return new Date(`${day}T23:59:59.999-03:00`).toISOString();
};

test("a company signs up and is on trial for three days; its first admin signs in", async () => {
  const sent = wish();
  const { status, body } = await signUp<Company>({
    ...sent,
    email: sent.email.toUpperCase(),
    planId: String(plan.id),
  });
  const { name, email, phone } = sent;
  const row = { name, email, phone, planId: plan.id, status: true, recurrence: "MENSAL" };
  expect([status, body]).toMatchObject([200, { ...row, dueDate: endOfDay(3) }]);
  expect(body).not.toHaveProperty("trialExpiration");
  expect(await companies(email)).toMatchObject([
    { ...row, trialExpiration: endOfDay(3), daysLeft: 3, users: 1, campaignsEnabled: true },
  ]);
  const { user } = (await signIn(email)).body;
  expect(user).toMatchObject({ name, email, profile: "admin", super: false, companyId: body.id });
  expect(user.company.settings?.map(({ key }) => key)).not.toContain("trial");
});

test("state, due date, recurrence and company that a client sends are ignored", async () => {
  const { status, body } = await signUp<Company>({
    ...wish({ companyId: provider.companyId, dueDate: "2099-12-31T00:00:00.000Z" }),
    ...{ status: "t", recurrence: "ANUAL", campaignsEnabled: "no", super: true, profile: "x" },
  });
  expect([status, body]).toMatchObject([
    200,
    { status: true, recurrence: "MENSAL", dueDate: endOfDay(3) },
  ]);
  expect(body.id).not.toBe(provider.companyId);
});

test("plans that are not offered, taken names and e-mails, and easy passwords are refused, with nothing half done", async () => {
  const taken = wish();
  expect((await signUp(taken)).status).toBe(200);
  const before = (await companies("")).length;
  for (const planId of [hidden.id, 2_000_000_000, "disabled"]) {
    expect(await codeOf({ planId })).toEqual([404, "ERR_NO_PLAN_FOUND"]);
  }
  expect(await codeOf({ name: taken.name })).toEqual([400, "ERR_COMPANY_NAME_ALREADY_EXISTS"]);
  expect(await codeOf({ email: taken.email })).toEqual([400, "ERR_USER_EMAIL_EXISTS"]);
  expect(await codeOf({ name: " L " })).toEqual([400, "ERR_COMPANY_INVALID_NAME"]);
  expect(await codeOf({ password: "Km4t" })).toEqual([400, "ERR_PASSWORD_SHORT"]);
  expect(await codeOf({ password: "senha123" })).toEqual([400, "ERR_PASSWORD_EASY"]);
  for (const field of ["password", "phone", "email", "name", "planId"]) {
    expect(await codeOf({ [field]: undefined })).toEqual([400, "ERR_INVALID_REQUEST"]);
  }
  expect(await companies("")).toHaveLength(before);
});

test("of a hundred sign-ups in a minute most are refused with the time to wait, whether they succeed or not", async () => {
  const replies = await Promise.all(
    Array.from({ length: 100 }, (_, at) => signUp(wish(at % 2 === 0 ? {} : { planId: hidden.id }))),
  );
  const refused = replies.filter(({ status }) => status === 429);
  expect(refused).toHaveLength(90);
  for (const { body } of refused) {
    expect(body.code).toBe("ERR_TOO_MANY_REQUESTS");
    expect(Math.round((body.data?.retryAfterSeconds ?? 0) / 60)).toBe(6);
  }
  app.clock.advance(7 * 60_000);
  expect((await signUp(wish())).status).toBe(200);
  expect((await signUp(wish())).status).toBe(429);
});

test("the provider sets the days of the trial and closes the sign-up; visitors read it", async () => {
  const read = async (key: string) => (await app.anonymous.get(`/settings/${key}`)).body;
  expect(await read("trial")).toEqual({ key: "trial", value: "3" });
  expect(await read("viewregister")).toEqual({ key: "viewregister", value: "enabled" });
  await set("trial", "7");
  await set("allowregister", "disabled");
  expect(await read("trial")).toEqual({ key: "trial", value: "7" });
  expect(await read("allowregister")).toEqual({ key: "allowregister", value: "disabled" });
  expect(await codeOf({})).toEqual([403, "ERR_USER_CREATION_DISABLED"]);
  await set("allowregister", "enabled");
  expect((await signUp<Company>(wish())).body.dueDate).toBe(endOfDay(7));
  expect((await set("trial", "8")).status).toBe(400);
  for (const key of ["userRating", "asaas", "passwordMinLength", "nothing", "__proto__"]) {
    expect(await app.anonymous.get(`/settings/${key}`)).toMatchObject({
      ...{ status: 404, body: { code: "ERR_NO_SETTING_FOUND" } },
    });
  }
});

test("the settings of the sign-up are the provider's: admins neither see nor write them, and their company has none", async () => {
  const { email } = wish();
  const { id } = (await signUp<Company>(wish({ email }))).body;
  const admin = app.as(await app.given.admin({ company: { id, name: "" } }));
  const keys = async (of: Api) =>
    (await of.get<{ key: string }[]>("/settings")).body.map(({ key }) => key);
  const ofSignUp = ["allowregister", "viewregister", "trial"];
  expect(await keys(api)).toEqual(expect.arrayContaining(ofSignUp));
  expect((await keys(admin)).filter((key) => ofSignUp.includes(key))).toEqual([]);
  expect(await admin.put("/settings/trial", { value: "1" })).toMatchObject({
    ...{ status: 403, body: { code: "ERR_NO_PERMISSION" } },
  });
  const all = (
    await api.get<{ id: number; settings: { key: string }[] }[]>("/companies/list")
  ).body.flatMap(({ settings }) => settings.map(({ key }) => key));
  expect(all).toContain("userRating");
  expect(all.filter((key) => ofSignUp.includes(key))).toEqual([]);
});
