import type { KnowledgeItem } from "@balcao/contract";
import { knowledgeItem } from "@balcao/contract";
import { companyEvent } from "@balcao/contract/event-names";
import { act, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";
import { startSession } from "../../api/session-store.ts";
import { fakeServer } from "../../testing/fake-server.ts";
import { fakeUploads } from "../../testing/fake-uploads.ts";
import { givenToken, givenUser } from "../../testing/given.ts";
import { sockets } from "../../testing/sockets.ts";
import { openConnected } from "../connections/testing/connections-screen.tsx";
import { PromptsPage } from "../prompts/prompts-page.tsx";

vi.mock("../../realtime/socket.ts", () => import("../../testing/sockets.ts"));

const at = "2026-11-19T12:40:00.000Z";
const given = (id: number, fields: Partial<KnowledgeItem> = {}): KnowledgeItem => ({
  ...knowledgeItem.parse({
    ...{ id, companyId: 3, kind: "article", title: "Trocas", fileName: "", fileBytes: 0 },
    ...{ length: 1_250, isActive: true, author: "Renata", createdAt: at, updatedAt: at },
  }),
  ...fields,
});

async function open(items: KnowledgeItem[]) {
  const server = { items };
  const { requests } = fakeServer({
    "GET /api/companies/listPlan/3": () => ({ body: { plan: { useOpenAi: true } } }),
    "GET /api/knowledge": () => ({
      body: { items: server.items, count: server.items.length, hasMore: false },
    }),
    "GET /api/knowledge/1": () => ({ body: { ...given(1), text: "Em até 30 dias." } }),
    "POST /api/knowledge": ({ body }) => ({ body: given(9, body as Partial<KnowledgeItem>) }),
    "PUT /api/knowledge/1": ({ body }) => ({ body: given(1, body as Partial<KnowledgeItem>) }),
    "POST /api/knowledge/search": ({ body }) => ({
      body: {
        parts: JSON.stringify(body).includes("prazo")
          ? [{ itemId: 1, title: "Trocas", text: "Em até 30 dias." }]
          : [],
      },
    }),
  });
  await openConnected(<PromptsPage />, sockets, "/prompts?tab=knowledge");
  return {
    server,
    bodiesOf: (call: string) => requests.filter((one) => one.call === call).map(({ body }) => body),
  };
}

beforeEach(() => startSession(givenToken("t", 3_600), givenUser()));

const newForm = async () => {
  const [add] = await screen.findAllByRole("button", { name: "Adicionar" });
  await userEvent.click(add as HTMLElement);
  return within(await screen.findByRole("dialog", { name: "Novo item da base" }));
};

test("the empty base says what it is for; a question with its answer is added, and shown live", async () => {
  const { server, bodiesOf } = await open([]);
  expect(await screen.findByText(/Escreva aqui o que a empresa sabe/)).toBeTruthy();
  expect(screen.queryByText("Testar busca")).toBeNull();
  const form = await newForm();
  await userEvent.click(form.getByRole("radio", { name: "Pergunta e resposta" }));
  await userEvent.type(form.getByRole("textbox", { name: "Pergunta" }), "Tem troca?");
  await userEvent.click(form.getByRole("button", { name: "Salvar" }));
  expect(await form.findByText("Obrigatório")).toBeTruthy();
  await userEvent.type(form.getByRole("textbox", { name: "Resposta" }), "Em 30 dias.");
  await userEvent.click(form.getByRole("button", { name: "Salvar" }));
  await waitFor(() =>
    expect(bodiesOf("POST /api/knowledge")).toEqual([
      { kind: "question", title: "Tem troca?", text: "Em 30 dias.", isActive: true },
    ]),
  );
  server.items = [given(9, { kind: "question", title: "Tem troca?", isActive: false })];
  const event = { action: "create", knowledge: { id: 9 } };
  act(() => sockets.at(-1)?.receive(companyEvent(3, "knowledge"), event));
  const row = within(await screen.findByRole("row", { name: /Tem troca/ }));
  const cells = row.getAllByRole("cell").map(({ textContent }) => textContent);
  expect(cells).toEqual([
    ...["Pergunta e resposta", "1.250 caracteres", "19/11/2026 · Renata", "Desligado", ""],
  ]);
});

test("an item opens with its text, and is switched off", async () => {
  const { bodiesOf } = await open([given(1)]);
  await userEvent.click(await screen.findByRole("button", { name: "Editar Trocas" }));
  const form = within(await screen.findByRole("dialog", { name: "Editar item da base" }));
  const text = await form.findByRole<HTMLTextAreaElement>("textbox", { name: "Texto" });
  expect(text.value).toBe("Em até 30 dias.");
  await userEvent.click(form.getByRole("switch", { name: /^Usar nas respostas/ }));
  await userEvent.click(form.getByRole("button", { name: "Salvar" }));
  await waitFor(() =>
    expect(bodiesOf("PUT /api/knowledge/1")).toEqual([
      { title: "Trocas", text: "Em até 30 dias.", isActive: false },
    ]),
  );
});

test("the text of a file is shown for correction before it is saved", async () => {
  const { uploads } = fakeUploads();
  const { bodiesOf } = await open([given(1)]);
  const form = await newForm();
  await userEvent.click(form.getByRole("radio", { name: "Arquivo" }));
  expect(form.queryByRole("textbox", { name: "Título" })).toBeNull();
  expect(form.queryByRole("button", { name: "Salvar" })).toBeNull();
  const file = new File(["%PDF-"], "frete 2026.pdf", { type: "application/pdf" });
  await userEvent.upload(form.getByLabelText("Escolher arquivo", { selector: "input" }), file);
  expect((await form.findAllByText("Lendo frete 2026.pdf")).length).toBeGreaterThan(0);
  const read = { fileName: file.name, fileBytes: 5, text: "Frete gratis.", isCut: true };
  await waitFor(() => expect(uploads).toHaveLength(1));
  act(() => uploads[0]?.answer(200, read));
  expect(await form.findByText(/só o começo foi lido/)).toBeTruthy();
  const text = form.getByRole<HTMLTextAreaElement>("textbox", { name: "Texto" });
  expect(text.value).toBe("Frete gratis.");
  await userEvent.clear(text);
  await userEvent.type(text, "Frete grátis.");
  await userEvent.click(form.getByRole("button", { name: "Salvar" }));
  await waitFor(() =>
    expect(bodiesOf("POST /api/knowledge")).toEqual([
      {
        ...{ kind: "file", title: "frete 2026", text: "Frete grátis.", isActive: true },
        ...{ fileName: "frete 2026.pdf", fileBytes: 5 },
      },
    ]),
  );
});

test("the search shows what an agent would get, with its source", async () => {
  await open([given(1)]);
  const field = await screen.findByRole("textbox", { name: "Testar busca" });
  await userEvent.type(field, "bicicleta");
  expect(await screen.findByText(/Nenhum trecho encontrado/)).toBeTruthy();
  await userEvent.clear(field);
  await userEvent.type(field, "Qual o prazo?");
  expect(await screen.findByText("Em até 30 dias.")).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: "Trocas" }));
  expect(await screen.findByRole("dialog", { name: "Editar item da base" })).toBeTruthy();
});
