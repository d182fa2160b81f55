import type { QueueId, UserId } from "@balcao/contract";
import type { Company } from "./companies.ts";
import { addCompany, addUser, fill } from "./companies.ts";
import { addHistory } from "./history.ts";
import type { BenchDatabase, BenchPostgres } from "./postgres.ts";

const AGENTS = 20;
const QUEUES = 6;

export type LongHistory = {
  database: BenchDatabase;
  company: Company;
  adminId: UserId;
  agentIds: UserId[];
};

/** A database with one company that has a long history, an admin and agents. */
export async function createLongHistory(
  postgres: BenchPostgres,
  name: string,
): Promise<LongHistory> {
  const database = await postgres.create(name);
  const people = await fill(database, async (tx) => {
    const company = await addCompany(tx, { name: "Empresa", queues: QUEUES, connections: 2 });
    const base = { companyId: company.id, profile: "user" as const };
    const agentIds: UserId[] = [];
    for (let number = 1; number <= AGENTS; number += 1) {
      agentIds.push(
        await addUser(tx, { ...base, number, queueIds: queuesOfAgent(company, number) }),
      );
    }
    const admin = { companyId: company.id, profile: "admin" as const, number: 0, queueIds: [] };
    return { company, adminId: await addUser(tx, admin), agentIds };
  });
  await addHistory(database, people.company);
  return { database, ...people };
}

/** Two queues each. */
function queuesOfAgent({ queueIds }: Company, number: number): QueueId[] {
  return queueIds.filter((_, index) => (index + number) % 3 === 0);
}
