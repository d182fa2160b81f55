import type { Endpoint, EndpointName, Permission } from "@balcao/contract";
import { endpoints, permissions } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { testApp } from "../app.ts";
import { digestAll } from "./digest.ts";
import { createSender } from "./http-sender.ts";
import type { Role } from "./sides.ts";
import { createRows, createSide, roles } from "./sides.ts";
import { toWire, validParts } from "./valid-requests.ts";

/**
 * Who holds what, written down a second time (wire-contract 4.1 and 4.2, architecture D8): a change of the contract's
 * table is only right when it is made here too.
 */
const holders: Record<Permission, readonly Role[]> = {
  "tickets:work": ["user", "supervisor", "admin", "super"],
  "tickets:see-all": ["admin", "super"],
  "tickets:assign-others": ["admin", "super"],
  "connections:list": ["user", "supervisor", "admin", "super"],
  "connections:manage": ["admin", "super"],
  "queues:list": ["user", "supervisor", "admin", "super"],
  "settings:read": ["user", "supervisor", "admin", "super"],
  "settings:read-secrets": ["admin", "super"],
  "settings:write": ["admin", "super"],
  "companies:read-any": ["super"],
  "simulator:use": ["admin", "super"],
};

const product = await testApp({ environment: { ROLES: "http" } });
const { database, given } = product;
const send = createSender(product.url);
const side = await createSide(product);

const names = Object.keys(endpoints) as EndpointName[];
const endpointOf = (name: EndpointName): Endpoint => endpoints[name];
const guarded = names.filter((name) => endpointOf(name).permission !== undefined);
const signedIn = names.filter((name) => endpointOf(name).auth === "bearer");

/** The valid request of a call, with this Authorization header or none. */
async function call(name: EndpointName, authorization: string | null, role: Role = "admin") {
  const { body, ...wire } = toWire(name, validParts(name, await createRows(product, side, role)));
  const before = await digestAll(database.db);
  const answer = await send({
    ...wire,
    headers: {
      ...(authorization === null ? {} : { authorization }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body }),
  });
  const hasChanged = JSON.stringify(before) !== JSON.stringify(await digestAll(database.db));
  return { ...answer, hasChanged };
}

test("every permission of the table is decided here", () => {
  expect(Object.keys(holders).sort()).toEqual([...permissions].sort());
});

test("every call beyond sign-in and health needs a bearer", () => {
  const open = names.filter((name) => endpointOf(name).auth !== "bearer");
  expect(open.sort()).toEqual([
    "DELETE /auth/logout",
    "GET /health",
    "GET /health/live",
    "GET /health/ready",
    "GET /version",
    "POST /auth/login",
    "POST /auth/refresh_token",
  ]);
});

test("every call that needs a bearer but no permission shows only what every user may know", () => {
  const free = signedIn.filter((name) => endpointOf(name).permission === undefined);
  expect(free.sort()).toEqual(["GET /auth/me", "GET /companies/listPlan/:companyId"]);
});

const matrix = guarded.flatMap((name) => roles.map((role) => ({ name, role })));

test.for(matrix)("$name as $role", async ({ name, role }) => {
  const { permission, status = 200 } = endpointOf(name);
  if (!permission) throw new Error("the matrix holds guarded calls only");
  const reply = await call(name, `Bearer ${side.people[role].token}`, role);
  if (holders[permission].includes(role)) {
    expect([reply.status, reply.text]).toEqual([status, expect.anything()]);
    return;
  }
  expect([reply.status, reply.body]).toMatchObject([
    403,
    { error: "ERR_NO_PERMISSION", code: "ERR_NO_PERMISSION" },
  ]);
  expect(reply.hasChanged).toBe(false);
});

test.for(signedIn)("%s without a token", async (name) => {
  for (const authorization of [null, "", "Bearer", "Bearer ", "Basic YTpi"]) {
    const reply = await call(name, authorization);
    expect([reply.status, reply.body]).toMatchObject([401, { code: "ERR_SESSION_EXPIRED" }]);
    expect(reply.hasChanged).toBe(false);
  }
});

test.for(signedIn)("%s with a token that proves nothing any more", async (name) => {
  const { company, people } = side;
  const expired = await given.token(people.admin, { at: new Date(Date.now() - 3_600_001) });
  const [header, claims = "", signature] = people.admin.token.split(".");
  const altered = [header, claims.replace(/.$/, (end) => (end === "A" ? "B" : "A")), signature];
  const replaced = await given.admin({ company });
  await database.db.acrossCompanies((tx) =>
    tx.query(sql`update users set token_version = token_version + 1 where id = ${replaced.id}`),
  );
  for (const token of [expired, altered.join("."), "a.b.c", replaced.token]) {
    const reply = await call(name, `Bearer ${token}`);
    // Older clients renew their session on exactly this status.
    expect([reply.status, reply.body]).toMatchObject([403, { code: "ERR_TOKEN_EXPIRED" }]);
    expect(reply.hasChanged).toBe(false);
  }
});

test("the token of a user who is gone ends the client's session", async () => {
  const gone = await given.admin({ company: side.company });
  await database.db.acrossCompanies((tx) => tx.query(sql`delete from users where id = ${gone.id}`));
  const reply = await call("GET /tickets", `Bearer ${gone.token}`);
  expect([reply.status, reply.body]).toMatchObject([401, { code: "ERR_SESSION_EXPIRED" }]);
});
