import type { ApiScope, ConnectionId, SimulatorMessage } from "@balcao/contract";
import { apiScopes } from "@balcao/contract";
import { expect, vi } from "vitest";
import { sql } from "drizzle-orm";
import type { TestApp } from "../../../testing/app.ts";
import type { GivenUser } from "../../../testing/given.ts";

type Reply = { status: number; body: unknown; headers: Headers };

/** Another program with a token: JSON, or a form, with an idempotency key where one is given. */
export function createProgram({ url }: Pick<TestApp, "url">, token: string) {
  return async (
    method: string,
    path: string,
    { json, form, key }: { json?: unknown; form?: FormData; key?: string } = {},
  ): Promise<Reply> => {
    const reply = await fetch(`${url}/api${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(json === undefined ? {} : { "content-type": "application/json" }),
        ...(key === undefined ? {} : { "idempotency-key": key }),
      },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
      ...(form === undefined ? {} : { body: form }),
    });
    const body: unknown = await reply.json();
    return { status: reply.status, body, headers: reply.headers };
  };
}

/** A token that an admin makes; with all scopes unless some are named. */
export async function tokenOf(
  app: TestApp,
  admin: GivenUser,
  wish: { kind?: "company" | "user"; scopes?: readonly ApiScope[]; name?: string } = {},
): Promise<{ id: number; token: string }> {
  const made = await app.as(admin).post<{
    id: number;
    token: string;
  }>("/api-tokens", { name: "ERP", kind: "company", scopes: apiScopes, ...wish });
  expect([made.status, made.body]).toEqual([200, expect.anything()]);
  return made.body;
}

/** Gives a connection the token that existing programs send with. */
export async function giveConnectionToken(
  { database }: TestApp,
  connectionId: ConnectionId,
  token: string,
): Promise<void> {
  await database.db.acrossCompanies((tx) =>
    tx.query(sql`update connections set token = ${token} where id = ${connectionId}`),
  );
}

/** A company with an admin and a connected connection. */
export async function createDesk(app: TestApp) {
  const company = await app.given.company();
  const admin = await app.given.admin({ company, name: "Ana" });
  const connectionId = await app.given.connection({ company, name: "Vendas" });
  await vi.waitFor(
    async () => {
      const { body } = await app.as(admin).get<{ status: string }>(`/whatsapp/${connectionId}`);
      expect(body.status).toBe("CONNECTED");
    },
    { interval: 20 },
  );
  const arrived = async (phone: string): Promise<SimulatorMessage[]> => {
    await app.idle();
    const path = `/simulator/connections/${connectionId}/chats/${phone}/messages`;
    const { body } = await app.as(admin).get<SimulatorMessage[]>(path);
    return body.filter(({ fromCustomer }) => !fromCustomer);
  };
  return { company, admin, connectionId, arrived };
}
