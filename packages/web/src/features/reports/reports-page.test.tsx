import type { ReportRow } from "@balcao/contract";
import { reportRow } from "@balcao/contract";
import { cleanup, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { endSession, startSession } from "../../api/session-store.ts";
import { fakeServer } from "../../testing/fake-server.ts";
import { givenToken, givenUser } from "../../testing/given.ts";
import { renderRoutes } from "../../testing/render.tsx";
import { addressWith, readFilter } from "./figure-filter.ts";
import { ReportsPage } from "./reports-page.tsx";

vi.mock("../../realtime/socket.ts", () => import("../../testing/sockets.ts"));

const at = "2026-11-23T19:40:00.000Z";

const row = (id: number, fields: object = {}): ReportRow =>
  reportRow.parse({
    ...{ id, ticketId: 4_000 + id, ticketUuid: `u-${id}` },
    contact: { id, name: `Cliente ${id}`, number: "5511", isGroup: false, profilePicUrl: "" },
    user: { id: 1, name: "Caio Nunes", isRemoved: false },
    queue: { id: 1, name: "Vendas", color: "#2f8f6f", isRemoved: false },
    whatsapp: { id: 2, name: "Loja", isRemoved: false },
    ...{ closedBy: null, reason: null, createdAt: at, queuedAt: at, startedAt: at },
    ...{ firstAnswerAt: null, resolvedAt: at, waitSeconds: 100, firstAnswerSeconds: null },
    ...{ supportSeconds: 1_400, rate: 3, isReopened: false, isNew: false, ...fields },
  });

const sums = {
  ...{ attendances: 3, resolved: 2, running: 1, reopened: 1, newContacts: 0 },
  wait: { seconds: 360, count: 3 },
  firstAnswer: { seconds: null, count: 0 },
  support: { seconds: 1_440, count: 2 },
  ratings: { average: 2.5, count: 2, counts: [0, 1, 1] },
};

function open(address = "/reports", isBroken = () => false) {
  const period = { from: "2026-11-17", to: "2026-11-23", timeZone: "America/Sao_Paulo" };
  const server = fakeServer({
    "GET /api/queue": () => ({
      body: [{ id: 1, name: "Vendas", color: "#2f8f6f", orderQueue: 1, updatedAt: at }],
    }),
    "GET /api/users/list": () => ({ body: [] }),
    "GET /api/tags/list": () => ({ body: [] }),
    "GET /api/whatsapp": () => ({ body: [] }),
    "GET /api/contacts/9": () => ({ body: { id: 9, name: "Dona Ana" } }),
    "GET /api/reports/attendances": ({ call }) => {
      if (isBroken()) return { status: 500, body: { error: "ERR_INTERNAL" } };
      if (call.includes("after=")) {
        const rest = [row(3, { ticketId: null, ticketUuid: null, contact: null })];
        return { body: { period, attendances: rest, next: null, sums: null } };
      }
      const attendances = [row(1), row(2, { resolvedAt: null, isReopened: true, rate: null })];
      return { body: { period, attendances, next: "12_2", sums } };
    },
    "GET /api/reports/export": () => ({ status: 400, body: { error: "ERR_REPORT_TOO_LONG" } }),
  });
  startSession(givenToken("t", 36_000), givenUser({ profile: "supervisor" }));
  const page = renderRoutes(
    [
      { path: "/reports", element: <ReportsPage /> },
      { path: "*", element: null },
    ],
    address,
  );
  const asked = (part = "attendances") =>
    server.requests
      .filter(({ call }) => call.includes(`/reports/${part}`))
      .map(({ call }) => decodeURIComponent(call.split("?")[1] ?? ""));
  const filter = () =>
    readFilter(new URLSearchParams(page.address().split("?")[1]).get("filter") ?? "");
  return { ...page, asked, filter };
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.parse(at) });
});
afterEach(() => {
  vi.useRealTimers();
  cleanup();
  endSession("logout");
});

test("a number of the dashboard leads to its attendances, with their sums; rows open the conversation", async () => {
  const filter = { days: 30, queueIds: [1, null], userIds: [7], weekday: 3, hour: 11 };
  const { asked, address } = open(addressWith("/reports", { ...filter, contactId: 9 }));
  expect(await screen.findByText("Cliente 1")).toBeTruthy();
  expect(asked()[0]).toBe("days=30&queueIds=[1,null]&userIds=[7]&weekday=3&hour=11&contactId=9");
  const totals = within(screen.getByLabelText("Totais do que foi encontrado"));
  expect(totals.getByText("6 min")).toBeTruthy();
  expect(totals.getByText("2,5")).toBeTruthy();
  const chips = within(screen.getByRole("group", { name: "Filtros" }));
  for (const words of ["Últimos 30 dias", "Vendas e mais 1", "quinta", "11 h"]) {
    expect(await chips.findByText(words)).toBeTruthy();
  }
  expect(await chips.findByText("Contato", { exact: false })).toBeTruthy();
  expect(screen.getByText("reaberto")).toBeTruthy();
  await userEvent.click(screen.getByRole("link", { name: "Cliente 1" }));
  await waitFor(() => expect(address()).toBe("/tickets/u-1"));
});

test("filters are chosen and removed, and stand in the address beside the search", async () => {
  const { asked, filter } = open();
  await screen.findByText("Cliente 1");
  await userEvent.click(screen.getByRole("button", { name: "Filtro" }));
  await userEvent.click(await screen.findByRole("menuitem", { name: "Situação" }));
  await userEvent.click(await screen.findByRole("menuitemradio", { name: "Reabertos" }));
  await waitFor(() => expect(asked().at(-1)).toBe("days=7&state=reopened"));
  await userEvent.keyboard("{Escape}");
  await userEvent.click(screen.getByRole("button", { name: "Remover o filtro Situação" }));
  await waitFor(() => expect(filter()).toEqual({ days: 7 }));
  await userEvent.type(screen.getByRole("searchbox"), "Ana");
  await waitFor(() => expect(asked().at(-1)).toContain("searchParam=ana"));
});

test("a period is chosen by dates, which are refused in the wrong order", async () => {
  const { filter } = open(addressWith("/reports", { state: "reopened" }));
  await screen.findByText("Cliente 1");
  await userEvent.click(screen.getByRole("button", { name: /^Período/ }));
  await userEvent.click(await screen.findByRole("menuitem", { name: "Escolher datas" }));
  fireEvent.change(await screen.findByLabelText("Data inicial"), {
    target: { value: "2026-12-05" },
  });
  const form = screen.getByLabelText("Data inicial").closest("form") ?? document.body;
  await userEvent.click(within(form).getByRole("button", { name: "Filtrar" }));
  expect(await screen.findByText("A data final vem antes da inicial")).toBeTruthy();
  fireEvent.change(screen.getByLabelText("Data inicial"), { target: { value: "2026-10-05" } });
  await userEvent.click(within(form).getByRole("button", { name: "Filtrar" }));
  await waitFor(() =>
    expect(filter()).toEqual({ dateFrom: "2026-10-05", dateTo: "2026-11-23", state: "reopened" }),
  );
});

test("a protocol finds one attendance", async () => {
  const { asked } = open();
  await screen.findByText("Cliente 1");
  await userEvent.click(screen.getByRole("button", { name: "Filtro" }));
  await userEvent.click(await screen.findByRole("menuitem", { name: "Protocolo" }));
  await userEvent.click(await screen.findByRole("menuitem", { name: "Informar o número" }));
  await userEvent.type(await screen.findByLabelText("Número do atendimento"), "40a71{Enter}");
  await waitFor(() => expect(asked().at(-1)).toBe("days=7&protocol=4071"));
});

test("the export has the filter; a refusal is said", async () => {
  const { asked } = open(addressWith("/reports", { days: 3, state: "rated" }));
  await screen.findByText("Cliente 1");
  await userEvent.click(screen.getByRole("button", { name: "Exportar" }));
  await userEvent.click(await screen.findByRole("menuitem", { name: /\.csv/ }));
  await waitFor(() =>
    expect(asked("export")).toEqual(["days=3&state=rated&format=csv&language=pt"]),
  );
  expect(await screen.findByText(/O relatório tem mais de/)).toBeTruthy();
});

test("a report that cannot be read is tried again", async () => {
  let isBroken = true;
  open("/reports", () => isBroken);
  await screen.findByText("Não foi possível carregar");
  isBroken = false;
  await userEvent.click(screen.getByRole("button", { name: "Tentar de novo" }));
  expect(await screen.findByText("Cliente 1")).toBeTruthy();
});
