import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { newConnection } from "../../channels/testing/company.ts";
import type { Database, PreparedStatement } from "../../platform/db/database.ts";
import { testDatabase } from "../../testing/database.ts";
import { overdueStatement } from "../ratings/index.ts";
import { inactiveStatement, unqueuedStatement } from "./index.ts";

const now = new Date();

test.each<[section: string, PreparedStatement, values: unknown[], indexes: string[]]>([
  ["2.8", overdueStatement, [now, now, 10], ["attendances_rating"]],
  ["2.10", inactiveStatement, [now, 0, 10], ["connections_expiring", "tickets_answered"]],
  ["2.11", unqueuedStatement, [now, 0, 10], ["connections_transferring", "tickets_unqueued"]],
])(
  "%s: looking for what is due reads indexes, never all rows",
  async (_section, { text }, values, indexes) => {
    const { db } = await testDatabase();
    await addConnections(db, 1_000);
    const plan = await db.acrossCompanies(async (tx) => {
      // The other tables of a test are so small that reading them as a whole would be cheaper.
      await tx.query(sql`set local enable_seqscan = off`);
      const explain = { name: "", text: `explain ${text}` };
      return tx.query<{ "QUERY PLAN": string }>(explain, values);
    });
    const lines = plan.map((row) => row["QUERY PLAN"]).join("\n");
    for (const index of indexes) expect(lines).toContain(index);
    expect(lines).not.toContain("Seq Scan");
  },
);

/** Connections without timers, as nearly all are: any index on them leads to them all, only the timers' own to none. */
async function addConnections(db: Database, count: number): Promise<void> {
  const { companyId } = await newConnection(db);
  await db.acrossCompanies(async (tx) => {
    await tx.query(sql`insert into connections (company_id, name, channel)
                       select ${companyId}, 'Loja ' || n, 'simulator' from generate_series(1, ${count}::int) n`);
    await tx.query(sql`analyze connections`);
  });
}
