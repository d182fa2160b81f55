import type { Chat, ChatMessage } from "@balcao/contract";
import { chat as chatShape, chatMessage } from "@balcao/contract";
import { act, cleanup, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { currentSession, endSession, startSession } from "../../api/session-store.ts";
import { Router, Routes } from "../../router/index.tsx";
import { fakeServer } from "../../testing/fake-server.ts";
import { givenToken, givenUser } from "../../testing/given.ts";
import { memorySteps } from "../../testing/memory-steps.ts";
import { sockets } from "../../testing/sockets.ts";
import { LiveSession } from "../auth/index.ts";
import { givenLayout } from "../messages/testing/given-layout.ts";
import { renderOnCache } from "../messages/testing/render-feature.tsx";
import { ChatsPage } from "./chats-page.tsx";

vi.mock("../../realtime/socket.ts", () => import("../../testing/sockets.ts"));

const me = givenUser();
const bia = { id: 92, name: "Bia Reis" };
const caio = { id: 93, name: "Caio Nunes" };
const at = "2026-11-20T10:00:00.000Z";
const uuid = (id: number): string => `00000000-0000-4000-8000-0000000000${10 + id}`;

beforeEach(() => startSession(givenToken("t", 3_600), me));
afterEach(() => {
  cleanup();
  endSession("logout");
  localStorage.clear();
});

function givenChat(id: number, fields: Partial<Record<keyof Chat, unknown>> = {}): Chat {
  const people = [{ id: me.id, name: me.name }, bia, caio];
  return chatShape.parse({
    ...{ id, uuid: uuid(id), title: `Grupo ${id}`, isDirect: false, ownerId: me.id },
    ...{ owner: { id: me.id, name: me.name }, lastMessage: "Bia Reis: Oi", lastSenderId: bia.id },
    ...{ lastMessageAt: at, companyId: 3, isSilenced: false, createdAt: at, updatedAt: at },
    users: people.map((user) => ({
      ...{ id: user.id, chatId: id, userId: user.id, unreads: 0, lastReadId: null },
      ...{ lastReadAt: null, user },
    })),
    ...fields,
  });
}

function givenMessage(id: number, fields: Partial<Record<keyof ChatMessage, unknown>> = {}) {
  return chatMessage.parse({
    ...{ id, chatId: 1, senderId: bia.id, sender: bia, message: `Texto ${id}`, mentions: [] },
    ...{ hasTicket: false, media: null, mediaPath: null, mediaName: null, clientId: null },
    ...{ quotedId: null, quoted: null, editedAt: null, createdAt: at, updatedAt: at, ...fields },
  });
}

const open = (
  chats: Chat[],
  messages: ChatMessage[] = [],
  path = "/chats",
  more: Record<string, (request: { body: unknown }) => { status?: number; body?: unknown }> = {},
) => {
  givenLayout();
  const server = fakeServer({
    "GET /api/chats": () => ({ body: { records: chats, count: chats.length, hasMore: false } }),
    ...Object.fromEntries(
      chats.map((one) => [`GET /api/chats/${one.uuid}`, () => ({ body: one })]),
    ),
    "GET /api/chats/1/messages": () => ({
      body: { records: messages, count: messages.length, hasMore: false, hasNewer: false },
    }),
    "POST /api/chats/1/read": () => ({ body: chats[0] }),
    "GET /api/users/list": () => ({ body: [bia, caio].map((one) => ({ ...one, email: "" })) }),
    ...more,
  });
  const session = currentSession();
  if (!session) throw new Error("nobody is signed in");
  const steps = memorySteps(path);
  renderOnCache(
    <Router steps={steps}>
      <LiveSession session={session} />
      <Routes routes={[{ path: "chats/:chatUuid?", element: <ChatsPage /> }]} />
    </Router>,
  );
  return { server, steps };
};

async function live(event: string, payload: unknown): Promise<void> {
  await waitFor(() => expect(sockets.length).toBeGreaterThan(0));
  act(() => sockets.at(-1)?.receive(event, payload));
}

test("the list shows the last message with its sender, own ones as mine, and what is unread", async () => {
  const unread = givenChat(2, { lastMessage: `${me.name}: Feito`, lastSenderId: me.id });
  const [own] = unread.users;
  if (own) own.unreads = 3;
  open([givenChat(1), unread]);
  const first = await screen.findByRole("link", { name: /Grupo 1/ });
  expect(first.textContent).toContain("Bia: Oi");
  const second = screen.getByRole("link", { name: /Grupo 2/ });
  expect(second.textContent).toContain("Você: Feito");
  expect(within(second).getByText("3 mensagens não lidas")).toBeTruthy();
  expect(screen.getByText("Escolha uma conversa")).toBeTruthy();
});

test("a chat shows its messages with their authors and mentions, and a new one arrives", async () => {
  const chat = givenChat(1);
  const mentioning = givenMessage(1, { message: "@Caio Nunes veja", mentions: [caio] });
  open([chat], [mentioning], `/chats/${chat.uuid}`);
  const log = await screen.findByRole("log");
  expect((await within(log).findByText("@Caio Nunes")).tagName).toBe("MARK");
  expect(within(log).getByText("Bia Reis")).toBeTruthy();
  await live("company-3-chat", {
    ...{ action: "new-message", chat, newMessage: givenMessage(2, { message: "Cheguei" }) },
  });
  expect(await within(log).findByText("Cheguei")).toBeTruthy();
});

test("Enter sends, with the members that the text mentions and the ticket that it links", async () => {
  const user = userEvent.setup();
  const chat = givenChat(1);
  const ticket = "0b6ba2f0-3f1e-4a63-9c9c-5a9d3a5e8f11";
  const sent: unknown[] = [];
  open([chat], [givenMessage(1)], `/chats/${chat.uuid}`, {
    "POST /api/chats/1/messages": ({ body }) => {
      sent.push(body);
      const { clientId } = body as { clientId: string };
      const own = { senderId: me.id, sender: { id: me.id, name: me.name } };
      return { body: givenMessage(2, { ...own, message: "@Bia Reis veja", clientId }) };
    },
  });
  const field = await screen.findByRole("textbox", { name: "Mensagem para Grupo 1" });
  await user.type(field, "@bi");
  expect(await screen.findByRole("option", { name: /Bia Reis/ })).toBeTruthy();
  await user.keyboard("{Enter}");
  await user.paste(`veja https://balcao.example/tickets/${ticket}`);
  await user.keyboard("{Enter}");
  await waitFor(() => expect(sent).toHaveLength(1));
  expect(sent[0]).toMatchObject({
    ...{ message: "@Bia Reis veja", mentionedUserIds: [bia.id], ticketUuid: ticket },
  });
  expect((field as HTMLTextAreaElement).value).toBe("");
});

test("a chat that is deleted while it is open leads back to the list, and says so", async () => {
  const chat = givenChat(1);
  const { steps } = open([chat], [givenMessage(1)], `/chats/${chat.uuid}`);
  await screen.findByRole("log");
  await live("company-3-chat", { action: "delete", id: 1 });
  expect(await screen.findByText("Você não participa mais deste chat")).toBeTruthy();
  await waitFor(() => expect(steps.current().pathname).toBe("/chats"));
  expect(screen.queryByRole("link", { name: /Grupo 1/ })).toBeNull();
});

test("who has read the last own message stands below it", async () => {
  const chat = givenChat(1);
  for (const member of chat.users.slice(1)) {
    Object.assign(member, { lastReadId: 2, lastReadAt: new Date().toISOString() });
  }
  const own = { senderId: me.id, sender: { id: me.id, name: me.name } };
  open([chat], [givenMessage(1, own), givenMessage(2, own)], `/chats/${chat.uuid}`);
  const lines = await screen.findAllByRole("button", { name: /^Lida por/ });
  expect(lines.map(({ textContent }) => textContent)).toHaveLength(1);
  expect(lines[0]?.textContent).toContain("Lida por Bia e Caio");
  if (lines[0]) await userEvent.click(lines[0]);
  expect(await screen.findAllByText(/^Hoje, \d\d:\d\d$/)).toHaveLength(2);
});

test("a new chat asks for people, and for a title from two on", async () => {
  const user = userEvent.setup();
  const made: unknown[] = [];
  open([], [], "/chats", {
    "POST /api/chats": ({ body }) => {
      made.push(body);
      return { body: givenChat(1) };
    },
  });
  await user.click(await screen.findByRole("button", { name: "Novo" }));
  const dialog = await screen.findByRole("dialog");
  await user.click(within(dialog).getByRole("button", { name: "Abrir" }));
  expect(
    await within(dialog).findByText("Por favor, selecione pelo menos um usuário."),
  ).toBeTruthy();
  await user.click(await within(dialog).findByRole("checkbox", { name: /Bia Reis/ }));
  expect(within(dialog).queryByRole("textbox", { name: "Título" })).toBeNull();
  await user.click(within(dialog).getByRole("checkbox", { name: /Caio Nunes/ }));
  await user.click(within(dialog).getByRole("button", { name: "Abrir" }));
  expect(await within(dialog).findByText("Por favor, preencha o título da conversa.")).toBeTruthy();
  await user.type(within(dialog).getByRole("textbox", { name: "Título" }), "Vendas");
  await user.click(within(dialog).getByRole("button", { name: "Abrir" }));
  await waitFor(() =>
    expect(made).toEqual([{ title: "Vendas", users: [{ id: bia.id }, { id: caio.id }] }]),
  );
});
