import { beforeAll, expect, test } from "vitest";
import type { SignInApp } from "../auth/testing/sign-in-app.ts";
import { signInApp } from "../auth/testing/sign-in-app.ts";

let app: SignInApp;
beforeAll(async () => {
  app = await signInApp();
});

test("the company's queues come in their order, those without one last", async () => {
  const companyId = await app.given.company();
  const unordered = await app.given.queue(companyId);
  const second = await app.given.queue(companyId, { order: 2 });
  const first = await app.given.queue(companyId, { order: 1 });
  await app.given.queue(await app.given.company());
  const { token } = await app.signIn((await app.given.user(companyId)).email);
  const reply = await app.call("GET", "/api/queue/", { token });
  expect(reply).toMatchObject({
    status: 200,
    body: [{ id: first, orderQueue: 1 }, { id: second }, { id: unordered, orderQueue: null }],
  });
  expect(reply.body).toContainEqual(
    expect.objectContaining({
      companyId,
      schedules: [],
      greetingMessage: "",
      outOfHoursMessage: "",
      mediaPath: null,
      integrationId: null,
      createdAt: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
    }),
  );
});

test("nobody sees them without signing in", async () => {
  expect((await app.call("GET", "/api/queue")).status).toBe(401);
});
