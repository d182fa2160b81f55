import type { CalendarEntry } from "@balcao/contract";
import { endpoints } from "@balcao/contract";
import type { Profile } from "@balcao/contract/permissions";
import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { endSession, startSession } from "../../api/session-store.ts";
import type { SeenRequest } from "../../testing/fake-server.ts";
import { fakeServer } from "../../testing/fake-server.ts";
import { givenToken, givenUser } from "../../testing/given.ts";
import { renderRoutes } from "../../testing/render.tsx";
import { SchedulesPage } from "./schedules-page.tsx";

vi.mock("../../realtime/socket.ts", () => import("../../testing/sockets.ts"));

const at = "2026-11-10T13:00:00.000Z";

function given(id: number, name: string, fields: object = {}): CalendarEntry {
  const { schedules } = endpoints["GET /schedules/calendar"].reply.parse({
    schedules: [
      {
        ...{ id, body: `Texto ${id}`, sendAt: "2026-11-20T13:00:00.000Z", sentAt: null },
        ...{ status: "PENDENTE", errorCode: null, contactId: id, ticketId: null, userId: 7 },
        ...{ companyId: 3, mediaPath: null, mediaName: null, series: null },
        ...{
          contact: { id, name, number: "", optedOut: false },
          user: { id: 7, name: "Marina Prado" },
        },
        ...{ connection: { id: 2, name: "Loja Paulista" }, createdAt: at, updatedAt: at },
        ...fields,
      },
    ],
    days: [],
  });
  const [entry] = schedules;
  if (!entry) throw new Error("the entry is missing");
  return entry;
}

const entries = [
  given(1, "Otávio Ramos", { status: "ERRO", errorCode: "ERR_FILE_MISSING" }),
  given(2, "Larissa Campos", {
    series: {
      id: "0190a000-0000-7000-8000-000000000001",
      repeat: { every: "week", weekdays: [5], until: "2026-12-18" },
    },
  }),
];
const none = { waiting: 0, sent: 0, failed: 0, optedOut: 0 };
const calendar = {
  schedules: entries,
  days: [{ day: "2026-11-20", counts: { ...none, waiting: 41, failed: 1 } }],
};

function open(address: string, profile: Profile = "user") {
  const server = fakeServer({
    "GET /api/schedules/calendar": () => ({ body: calendar }),
    "GET /api/schedules": () => ({ body: { schedules: entries, count: 2, hasMore: false } }),
    "GET /api/users/list": () => ({ body: [] }),
    "GET /api/whatsapp": () => ({ body: [] }),
    "GET /api/companies/listPlan/3": () => ({ body: { plan: { useSchedules: true } } }),
    "DELETE /api/schedules/2": () => ({ body: { message: "Schedule deleted" } }),
  });
  startSession(givenToken("t", 3_600), givenUser({ profile }));
  return { ...server, ...renderRoutes([{ path: "*", element: <SchedulesPage /> }], address) };
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2026-11-19T13:12:00.000Z") });
});
afterEach(() => {
  cleanup();
  endSession("logout");
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const asked = (requests: readonly SeenRequest[], path: string): Record<string, string>[] =>
  requests
    .filter(({ call }) => call.startsWith(`GET ${path}?`))
    .map(({ call }) => Object.fromEntries(new URLSearchParams(call.split("?")[1])));

test("the agenda asks for its month only, and lists the days with what they have more", async () => {
  const { requests } = open("/schedules?view=agenda");
  expect(await screen.findByRole("button", { name: /Otávio Ramos/ })).toBeTruthy();
  expect(asked(requests, "/api/schedules/calendar")).toEqual([
    { dateStart: "2026-11-01", dateEnd: "2026-11-30", perDay: "20" },
  ]);
  expect(screen.getByRole("heading", { level: 1 }).textContent).toContain("42");
  expect(screen.getByRole("heading", { name: /Amanhã, sexta/ })).toBeTruthy();
  expect(screen.getByRole("button", { name: "mais 40" })).toBeTruthy();
  expect(screen.getByRole("button", { name: /41 pendentes/ })).toBeTruthy();
});

test("a count narrows the calendar to its state, and stands in the address", async () => {
  const { requests } = open("/schedules?view=agenda");
  await userEvent.click(await screen.findByRole("button", { name: /1 não enviadas/ }));
  await waitFor(() =>
    expect(asked(requests, "/api/schedules/calendar").at(-1)).toMatchObject({
      states: '["failed"]',
    }),
  );
  expect(screen.getByRole("button", { name: /não enviadas/ }).getAttribute("aria-pressed")).toBe(
    "true",
  );
});

test("a search goes over all dates, the latest first", async () => {
  const { requests } = open("/schedules?search=texto&states=waiting");
  expect(await screen.findByRole("button", { name: /Larissa Campos/ })).toBeTruthy();
  expect(asked(requests, "/api/schedules")).toEqual([
    { searchParam: "texto", latestFirst: "true", pageNumber: "1", states: '["waiting"]' },
  ]);
  expect(asked(requests, "/api/schedules/calendar")).toEqual([]);
});

test("a press opens the card with the reason; this and the following are deleted from it", async () => {
  const { requests } = open("/schedules?view=agenda");
  await userEvent.click(await screen.findByRole("button", { name: /Otávio Ramos/ }));
  const failed = await screen.findByRole("dialog", { name: "Mensagem para Otávio Ramos" });
  expect(failed.textContent).toContain("Não enviada.");
  expect(failed.textContent).toContain("Loja Paulista");
  await userEvent.keyboard("{Escape}");
  expect(screen.queryByRole("dialog")).toBeNull();

  await userEvent.click(screen.getByRole("button", { name: /Larissa Campos/ }));
  const card = await screen.findByRole("dialog", { name: "Mensagem para Larissa Campos" });
  await userEvent.click(within(card).getByRole("button", { name: "Excluir" }));
  const question = await screen.findByRole("dialog", { name: /Excluir a mensagem/ });
  await userEvent.click(within(question).getByText("Esta e as próximas"));
  await userEvent.click(within(question).getByRole("button", { name: "Excluir" }));
  await waitFor(() =>
    expect(requests.map(({ call }) => call)).toContain("DELETE /api/schedules/2?scope=following"),
  );
});

test("only admins can choose a user", async () => {
  open("/schedules?view=agenda");
  await screen.findByRole("button", { name: /Otávio Ramos/ });
  expect(screen.queryByRole("button", { name: /Usuário/ })).toBeNull();
  cleanup();
  open("/schedules?view=agenda", "admin");
  expect(await screen.findByRole("button", { name: "Usuário: todos" })).toBeTruthy();
});
