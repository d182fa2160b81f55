import type { Profile, QueueId } from "@balcao/contract";
import type { TestApp } from "../app.ts";
import type { GivenCompany, GivenUser } from "../given.ts";

export type Role = Profile | "super";
export const roles = ["user", "supervisor", "admin", "super"] as const satisfies readonly Role[];

/** A company with one person of each kind; agents and tickets are in its queue. */
export type Side = {
  company: GivenCompany;
  queueId: QueueId;
  people: Record<Role, GivenUser>;
};

export async function createSide({ given }: TestApp): Promise<Side> {
  // Each row of connections, users and queues is a new one.
  const plenty = 1_000_000;
  const plan = { connections: plenty, users: plenty, queues: plenty };
  const company = await given.company({ plan });
  const queueId = await given.queue({ company });
  const queueIds = [queueId];
  const people = {
    user: await given.agent({ company, queueIds }),
    supervisor: await given.supervisor({ company, queueIds }),
    admin: await given.admin({ company }),
    super: await given.admin({ company, super: true }),
  };
  return { company, queueId, people };
}
