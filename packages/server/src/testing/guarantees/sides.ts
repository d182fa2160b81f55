import type { ConnectionId, Endpoint, EndpointName, Profile, QueueId } from "@balcao/contract";
import { apiScopes, endpoints } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { hashOfToken } from "../../features/api/tokens.ts";
import type { TestApp } from "../app.ts";
import type { GivenCompany, GivenUser } from "../given.ts";

export type Role = Profile | "super";
export const roles = ["user", "supervisor", "admin", "super"] as const satisfies readonly Role[];

/** A company with one person of each kind; agents and tickets are in its queue. */
export type Side = {
  company: GivenCompany;
  queueId: QueueId;
  people: Record<Role, GivenUser>;
  /** A personal token of each, for every call. */
  apiTokens: Record<Role, string>;
};

export async function createSide({ given, database }: TestApp): Promise<Side> {
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
  const apiTokens = { user: "", supervisor: "", admin: "", super: "" };
  for (const role of roles) {
    apiTokens[role] = `blc_user_${company.id}${role}`;
    const { id } = people[role];
    // Its last use is never old enough to be noted again.
    await database.db.acrossCompanies((tx) =>
      tx.query(sql`
        insert into api_tokens (company_id, user_id, name, hash, "end", scopes, last_used_at)
        values (${company.id}, ${id}, ${role}, ${hashOfToken(apiTokens[role])}, 'fim', ${JSON.stringify(apiScopes)},
          '2099-01-01')`),
    );
  }
  return { company, queueId, people, apiTokens };
}

/** The token of a connection of `createRows`. */
export const tokenOfConnection = (id: ConnectionId): string => `conexao-${id}`;

/** The token with which a person makes a call, or another program in that person's name. */
export function tokenFor(
  name: EndpointName,
  { people, apiTokens }: Pick<Side, "people" | "apiTokens">,
  role: Role,
  rows: { connectionId: ConnectionId },
): string {
  const { auth }: Endpoint = endpoints[name];
  if (auth === "connectionToken") return tokenOfConnection(rows.connectionId);
  return auth === "apiToken" ? apiTokens[role] : people[role].token;
}
