import { beforeAll, expect, test } from "vitest";
import type { SignInApp } from "../auth/testing/sign-in-app.ts";
import { signInApp } from "../auth/testing/sign-in-app.ts";

let app: SignInApp;
beforeAll(async () => {
  app = await signInApp();
});

async function given() {
  const [own, other] = [await app.given.company(), await app.given.company({ dueDate: null })];
  const agent = await app.given.user(own);
  const root = await app.given.user(own, { profile: "admin", super: true });
  const [agentToken, rootToken] = [
    (await app.signIn(agent.email)).token,
    (await app.signIn(root.email)).token,
  ];
  const show = (token: string, id: number | string) =>
    app.call("GET", `/api/companies/listPlan/${id}`, { token });
  return { own, other, agentToken, rootToken, show };
}

test("every user sees the plan of the company, with its price in reais", async () => {
  const { own, agentToken, show } = await given();
  expect(await show(agentToken, own)).toMatchObject({
    status: 200,
    body: {
      id: own,
      email: "contato@empresa.example",
      phone: null,
      status: true,
      dueDate: "2099-12-31T00:00:00.000Z",
      createdAt: expect.stringMatching(/Z$/),
      plan: { users: 5, connections: 2, queues: 3, value: 99.9, useKanban: true },
    },
  });
});

test("the list of all companies, with plan and settings, is for super users", async () => {
  const { other, agentToken, rootToken } = await given();
  const list = (token: string) => app.call("GET", "/api/companies/list", { token });
  expect(await list(agentToken)).toMatchObject({
    status: 403,
    body: { error: "ERR_NO_PERMISSION" },
  });
  const { body } = await list(rootToken);
  expect(body).toContainEqual(
    expect.objectContaining({
      ...{ id: other, dueDate: null, planId: expect.any(Number) },
      plan: { id: expect.any(Number), name: expect.any(String), value: 99.9 },
      settings: expect.arrayContaining([
        { id: expect.any(Number), key: "campaignsEnabled", value: "true", companyId: other },
      ]),
    }),
  );
  expect(JSON.stringify(body)).not.toMatch(/asaas|tokenixc/);
});

test("another company's plan is for super users", async () => {
  const { other, agentToken, rootToken, show } = await given();
  expect(await show(agentToken, other)).toMatchObject({
    status: 400,
    body: { error: "Você não possui permissão para acessar este recurso!" },
  });
  expect(await show(rootToken, other)).toMatchObject({
    status: 200,
    body: { id: other, dueDate: null },
  });
  expect(await show(rootToken, 2_000_000_000)).toMatchObject({
    status: 404,
    body: { error: "ERR_NO_COMPANY_FOUND" },
  });
  expect((await show(rootToken, "undefined")).status).toBe(404);
});
