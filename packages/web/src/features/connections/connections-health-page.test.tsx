import type { ConnectionHealth } from "@balcao/contract";
import { connectionHealth } from "@balcao/contract";
import { screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { fakeServer } from "../../testing/fake-server.ts";
import { renderRoutes } from "../../testing/render.tsx";
import { ConnectionsHealthPage } from "./connections-health-page.tsx";

function given(id: number, fields: Partial<ConnectionHealth> = {}): ConnectionHealth {
  return connectionHealth.parse({
    id,
    name: `Conexão ${id}`,
    channel: "whatsapp-web",
    status: "CONNECTED",
    closeReason: null,
    retries: 0,
    connectedAt: "2026-11-12T13:05:00.000Z",
    disconnectedAt: null,
    company: { id: 3, name: "Boutique Aurora" },
    outboundWaiting: 0,
    outboundLagSeconds: null,
    inboundWaiting: 0,
    inboundFailed: 0,
    ...fields,
  });
}

const texts = (): (string | null)[] =>
  screen
    .getAllByRole("row")
    .slice(1)
    .map(({ textContent }) => textContent);

function open(): void {
  renderRoutes([{ path: "*", element: <ConnectionsHealthPage /> }], "/connections-health");
}

test("the table shows company, status and waiting messages of each connection", async () => {
  const trouble = given(2, {
    status: "TIMEOUT",
    closeReason: "network",
    retries: 4,
    disconnectedAt: "2026-11-12T14:00:00.000Z",
    outboundWaiting: 2,
    outboundLagSeconds: 130,
    inboundWaiting: 1,
    inboundFailed: 3,
  });
  fakeServer({
    "GET /api/connections-health": () => ({
      body: { connections: [trouble, given(1)], count: 2, hasMore: false },
    }),
  });
  open();
  await screen.findByText("Conexão 2");
  const [first, second] = texts();
  expect(first).toContain("Boutique Aurora");
  expect(first).toContain("A rede caiu");
  expect(first).toContain("2 mensagens, a mais antiga há 2 min");
  expect(first).toContain("1 evento, 3 não processados");
  expect(second).toContain("Em dia");
});

test("the search asks the server, and an empty result names the words", async () => {
  const { requests } = fakeServer({
    "GET /api/connections-health": () => ({ body: { connections: [], count: 0, hasMore: false } }),
  });
  open();
  await userEvent.type(await screen.findByRole("searchbox"), "Aurora");
  expect(await screen.findByText("Nada encontrado para “aurora”")).toBeTruthy();
  expect(requests.at(-1)?.call).toContain("searchParam=aurora");
});

test("it is refetched every 30 seconds while shown", async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  let reads = 0;
  fakeServer({
    "GET /api/connections-health": () => {
      reads += 1;
      return { body: { connections: [given(reads)], count: 1, hasMore: false } };
    },
  });
  open();
  await screen.findByText("Conexão 1");
  await vi.advanceTimersByTimeAsync(30_100);
  await waitFor(() => expect(screen.getByText("Conexão 2")).toBeTruthy());
  vi.useRealTimers();
});
