import { act, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { startSession } from "../../../api/session-store.ts";
import { givenToken, givenUser } from "../../../testing/given.ts";
import { givenLayout } from "../../messages/testing/given-layout.ts";
import type { NewTicketWish } from "./use-new-ticket-form.ts";
import { closeNewTicket, openNewTicket } from "./new-ticket.tsx";
import {
  givenConnection,
  givenContact,
  givenOwnQueue,
  givenQueue,
} from "../testing/given-choices.ts";
import { givenTicket } from "../testing/given-ticket.ts";
import type { TicketServer } from "../testing/ticket-server.ts";
import { ticketServer } from "../testing/ticket-server.ts";
import { openTicketsScreen } from "../testing/tickets-screen.tsx";
import { sockets } from "../../../testing/sockets.ts";

vi.mock("../../../realtime/socket.ts", () => import("../../../testing/sockets.ts"));

const ME = { userId: 7, user: { id: 7, name: "Marina Prado" } };
const renata = givenContact(20, "Renata Figueiredo");
const hers = givenTicket(4, { ...ME, contactId: 20, contact: renata });
const ofNew = givenTicket(5, { ...ME, contactId: 50 });

let server: TicketServer;

beforeEach(() => {
  givenLayout();
  server = ticketServer([hers, ofNew]);
  server.contacts = [renata, givenContact(21, "Renato Alves")];
  server.queues = [givenQueue(1, "Suporte"), givenQueue(2, "Vendas")];
  server.connections = [
    givenConnection(1, "Loja Paulista"),
    givenConnection(2, "Atacado", { isDefault: true }),
  ];
});

afterEach(() => {
  act(() => closeNewTicket());
  vi.restoreAllMocks();
});

/** Renders the dialog for a user of some queues; for an admin if no queues are given. */
async function openDialog(of: { queueIds?: number[]; wish?: NewTicketWish } = {}) {
  const { queueIds, wish } = of;
  const queues = (queueIds ?? []).map((id) => givenOwnQueue(id, `Fila ${id}`));
  startSession(givenToken("t"), givenUser({ profile: queueIds ? "user" : "admin", queues }));
  const address = await openTicketsScreen(sockets);
  if (wish) act(() => openNewTicket(wish));
  else {
    const [open] = screen.getAllByRole("button", { name: "Novo atendimento" });
    await userEvent.click(open ?? document.body);
  }
  const dialog = await screen.findByRole("dialog", { name: "Novo atendimento" });
  const field = (name: RegExp) => within(dialog).getByRole("combobox", { name });
  return {
    address,
    dialog,
    field,
    async find(words: string): Promise<void> {
      await userEvent.type(field(/^Contato/), words);
    },
    async choose(name: RegExp, option: string | RegExp): Promise<void> {
      if (name.source !== "^Contato") await userEvent.click(field(name));
      await userEvent.click(await screen.findByRole("option", { name: option }));
    },
    submit: () =>
      userEvent.click(within(dialog).getByRole("button", { name: /brir atendimento$/ })),
  };
}

describe("the contact", () => {
  test("is searched from 3 characters on", async () => {
    const dialog = await openDialog();
    await dialog.find("re");
    expect(await screen.findByText("Digite ao menos 3 caracteres.")).toBeTruthy();
    expect(server.calls()).not.toContain("GET /contacts/list");
    await dialog.find("n");
    await dialog.choose(/^Contato/, /Renata Figueiredo/);
    await dialog.submit();
    await waitFor(() => expect(dialog.address()).toBe(`/tickets/${hers.uuid}`));
    expect(server.bodiesOf("POST /tickets")).toEqual([
      { contactId: 20, queueId: null, whatsappId: 2, userId: 7, status: "open" },
    ]);
  });

  test("that is unknown can be created, and gets a ticket at once", async () => {
    const dialog = await openDialog();
    await dialog.find("Zulmira Dias");
    await dialog.choose(/^Contato/, "Criar contato “Zulmira Dias”");
    const name = within(dialog.dialog).getByRole("textbox", { name: /^Nome/ });
    expect(name).toHaveProperty("value", "Zulmira Dias");
    await dialog.submit();
    expect(await screen.findByText("Informe ao menos 8 dígitos")).toBeTruthy();
    const number = within(dialog.dialog).getByRole("textbox", { name: /^Número/ });
    expect(document.activeElement).toBe(number);
    await userEvent.type(number, "+55 11 98456-2210");
    await dialog.submit();
    await waitFor(() => expect(dialog.address()).toBe(`/tickets/${ofNew.uuid}`));
    expect(server.bodiesOf("POST /contacts")).toEqual([
      { name: "Zulmira Dias", number: "+55 11 98456-2210", email: "", extraInfo: [] },
    ]);
    expect(server.bodiesOf("POST /tickets")).toMatchObject([{ contactId: 50 }]);
  });

  test("with a number unknown to the chat app is refused at the field", async () => {
    server.refusals["POST /contacts"] = {
      status: 400,
      body: { error: "ERR_WAPP_INVALID_CONTACT", code: "ERR_WAPP_INVALID_CONTACT" },
    };
    const dialog = await openDialog({ wish: { number: "5511900000000", name: "Zulmira" } });
    await dialog.submit();
    const number = within(dialog.dialog).getByRole("textbox", { name: /^Número/ });
    await waitFor(() => expect(number.getAttribute("aria-invalid")).toBe("true"));
    expect(server.calls()).not.toContain("POST /tickets");
  });

  test("with the number of a known contact becomes that contact, with a notice", async () => {
    server.refusals["POST /contacts"] = {
      status: 200,
      body: { ...renata, alreadyExists: true, existingContact: renata, invalido: false },
    };
    const dialog = await openDialog({ wish: { number: renata.number, name: "Renata F." } });
    await dialog.submit();
    await waitFor(() => expect(dialog.address()).toBe(`/tickets/${hers.uuid}`));
    expect(await screen.findByText("O número já era do contato Renata Figueiredo")).toBeTruthy();
  });

  test("is chosen when the dialog is opened from it", async () => {
    const dialog = await openDialog({ wish: { contact: renata } });
    expect(dialog.field(/^Contato/)).toHaveProperty("value", "Renata Figueiredo");
    await dialog.submit();
    await waitFor(() => expect(dialog.address()).toBe(`/tickets/${hers.uuid}`));
  });

  test("is required", async () => {
    const dialog = await openDialog();
    await dialog.submit();
    expect(await screen.findByText("Escolha um contato")).toBeTruthy();
    expect(server.calls()).not.toContain("POST /tickets");
  });
});

describe("the queue", () => {
  test("is required, unless the user is an admin", async () => {
    const dialog = await openDialog({ queueIds: [1, 2], wish: { contact: renata } });
    await dialog.submit();
    expect(await within(dialog.dialog).findByText("Selecione uma fila")).toBeTruthy();
    expect(server.calls()).not.toContain("POST /tickets");
    await dialog.choose(/^Fila/, "Vendas");
    await dialog.submit();
    await waitFor(() => expect(dialog.address()).toBe(`/tickets/${hers.uuid}`));
    expect(server.bodiesOf("POST /tickets")).toMatchObject([{ queueId: 2 }]);
  });

  test("is chosen for a user with only one", async () => {
    const dialog = await openDialog({ queueIds: [2], wish: { contact: renata } });
    await waitFor(() => expect(dialog.field(/^Fila/)).toHaveProperty("value", "Vendas"));
  });
});

test("the connection is the company's default, and can be another", async () => {
  const dialog = await openDialog({ wish: { contact: renata } });
  const connection = (): HTMLElement => screen.getByRole("combobox", { name: /^Conexão/ });
  await waitFor(() =>
    expect(within(connection()).getByRole("option", { selected: true }).textContent).toBe(
      "Atacado",
    ),
  );
  await userEvent.selectOptions(connection(), "Loja Paulista");
  await dialog.submit();
  await waitFor(() => expect(server.bodiesOf("POST /tickets")).toMatchObject([{ whatsappId: 1 }]));
});

describe("a contact with an open ticket", () => {
  function givenHeld(by: { id: number | null; name: string }): void {
    const data = {
      id: 4,
      uuid: hers.uuid,
      status: by.id === null ? "pending" : "open",
      userId: by.id,
      queueId: 1,
      contactId: 20,
      whatsappId: 1,
      user: by,
      queue: { id: 1, name: "Suporte", color: "#3b82c4" },
    };
    server.refusals["POST /tickets"] = {
      status: 409,
      body: { error: JSON.stringify(data), code: "ERR_TICKET_EXISTS", data },
    };
  }

  test("held by a colleague: shows the agent and the queue", async () => {
    givenHeld({ id: 8, name: "Caio Reis" });
    const dialog = await openDialog({ queueIds: [1], wish: { contact: renata } });
    await waitFor(() => expect(dialog.field(/^Fila/)).toHaveProperty("value", "Suporte"));
    await dialog.submit();
    expect((await within(dialog.dialog).findByRole("alert")).textContent).toBe(
      "Caio Reis já está atendendo este contato na fila Suporte.",
    );
    expect(dialog.address()).toBe("/tickets");
  });

  test("that waits: shows the queue; an admin can open it", async () => {
    givenHeld({ id: null, name: "" });
    const dialog = await openDialog({ wish: { contact: renata } });
    await dialog.submit();
    expect(await within(dialog.dialog).findByText(/aguardando na fila Suporte/)).toBeTruthy();
    await userEvent.click(screen.getByRole("button", { name: "Abrir esse atendimento" }));
    await waitFor(() => expect(dialog.address()).toBe(`/tickets/${hers.uuid}`));
  });

  test("held by the user: the ticket opens", async () => {
    givenHeld({ id: 7, name: "Marina Prado" });
    const dialog = await openDialog({ wish: { contact: renata } });
    await dialog.submit();
    await waitFor(() => expect(dialog.address()).toBe(`/tickets/${hers.uuid}`));
  });
});

test("any other refusal is shown in the dialog, which keeps its input", async () => {
  server.refusals["POST /tickets"] = {
    status: 400,
    body: { error: "ERR_NO_DEF_WAPP_FOUND", code: "ERR_NO_DEF_WAPP_FOUND" },
  };
  const dialog = await openDialog({ wish: { contact: renata } });
  await dialog.submit();
  expect(await within(dialog.dialog).findByRole("alert")).toBeTruthy();
  expect(dialog.field(/^Contato/)).toHaveProperty("value", "Renata Figueiredo");
});

test("another screen opens the dialog with a contact", async () => {
  startSession(givenToken("t"), givenUser());
  await openTicketsScreen(sockets, { pathname: "/tickets", state: { newTicketWith: renata } });
  const dialog = await screen.findByRole("dialog", { name: "Novo atendimento" });
  expect(within(dialog).getByRole("combobox", { name: /^Contato/ })).toHaveProperty(
    "value",
    "Renata Figueiredo",
  );
});
