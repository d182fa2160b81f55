import { screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { startSession } from "../../../api/session-store.ts";
import type { FakeSocket } from "../../../testing/fake-socket.ts";
import { createFakeSocket } from "../../../testing/fake-socket.ts";
import { givenToken, givenUser } from "../../../testing/given.ts";
import { givenLayout } from "../../messages/testing/given-layout.ts";
import { givenColleague, givenConnection, givenQueue } from "../testing/given-choices.ts";
import { givenTicket } from "../testing/given-ticket.ts";
import type { TicketServer } from "../testing/ticket-server.ts";
import { ticketServer } from "../testing/ticket-server.ts";
import { cardNames, contactNamed, openTicketsScreen } from "../testing/tickets-screen.tsx";

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

let server: TicketServer;

beforeEach(() => {
  sockets.length = 0;
  givenLayout();
  startSession(givenToken("t"), givenUser());
  server = ticketServer([helena, otavio]);
  server.queues = [givenQueue(1, "Suporte"), givenQueue(2, "Vendas"), givenQueue(3, "Financeiro")];
  server.connections = [givenConnection(1, "Loja Paulista"), givenConnection(2, "Atacado")];
  server.colleagues = [givenColleague(8, "Caio Reis", [2]), givenColleague(9, "Lia Souza", [1])];
});

afterEach(() => vi.restoreAllMocks());

describe("Transferir", () => {
  async function openTransfer() {
    const address = await openTicketsScreen(sockets, `/tickets/${otavio.uuid}`);
    await userEvent.click(await screen.findByRole("button", { name: "Transferir" }));
    const dialog = await screen.findByRole("dialog", {
      name: "Transferir o atendimento de Otávio Ramos",
    });
    const field = (name: RegExp) => within(dialog).getByRole("combobox", { name });
    return {
      address,
      dialog,
      field,
      async choose(name: RegExp, option: string): Promise<void> {
        await userEvent.click(field(name));
        await userEvent.click(await screen.findByRole("option", { name: option }));
      },
      submit: () => userEvent.click(within(dialog).getByRole("button", { name: "Transferir" })),
    };
  }

  test("to a queue: the ticket waits there, and the next one is focused", async () => {
    const transfer = await openTransfer();
    await transfer.choose(/^Fila/, "Vendas");
    await transfer.submit();
    await waitFor(() => expect(transfer.address()).toBe("/tickets"));
    expect(server.bodiesOf("PUT /tickets/2")).toEqual([
      { queueId: 2, status: "pending", userId: null, whatsappId: 1, undoSeconds: 7 },
    ]);
    expect(cardNames()).toEqual(["Helena Duarte"]);
    expect(await screen.findByText(/^Atendimento transferido para Vendas\./)).toBeTruthy();
  });

  test("to a colleague, found from 3 letters on, whose queues come first", async () => {
    const transfer = await openTransfer();
    await userEvent.type(transfer.field(/^Atendente/), "ca");
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(server.calls()).not.toContain("GET /users");
    await userEvent.type(transfer.field(/^Atendente/), "i");
    await userEvent.click(await screen.findByRole("option", { name: /Caio Reis/ }));
    await userEvent.click(transfer.field(/^Fila/));
    const options = await screen.findAllByRole("option");
    expect(options.map(({ textContent }) => textContent)).toEqual([
      "Vendas",
      "Suporte",
      "Financeiro",
    ]);
    await userEvent.click(screen.getByRole("option", { name: "Vendas" }));
    await transfer.choose(/^Conexão/, "Atacado");
    await transfer.submit();
    await waitFor(() => expect(transfer.address()).toBe("/tickets"));
    expect(server.bodiesOf("PUT /tickets/2")).toEqual([
      { queueId: 2, userId: 8, whatsappId: 2, undoSeconds: 7 },
    ]);
  });

  test("requires a queue", async () => {
    const transfer = await openTransfer();
    await transfer.submit();
    expect(await within(transfer.dialog).findByText("Selecione uma fila")).toBeTruthy();
    expect(document.activeElement).toBe(transfer.field(/^Fila/));
    expect(server.calls()).not.toContain("PUT /tickets/2");
  });

  test("that is refused shows the error and keeps the choice", async () => {
    server.refusals["PUT /tickets/2"] = {
      status: 400,
      body: { error: "ERR_OTHER_OPEN_TICKET", code: "ERR_OTHER_OPEN_TICKET" },
    };
    const transfer = await openTransfer();
    await transfer.choose(/^Fila/, "Vendas");
    await transfer.submit();
    expect((await within(transfer.dialog).findByRole("alert")).textContent).not.toBe("");
    expect(transfer.field(/^Fila/)).toHaveProperty("value", "Vendas");
    expect(transfer.address()).toBe(`/tickets/${otavio.uuid}`);
  });

  test("works by keyboard", async () => {
    await openTicketsScreen(sockets, `/tickets/${otavio.uuid}`);
    await screen.findByRole("button", { name: "Transferir" });
    await userEvent.keyboard("{Alt>}t{/Alt}");
    expect(await screen.findByRole("dialog", { name: /^Transferir o atendimento/ })).toBeTruthy();
  });
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
