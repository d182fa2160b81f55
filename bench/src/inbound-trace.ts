import type { Transaction } from "./recorder.ts";
import { recordTransactions } from "./recorder.ts";

/** The product's statements while messages came in. */
export type InboundTrace = {
  /** Inserts into the journal, in the order of their commits. */
  journal: Transaction[];
  /** Transactions that handled a message, by the id of its journal row. */
  received: Map<number, Transaction>;
  /** Called after each entry in `received`. */
  onReceived: () => void;
  stop(): void;
};

/** Records until `stop`. The two transactions are recognised by the runtime's statement names. */
export function recordInbound(): InboundTrace {
  const trace: InboundTrace = {
    journal: [],
    received: new Map(),
    onReceived: () => undefined,
    stop: recordTransactions((transaction) => {
      const [first] = transaction.statements;
      if (first?.name === "journal-insert") trace.journal.push(transaction);
      if (first?.name !== "inbound-claim") return;
      trace.received.set(journalIdOf(transaction), transaction);
      trace.onReceived();
    }),
  };
  return trace;
}

/** The ids that an insert into the journal answered. */
export function journalIds(rows: readonly unknown[]): number[] {
  return rows.map((row) => Number((row as { id: unknown }).id));
}

/** The row that a receive transaction takes out of the journal: the last value of its first statement. */
function journalIdOf({ statements }: Transaction): number {
  return Number(statements[0]?.values.at(-1));
}

/** Connection and chats of an insert into the journal. */
export function chatsOf({ statements }: Transaction): { connectionId: number; chatKeys: string[] } {
  const [, connectionId, , , chatKeys] = statements[0]?.values ?? [];
  if (typeof connectionId !== "number" || !Array.isArray(chatKeys)) {
    throw new Error("the journal's insert has other parameters than the benchmark knows");
  }
  return { connectionId, chatKeys: chatKeys.map(String) };
}
