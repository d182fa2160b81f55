import type { ListedPlan, Plan } from "@balcao/contract";
import { beforeAll, expect, test } from "vitest";
import type { Api, TestApp } from "../../testing/app.ts";
import { testApp } from "../../testing/app.ts";

let app: TestApp;
let api: Api;
beforeAll(async () => {
  app = await testApp({ environment: { ROLES: "http" } });
  api = app.as(await app.given.admin({ super: true }));
});

const team = { name: "Equipe", users: "10", connections: 2, queues: "5", value: "199,90" };
const made = async (body: object): Promise<Plan> => (await api.post<Plan>("/plans", body)).body;

test("a plan is made, changed and removed; money and numbers may be the texts of a form", async () => {
  const { status, body: plan } = await api.post<Plan>("/plans", team);
  expect(status).toBe(200);
  expect(plan).toMatchObject({
    ...{ name: "Equipe", users: 10, connections: 2, queues: 5, value: 199.9 },
    ...{ useKanban: true, useExternalApi: true, useInternal: true },
  });
  const changed = { ...team, value: "1.234", useKanban: false };
  expect((await api.put<Plan>(`/plans/${plan.id}`, changed)).body).toMatchObject({
    ...{ id: plan.id, value: 1_234, useKanban: false },
  });
  for (const [value, expected] of [
    ["1.234,50", 1_234.5],
    ["97.5", 97.5],
    [0, 0],
  ] as const) {
    const { body } = await api.put<Plan>(`/plans/${plan.id}`, { ...team, value });
    expect(body.value).toBe(expected);
  }
  expect((await api.get<Plan>(`/plans/${plan.id}`)).body.value).toBe(0);
  expect((await api.delete(`/plans/${plan.id}`)).status).toBe(200);
  for (const reply of [
    await api.get(`/plans/${plan.id}`),
    await api.put(`/plans/${plan.id}`, team),
    await api.delete(`/plans/${plan.id}`),
  ]) {
    expect(reply).toMatchObject({ status: 404, body: { code: "ERR_NO_PLAN_FOUND" } });
  }
});

test("short and taken names, and numbers that are none, are refused", async () => {
  await made({ ...team, name: "Essencial" });
  const refused = async (body: object) => {
    const reply = await api.post<{ code: string }>("/plans", { ...team, ...body });
    return [reply.status, reply.body.code];
  };
  expect(await refused({ name: " E " })).toEqual([400, "ERR_PLAN_INVALID_NAME"]);
  expect(await refused({ name: "Essencial" })).toEqual([400, "ERR_PLAN_NAME_ALREADY_EXISTS"]);
  for (const body of [{ value: "abc" }, { value: -1 }, { value: "1,2,3" }, { users: "-1" }]) {
    expect(await refused({ name: "Outro", ...body })).toEqual([400, "ERR_INVALID_REQUEST"]);
  }
});

test("a plan that a company has stays; the list says how many have it", async () => {
  const spare = await made({ ...team, name: "Sobra" });
  const company = await app.given.company();
  await app.given.company();
  const { body } = await api.get<{ plans: ListedPlan[] }>(
    `/plans?searchParam=plano%20de%20${encodeURIComponent(company.name)}`,
  );
  expect(body.plans).toMatchObject([{ name: `Plano de ${company.name}`, companies: 1 }]);
  const spares = await api.get<{ plans: ListedPlan[] }>("/plans?searchParam=sobra");
  expect(spares.body.plans).toMatchObject([{ id: spare.id, companies: 0 }]);
  expect(await api.delete(`/plans/${body.plans[0]?.id}`)).toMatchObject({
    ...{ status: 400, body: { code: "ERR_PLAN_IN_USE" } },
  });
});

test("who signs up sees the offered plans, the cheapest first; users see all; only super users change them", async () => {
  const dear = await made({ ...team, name: "Caro", value: 900 });
  const hidden = await made({ ...team, name: "Especial", useInternal: false });
  for (const path of ["/plans/list", "/plans/register"]) {
    const reply = await fetch(`${app.url}/api${path}`);
    const plans = (await reply.json()) as Plan[];
    const values = plans.map(({ value }) => value);
    expect(values).toEqual(values.toSorted((a, b) => a - b));
    expect(plans.map(({ id }) => id)).toContain(dear.id);
    expect(plans.map(({ id }) => id)).not.toContain(hidden.id);
  }
  const agent = app.as(await app.given.agent());
  expect((await agent.get<Plan[]>("/plans/all")).body.map(({ id }) => id)).toContain(hidden.id);
  for (const reply of [await agent.get("/plans"), await agent.post("/plans", team)]) {
    expect(reply).toMatchObject({ status: 403, body: { code: "ERR_NO_PERMISSION" } });
  }
});
