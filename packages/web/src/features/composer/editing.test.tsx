import { act, screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";
import { queryClient } from "../../api/query-client.ts";
import { startSession } from "../../api/session-store.ts";
import { createFakeSocket } from "../../testing/fake-socket.ts";
import { givenToken, givenUser } from "../../testing/given.ts";
import { nowIso } from "../../ui/clock.ts";
import { aimComposer } from "../messages/index.ts";
import { givenMessage } from "../messages/testing/given-message.ts";
import { givenTicket } from "../tickets/testing/given-ticket.ts";
import { composerServer } from "./testing/composer-server.ts";
import { field, renderComposer } from "./testing/render-composer.tsx";

vi.mock("../../realtime/socket.ts", () => ({ openSocket: () => createFakeSocket() }));

const own = givenMessage(5, {
  fromMe: true,
  body: "*Marina Prado:*\nCom um ero",
  createdAt: nowIso(),
});
const edit = `POST /api/messages/edit/${own.id}`;

function editingServer(status = 200) {
  const code = "ERR_EDITING_WAPP_MSG";
  return composerServer({
    more: { [edit]: () => ({ status, body: status === 200 ? own : { error: code, code } }) },
  });
}

let server: ReturnType<typeof composerServer>;
const edits = (): unknown[] =>
  server.requests.filter(({ call }) => call === edit).map(({ body }) => body);

beforeEach(() => {
  startSession(givenToken("t"), givenUser());
  aimComposer(1, null);
  server = editingServer();
});

/** The composer in a conversation whose last own message is `own`. */
function renderInConversation(): void {
  renderComposer();
  const page = { count: 1, messages: [own], hasMore: false, hasNewer: false };
  act(() => {
    queryClient.setQueryData(["messages", 1], { ...page, ticket: givenTicket(1) });
  });
}

const bar = () => screen.queryByRole("group", { name: "Editando a mensagem" });

test("↑ in the empty composer edits the last own message, and Enter saves it with its signature", async () => {
  renderInConversation();
  await userEvent.type(field(), "{ArrowUp}");
  expect(field().value).toBe("Com um ero");
  expect(bar()).not.toBeNull();
  await userEvent.clear(field());
  await userEvent.type(field(), "Sem erro{Enter}");
  await waitFor(() => expect(edits()).toEqual([{ body: "*Marina Prado:*\nSem erro" }]));
  await waitFor(() => expect(bar()).toBeNull());
  expect(field().value).toBe("");
  expect(server.sent()).toEqual([]);
});

test("↑ in a text only moves the caret", async () => {
  renderInConversation();
  await userEvent.type(field(), "x{ArrowUp}");
  expect(field().value).toBe("x");
  expect(bar()).toBeNull();
});

test("the draft is kept during an edit, and Escape restores it", async () => {
  renderInConversation();
  await userEvent.type(field(), "meu rascunho");
  act(() => aimComposer(1, { kind: "edit", message: own }));
  expect(field().value).toBe("Com um ero");
  await userEvent.type(field(), "!");
  await userEvent.keyboard("{Escape}");
  expect(field().value).toBe("meu rascunho");
  expect(document.activeElement).toBe(field());
  expect(edits()).toEqual([]);
});

test("an empty edit is not sent, and an unchanged one ends without a request", async () => {
  renderInConversation();
  await userEvent.type(field(), "{ArrowUp}");
  await userEvent.clear(field());
  await userEvent.type(field(), "  {Enter}");
  expect(edits()).toEqual([]);
  expect(bar()).not.toBeNull();
  await userEvent.clear(field());
  await userEvent.type(field(), "Com um ero{Enter}");
  await waitFor(() => expect(bar()).toBeNull());
  expect(edits()).toEqual([]);
});

test("a refused edit shows the reason and keeps the text", async () => {
  server = editingServer(400);
  renderInConversation();
  await userEvent.type(field(), "{ArrowUp}");
  await userEvent.clear(field());
  await userEvent.type(field(), "Sem erro{Enter}");
  expect(await screen.findByText("Não foi possível editar a mensagem.")).toBeTruthy();
  expect(field().value).toBe("Sem erro");
  expect(bar()).not.toBeNull();
});
