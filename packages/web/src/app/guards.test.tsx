import { act, screen } from "@testing-library/react";
import type { Profile } from "@balcao/contract/permissions";
import { isAllowed, profiles } from "@balcao/contract/permissions";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { endSession, startSession } from "../api/session-store.ts";
import { fakeServer } from "../testing/fake-server.ts";
import { givenUser } from "../testing/given.ts";
import { renderRoutes } from "../testing/render.tsx";
import { Home, PermittedOnly, SignedInOnly, VisitorsOnly } from "./guards.tsx";
import { homeOf } from "./pages.ts";

const routes = [
  {
    path: "/",
    element: (
      <SignedInOnly>
        <Home />
      </SignedInOnly>
    ),
  },
  { element: <VisitorsOnly />, children: [{ path: "/login", element: <p>sign in</p> }] },
  { path: "/tickets/:ticketUuid?", element: <SignedInOnly>the tickets</SignedInOnly> },
  {
    path: "/simulator",
    element: (
      <SignedInOnly>
        <PermittedOnly permission="simulator:use">the simulator</PermittedOnly>
      </SignedInOnly>
    ),
  },
];

// A page of a signed-in user reads the plan.
beforeEach(() => {
  fakeServer({});
});

afterEach(() => {
  endSession("logout");
});

describe("a private page", () => {
  test("sends a visitor to sign in and returns to the same address afterwards", async () => {
    endSession("expired");
    const { address } = renderRoutes(routes, "/tickets/abc?tab=closed");
    expect(await screen.findByText("sign in")).toBeTruthy();
    expect(address()).toBe("/login");
    act(() => startSession("t", givenUser()));
    expect(await screen.findByText("the tickets")).toBeTruthy();
    expect(address()).toBe("/tickets/abc?tab=closed");
  });

  test("forgets the address after signing out", async () => {
    startSession("t", givenUser());
    const { address } = renderRoutes(routes, "/tickets/abc");
    expect(await screen.findByText("the tickets")).toBeTruthy();
    act(() => endSession("logout"));
    expect(await screen.findByText("sign in")).toBeTruthy();
    act(() => startSession("t", givenUser({ id: 8, profile: "user" })));
    expect(await screen.findByText("the tickets")).toBeTruthy();
    expect(address()).toBe("/tickets");
  });
});

test("the sign-in page sends a signed-in user to the home page", async () => {
  startSession("t", givenUser({ profile: "user" }));
  const { address } = renderRoutes(routes, "/login");
  expect(await screen.findByText("the tickets")).toBeTruthy();
  expect(address()).toBe("/tickets");
});

describe("a page of one permission", () => {
  test("is shown to an admin", async () => {
    fakeServer({});
    startSession("t", givenUser({ profile: "admin" }));
    renderRoutes(routes, "/simulator");
    expect(await screen.findByText("the simulator")).toBeTruthy();
  });

  test.each([
    [true, "the schedules"],
    [false, "the tickets"],
  ])("of a feature of plans waits for the plan: %s", async (useSchedules, shown) => {
    const at = "2026-11-20T10:00:00.000Z";
    const plan = {
      ...{ id: 1, name: "Plano", users: 1, connections: 1, queues: 1, value: 1 },
      ...{ useCampaigns: false, useKanban: false, useOpenAi: false, useIntegrations: false },
      ...{ useSchedules, useInternalChat: false, useExternalApi: false },
    };
    const company = { name: "Loja", email: "", phone: null, status: true, dueDate: null };
    fakeServer({
      "GET /api/companies/listPlan/3": () => ({
        body: { ...company, id: 3, createdAt: at, plan: { ...plan, createdAt: at, updatedAt: at } },
      }),
    });
    startSession("t", givenUser({ profile: "user" }));
    const page = (
      <SignedInOnly>
        <PermittedOnly permission="schedules:use">the schedules</PermittedOnly>
      </SignedInOnly>
    );
    renderRoutes([...routes, { path: "/schedules", element: page }], "/schedules");
    expect(await screen.findByText(shown)).toBeTruthy();
  });

  test.each([
    ["admin", "Ver planos"],
    ["user", "the tickets"],
  ] as const)("that the plan lacks says to an admin what it does: %s", async (profile, shown) => {
    const plan = {
      ...{ useCampaigns: true, useKanban: true, useOpenAi: true, useIntegrations: false },
      ...{ useSchedules: true, useInternalChat: true, useExternalApi: true },
    };
    startSession("t", givenUser({ profile, company: { plan } }));
    const page = (
      <SignedInOnly>
        <PermittedOnly permission="integrations:manage" offersPlan>
          the integrations
        </PermittedOnly>
      </SignedInOnly>
    );
    renderRoutes([...routes, { path: "/queue-integration", element: page }], "/queue-integration");
    expect(await screen.findByText(shown)).toBeTruthy();
    if (profile === "user") return;
    expect(screen.getByRole("heading", { name: "Integrações" })).toBeTruthy();
    expect(screen.getByText(/Typebot e Dialogflow conversam com o cliente/)).toBeTruthy();
  });

  test("sends an agent to the tickets", async () => {
    fakeServer({});
    startSession("t", givenUser({ profile: "user" }));
    renderRoutes(routes, "/simulator");
    expect(await screen.findByText("the tickets")).toBeTruthy();
  });
});

describe("the home page", () => {
  const plan = {
    ...{ useCampaigns: false, useKanban: false, useOpenAi: false, useIntegrations: false },
    ...{ useSchedules: false, useInternalChat: false, useExternalApi: false },
  };
  const canAs = (profile: Profile) => (permission: Parameters<typeof isAllowed>[1]) =>
    isAllowed({ profile, super: false, plan }, permission);

  test.each(profiles)("is the dashboard for admins, the tickets page for others: %s", (profile) => {
    expect(homeOf(canAs(profile))).toBe(profile === "admin" ? "/" : "/tickets");
  });

  test("is the first home page that the role may open", () => {
    const pages = [
      { path: "connections", permission: "connections:manage" },
      { path: "settings", permission: "settings:write", isHome: true },
      { path: "tickets", permission: "tickets:work", isHome: true },
    ] as const;
    expect(homeOf(canAs("admin"), pages)).toBe("/settings");
    expect(homeOf(canAs("supervisor"), pages)).toBe("/tickets");
  });
});
