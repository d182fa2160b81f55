import { sql } from "drizzle-orm";
import { PgBoss } from "pg-boss";
import { beforeAll, expect, test, vi } from "vitest";
import { z } from "zod";
import type { TestDatabase } from "../../testing/database.ts";
import { testDatabase } from "../../testing/database.ts";
import { atEndOfFile } from "../../testing/end-of-file.ts";
import { createLogger } from "../logging/logger.ts";
import type { JobDefinition } from "./jobs.ts";
import { createJobs } from "./jobs.ts";

const greet: JobDefinition<{ name: string }> = {
  name: "greet",
  payload: z.object({ name: z.string() }),
};
const log = createLogger({ level: "silent", pretty: false });

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
  await database.db.acrossCompanies((tx) =>
    tx.query(
      sql`insert into plans (name, users, connections, queues, value_cents) values ('p', 1, 1, 1, 0)`,
    ),
  );
  await database.db.acrossCompanies((tx) =>
    tx.query(sql`insert into companies (name, email, plan_id) select 'A', '', id from plans`),
  );
});

function jobsOf(definitions: JobDefinition[]) {
  return createJobs({ serviceUrl: database.serviceUrl, log, definitions });
}

test("the start refuses a definition without a handler and a second handler for one", async () => {
  const jobs = jobsOf([greet]);
  await expect(jobs.start({ work: true })).rejects.toThrow("jobs without handler: greet");
  jobs.handle(greet, async () => undefined);
  expect(() => jobs.handle(greet, async () => undefined)).toThrow("two handlers");
});

test("a job handed over in a transaction runs if and only if it is committed", async () => {
  const jobs = jobsOf([greet]);
  const greeted: string[] = [];
  jobs.handle(greet, async ({ name }) => {
    greeted.push(name);
  });
  await jobs.start({ work: true });
  atEndOfFile(() => jobs.stop());
  const company = { companyId: 1 as never };
  await database.db.transaction(company, (tx) => jobs.send(tx, greet, { name: "Ana" }));
  await expect(
    database.db.transaction(company, async (tx) => {
      await jobs.send(tx, greet, { name: "Nobody" });
      throw new Error("rolled back");
    }),
  ).rejects.toThrow("rolled back");
  await database.db.transaction(company, (tx) => jobs.send(tx, greet, { name: "Bia" }));
  await vi.waitFor(() => expect(greeted).toEqual(["Ana", "Bia"]), { timeout: 15_000 });
});

test("a job handed over has the row that pg-boss's own send would make", async () => {
  const queue = { ...greet, name: "compare", retryLimit: 7, expireSeconds: 77 };
  const jobs = jobsOf([queue]);
  jobs.handle(queue, async () => undefined);
  await jobs.start({ work: false });
  atEndOfFile(() => jobs.stop());
  const boss = new PgBoss({ connectionString: database.ownerUrl, supervise: false });
  await boss.start();
  await boss.send(queue.name, { name: "Ana" });
  await boss.stop();
  await database.db.transaction({ companyId: 1 as never }, (tx) =>
    jobs.send(tx, queue, { name: "Ana" }),
  );
  const rows = await database.db.acrossCompanies((tx) =>
    tx.query<{ row: unknown }>(sql`
      select to_jsonb(j) - 'id' - 'created_on' - 'start_after' - 'keep_until'
             || jsonb_build_object('kept', keep_until - start_after, 'waits', start_after - created_on) as row
      from pgboss.job j where name = 'compare'`),
  );
  expect(rows).toHaveLength(2);
  expect(rows[1]).toEqual(rows[0]);
});

test("a payload that does not fit its shape is refused before it is stored", async () => {
  const jobs = jobsOf([greet]);
  const wrong = { name: 7 } as unknown as { name: string };
  await expect(
    database.db.transaction({ companyId: 1 as never }, (tx) => jobs.send(tx, greet, wrong)),
  ).rejects.toThrow();
});
