import { expect, test } from "vitest";
import type { Endpoint } from "./endpoint.ts";
import { errorStatus } from "./errors.ts";
import { companyEvents } from "./events.ts";
import { isAllowed, isOnlyPlanMissing, permissions } from "./permissions.ts";
import type { PlanFlags } from "./permissions.ts";
import { endpoints } from "./registry.ts";

const nothing: PlanFlags = {
  useCampaigns: false,
  useKanban: false,
  useOpenAi: false,
  useIntegrations: false,
  useSchedules: false,
  useInternalChat: false,
  useExternalApi: false,
};

const all: [string, Endpoint][] = Object.entries(endpoints);

test.each(all)("%s declares exactly the parameters of its path", (key, endpoint) => {
  const named = [...key.matchAll(/:([a-zA-Z]+)/g)].map((match) => match[1] ?? "");
  expect(Object.keys(endpoint.params?.shape ?? {}).sort()).toEqual(named.sort());
});

test.each(all)(
  "%s names known errors and permissions, and has a body only where one is sent",
  (key, endpoint) => {
    for (const code of endpoint.errors) expect(errorStatus).toHaveProperty(code);
    if (endpoint.permission) {
      expect(permissions).toContain(endpoint.permission);
      expect(endpoint.auth).toMatch(/^(bearer|apiToken)$/);
    }
    // A token without the right words for a call would be good for every call.
    expect(endpoint.scope !== undefined).toBe(endpoint.auth === "apiToken");
    if (endpoint.plan) expect(endpoint.auth).toMatch(/Token$/);
    if (key.startsWith("GET ") || key.startsWith("DELETE ")) expect(endpoint.body).toBeUndefined();
    expect(key).toMatch(/^(GET|POST|PUT|DELETE) (\/([a-zA-Z0-9_-]+|:[a-zA-Z]+))+$/);
  },
);

test.each(all.filter(([, endpoint]) => "replyWithoutPlan" in endpoint))(
  "%s replies in its own shape without the plan, which its permission asks for",
  (_key, { permission, reply, replyWithoutPlan }) => {
    expect(reply.parse(replyWithoutPlan)).toEqual(replyWithoutPlan);
    const holder = { profile: "admin", super: true, plan: nothing } as const;
    expect(permission && isOnlyPlanMissing(holder, permission)).toBe(true);
  },
);

test("an expired company's session may read its own user, pay, and sign out", () => {
  const open = all.filter(([, { openToExpired }]) => openToExpired).map(([key]) => key);
  expect(open).toEqual([
    "GET /auth/me",
    "DELETE /auth/logout",
    "GET /invoices/all",
    "GET /subscription",
    "POST /subscription",
    "POST /subscription/:invoiceId/said-paid",
    "DELETE /support",
  ]);
});

test("every event subject has a payload", () => {
  expect(Object.keys(companyEvents).length).toBeGreaterThan(5);
});

const everything: PlanFlags = {
  useCampaigns: true,
  useKanban: true,
  useOpenAi: true,
  useIntegrations: true,
  useSchedules: true,
  useInternalChat: true,
  useExternalApi: true,
};

test.each([
  ["user", "tickets:work", true],
  ["user", "tickets:see-all", false],
  ["supervisor", "tickets:see-all", false],
  ["admin", "tickets:see-all", true],
  ["user", "connections:list", true],
  ["user", "connections:manage", false],
  ["admin", "connections:manage", true],
  ["supervisor", "settings:write", false],
  ["user", "simulator:use", false],
  ["admin", "simulator:use", true],
  ["admin", "companies:read-any", false],
] as const)("profile %s and %s: %s", (profile, permission, allowed) => {
  expect(isAllowed({ profile, super: false, plan: everything }, permission)).toBe(allowed);
});

test("the super flag opens the provider's calls", () => {
  const holder = { profile: "admin", super: true, plan: everything } as const;
  expect(isAllowed(holder, "companies:read-any")).toBe(true);
});

test.each([
  ["admin", nothing, "schedules:manage-all", true],
  ["admin", everything, "schedules:manage-all", false],
  ["user", nothing, "schedules:manage-all", false],
  ["user", nothing, "tickets:work", false],
] as const)("%s, plan %j, %s: only the plan is missing: %s", (profile, plan, permission, lacks) => {
  expect(isOnlyPlanMissing({ profile, super: false, plan }, permission)).toBe(lacks);
});
