import { screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { startSession } from "../../../api/session-store.ts";
import { givenToken, givenUser } from "../../../testing/given.ts";
import { givenLayout } from "../../messages/testing/given-layout.ts";
import { givenConnection, givenMember, givenQueue } from "../testing/given-choices.ts";
import { givenTicket } from "../testing/given-ticket.ts";
import type { TicketServer } from "../testing/ticket-server.ts";
import { ticketServer } from "../testing/ticket-server.ts";
import { cardNames, contactNamed, openTicketsScreen } from "../testing/tickets-screen.tsx";
import { sockets } from "../../../testing/sockets.ts";

vi.mock("../../../realtime/socket.ts", () => import("../../../testing/sockets.ts"));

const ME = { userId: 7, user: { id: 7, name: "Marina Prado" } };
const helena = givenTicket(1, { ...ME, contact: contactNamed(1, "Helena Duarte") });
const otavio = givenTicket(2, { ...ME, contact: contactNamed(2, "Otávio Ramos") });

let server: TicketServer;

beforeEach(() => {
  givenLayout();
  startSession(givenToken("t"), givenUser());
  server = ticketServer([helena, otavio]);
  server.queues = [givenQueue(1, "Suporte"), givenQueue(2, "Vendas"), givenQueue(3, "Financeiro")];
  server.connections = [givenConnection(1, "Loja Paulista"), givenConnection(2, "Atacado")];
  const paused = { availability: "paused", pauseReason: "Almoço" } as const;
  server.team = {
    people: [
      givenMember(7, "Marina Prado"),
      givenMember(9, "Lia Souza", { ...paused, queueIds: [1] }),
      givenMember(8, "Caio Reis", { openTickets: 2, queueIds: [2] }),
    ],
    queues: [
      {
        id: 1 as never,
        waiting: 2,
        oldestSince: new Date(Date.now() - 3 * 3_600_000).toISOString(),
        withinTarget: 92,
      },
    ],
  };
});

afterEach(() => vi.restoreAllMocks());

describe("Transferir", () => {
  async function openTransfer() {
    const address = await openTicketsScreen(sockets, `/tickets/${otavio.uuid}`);
    await userEvent.click(await screen.findByRole("button", { name: "Transferir" }));
    const dialog = await screen.findByRole("dialog", { name: /^Transferir Otávio Ramos/ });
    const field = within(dialog).getByRole("combobox", { name: "Pessoa ou fila" });
    await within(dialog).findByRole("option", { name: /Caio Reis/ });
    const options = (list: "Pessoas" | "Filas") =>
      within(within(dialog).getByRole("listbox", { name: new RegExp(`^${list}`) }))
        .getAllByRole("option")
        .map(({ textContent }) => textContent);
    return {
      ...{ address, dialog, field, options },
      chosen: () => dialog.querySelector('li[aria-selected="true"]')?.textContent ?? null,
      choose: (name: RegExp) => userEvent.click(within(dialog).getByRole("option", { name })),
      submit: (name: string) => userEvent.click(within(dialog).getByRole("button", { name })),
    };
  }

  test("lists people with their load and queues with what waits, at once", async () => {
    const { field, options } = await openTransfer();
    expect(document.activeElement).toBe(field);
    expect(options("Pessoas")).toEqual([
      expect.stringMatching(/Caio Reis.*Vendas.*2 de 6/),
      expect.stringMatching(/Lia Souza.*Almoço, \d+ min/),
    ]);
    expect(options("Filas")).toEqual([
      expect.stringMatching(/Suporte.*atual.*2 aguardando.*ninguém agora/),
      expect.stringMatching(/Vendas.*0 aguardando.*1 disponível/),
      expect.stringMatching(/Financeiro/),
    ]);
  });

  test("to a queue: the ticket waits there, and the next one is focused", async () => {
    const transfer = await openTransfer();
    await transfer.choose(/Vendas.*aguardando/);
    await transfer.submit("Transferir para a fila Vendas");
    await waitFor(() => expect(transfer.address()).toBe("/tickets"));
    expect(server.bodiesOf("PUT /tickets/2")).toEqual([
      { queueId: 2, status: "pending", userId: null, whatsappId: 1, undoSeconds: 7 },
    ]);
    expect(cardNames()).toEqual(["Helena Duarte"]);
    expect(await screen.findByText(/^Atendimento transferido para Vendas\./)).toBeTruthy();
  });

  test("to a person, who keeps the queue or gets the first own one, with a note and another connection", async () => {
    const transfer = await openTransfer();
    await transfer.choose(/Caio Reis/);
    const queue = within(transfer.dialog).getByRole("combobox", { name: /^Fila/ });
    expect(queue).toHaveProperty("value", "2");
    await userEvent.selectOptions(queue, "Financeiro");
    const connection = within(transfer.dialog).getByRole("combobox", { name: /^Conexão/ });
    await userEvent.selectOptions(connection, "Atacado");
    const note = within(transfer.dialog).getByRole("textbox", { name: /^Nota para Caio/ });
    await userEvent.type(note, "Zíper travando{Enter}Falta agendar");
    expect(server.calls()).not.toContain("PUT /tickets/2");
    await userEvent.keyboard("{Control>}{Enter}{/Control}");
    await waitFor(() => expect(transfer.address()).toBe("/tickets"));
    expect(server.bodiesOf("PUT /tickets/2")).toEqual([
      {
        ...{ queueId: 3, userId: 8, whatsappId: 2, undoSeconds: 7 },
        note: "Zíper travando\nFalta agendar",
      },
    ]);
  });

  test("is done by keyboard: letters filter, arrows choose, Enter confirms once and never empties the field", async () => {
    const transfer = await openTransfer();
    await userEvent.keyboard("{Enter}");
    expect(within(transfer.dialog).getByRole("alert").textContent).toBe(
      "Escolha uma pessoa ou uma fila",
    );
    await userEvent.keyboard("{ArrowDown}");
    expect(transfer.chosen()).toMatch(/Caio Reis/);
    await userEvent.keyboard("{ArrowRight}{ArrowDown}");
    expect(transfer.chosen()).toMatch(/Vendas/);
    await userEvent.keyboard("{ArrowLeft}");
    expect(transfer.chosen()).toMatch(/Lia Souza/);
    await userEvent.keyboard("FINAN");
    expect(transfer.chosen()).toMatch(/Financeiro/);
    await userEvent.keyboard("X");
    within(transfer.dialog).getByRole("button", { name: "Transferir" });
    await userEvent.keyboard("{Backspace}");
    within(transfer.dialog).getByRole("button", { name: "Transferir para a fila Financeiro" });
    server.refusals["PUT /tickets/2"] = "never";
    await userEvent.keyboard("{Enter}{Enter}");
    expect(transfer.field).toHaveProperty("value", "FINAN");
    expect(server.bodiesOf("PUT /tickets/2")).toEqual([
      { queueId: 3, status: "pending", userId: null, whatsappId: 1, undoSeconds: 7 },
    ]);
  });

  test("requires a queue", async () => {
    server.tickets = [helena, { ...otavio, queueId: null, queue: null }];
    server.team.people.push(givenMember(10, "Téo Lima"));
    const transfer = await openTransfer();
    await transfer.choose(/Téo Lima/);
    await transfer.submit("Transferir para Téo");
    expect(await within(transfer.dialog).findByText("Selecione uma fila")).toBeTruthy();
    const queue = within(transfer.dialog).getByRole("combobox", { name: /^Fila/ });
    expect(document.activeElement).toBe(queue);
    expect(server.calls()).not.toContain("PUT /tickets/2");
  });

  test("says what happens when the person does not take it at once", async () => {
    const transfer = await openTransfer();
    await transfer.choose(/Lia Souza/);
    expect(within(transfer.dialog).getByRole("status").textContent).toBe(
      "Vai esperar até Lia voltar.",
    );
    await transfer.choose(/Caio Reis/);
    expect(within(transfer.dialog).queryByRole("status")?.textContent ?? "").toBe("");
  });

  test("the customer is told where the company wants that, unless the agent does not", async () => {
    server.settings = [
      { id: 1, companyId: 3 as never, key: "sendMsgTransfTicket", value: "enabled" },
    ];
    const transfer = await openTransfer();
    await transfer.choose(/Caio Reis/);
    const tell = await within(transfer.dialog).findByRole("switch", { name: /^Avisar o cliente/ });
    expect(tell).toHaveProperty("checked", true);
    await userEvent.click(tell);
    await transfer.submit("Transferir para Caio");
    await waitFor(() => expect(transfer.address()).toBe("/tickets"));
    expect(server.bodiesOf("PUT /tickets/2")).toMatchObject([{ userId: 8, tellCustomer: false }]);
  });

  test("a summary by the AI service goes below what was typed, and nobody reads it before the transfer", async () => {
    server.helps = true;
    const transfer = await openTransfer();
    const note = within(transfer.dialog).getByRole("textbox", { name: /^Nota/ });
    await userEvent.type(note, "Urgente ");
    await userEvent.click(
      await within(transfer.dialog).findByRole("button", { name: "Resumir a conversa" }),
    );
    const summed = "Urgente\nQuer trocar o vestido.\nFalta a nota.";
    await waitFor(() => expect(note).toHaveProperty("value", summed));
    expect(server.bodiesOf("POST /tickets/2/help")).toEqual([{ kind: "summary" }]);
    expect(server.calls()).not.toContain("PUT /tickets/2");
  });

  test("that is refused shows the error and keeps the choice", async () => {
    server.refusals["PUT /tickets/2"] = {
      status: 400,
      body: { error: "ERR_OTHER_OPEN_TICKET", code: "ERR_OTHER_OPEN_TICKET" },
    };
    const transfer = await openTransfer();
    await transfer.choose(/Vendas.*aguardando/);
    await transfer.submit("Transferir para a fila Vendas");
    expect((await within(transfer.dialog).findByRole("alert")).textContent).not.toBe("");
    expect(transfer.chosen()).toMatch(/Vendas/);
    expect(transfer.address()).toBe(`/tickets/${otavio.uuid}`);
  });

  test("opens by keyboard", async () => {
    await openTicketsScreen(sockets, `/tickets/${otavio.uuid}`);
    await screen.findByRole("button", { name: "Transferir" });
    await userEvent.keyboard("{Alt>}t{/Alt}");
    expect(await screen.findByRole("dialog", { name: /^Transferir Otávio/ })).toBeTruthy();
  });
});

describe("the team above the list", () => {
  afterEach(() => void vi.useRealTimers());
  beforeEach(() => {
    vi.spyOn(window, "matchMedia").mockImplementation((query) => {
      const list = { matches: query.includes("min-width"), media: query, onchange: null };
      const nothing = (): void => undefined;
      return Object.assign(new EventTarget(), list, {
        ...{ addListener: nothing, removeListener: nothing },
      });
    });
  });

  test("shows queues and people; a queue filters the list, a person opens his tickets", async () => {
    await openTicketsScreen(sockets, "/tickets");
    const strip = await screen.findByRole("region", { name: "Equipe" });
    const queue = within(strip).getByRole("button", { name: /Suporte/ });
    expect(queue.textContent).toMatch(/2 aguardando.*3 h/);
    expect(within(strip).getByRole("button", { name: /Caio/ }).textContent).toMatch(/2 de 6/);
    await userEvent.click(queue);
    expect(queue.getAttribute("aria-pressed")).toBe("true");
    await waitFor(() => expect(listsOf("queueIds")).toContain("[1]"));
    await userEvent.click(within(strip).getByRole("button", { name: /Caio/ }));
    await waitFor(() => expect(listsOf("users")).toContain("[8]"));
    await userEvent.click(within(strip).getByRole("button", { name: "Recolher a equipe" }));
    expect(within(strip).getByText("2 disponíveis, 2 aguardando")).toBeTruthy();
    expect(localStorage.getItem("balcao.team.7")).toBe("folded");
  });

  test("is read again after changes, at most every five seconds", async () => {
    await openTicketsScreen(sockets, "/tickets");
    await screen.findByRole("region", { name: "Equipe" });
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const reads = () => server.calls().filter((call) => call === "GET /team").length;
    const before = reads();
    for (let n = 0; n < 3; n += 1) sockets[0]?.receive("company-3-ticket", gone);
    vi.advanceTimersByTime(4_900);
    expect(reads()).toBe(before);
    vi.advanceTimersByTime(200);
    vi.useRealTimers();
    await waitFor(() => expect(reads()).toBe(before + 1));
  });

  test("is not for agents", async () => {
    startSession(givenToken("t"), givenUser({ profile: "user" }));
    await openTicketsScreen(sockets, "/tickets");
    await screen.findByText("Helena Duarte");
    expect(server.calls()).not.toContain("GET /team");
  });

  const gone = { action: "delete", ticketId: 99 };
  const listsOf = (parameter: string): (string | null)[] =>
    server.requests
      .filter(({ call }) => call.startsWith("GET /api/tickets?"))
      .map(({ call }) => new URLSearchParams(call.split("?")[1]).get(parameter));
});

describe("Excluir", () => {
  async function ask() {
    const address = await openTicketsScreen(sockets, `/tickets/${otavio.uuid}`);
    await userEvent.click(await screen.findByRole("button", { name: "Mais ações" }));
    await userEvent.click(await screen.findByRole("menuitem", { name: "Excluir" }));
    const dialog = await screen.findByRole("dialog", {
      name: "Excluir o atendimento de Otávio Ramos?",
    });
    return { address, dialog };
  }

  test("removes the ticket after a question that names the contact", async () => {
    const { address, dialog } = await ask();
    expect(server.calls()).not.toContain("DELETE /tickets/2");
    await userEvent.click(within(dialog).getByRole("button", { name: "Excluir" }));
    await waitFor(() => expect(address()).toBe("/tickets"));
    expect(server.calls()).toContain("DELETE /tickets/2");
    expect(cardNames()).toEqual(["Helena Duarte"]);
  });

  test("that is refused keeps the ticket and shows the error", async () => {
    server.refusals["DELETE /tickets/2"] = {
      status: 403,
      body: { error: "ERR_NO_PERMISSION", code: "ERR_NO_PERMISSION" },
    };
    const { address, dialog } = await ask();
    await userEvent.click(within(dialog).getByRole("button", { name: "Excluir" }));
    expect(await within(dialog).findByRole("alert")).toBeTruthy();
    expect(address()).toBe(`/tickets/${otavio.uuid}`);
  });

  test("is allowed for admins only", async () => {
    startSession(givenToken("t"), givenUser({ profile: "user" }));
    await openTicketsScreen(sockets, `/tickets/${otavio.uuid}`);
    await userEvent.click(await screen.findByRole("button", { name: "Mais ações" }));
    expect(await screen.findByRole("menuitem", { name: "Informações do contato" })).toBeTruthy();
    expect(screen.queryByRole("menuitem", { name: "Excluir" })).toBeNull();
  });
});

describe("Agendar", () => {
  test("opens the dialog for the contact, and returns the focus", async () => {
    await openTicketsScreen(sockets, `/tickets/${otavio.uuid}`);
    const schedule = await screen.findByRole("button", { name: "Agendar" });
    await userEvent.click(schedule);
    expect(await screen.findByRole("dialog")).toBeTruthy();
    await userEvent.keyboard("{Escape}");
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    await waitFor(() => expect(document.activeElement).toBe(schedule));
  });

  test("is not offered if the plan has no scheduled messages", async () => {
    server.plan = {};
    await openTicketsScreen(sockets, `/tickets/${otavio.uuid}`);
    await screen.findByRole("button", { name: "Transferir" });
    expect(screen.queryByRole("button", { name: "Agendar" })).toBeNull();
    await userEvent.keyboard("{Alt>}s{/Alt}");
    expect(screen.queryByRole("dialog")).toBeNull();
  });
});

test("the contact opens beside the conversation, by a press on the name or by keyboard", async () => {
  await openTicketsScreen(sockets, `/tickets/${otavio.uuid}`);
  const name = await screen.findByRole("button", { name: "Otávio Ramos" });
  await userEvent.click(name);
  expect(await screen.findByRole("complementary")).toBeTruthy();
  expect(name.getAttribute("aria-expanded")).toBe("true");
  await userEvent.keyboard("{Alt>}i{/Alt}");
  await waitFor(() => expect(screen.queryByRole("complementary")).toBeNull());
});
