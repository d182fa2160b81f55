import type { ListedTicket } from "@balcao/contract";
import { act, screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { startSession } from "../../../api/session-store.ts";
import { givenToken, givenUser } from "../../../testing/given.ts";
import { givenLayout } from "../../messages/testing/given-layout.ts";
import { givenConnection } from "../testing/given-choices.ts";
import { givenTicket } from "../testing/given-ticket.ts";
import { ticketServer } from "../testing/ticket-server.ts";
import { openTicketsScreen } from "../testing/tickets-screen.tsx";
import { sockets } from "../../../testing/sockets.ts";

vi.mock("../../../realtime/socket.ts", () => import("../../../testing/sockets.ts"));

const MINUTE_MS = 60_000;
const inMinutes = (minutes: number): string =>
  new Date(Date.now() + minutes * MINUTE_MS).toISOString();

beforeEach(() => {
  givenLayout();
  startSession(givenToken("t"), givenUser());
});

afterEach(() => vi.useRealTimers());

function cloudTicket(freeTextUntil: string | null): ListedTicket {
  return givenTicket(1, {
    userId: 7,
    user: { id: 7, name: "Marina Prado" },
    whatsappId: 1,
    freeTextUntil,
  });
}

async function openTicket(freeTextUntil: string | null): Promise<HTMLTextAreaElement> {
  const ticket = cloudTicket(freeTextUntil);
  const server = ticketServer([ticket]);
  server.connections = [givenConnection(1, "Central", { channel: "cloud-api" })];
  await openTicketsScreen(sockets, `/tickets/${ticket.uuid}`);
  return await screen.findByRole<HTMLTextAreaElement>("textbox", { name: /^Mensagem para/ });
}

test("with a long time left the composer shows no window", async () => {
  const field = await openTicket(inMinutes(20 * 60));
  expect(field.disabled).toBe(false);
  expect(screen.queryByText(/^Janela de 24 h/)).toBeNull();
});

test("under six hours the time left is shown, and templates are in the menu", async () => {
  const field = await openTicket(inMinutes(90));
  expect(field.disabled).toBe(false);
  expect(await screen.findByText("Janela de 24 h: 1 h 30 min")).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: "Mais opções de envio" }));
  await userEvent.click(await screen.findByRole("menuitem", { name: "Enviar modelo" }));
  expect(await screen.findByRole("dialog", { name: /^Enviar modelo a/ })).toBeTruthy();
});

test("a closed window allows only templates, with the reason", async () => {
  const field = await openTicket(inMinutes(-1));
  expect(field.disabled).toBe(true);
  expect(
    screen.getByText(/^Já se passaram 24 horas desde a última mensagem do cliente/),
  ).toBeTruthy();
  await userEvent.click(await screen.findByRole("button", { name: "Enviar modelo" }));
  expect(await screen.findByRole("dialog", { name: /^Enviar modelo a/ })).toBeTruthy();
});

test("the window closes when its time is over", async () => {
  const field = await openTicket(inMinutes(20 * 60));
  const frames = ["requestAnimationFrame", "cancelAnimationFrame"] as const;
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date", ...frames] });
  const shorter = cloudTicket(inMinutes(1));
  act(() => sockets[0]?.receive("company-3-ticket", { action: "update", ticket: shorter }));
  act(() => void vi.advanceTimersByTime(MINUTE_MS - 1));
  expect(field.disabled).toBe(false);
  act(() => void vi.advanceTimersByTime(100));
  expect(field.disabled).toBe(true);
});

test("a channel without such a rule has neither window nor templates", async () => {
  const ticket = givenTicket(1, {
    userId: 7,
    user: { id: 7, name: "Marina Prado" },
    whatsappId: 1,
  });
  const server = ticketServer([ticket]);
  server.connections = [givenConnection(1, "Loja Paulista")];
  await openTicketsScreen(sockets, `/tickets/${ticket.uuid}`);
  await userEvent.click(await screen.findByRole("button", { name: "Mais opções de envio" }));
  expect(await screen.findByRole("menuitemcheckbox")).toBeTruthy();
  expect(screen.queryByRole("menuitem", { name: "Enviar modelo" })).toBeNull();
});
