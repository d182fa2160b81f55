import pg from "pg";

/** A statement of the product with what it was given and how many rows it answered. */
export type Statement = {
  name: string | undefined;
  text: string;
  values: readonly unknown[];
  rows: readonly unknown[];
};

/** One committed transaction, in the order in which its statements were sent. */
export type Transaction = { begin: string; statements: Statement[] };

type Query = (this: pg.Client, ...args: unknown[]) => unknown;
type Sent = { name?: string; text: string; values?: readonly unknown[] };

/** The driver's class, of which every session of this process is made; its types do not let methods be replaced. */
const driver = pg.Client.prototype as unknown as { query: Query };

/**
 * Listens to every database session of this process and reports each transaction after its COMMIT, before the code that
 * waits for it goes on. It stands between the product and the driver, so what it sees is what PostgreSQL was sent.
 * Answers how to stop listening.
 */
export function recordTransactions(onCommit: (transaction: Transaction) => void): () => void {
  const open = new WeakMap<pg.Client, Transaction>();
  const original = driver.query;

  function observe(client: pg.Client, sent: Sent, result: Promise<pg.QueryResult>): void {
    if (sent.text.startsWith("begin")) {
      open.set(client, { begin: sent.text, statements: [] });
      return;
    }
    const transaction = open.get(client);
    if (!transaction) return;
    if (sent.text === "commit") {
      open.delete(client);
      void result.then(() => onCommit(transaction), ignored);
    } else if (sent.text === "rollback") {
      open.delete(client);
    } else {
      const { name, text, values = [] } = sent;
      const statement: Statement = { name, text, values, rows: [] };
      transaction.statements.push(statement);
      void result.then(({ rows }) => {
        statement.rows = rows;
      }, ignored);
    }
  }

  driver.query = function (...args) {
    const result = original.apply(this, args);
    const sent = sentBy(args);
    // Calls with a callback answer nothing; transactions do not use them.
    if (sent && result instanceof Promise) observe(this, sent, result);
    return result;
  };
  return () => {
    driver.query = original;
  };
}

/** The failure is the caller's to handle: he has the same promise. */
function ignored(): void {}

function sentBy([first, second]: unknown[]): Sent | null {
  const values = Array.isArray(second) ? { values: second } : {};
  if (typeof first === "string") return { text: first, ...values };
  if (typeof first !== "object" || first === null || !("text" in first)) return null;
  return { ...(first as Sent), ...values };
}
