import { screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";
import { startSession } from "../../api/session-store.ts";
import { createFakeSocket } from "../../testing/fake-socket.ts";
import { givenToken, givenUser } from "../../testing/given.ts";
import { composerServer, givenQuickMessage } from "./testing/composer-server.ts";
import { field, renderComposer } from "./testing/render-composer.tsx";

vi.mock("../../realtime/socket.ts", () => ({ openSocket: () => createFakeSocket() }));

let server: ReturnType<typeof composerServer>;

beforeEach(() => {
  startSession(givenToken("t"), givenUser());
  server = composerServer({
    quickMessages: [
      givenQuickMessage(1, { shortcode: "prazo", message: "São 5 dias úteis, {{firstName}}." }),
      givenQuickMessage(2, { shortcode: "prazotroca", message: "A troca é em até 30 dias." }),
      givenQuickMessage(3, { shortcode: "oi", message: "Olá!" }),
    ],
  });
});

const options = (): (string | null)[] =>
  within(screen.getByRole("listbox"))
    .getAllByRole("option")
    .map((option) => option.textContent);

test("a slash and at least two characters show matching quick replies", async () => {
  renderComposer();
  await userEvent.type(field(), "Oi /p");
  expect(screen.queryByRole("listbox")).toBeNull();
  await userEvent.type(field(), "r");
  await screen.findByRole("listbox");
  expect(options()).toEqual([
    "prazo - São 5 dias úteis, {{firstNa…",
    "prazotroca - A troca é em até 30 di…",
  ]);
  const marked = screen.getByRole("option", { selected: true });
  await waitFor(() => expect(field().getAttribute("aria-activedescendant")).toBe(marked.id));
  expect(field().getAttribute("aria-controls")).toBe(screen.getByRole("listbox").id);
});

test("a slash alone lists all by use and folder, with the text as this customer would read it; a choice is counted", async () => {
  const more = { "POST /api/quick-messages/2/use": () => ({ body: { message: "Counted" } }) };
  server = composerServer({
    quickMessages: [
      givenQuickMessage(1, { shortcode: "oi", message: "Olá, {{firstName}}!", usedCount: 2 }),
      givenQuickMessage(2, { shortcode: "pix", folder: "Pagamento", usedCount: 9 }),
      givenQuickMessage(3, { shortcode: "prazo", folder: "Entrega" }),
    ],
    more,
  });
  renderComposer();
  await userEvent.type(field(), "/");
  await screen.findByRole("listbox");
  expect(options()).toEqual(["pix - texto 2", "oi - Olá, {{firstName}}!", "prazo - texto 3"]);
  expect(screen.getByText("Pagamento · usada 9 vezes")).toBeTruthy();
  await userEvent.keyboard("{ArrowDown}");
  expect(screen.getByText("Olá, Helena!")).toBeTruthy();
  // All, Entrega, Pagamento.
  await userEvent.keyboard("{ArrowRight}{ArrowRight}");
  expect(screen.getByRole("button", { name: "Pagamento" }).getAttribute("aria-pressed")).toBe(
    "true",
  );
  expect(options()).toEqual(["pix - texto 2"]);
  await userEvent.keyboard("{Enter}");
  expect(field().value).toBe("texto 2");
  await waitFor(() =>
    expect(server.requests.map(({ call }) => call)).toContain("POST /api/quick-messages/2/use"),
  );
});

test("Enter replaces the slash term with the marked reply, keeps variables, and sends nothing", async () => {
  renderComposer();
  await userEvent.type(field(), "Bom dia. /praz");
  await screen.findByRole("listbox");
  await userEvent.keyboard("{Enter}");
  expect(field().value).toBe("Bom dia. São 5 dias úteis, {{firstName}}.");
  expect(screen.queryByRole("listbox")).toBeNull();
  expect(server.sent()).toEqual([]);
  await userEvent.keyboard("{Enter}");
  await waitFor(() => expect(server.sent()).toHaveLength(1));
});

test("arrows move the mark and wrap, Tab accepts it", async () => {
  renderComposer();
  await userEvent.type(field(), "/praz");
  await screen.findByRole("listbox");
  await userEvent.keyboard("{ArrowUp}");
  expect(screen.getByRole("option", { selected: true }).textContent).toContain("prazotroca");
  await userEvent.keyboard("{ArrowDown}");
  expect(screen.getByRole("option", { selected: true }).textContent).toContain("prazo - ");
  await userEvent.keyboard("{ArrowDown}{Tab}");
  expect(field().value).toBe("A troca é em até 30 dias.");
  expect(document.activeElement).toBe(field());
});

test("Esc closes only the suggestions, for this slash", async () => {
  renderComposer();
  await userEvent.type(field(), "/praz");
  await screen.findByRole("listbox");
  await userEvent.keyboard("{Escape}");
  expect(screen.queryByRole("listbox")).toBeNull();
  await userEvent.keyboard("o");
  expect(screen.queryByRole("listbox")).toBeNull();
  await userEvent.clear(field());
  await userEvent.type(field(), "/oi");
  expect(await screen.findByRole("listbox")).toBeTruthy();
});

test("a term without a match is sent as text", async () => {
  renderComposer();
  await userEvent.type(field(), "/xyz{Enter}");
  await waitFor(() => expect(server.sentBodies()).toEqual(["*Marina Prado:*\n/xyz"]));
});

test("the button lists all with a search, and adds the attachment of the chosen one", async () => {
  const mediaPath = "/public/company3/tabela.pdf?sig=x";
  composerServer({
    quickMessages: [
      givenQuickMessage(1, { shortcode: "oi" }),
      givenQuickMessage(2, {
        shortcode: "tabela",
        message: "Segue a tabela",
        mediaPath,
        mediaName: "tabela.pdf",
        mediaMime: "application/pdf",
      }),
    ],
  });
  const { fetch } = globalThis;
  vi.stubGlobal("fetch", (url: string, init?: RequestInit) =>
    url === mediaPath ? Promise.resolve(new Response("pdf")) : fetch(url, init),
  );
  renderComposer();
  await userEvent.click(screen.getByRole("button", { name: "Respostas rápidas" }));
  await screen.findByRole("listbox");
  expect(options()).toHaveLength(2);
  await userEvent.type(screen.getByRole("combobox", { name: "Buscar resposta rápida" }), "tab");
  expect(options()).toEqual(["tabela - Segue a tabela"]);
  await userEvent.keyboard("{Enter}");
  expect(field().value).toBe("Segue a tabela");
  const tray = await screen.findByRole("list", { name: "Arquivos para enviar" });
  expect(within(tray).getByText("tabela.pdf")).toBeTruthy();
});

test("a variable is inserted at the caret", async () => {
  renderComposer();
  await userEvent.type(field(), "Oi, ! Tudo bem?");
  field().setSelectionRange(4, 4);
  await userEvent.click(screen.getByRole("button", { name: "Inserir variável" }));
  await userEvent.click(await screen.findByRole("menuitem", { name: /Primeiro nome do cliente/ }));
  expect(field().value).toBe("Oi, {{firstName}}! Tudo bem?");
});
