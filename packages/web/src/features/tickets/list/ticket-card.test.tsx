import { setting } from "@balcao/contract";
import { act, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { startSession } from "../../../api/session-store.ts";
import type { FakeSocket } from "../../../testing/fake-socket.ts";
import { createFakeSocket } from "../../../testing/fake-socket.ts";
import { givenToken, givenUser } from "../../../testing/given.ts";
import { givenLayout } from "../../messages/testing/given-layout.ts";
import { givenMessage } from "../../messages/testing/given-message.ts";
import { givenConnection, givenOwnQueue } from "../testing/given-choices.ts";
import { givenTicket } from "../testing/given-ticket.ts";
import type { TicketServer } from "../testing/ticket-server.ts";
import { ticketServer } from "../testing/ticket-server.ts";
import { cardNames, chip, contactNamed, openTicketsScreen } from "../testing/tickets-screen.tsx";

const sockets = vi.hoisted((): FakeSocket[] => []);
vi.mock("../../../realtime/socket.ts", () => ({
  openSocket: () => {
    const socket = createFakeSocket();
    sockets.push(socket);
    return socket;
  },
}));

const ME = { userId: 7, user: { id: 7, name: "Marina Prado" } };
const helena = givenTicket(1, { ...ME, contact: contactNamed(1, "Helena Duarte") });
const otavio = givenTicket(2, { ...ME, contact: contactNamed(2, "Otávio Ramos") });
const diego = givenTicket(3, { status: "pending", contact: contactNamed(3, "Diego Nascimento") });

let server: TicketServer;

beforeEach(() => {
  sockets.length = 0;
  givenLayout();
  startSession(givenToken("t"), givenUser());
  server = ticketServer([helena, otavio, diego]);
});

afterEach(() => vi.restoreAllMocks());

describe("a card", () => {
  async function showCard(fields: Parameters<typeof givenTicket>[1]): Promise<HTMLElement> {
    server.tickets = [givenTicket(1, { ...ME, ...fields })];
    await openTicketsScreen(sockets);
    return screen.findByRole("listitem");
  }

  test("shows contact, last message, queue, connection, tags of none and the hour", async () => {
    server.connections = [givenConnection(1, "Loja Paulista"), givenConnection(2, "Atacado")];
    const card = await showCard({ lastMessage: "*Bom* dia", lastMessageAt: minutesAgo(15) });
    expect(within(card).getByText("Cliente 1")).toBeTruthy();
    expect(within(card).getByText("Bom dia")).toBeTruthy();
    expect(within(card).getByText("Suporte")).toBeTruthy();
    expect(await within(card).findByText("Loja Paulista")).toBeTruthy();
    expect(within(card).getByText(/^\d\d:\d\d$/)).toBeTruthy();
  });

  test("has no connection name while the company has one connection only", async () => {
    server.connections = [givenConnection(1, "Loja Paulista"), givenConnection(2, "Atacado")];
    const card = await showCard({});
    await within(card).findByText("Loja Paulista");
    server.connections = [givenConnection(1, "Loja Paulista")];
    const deleted = { action: "delete", whatsappId: 2 };
    act(() => sockets[0]?.receive("company-3-whatsapp", deleted));
    await waitFor(() => expect(within(card).queryByText("Loja Paulista")).toBeNull());
  });

  test.each([
    [4, "4 min", "ok"],
    [45, "45 min", "warn"],
    [150, "2 h", "bad"],
    [3_000, "2 d", "bad"],
  ])("with a message from %i minutes ago shows %s", async (minutes, label, tone) => {
    const card = await showCard({ lastMessageAt: minutesAgo(minutes) });
    expect(within(card).getByText(label).getAttribute("data-tone")).toBe(tone);
  });

  test.each([
    [{ lastMessageAt: minutesAgo(15) }, "Mensagem de outra fila"],
    [
      { lastMessageAt: minutesAgo(15), lastMessageFailed: true },
      "Não enviada: Mensagem de outra fila",
    ],
    [{ lastMessageAt: null }, "Sem mensagens"],
  ])("with a last message that the user may not read says so: %j", async (fields, words) => {
    const card = await showCard({ lastMessage: "", ...fields });
    expect(within(card).getByText(words)).toBeTruthy();
  });

  test("counts unread messages up to 99", async () => {
    const card = await showCard({ unreadMessages: 120 });
    expect(within(card).getByText("99+")).toBeTruthy();
    expect(within(card).getByText("120 mensagens não lidas")).toBeTruthy();
  });

  test("has an icon for other kinds than text", async () => {
    const card = await showCard({ lastMessageKind: "voice", lastMessage: "Mensagem de voz" });
    expect(within(card).getByRole("img", { name: "Mensagem de voz" })).toBeTruthy();
  });

  test("shows that the last message failed", async () => {
    const card = await showCard({
      lastMessage: "Coleta na quinta",
      lastMessageFromMe: true,
      lastMessageFailed: true,
    });
    expect(within(card).getByText("Não enviada: Coleta na quinta")).toBeTruthy();
  });

  test("shows that the delivery of the last message is unknown", async () => {
    const card = await showCard({
      lastMessage: "Coleta na quinta",
      lastMessageFromMe: true,
      lastMessageUnconfirmed: true,
    });
    expect(within(card).getByRole("img", { name: "não confirmada" })).toBeTruthy();
    expect(within(card).getByText("Não confirmada: Coleta na quinta")).toBeTruthy();
  });

  test("shows the chatbot, and to admins the agent", async () => {
    localStorage.setItem("balcao.list.7", '{"showAll":true}');
    const card = await showCard({
      chatbot: true,
      userId: 8,
      user: { id: 8, name: "Caio Reis" },
    });
    expect(within(card).getByText("Chatbot")).toBeTruthy();
    expect(within(card).getByText("Caio Reis")).toBeTruthy();
  });
});

describe("Resolver", () => {
  test("asks, closes the ticket with the family's request, and moves to the next card", async () => {
    await openTicketsScreen(sockets);
    await userEvent.click(
      await screen.findByRole("button", { name: "Resolver atendimento de Otávio Ramos" }),
    );
    const dialog = await screen.findByRole("dialog", {
      name: "Resolver o atendimento de Otávio Ramos?",
    });
    expect(server.calls()).not.toContain("PUT /tickets/2");
    await userEvent.click(within(dialog).getByRole("button", { name: "Resolver" }));
    await waitFor(() => expect(cardNames()).toEqual(["Helena Duarte"]));
    expect(server.bodiesOf("PUT /tickets/2")).toEqual([
      {
        status: "closed",
        userId: 7,
        queueId: 1,
        useIntegration: false,
        promptId: null,
        integrationId: null,
        undoSeconds: 7,
      },
    ]);
    await waitFor(() => expect(document.activeElement?.textContent).toBe("Helena Duarte"));
  });

  test("keeps the conversation of another ticket", async () => {
    const address = await openTicketsScreen(sockets, `/tickets/${helena.uuid}`);
    await userEvent.click(
      await screen.findByRole("button", { name: "Resolver atendimento de Otávio Ramos" }),
    );
    const question = await screen.findByRole("dialog");
    await userEvent.click(within(question).getByRole("button", { name: "Resolver" }));
    await waitFor(() => expect(cardNames()).toEqual(["Helena Duarte"]));
    expect(address()).toBe(`/tickets/${helena.uuid}`);
  });

  test("can be cancelled without a change", async () => {
    await openTicketsScreen(sockets);
    const finish = await screen.findByRole("button", { name: /^Resolver atendimento de Otávio/ });
    await userEvent.click(finish);
    await userEvent.click(await screen.findByRole("button", { name: "Cancelar" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(server.calls()).not.toContain("PUT /tickets/2");
    await waitFor(() => expect(document.activeElement).toBe(finish));
  });

  test("works by keyboard for the focused card", async () => {
    await openTicketsScreen(sockets);
    (await screen.findByRole("link", { name: /^Otávio/ })).focus();
    await userEvent.keyboard("{Alt>}r{/Alt}");
    expect(
      await screen.findByRole("dialog", { name: "Resolver o atendimento de Otávio Ramos?" }),
    ).toBeTruthy();
  });

  test("does not exist for a waiting ticket", async () => {
    await openTicketsScreen(sockets);
    await userEvent.click(chip("Aguardando"));
    await screen.findByRole("button", { name: /^Aceitar atendimento/ });
    expect(screen.queryByRole("button", { name: /^Resolver/ })).toBeNull();
  });
});

describe("Espiar", () => {
  const spy = () => screen.findByRole("button", { name: "Espiar a conversa de Diego Nascimento" });

  test("shows the conversation, and neither accepts it nor marks it as read", async () => {
    server.messages[3] = [givenMessage(1, { ticketId: 3, body: "Oi, quero saber do pedido" })];
    const address = await openTicketsScreen(sockets);
    await userEvent.click(chip("Aguardando"));
    await userEvent.click(await spy());
    const dialog = await screen.findByRole("dialog", { name: "Conversa de Diego Nascimento" });
    expect(await within(dialog).findByText(/quero saber do pedido/)).toBeTruthy();
    expect(within(dialog).queryByRole("textbox")).toBeNull();
    expect(address()).toBe("/tickets");
    await userEvent.click(within(dialog).getByText("Fechar"));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(server.calls()).not.toContain("PUT /tickets/3");
    expect(server.calls()).not.toContain("POST /messages/3/read");
    await waitFor(async () => expect(document.activeElement).toBe(await spy()));
  });

  test("leads to accepting, with the greeting if the company enabled it", async () => {
    server.settings = [
      setting.parse({ id: 1, key: "sendGreetingAccepted", value: "enabled", companyId: 3 }),
    ];
    const address = await openTicketsScreen(sockets);
    await userEvent.click(chip("Aguardando"));
    await userEvent.click(await spy());
    const dialog = await screen.findByRole("dialog", { name: "Conversa de Diego Nascimento" });
    await userEvent.click(within(dialog).getByRole("button", { name: "Aceitar" }));
    await waitFor(() => expect(address()).toBe(`/tickets/${diego.uuid}`));
    await waitFor(() => expect(server.bodiesOf("POST /messages/3")).toHaveLength(1));
  });

  test("is allowed for supervisors, not for agents", async () => {
    startSession(
      givenToken("t"),
      givenUser({ profile: "supervisor", queues: [givenOwnQueue(1, "Suporte")] }),
    );
    await openTicketsScreen(sockets);
    await userEvent.click(chip("Aguardando"));
    expect(await spy()).toBeTruthy();
  });

  test("is hidden from agents", async () => {
    startSession(
      givenToken("t"),
      givenUser({ profile: "user", queues: [givenOwnQueue(1, "Suporte")] }),
    );
    await openTicketsScreen(sockets);
    await userEvent.click(chip("Aguardando"));
    await screen.findByRole("button", { name: /^Aceitar atendimento/ });
    expect(screen.queryByRole("button", { name: /^Espiar/ })).toBeNull();
  });
});

function minutesAgo(minutes: number): string {
  return new Date(Date.now() - minutes * 60_000).toISOString();
}
