import { act, screen } from "@testing-library/react";
import { afterEach, describe, expect, test } from "vitest";
import { endSession, startSession } from "../api/session-store.ts";
import { fakeServer } from "../testing/fake-server.ts";
import { givenUser } from "../testing/given.ts";
import { renderRoutes } from "../testing/render.tsx";
import { PermittedOnly, SignedInOnly, VisitorsOnly } from "./guards.tsx";

const routes = [
  { element: <VisitorsOnly />, children: [{ path: "/login", element: <p>sign in</p> }] },
  { path: "/tickets/:ticketUuid?", element: <SignedInOnly>the tickets</SignedInOnly> },
  {
    element: (
      <SignedInOnly>
        <PermittedOnly permission="simulator:use" />
      </SignedInOnly>
    ),
    children: [{ path: "/simulator", element: <p>the simulator</p> }],
  },
];

afterEach(() => {
  endSession("logout");
});

describe("a private page", () => {
  test("sends a visitor to sign in and lets him in at the same address afterwards", async () => {
    endSession("expired");
    const { address } = renderRoutes(routes, "/tickets/abc?tab=closed");
    expect(await screen.findByText("sign in")).toBeTruthy();
    expect(address()).toBe("/login");
    act(() => startSession("t", givenUser()));
    expect(await screen.findByText("the tickets")).toBeTruthy();
    expect(address()).toBe("/tickets/abc?tab=closed");
  });

  test("forgets the address for whoever signed out himself", async () => {
    startSession("t", givenUser());
    const { address } = renderRoutes(routes, "/tickets/abc");
    expect(await screen.findByText("the tickets")).toBeTruthy();
    act(() => endSession("logout"));
    expect(await screen.findByText("sign in")).toBeTruthy();
    act(() => startSession("t", givenUser({ id: 8 })));
    expect(await screen.findByText("the tickets")).toBeTruthy();
    expect(address()).toBe("/tickets");
  });
});

test("the sign-in page sends whoever is signed in to the tickets", async () => {
  startSession("t", givenUser());
  const { address } = renderRoutes(routes, "/login");
  expect(await screen.findByText("the tickets")).toBeTruthy();
  expect(address()).toBe("/tickets");
});

describe("a page of one permission", () => {
  test("is there for an admin", async () => {
    fakeServer({});
    startSession("t", givenUser({ profile: "admin" }));
    renderRoutes(routes, "/simulator");
    expect(await screen.findByText("the simulator")).toBeTruthy();
  });

  test("sends an agent to the tickets", async () => {
    fakeServer({});
    startSession("t", givenUser({ profile: "user" }));
    renderRoutes(routes, "/simulator");
    expect(await screen.findByText("the tickets")).toBeTruthy();
  });
});
