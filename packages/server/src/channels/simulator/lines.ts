import type { CompanyId, ConnectionId } from "@balcao/contract";
import { DomainError } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import type { Wake } from "../../platform/db/wake.ts";
import type { Random } from "../../platform/sources.ts";
import type { Changes } from "./changes.ts";
import type { LineConnection, LineRef } from "./line.ts";
import { readLineConnections } from "./line.ts";
import type { Typing } from "./topics.ts";
import { lineTopic, typingTopic } from "./topics.ts";

export type Lines = {
  /** Runs with a simulated connection of the company; everything else is "not found". */
  on<T>(
    scope: { companyId: CompanyId },
    connectionId: ConnectionId,
    work: (tx: Tx, line: LineRef, connection: LineConnection) => Promise<T>,
  ): Promise<T>;
  /** After the commit the owner of the line looks, and the pages; `phone` null: the line itself. */
  changed(tx: Tx, line: LineRef, phone: string | null): void;
  /** After the commit the owner of the line hears what somebody is doing. */
  typed(tx: Tx, line: LineRef, typing: Typing): void;
  /** A new id for what a customer sends. */
  newId(): string;
  random: Random;
};

export function createLines({
  db,
  wake,
  changes,
  random,
}: {
  db: Database;
  wake: Wake;
  changes: Changes;
  random: Random;
}): Lines {
  return {
    on: ({ companyId }, connectionId, work) =>
      db.transaction({ companyId }, async (tx) => {
        const [connection] = await readLineConnections(tx, companyId, connectionId);
        if (!connection) throw new DomainError("ERR_NO_WAPP_FOUND");
        return work(tx, { companyId, connectionId }, connection);
      }),
    changed: (tx, line, phone) => {
      wake.notify(tx, lineTopic(line.connectionId));
      tx.onCommit(() => changes.notice(line.companyId, line.connectionId, phone));
    },
    typed: (tx, line, typing) => wake.notify(tx, typingTopic(line.connectionId, typing)),
    newId: () => `SIM${random.hex(9).toUpperCase()}`,
    random,
  };
}
