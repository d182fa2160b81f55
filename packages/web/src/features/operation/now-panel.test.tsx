import type { OperationNow } from "@balcao/contract";
import { endpoints } from "@balcao/contract";
import { act, screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { fakeServer } from "../../testing/fake-server.ts";
import { renderRoutes } from "../../testing/render.tsx";
import { NowPanel } from "./now-panel.tsx";

const given = (fields: Partial<OperationNow> = {}): OperationNow =>
  endpoints["GET /operation/now"].reply.parse({
    at: "2026-11-27T12:00:00.000Z",
    version: "1.0.0",
    problems: [],
    processes: [
      {
        ...{ id: "1", host: "app-1", pid: 70, version: "1.0.0", roles: ["http", "jobs"] },
        ...{ startedAt: "2026-11-27T11:00:00.000Z", seenAt: "2026-11-27T12:00:00.000Z" },
        ...{ isAlive: true, connections: 3, eventLoopP99Ms: 4, eventLoopMaxMs: 9 },
        ...{ memoryBytes: 2e8, diskFreeBytes: 5e10, diskBytes: 1e11, transactionSeconds: 0 },
        ...{ poolOpen: 8, poolUsed: 1, poolWaiting: 0 },
      },
    ],
    queues: [{ queue: "inbound", waiting: 10_000, lagSeconds: 75, failed: 0 }],
    connections: { wanted: 3, connected: 2, connecting: 0, toLink: 0, lost: 1, unowned: 0 },
    jobs: [
      {
        ...{ name: "mails.sweep", dueAt: "2026-11-27T12:30:00.000Z", isRunning: false },
        ...{ startedAt: null, endedAt: null, tookSeconds: null, failures: 2, fault: "57014" },
      },
    ],
    incidents: [],
    slowStatements: [],
    database: {
      ...{ bytes: 1e9, connections: 20, connectionsLimit: 100, replicaLagSeconds: null },
      deadRows: null,
    },
    backup: null,
    ...fields,
  });

function open(reply: () => { status?: number; body: unknown }): () => number {
  let reads = 0;
  fakeServer({
    "GET /api/operation/now": () => {
      reads += 1;
      return reply();
    },
  });
  renderRoutes([{ path: "*", element: <NowPanel /> }], "/operation");
  return () => reads;
}

test("what is wrong has a sentence and an advice; all in order is said", async () => {
  let body = given({
    problems: [{ code: "jobFails", level: "warn", subject: "mails.sweep", value: 2 }],
  });
  vi.useFakeTimers({ shouldAdvanceTime: true });
  open(() => ({ body }));
  await screen.findByText("A tarefa mails.sweep falhou 2 vezes seguidas.");
  expect(screen.getByText(/O código do erro está na tabela de tarefas/)).toBeTruthy();
  expect(screen.getByRole("row", { name: /mails\.sweep Falhou 2 vezes 57014/ })).toBeTruthy();
  expect(screen.getByRole("row", { name: /Mensagens recebidas 10\.000\+ 1 min/ })).toBeTruthy();
  body = given();
  await act(() => vi.advanceTimersByTimeAsync(5_000));
  expect((await screen.findByText("Tudo em ordem.")).textContent).toBe("Tudo em ordem.");
  vi.useRealTimers();
});

test("the figures are read again until they are paused", async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  const user = userEvent.setup({ advanceTimers: vi.advanceTimersByTime });
  const reads = open(() => ({ body: given() }));
  await screen.findByText("Tudo em ordem.");
  await act(() => vi.advanceTimersByTimeAsync(5_100));
  expect(reads()).toBe(2);
  await user.click(screen.getByRole("button", { name: "Pausar" }));
  const paused = reads();
  await act(() => vi.advanceTimersByTimeAsync(20_000));
  expect(reads()).toBe(paused);
  await user.click(screen.getByRole("button", { name: "Atualizar" }));
  await vi.waitFor(() => expect(reads()).toBe(paused + 1));
  vi.useRealTimers();
});

test("old numbers stay, and the page says that they are old", async () => {
  let isAway = false;
  vi.useFakeTimers({ shouldAdvanceTime: true });
  open(() => (isAway ? { status: 503, body: { error: "ERR_UNAVAILABLE" } } : { body: given() }));
  await screen.findByText("Tudo em ordem.");
  isAway = true;
  await act(() => vi.advanceTimersByTimeAsync(5_100));
  await screen.findByText(/Os números são de/);
  expect(screen.getByText("app-1 70")).toBeTruthy();
  vi.useRealTimers();
});
