import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { endSession, startSession } from "../../api/session-store.ts";
import { first } from "../../i18n/pt/first.ts";
import { later } from "../../i18n/pt/later.ts";
import { fakeUploads } from "../../testing/fake-uploads.ts";
import { givenToken, givenUser } from "../../testing/given.ts";
import { renderOnCache } from "../messages/testing/render-feature.tsx";
import { dropTyped } from "./option-drafts.ts";
import { QueueDialog } from "./queue-dialog.tsx";
import type { QueuesServer } from "./testing/queues-server.ts";
import { givenOption, givenQueue, queuesServer } from "./testing/queues-server.ts";

const queue = givenQueue(1, "Vendas", { greetingMessage: "Olá, {{firstName}}" });
const options = [
  givenOption(11, "Pedidos", { option: "1", message: "Sobre pedidos" }),
  givenOption(12, "Trocas", { option: "2" }),
  givenOption(13, "Pessoa", { option: "3" }),
  givenOption(21, "Prazo", { parentId: 11, option: "1", message: "Dois dias" }),
];

beforeEach(() => {
  // What a test has left unsaved would be there in the next one.
  for (const { id } of options) dropTyped(id);
  startSession(givenToken("t", 3_600), givenUser());
});

afterEach(() => {
  cleanup();
  endSession("logout");
  vi.restoreAllMocks();
});

type More = Parameters<typeof queuesServer>[1];

async function open(more: More = {}): Promise<QueuesServer> {
  const server = queuesServer({ queues: [queue], options }, more);
  renderOnCache(<QueueDialog queue={queue} queues={[queue]} onClose={vi.fn()} />);
  await userEvent.click(await screen.findByRole("tab", { name: "Chatbot" }));
  await screen.findByText("Pedidos");
  return server;
}

/** Not by role, which is slow beside a palette of fifty radio buttons. */
const optionRows = (): HTMLElement[] => [
  ...document.querySelectorAll<HTMLElement>("[data-option-row]"),
];
const rows = (): (string | null)[] => optionRows().map(({ textContent }) => textContent);
function row(name: string): HTMLElement {
  const found = optionRows().find(({ textContent }) => textContent === name);
  return found ?? screen.getByLabelText(name);
}
const field = (name: string): HTMLElement => screen.getByLabelText(name);
const preview = (): string =>
  screen.getByRole("region", { name: "Como o cliente vê" }).textContent ?? "";

// Each key renders the tree, the palette and the preview.
vi.setConfig({ testTimeout: 20_000 });

// Loads the lazy part before the tests.
beforeAll(() => import("../../ui/toast-host.tsx"));

test("the options are a tree, and folded options are not rendered", async () => {
  await open();
  expect(rows()).toEqual(["1 Pedidos", "1 Prazo", "2 Trocas", "3 Pessoa"]);
  expect(within(screen.getByLabelText("Opções de Pedidos")).getByText("Prazo")).toBeTruthy();
  await userEvent.click(row("Recolher Pedidos (1)"));
  expect(rows()).toEqual(["1 Pedidos", "2 Trocas", "3 Pessoa"]);
  await userEvent.click(row("Mostrar o que há em Pedidos (1)"));
  expect(rows()).toHaveLength(4);
});

test("Alt and an arrow key move the focused option, which keeps the focus; the move is announced and saved", async () => {
  const server = await open();
  row("1 Pedidos").focus();
  await userEvent.keyboard("{Alt>}{ArrowDown}{/Alt}");
  await waitFor(() => expect(rows()).toEqual(["1 Trocas", "2 Pedidos", "1 Prazo", "3 Pessoa"]));
  expect(document.activeElement).toBe(row("2 Pedidos"));
  expect(screen.getByText("Pedidos: lugar 2 de 3").closest("[role=status]")).toBeTruthy();
  await waitFor(() =>
    expect(server.bodyOf("POST /api/queue-options/order")).toEqual({
      queueId: 1,
      parentId: null,
      ids: [12, 11, 13],
      draft: true,
    }),
  );
  await userEvent.keyboard("{Alt>}{ArrowUp}{ArrowUp}{/Alt}");
  await waitFor(() => expect(rows()[0]).toBe("1 Pedidos"));
});

test("an option at the end of its level stays where it is", async () => {
  const server = await open();
  await userEvent.click(row("Descer Pessoa"));
  row("1 Prazo").focus();
  await userEvent.keyboard("{Alt>}{ArrowDown}{/Alt}");
  expect(server.writes()).toEqual([]);
});

test("an order that the server refuses is reverted with an error", async () => {
  const server = await open({
    "POST /api/queue-options/order": () => ({ status: 500, body: { error: "ERR_INTERNAL" } }),
  });
  await userEvent.click(row("Subir Pessoa"));
  await waitFor(() => expect(server.writes()).toHaveLength(1));
  await waitFor(() => expect(rows()).toEqual(["1 Pedidos", "1 Prazo", "2 Trocas", "3 Pessoa"]));
  expect(await screen.findByText(first.errors.ERR_INTERNAL)).toBeTruthy();
});

test("the preview follows the open option with unsaved text", async () => {
  await open();
  expect(preview()).toContain("Olá, Maria");
  expect(preview()).toContain("[ 3 ] - Pessoa");
  expect(preview()).not.toContain("Sobre pedidos");
  await userEvent.click(row("1 Prazo"));
  expect(preview()).toContain("Sobre pedidos");
  expect(preview()).toContain("Dois dias");
  expect(preview()).toContain("uma pessoa da fila Vendas");
  await userEvent.type(field("Texto"), " úteis");
  expect(preview()).toContain("Dois dias úteis");
  await userEvent.click(screen.getByText("Concluir"));
  expect(preview()).not.toContain("Dois dias");
});

test("a text is saved on blur, a title also on Enter", async () => {
  const server = await open();
  await userEvent.click(row("2 Trocas"));
  await userEvent.type(field("Texto"), "Como");
  await userEvent.tab();
  await waitFor(() =>
    expect(server.bodyOf("PUT /api/queue-options/12")).toEqual({ message: "Como", draft: true }),
  );
  const title = field("Título");
  await userEvent.clear(title);
  await userEvent.type(title, "Fim{Enter}");
  await waitFor(() =>
    expect(server.bodyOf("PUT /api/queue-options/12")).toEqual({ title: "Fim", draft: true }),
  );
  expect(row("2 Fim")).toBeTruthy();
});

test("an unsaved text stays in its field with the error, even after the row closed", async () => {
  let isDown = true;
  const server = await open({
    "PUT /api/queue-options/13": ({ body }) =>
      isDown
        ? { status: 500, body: { error: "ERR_INTERNAL" } }
        : { body: Object.assign({ ...options[2] }, body) },
  });
  await userEvent.click(row("3 Pessoa"));
  await userEvent.type(field("Texto"), "Já vamos");
  await userEvent.click(screen.getByText("Concluir"));
  await waitFor(() => expect(rows()).toContain("3 PessoaNão salva"));
  await userEvent.click(row("3 PessoaNão salva"));
  expect(field("Texto")).toHaveProperty("value", "Já vamos");
  const failure = screen.getByText(/^Não foi salvo:/);
  isDown = false;
  await userEvent.click(within(failure).getByRole("button", { name: "Tentar de novo" }));
  await waitFor(() => expect(screen.queryByText(/^Não foi salvo:/)).toBeNull());
  expect(server.bodyOf("PUT /api/queue-options/13")).toEqual({ message: "Já vamos", draft: true });
});

test("an option deleted by a colleague shows an error", async () => {
  const server = await open({
    "PUT /api/queue-options/13": () => {
      server.options = server.options.filter(({ id }) => id !== 13);
      return { status: 404, body: { error: "ERR_NO_QUEUE_OPTION_FOUND" } };
    },
  });
  await userEvent.click(row("3 Pessoa"));
  await userEvent.type(field("Texto"), "Já{Tab}");
  expect(await screen.findByText(later.errors.ERR_NO_QUEUE_OPTION_FOUND)).toBeTruthy();
  await waitFor(() => expect(rows()).toEqual(["1 Pedidos", "1 Prazo", "2 Trocas"]));
});

test("typed text is saved when the dialog unmounts", async () => {
  const server = await open();
  await userEvent.click(row("2 Trocas"));
  await userEvent.type(field("Texto"), "Até 30 dias");
  cleanup();
  await waitFor(() =>
    expect(server.bodyOf("PUT /api/queue-options/12")).toEqual({
      message: "Até 30 dias",
      draft: true,
    }),
  );
});

test("an empty title and a taken number show errors at their fields", async () => {
  const server = await open({
    "PUT /api/queue-options/13": () => ({
      status: 400,
      body: { error: "ERR_QUEUE_OPTION_EXISTS" },
    }),
  });
  await userEvent.click(row("3 Pessoa"));
  await userEvent.clear(field("Título"));
  await userEvent.tab();
  expect(screen.getByText("Obrigatório")).toBeTruthy();
  expect(server.writes()).toEqual([]);
  const number = field("Número");
  await userEvent.clear(number);
  await userEvent.type(number, "0{Enter}");
  expect(screen.getByText("De 1 a 999")).toBeTruthy();
  await userEvent.clear(number);
  await userEvent.type(number, "1{Enter}");
  expect(await screen.findByText("Já está em uso")).toBeTruthy();
  expect(number).toHaveProperty("value", "1");
});

test("a new option opens with its title selected", async () => {
  const server = await open();
  await userEvent.click(row("Adicionar opção abaixo de Trocas"));
  const title = await screen.findByLabelText("Título");
  expect(server.bodyOf("POST /api/queue-options")).toEqual({
    queueId: 1,
    parentId: 12,
    title: "Nova opção",
    message: "",
    option: "1",
    draft: true,
  });
  expect(document.activeElement).toBe(title);
});

test("deleting an option asks with its title and the number of options below", async () => {
  const server = await open();
  await userEvent.click(row("Excluir Pedidos"));
  const question = await screen.findByRole("dialog", { name: "Excluir a opção Pedidos?" });
  expect(question.textContent).toContain("1 opção abaixo dela vai junto.");
  await userEvent.keyboard("{Escape}");
  await waitFor(() => expect(screen.queryByText("Excluir a opção Pedidos?")).toBeNull());
  expect(screen.getByRole("dialog", { name: "Editar Vendas" })).toBeTruthy();
  expect(server.writes()).toEqual([]);
  await userEvent.click(row("Excluir Pedidos"));
  await userEvent.click(
    within(await screen.findByRole("dialog", { name: "Excluir a opção Pedidos?" })).getByRole(
      "button",
      { name: "Excluir" },
    ),
  );
  await waitFor(() => expect(rows()).toEqual(["2 Trocas", "3 Pessoa"]));
  expect(server.writes()).toEqual(["DELETE /api/queue-options/11?draft=true"]);
  await waitFor(() =>
    expect(document.activeElement).toBe(screen.getByText("Adicionar opção").closest("button")),
  );
});

test("a file is uploaded at once; a refused one shows the error", async () => {
  const { uploads } = fakeUploads();
  await open();
  await userEvent.click(row("2 Trocas"));
  const field = within(screen.getByRole("group", { name: "Trocas" })).getByLabelText(
    "Anexar arquivo",
    { selector: "input" },
  );
  await userEvent.upload(field, new File(["x"], "mapa.pdf"));
  await waitFor(() => expect(uploads).toHaveLength(1));
  expect(uploads[0]?.call).toBe("POST /api/queue-options/12/media-upload");
  uploads[0]?.progress(0.4);
  expect(await screen.findByText("Enviando… 40 %")).toBeTruthy();
  uploads[0]?.answer(400, { error: "ERR_FILE_DAMAGED" });
  expect(await screen.findByText(later.errors.ERR_FILE_DAMAGED)).toBeTruthy();
});

test("a draft says so; publishing shows what changes, and then there is no draft", async () => {
  const server = await open();
  expect(screen.getByText("Publicado: os clientes já recebem este chatbot.")).toBeTruthy();
  await userEvent.click(row("2 Trocas"));
  await userEvent.clear(field("Título"));
  await userEvent.type(field("Título"), "Devoluções{Enter}");
  await userEvent.type(field("Saudação"), "!");
  await userEvent.tab();
  expect(
    await screen.findByText("Rascunho com 2 mudanças. Os clientes ainda não as recebem."),
  ).toBeTruthy();
  expect(screen.getByText("alterada")).toBeTruthy();

  await userEvent.click(screen.getByText("Publicar"));
  const question = within(
    await screen.findByRole("dialog", { name: "Publicar o chatbot de Vendas?" }),
  );
  const changes = question.getByLabelText("Mudanças").textContent;
  expect(changes).toContain("Saudação Olá, {{firstName}}Olá, {{firstName}}!");
  expect(changes).toContain("DevoluçõesTítuloTrocasDevoluções");
  await userEvent.click(question.getByRole("button", { name: "Publicar" }));
  await waitFor(() =>
    expect(server.bodyOf("POST /api/queue/1/chatbot/publish")).toEqual({
      draftAt: "2026-11-20T11:00:00.000Z",
    }),
  );
  await waitFor(() => expect(screen.queryByText("alterada")).toBeNull());
});

test("a draft that a colleague changed meanwhile is shown again instead of published", async () => {
  await open({
    "POST /api/queue/1/chatbot/publish": () => ({
      status: 409,
      body: { error: "ERR_CHATBOT_DRAFT_CHANGED" },
    }),
  });
  await userEvent.click(row("Descer Pedidos"));
  await userEvent.click(await screen.findByText("Publicar"));
  const question = await screen.findByRole("dialog", { name: "Publicar o chatbot de Vendas?" });
  await userEvent.click(within(question).getByRole("button", { name: "Publicar" }));
  expect(await within(question).findByText(later.errors.ERR_CHATBOT_DRAFT_CHANGED)).toBeTruthy();
});

test("a draft is discarded after a question, and the published options are back", async () => {
  const server = await open();
  await userEvent.click(row("Descer Pedidos"));
  await userEvent.click(await screen.findByText("Descartar"));
  const question = await screen.findByRole("dialog", { name: "Descartar o rascunho de Vendas?" });
  await userEvent.click(within(question).getByRole("button", { name: "Descartar" }));
  await waitFor(() => expect(rows()).toEqual(["1 Pedidos", "1 Prazo", "2 Trocas", "3 Pessoa"]));
  expect(server.writes().at(-1)).toBe("DELETE /api/queue/1/chatbot");
});
