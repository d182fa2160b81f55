import type { CompanyId, ConnectionId, Profile, QueueId, UserId } from "@balcao/contract";
import {
  buildCompany,
  buildConnection,
  buildPlan,
  buildQueue,
  buildUser,
} from "@balcao/server/src/features/provisioning/index.ts";
import type { Tx } from "@balcao/server/src/platform/db/database.ts";
import { openDatabase } from "@balcao/server/src/platform/db/database.ts";
import { createLogger } from "@balcao/server/src/platform/logging/logger.ts";
import type { BenchDatabase } from "./postgres.ts";

export type Company = { id: CompanyId; queueIds: QueueId[]; connectionIds: ConnectionId[] };

/** Runs what fills a database before the product is started on it: one transaction of the owner. */
export async function fill<T>(database: BenchDatabase, work: (tx: Tx) => Promise<T>): Promise<T> {
  const log = createLogger({ level: "warn", pretty: false });
  const db = openDatabase({ ...database, poolSize: 2, log });
  try {
    return await db.acrossCompanies(work);
  } finally {
    await db.close();
  }
}

/** A company that works: queues, and connections that want to be online. */
export async function addCompany(
  tx: Tx,
  wish: { name: string; queues: number; connections: number },
): Promise<Company> {
  const planId = await buildPlan(tx, { name: `Plano de ${wish.name}` });
  const dueDate = new Date("2099-12-31T00:00:00Z");
  const id = await buildCompany(tx, { name: wish.name, planId, dueDate });
  const company: Company = { id, queueIds: [], connectionIds: [] };
  for (let n = 1; n <= wish.queues; n += 1) {
    const color = `#${n.toString(16).padStart(6, "0")}`;
    company.queueIds.push(await buildQueue(tx, { companyId: id, name: `Fila ${n}`, color }));
  }
  for (let n = 1; n <= wish.connections; n += 1) {
    const name = `Conexão ${n}`;
    company.connectionIds.push(
      await buildConnection(tx, { companyId: id, name, channel: "simulator", wanted: true }),
    );
  }
  return company;
}

/** A user who never signs in by password: the benchmark makes the tokens. */
export function addUser(
  tx: Tx,
  wish: { companyId: CompanyId; number: number; profile: Profile; queueIds: QueueId[] },
): Promise<UserId> {
  const { number, ...columns } = wish;
  return buildUser(tx, {
    ...columns,
    name: `Pessoa ${number}`,
    email: `pessoa${number}.${wish.companyId}@empresa.example`,
    passwordHash: "none",
  });
}
