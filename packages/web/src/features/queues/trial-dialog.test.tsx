import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { endSession, startSession } from "../../api/session-store.ts";
import { givenToken, givenUser } from "../../testing/given.ts";
import { renderOnCache } from "../messages/testing/render-feature.tsx";
import { givenConnection } from "../tickets/testing/given-choices.ts";
import type { QueuesServer } from "./testing/queues-server.ts";
import { givenQueue, queuesServer } from "./testing/queues-server.ts";
import { TrialDialog } from "./trial-dialog.tsx";

const queue = givenQueue(1, "Vendas");
const CALL = "POST /api/queue/1/trial";
const state = {
  ...{ queueId: 1, chatbot: true, queueOptionId: null },
  ...{ menusSent: 0, wrongAnswers: 0, greeted: false },
};
const said = (text: string) => ({ text, mediaPath: null, mediaName: null, mediaMime: null });
const menu = said("Olá\n\n*[ 1 ]* - Pedidos\n*[ 2 ]* - Pessoa\n\n*[ # ]* - Menu inicial");

beforeEach(() => startSession(givenToken("t", 3_600), givenUser()));

afterEach(() => {
  cleanup();
  endSession("logout");
  vi.restoreAllMocks();
});

/** Replies to the first message with the menu, to `2` with the end, and to other messages with nothing. */
function play({ body }: { body: unknown }) {
  const { text, state: sent } = body as { text: string; state: unknown }; // what the page itself sends
  const step = { messages: [] as object[], state, isOver: false, queueName: null as string | null };
  if (sent === null) step.messages = [menu];
  if (sent !== null && text === "2") {
    Object.assign(step, { messages: [said("Já vamos")], isOver: true, queueName: "Vendas" });
  }
  return { body: step };
}

async function open(given: Partial<Parameters<typeof queuesServer>[0]> = {}, answer = play) {
  const server: QueuesServer = queuesServer({ queues: [queue], ...given }, { [CALL]: answer });
  renderOnCache(<TrialDialog queue={queue} onClose={vi.fn()} />);
  await screen.findByRole("dialog", { name: "Experimentar Vendas" });
  return server;
}

const field = (): HTMLElement =>
  screen.getByRole("textbox", { name: "Mensagem do cliente de teste" });
const conversation = (): string => screen.getByRole("log").textContent ?? "";

test("by keyboard: a first message, a number, and the queue whose agents take over", async () => {
  const server = await open();
  await waitFor(() => expect(document.activeElement).toBe(field()));
  await userEvent.keyboard("Oi{Enter}");
  await waitFor(() => expect(conversation()).toContain("[ 2 ] - Pessoa"));
  expect(server.bodyOf(CALL)).toEqual({
    ...{ draft: true, state: null, text: "Oi", contactName: "Maria Souza", connectionId: null },
  });
  expect(document.activeElement).toBe(field());
  await userEvent.keyboard("2{Enter}");
  await waitFor(() => expect(conversation()).toContain("uma pessoa da fila Vendas atende"));
  expect(server.bodyOf(CALL)).toMatchObject({ state, text: "2" });
});

test("the menu has a button per number, and none when there is nothing to choose", async () => {
  await open();
  await userEvent.type(field(), "Oi{Enter}");
  const answers = within(await screen.findByRole("group", { name: "Respostas possíveis" }));
  expect(answers.getAllByRole("button").map((one) => one.getAttribute("aria-label"))).toEqual([
    "1 Pedidos",
    "2 Pessoa",
    "# Menu inicial",
  ]);
  await userEvent.click(answers.getByRole("button", { name: "2 Pessoa" }));
  await waitFor(() => expect(conversation()).toContain("Já vamos"));
  expect(screen.queryByRole("group", { name: "Respostas possíveis" })).toBeNull();
});

test("a restart begins with a customer who has not written", async () => {
  const server = await open();
  await userEvent.type(field(), "Oi{Enter}");
  await waitFor(() => expect(conversation()).toContain("Pedidos"));
  await userEvent.click(screen.getByRole("button", { name: "Recomeçar" }));
  expect(conversation()).not.toContain("Pedidos");
  expect(document.activeElement).toBe(field());
  await userEvent.keyboard("Bom dia{Enter}");
  await waitFor(() => expect(server.bodyOf(CALL)).toMatchObject({ state: null, text: "Bom dia" }));
});

test("a note says that the chatbot does not reply", async () => {
  await open();
  await userEvent.type(field(), "Oi{Enter}");
  await waitFor(() => expect(conversation()).toContain("Pedidos"));
  await userEvent.type(field(), "talvez{Enter}");
  await waitFor(() => expect(conversation()).toContain("O chatbot não responde a isto."));
});

test("a failed text stays in the field with the error", async () => {
  await open({}, () => ({ status: 500, body: { error: "ERR_INTERNAL" } }) as never);
  await userEvent.type(field(), "Oi{Enter}");
  expect(await screen.findByRole("alert")).toBeTruthy();
  expect(field()).toHaveProperty("value", "Oi");
  expect(conversation()).not.toContain("Cliente:");
});

test("the trial can begin with the menu of a connection with several queues", async () => {
  const other = givenQueue(2, "Suporte");
  const connections = [
    givenConnection(5, "Loja", { queues: [queue, other] }),
    givenConnection(6, "Só esta", { queues: [queue] }),
  ];
  const server = await open({ connections });
  const begin = await screen.findByRole("combobox", { name: "Começar por" });
  expect(within(begin).getAllByRole("option")).toHaveLength(2);
  await userEvent.selectOptions(begin, "O menu da conexão Loja");
  await userEvent.type(field(), "Oi{Enter}");
  await waitFor(() => expect(server.bodyOf(CALL)).toMatchObject({ connectionId: 5 }));
});
