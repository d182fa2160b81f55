import { screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { startSession } from "../../../api/session-store.ts";
import type { SeenRequest } from "../../../testing/fake-server.ts";
import { givenToken, givenUser } from "../../../testing/given.ts";
import { givenTicket } from "../../tickets/testing/given-ticket.ts";
import { selectMessages } from "../list/conversation.ts";
import { MessageList } from "../list/message-list.tsx";
import { conversationServer } from "../testing/conversation-server.ts";
import { givenLayout } from "../testing/given-layout.ts";
import { givenMessage, messageIdOf } from "../testing/given-message.ts";
import { renderOnCache } from "../testing/render-feature.tsx";

let requests: SeenRequest[];
/** Contacts that the server refuses to write to. */
let refused: readonly number[];

beforeEach(() => {
  givenLayout();
  startSession(givenToken("t"), givenUser());
  selectMessages(1, null);
  refused = [];
  const stored = [
    givenMessage(1),
    givenMessage(2, { isDeleted: true, body: "" }),
    givenMessage(3, { fromMe: true }),
  ];
  const mine = givenTicket(5);
  ({ requests } = conversationServer(() => stored, {
    "GET /api/tickets": () => ({
      body: {
        tickets: [{ ...mine, contact: { ...mine.contact, id: 50, name: "Otávio Ramos" } }],
        count: 1,
        hasMore: false,
      },
    }),
    "GET /api/contacts/list": () => ({
      body: [{ id: 60, name: "Renata Lima", number: "551199", email: "", profilePicUrl: "" }],
    }),
    "POST /api/message/forward": ({ body }) => {
      const { contactId } = body as { contactId: number };
      const code = "ERR_TICKET_FORBIDDEN";
      return refused.includes(contactId)
        ? { status: 403, body: { error: code, code } }
        : { body: { ticketId: 9, ticketUuid: messageIdOf(9) } };
    },
  }));
});
afterEach(() => vi.restoreAllMocks());

const forwards = () =>
  requests.filter(({ call }) => call === "POST /api/message/forward").map(({ body }) => body);

test("chosen messages are forwarded to several contacts; a second attempt writes only to those that failed", async () => {
  refused = [60];
  renderOnCache(<MessageList ticketId={1} customerName="Helena" unread={0} isReader={false} />);
  const [first] = await screen.findAllByRole("article");
  await userEvent.click(
    within(first ?? document.body).getByRole("button", { name: "Opções da mensagem" }),
  );
  await userEvent.click(await screen.findByRole("menuitem", { name: "Selecionar mensagens" }));
  // A deleted message cannot be chosen.
  expect(screen.getAllByRole("checkbox")).toHaveLength(2);
  await userEvent.click(screen.getAllByRole("checkbox").at(-1) ?? document.body);
  await screen.findByText("2 mensagens selecionadas");
  await userEvent.click(screen.getByRole("button", { name: "Encaminhar" }));

  const dialog = await screen.findByRole("dialog", { name: "Encaminhar 2 mensagens" });
  await userEvent.click(await within(dialog).findByRole("checkbox", { name: /Otávio Ramos/ }));
  await userEvent.type(within(dialog).getByRole("searchbox"), "Renata");
  await userEvent.click(await within(dialog).findByRole("checkbox", { name: /Renata Lima/ }));
  await userEvent.click(within(dialog).getByRole("checkbox", { name: "Assinar com seu nome" }));
  await userEvent.click(within(dialog).getByRole("button", { name: "Encaminhar" }));
  await within(dialog).findByText(/Não foi para Renata Lima/);
  refused = [];
  await userEvent.click(within(dialog).getByRole("button", { name: "Encaminhar" }));
  await screen.findByText("Encaminhadas para Otávio Ramos e Renata Lima");

  const messageIds = [messageIdOf(1), messageIdOf(3)];
  expect(forwards()).toMatchObject([
    { contactId: 50, messageIds, signMessage: false },
    { contactId: 60, messageIds },
    { contactId: 60, messageIds },
  ]);
  const [, failed, again] = forwards() as { clientIds: string[] }[];
  expect(again?.clientIds).toEqual(failed?.clientIds);
  await waitFor(() => expect(screen.queryByRole("checkbox")).toBeNull());
});
