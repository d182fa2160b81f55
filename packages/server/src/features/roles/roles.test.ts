import type {
  Endpoint,
  EndpointName,
  Profile,
  ReplyOf,
  RoleId,
  RolePermission,
} from "@balcao/contract";
import {
  apiScopes,
  companyEvent,
  differencesOf,
  endpoints,
  isGrantable,
  limits,
  permissionsOfProfile,
  permissionsOfRole,
  profiles,
  rolePermissions,
} from "@balcao/contract";
import { sql } from "drizzle-orm";
import fc from "fast-check";
import { expect, test } from "vitest";
import { testApp } from "../../testing/app.ts";
import type { GivenCompany, GivenUser } from "../../testing/given.ts";
import { unique } from "../../testing/given.ts";
import { createSender, watchWrites } from "../../testing/guarantees/http-sender.ts";
import { seed, sized } from "../../testing/soak.ts";
import { hashOfToken } from "../api/tokens.ts";
import { newPerson } from "../users/testing/people.ts";

type Role = ReplyOf<"POST /roles">;

const product = await testApp({ environment: { ROLES: "http" } });
const { given, as, live, database } = product;

const refused = (code: string, status = 403) => ({ status, body: { code } });
const beyondOwn = refused("ERR_ROLE_BEYOND_OWN");

async function office() {
  const company = await given.company();
  const admin = await given.admin({ company });
  return { company, admin };
}

async function addRole(
  by: GivenUser,
  profile: Profile,
  permissions: readonly RolePermission[],
  name = "Perfil",
): Promise<Role> {
  const reply = await as(by).post<Role>("/roles", { name, profile, permissions });
  expect(reply.status).toBe(200);
  return reply.body;
}

const run = (statement: ReturnType<typeof sql>) =>
  database.db.acrossCompanies((tx) => tx.query(statement));

/** Without the call, which checks the caller; the session stays. */
const giveRole = (user: GivenUser, id: RoleId) =>
  run(sql`update users set role_id = ${id} where id = ${user.id}`);

const personOf = (profile: Profile, company: GivenCompany): Promise<GivenUser> => {
  if (profile === "admin") return given.admin({ company });
  return profile === "user" ? given.agent({ company }) : given.supervisor({ company });
};

/** A user of the company with a role that has exactly these permissions. */
async function holder(
  { company, admin }: Awaited<ReturnType<typeof office>>,
  profile: Profile,
  permissions: readonly RolePermission[],
  name?: string,
) {
  const role = await addRole(admin, profile, permissions, name);
  const user = await personOf(profile, company);
  await giveRole(user, role.id);
  return { role, user };
}

const managing: readonly RolePermission[] = ["users:manage", "roles:manage"];

test("a role is its profile's permissions with those that were given and without those that were taken", () => {
  const roles = fc.record({
    profile: fc.constantFrom(...profiles),
    chosen: fc.subarray([...rolePermissions]),
  });
  fc.assert(
    fc.property(roles, ({ profile, chosen }) => {
      const preset = permissionsOfProfile(profile);
      const wanted = rolePermissions.filter((one) =>
        isGrantable(one) ? chosen.includes(one) : preset.includes(one),
      );
      expect(permissionsOfRole({ profile, ...differencesOf(profile, chosen) })).toEqual(wanted);
    }),
    { seed },
  );
  // Names that this version does not know count for nothing.
  expect(
    permissionsOfRole({ profile: "user", granted: ["companies:manage-any", "x"], withheld: ["y"] }),
  ).toEqual(permissionsOfProfile("user"));
});

test("roles are added, listed with their users, renamed and deleted, for the own company alone", async () => {
  const { company, admin } = await office();
  const stranger = await office();
  const role = await addRole(admin, "user", ["reports:view"], " Qualidade ");
  expect(role).toMatchObject({ name: "Qualidade", profile: "user", usersCount: 0 });
  expect(role.permissions).toContain("tickets:work");
  expect(role.permissions).toContain("reports:view");
  expect(role.permissions).not.toContain("kanban:use");
  const same = { name: "Qualidade", profile: "admin", permissions: [] };
  expect(await as(admin).post("/roles", same)).toMatchObject(refused("ERR_ROLE_EXISTS", 400));
  const agent = await given.agent({ company });
  await giveRole(agent, role.id);
  expect((await as(admin).get("/roles")).body).toMatchObject([{ id: role.id, usersCount: 1 }]);
  expect((await as(stranger.admin).get("/roles")).body).toEqual([]);
  expect((await as(agent).get("/roles")).status).toBe(403);
  const path = `/roles/${role.id}`;
  for (const reply of [
    await as(stranger.admin).put(path, { name: "Roubado" }),
    await as(stranger.admin).delete(path),
  ]) {
    expect(reply).toMatchObject(refused("ERR_NO_ROLE_FOUND", 404));
  }
  expect(await as(admin).put(path, { name: "Escuta" })).toMatchObject({
    body: { name: "Escuta", permissions: role.permissions, usersCount: 1 },
  });
  await run(sql`
    insert into roles (company_id, name, profile, granted, withheld)
    select ${company.id}, 'Cheio ' || n, 'user', '{}', '{}' from generate_series(2, ${limits.rolesMax}) n`);
  const over = await as(admin).post("/roles", { name: "Demais", profile: "user", permissions: [] });
  expect(over.body).toMatchObject({
    code: "ERR_ROLE_LIMIT_REACHED",
    data: { max: limits.rolesMax },
  });
  // The provider's permissions cannot be given at all.
  for (const permission of ["companies:manage-any", "plans:manage", "no:such"]) {
    expect((await as(admin).put(path, { permissions: [permission] })).status).toBe(400);
  }
});

test("a deleted role leaves its users another role of the same profile, or the profile", async () => {
  const { company, admin } = await office();
  const agent = await given.agent({ company });
  const [first, second] = [
    await addRole(admin, "user", [], "Um"),
    await addRole(admin, "user", ["reports:view"], "Dois"),
  ];
  const other = await addRole(admin, "supervisor", [], "Outro");
  await giveRole(agent, first.id);
  const path = `/roles/${first.id}`;
  expect(await as(admin).delete(path)).toMatchObject({
    status: 400,
    body: { code: "ERR_ROLE_IN_USE", data: { users: 1 } },
  });
  for (const id of [other.id, first.id]) {
    const reply = await as(admin).delete(`${path}?toRoleId=${id}`);
    expect(reply).toMatchObject(refused("ERR_ROLE_PROFILE", 400));
  }
  const roleOf = async () =>
    (await as(admin).get<{ roleId: number }>(`/users/${agent.id}`)).body.roleId;
  expect((await as(admin).delete(`${path}?toRoleId=${second.id}`)).status).toBe(200);
  expect(await roleOf()).toBe(second.id);
  expect((await as(admin).delete(`/roles/${second.id}?toRoleId=profile`)).status).toBe(200);
  expect(await roleOf()).toBeNull();
  expect((await as(admin).delete(`/roles/${other.id}`)).status).toBe(200);
});

test("a user's role brings its profile; clients that send profiles alone keep it or take it away", async () => {
  const { company, admin } = await office();
  const role = await addRole(admin, "supervisor", ["dashboard:view"], "Líder");
  const created = await as(admin).post<{ id: number }>("/users", newPerson({ roleId: role.id }));
  expect(created).toMatchObject({
    body: {
      profile: "supervisor",
      role: { id: role.id, name: "Líder", permissions: role.permissions },
    },
  });
  const { id } = created.body;
  const change = (body: object) => as(admin).put<object>(`/users/${id}`, body);
  expect(await change({ name: "Ana", profile: "supervisor" })).toMatchObject({
    body: { role: { id: role.id } },
  });
  expect((await change({ profile: "user" })).body).not.toHaveProperty("role");
  expect(await change({ roleId: role.id })).toMatchObject({
    body: { profile: "supervisor", role: { id: role.id } },
  });
  const listed = await as(admin).get("/users?searchParam=ana&pageNumber=1");
  expect(listed.body).toMatchObject({
    users: [{ profile: "supervisor", role: { id: role.id, name: "Líder" } }],
  });
  expect((await change({ roleId: null })).body).toMatchObject({ profile: "supervisor" });
  expect((await as(admin).get(`/users/${id}`)).body).toMatchObject({ roleId: null });
  const foreign = await office();
  const theirs = await addRole(foreign.admin, "user", []);
  expect(await change({ roleId: theirs.id })).toMatchObject(refused("ERR_NO_ROLE_FOUND", 404));
  const agent = await given.agent({ company });
  // The own role is none of the fields that users change themselves.
  await as(agent).put(`/users/${agent.id}`, { roleId: role.id });
  expect((await as(admin).get(`/users/${agent.id}`)).body).toMatchObject({ roleId: null });
});

test("nobody gives, takes or changes what they do not hold", async () => {
  const place = await office();
  const { admin, company } = place;
  const { role, user: manager } = await holder(place, "supervisor", [...managing, "chats:use"]);
  const plain = await addRole(admin, "user", ["chats:use"], "Simples");
  const strong = await addRole(admin, "user", ["chats:use", "invoices:pay"], "Forte");
  const agent = await given.agent({ company });
  const by = as(manager);
  const attempts: [string, Promise<unknown>][] = [
    [
      "a role with more",
      by.post("/roles", { name: "Mais", profile: "user", permissions: ["api:manage"] }),
    ],
    [
      "more for a role",
      by.put(`/roles/${plain.id}`, { permissions: ["chats:use", "invoices:pay"] }),
    ],
    [
      "more for the own role",
      by.put(`/roles/${role.id}`, { permissions: [...role.permissions, "api:manage"] }),
    ],
    ["less for a stronger role", by.put(`/roles/${strong.id}`, { permissions: [] })],
    ["a stronger role's end", by.delete(`/roles/${strong.id}`)],
    ["a new admin", by.post("/users", newPerson({ profile: "admin" }))],
    ["a new user with a stronger role", by.post("/users", newPerson({ roleId: strong.id }))],
    ["the profile of admins for oneself", by.put(`/users/${manager.id}`, { profile: "admin" })],
    ["a stronger role for oneself", by.put(`/users/${manager.id}`, { roleId: strong.id })],
    ["an admin's password", by.put(`/users/${admin.id}`, { password: "segredo-999" })],
    ["an admin's end", by.delete(`/users/${admin.id}`)],
    // The plain agent has the kanban, which the manager lacks.
    ["a plain agent's name", by.put(`/users/${agent.id}`, { name: "Outra" })],
  ];
  for (const [what, attempt] of attempts)
    expect([what, await attempt]).toMatchObject([what, beyondOwn]);
  await giveRole(agent, plain.id);
  for (const target of [strong.id, "profile"]) {
    expect(await by.delete(`/roles/${plain.id}?toRoleId=${target}`)).toMatchObject(beyondOwn);
  }
  expect((await by.put(`/users/${agent.id}`, { name: "Outra" })).status).toBe(200);
  expect((await by.put(`/roles/${plain.id}`, { permissions: [] })).status).toBe(200);
  // A permission that one takes from oneself cannot be given back by oneself.
  const less = role.permissions.filter((one) => one !== "chats:use");
  expect((await by.put(`/roles/${role.id}`, { permissions: less })).status).toBe(200);
  expect(await by.put(`/roles/${role.id}`, { permissions: role.permissions })).toMatchObject(
    beyondOwn,
  );
});

test("no role opens by a token, a setting or a queue what it does not have itself", async () => {
  const place = await office();
  const held: RolePermission[] = [...managing, "api:manage", "settings:write"];
  const { user } = await holder(place, "user", [...permissionsOfProfile("user"), ...held]);
  const queueId = await given.queue({ company: place.company });
  const token = { name: "Loja", kind: "company", scopes: ["tickets:read"] };
  for (const attempt of [
    as(user).post("/api-tokens", token),
    as(user).put("/settings/secondFactor", { value: "optional" }),
    as(user).put("/settings/auditDays", { value: "90" }),
    as(user).put(`/users/${user.id}`, { queueIds: [queueId] }),
    as(user).post("/users", newPerson({ queueIds: [queueId] })),
    as(user).put(`/users/${user.id}`, { allTicket: "enabled" }),
    as(user).post("/users", newPerson({ allTicket: "enabled" })),
  ]) {
    expect(await attempt).toMatchObject(beyondOwn);
  }
  expect((await as(user).post("/users", newPerson())).status).toBe(200);
  expect((await as(user).post("/api-tokens", { ...token, kind: "user" })).status).toBe(200);
  expect((await as(user).put("/settings/call", { value: "disabled" })).status).toBe(200);
});

test("the last admin without a role keeps all permissions, whatever others may do", async () => {
  const place = await office();
  const { admin } = place;
  const { role } = await holder(place, "admin", permissionsOfProfile("admin"));
  const last = refused("ERR_USER_LAST_ADMIN", 400);
  expect(await as(admin).put(`/users/${admin.id}`, { roleId: role.id })).toMatchObject(last);
  expect(await as(admin).put(`/users/${admin.id}`, { profile: "user" })).toMatchObject(last);
  await given.admin({ company: place.company });
  expect((await as(admin).put(`/users/${admin.id}`, { roleId: role.id })).status).toBe(200);
});

test("what a role loses ends its users' next call and events; what it gains begins at once", async () => {
  const place = await office();
  const { admin, company } = place;
  const { role, user } = await holder(place, "user", ["users:read-emails", "reports:view"]);
  const agent = await given.agent({ company });
  const client = await live(user);
  const event = companyEvent(company.id, "user");
  const emailHeard = async (name: string): Promise<string | undefined> => {
    await as(admin).put(`/users/${agent.id}`, { name });
    type Told = { user: { name: string; email: string } };
    for (;;) {
      const { user: told } = (await client.next(event)) as Told; // as the contract's event says
      if (told.name === name) return told.email;
    }
  };
  expect(await emailHeard("Bia")).toBe(agent.email);
  expect((await as(user).get("/roles")).status).toBe(403);
  const changed = { permissions: ["users:manage"] };
  expect((await as(admin).put(`/roles/${role.id}`, changed)).status).toBe(200);
  expect(await client.next(event)).toMatchObject({ user: { role: { id: role.id } } });
  // Its rights are read again after the commit.
  await expect.poll(() => emailHeard(`Caio ${unique()}`)).toBe("");
  expect((await as(user).get("/roles")).status).toBe(200);
  expect((await as(user).get("/reports/departamentRatings")).status).toBe(403);
  await as(admin).put(`/roles/${role.id}`, { name: "Novo nome" });
  expect(await client.next(companyEvent(company.id, "role"))).toMatchObject({
    role: { name: "Novo nome" },
  });
});

const names = Object.keys(endpoints) as EndpointName[]; // the registry's keys
const endpointOf = (name: EndpointName): Endpoint => endpoints[name];
const guarded = names.filter(
  (name) =>
    endpointOf(name).permission !== undefined && endpointOf(name).auth !== "connectionToken",
);
const send = createSender(product.url);

/** A call that names nothing there is: whoever holds the permission gets past it, and changes nothing. */
function emptyCall(name: EndpointName, token: string) {
  const [method = "", path = ""] = name.split(" ");
  const root = endpointOf(name).outsideApi ? "" : "/api";
  const target = `${root}${path.replace(/:\w+/g, "2000000000")}`;
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  return send({
    method,
    target,
    headers,
    ...(method === "GET" || method === "DELETE" ? {} : { body: "{}" }),
  });
}

/** Takes each profile in turn. */
const randomRoles = fc
  .sample(fc.subarray([...rolePermissions], { minLength: 10 }), {
    numRuns: sized({ test: 2, soak: 40 }),
    seed,
  })
  .map((permissions, index) => ({
    ...{ permissions, index },
    profile: profiles[index % profiles.length] ?? "user",
  }));
const crowd = await office();
const writes = await watchWrites(database.db);

test.for(randomRoles)(
  `every call is decided by the permissions of a random role of $profile ($index, seed ${seed})`,
  async ({ profile, permissions, index }) => {
    const { role, user } = await holder(crowd, profile, permissions, `Perfil ${index}`);
    const held: readonly string[] = role.permissions;
    const programToken = `blc_user_role${index}`;
    await run(sql`
      insert into api_tokens (company_id, user_id, name, hash, "end", scopes, last_used_at)
      values (${user.companyId}, ${user.id}, 'papel', ${hashOfToken(programToken)}, 'fim', ${JSON.stringify(apiScopes)},
        '2099-01-01')`);
    const wrong: unknown[] = [];
    for (const name of guarded) {
      const { permission = "tickets:work", replyWithoutPlan, auth } = endpointOf(name);
      await writes.take();
      const reply = await emptyCall(name, auth === "apiToken" ? programToken : user.token);
      const isRefused = reply.status === 403 && reply.text.includes("ERR_NO_PERMISSION");
      if (held.includes(permission)) {
        if (isRefused) wrong.push([name, "is refused"]);
        continue;
      }
      const isEmpty = replyWithoutPlan !== undefined && reply.status === 200;
      if (!isRefused && !isEmpty) wrong.push([name, reply.status, reply.text]);
      if (isEmpty) expect(reply.body).toEqual(replyWithoutPlan);
      expect(await writes.take()).toEqual([]);
    }
    expect(wrong).toEqual([]);
    expect(guarded.length).toBeGreaterThan(250);
  },
);
