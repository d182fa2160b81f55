import type { ContactRef, Schedule } from "@balcao/contract";
import { schedule } from "@balcao/contract";
import { cleanup, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { endSession, startSession } from "../../api/session-store.ts";
import type { SeenRequest } from "../../testing/fake-server.ts";
import { fakeServer } from "../../testing/fake-server.ts";
import { givenToken, givenUser } from "../../testing/given.ts";
import { renderScreen } from "../../testing/render.tsx";
import { ScheduleDialog } from "./schedule-dialog.tsx";
import { localTime } from "./schedule-words.ts";

const contact = { id: 1, name: "Beatriz Rocha", number: "", optedOut: false };

function given(fields: Partial<Schedule> = {}): Schedule {
  const at = "2026-11-20T13:00:00.000Z";
  return schedule.parse({
    id: 5,
    body: "Sua consulta é amanhã",
    sendAt: "2099-01-31T12:30:00.000Z",
    sentAt: null,
    status: "PENDENTE",
    errorCode: null,
    contactId: 1,
    ticketId: null,
    userId: 7,
    companyId: 3,
    mediaPath: null,
    mediaName: null,
    contact,
    user: { id: 7, name: "Marina Prado" },
    series: null,
    createdAt: at,
    updatedAt: at,
    ...fields,
  });
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2026-11-20T13:10:00.000Z") });
  startSession(givenToken("t", 3_600), givenUser());
});
afterEach(() => {
  cleanup();
  endSession("logout");
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const server = () =>
  fakeServer({
    "POST /api/schedules": () => ({ body: given() }),
    "PUT /api/schedules/5": () => ({ body: given() }),
  });
const writes = (requests: SeenRequest[]) => requests.filter(({ call }) => !call.startsWith("GET"));
const save = () => userEvent.click(screen.getByRole("button", { name: "Agendar" }));

test("starts one hour ahead in the company's time zone, with the composer's text", async () => {
  const { requests } = server();
  const onSaved = vi.fn();
  renderScreen(
    <ScheduleDialog
      contact={contact}
      initialText="Bom dia, Beatriz"
      onSaved={onSaved}
      onClose={vi.fn()}
    />,
  );
  const moment = await screen.findByLabelText<HTMLInputElement>("Enviar em");
  expect(moment.value).toBe("2026-11-20T11:10");
  await save();
  await waitFor(() => expect(onSaved).toHaveBeenCalledOnce());
  expect(writes(requests)).toMatchObject([
    {
      call: "POST /api/schedules",
      body: { body: "Bom dia, Beatriz", contactId: 1, sendAt: "2026-11-20T11:10" },
    },
  ]);
});

test("refuses a text under 5 characters, a missing moment and a past one", async () => {
  const { requests } = server();
  renderScreen(<ScheduleDialog contact={contact} onClose={vi.fn()} />);
  await userEvent.type(await screen.findByLabelText("Mensagem"), " oi ");
  const moment = screen.getByLabelText("Enviar em");
  fireEvent.change(moment, { target: { value: "" } });
  await save();
  expect(await screen.findByText("Mensagem muito curta")).toBeTruthy();
  expect(screen.getByText("Obrigatório")).toBeTruthy();
  fireEvent.change(moment, { target: { value: "2026-11-20T10:09" } });
  expect(await screen.findByText("Escolha uma data e hora no futuro")).toBeTruthy();
  expect(writes(requests)).toEqual([]);
});

test("while a contact is looked for, none is reported as missing", async () => {
  let reply: ContactRef[] | "never" = "never";
  const { requests } = fakeServer({
    "GET /api/contacts/list": () => (reply === "never" ? reply : { body: reply }),
  });
  renderScreen(<ScheduleDialog contact={null} onClose={vi.fn()} />);
  const searches = () => requests.filter(({ call }) => call.startsWith("GET /api/contacts/list"));
  const field = await screen.findByRole("combobox", { name: /^Contato/ });
  await userEvent.type(field, "bia");
  // The request follows after a pause in the typing.
  expect(await screen.findByText("Carregando")).toBeTruthy();
  expect(searches()).toEqual([]);
  await waitFor(() => expect(searches()).toHaveLength(1));
  expect(screen.queryByText("Nada encontrado")).toBeNull();
  reply = [];
  await userEvent.type(field, "n");
  expect(await screen.findByText("Nada encontrado")).toBeTruthy();
});

test("the title has the status of a known message, and saving changes the message", async () => {
  const { requests } = server();
  renderScreen(
    <ScheduleDialog contact={contact} schedule={given({ status: "ERRO" })} onClose={vi.fn()} />,
  );
  const dialog = await screen.findByRole("dialog", { name: "Mensagem agendada · Não enviada" });
  expect(within(dialog).getByLabelText<HTMLInputElement>("Enviar em").value).toBe(
    "2099-01-31T09:30",
  );
  await save();
  await waitFor(() => expect(writes(requests)).toMatchObject([{ call: "PUT /api/schedules/5" }]));
});

test.each([
  ["2026-11-20T15:30:00.000Z", "America/Sao_Paulo", "2026-11-20T12:30"],
  ["2026-11-20T02:00:00.000Z", "America/Sao_Paulo", "2026-11-19T23:00"],
  ["2026-11-20T03:00:00.000Z", "America/Sao_Paulo", "2026-11-20T00:00"],
  ["2026-07-01T12:00:00.000Z", "Europe/Lisbon", "2026-07-01T13:00"],
])("%s in %s is %s", (iso, timeZone, local) => {
  expect(localTime(Date.parse(iso), timeZone)).toBe(local);
});
