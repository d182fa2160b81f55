import { act, fireEvent, screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";
import { queryClient } from "../../api/query-client.ts";
import { startSession } from "../../api/session-store.ts";
import type { FakeSocket } from "../../testing/fake-socket.ts";
import { fakeUploads } from "../../testing/fake-uploads.ts";
import { givenToken, givenUser } from "../../testing/given.ts";
import { aimComposer } from "../messages/index.ts";
import { givenMessage } from "../messages/testing/given-message.ts";
import { givenTicket } from "../tickets/testing/given-ticket.ts";
import { windowId } from "./drafts.ts";
import { composerServer } from "./testing/composer-server.ts";
import { fakeMicrophone } from "./testing/fake-microphone.ts";
import { field, renderComposer } from "./testing/render-composer.tsx";
import { sockets } from "../../testing/sockets.ts";

vi.mock("../../realtime/socket.ts", () => import("../../testing/sockets.ts"));

let server: ReturnType<typeof composerServer>;

beforeEach(() => {
  startSession(givenToken("t", 3_600), givenUser());
  aimComposer(1, null);
  server = composerServer();
});

async function live(): Promise<FakeSocket> {
  await waitFor(() => expect(sockets).toHaveLength(1));
  const [socket] = sockets;
  if (!socket) throw new Error("no socket was opened");
  return socket;
}

function draftEvent(body: string, clientId: string | null = "another window") {
  const draft = { ticketId: 1, body, quotedMsgId: null, updatedAt: "2026-11-20T10:00:00.000Z" };
  return { action: "update", draft, clientId };
}

function answerEvent(user: { id: number; name: string } | null, n = 30) {
  const message = givenMessage(n, { fromMe: true, user });
  const ticket = givenTicket(1);
  return { action: "create", message, ticket, contact: ticket.contact };
}

const saved = (): unknown => server.drafts.get(1);
const strip = () => screen.queryByText(/respondeu enquanto você escrevia|Outra resposta/);

test("a typed draft is saved on the server and shown on another computer", async () => {
  const first = renderComposer();
  await userEvent.type(field(), "rascunho");
  act(() => field().blur());
  await waitFor(() => expect(saved()).toEqual({ body: "rascunho", quotedMsgId: null }));
  first.unmount();
  localStorage.clear();
  startSession(givenToken("t", 3_600), givenUser());
  renderComposer();
  await waitFor(() => expect(field().value).toBe("rascunho"));
});

test("a draft that was read before the sending does not bring the sent text back", async () => {
  let answer = (): void => undefined;
  const asked = vi.fn();
  server = composerServer({
    more: {
      "GET /api/drafts/1": async () => {
        asked();
        await new Promise<void>((resolve) => {
          answer = resolve;
        });
        return { body: draftEvent("Oi, Helena!").draft };
      },
    },
  });
  renderComposer();
  await userEvent.type(field(), "Oi, Helena!");
  act(() => field().blur());
  await waitFor(() => expect(saved()).toEqual({ body: "Oi, Helena!", quotedMsgId: null }));
  await waitFor(() => expect(asked).toHaveBeenCalled());
  await userEvent.type(field(), "{Enter}");
  await waitFor(() => expect(saved()).toEqual({ body: "", quotedMsgId: null }));
  await act(async () => {
    answer();
    await vi.waitFor(() => expect(queryClient.isFetching({ queryKey: ["drafts", 1] })).toBe(0));
  });
  expect(field().value).toBe("");
});

test("a reply is kept with its draft", async () => {
  const quoted = givenMessage(3);
  server = composerServer({
    more: {
      "GET /api/messages/1": () => ({
        body: {
          count: 1,
          messages: [quoted],
          ticket: givenTicket(1),
          hasMore: false,
          hasNewer: false,
        },
      }),
    },
  });
  const first = renderComposer();
  act(() => aimComposer(1, { kind: "reply", message: quoted }));
  await userEvent.type(field(), "30 dias");
  first.unmount();
  await waitFor(() => expect(saved()).toEqual({ body: "30 dias", quotedMsgId: quoted.id }));
  act(() => aimComposer(1, null));
  renderComposer();
  expect(await screen.findByRole("group", { name: "Respondendo a Helena Duarte" })).toBeTruthy();
});

test("another window's draft appears here, this window's own echo does not", async () => {
  renderComposer();
  const socket = await live();
  act(() => socket.receive("company-3-draft", draftEvent("de outra janela")));
  await waitFor(() => expect(field().value).toBe("de outra janela"));
  act(() => socket.receive("company-3-draft", draftEvent("eco", windowId)));
  expect(field().value).toBe("de outra janela");
});

test("another window's draft does not change the field while the user types", async () => {
  renderComposer();
  const socket = await live();
  await userEvent.type(field(), "estou escrevendo");
  act(() => socket.receive("company-3-draft", draftEvent("de outra janela")));
  expect(field().value).toBe("estou escrevendo");
  expect(document.activeElement).toBe(field());
});

test("a draft that waits for a pause in the typing is applied, even after a render", async () => {
  renderComposer();
  const socket = await live();
  vi.useFakeTimers();
  try {
    fireEvent.change(field(), { target: { value: "aqui" } });
    await act(() => vi.advanceTimersByTimeAsync(1_000));
    expect(saved()).toEqual({ body: "aqui", quotedMsgId: null });
    act(() => socket.receive("company-3-draft", draftEvent("de outra janela")));
    fireEvent.click(screen.getByRole("switch", { name: "Assinar" }));
    await act(() => vi.advanceTimersByTimeAsync(5_000));
    expect(field().value).toBe("de outra janela");
  } finally {
    vi.useRealTimers();
  }
});

test("a colleague's answer is shown before sending, and Enter must be pressed twice", async () => {
  renderComposer();
  const socket = await live();
  await userEvent.type(field(), "Coleta na quinta");
  act(() => socket.receive("company-3-appMessage", answerEvent({ id: 9, name: "Ana" })));
  expect(await screen.findByText("Ana respondeu enquanto você escrevia")).toBeTruthy();
  await userEvent.keyboard("{Enter}");
  expect(server.sent()).toEqual([]);
  expect(field().value).toBe("Coleta na quinta");
  expect(screen.getByText("Pressione Enter de novo para enviar mesmo assim.")).toBeTruthy();
  await userEvent.keyboard("{Enter}");
  await waitFor(() => expect(server.sent()).toHaveLength(1));
  expect(strip()).toBeNull();
});

test("an answer from the company's phone counts, the agent's own from another window does not", async () => {
  renderComposer();
  const socket = await live();
  await userEvent.type(field(), "Oi");
  act(() => socket.receive("company-3-appMessage", answerEvent({ id: 7, name: "Marina Prado" })));
  expect(strip()).toBeNull();
  act(() => socket.receive("company-3-appMessage", answerEvent(null, 31)));
  expect(screen.getByText("Outra resposta foi enviada enquanto você escrevia")).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: "Enviar mesmo assim" }));
  await waitFor(() => expect(server.sent()).toHaveLength(1));
});

test("an answer before the first letter, or already seen, does not stop the sending", async () => {
  renderComposer();
  const socket = await live();
  act(() => socket.receive("company-3-appMessage", answerEvent({ id: 9, name: "Ana" })));
  expect(strip()).toBeNull();
  await userEvent.type(field(), "Oi");
  act(() => socket.receive("company-3-appMessage", answerEvent({ id: 9, name: "Ana" }, 31)));
  await userEvent.click(screen.getByRole("button", { name: "Ver" }));
  expect(strip()).toBeNull();
  await userEvent.type(field(), "{Enter}");
  await waitFor(() => expect(server.sent()).toHaveLength(1));
});

test("an audio recorded during a colleague's answer waits in the tray for a second press", async () => {
  const { uploads } = fakeUploads();
  const microphone = fakeMicrophone();
  renderComposer();
  const socket = await live();
  await userEvent.click(screen.getByRole("button", { name: "Gravar áudio" }));
  await waitFor(() =>
    expect(document.activeElement?.getAttribute("aria-label")).toBe("Enviar áudio"),
  );
  act(() => microphone.sound(2));
  act(() => socket.receive("company-3-appMessage", answerEvent({ id: 9, name: "Ana" })));
  await userEvent.keyboard("{Enter}");
  expect(await screen.findByRole("list", { name: "Arquivos para enviar" })).toBeTruthy();
  expect(uploads).toEqual([]);
  await userEvent.type(field(), "{Enter}");
  await waitFor(() => expect(uploads).toHaveLength(1));
});
