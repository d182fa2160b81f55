import { act, cleanup, screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { Suspense } from "react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { currentSession, endSession, startSession, startVisit } from "../../api/session-store.ts";
import { fakeServer } from "../../testing/fake-server.ts";
import { givenToken, givenUser } from "../../testing/given.ts";
import { renderOnCache } from "../messages/testing/render-feature.tsx";
import { SupportVisits } from "../settings/support-visits.tsx";
import { EnterQuestion } from "./enter-question.tsx";
import { SupportStrip } from "./support-strip.tsx";

const provider = givenUser({ super: true });
const admin = givenUser({ id: 77, companyId: 5 });
const endsAt = () => new Date(Date.now() + 60 * 60_000).toISOString();
const assign = vi.fn<(url: string | URL) => void>();

beforeEach(() => {
  assign.mockReset();
  vi.spyOn(window.location, "assign").mockImplementation(assign);
  startSession(givenToken("own", 3_600), provider);
});
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
  endSession("logout");
});

test("entering asks for a reason, and begins anew in the company", async () => {
  const { requests } = fakeServer({
    "POST /api/companies/5/support": () => ({
      body: { token: givenToken("visit", 3_600), user: admin, endsAt: endsAt() },
    }),
  });
  renderOnCache(<EnterQuestion company={{ id: 5 as never, name: "Ótica" }} onClose={vi.fn()} />);
  const enter = await screen.findByRole("button", { name: "Entrar" });
  await userEvent.click(enter);
  expect(screen.getByText("Escreva o motivo")).toBeTruthy();
  expect(document.activeElement).toBe(screen.getByRole("textbox"));
  expect(requests).toEqual([]);
  await userEvent.type(screen.getByRole("textbox"), "Conexão caída");
  await userEvent.click(enter);
  await waitFor(() => expect(assign).toHaveBeenCalledWith("/tickets"));
  expect(requests[0]?.body).toEqual({ reason: "Conexão caída" });
  expect(currentSession()).toMatchObject({ user: { id: 77 }, visit: { companyName: "Ótica" } });
});

test("the strip says where the visitor is and for how long; leaving brings the own session back", async () => {
  const visit = { companyName: "Ótica", endsAt: endsAt() };
  act(() => startVisit(givenToken("visit", 3_600), admin, visit));
  const { requests } = fakeServer({
    "DELETE /api/support": () => ({ body: undefined }),
    "POST /api/auth/refresh_token": () => ({
      body: { token: givenToken("own", 3_600), user: provider },
    }),
  });
  renderOnCache(<SupportStrip visit={visit} />);
  expect(await screen.findByText("Você está em Ótica como suporte.")).toBeTruthy();
  expect(screen.getByText(/Restam 60 minutos/)).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: "Sair da empresa" }));
  await waitFor(() => expect(assign).toHaveBeenCalledWith("/"));
  expect(requests.map(({ call }) => call)).toEqual([
    "DELETE /api/support",
    "POST /api/auth/refresh_token",
  ]);
  expect(currentSession()?.user.id).toBe(provider.id);
  expect(currentSession()?.visit).toBeUndefined();
});

test("the company reads who came, when and why", async () => {
  fakeServer({
    "GET /api/support-visits": () => ({
      body: {
        visits: [
          {
            ...{ id: 1, visitorName: "Rogério", adminName: "Renata", reason: "Conexão caída" },
            ...{ startedAt: "2026-11-20T13:00:00.000Z", endsAt: "2026-11-20T14:00:00.000Z" },
            endedAt: "2026-11-20T13:20:00.000Z",
          },
        ],
        ...{ count: 1, hasMore: false },
      },
    }),
  });
  renderOnCache(
    <Suspense fallback={null}>
      <SupportVisits />
    </Suspense>,
  );
  expect(await screen.findByText("Conexão caída")).toBeTruthy();
  expect(
    screen.getByText("20/11/2026, das 10:00 às 10:20. Rogério, com os direitos de Renata."),
  ).toBeTruthy();
});
