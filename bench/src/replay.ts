import pg from "pg";
import type { Statement, Transaction } from "./recorder.ts";

/** Plain sessions of the driver, as many as the product has by default, without any of its code. */
export function openFloor(url: string): pg.Pool {
  return new pg.Pool({ connectionString: url, max: 16, idleTimeoutMillis: 0 });
}

/**
 * Sends a recorded transaction again, statement by statement, by the same names and with the same begin (which sets the
 * company for row-level security). Answers the rows of each statement. Fails when a statement answers another number
 * of rows than it did for the product: then it would not be the same work.
 */
export async function replay(
  pool: pg.Pool,
  transaction: Transaction,
  valuesOf: (statement: Statement) => readonly unknown[] = ({ values }) => values,
): Promise<unknown[][]> {
  const client = await pool.connect();
  try {
    if (transaction.begin !== null) await client.query(transaction.begin);
    const answers: unknown[][] = [];
    for (const statement of transaction.statements) {
      answers.push(await resend(client, statement, valuesOf(statement)));
    }
    if (transaction.begin !== null) await client.query("commit");
    client.release();
    return answers;
  } catch (error) {
    client.release(true);
    throw error;
  }
}

async function resend(
  client: pg.PoolClient,
  { name, text, rows }: Statement,
  values: readonly unknown[],
): Promise<unknown[]> {
  const result = await client.query({ text, values: [...values], ...(name ? { name } : {}) });
  if (result.rows.length !== rows.length) {
    throw new Error(
      `the floor's statement answered ${result.rows.length} rows instead of ${rows.length}: ${text}`,
    );
  }
  return result.rows;
}
