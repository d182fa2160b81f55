import { screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { startSession } from "../../../api/session-store.ts";
import type { SeenRequest } from "../../../testing/fake-server.ts";
import { givenToken, givenUser } from "../../../testing/given.ts";
import { MessageList } from "../list/message-list.tsx";
import { conversationServer } from "../testing/conversation-server.ts";
import { givenScrollingLayout } from "../testing/given-layout.ts";
import { givenMessage, messageIdOf } from "../testing/given-message.ts";
import { renderOnCache } from "../testing/render-feature.tsx";
import { showSearch, useSearchKey } from "./search-state.ts";
import { placesOf } from "./search-bar.tsx";

const stored = Array.from({ length: 200 }, (_, index) => givenMessage(index + 1, { read: true }));
const matchOf = (n: number) => ({ id: messageIdOf(n), createdAt: stored[n - 1]?.createdAt });
let requests: SeenRequest[];

beforeEach(() => {
  givenScrollingLayout();
  startSession(givenToken("t"), givenUser());
  showSearch(1, false);
  ({ requests } = conversationServer(() => stored, {
    "GET /api/messages/1/search": ({ call }) => ({
      body: call.includes("beforeId")
        ? { matches: [matchOf(12)], nextBeforeId: null }
        : { matches: [matchOf(190), matchOf(95)], nextBeforeId: messageIdOf(95) },
    }),
  }));
});
afterEach(() => vi.restoreAllMocks());

function Conversation() {
  useSearchKey(1);
  return <MessageList ticketId={1} customerName="Helena" unread={0} isReader={false} />;
}

const flashed = (): string =>
  document.querySelector("article[data-flashed]")?.textContent ?? "nothing";

test("Ctrl F searches the conversation: the newest match first, up to older ones, also far back, Escape closes", async () => {
  renderOnCache(<Conversation />);
  await screen.findByText("mensagem 200");
  await userEvent.keyboard("{Control>}f{/Control}");
  const field = await screen.findByRole("textbox", { name: "Buscar na conversa" });
  await userEvent.type(field, "Troca");
  await screen.findByText("1 de 2+");
  await waitFor(() => expect(flashed()).toContain("mensagem 190"));
  await userEvent.keyboard("{ArrowUp}");
  await waitFor(() => expect(flashed()).toContain("mensagem 95"));
  await screen.findByText("2 de 3");
  await userEvent.keyboard("{Enter}");
  await waitFor(() => expect(flashed()).toContain("mensagem 12"));
  await screen.findByText("3 de 3");
  await userEvent.click(screen.getByRole("button", { name: "Próximo resultado" }));
  await waitFor(() => expect(flashed()).toContain("mensagem 95"));
  const asked = requests.filter(({ call }) => call.includes("/search?")).map(({ call }) => call);
  expect(asked).toEqual([
    "GET /api/messages/1/search?searchParam=Troca",
    `GET /api/messages/1/search?searchParam=Troca&beforeId=${messageIdOf(95)}`,
  ]);
  await userEvent.type(field, "{Escape}");
  await waitFor(() => expect(screen.queryByRole("textbox")).toBeNull());
});

test.each([
  ["Não chegou nada", "nao", [[0, 3]]],
  [
    "não, NÃO",
    "não",
    [
      [0, 3],
      [5, 8],
    ],
  ],
  ["👍🏽 ação", "acao", [[5, 9]]],
  ["aaa", "aa", [[0, 2]]],
  ["nada", "tudo", []],
] as const)("the marks in “%s” for “%s” are at %j", (text, words, places) => {
  expect(placesOf(text, words)).toEqual(places);
});
