import type { Schedule } from "@balcao/contract";
import { schedule } from "@balcao/contract";
import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { endSession, startSession } from "../../api/session-store.ts";
import { createFakeSocket } from "../../testing/fake-socket.ts";
import { fakeServer } from "../../testing/fake-server.ts";
import { givenToken, givenUser } from "../../testing/given.ts";
import { renderOnCache } from "../messages/testing/render-feature.tsx";
import { ContactSchedules } from "./contact-schedules.tsx";
import { ScheduleDialog } from "./schedule-dialog.tsx";

vi.mock("../../realtime/socket.ts", () => ({ openSocket: () => createFakeSocket() }));

const contact = { id: 1, name: "Beatriz Rocha", number: "", optedOut: false };
const at = "2026-11-20T13:00:00.000Z";

function given(id: number, fields: Partial<Schedule>): Schedule {
  return schedule.parse({
    ...{ id, body: `mensagem ${id}`, sendAt: "2099-01-31T12:30:00.000Z", sentAt: null },
    ...{ status: "PENDENTE", errorCode: null, contactId: 1, ticketId: null, userId: 7 },
    ...{ companyId: 3, mediaPath: null, mediaName: null, contact },
    ...{ user: { id: 7, name: "Marina Prado" }, series: null, createdAt: at, updatedAt: at },
    ...fields,
  });
}

beforeEach(() => startSession(givenToken("t", 3_600), givenUser()));
afterEach(() => {
  cleanup();
  endSession("logout");
  vi.restoreAllMocks();
});

test("waiting and failed messages can be edited, sending and sent ones cannot", async () => {
  const schedules = [
    given(1, { status: "PENDENTE" }),
    given(2, { status: "ERRO", errorCode: "ERR_FILE_MISSING" }),
    given(3, { status: "AGENDADA" }),
  ];
  fakeServer({
    "GET /api/schedules": () => ({ body: { schedules, count: 3, hasMore: false } }),
    "GET /api/companies/listPlan/3": () => ({ body: { plan: { useSchedules: true } } }),
  });
  renderOnCache(<ContactSchedules contact={contact} title="Agendadas" />);
  const rows = await screen.findAllByRole("listitem");
  expect(
    rows.map((row) => [
      /mensagem \d/.exec(row.textContent ?? "")?.[0],
      within(row).queryByRole("button", { name: /^Editar/ }) !== null,
    ]),
  ).toEqual([
    ["mensagem 1", true],
    ["mensagem 2", true],
    ["mensagem 3", false],
  ]);
});

test("all unsent messages load page by page; sent ones are not requested", async () => {
  const { requests } = fakeServer({
    "GET /api/schedules": ({ call }) => {
      const number = Number(new URLSearchParams(call.split("?")[1]).get("pageNumber"));
      return { body: { schedules: [given(number, {})], count: 2, hasMore: number === 1 } };
    },
    "GET /api/companies/listPlan/3": () => ({ body: { plan: { useSchedules: true } } }),
  });
  renderOnCache(<ContactSchedules contact={contact} title="Agendadas" />);
  await userEvent.click(await screen.findByRole("button", { name: "Ver mais" }));
  await waitFor(() => expect(screen.getAllByRole("listitem")).toHaveLength(2));
  expect(screen.queryByRole("button", { name: "Ver mais" })).toBeNull();
  const asked = requests.filter(({ call }) => call.startsWith("GET /api/schedules"));
  expect(asked.map(({ call }) => call.split("?")[1])).toEqual([
    "contactId=1&unsent=true&pageNumber=1",
    "contactId=1&unsent=true&pageNumber=2",
  ]);
});

test("a sent message is read-only", async () => {
  const sent = given(5, { status: "ENVIADA", sentAt: at, mediaName: "foto.png" });
  fakeServer({});
  renderOnCache(<ScheduleDialog contact={contact} schedule={sent} onClose={vi.fn()} />);
  const dialog = await screen.findByRole("dialog", { name: "Mensagem agendada · Enviada" });
  const of = within(dialog);
  expect(of.getByLabelText<HTMLTextAreaElement>("Mensagem").readOnly).toBe(true);
  expect(of.getByLabelText<HTMLInputElement>("Enviar em").readOnly).toBe(true);
  expect(of.getByText("foto.png")).toBeTruthy();
  for (const name of ["Agendar", "Remover a imagem foto.png", "Inserir variável"]) {
    expect(of.queryByRole("button", { name })).toBeNull();
  }
});
