import type { Message } from "@balcao/contract";
import { act, renderHook, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { startSession } from "../../../api/session-store.ts";
import type { SeenRequest } from "../../../testing/fake-server.ts";
import { fakeServer } from "../../../testing/fake-server.ts";
import { givenToken, givenUser } from "../../../testing/given.ts";
import { isDeletable, isEditable } from "../bubble/message-content.ts";
import { writeMessageEvent } from "../history/message-history.ts";
import { MessageList } from "./message-list.tsx";
import { OutboxKeeper, sendText } from "../sending/sending.ts";
import { onUndone } from "./conversation.ts";
import { givenLayout } from "../testing/given-layout.ts";
import { givenMessage, messageIdOf } from "../testing/given-message.ts";
import { renderOnCache } from "../testing/render-feature.tsx";

let stored: Message[];
let requests: SeenRequest[];
let isServerAway: boolean;
let isHistoryRefused: boolean;
let refusal: string | null;

beforeEach(() => {
  givenLayout();
  startSession(givenToken("t"), givenUser());
  stored = [];
  isServerAway = false;
  isHistoryRefused = false;
  refusal = null;
  ({ requests } = fakeServer({
    "GET /api/messages/1": () =>
      isHistoryRefused
        ? { status: 400, body: { error: "ERR_INVALID_REQUEST", code: "ERR_INVALID_REQUEST" } }
        : { body: { messages: stored, hasMore: false, count: stored.length, ticket: null } },
    "POST /api/messages/1": ({ body }) => {
      if (isServerAway) return "unreachable";
      if (refusal !== null) return { status: 409, body: { error: refusal, code: refusal } };
      const sent = body as { body: string; clientId: string };
      const message = givenMessage(stored.length + 50, { fromMe: true, ...sent });
      stored = [...stored, message];
      return { body: message };
    },
    "POST /api/messages/1/read": () => ({ body: { unreadMessages: 0 } }),
    [`POST /api/messages/retry/${messageIdOf(9)}`]: () => ({
      body: givenMessage(9, { fromMe: true, body: "Segue o código", updatedAt: LATER }),
    }),
    [`DELETE /api/messages/failed/${messageIdOf(9)}`]: () => ({ body: { message: "ok" } }),
  }));
});

afterEach(() => vi.restoreAllMocks());

const LATER = "2026-11-20T12:00:00.000Z";

async function renderList(
  messages: Message[],
  props: { unread?: number; isReader?: boolean } = {},
) {
  stored = messages;
  renderOnCache(
    <MessageList
      ticketId={1}
      customerName="Helena Duarte"
      unread={props.unread ?? 0}
      isReader={props.isReader ?? true}
    />,
  );
  if (messages.length > 0) await screen.findByRole("log", { name: "Mensagens" });
}

const message = (name: string): HTMLElement => screen.getByRole("article", { name });

describe("a message", () => {
  test("has a name with sender, time and delivery state", async () => {
    const own = { fromMe: true, createdAt: "2026-11-20T13:05:00.000Z" };
    await renderList([
      givenMessage(1, { createdAt: "2026-11-20T13:03:00.000Z" }),
      givenMessage(2, { ...own, ack: 0 }),
      givenMessage(3, { ...own, ack: 1 }),
      givenMessage(4, { ...own, ack: 2 }),
      givenMessage(5, { ...own, ack: 3 }),
      givenMessage(6, { ...own, ack: 4 }),
      givenMessage(7, { ...own, ack: 5, body: "*Marina:*\nOi" }),
    ]);
    const names = screen.getAllByRole("article").map((one) => one.getAttribute("aria-label"));
    expect(names).toEqual([
      "Helena Duarte, 10:03",
      "Mensagem enviada, 10:05, na fila de envio",
      "Mensagem enviada, 10:05, enviada",
      "Mensagem enviada, 10:05, enviada",
      "Mensagem enviada, 10:05, entregue",
      "Mensagem enviada, 10:05, lida",
      "Marina, 10:05, lida",
    ]);
    expect(screen.getAllByRole("article").map((one) => one.getAttribute("aria-posinset"))).toEqual([
      "1",
      "2",
      "3",
      "4",
      "5",
      "6",
      "7",
    ]);
  });

  test("that was deleted does not show its text", async () => {
    await renderList([givenMessage(1, { body: "segredo", isDeleted: true })]);
    expect(screen.getByText("Mensagem apagada")).toBeTruthy();
    expect(screen.queryByText("segredo")).toBeNull();
  });

  test("that was edited is marked", async () => {
    await renderList([givenMessage(1, { isEdited: true })]);
    expect(screen.getByText("editada")).toBeTruthy();
  });

  test("shows marks and links as elements, and HTML as text", async () => {
    await renderList([givenMessage(1, { body: "*Oi* <b>x</b> https://a.br/x" })]);
    expect(screen.getByText("Oi").tagName).toBe("STRONG");
    expect(screen.getByText(/<b>x<\/b>/)).toBeTruthy();
    const link = screen.getByRole("link", { name: "https://a.br/x" });
    expect(link.getAttribute("rel")).toBe("noopener noreferrer");
  });
});

function keptUnsent(): (string | null)[] {
  const keys = Array.from({ length: localStorage.length }, (_, index) => localStorage.key(index));
  return keys.filter((key) => key?.startsWith("balcao.unsent"));
}

describe("sending", () => {
  test("shows the text at once, and only once after reply and event", async () => {
    await renderList([givenMessage(1)]);
    act(() => sendText(1, "Bom dia"));
    expect(screen.getByText("Bom dia").closest("article")?.getAttribute("aria-label")).toContain(
      "na fila de envio",
    );
    await waitFor(() => expect(stored).toHaveLength(2));
    const arrived = stored.at(-1);
    if (!arrived) throw new Error("nothing arrived");
    act(() => writeMessageEvent({ action: "create", message: { ...arrived, ack: 2 } }));
    await waitFor(() => expect(keptUnsent()).toEqual([]));
    expect(screen.getAllByText("Bom dia")).toHaveLength(1);
    expect(message("Mensagem enviada, 07:51, enviada")).toBeTruthy();
  });

  test("without network the message waits in the queue, and goes by itself when the line is back, once", async () => {
    isServerAway = true;
    await renderList([givenMessage(1)]);
    act(() => sendText(1, "Bom dia"));
    expect(await screen.findByText(/Na fila, será enviada quando a conexão voltar/)).toBeTruthy();
    expect(screen.queryByText(/Não enviada/)).toBeNull();
    expect(keptUnsent()).toHaveLength(1);
    isServerAway = false;
    renderHook(() => OutboxKeeper());
    await waitFor(() => expect(screen.queryByText(/Na fila/)).toBeNull());
    await waitFor(() => expect(keptUnsent()).toEqual([]));
    const clientIds = requests
      .filter((request) => request.call === "POST /api/messages/1")
      .map(({ body }) => (body as { clientId: string }).clientId);
    expect(new Set(clientIds).size).toBe(1);
    expect(screen.getAllByText("Bom dia")).toHaveLength(1);
  });

  test("a text removed from the queue is never sent and returns to the composer", async () => {
    isServerAway = true;
    await renderList([givenMessage(1)]);
    const takenBack: string[] = [];
    const stop = onUndone(1, ({ body }) => takenBack.push(body));
    act(() => sendText(1, "Bom dia"));
    await userEvent.click(await screen.findByRole("button", { name: "Cancelar" }));
    stop();
    expect(takenBack).toEqual(["Bom dia"]);
    expect(screen.queryByText("Bom dia")).toBeNull();
    expect(keptUnsent()).toEqual([]);
    isServerAway = false;
    renderHook(() => OutboxKeeper());
    act(() => sendText(1, "Boa tarde"));
    await waitFor(() => expect(stored).toHaveLength(2));
    expect(stored.at(-1)?.body).toBe("Boa tarde");
  });

  test("a refused message shows the reason and a retry, and does not stop the next one", async () => {
    refusal = "ERR_WAPP_WINDOW_CLOSED";
    await renderList([givenMessage(1)]);
    act(() => sendText(1, "Bom dia"));
    const retry = await screen.findByRole("button", { name: "Tentar de novo" });
    expect(screen.getByText(/Não enviada/)).toBeTruthy();
    expect(screen.getByText(/passaram mais de 24 horas/)).toBeTruthy();
    refusal = null;
    act(() => sendText(1, "Boa tarde"));
    await waitFor(() => expect(stored).toHaveLength(2));
    await userEvent.click(retry);
    await waitFor(() => expect(screen.queryByText(/Não enviada/)).toBeNull());
    expect(stored.slice(1).map(({ body }) => body)).toEqual(["Boa tarde", "Bom dia"]);
  });

  test("unsent messages are shown even if the conversation failed to load", async () => {
    isServerAway = true;
    isHistoryRefused = true;
    await renderList([]);
    await screen.findByText("Não foi possível carregar");
    act(() => sendText(1, "Bom dia"));
    expect(await screen.findByText(/Na fila/)).toBeTruthy();
    expect(screen.getByText("Bom dia")).toBeTruthy();

    isHistoryRefused = false;
    stored = [givenMessage(1)];
    const [again] = screen.getAllByRole("button", { name: "Tentar de novo" });
    if (!again) throw new Error("there is no way to load it again");
    await userEvent.click(again);
    await screen.findByText("mensagem 1");
    expect(screen.queryByText("Não foi possível carregar")).toBeNull();
    expect(screen.getByText("Bom dia")).toBeTruthy();
  });

  test("a discarded message is removed for good", async () => {
    refusal = "ERR_WAPP_WINDOW_CLOSED";
    await renderList([givenMessage(1)]);
    act(() => sendText(1, "Bom dia"));
    await userEvent.click(await screen.findByRole("button", { name: "Descartar" }));
    expect(screen.queryByText("Bom dia")).toBeNull();
    expect(keptUnsent()).toEqual([]);
  });

  test("messages leave in the order of writing", async () => {
    await renderList([givenMessage(1)]);
    act(() => {
      sendText(1, "um");
      sendText(1, "dois");
      sendText(1, "três");
    });
    await waitFor(() => expect(stored).toHaveLength(4));
    expect(stored.slice(1).map((one) => one.body)).toEqual(["um", "dois", "três"]);
  });
});

describe("a message that the server could not send", () => {
  const failed = givenMessage(9, {
    fromMe: true,
    body: "Segue o código",
    failedCode: "ERR_SENDING_WAPP_MSG",
  });

  test("is sent again as the same message", async () => {
    await renderList([failed]);
    const bubble = screen.getByRole("article", { name: /não enviada/ });
    await userEvent.click(within(bubble).getByRole("button", { name: "Tentar de novo" }));
    await waitFor(() => expect(screen.queryByText(/Não enviada/)).toBeNull());
    expect(requests.at(-1)?.call).toBe(`POST /api/messages/retry/${messageIdOf(9)}`);
    expect(screen.getByText("Segue o código")).toBeTruthy();
  });

  test("can be discarded", async () => {
    await renderList([givenMessage(1), failed]);
    await userEvent.click(screen.getByRole("button", { name: "Descartar" }));
    await waitFor(() => expect(screen.queryByText("Segue o código")).toBeNull());
    expect(requests.at(-1)?.call).toBe(`DELETE /api/messages/failed/${messageIdOf(9)}`);
  });
});

describe("a message that may have been sent", () => {
  const unconfirmed = givenMessage(9, {
    fromMe: true,
    body: "Segue o código",
    isUnconfirmed: true,
  });
  const retries = () => requests.filter(({ call }) => call.startsWith("POST /api/messages/retry"));

  test("has its own mark and text, neither failed nor sending", async () => {
    await renderList([unconfirmed]);
    const bubble = within(screen.getByRole("article", { name: /, não confirmada$/ }));
    expect(bubble.getByRole("img", { name: "não confirmada" }).title).toBe(
      "Não sabemos se esta mensagem chegou ao cliente.",
    );
    expect(bubble.getByText("Não confirmada.")).toBeTruthy();
    expect(bubble.queryByText(/Não enviada/)).toBeNull();
    expect(bubble.queryByRole("button", { name: "Descartar" })).toBeNull();
  });

  test("is sent again only after the user accepts that it may arrive twice", async () => {
    await renderList([unconfirmed]);
    const again = screen.getByRole("button", { name: "Enviar de novo" });
    await userEvent.click(again);
    const title = "Pode ter chegado. Enviar de novo?";
    let question = within(await screen.findByRole("dialog", { name: title }));
    await userEvent.click(question.getByRole("button", { name: "Cancelar" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(retries()).toEqual([]);
    await userEvent.click(again);
    question = within(await screen.findByRole("dialog", { name: title }));
    await userEvent.click(question.getByRole("button", { name: "Enviar de novo" }));
    await waitFor(() => expect(screen.queryByText("Não confirmada.")).toBeNull());
    expect(retries().map(({ body }) => body)).toEqual([{ confirmed: true }]);
  });

  test("cannot be edited, deleted or answered while its delivery is unknown", () => {
    expect(isEditable(unconfirmed, Date.parse(unconfirmed.createdAt))).toBe(false);
    expect(isDeletable(unconfirmed)).toBe(false);
  });
});

test("a new message does not render the others again", async () => {
  await renderList(Array.from({ length: 12 }, (_, index) => givenMessage(index + 1)));
  // Each rendered bubble formats its time twice: for the label and for its name.
  const formatter: { readonly format: unknown } = Intl.DateTimeFormat.prototype;
  const times = vi.spyOn(formatter, "format", "get");
  act(() => writeMessageEvent({ action: "create", message: givenMessage(13) }));
  await screen.findByText("mensagem 13");
  const articles = screen.getAllByRole("article");
  expect(articles.map((one) => one.getAttribute("aria-setsize"))).toEqual(Array(13).fill("13"));
  expect(times.mock.calls.length).toBeLessThan(12);
});

describe("reading", () => {
  const isMarked = (): boolean => requests.some((one) => one.call === "POST /api/messages/1/read");

  test("the ticket's agent marks it as read when its end is visible", async () => {
    await renderList([givenMessage(1)], { unread: 1 });
    await waitFor(() => expect(isMarked()).toBe(true));
    expect(screen.getByText("Mensagens não lidas")).toBeTruthy();
  });

  test("the unread line stands after accepting, which clears the ticket's count", async () => {
    await renderList([givenMessage(1)], { unread: 0 });
    expect(screen.getByText("Mensagens não lidas")).toBeTruthy();
    await waitFor(() => expect(isMarked()).toBe(true));
    expect(screen.getByText("Mensagens não lidas")).toBeTruthy();
  });

  test("the request of a page does not mark messages as read", async () => {
    await renderList([givenMessage(1)]);
    expect(requests[0]?.call).toBe("GET /api/messages/1?markRead=false");
  });
});

test("a conversation that fails to load shows the error and a retry", async () => {
  fakeServer({
    "GET /api/messages/1": () => ({ status: 400, body: { error: "ERR_INVALID_REQUEST" } }),
  });
  await renderList([]);
  expect(await screen.findByText("Não foi possível carregar")).toBeTruthy();
  expect(screen.getByRole("button", { name: "Tentar de novo" })).toBeTruthy();
});
