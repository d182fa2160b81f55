import type { Endpoint, EndpointName, ErrorCode, Permission, PlanFlag } from "@balcao/contract";
import { endpoints, permissions, planFlags } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { startGraphStub } from "../../channels/cloud-api/testing/graph-stub.ts";
import { reachedByIntegrations } from "../../features/integrations/testing/stubs.ts";
import { startSmtpStub } from "../../features/mails/testing/smtp-stub.ts";
import { testApp } from "../app.ts";
import type { Answer } from "./http-sender.ts";
import { createSender, watchWrites } from "./http-sender.ts";
import type { Rows } from "./rows.ts";
import { createRows, createUnusedRows } from "./rows.ts";
import type { Role } from "./sides.ts";
import { createSide, roles, tokenFor } from "./sides.ts";
import { unaudited } from "./unaudited.ts";
import { toWire, validParts } from "./valid-requests.ts";

/**
 * The permissions of each profile, written a second time (wire-contract 4.1 and 4.2, architecture D8): a change of the
 * contract's table is only right when it is made here too.
 */
const holders: Record<Permission, readonly Role[]> = {
  "tickets:work": ["user", "supervisor", "admin", "super"],
  "tickets:see-all": ["admin", "super"],
  "tickets:assign-others": ["admin", "super"],
  "tickets:delete": ["admin", "super"],
  "tickets:close-all": ["admin", "super"],
  "tickets:spy": ["supervisor", "admin", "super"],
  "notes:delete-any": ["admin", "super"],
  "contacts:work": ["user", "supervisor", "admin", "super"],
  "contacts:delete": ["admin", "super"],
  "tags:use": ["user", "supervisor", "admin", "super"],
  "tags:set-kanban": ["supervisor", "admin", "super"],
  "tags:manage": ["admin", "super"],
  "kanban:use": ["user", "supervisor", "admin", "super"],
  "kanban:order": ["supervisor", "admin", "super"],
  "quick-messages:use": ["user", "supervisor", "admin", "super"],
  "quick-messages:manage-all": ["admin", "super"],
  "file-lists:use": ["user", "supervisor", "admin", "super"],
  "file-lists:manage": ["admin", "super"],
  "contact-lists:use": ["user", "supervisor", "admin", "super"],
  "contact-lists:manage": ["admin", "super"],
  "campaigns:use": ["user", "supervisor", "admin", "super"],
  "campaigns:manage": ["admin", "super"],
  "schedules:use": ["user", "supervisor", "admin", "super"],
  "schedules:manage-all": ["admin", "super"],
  "chats:use": ["user", "supervisor", "admin", "super"],
  "prompts:list": ["user", "supervisor", "admin", "super"],
  "prompts:manage": ["admin", "super"],
  "knowledge:manage": ["supervisor", "admin", "super"],
  "ai-help:use": ["user", "supervisor", "admin", "super"],
  "integrations:list": ["user", "supervisor", "admin", "super"],
  "integrations:manage": ["admin", "super"],
  "integrations:read-secrets": ["admin", "super"],
  "api:manage": ["admin", "super"],
  "users:list": ["user", "supervisor", "admin", "super"],
  "users:read-emails": ["admin", "super"],
  "users:manage": ["admin", "super"],
  "roles:manage": ["admin", "super"],
  "connections:list": ["user", "supervisor", "admin", "super"],
  "connections:manage": ["admin", "super"],
  "connections:read-any": ["super"],
  "queues:list": ["user", "supervisor", "admin", "super"],
  "queues:manage": ["admin", "super"],
  "settings:read": ["user", "supervisor", "admin", "super"],
  "settings:read-secrets": ["admin", "super"],
  "settings:write": ["admin", "super"],
  "companies:manage": ["admin", "super"],
  "announcements:read": ["user", "supervisor", "admin", "super"],
  "announcements:manage": ["super"],
  "helps:read": ["user", "supervisor", "admin", "super"],
  "helps:manage": ["super"],
  "companies:read-any": ["super"],
  "companies:manage-any": ["super"],
  "plans:manage": ["super"],
  "mails:manage": ["super"],
  "billing:manage": ["super"],
  "invoices:pay": ["admin", "super"],
  "dashboard:view": ["admin", "super"],
  "reports:view": ["supervisor", "admin", "super"],
  "audit:view": ["admin", "super"],
  "simulator:use": ["admin", "super"],
  "privacy:manage": ["admin", "super"],
};

const product = await testApp({
  environment: {
    ...{ ROLES: "http", GRAPH_API_URL: (await startGraphStub()).url },
    ...(await startSmtpStub()).environment,
  },
  ...(await reachedByIntegrations()),
});
const { database, given } = product;
const send = createSender(product.url);
const side = await createSide(product);

const names = Object.keys(endpoints) as EndpointName[];
const endpointOf = (name: EndpointName): Endpoint => endpoints[name];
const guarded = names.filter((name) => endpointOf(name).permission !== undefined);
const signedIn = names.filter((name) => endpointOf(name).auth === "bearer");

/** Rows that only refused calls name. */
const untouched = await createRows(product, side, "admin");
const unusedRows = createUnusedRows(product, side, untouched);
const writes = await watchWrites(database.db);

/** The valid request of a call, with this Authorization header or none. */
function call(name: EndpointName, authorization: string | null, rows: Rows): Promise<Answer> {
  const { body, contentType, ...wire } = toWire(name, validParts(name, rows));
  const headers = {
    ...(authorization === null ? {} : { authorization }),
    ...(contentType === undefined ? {} : { "content-type": contentType }),
  };
  return send({ ...wire, headers, ...(body === undefined ? {} : { body }) });
}

/** Each of these headers is refused like this, and nothing has changed. */
async function expectRefused(
  name: EndpointName,
  authorizations: readonly (string | null)[],
  refusal: [number, { code: ErrorCode }],
): Promise<void> {
  await writes.take();
  for (const authorization of authorizations) {
    const reply = await call(name, authorization, untouched);
    expect([reply.status, reply.body]).toMatchObject(refusal);
  }
  expect(await writes.take()).toEqual([]);
}

test("every permission of the table is decided here", () => {
  expect(Object.keys(holders).sort()).toEqual([...permissions].sort());
});

test("every call beyond sign-in, sign-up, offered plans, banks and health needs a bearer", () => {
  const open = names.filter((name) => /^(none|cookie)$/.test(endpointOf(name).auth));
  expect(open.sort()).toEqual([
    "DELETE /auth/logout",
    "GET /health",
    "GET /health/live",
    "GET /health/ready",
    "GET /plans/list",
    "GET /plans/register",
    "GET /settings/:key",
    "GET /version",
    "POST /auth/login",
    "POST /auth/passkey",
    "POST /auth/passkey/options",
    "POST /auth/refresh_token",
    "POST /auth/second-factor",
    "POST /auth/signup",
    "POST /companies/cadastro",
    "POST /forgetpassword",
    "POST /forgetpassword/:email",
    "POST /resetpasswords",
    "POST /resetpasswords/:email/:token/:password",
    "POST /subscription/webhook/:key",
    "POST /subscription/webhook/:key/pix",
  ]);
});

test("every call of a program needs the plan, and every one with an API token a permission", () => {
  const programs = names.filter((name) => endpointOf(name).auth.endsWith("Token"));
  for (const name of programs) expect(endpointOf(name).plan).toBe("useExternalApi");
  const free = programs.filter((name) => endpointOf(name).permission === undefined);
  expect(free).toEqual(["POST /messages/send"]);
});

test("every call with a bearer but no permission is for data of all users, or of the caller", () => {
  const free = signedIn.filter((name) => endpointOf(name).permission === undefined);
  expect(free.sort()).toEqual([
    "DELETE /auth/sessions",
    "DELETE /auth/sessions/:sessionId",
    "DELETE /auth/trusted-browsers",
    "DELETE /support",
    "GET /auth/me",
    "GET /auth/security",
    "GET /auth/sessions",
    "GET /auth/sign-ins",
    "GET /companies/:companyId",
    "GET /companies/listPlan/:companyId",
    "GET /plans/:planId",
    "GET /plans/all",
    "GET /users/:userId",
    "POST /auth/factor",
    "POST /auth/factor/confirm",
    "POST /auth/factor/remove",
    "POST /auth/passkeys",
    "POST /auth/passkeys/:passkeyId/remove",
    "POST /auth/passkeys/options",
    "POST /auth/recovery-codes",
    "PUT /auth/passkeys/:passkeyId",
    "PUT /users/:userId",
  ]);
});

/** The calls that have changed something in the matrix, and those of which the audit has an entry. */
const changing = new Set<EndpointName>();
const audited = new Set<EndpointName>();

function noteChange(name: EndpointName, wrote: readonly { what: string }[]): void {
  if (wrote.length > 0) changing.add(name);
  if (wrote.some(({ what }) => what === "insert audit_entries")) audited.add(name);
}

const matrix = guarded.flatMap((name) => roles.map((role) => ({ name, role })));

test.for(matrix)("$name as $role", async ({ name, role }) => {
  const { permission, status = 200 } = endpointOf(name);
  if (!permission) throw new Error("the matrix holds guarded calls only");
  const authorization = `Bearer ${tokenFor(name, side, role, untouched)}`;
  if (!holders[permission].includes(role)) {
    await expectRefused(name, [authorization], [403, { code: "ERR_NO_PERMISSION" }]);
    return;
  }
  const rows = await unusedRows.of(role, (used) => validParts(name, used));
  await writes.take();
  const reply = await call(name, authorization, rows);
  const wrote = await writes.take();
  unusedRows.after(role, wrote);
  noteChange(name, wrote);
  expect([reply.status, reply.text]).toEqual([status, expect.anything()]);
});

test("each call that changes something is in the audit, or is named with the reason why not", () => {
  expect(audited.size).toBeGreaterThan(60);
  // A reading call writes a cache or a mark that it was asked, which is no deed.
  const due = [...changing].filter((name) => !name.startsWith("GET ") && !audited.has(name));
  expect(due.filter((name) => !(name in unaudited)).sort()).toEqual([]);
  expect([...audited].filter((name) => name in unaudited)).toEqual([]);
});

const noTokens = [null, "", "Bearer", "Bearer ", "Basic YTpi"];

test.for(signedIn)("%s without a token", (name) =>
  expectRefused(name, noTokens, [401, { code: "ERR_SESSION_EXPIRED" }]),
);

test.for(signedIn)("%s with a token that proves nothing any more", async (name) => {
  // Older clients renew their session on exactly this status.
  await expectRefused(name, await worthlessTokens(), [403, { code: "ERR_TOKEN_EXPIRED" }]);
});

/** Expired, altered, no token at all, and one of a session that a newer one has replaced. */
async function worthlessTokens(): Promise<string[]> {
  const { company, people } = side;
  const expired = await given.token(people.admin, { at: new Date(Date.now() - 3_600_001) });
  const [header, claims = "", signature] = people.admin.token.split(".");
  const altered = [header, claims.replace(/.$/, (end) => (end === "A" ? "B" : "A")), signature];
  const replaced = await given.admin({ company });
  await database.db.acrossCompanies((tx) =>
    tx.query(sql`update users set token_version = token_version + 1 where id = ${replaced.id}`),
  );
  return [expired, altered.join("."), "a.b.c", replaced.token].map((token) => `Bearer ${token}`);
}

test("the token of a user who is gone ends the client's session", async () => {
  const gone = await given.admin({ company: side.company });
  await database.db.acrossCompanies((tx) => tx.query(sql`delete from users where id = ${gone.id}`));
  const tokens = [`Bearer ${gone.token}`];
  await expectRefused("GET /tickets", tokens, [401, { code: "ERR_SESSION_EXPIRED" }]);
});

/** What somebody of the provider may not do with the rights of a company's admin, written a second time. */
const closedToVisitors: readonly Permission[] = [
  "users:manage",
  "roles:manage",
  "api:manage",
  "integrations:read-secrets",
  "settings:read-secrets",
  "invoices:pay",
  "privacy:manage",
];
const visited = await given.company();
await given.admin({ company: visited });
// A visitor of its own: one is in one company at a time.
const visitor = await given.admin({ company: await given.company(), super: true });
const visit = await product
  .as(visitor)
  .post<{ token: string }>(`/companies/${visited.id}/support`, { reason: "A conexão não volta" });

test.for(
  guarded.filter((name) => closedToVisitors.some((one) => one === endpointOf(name).permission)),
)("%s by a visitor of the provider", async (name) => {
  await expectRefused(name, [`Bearer ${visit.body.token}`], [403, { code: "ERR_NO_PERMISSION" }]);
});

/** The feature of a plan that each group of permissions needs, written a second time. */
const neededFlag: Readonly<Record<string, PlanFlag>> = {
  ...{ kanban: "useKanban", campaigns: "useCampaigns", "contact-lists": "useCampaigns" },
  ...{
    schedules: "useSchedules",
    chats: "useInternalChat",
    prompts: "useOpenAi",
    knowledge: "useOpenAi",
    "ai-help": "useOpenAi",
  },
  ...{ integrations: "useIntegrations", api: "useExternalApi" },
};
const flagOf = (permission: Permission): PlanFlag | undefined =>
  neededFlag[permission.split(":")[0] ?? ""];
const planned = guarded.flatMap((name) => {
  const { permission } = endpointOf(name);
  const flag = permission && flagOf(permission);
  return flag === undefined ? [] : [{ name, flag }];
});

/** The token of a super user with the profile of an admin, in a company of this kind. */
async function tokenIn(wish: Parameters<typeof given.company>[0]): Promise<string> {
  const { token } = await given.admin({ company: await given.company(wish), super: true });
  return `Bearer ${token}`;
}

const withoutFlag = new Map(
  await Promise.all(
    planFlags.map(async (flag) => [flag, await tokenIn({ plan: { [flag]: false } })] as const),
  ),
);

test.for(planned)("$name in a company whose plan lacks $flag", async ({ name, flag }) => {
  const { replyWithoutPlan } = endpointOf(name);
  const token = withoutFlag.get(flag) ?? "";
  if (replyWithoutPlan === undefined) {
    await expectRefused(name, [token], [403, { code: "ERR_NO_PERMISSION" }]);
    return;
  }
  const reply = await call(name, token, untouched);
  expect([reply.status, reply.body]).toEqual([200, replyWithoutPlan]);
});

const expired = await given.admin({
  company: await given.company({ dueDate: new Date("2024-03-10T00:00:00Z") }),
});
const suspended = await given.admin({ company: await given.company() });
await database.db.acrossCompanies((tx) =>
  tx.query(sql`update companies set status = false where id = ${suspended.companyId}`),
);

test.for(signedIn)(
  "%s in a company that is expired, and in one that is suspended",
  async (name) => {
    await expectRefused(
      name,
      [`Bearer ${suspended.token}`],
      [401, { code: "ERR_SESSION_EXPIRED" }],
    );
    const token = `Bearer ${expired.token}`;
    if (!endpointOf(name).openToExpired) {
      await expectRefused(name, [token], [403, { code: "ERR_NO_PERMISSION" }]);
      return;
    }
    // It may refuse what it is asked for, never the caller.
    expect((await call(name, token, untouched)).body).not.toMatchObject({
      code: "ERR_NO_PERMISSION",
    });
  },
);
