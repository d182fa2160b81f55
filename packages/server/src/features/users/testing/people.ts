import type { EditableUser, ReplyOf, SessionUser, UserId } from "@balcao/contract";
import { expect } from "vitest";
import type { TestApp } from "../../../testing/app.ts";
import type { GivenUser } from "../../../testing/given.ts";
import { PASSWORD, unique } from "../../../testing/given.ts";

/** A company with two admins, two agents and a queue; `users` is its plan's limit. */
export async function createPeople({ given, as }: TestApp, { users = 20 } = {}) {
  const company = await given.company({ plan: { users } });
  const queueId = await given.queue({ company, name: "Vendas" });
  const admin = await given.admin({ company, name: "Chefe" });
  const create = (body: Record<string, unknown>) =>
    as(admin).post<SessionUser & { code?: string }>("/users", body);
  return {
    company,
    queueId,
    admin,
    second: await given.admin({ company, name: "Vice" }),
    ana: await given.agent({ company, name: "Ana", queueIds: [queueId] }),
    bia: await given.agent({ company, name: "Bia" }),
    create,
    change: (id: UserId, body: Record<string, unknown>, by: GivenUser = admin) =>
      as(by).put<SessionUser & { code?: string }>(`/users/${id}`, body),
    show: async (id: UserId): Promise<EditableUser> => {
      const reply = await as(admin).get<EditableUser>(`/users/${id}`);
      expect(reply.status).toBe(200);
      return reply.body;
    },
    remove: (id: UserId, by: GivenUser = admin) => as(by).delete(`/users/${id}`),
    names: async (): Promise<string[]> => {
      const reply = await as(admin).get<ReplyOf<"GET /users/list">>("/users/list");
      return reply.body.map(({ name }) => name);
    },
  };
}

/** The required fields of a new user, with a unique e-mail. */
export const newPerson = (fields: Record<string, unknown> = {}) => ({
  name: "Caio",
  email: `caio${unique()}@empresa.example`,
  password: PASSWORD,
  ...fields,
});

/** Signs in as a browser does; answers the status, the token and the refresh cookie. */
export async function signIn({ url }: TestApp, email: string, password: string = PASSWORD) {
  return readSession(
    await fetch(`${url}/api/auth/login`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ email, password }),
    }),
  );
}

/** Renews by a refresh cookie. */
export async function renew({ url }: TestApp, cookie: string | null) {
  return readSession(
    await fetch(`${url}/api/auth/refresh_token`, {
      method: "POST",
      headers: { cookie: `jrt=${cookie ?? ""}` },
    }),
  );
}

async function readSession(reply: Response) {
  const body: unknown = await reply.json();
  const token =
    typeof body === "object" && body !== null && "token" in body ? String(body.token) : "";
  return { status: reply.status, token, cookie: refreshCookieOf(reply.headers) };
}

/** The refresh token that a reply put into the cookie; null where it set none. */
export function refreshCookieOf(headers: Headers): string | null {
  return /jrt=([^;]*)/.exec(headers.get("set-cookie") ?? "")?.[1] ?? null;
}
