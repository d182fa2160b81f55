import pg from "pg";

/** A statement of the product with what it was given and how many rows it answered. */
export type Statement = {
  name?: string | undefined;
  text: string;
  values: readonly unknown[];
  rows: Rows;
};

/**
 * One committed transaction, its statements in the order in which they were sent. A statement outside of a transaction
 * is one by itself, without a begin.
 */
export type Transaction = { begin: string | null; statements: Statement[] };

type Query = (this: pg.Client, ...args: unknown[]) => unknown;
type Sent = Pick<Statement, "text"> & Partial<Pick<Statement, "name" | "values">>;
type Rows = readonly unknown[];

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

  /** Takes note of what is sent; answers what to do with the answer. */
  function note(client: pg.Client, { name, text, values = [] }: Sent): (rows: Rows) => void {
    if (text.startsWith("begin")) {
      open.set(client, { begin: text, statements: [] });
      return () => undefined;
    }
    const transaction = open.get(client);
    if (text === "commit" || text === "rollback") {
      open.delete(client);
      return () => transaction && text === "commit" && onCommit(transaction);
    }
    const statement: Statement = { name, text, values, rows: [] };
    transaction?.statements.push(statement);
    return (rows) => {
      statement.rows = rows;
      if (!transaction) onCommit({ begin: null, statements: [statement] });
    };
  }

  driver.query = function (...args) {
    const sent = sentBy(args);
    if (!sent) return original.apply(this, args);
    const answered = note(this, sent);
    const callback = args.at(-1);
    if (typeof callback === "function") {
      const watched = (error: unknown, result: pg.QueryResult): void => {
        if (!error) answered(result.rows);
        callback(error, result);
      };
      return original.apply(this, [...args.slice(0, -1), watched]);
    }
    const result = original.apply(this, args);
    // The caller handles a failure: it has the same promise.
    if (result instanceof Promise)
      void result.then(
        ({ rows }) => answered(rows),
        () => undefined,
      );
    return result;
  };
  return () => {
    driver.query = original;
  };
}

/** Null for what is no plain statement (cursors and the like). */
function sentBy([first, second]: unknown[]): Sent | null {
  const values = Array.isArray(second) ? { values: second } : {};
  if (typeof first === "string") return { text: first, ...values };
  if (typeof first !== "object" || first === null || !("text" in first)) return null;
  return { ...(first as Sent), ...values };
}
