import { setting, weekdays } from "@balcao/contract";
import { act, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { startSession } from "../../../api/session-store.ts";
import { givenToken, givenUser } from "../../../testing/given.ts";
import { givenLayout } from "../../messages/testing/given-layout.ts";
import { givenMessage } from "../../messages/testing/given-message.ts";
import { givenConnection, givenOwnQueue, givenQueue } from "../testing/given-choices.ts";
import { givenTicket } from "../testing/given-ticket.ts";
import type { TicketServer } from "../testing/ticket-server.ts";
import { ticketServer } from "../testing/ticket-server.ts";
import { cardNames, chip, contactNamed, openTicketsScreen } from "../testing/tickets-screen.tsx";
import { sockets } from "../../../testing/sockets.ts";

vi.mock("../../../realtime/socket.ts", () => import("../../../testing/sockets.ts"));

const ME = { userId: 7, user: { id: 7, name: "Marina Prado" } };
const helena = givenTicket(1, { ...ME, contact: contactNamed(1, "Helena Duarte") });
const otavio = givenTicket(2, { ...ME, contact: contactNamed(2, "Otávio Ramos") });
const diego = givenTicket(3, { status: "pending", contact: contactNamed(3, "Diego Nascimento") });

let server: TicketServer;

beforeEach(() => {
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
    [0, "agora", null],
    [1, "há 1 min", null],
    [4, "4 min", "ok"],
    [14, "há 14 min", null],
    [45, "45 min", "warn"],
    [150, "2 h", "bad"],
    [3_000, "2 d", "bad"],
  ])("of a customer who waits for %i minutes shows %s", async (minutes, label, tone) => {
    // What we sent since then does not count.
    const fields = { waitingSince: minutesAgo(minutes), lastMessageAt: minutesAgo(0) };
    const card = await showCard(fields);
    expect(within(card).getByText(label).getAttribute("data-tone")).toBe(tone);
  });

  test("on which nobody waits shows the time of the last message", async () => {
    const card = await showCard({ lastMessageAt: minutesAgo(45), lastMessageFromMe: true });
    const label = within(card).getByText(/^\d\d:\d\d$/);
    expect(label.getAttribute("data-tone")).toBeNull();
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

  test("that is resolved shows who served in which queue", async () => {
    server.tickets = [
      givenTicket(1, {
        ...{ status: "closed", queueId: null, queue: null },
        servedUser: { id: 8, name: "Caio Reis" },
        servedQueue: { id: 1, name: "Suporte", color: "#3b82c4" },
      }),
    ];
    await openTicketsScreen(sockets);
    await userEvent.click(screen.getByRole("tab", { name: "Resolvidos" }));
    const card = await screen.findByRole("listitem");
    expect(within(card).getByTitle("Atendente: Caio Reis")).toBeTruthy();
    expect(within(card).getByRole("link", { name: /fila Suporte/ })).toBeTruthy();
    const renamed = { id: 1, name: "Pós-venda", color: "#3b82c4" };
    act(() => sockets[0]?.receive("company-3-queue", { action: "update", queue: renamed }));
    expect(await within(card).findByText("Pós-venda")).toBeTruthy();
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

describe("a card of a queue with targets", () => {
  const shown = async (minutes: number, fields: Parameters<typeof givenTicket>[1] = {}) => {
    server.queues = [givenQueue(1, "Suporte", { firstAnswerMinutes: 40, nextAnswerMinutes: 150 })];
    server.tickets = [givenTicket(1, { ...ME, waitingSince: minutesAgo(minutes), ...fields })];
    await openTicketsScreen(sockets);
    return screen.findByRole("listitem");
  };

  test.each([
    [10.5, {}, "faltam 30 min", null],
    [39.5, {}, "falta 1 min", "warn"],
    [44.5, {}, "meta perdida há 4 min", "bad"],
    [30 * 60, {}, "meta perdida há 1 d", "bad"],
    [10, { isAnswered: true }, "faltam 2 h", null],
    // It came into the queue later.
    [90, { queuedAt: minutesAgo(30.5) }, "faltam 10 min", "warn"],
  ])("whose customer waits for %f minutes, %j, says %s", async (minutes, fields, words, tone) => {
    const card = await shown(minutes, fields);
    expect((await within(card).findByText(words)).getAttribute("data-tone")).toBe(tone);
  });

  test.each([
    ["the chatbot holds the ticket", { chatbot: true }],
    ["nobody waits", { waitingSince: null }],
    ["it is a group", { isGroup: true }],
  ])("says nothing where %s", async (_why, fields) => {
    const card = await shown(10, fields);
    await waitFor(() => expect(server.calls()).toContain("GET /queue"));
    expect(within(card).queryByText(/falta|meta/)).toBeNull();
  });

  test("says outside of the opening hours when the time goes on", async () => {
    server.settings = [
      setting.parse({ id: 1, key: "scheduleType", value: "company", companyId: 3 }),
    ];
    const day = { startTime: "00:00", endTime: "00:00" };
    server.companySchedules = weekdays.map((weekdayEn) => ({
      ...{ weekday: weekdayEn, weekdayEn },
      // Open tomorrow only.
      ...(weekdayEn === tomorrow() ? { startTime: "09:00", endTime: "18:00" } : day),
    }));
    const card = await shown(10);
    expect(await within(card).findByText(/^retoma .*às 9h$/)).toBeTruthy();
  });

  test("and its header name the answer and the time left", async () => {
    await shown(35.5);
    await userEvent.click(await screen.findByRole("link", { name: /^Cliente 1/ }));
    expect(await screen.findByText("1ª resposta em 5 min")).toBeTruthy();
  });
});

/** The weekday of tomorrow in São Paulo, the company's zone. */
function tomorrow(): string {
  const date = new Date(Date.now() + 24 * 60 * 60_000);
  const name = date.toLocaleDateString("en", { weekday: "long", timeZone: "America/Sao_Paulo" });
  return name.toLowerCase();
}

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

  test("opens the conversation beside the list, unaccepted and unread, where it can only be accepted", async () => {
    server.messages[3] = [givenMessage(1, { ticketId: 3, body: "Oi, quero saber do pedido" })];
    const address = await openTicketsScreen(sockets);
    await userEvent.click(chip("Aguardando"));
    await userEvent.click(await spy());
    const dialog = await screen.findByRole("dialog", { name: "Conversa de Diego Nascimento" });
    await userEvent.click(within(dialog).getByRole("button", { name: "Abrir sem aceitar" }));
    expect(address()).toBe(`/tickets/${diego.uuid}`);
    expect(await screen.findByText("Você está vendo sem aceitar.")).toBeTruthy();
    expect(await screen.findByText("Aceite para responder")).toBeTruthy();
    expect(await screen.findByText(/quero saber do pedido/)).toBeTruthy();
    expect(server.calls()).not.toContain("PUT /tickets/3");
    expect(server.calls()).not.toContain("POST /messages/3/read");
    await userEvent.click(await screen.findByRole("button", { name: "Aceitar" }));
    await waitFor(() => expect(screen.queryByText("Você está vendo sem aceitar.")).toBeNull());
  });

  test("is for nobody, or also for agents, where the company says so", async () => {
    const setTo = (value: string) => [
      setting.parse({ id: 1, key: "waitingPreview", value, companyId: 3 }),
    ];
    server.settings = setTo("enabled");
    const agent = givenUser({ profile: "user", queues: [givenOwnQueue(1, "Suporte")] });
    startSession(givenToken("t"), agent);
    const address = await openTicketsScreen(sockets);
    await userEvent.click(chip("Aguardando"));
    await userEvent.click(await spy());
    expect(address()).toBe(`/tickets/${diego.uuid}`);
    expect(screen.queryByRole("dialog")).toBeNull();

    const nobody = { action: "update", setting: setTo("disabled")[0] };
    act(() => sockets[0]?.receive("company-3-settings", nobody));
    await waitFor(() => expect(screen.queryByRole("button", { name: /^Espiar/ })).toBeNull());
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
