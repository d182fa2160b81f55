import type { QuickMessage } from "@balcao/contract";
import { quickMessage } from "@balcao/contract";
import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import { endSession, startSession } from "../../api/session-store.ts";
import type { SeenRequest } from "../../testing/fake-server.ts";
import { fakeServer } from "../../testing/fake-server.ts";
import { givenToken, givenUser } from "../../testing/given.ts";
import { renderRoutes } from "../../testing/render.tsx";
import { QuickMessagesPage } from "./quick-messages-page.tsx";

function given(id: number, fields: Partial<QuickMessage> = {}): QuickMessage {
  return quickMessage.parse({
    id,
    ...{ folder: "", usedCount: 0 },
    shortcode: `atalho${id}`,
    message: `texto ${id}`,
    geral: false,
    status: true,
    isMedia: false,
    mediaPath: null,
    mediaName: null,
    mediaMime: null,
    userId: 7,
    companyId: 3,
    createdAt: "2026-11-20T10:00:00.000Z",
    updatedAt: "2026-11-20T10:00:00.000Z",
    ...fields,
  });
}

const shared = given(2, { geral: true, userId: null, mediaName: "tabela.pdf" });

function open(profile: "user" | "admin", records = [given(1), shared]) {
  const answer = (request: SeenRequest) => ({ body: { ...given(9), ...(request.body as object) } });
  const server = fakeServer({
    // The reply for these words never arrives.
    "GET /api/quick-messages": ({ call }) =>
      call.includes("pix+")
        ? "never"
        : { body: { records, count: records.length, hasMore: false } },
    "POST /api/quick-messages": answer,
    "PUT /api/quick-messages/1": answer,
    "DELETE /api/quick-messages/1": () => ({ body: { message: "Contact deleted" } }),
    "GET /api/companies/listPlan/3": () => ({ status: 503, body: { error: "none" } }),
  });
  startSession(givenToken("t", 3_600), givenUser({ profile }));
  renderRoutes([{ path: "*", element: <QuickMessagesPage /> }], "/quick-messages");
  return server;
}

afterEach(() => {
  cleanup();
  endSession("logout");
  vi.restoreAllMocks();
});

const writes = (requests: SeenRequest[]) => requests.filter(({ call }) => !call.startsWith("GET"));

test("the table shows shortcode, text, attachment and which ones are shared", async () => {
  open("user");
  const rows = await screen.findAllByRole("row");
  expect(rows.slice(1).map(({ textContent }) => textContent)).toEqual([
    "/atalho1texto 1Sem anexo",
    "/atalho2da equipetexto 2tabela.pdf",
  ]);
  expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("Respostas rápidas 2");
});

test("agents can change only their own quick messages", async () => {
  open("user");
  expect(await screen.findByRole("button", { name: "Editar atalho1" })).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Editar atalho2" })).toBeNull();
});

test("an admin may change shared quick messages", async () => {
  open("admin");
  expect(await screen.findByRole("button", { name: "Editar atalho2" })).toBeTruthy();
});

test("a new one needs a shortcode; a variable is inserted at the caret", async () => {
  const { requests } = open("user");
  await userEvent.click(await screen.findByRole("button", { name: "Adicionar" }));
  const dialog = await screen.findByRole("dialog", { name: "Nova resposta rápida" });
  await userEvent.click(within(dialog).getByRole("button", { name: "Salvar" }));
  expect(await within(dialog).findByText("Obrigatório")).toBeTruthy();
  expect(writes(requests)).toEqual([]);

  await userEvent.type(within(dialog).getByLabelText("Atalho"), "pix");
  const text = within(dialog).getByLabelText<HTMLTextAreaElement>("Mensagem");
  await userEvent.type(text, "Oi , tudo bem?");
  text.setSelectionRange(3, 3);
  await userEvent.click(within(dialog).getByRole("button", { name: "Inserir variável" }));
  await userEvent.click(await screen.findByRole("menuitem", { name: /^Primeiro nome do cliente/ }));
  expect(text.value).toBe("Oi {{firstName}}, tudo bem?");
  await userEvent.click(within(dialog).getByRole("button", { name: "Salvar" }));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(writes(requests)).toMatchObject([
    {
      call: "POST /api/quick-messages",
      body: { shortcode: "pix", message: "Oi {{firstName}}, tudo bem?", geral: false },
    },
  ]);
});

test("deleting names the quick message and asks first", async () => {
  const { requests } = open("user");
  await userEvent.click(await screen.findByRole("button", { name: "Excluir atalho1" }));
  const dialog = await screen.findByRole("dialog", {
    name: "Excluir a resposta rápida atalho1?",
  });
  expect(writes(requests)).toEqual([]);
  await userEvent.click(within(dialog).getByRole("button", { name: "Excluir" }));
  await waitFor(() =>
    expect(writes(requests)).toMatchObject([{ call: "DELETE /api/quick-messages/1" }]),
  );
});

test("an empty list offers to add, an empty search names the search", async () => {
  open("user", []);
  expect(await screen.findByText("Nenhum registro")).toBeTruthy();
  await userEvent.type(screen.getByRole("searchbox", { name: "Buscar pelo atalho" }), "PIX");
  expect(await screen.findByText("Nada encontrado para “pix”")).toBeTruthy();
});

test("while a search loads, the list is not reported as empty", async () => {
  const { requests } = open("user", []);
  const box = screen.getByRole("searchbox", { name: "Buscar pelo atalho" });
  await userEvent.type(box, "pix");
  await screen.findByText("Nada encontrado para “pix”");
  await userEvent.type(box, " novo");
  await waitFor(() => expect(requests.at(-1)?.call).toContain("searchParam=pix+novo"));
  await waitFor(() => expect(screen.queryByText(/Nada encontrado/)).toBeNull());
});
