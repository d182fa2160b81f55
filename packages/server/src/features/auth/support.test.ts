import type { Company } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import type { BodyOf } from "../../testing/app.ts";
import { testApp } from "../../testing/app.ts";
import type { GivenUser } from "../../testing/given.ts";

const app = await testApp();
const { given, as, database } = app;
const provider = await given.admin({ company: await given.company(), super: true });
const HOUR_MS = 3_600_000;

type Started = BodyOf<"POST /companies/:companyId/support"> & { code: string };

const enter = (companyId: number, by: GivenUser = provider, reason = "A conexão não volta") =>
  as(by).post<Started>(`/companies/${companyId}/support`, { reason });

/** A company with an admin and an agent, and a visit in it. */
async function newVisit(by: GivenUser = provider) {
  const company = await given.company();
  const admin = await given.admin({ company });
  const agent = await given.agent({ company });
  const { body } = await enter(company.id, by);
  const visitor: GivenUser = { ...admin, token: body.token };
  return { company, admin, agent, body, visitor, api: as(visitor) };
}

const visitsOf = async (user: GivenUser) =>
  (await as(user).get<BodyOf<"GET /support-visits">>("/support-visits")).body;

const isOver = { status: 403, body: { code: "ERR_TOKEN_EXPIRED" } };

test("a super user works in a company as its admin for an hour; the company reads who came, and why", async () => {
  const { company, admin, agent, body, api } = await newVisit();
  expect(body.user).toMatchObject({ id: admin.id, companyId: company.id, super: false });
  const lastsMs = new Date(body.endsAt).getTime() - app.clock.now().getTime();
  expect(Math.round(lastsMs / 60_000)).toBe(60);
  expect((await api.get<Company>(`/companies/${company.id}`)).body.name).toBe(company.name);
  expect(await visitsOf(admin)).toMatchObject({
    count: 1,
    visits: [
      {
        ...{ visitorName: provider.name, adminName: admin.name, reason: "A conexão não volta" },
        endedAt: null,
      },
    ],
  });
  expect(await as(agent).get("/support-visits")).toMatchObject({ status: 403 });
  expect((await visitsOf(await given.admin({ company: await given.company() }))).count).toBe(0);
  // The visitor cannot read other companies.
  expect(await api.get("/companies")).toMatchObject({ status: 403 });
});

test("accounts, payments and secrets stay closed to a visitor", async () => {
  const { company, admin, agent, api } = await newVisit();
  const line = await given.connection({ company });
  const setToken = sql`update connections set token = 'segredo-da-api' where id = ${line}`;
  await database.db.acrossCompanies((tx) => tx.query(setToken));
  const change = { name: "Outra", password: "Kmtpx-qwert-47", currentPassword: "segredo-123" };
  const closed = { status: 403, body: { code: "ERR_NO_PERMISSION" } };
  for (const id of [admin.id, agent.id]) {
    expect(await api.put(`/users/${id}`, change)).toMatchObject(closed);
    expect(await api.delete(`/users/${id}`)).toMatchObject(closed);
  }
  expect(await api.post("/users", { ...change, email: "porta@x.example" })).toMatchObject(closed);
  expect(await api.get("/invoices/all")).toMatchObject(closed);
  // Neither the admin's own sign-in, nor how the company signs in.
  const password = "segredo-123";
  for (const [call, attempt] of [
    ["factor", api.post("/auth/factor", { password })],
    ["confirm", api.post("/auth/factor/confirm", { code: "123456" })],
    ["remove", api.post("/auth/factor/remove", { password })],
    ["codes", api.post("/auth/recovery-codes", { password })],
    ["passkey's name", api.put("/auth/passkeys/1", { name: "Porta" })],
    ["passkey's end", api.post("/auth/passkeys/1/remove", { password })],
    ["state", api.get("/auth/security")],
    ["sessions", api.get("/auth/sessions")],
    ["a session's end", api.delete("/auth/sessions/0b2f7b1e-4b8e-4c55-9d7a-0c7f1e1f2a3b")],
    ["all sessions' end", api.delete("/auth/sessions")],
    ["sign-ins", api.get("/auth/sign-ins")],
    ["trust", api.delete("/auth/trusted-browsers")],
    ["demand", api.put("/settings/secondFactor", { value: "required" })],
    ["devices", api.put("/settings/severalSessions", { value: "enabled" })],
    ["e-mails", api.put("/settings/newDeviceMail", { value: "disabled" })],
  ] as const) {
    expect([call, await attempt]).toMatchObject([call, closed]);
  }
  const shown = await api.get<BodyOf<"GET /whatsapp/:connectionId">>(`/whatsapp/${line}`);
  expect(shown.body).toMatchObject({ id: line, token: null });
  // The form sends the hidden token back as null, and the stored one stays.
  const renamed = { ...shown.body, name: "Loja", queueIds: [] };
  expect(await api.put(`/whatsapp/${line}`, renamed)).toMatchObject({ status: 200 });
  expect((await as(admin).get(`/whatsapp/${line}`)).body).toMatchObject({
    token: "segredo-da-api",
  });
});

test("a visit ends when the visitor leaves, goes elsewhere, or signs out", async () => {
  const left = await newVisit();
  expect(await left.api.delete("/support")).toMatchObject({ status: 200 });
  expect(await left.api.get("/auth/me")).toMatchObject(isOver);
  expect((await visitsOf(left.admin)).visits[0]?.endedAt).not.toBeNull();

  const first = await newVisit();
  const second = await newVisit();
  expect(await first.api.get("/auth/me")).toMatchObject(isOver);
  expect(await second.api.get("/auth/me")).toMatchObject({ status: 200 });

  const other = await given.admin({
    company: { id: provider.companyId, name: "" },
    super: true,
  });
  const signedOut = await newVisit(other);
  await as(other).delete("/auth/logout");
  expect(await signedOut.api.get("/auth/me")).toMatchObject(isOver);
});

test("a visit ends when the visitor is no super user any more, and signing out of it leaves the admin's session alone", async () => {
  const other = await given.admin({
    company: { id: provider.companyId, name: "" },
    super: true,
  });
  const { admin, api } = await newVisit(other);
  expect(await api.delete("/auth/logout")).toMatchObject({ status: 200 });
  expect(await as(admin).get("/auth/me")).toMatchObject({ status: 200 });
  await database.db.acrossCompanies((tx) =>
    tx.query(sql`update users set super = false where id = ${other.id}`),
  );
  expect(await api.get("/auth/me")).toMatchObject(isOver);
});

test("only super users enter; not the provider's own company, none without an admin, none that is suspended", async () => {
  const { company, admin } = await newVisit();
  expect(await enter(company.id, admin)).toMatchObject({ status: 403 });
  expect(await enter(company.id, provider, "x")).toMatchObject({ status: 400 });
  const without = await given.company();
  const refused: [number, string][] = [
    [provider.companyId, "ERR_COMPANY_IS_PROVIDER"],
    [without.id, "ERR_NO_USER_FOUND"],
    [2_000_000_000, "ERR_NO_COMPANY_FOUND"],
  ];
  for (const [id, code] of refused) expect((await enter(id)).body.code).toBe(code);
  await as(provider).put(`/companies/${company.id}`, { status: false });
  expect((await enter(company.id)).body.code).toBe("ERR_COMPANY_DISABLED");
});

test("an expired company can be visited", async () => {
  const company = await given.company({ dueDate: new Date("2024-03-10T00:00:00Z") });
  const admin = await given.admin({ company });
  const { body } = await enter(company.id);
  const visitor = as({ ...admin, token: body.token });
  expect(await as(admin).get("/tickets")).toMatchObject({ status: 403 });
  expect(await visitor.get("/tickets")).toMatchObject({ status: 200 });
});

test("the admin is not there because a visitor is, and neither session ends the other", async () => {
  const { admin, visitor, api } = await newVisit();
  const isOnline = async () => {
    const [row] = await database.db.acrossCompanies((tx) =>
      tx.query<{ online: boolean }>(sql`select online from users where id = ${admin.id}`),
    );
    return row?.online;
  };
  const visiting = await app.live(visitor);
  await app.idle();
  expect(await isOnline()).toBe(false);
  const own = await app.live(admin);
  await expect.poll(isOnline).toBe(true);
  own.socket.disconnect();
  await app.anonymous.post("/auth/login", { email: admin.email, password: "segredo-123" });
  expect(visiting.ending()).toBeNull();
  expect(await api.delete("/support")).toMatchObject({ status: 200 });
  await expect.poll(visiting.ending).toBe("io server disconnect");
});

test("after an hour a visit is over, for its socket too", async () => {
  const { admin, visitor, api } = await newVisit();
  await database.db.acrossCompanies((tx) =>
    tx.query(
      sql`update support_visits set ends_at = now() + interval '1 second' where user_id = ${admin.id}`,
    ),
  );
  const visiting = await app.live(visitor);
  await expect.poll(visiting.ending).toBe("io server disconnect");
  app.clock.advance(HOUR_MS + 1);
  expect(await api.get("/auth/me")).toMatchObject(isOver);
});
