import type { CompanyId } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { testDatabase } from "../testing/database.ts";
import { systemCtx } from "./context.ts";
import { createDomainEvents } from "./events.ts";

declare module "./events.ts" {
  interface EventPayloads {
    "test.stored": { key: string };
  }
}

const { db } = await testDatabase();
const ctx = systemCtx(1 as CompanyId, "test", "r-1");

const keysLike = (prefix: string): Promise<{ key: string }[]> =>
  db.acrossCompanies((tx) =>
    tx.query<{ key: string }>(
      sql`select key from installation where key like ${`${prefix}%`} order by key`,
    ),
  );

/** Events with a subscriber that stores a row of its own. */
function storingEvents() {
  const domainEvents = createDomainEvents();
  domainEvents.on("test.stored", async (_ctx, tx, { key }) => {
    await tx.query(sql`insert into installation (key, value) values (${`${key}-subscriber`}, '1')`);
  });
  return domainEvents;
}

test("subscribers write in the publisher's transaction: a rollback undoes them", async () => {
  const domainEvents = storingEvents();
  const store = (key: string, isRefused: boolean): Promise<void> =>
    db.acrossCompanies(async (tx) => {
      await tx.query(sql`insert into installation (key, value) values (${key}, '1')`);
      await domainEvents.publish(tx, ctx, "test.stored", { key });
      if (isRefused) throw new Error("refused afterwards");
    });
  await store("kept", false);
  await expect(store("undone", true)).rejects.toThrow("refused afterwards");
  expect(await keysLike("kept")).toEqual([{ key: "kept" }, { key: "kept-subscriber" }]);
  expect(await keysLike("undone")).toEqual([]);
});

test("a subscriber that throws inside the transaction rolls back the publisher and the others", async () => {
  const domainEvents = storingEvents();
  const told: string[] = [];
  domainEvents.afterCommit("test.stored", () => told.push("told"));
  domainEvents.on("test.stored", () => Promise.reject(new Error("no")));
  domainEvents.on("test.stored", async () => void told.push("later subscriber"));
  const published = db.acrossCompanies((tx) =>
    domainEvents.publish(tx, ctx, "test.stored", { key: "thrown" }),
  );
  await expect(published).rejects.toThrow("no");
  expect(await keysLike("thrown")).toEqual([]);
  expect(told).toEqual([]);
});

test("subscribers run in the order of subscription; those after the commit get the event once it is committed", async () => {
  const domainEvents = createDomainEvents();
  const told: string[] = [];
  domainEvents.afterCommit("test.stored", (_ctx, { key }) => told.push(`${key} after commit 1`));
  domainEvents.on("test.stored", async (_ctx, _tx, { key }) => void told.push(`${key} inside 1`));
  domainEvents.on("test.stored", async (_ctx, _tx, { key }) => void told.push(`${key} inside 2`));
  domainEvents.afterCommit("test.stored", (_ctx, { key }) => told.push(`${key} after commit 2`));
  await db.acrossCompanies(async (tx) => {
    await domainEvents.publish(tx, ctx, "test.stored", { key: "a" });
    told.push("published");
  });
  expect(told).toEqual([
    "a inside 1",
    "a inside 2",
    "published",
    "a after commit 1",
    "a after commit 2",
  ]);
});
