import type { Queue } from "@balcao/contract";
import { weekdays } from "@balcao/contract";
import { companyEvent } from "@balcao/contract/event-names";
import { act, cleanup, screen, waitFor } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { startSession } from "../../../api/session-store.ts";
import { givenToken, givenUser } from "../../../testing/given.ts";
import { givenLayout } from "../../messages/testing/given-layout.ts";
import { givenQueue } from "../testing/given-choices.ts";
import { givenTicket } from "../testing/given-ticket.ts";
import type { TicketServer } from "../testing/ticket-server.ts";
import { ticketServer } from "../testing/ticket-server.ts";
import { openTicketsScreen } from "../testing/tickets-screen.tsx";
import { sockets } from "../../../testing/sockets.ts";

vi.mock("../../../realtime/socket.ts", () => import("../../../testing/sockets.ts"));

type Week = Queue["schedules"];

/** The same hours every day. */
function everyDay(startTime: string, endTime: string): Week {
  return weekdays.map((weekdayEn) => ({ weekday: weekdayEn, weekdayEn, startTime, endTime }));
}
const closed = everyDay("00:00", "00:00");
const unset = everyDay("", "");

const helena = givenTicket(1, { userId: 7, user: { id: 7, name: "Marina Prado" } });
let server: TicketServer;

beforeEach(() => {
  givenLayout();
  startSession(givenToken("t"), givenUser());
  server = ticketServer([helena]);
});

afterEach(() => vi.restoreAllMocks());

async function open(scheduleType: string, hours: { company?: Week; queue?: Week } = {}) {
  server.settings = [
    { id: 2, key: "scheduleType", value: scheduleType, companyId: helena.companyId },
  ];
  server.companySchedules = hours.company ?? closed;
  server.queues = [{ ...givenQueue(1, "Suporte"), schedules: hours.queue ?? closed }];
  await openTicketsScreen(sockets, `/tickets/${helena.uuid}`);
  await screen.findByRole("button", { name: "Resolver" });
}

test("a closed company is shown, also if no day opens", async () => {
  await open("company");
  expect(await screen.findByText("Fora do horário.")).toBeTruthy();
  expect(screen.getByText(/Nenhum dia da semana tem horário para a empresa/)).toBeTruthy();
});

test("a closed queue is shown by name", async () => {
  await open("queue", { company: unset });
  expect(
    await screen.findByText(/Nenhum dia da semana tem horário para a fila Suporte/),
  ).toBeTruthy();
});

test("a company that is open on one day of the week says which, and the hour", async () => {
  // Tomorrow: an opening in more than six days is said with its date.
  const at = new Date(Date.now() + 86_400_000);
  const named = (language: string) =>
    at.toLocaleDateString(language, { weekday: "long", timeZone: "America/Sao_Paulo" });
  const day = named("en").toLowerCase();
  const text = `${/sábado|domingo/.test(named("pt-BR")) ? "no" : "na"} ${named("pt-BR")}`;
  const week = closed.map((hours) =>
    hours.weekdayEn === day ? { ...hours, startTime: "09:00", endTime: "18:00" } : hours,
  );
  await open("company", { company: week });
  expect(await screen.findByText(`A empresa abre ${text}, às 9h.`)).toBeTruthy();
});

test("hours that do not apply are not requested, and open ones show no notice", async () => {
  await open("disabled");
  expect(server.calls()).not.toContain("GET /companies/3");
  cleanup();
  await open("queue", { queue: unset });
  await waitFor(() => expect(server.calls()).toContain("GET /companies/3"));
  expect(screen.queryByText("Fora do horário.")).toBeNull();
});

test.each([["company"], ["queue"]])("a holiday closes the %s, and is named", async (type) => {
  const date = new Date().toLocaleDateString("sv", { timeZone: "America/Sao_Paulo" });
  server.holidays = {
    national: {},
    own: [{ date, name: "Aniversário da cidade", everyYear: false, isOn: true }],
  };
  const always = everyDay("00:00", "23:59");
  await open(type, { company: always, queue: always });
  expect(await screen.findByText("Feriado: Aniversário da cidade.")).toBeTruthy();
});

test("changes by the company are shown at once", async () => {
  await open("disabled");
  const hear = (subject: "settings" | "company", payload: object) =>
    act(() => sockets[0]?.receive(companyEvent(3, subject), { action: "update", ...payload }));
  await waitFor(() => expect(server.calls()).toContain("GET /settings"));
  expect(screen.queryByText("Fora do horário.")).toBeNull();
  hear("settings", { setting: { id: 2, key: "scheduleType", value: "company", companyId: 3 } });
  expect(await screen.findByText("Fora do horário.")).toBeTruthy();
  hear("company", { company: { id: 3, schedules: unset } });
  await waitFor(() => expect(screen.queryByText("Fora do horário.")).toBeNull());
});
