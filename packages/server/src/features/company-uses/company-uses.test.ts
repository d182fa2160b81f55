import type { ReplyOf } from "@balcao/contract";
import { beforeAll, expect, test } from "vitest";
import type { TestApp } from "../../testing/app.ts";
import { testApp } from "../../testing/app.ts";
import type { GivenUser } from "../../testing/given.ts";

let app: TestApp;

beforeAll(async () => {
  app = await testApp({
    environment: { BALCAO_COMPANY_AT_ONCE: "1", BALCAO_COMPANY_WAITING: "10" },
  });
});

async function adminOfOwn(): Promise<GivenUser> {
  return app.given.admin({ company: await app.given.company() });
}

test("a second company's call does not wait for 200 transactions of the first, whose own calls are told to wait", async () => {
  const [busy, other] = [await adminOfOwn(), await adminOfOwn()];
  expect((await app.as(other).get("/tags/list")).status).toBe(200);
  const finished: string[] = [];
  const flood = Array.from({ length: 200 }, () =>
    app.app.db
      .transaction({ companyId: busy.companyId }, (tx) =>
        tx.query({ name: "test.sleep", text: "select pg_sleep(0.005)::text" }),
      )
      .then(() => finished.push("flood")),
  );
  const refused = await app.as(busy).get("/tags/list");
  const reply = await app.as(other).get("/tags/list");
  finished.push("other");
  expect(reply.status).toBe(200);
  expect(refused).toMatchObject({ status: 429, body: { code: "ERR_COMPANY_BUSY" } });
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  await Promise.all(flood);
  expect(finished.indexOf("other")).toBeLessThan(150);
  expect((await app.as(busy).get("/tags/list")).status).toBe(200);
});

test("super users read who used the most; an admin does not", async () => {
  const [superUser, busy] = [await app.given.admin({ super: true }), await adminOfOwn()];
  await app.as(busy).get("/tags/list?searchParam=x");
  await app.as(busy).get("/tags/list");
  const { body } = await app
    .as(superUser)
    .get<ReplyOf<"GET /operation/usage">>("/operation/usage?span=day");
  const row = body.companies.find(({ companyId }) => companyId === busy.companyId);
  expect(row).toMatchObject({ calls: 2, searches: 1, refused: 0, mediaBytes: 0 });
  expect(body.companies[0]?.databaseMs).toBeGreaterThan(0);
  expect((await app.as(busy).get("/operation/usage")).status).toBe(403);
});
