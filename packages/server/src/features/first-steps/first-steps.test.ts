import type { FirstSteps } from "@balcao/contract";
import { defaultSchedules } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";
import type { TestApp } from "../../testing/app.ts";
import { testApp } from "../../testing/app.ts";
import type { GivenCompany, GivenUser } from "../../testing/given.ts";

const password = "Kmtpx-qwert-47";

let app: TestApp;
beforeAll(async () => {
  app = await testApp({ environment: { ROLES: "http" } });
});

const read = async (user: GivenUser): Promise<FirstSteps> => {
  const { status, body } = await app.as(user).get<FirstSteps>("/first-steps");
  expect(status).toBe(200);
  return body;
};
const stepsOf = async (user: GivenUser): Promise<FirstSteps["steps"]> => (await read(user)).steps;

const change = (statement: ReturnType<typeof sql>) =>
  app.database.db.acrossCompanies((tx) => tx.query(statement));

async function office(): Promise<{ company: GivenCompany; admin: GivenUser }> {
  const company = await app.given.company();
  return { company, admin: await app.given.admin({ company }) };
}

const nothing = { connection: null, queue: null, hours: null, team: null, simulator: null };

test("a new company has done nothing, in one statement; agents and supervisors do not read it", async () => {
  const { company, admin } = await office();
  expect(await stepsOf(admin)).toEqual(nothing);
  app.statements.take();
  expect(await read(admin)).toEqual({
    steps: nothing,
    holidays: { national: {}, own: [] },
    trial: null,
  });
  expect(app.statements.take().filter((text) => text.includes("json_build_object"))).toHaveLength(
    1,
  );
  for (const user of [
    await app.given.agent({ company }),
    await app.given.supervisor({ company }),
  ]) {
    expect((await app.as(user).get("/first-steps")).status).toBe(403);
  }
});

test("a connection counts once it was linked, also when it is down now; the default one is named", async () => {
  const { company, admin } = await office();
  const first = await app.given.connection({ company, name: "Balcão 1", linked: false });
  const second = await app.given.connection({ company, name: "Loja Centro", linked: false });
  expect((await stepsOf(admin)).connection).toBeNull();
  await change(sql`update connections set disconnected_at = now() where id = ${first}`);
  expect((await stepsOf(admin)).connection).toEqual({ name: "Balcão 1", number: null });
  await change(sql`
    update connections set status = 'CONNECTED', number = '5511940000001', is_default = true where id = ${second}`);
  expect((await stepsOf(admin)).connection).toEqual({
    name: "Loja Centro",
    number: "5511940000001",
  });
  await change(sql`
    update connections set deleted_at = now(), is_default = false where company_id = ${company.id}`);
  expect((await stepsOf(admin)).connection).toBeNull();
});

test("any queue counts, and the first one in the order of the queues is named", async () => {
  const { company, admin } = await office();
  await app.given.queue({ company, name: "Suporte" });
  const sales = await app.given.queue({ company, name: "Vendas" });
  expect((await stepsOf(admin)).queue).toEqual({ name: "Suporte" });
  await change(sql`update queues set order_queue = 1 where id = ${sales}`);
  expect((await stepsOf(admin)).queue).toEqual({ name: "Vendas" });
});

test("hours count once somebody has saved them, also when they are the default ones; those of queues where they are used", async () => {
  const { company, admin } = await office();
  const api = app.as(admin);
  const save = (schedules: unknown) => api.put(`/companies/${company.id}/schedules`, { schedules });
  // The default hours are shown everywhere, and are nobody's choice.
  expect(await api.get(`/companies/${company.id}`)).toMatchObject({
    body: { schedules: { length: 7 } },
  });
  expect((await stepsOf(admin)).hours).toBeNull();
  expect((await save(defaultSchedules())).status).toBe(200);
  expect((await stepsOf(admin)).hours).toBe("company");
  expect((await save([])).status).toBe(200);
  const queueId = await app.given.queue({ company });
  await api.put(`/queue/${queueId}`, { schedules: defaultSchedules() });
  expect((await stepsOf(admin)).hours).toBeNull();
  await api.put("/settings/scheduleType", { value: "queue" });
  expect((await stepsOf(admin)).hours).toBe("queue");
});

test("a second user counts, with the newest one's name and how many more there are", async () => {
  const { company, admin } = await office();
  const bia = await app.given.agent({ company, name: "Bia" });
  expect((await stepsOf(admin)).team).toEqual({ name: "Bia", others: 0 });
  await app.given.agent({ company, name: "Caio" });
  expect((await stepsOf(admin)).team).toEqual({ name: "Caio", others: 1 });
  await app.as(admin).delete(`/users/${bia.id}`);
  expect((await stepsOf(admin)).team).toEqual({ name: "Caio", others: 0 });
});

test("a message on the simulator counts once it was answered; what the company writes first does not", async () => {
  const { company, admin } = await office();
  const { given } = app;
  const greeted = await given.ticket({ company, contactName: "Ana Testa" });
  const at = (minute: number) => new Date(Date.UTC(2026, 10, 19, 12, minute));
  const write = (minute: number, fromMe: boolean, on = greeted) =>
    given.message(on, { fromMe, at: at(minute) });
  await write(1, true);
  await write(2, false);
  expect((await stepsOf(admin)).simulator).toBeNull();
  // An answer on another channel is no trial.
  const real = await given.ticket({ company });
  await change(
    sql`update connections set channel = 'whatsapp-web' where id = ${real.connectionId}`,
  );
  await write(1, false, real);
  await write(2, true, real);
  expect((await stepsOf(admin)).simulator).toBeNull();
  await write(3, true);
  await write(4, false);
  expect((await stepsOf(admin)).simulator).toEqual({ name: "Ana Testa" });
});

test("a trial is told with its end, the plan and its price; not once it is paid for, or over", async () => {
  const root = await app.given.admin({ company: await app.given.company(), super: true });
  const plan = { name: "Equipe", users: 10, connections: 3, queues: 5, value: 199.9 };
  const { id: planId } = (await app.as(root).post<{ id: number }>("/plans", plan)).body;
  const email = "camila@atelie.example";
  const made = await app.anonymous.post<{ id: number; dueDate: string }>("/companies/cadastro", {
    ...{ name: "Ateliê Mariposa", email, phone: "(11) 98456-2210", password, planId },
  });
  expect(made.status).toBe(200);
  const { id, dueDate } = made.body;
  const login = await app.anonymous.post<{ token: string }>("/auth/login", { email, password });
  const admin = { token: login.body.token } as GivenUser;
  expect((await read(admin)).trial).toEqual({ endsAt: dueDate, plan: "Equipe", value: 199.9 });
  await change(sql`update companies set due_date = due_date + interval '1 month' where id = ${id}`);
  expect((await read(admin)).trial).toBeNull();
  await change(sql`update companies set due_date = trial_expiration where id = ${id}`);
  expect((await read(admin)).trial).not.toBeNull();
  await change(
    sql`update companies set trial_expiration = now() - interval '1 hour', due_date = now() + interval '1 hour' where id = ${id}`,
  );
  expect((await read(admin)).trial).toBeNull();
});
