import { macro, resolveReason, setting } from "@balcao/contract";
import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { startSession } from "../../api/session-store.ts";
import { givenToken, givenUser } from "../../testing/given.ts";
import { givenLayout } from "../messages/testing/given-layout.ts";
import { givenMessage } from "../messages/testing/given-message.ts";
import { givenListLayout } from "./testing/given-list-layout.ts";
import { givenTicket } from "./testing/given-ticket.ts";
import type { TicketServer } from "./testing/ticket-server.ts";
import { ticketServer } from "./testing/ticket-server.ts";
import { cardNames, chip, contactNamed, openTicketsScreen } from "./testing/tickets-screen.tsx";
import { sockets } from "../../testing/sockets.ts";

vi.mock("../../realtime/socket.ts", () => import("../../testing/sockets.ts"));

const ME = { userId: 7, user: { id: 7, name: "Marina Prado" } };
const helena = givenTicket(1, { ...ME, contact: contactNamed(1, "Helena Duarte") });
const otavio = givenTicket(2, { ...ME, contact: contactNamed(2, "Otávio Ramos") });
const diego = givenTicket(3, { status: "pending", contact: contactNamed(3, "Diego Nascimento") });
const ana = givenTicket(4, {
  status: "closed",
  queueId: null,
  contact: contactNamed(4, "Ana Lima"),
});

let server: TicketServer;

beforeEach(() => {
  givenLayout();
  startSession(givenToken("t"), givenUser());
  server = ticketServer([helena, otavio, diego, ana]);
});

afterEach(() => vi.restoreAllMocks());

const openScreen = (at?: string): Promise<() => string> => openTicketsScreen(sockets, at);

/** Live events are applied in the next frame, so their effects are awaited. */
function receive(subject: string, payload: unknown): void {
  act(() => sockets[0]?.receive(`company-3-${subject}`, payload));
}

describe("the lists", () => {
  test("show my tickets, newest change first, with exact counts", async () => {
    await openScreen();
    await waitFor(() => expect(cardNames()).toEqual(["Otávio Ramos", "Helena Duarte"]));
    expect(chip("Atendendo").textContent).toBe("Atendendo 2");
    expect(chip("Aguardando").textContent).toBe("Aguardando 1");
  });

  test("each list keeps its order", async () => {
    await openScreen();
    const order = () => screen.getByRole("button", { name: /^Ordem da lista/ });
    expect(order().textContent).toBe("Mais recente");
    await userEvent.click(chip("Aguardando"));
    expect(order().textContent).toBe("Maior espera");
    await userEvent.click(order());
    expect(order().textContent).toBe("Mais recente");
    await userEvent.click(chip("Atendendo"));
    await userEvent.click(order());
    const asked = () => server.requests.findLast(({ call }) => call.includes("/tickets?"))?.call;
    await waitFor(() => expect(asked()).toMatch(/status=open.*order=wait/));
    expect(JSON.parse(localStorage.getItem("balcao.list.7") ?? "")).toMatchObject({
      orders: { open: "wait", pending: "activity" },
    });
  });

  test("a card's name has contact, unread count, time, queue, and whether it is open", async () => {
    server.tickets = [givenTicket(1, { ...ME, unreadMessages: 2, waitingSince: ago(4) })];
    await openScreen(`/tickets/${helena.uuid}`);
    const link = screen.getByRole("link", { current: "page" });
    expect(link.getAttribute("aria-label")).toBe(
      "Cliente 1, 2 mensagens não lidas, há 4 minutos, fila Suporte",
    );
  });

  test("the arrow keys, Home and End move between the cards", async () => {
    await openScreen();
    const focused = () => document.activeElement?.textContent;
    screen.getByRole("link", { name: /Otávio/ }).focus();
    await userEvent.keyboard("{ArrowDown}");
    expect(focused()).toBe("Helena Duarte");
    await userEvent.keyboard("{ArrowDown}");
    expect(focused()).toBe("Helena Duarte");
    await userEvent.keyboard("{Home}");
    expect(focused()).toBe("Otávio Ramos");
    await userEvent.keyboard("{End}");
    expect(focused()).toBe("Helena Duarte");
  });

  test("the next page is loaded within 100 px of the end, and none beyond the last", async () => {
    givenListLayout();
    server.tickets = Array.from({ length: 95 }, (_, index) => givenTicket(index + 1, ME));
    await openScreen();
    await waitFor(() => expect(cardNames().length).toBeGreaterThan(0));
    const list = screen.getByRole("list", { name: "Lista de atendimentos" }).parentElement;
    const scrollTo = (belowPx: number): void => {
      if (!list) return;
      list.scrollTop = list.scrollHeight - list.clientHeight - belowPx;
      fireEvent.scroll(list);
    };
    scrollTo(101);
    // After this the request of a page has been sent.
    await act(async () => new Promise((resolve) => setTimeout(resolve)));
    expect(pagesAsked("open")).not.toContain("2");
    scrollTo(99);
    await waitFor(() => expect(pagesAsked("open")).toContain("2"));
    await waitFor(() => {
      scrollTo(0);
      expect(new Set(pagesAsked("open"))).toEqual(new Set(["1", "2", "3"]));
    });
    expect(chip("Atendendo").textContent).toBe("Atendendo 95");
    scrollTo(0);
    expect(pagesAsked("open")).not.toContain("4");
  });

  test("an empty list shows what to do", async () => {
    server.tickets = [];
    await openScreen();
    expect(await screen.findByText("Nenhum atendimento em andamento")).toBeTruthy();
    await userEvent.keyboard("{Alt>}2{/Alt}");
    expect(screen.getByText("Tudo em dia")).toBeTruthy();
  });

  test("a card that cannot be rendered breaks only itself", async () => {
    vi.stubGlobal("reportError", vi.fn());
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const contact = null as unknown as typeof otavio.contact;
    server.tickets = [helena, { ...otavio, contact }];
    await openScreen();
    expect(await screen.findByText("Não foi possível mostrar este atendimento.")).toBeTruthy();
    expect(screen.getByRole("link", { name: /Helena Duarte/ })).toBeTruthy();
  });

  test("a list that fails to load shows the error and a retry", async () => {
    server.refusals["GET /tickets"] = { status: 400, body: { error: "ERR_INVALID_REQUEST" } };
    await openScreen();
    expect(await screen.findByText("Não foi possível carregar")).toBeTruthy();
    server.refusals = {};
    await userEvent.click(screen.getByRole("button", { name: "Tentar de novo" }));
    await waitFor(() => expect(cardNames()).toHaveLength(2));
  });

  test("resolved tickets are in a tab of their own", async () => {
    await openScreen();
    await userEvent.click(screen.getByRole("tab", { name: "Resolvidos" }));
    await waitFor(() => expect(cardNames()).toEqual(["Ana Lima"]));
  });

  test("an admin can list all tickets, and the choice is kept", async () => {
    await openScreen();
    await userEvent.click(screen.getByRole("button", { name: "Ver todos" }));
    await waitFor(() => expect(server.requests.at(-1)?.call).toContain("showAll=true"));
    expect(localStorage.getItem("balcao.list.7")).toContain('"showAll":true');
  });

  test("an agent may not", async () => {
    startSession(givenToken("t"), givenUser({ profile: "user" }));
    await openScreen();
    expect(screen.queryByRole("button", { name: "Ver todos" })).toBeNull();
  });
});

describe("live", () => {
  test("a new ticket appears on top and is counted", async () => {
    await openScreen();
    const nova = givenTicket(9, { ...ME, contact: contactNamed(9, "Bianca Moreira") });
    receive("ticket", { action: "update", ticket: nova });
    await waitFor(() => {
      expect(cardNames()).toEqual(["Bianca Moreira", "Otávio Ramos", "Helena Duarte"]);
    });
    expect(chip("Atendendo").textContent).toBe("Atendendo 3");
  });

  test("a ticket accepted by another agent leaves the waiting list", async () => {
    await openScreen();
    expect(chip("Aguardando").textContent).toBe("Aguardando 1");
    receive("ticket", { action: "delete", ticketId: 3 });
    await waitFor(() => expect(chip("Aguardando").textContent).toBe("Aguardando 0"));
  });

  test("the last message's acknowledgement shows on its card", async () => {
    const at = helena.updatedAt;
    server.tickets = [{ ...helena, lastMessageFromMe: true, lastMessageAck: 2, lastMessageAt: at }];
    await openScreen();
    expect(screen.getByRole("img", { name: "enviada" })).toBeTruthy();
    const message = givenMessage(1, { fromMe: true, ack: 4, createdAt: at });
    receive("appMessage", { action: "update", message });
    expect(await screen.findByRole("img", { name: "lida" })).toBeTruthy();
  });

  test("the card with the focus keeps it while the others move", async () => {
    await openScreen();
    const link = screen.getByRole("link", { name: /Otávio/ });
    link.focus();
    const moved = { ...helena, updatedAt: "2026-11-20T15:00:00.000Z" };
    receive("ticket", { action: "update", ticket: moved });
    await waitFor(() => expect(cardNames()).toEqual(["Helena Duarte", "Otávio Ramos"]));
    expect(document.activeElement?.textContent).toBe("Otávio Ramos");
  });

  test("the header shows that the customer is writing, until it stops", async () => {
    await openScreen(`/tickets/${helena.uuid}`);
    await screen.findByRole("heading", { name: "Helena Duarte" });
    receive("presence", { ticketId: 1, presence: "composing" });
    expect(await screen.findByText("digitando…")).toBeTruthy();
    receive("presence", { ticketId: 1, presence: "paused" });
    await waitFor(() => expect(screen.queryByText("digitando…")).toBeNull());
  });
});

describe("accepting", () => {
  async function openWaiting(): Promise<() => string> {
    const address = await openScreen();
    await userEvent.click(chip("Aguardando"));
    return address;
  }
  const accept = () =>
    userEvent.click(
      screen.getByRole("button", { name: "Aceitar atendimento de Diego Nascimento" }),
    );

  test("a waiting ticket is no link; accepting opens it", async () => {
    const address = await openWaiting();
    expect(screen.queryByRole("link", { name: /Diego/ })).toBeNull();
    await accept();
    await waitFor(() => expect(address()).toBe(`/tickets/${diego.uuid}`));
    expect(server.bodiesOf("PUT /tickets/3")).toEqual([{ status: "open", userId: 7 }]);
    expect(chip("Atendendo").textContent).toBe("Atendendo 3");
    expect(chip("Aguardando").textContent).toBe("Aguardando 0");
  });

  const greeting = { id: 1, key: "sendGreetingAccepted", value: "enabled", companyId: 3 };

  test("greets the customer if the company enabled it", async () => {
    server.settings = [companySetting(greeting)];
    await openWaiting();
    await accept();
    await waitFor(() => expect(server.bodiesOf("POST /messages/3")).toHaveLength(1));
    expect(server.bodiesOf("POST /messages/3")[0]).toMatchObject({
      body: "*Mensagem Automática:*\n{{ms}} *{{name}}*, meu nome é *Marina Prado* e agora vou prosseguir com seu atendimento!",
    });
  });

  test("does not greet if the company disabled it", async () => {
    server.settings = [companySetting({ ...greeting, value: "disabled" })];
    await openWaiting();
    await accept();
    await waitFor(() => expect(server.calls()).toContain("GET /settings"));
    expect(server.calls()).not.toContain("POST /messages/3");
  });

  test("too late: it names the agent, and the card is removed", async () => {
    server.refusals["PUT /tickets/3"] = {
      status: 400,
      body: {
        error: "ERR_OTHER_OPEN_TICKET",
        code: "ERR_OTHER_OPEN_TICKET",
        data: { ticketId: 3, user: { id: 8, name: "Caio" }, queue: null },
      },
    };
    const address = await openWaiting();
    await accept();
    expect(await screen.findByText("Caio já está atendendo")).toBeTruthy();
    expect(cardNames()).toEqual([]);
    expect(address()).toBe("/tickets");
  });
});

describe("an open ticket", () => {
  test("is resolved: it leaves the list and the next card is focused", async () => {
    const address = await openScreen(`/tickets/${otavio.uuid}`);
    await userEvent.click(screen.getByRole("button", { name: "Resolver" }));
    await waitFor(() => expect(address()).toBe("/tickets"));
    expect(server.bodiesOf("PUT /tickets/2")).toEqual([
      {
        ...{ status: "closed", userId: 7, undoSeconds: 7 },
        ...{ useIntegration: false, promptId: null, integrationId: null },
      },
    ]);
    expect(cardNames()).toEqual(["Helena Duarte"]);
    await waitFor(() => expect(document.activeElement?.textContent).toBe("Helena Duarte"));
  });

  test("Alt R asks before it resolves", async () => {
    await openScreen(`/tickets/${otavio.uuid}`);
    await userEvent.keyboard("{Alt>}r{/Alt}");
    const dialog = await screen.findByRole("dialog", {
      name: "Resolver o atendimento de Otávio Ramos?",
    });
    expect(server.calls()).not.toContain("PUT /tickets/2");
    await userEvent.click(within(dialog).getByRole("button", { name: "Resolver" }));
    await waitFor(() => expect(server.calls()).toContain("PUT /tickets/2"));
  });

  test("is returned to the queue", async () => {
    const address = await openScreen(`/tickets/${otavio.uuid}`);
    await userEvent.click(screen.getByRole("button", { name: "Devolver" }));
    await waitFor(() => expect(address()).toBe("/tickets"));
    expect(server.bodiesOf("PUT /tickets/2")).toMatchObject([{ status: "pending", userId: null }]);
    expect(chip("Aguardando").textContent).toBe("Aguardando 2");
  });

  test("Alt and the arrows move through the list", async () => {
    const address = await openScreen(`/tickets/${otavio.uuid}`);
    await userEvent.keyboard("{Alt>}{ArrowDown}{/Alt}");
    expect(address()).toBe(`/tickets/${helena.uuid}`);
    await userEvent.keyboard("{Alt>}{ArrowUp}{/Alt}");
    expect(address()).toBe(`/tickets/${otavio.uuid}`);
  });
});

describe("a change can be undone", () => {
  const undoButton = () => screen.findByRole("button", { name: "Desfazer" });
  const undone = () => waitFor(() => expect(server.calls()).toContain("POST /tickets/2/undo"));

  test("a resolved ticket is opened again, and what was said of it goes", async () => {
    const address = await openScreen(`/tickets/${otavio.uuid}`);
    await userEvent.click(screen.getByRole("button", { name: "Resolver" }));
    expect(await screen.findByText(/^Atendimento de Otávio Ramos resolvido\./)).toBeTruthy();
    await userEvent.click(await undoButton());
    await undone();
    await waitFor(() => expect(address()).toBe(`/tickets/${otavio.uuid}`));
    await waitFor(() => expect(cardNames()).toEqual(["Otávio Ramos", "Helena Duarte"]));
    expect(screen.queryByRole("button", { name: "Desfazer" })).toBeNull();
  });

  test("by the keys, and the next conversation is offered beside it", async () => {
    const address = await openScreen(`/tickets/${otavio.uuid}`);
    await userEvent.click(screen.getByRole("button", { name: "Devolver" }));
    await userEvent.click(await screen.findByRole("button", { name: "Abrir Helena Duarte" }));
    expect(address()).toBe(`/tickets/${helena.uuid}`);
    expect(screen.queryByRole("button", { name: "Desfazer" })).toBeNull();
    await userEvent.click(await screen.findByRole("button", { name: "Devolver" }));
    await undoButton();
    await userEvent.keyboard("{Alt>}z{/Alt}");
    await waitFor(() => expect(server.calls()).toContain("POST /tickets/1/undo"));
    await waitFor(() => expect(address()).toBe(`/tickets/${helena.uuid}`));
  });

  test("a macro runs by its keys, and all of its steps are undone together", async () => {
    const at = "2026-11-20T10:00:00.000Z";
    server.macros = [
      macro.parse({
        ...{ id: 1, companyId: 3, name: "Pago", key: "1", message: "Oi", resolves: true },
        ...{ tagId: null, queueId: null, reasonId: null, createdAt: at, updatedAt: at },
      }),
    ];
    const address = await openScreen(`/tickets/${otavio.uuid}`);
    // Its code comes after the page has shown, and the first press reads the macros.
    await waitFor(async () => {
      await userEvent.keyboard("{Alt>}{Shift>}[Digit1]{/Shift}{/Alt}");
      expect(server.calls()).toContain("POST /macros/1/run");
    });
    expect(server.bodiesOf("POST /macros/1/run")[0]).toEqual({ ticketId: 2, undoSeconds: 7 });
    expect(await screen.findByText(/^Macro Pago executada\./)).toBeTruthy();
    expect(address()).toBe("/tickets");
    await userEvent.click(await undoButton());
    await undone();
    await waitFor(() => expect(address()).toBe(`/tickets/${otavio.uuid}`));
    await userEvent.click(await screen.findByRole("button", { name: "Mais ações" }));
    await userEvent.click(await screen.findByRole("menuitem", { name: /^Pago/ }));
    await waitFor(() => expect(server.bodiesOf("POST /macros/1/run")).toHaveLength(2));
  });

  test("a refused one says why", async () => {
    server.refusals["POST /tickets/2/undo"] = {
      status: 409,
      body: { error: "ERR_UNDO_CHANGED", code: "ERR_UNDO_CHANGED" },
    };
    const address = await openScreen(`/tickets/${otavio.uuid}`);
    await userEvent.click(screen.getByRole("button", { name: "Resolver" }));
    await userEvent.click(await undoButton());
    expect(await screen.findByText(/^Não dá mais para desfazer/)).toBeTruthy();
    expect(address()).toBe("/tickets");
  });

  test("resolving opens the next conversation if the user chose so", async () => {
    const address = await openScreen(`/tickets/${otavio.uuid}`);
    await userEvent.click(screen.getByRole("button", { name: "Motivo e próximo atendimento" }));
    const choice = { name: "Resolver e abrir o próximo" };
    await userEvent.click(await screen.findByRole("menuitemcheckbox", choice));
    await userEvent.click(screen.getByRole("button", { name: "Resolver" }));
    await waitFor(() => expect(address()).toBe(`/tickets/${helena.uuid}`));
    await userEvent.click(await undoButton());
    await waitFor(() => expect(address()).toBe(`/tickets/${otavio.uuid}`));
  });
});

describe("reasons to resolve", () => {
  const at = "2026-11-20T10:00:00.000Z";
  const reason = { id: 5, companyId: 3, name: "Dúvida", createdAt: at, updatedAt: at };
  const reasons = () => resolveReason.array().parse([reason]);

  test("one can be chosen in the question", async () => {
    server.reasons = reasons();
    await openScreen(`/tickets/${otavio.uuid}`);
    await userEvent.click(screen.getByRole("button", { name: "Motivo e próximo atendimento" }));
    await userEvent.click(await screen.findByRole("menuitem", { name: "Resolver com motivo…" }));
    const dialog = await screen.findByRole("dialog", { name: /^Resolver o atendimento de Otávio/ });
    await userEvent.click(
      await within(dialog).findByRole("combobox", { name: "Motivo (opcional)" }),
    );
    await userEvent.click(await screen.findByRole("option", { name: "Dúvida" }));
    await userEvent.click(within(dialog).getByRole("button", { name: "Resolver" }));
    await waitFor(() =>
      expect(server.bodiesOf("PUT /tickets/2")).toMatchObject([{ status: "closed", reasonId: 5 }]),
    );
  });

  test("where the company requires one, the button asks", async () => {
    server.reasons = reasons();
    const required = { id: 1, companyId: 3, key: "resolveReasonRequired", value: "enabled" };
    server.settings = [setting.parse(required)];
    server.refusals["PUT /tickets/2"] = {
      status: 400,
      body: { error: "ERR_REASON_REQUIRED", code: "ERR_REASON_REQUIRED" },
    };
    await openScreen(`/tickets/${otavio.uuid}`);
    await userEvent.click(screen.getByRole("button", { name: "Resolver" }));
    const dialog = await screen.findByRole("dialog", { name: /^Resolver o atendimento de Otávio/ });
    delete server.refusals["PUT /tickets/2"];
    const confirm = within(dialog).getByRole("button", { name: "Resolver" });
    const field = await within(dialog).findByRole("combobox", { name: /^Motivo/ });
    await userEvent.click(confirm);
    expect(await within(dialog).findByText("Escolha um motivo")).toBeTruthy();
    await waitFor(() => expect(document.activeElement).toBe(field));
    await userEvent.click(field);
    await userEvent.click(await screen.findByRole("option", { name: "Dúvida" }));
    await userEvent.click(confirm);
    await waitFor(() =>
      expect(server.bodiesOf("PUT /tickets/2").at(-1)).toMatchObject({ reasonId: 5 }),
    );
  });
});

test("a resolved ticket cannot be answered until it is reopened", async () => {
  await openScreen(`/tickets/${ana.uuid}`);
  expect(await screen.findByText("Atendimento resolvido. Reabra para responder.")).toBeTruthy();
  expect(screen.getByRole("textbox")).toHaveProperty("disabled", true);
  await userEvent.click(screen.getByRole("button", { name: "Reabrir" }));
  await waitFor(() => expect(screen.getByRole("textbox")).toHaveProperty("disabled", false));
});

test("a ticket that the agent may not see is left with a toast", async () => {
  server.refusals[`GET /tickets/u/${helena.uuid}`] = {
    status: 403,
    body: { error: "Acesso não permitido", code: "ERR_TICKET_FORBIDDEN" },
  };
  const address = await openScreen(`/tickets/${helena.uuid}`);
  await waitFor(() => expect(address()).toBe("/tickets"));
  expect(await screen.findByText("Acesso não permitido")).toBeTruthy();
});

function ago(minutes: number): string {
  return new Date(Date.now() - minutes * 60_000).toISOString();
}

function pagesAsked(status: string): (string | null)[] {
  return server.requests
    .map((request) => new URLSearchParams(request.call.split("?")[1]))
    .filter((query) => query.get("status") === status)
    .map((query) => query.get("pageNumber"));
}

function companySetting(fields: { id: number; key: string; value: string; companyId: number }) {
  return setting.parse(fields);
}
