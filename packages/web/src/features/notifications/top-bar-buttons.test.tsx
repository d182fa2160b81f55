import { act, cleanup, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import type { ReactNode } from "react";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { currentSession, endSession, startSession } from "../../api/session-store.ts";
import { queryClient } from "../../api/query-client.ts";
import { fakeServer } from "../../testing/fake-server.ts";
import { givenToken, givenUser } from "../../testing/given.ts";
import { memorySteps } from "../../testing/memory-steps.ts";
import { renderOnCache } from "../messages/testing/render-feature.tsx";
import { givenTicket } from "../tickets/testing/given-ticket.ts";
import { Router } from "../../router/index.tsx";
import { LiveSession } from "../auth/index.ts";
import { FollowUnread, NotificationsButton, VolumeButton } from "./index.ts";
import { Notifier } from "./notifier.tsx";
import { sockets } from "../../testing/sockets.ts";

vi.mock("../../realtime/socket.ts", () => import("../../testing/sockets.ts"));

beforeEach(() => startSession(givenToken("t", 3_600), givenUser({ id: 1 })));

afterEach(() => {
  cleanup();
  endSession("logout");
  vi.restoreAllMocks();
});

function show(buttons: ReactNode): { address: () => string } {
  const steps = memorySteps("/");
  queryClient.clear();
  renderOnCache(<Router steps={steps}>{buttons}</Router>);
  return { address: () => steps.current().pathname };
}

describe("the volume", () => {
  async function openSlider(): Promise<HTMLInputElement> {
    show(<VolumeButton />);
    await userEvent.click(screen.getByRole("button", { name: "Volume das notificações" }));
    return screen.findByRole<HTMLInputElement>("slider");
  }

  test("goes from 0 to 1 in steps of 0.1 and is full by default", async () => {
    const slider = await openSlider();
    expect([slider.min, slider.max, slider.step, slider.value]).toEqual(["0", "1", "0.1", "1"]);
  });

  test("is stored on this device under the key that the family's clients share", async () => {
    fireEvent.change(await openSlider(), { target: { value: "0.3" } });
    expect(localStorage.getItem("volume")).toBe("0.3");
    expect(screen.getByText("30%")).toBeTruthy();
  });

  test("is restored on the next visit, and an invalid value is ignored", async () => {
    localStorage.setItem("volume", "0.6");
    expect((await openSlider()).value).toBe("0.6");
    localStorage.setItem("volume", "7");
    window.dispatchEvent(new StorageEvent("storage"));
    await waitFor(() => expect(screen.getByRole<HTMLInputElement>("slider").value).toBe("1"));
  });
});

describe("the bell", () => {
  function open(count: number, mentions: unknown[] = []): { address: () => string } {
    const tickets = Array.from({ length: Math.min(count, 40) }, (_, index) =>
      givenTicket(index + 1, { unreadMessages: 2, lastMessage: `Mensagem ${index + 1}` }),
    ).toReversed();
    fakeServer({
      "GET /api/tickets": () => ({ body: { tickets, count, hasMore: count > 40 } }),
      "GET /api/ticket-notes/mentions": () => ({ body: mentions }),
    });
    return show(
      <>
        <FollowUnread />
        <NotificationsButton />
      </>,
    );
  }

  test("counts and lists the tickets with unread messages, each with a link", async () => {
    const { address } = open(2);
    const bell = await screen.findByRole("button", {
      name: "2 atendimentos com mensagens não lidas",
    });
    expect(bell.textContent).toBe("2");
    await userEvent.click(bell);
    const list = await screen.findByRole("region", { name: "Mensagens não lidas" });
    const rows = within(list).getAllByRole("link");
    expect(rows.map((row) => /Cliente \d/.exec(row.textContent ?? "")?.[0])).toEqual([
      "Cliente 2",
      "Cliente 1",
    ]);
    expect(rows[0]?.textContent).toContain("Mensagem 2");
    await userEvent.click(rows[0] ?? document.body);
    expect(address()).toBe(`/tickets/${givenTicket(2).uuid}`);
  });

  test("unread mentions stand above the tickets, are counted, and link to their conversation", async () => {
    const at = "2026-11-20T13:00:00.000Z";
    const note = {
      ...{ id: 3, note: "@Marina veja", companyId: 3, ticketId: 1, contactId: 1, userId: 7 },
      user: { id: 7, name: "Caio Nunes", email: "" },
      contact: { id: 1, name: "Beatriz" },
      ticket: { id: 1, status: "open", createdAt: at },
      ...{ mentions: [], createdAt: at, updatedAt: at },
    };
    const ticketUuid = givenTicket(9).uuid;
    const { address } = open(1, [{ note, ticketUuid }]);
    const bell = await screen.findByRole("button", {
      name: "1 atendimento com mensagens não lidas, 1 menção",
    });
    expect(bell.textContent).toBe("2");
    await userEvent.click(bell);
    const list = await screen.findByRole("region", { name: "Mensagens não lidas" });
    const [mention] = within(list).getAllByRole("link");
    expect(mention?.textContent).toContain("@Marina veja");
    await userEvent.click(mention ?? document.body);
    expect(address()).toBe(`/tickets/${ticketUuid}`);
  });

  test("shows at most 99, and no number if all is read", async () => {
    open(140);
    const bell = await screen.findByRole("button", {
      name: "140 atendimentos com mensagens não lidas",
    });
    expect(bell.textContent).toBe("99+");
  });

  test("has no badge if all is read, and the list says so", async () => {
    open(0);
    const bell = screen.getByRole("button", { name: "Mensagens não lidas" });
    expect(bell.textContent).toBe("");
    await userEvent.click(bell);
    expect(await screen.findByText("Nenhuma mensagem esperando por você.")).toBeTruthy();
  });
});

test("a missed target is shown to those whom the server tells", async () => {
  fakeServer({
    "GET /api/tickets": () => ({ body: { tickets: [], count: 0, hasMore: false } }),
  });
  const session = currentSession();
  if (!session) throw new Error("nobody is signed in");
  localStorage.setItem("volume", "0");
  show(
    <>
      <LiveSession session={session} />
      <Notifier />
    </>,
  );
  await waitFor(() => expect(sockets).toHaveLength(1));
  const { id, uuid, status, contact } = givenTicket(1, { status: "pending" });
  const miss = {
    ...{ action: "create", kind: "first", minutes: 30, ticket: { id, uuid, status }, contact },
    queue: { id: 1, name: "Suporte", color: "#3b82c4" },
  };
  act(() => sockets[0]?.receive("ready"));
  act(() => sockets[0]?.receive("company-3-targetMiss", miss));
  expect(
    await screen.findByText("Meta perdida: Cliente 1. Fila Suporte, sem resposta em 30 min"),
  ).toBeTruthy();
});
