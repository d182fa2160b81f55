import { act, fireEvent, screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { startSession } from "../../../api/session-store.ts";
import { givenToken, givenUser } from "../../../testing/given.ts";
import { givenContact } from "../testing/given-choices.ts";
import { givenListLayout } from "../testing/given-list-layout.ts";
import { givenTicket } from "../testing/given-ticket.ts";
import type { TicketServer } from "../testing/ticket-server.ts";
import { ticketServer } from "../testing/ticket-server.ts";
import { openTicketsScreen } from "../testing/tickets-screen.tsx";
import { sockets } from "../../../testing/sockets.ts";

vi.mock("../../../realtime/socket.ts", () => import("../../../testing/sockets.ts"));

let server: TicketServer;

beforeEach(() => {
  givenListLayout();
  startSession(givenToken("t"), givenUser());
  server = ticketServer(Array.from({ length: 50 }, (_, index) => givenTicket(index + 1)));
  server.contacts = [givenContact(20, "Renata Figueiredo")];
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** The words and pages of the searches so far. */
const searches = (): string[] =>
  server.requests.flatMap(({ call }) => {
    const query = new URLSearchParams(call.split("?")[1]);
    return query.has("searchParam")
      ? [`${query.get("searchParam")} ${query.get("pageNumber")}`]
      : [];
  });

async function openSearch(): Promise<HTMLElement> {
  await openTicketsScreen(sockets);
  await userEvent.click(screen.getByRole("tab", { name: "Buscar" }));
  return screen.findByRole("textbox", { name: "Buscar nos atendimentos" });
}

const type = (box: HTMLElement, value: string) => fireEvent.change(box, { target: { value } });

test("the search is sent 500 ms after the last key, not before", async () => {
  const box = await openSearch();
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  type(box, "cli");
  act(() => void vi.advanceTimersByTime(400));
  type(box, "CLIENTE");
  act(() => void vi.advanceTimersByTime(499));
  expect(searches()).toEqual([]);
  act(() => void vi.advanceTimersByTime(1));
  vi.useRealTimers();
  await waitFor(() => expect(searches()).toContain("cliente 1"));
  expect(searches().filter((one) => one.startsWith("cli "))).toEqual([]);
});

test("other words start with the first page", async () => {
  const box = await openSearch();
  await userEvent.type(box, "cliente{Enter}");
  const list = (): HTMLElement | null | undefined =>
    screen.queryByRole("list", { name: "Lista de atendimentos" })?.parentElement;
  await waitFor(() => expect(list()).toBeTruthy());
  await waitFor(() => {
    const scroller = list();
    if (scroller) {
      scroller.scrollTop = scroller.scrollHeight;
      fireEvent.scroll(scroller);
    }
    expect(searches()).toContain("cliente 2");
  });
  await userEvent.type(box, " 4{Enter}");
  await waitFor(() => expect(searches().at(-1)).toBe("cliente 4 1"));
});

test("a contact is searched 500 ms after the last key", async () => {
  await openTicketsScreen(sockets);
  const [open] = screen.getAllByRole("button", { name: "Novo atendimento" });
  await userEvent.click(open ?? document.body);
  const field = await screen.findByRole("combobox", { name: /^Contato/ });
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  type(field, "ren");
  act(() => void vi.advanceTimersByTime(499));
  expect(server.calls()).not.toContain("GET /contacts/list");
  act(() => void vi.advanceTimersByTime(1));
  vi.useRealTimers();
  await waitFor(() => expect(server.calls()).toContain("GET /contacts/list"));
});
