import { readFile } from "node:fs/promises";
import type { ReplyOf } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";
import type { TestApp } from "../../testing/app.ts";
import { testApp } from "../../testing/app.ts";
import type { GivenUser } from "../../testing/given.ts";

let app: TestApp;

beforeAll(async () => {
  app = await testApp({
    environment: {
      ...{
        BALCAO_COMPANY_AT_ONCE: "1",
        BALCAO_COMPANY_WAITING: "10",
        BALCAO_COMPANY_SEARCHES: "1",
        BALCAO_COMPANY_PART: "20",
        BALCAO_COMPANY_FLOOD: "0",
      },
    },
  });
});

async function adminOfOwn(): Promise<GivenUser> {
  return app.given.admin({ company: await app.given.company() });
}

test("a second company's call does not wait for 40 transactions of the first, whose own calls are told to wait", async () => {
  const [busy, other] = [await adminOfOwn(), await adminOfOwn()];
  expect((await app.as(other).get("/tags/list")).status).toBe(200);
  const finished: string[] = [];
  const flood = Array.from({ length: 40 }, () =>
    app.app.db
      .transaction({ companyId: busy.companyId }, (tx) =>
        tx.query({ name: "test.sleep", text: "select pg_sleep(0.1)::text" }),
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
  expect(finished.indexOf("other")).toBeLessThan(30);
  expect((await app.as(busy).get("/tags/list")).status).toBe(200);
});

test.runIf(process.platform === "linux")(
  "while others work, the transactions of a flooding company are served by processes of low priority",
  async () => {
    const [busy, other] = [await adminOfOwn(), await adminOfOwn()];
    const priorityOf = async ({ companyId }: GivenUser, seconds: number): Promise<number> => {
      const [row] = await app.app.db.transaction({ companyId }, (tx) =>
        tx.query<{ pid: number }>(
          sql`select pg_backend_pid() as pid from pg_sleep(${seconds}::float8)`,
        ),
      );
      const [, facts = ""] = (await readFile(`/proc/${row?.pid}/stat`, "utf8")).split(") ");
      return Number(facts.split(" ")[16]);
    };
    const usual = await priorityOf(other, 0);
    // It asks for more than the other one, and for more than gets done.
    for (let n = 0; n < 30; n += 1) {
      expect((await app.as(busy).get("/tags/list")).status).toBe(200);
    }
    const flood = Promise.all(Array.from({ length: 24 }, () => priorityOf(busy, 0.05)));
    const beside = [await priorityOf(other, 0.1), await priorityOf(other, 0.1)];
    expect((await flood).at(-1)).toBe(10);
    expect(beside).toEqual([usual, usual]);
  },
);

test("a search that was given up while it waited leaves the company's turn to the next one", async () => {
  const admin = await adminOfOwn();
  const search = (signal?: AbortSignal) => {
    const headers = { authorization: `Bearer ${admin.token}` };
    return fetch(`${app.url}/api/tags?searchParam=x`, { headers, ...(signal ? { signal } : {}) });
  };
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  let isLocked = (): void => undefined;
  const locked = new Promise<void>((resolve) => (isLocked = resolve));
  const lock = app.app.db.acrossCompanies(async (tx) => {
    await tx.query(sql`lock table tags`);
    isLocked();
    await held;
  });
  await locked;
  const first = search();
  const leaving = new AbortController();
  const second = search(leaving.signal);
  await app.as(admin).get("/whatsapp");
  leaving.abort();
  await expect(second).rejects.toThrow();
  // By now the server has seen that the line is closed.
  await app.as(admin).get("/whatsapp");
  release();
  await lock;
  expect((await first).status).toBe(200);
  expect((await search()).status).toBe(200);
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
