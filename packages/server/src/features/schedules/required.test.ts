import { beforeAll, expect, test } from "vitest";
import type { TestApp } from "../../testing/app.ts";
import { testApp } from "../../testing/app.ts";

let app: TestApp;
beforeAll(async () => {
  app = await testApp({ environment: { ROLES: "http" } });
});

test.for(["body", "contactId", "sendAt"] as const)(
  "a schedule without %s is refused, new or changed",
  async (missing) => {
    const company = await app.given.company();
    const agent = await app.given.agent({ company });
    const { contactId } = await app.given.ticket({ company });
    const sendAt = new Date(app.clock.now().getTime() + 3_600_000).toISOString();
    const whole = { body: "Bom dia!", contactId, sendAt };
    const made = await app.as(agent).post<{ id: number }>("/schedules", whole);
    expect(made.status).toBe(200);
    const { [missing]: _left, ...rest } = whole;
    for (const reply of [
      await app.as(agent).post("/schedules", rest),
      await app.as(agent).put(`/schedules/${made.body.id}`, rest),
    ]) {
      expect([reply.status, reply.body]).toMatchObject([400, { code: "ERR_INVALID_REQUEST" }]);
    }
  },
);
