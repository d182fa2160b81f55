import { companyEvent } from "@balcao/contract/event-names";
import { act, cleanup, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { endSession, startSession } from "../../api/session-store.ts";
import { givenToken, givenUser } from "../../testing/given.ts";
import { openConnected } from "../connections/testing/connections-screen.tsx";
import { QueuesPage } from "./queues-page.tsx";
import { givenOption, givenQueue, queuesServer } from "./testing/queues-server.ts";
import { sockets } from "../../testing/sockets.ts";

vi.mock("../../realtime/socket.ts", () => import("../../testing/sockets.ts"));

const sales = givenQueue(1, "Vendas", { greetingMessage: "*Olá*\nComo vai?" });
const support = givenQueue(2, "Suporte", { orderQueue: null });

beforeEach(() => {
  startSession(givenToken("t", 3_600), givenUser());
});

afterEach(() => {
  cleanup();
  endSession("logout");
  vi.restoreAllMocks();
});

const open = (): Promise<void> => openConnected(<QueuesPage />, sockets);
const row = (name: string): Promise<HTMLElement> =>
  screen.findByRole("row", { name: new RegExp(name) });
const use = { tickets: 3, users: 2, connections: [{ name: "Loja" }], options: 4 };

test("the table shows greeting, order and number of options", async () => {
  queuesServer({
    queues: [sales, support],
    options: [givenOption(1, "Um"), givenOption(2, "Dois")],
  });
  await open();
  const first = await row("Vendas");
  expect(within(first).getByText("Olá Como vai?")).toBeTruthy();
  await waitFor(() => expect(within(first).getByText("2 opções")).toBeTruthy());
  expect(within(await row("Suporte")).getByText("Sem ordem")).toBeTruthy();
  expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("Filas e chatbot 2");
});

test("one request counts the options of all queues", async () => {
  const { requests } = queuesServer({
    queues: [sales, support],
    options: [givenOption(1, "Um"), givenOption(2, "Dois", { parentId: 1 })],
  });
  await open();
  await waitFor(async () => {
    expect(within(await row("Vendas")).getByText("2 opções")).toBeTruthy();
  });
  expect(within(await row("Suporte")).getByText("Sem chatbot")).toBeTruthy();
  const asked = requests.map(({ call }) => call).filter((call) => call.includes("queue-options"));
  // Refetched only when the live channel is ready.
  expect(new Set(asked)).toEqual(new Set(["GET /api/queue-options/count"]));
});

test("the search ignores accents and case", async () => {
  queuesServer({ queues: [sales, givenQueue(3, "Atenção técnica")] });
  await open();
  await userEvent.type(screen.getByRole("searchbox"), "TECNICA atencao");
  await waitFor(() => {
    expect(screen.getAllByRole("rowheader").map(({ textContent }) => textContent)).toEqual([
      "Atenção técnica",
    ]);
  });
});

test("changes by colleagues appear live and in order", async () => {
  queuesServer({ queues: [sales, support] });
  await open();
  await row("Vendas");
  const tell = (payload: object): void =>
    act(() => sockets.at(-1)?.receive(companyEvent(3, "queue"), payload));
  tell({ action: "update", queue: givenQueue(9, "Cobrança", { orderQueue: 0 }) });
  await row("Cobrança");
  const names = (): string[] =>
    screen.getAllByRole("rowheader").map(({ textContent }) => textContent ?? "");
  expect(names()).toEqual(["Cobrança", "Vendas", "Suporte"]);
  tell({ action: "delete", queueId: 1 });
  await waitFor(() => expect(names()).toEqual(["Cobrança", "Suporte"]));
});

test("the deletion question lists what belongs to the queue and asks where its tickets go", async () => {
  const server = queuesServer(
    { queues: [sales, support] },
    { "GET /api/queue/1/use": () => ({ body: use }) },
  );
  await open();
  await row("Vendas");
  await userEvent.click(screen.getByRole("button", { name: "Excluir Vendas" }));
  const question = within(await screen.findByRole("dialog", { name: "Excluir a fila Vendas?" }));
  expect((await question.findAllByRole("listitem")).map(({ textContent }) => textContent)).toEqual([
    "3 atendimentos abertos ou aguardando estão nela.",
    "2 usuários saem dela.",
    "Ela sai das conexões: Loja.",
    "4 opções do chatbot são excluídas.",
    "Esta ação não pode ser desfeita. As conversas continuam aqui.",
  ]);
  const target = question.getByRole("combobox", { name: "Os atendimentos vão para" });
  const offered = within(target).getAllByRole("option");
  expect(offered.map(({ textContent }) => textContent)).toEqual(["Nenhuma fila", "Suporte"]);
  await userEvent.selectOptions(target, "Suporte");
  await userEvent.click(question.getByRole("button", { name: "Excluir" }));
  await waitFor(() => expect(server.writes()).toEqual(["DELETE /api/queue/1?targetQueueId=2"]));
});

test("without tickets there is no target to choose; a failed deletion shows the error and can be retried", async () => {
  const server = queuesServer(
    { queues: [sales] },
    {
      "GET /api/queue/1/use": () => ({ body: { ...use, tickets: 0 } }),
      "DELETE /api/queue/1": () => ({ status: 500, body: { error: "ERR_INTERNAL" } }),
    },
  );
  await open();
  await row("Vendas");
  await userEvent.click(screen.getByRole("button", { name: "Excluir Vendas" }));
  const question = within(await screen.findByRole("dialog"));
  await question.findByText("Nenhum atendimento aberto ou aguardando está nela.");
  expect(question.queryByRole("combobox")).toBeNull();
  await userEvent.click(question.getByRole("button", { name: "Excluir" }));
  expect(await question.findByRole("alert")).toBeTruthy();
  expect(server.writes()).toEqual(["DELETE /api/queue/1"]);
});

test("the form keeps its input when closed by Escape; Cancel drops it", async () => {
  queuesServer({ queues: [sales, support] });
  await open();
  const edit = async (): Promise<HTMLInputElement> => {
    await userEvent.click(await screen.findByRole("button", { name: "Editar Vendas" }));
    return within(await screen.findByRole("dialog")).findByLabelText("Nome");
  };
  const isClosed = () => waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  await userEvent.type(await edit(), " e trocas");
  await userEvent.keyboard("{Escape}");
  await isClosed();
  expect((await edit()).value).toBe("Vendas e trocas");
  expect(screen.getByText(/digitou e não salvou/)).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: "Cancelar" }));
  await isClosed();
  expect((await edit()).value).toBe("Vendas");
});
