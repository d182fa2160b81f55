import type { AiService, Prompt } from "@balcao/contract";
import { prompt } from "@balcao/contract";
import { companyEvent } from "@balcao/contract/event-names";
import { act, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";
import { startSession } from "../../api/session-store.ts";
import { fakeServer } from "../../testing/fake-server.ts";
import { givenToken, givenUser } from "../../testing/given.ts";
import { sockets } from "../../testing/sockets.ts";
import { openConnected } from "../connections/testing/connections-screen.tsx";
import { givenQueue } from "../tickets/testing/given-choices.ts";
import { PromptsPage } from "./prompts-page.tsx";

vi.mock("../../realtime/socket.ts", () => import("../../testing/sockets.ts"));

const text = "Você atende a Boutique Aurora em assuntos de troca e entrega.";

function given(id: number, name: string, fields: Partial<Prompt> = {}): Prompt {
  return {
    ...prompt.parse({
      ...{ id, name, companyId: 3, prompt: text, baseUrl: "https://api.openai.com/v1" },
      ...{ model: "gpt-4.1-mini", apiKey: "********4f2A", voice: "texto", voiceKey: "" },
      ...{ voiceRegion: "", maxTokens: 300, temperature: 0.4, maxMessages: 10 },
      ...{ dayTokens: 200_000, ticketTokens: 0, priceIn: null, priceOut: 8.5, useKnowledge: false },
      ...{ promptTokens: 0, completionTokens: 0, totalTokens: 0 },
      usedToday: { tokens: 50_000, answers: 80 },
      usedThisMonth: { tokens: 1_250_000, answers: 900 },
      ...{ queueId: 2, queue: { id: 2, name: "Suporte" } },
      usedBy: { connections: [], queues: [] },
      ...{ fault: null, faultAt: null, createdAt: at, updatedAt: at },
    }),
    ...fields,
  };
}

const at = "2026-11-19T12:40:00.000Z";
const usedBy = {
  connections: [{ id: 4, name: "Loja Paulista" }],
  queues: [{ id: 2, name: "Suporte" }],
};

type Handlers = Parameters<typeof fakeServer>[0];

async function open(prompts: Prompt[], replies: Handlers = {}) {
  const server = { prompts };
  const { requests } = fakeServer({
    "GET /api/prompt": () => ({
      body: { prompts: server.prompts, count: server.prompts.length, hasMore: false },
    }),
    "GET /api/companies/listPlan/3": () => ({ body: { plan: { useOpenAi: true } } }),
    "GET /api/queue": () => ({ body: [givenQueue(1, "Vendas"), givenQueue(2, "Suporte")] }),
    "POST /api/prompt/check": () => ({ body: { models: ["gpt-4.1-mini", "gpt-5-nano"] } }),
    ...replies,
  });
  await openConnected(<PromptsPage />, sockets);
  const bodiesOf = (call: string) =>
    requests.filter((one) => one.call === call).map(({ body }) => body);
  return { server, bodiesOf };
}

const row = (name: string): Promise<HTMLElement> =>
  screen.findByRole("row", { name: new RegExp(name) });

async function edit(name: string) {
  await row(name);
  await userEvent.click(screen.getByRole("button", { name: `Editar ${name}` }));
  return within(await screen.findByRole("dialog", { name: new RegExp(name) }));
}

beforeEach(() => startSession(givenToken("t", 3_600), givenUser()));

test("the list says what each agent used and where it answers, and stays current", async () => {
  const { server } = await open([
    given(1, "Trocas e prazos", { usedBy }),
    given(2, "Noite", { dayTokens: 50_000 }),
    given(3, "Livre", { dayTokens: 0 }),
  ]);
  const cells = async (name: string): Promise<string[]> =>
    within(await row(name))
      .getAllByRole("cell")
      .map(({ textContent }) => textContent ?? "");
  expect(await cells("Trocas e prazos")).toEqual([
    ...["Atendendo", "Suporte", "gpt-4.1-mini", "1.250.000", "50.000 de 200.000 tokens hoje"],
    ...["Loja Paulista, fila Suporte", ""],
  ]);
  expect((await cells("Noite"))[0]).toBe("Pausado até amanhã");
  const [state, , , , ...others] = await cells("Livre");
  expect([state, ...others]).toEqual(["Sem uso", "Sem limite", "Em nenhum lugar", ""]);
  await userEvent.type(screen.getByRole("searchbox"), "livre");
  await waitFor(() => expect(screen.getAllByRole("rowheader")).toHaveLength(1));
  server.prompts = [given(3, "Livre de novo")];
  const event = { action: "update", prompt: { id: 3, name: "Livre de novo" } };
  act(() => sockets.at(-1)?.receive(companyEvent(3, "prompt"), event));
  await row("Livre de novo");
});

test("a strip says since when a provider refuses, whom it concerns, and where it is mended", async () => {
  const fault = { fault: "credit", faultAt: at } as const;
  await open([
    given(1, "Trocas", fault),
    given(2, "Vendas", fault),
    given(3, "Outro", { fault: "slow", faultAt: at, baseUrl: "https://ia.exemplo.com/v1" }),
  ]);
  await row("Trocas");
  const strips = screen.getAllByRole("status").map(({ textContent }) => textContent);
  expect(strips).toEqual([
    expect.stringMatching(
      /^Sem crédito na OpenAI desde .*09:40\. O atendimento segue sem IA: menu ou uma pessoa\. Afeta: Trocas, Vendas\. Abrir a conta na OpenAI$/,
    ),
    expect.stringMatching(/^Sem resposta da ia\.exemplo\.com desde .*Afeta: Outro\. $/),
  ]);
  const link = screen.getByRole("link", { name: "Abrir a conta na OpenAI" });
  expect(link.getAttribute("href")).toContain("https://platform.openai.com/");
  await userEvent.click(screen.getByRole("button", { name: "Abrir Outro" }));
  const dialog = within(await screen.findByRole("dialog", { name: /^Outro/ }));
  expect(dialog.getByText("Com falhas")).toBeTruthy();
});

test("a new agent: each field says what is missing, the key is checked when it is left", async () => {
  const made = given(9, "Vendas online");
  const { bodiesOf } = await open([], { "POST /api/prompt": () => ({ body: made }) });
  const [add] = await screen.findAllByRole("button", { name: "Adicionar" });
  if (add) await userEvent.click(add);
  const dialog = within(await screen.findByRole("dialog", { name: "Novo agente de IA" }));
  const save = dialog.getByRole("button", { name: "Salvar" });
  await userEvent.clear(dialog.getByLabelText("Temperatura"));
  await userEvent.type(dialog.getByLabelText("Temperatura"), "2,5");
  await userEvent.selectOptions(dialog.getByLabelText("Resposta"), "Voz de Francisca");
  await userEvent.click(save);
  for (const fault of [
    ...["Use de 5 a 100 caracteres", "Informe o setor", "Escreva ao menos 50 caracteres"],
    ...["De 0 a 2", "Informe a região"],
  ]) {
    expect(await dialog.findByText(fault)).toBeTruthy();
  }
  expect(dialog.getAllByText("Informe a chave")).toHaveLength(2);
  expect(document.activeElement).toBe(dialog.getByLabelText("Nome"));
  await userEvent.selectOptions(dialog.getByLabelText("Resposta"), "Texto");
  await userEvent.type(dialog.getByLabelText("Nome"), "Vendas online");
  await userEvent.selectOptions(dialog.getByLabelText("Passa para a fila"), "Vendas");
  await userEvent.click(dialog.getByLabelText("Instruções"));
  await userEvent.paste(text);
  expect(dialog.getByText("61 caracteres, no mínimo 50")).toBeTruthy();
  await userEvent.type(
    dialog.getByLabelText("Temperatura"),
    "{Backspace}{Backspace}{Backspace}0,4",
  );
  await userEvent.type(dialog.getByLabelText("Chave"), "sk-nova");
  await userEvent.tab();
  expect(await dialog.findByText("Chave aceita")).toBeTruthy();
  expect(bodiesOf("POST /api/prompt/check")).toEqual([
    { baseUrl: "https://api.openai.com/v1", model: "gpt-4.1-mini", apiKey: "sk-nova" },
  ]);
  const models = document.querySelectorAll("datalist option");
  expect([...models].map((one) => one.getAttribute("value"))).toContain("gpt-5-nano");
  await userEvent.clear(dialog.getByLabelText("Tokens por dia"));
  await userEvent.type(dialog.getByLabelText("R$ por milhão de tokens escritos"), "2,50");
  await userEvent.click(save);
  expect(await screen.findByText("Agente de IA salvo")).toBeTruthy();
  expect(bodiesOf("POST /api/prompt")).toEqual([
    {
      ...{ name: "Vendas online", prompt: text, queueId: 1, apiKey: "sk-nova" },
      ...{ baseUrl: "https://api.openai.com/v1", model: "gpt-4.1-mini" },
      ...{ voice: "texto", voiceKey: "", voiceRegion: "" },
      ...{ maxTokens: 100, temperature: 0.4, maxMessages: 10 },
      ...{ dayTokens: 0, ticketTokens: 20_000, priceIn: null, priceOut: 2.5 },
      useKnowledge: false,
    },
  ]);
});

test("a stored key is masked, and stays unless another one is typed", async () => {
  const known = given(1, "Trocas e prazos", { usedBy });
  const { bodiesOf } = await open([known], {
    "PUT /api/prompt/1": () => ({ body: known }),
    "POST /api/prompt/check": () => ({ status: 400, body: { error: "ERR_PROMPT_KEY_REFUSED" } }),
  });
  const dialog = await edit("Trocas e prazos");
  const key = dialog.getByLabelText<HTMLInputElement>("Chave");
  expect([key.value, key.readOnly]).toEqual(["••••••••4f2A", true]);
  expect(dialog.getByText("50.000 tokens hoje, 25 %.", { exact: false })).toBeTruthy();
  expect(dialog.getByText("No máximo R$ 1,70", { normalizer: plainSpaces })).toBeTruthy();
  await userEvent.click(dialog.getByRole("button", { name: "Trocar Chave" }));
  expect([key.value, document.activeElement]).toEqual(["", key]);
  await userEvent.type(key, "sk-outra");
  await userEvent.tab();
  expect(await dialog.findByText("O provedor recusou a chave.")).toBeTruthy();
  expect(dialog.getByText("Mudanças não salvas")).toBeTruthy();
  await userEvent.clear(key);
  await userEvent.tab();
  expect(key.value).toBe("••••••••4f2A");
  await userEvent.click(dialog.getByRole("button", { name: "Salvar" }));
  await waitFor(() => expect(bodiesOf("PUT /api/prompt/1")).toHaveLength(1));
  expect(bodiesOf("PUT /api/prompt/1")).toEqual([
    expect.objectContaining({ apiKey: "********4f2A", dayTokens: 200_000, temperature: 0.4 }),
  ]);
});

const plainSpaces = (value: string): string => value.replaceAll(/\s+/g, " ");

test("the trial answers with the text as it stands, says what it cost, and hands over", async () => {
  const figures = { handOver: false, reason: null, tokens: 486, cost: 0.0021, tookMs: 1_430 };
  const said = { ...figures, sources: [{ id: 6, title: "Trocas" }] };
  const replies = [
    { body: { ...said, text: "Posso ver o número do pedido?" } },
    { status: 400, body: { error: "ERR_PROMPT_NO_ANSWER" } },
    { body: { ...said, text: "Vou chamar alguém.", handOver: true, reason: "Pediu uma pessoa" } },
  ];
  const { bodiesOf } = await open([given(1, "Trocas e prazos")], {
    "POST /api/prompt/try": () => replies.shift() ?? "never",
  });
  const dialog = await edit("Trocas e prazos");
  const trial = within(dialog.getByRole("region", { name: "Experimentar" }));
  const customer = trial.getByLabelText("Escreva como cliente");
  await userEvent.type(dialog.getByLabelText("Instruções"), " Seja breve.");
  await userEvent.type(customer, "Como troco?{Enter}");
  expect(await trial.findByText("Posso ver o número do pedido?")).toBeTruthy();
  const source = trial.getByRole("link", { name: "Trocas" });
  expect(source.getAttribute("href")).toBe("/prompts?tab=knowledge&edit=6");
  expect(trial.getByText("1,4 s")).toBeTruthy();
  expect(trial.getByText("486 tokens")).toBeTruthy();
  expect(trial.getByText("R$ 0,0021", { normalizer: plainSpaces })).toBeTruthy();
  expect(bodiesOf("POST /api/prompt/try")[0]).toMatchObject({
    promptId: 1,
    prompt: { prompt: `${text} Seja breve.`, apiKey: "********4f2A" },
    conversation: [{ from: "customer", text: "Como troco?" }],
  });

  expect(trial.queryByText("Instruções mudaram")).toBeNull();
  await userEvent.type(dialog.getByLabelText("Instruções"), " E gentil.");
  expect(trial.getByText("Instruções mudaram")).toBeTruthy();
  await userEvent.type(customer, "Quero uma pessoa{Enter}");
  expect(await trial.findByText("Sem resposta em 30 s.")).toBeTruthy();
  await userEvent.click(trial.getByRole("button", { name: "Tentar de novo" }));
  expect(await trial.findByText("Passaria para Suporte")).toBeTruthy();
  expect(trial.getByText("e responderia: “Vou chamar alguém.”")).toBeTruthy();
  expect(trial.getByText("Motivo: Pediu uma pessoa")).toBeTruthy();
  expect(trial.getAllByText("Instruções mudaram")).toHaveLength(1);
  expect(bodiesOf("POST /api/prompt/try").at(-1)).toMatchObject({
    conversation: [
      { from: "customer", text: "Como troco?" },
      { from: "prompt", text: "Posso ver o número do pedido?" },
      { from: "customer", text: "Quero uma pessoa" },
    ],
  });

  await userEvent.click(trial.getByRole("button", { name: "Recomeçar" }));
  expect(trial.queryByText("Passaria para Suporte")).toBeNull();
  await userEvent.clear(dialog.getByLabelText("Instruções"));
  await userEvent.type(customer, "Oi{Enter}");
  expect(await trial.findByText(/^Falta algo na configuração/)).toBeTruthy();
  expect(bodiesOf("POST /api/prompt/try")).toHaveLength(3);
});

test("an agent in use is not deleted: links lead to where it answers; another one goes", async () => {
  const { server, bodiesOf } = await open([given(1, "Trocas", { usedBy }), given(2, "Antigo")], {
    "DELETE /api/prompt/2": () => {
      server.prompts = [given(1, "Trocas", { usedBy })];
      return { body: { message: "Prompt deleted" } };
    },
  });
  await row("Trocas");
  await userEvent.click(screen.getByRole("button", { name: "Excluir Trocas" }));
  const refusal = within(await screen.findByRole("dialog", { name: "Trocas está em uso" }));
  const links = refusal
    .getAllByRole("link")
    .map((one) => [one.textContent, one.getAttribute("href")]);
  expect(links).toEqual([
    ["Conexão Loja Paulista", "/connections?edit=4"],
    ["Fila Suporte", "/queues?edit=2"],
  ]);
  const [, close] = refusal.getAllByRole("button", { name: "Fechar" });
  if (close) await userEvent.click(close);
  const dialog = await edit("Antigo");
  await userEvent.click(dialog.getByRole("button", { name: "Excluir" }));
  const question = within(await screen.findByRole("dialog", { name: "Excluir Antigo?" }));
  await userEvent.click(question.getByRole("button", { name: "Excluir" }));
  expect(await screen.findByText("Agente de IA excluído")).toBeTruthy();
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(screen.getAllByRole("rowheader")).toHaveLength(1);
  expect(bodiesOf("DELETE /api/prompt/2")).toHaveLength(1);
});

const none = { tokens: 0, answers: 0, sounds: 0 };
const service: AiService = {
  ...{ baseUrl: "https://api.openai.com/v1", model: "gpt-4.1-mini", apiKey: "********4f2A" },
  ...{ transcriptionModel: "whisper-1", helps: true, transcribes: false },
  ...{ dayTokens: 200_000, daySounds: 0, fault: null, faultAt: null },
  usedToday: { tokens: 1_200, answers: 3, sounds: 2 },
  usedThisMonth: { tokens: 45_000, answers: 90, sounds: 41 },
};

test("the tab of the team's help has the service: its use, its switches, its budgets", async () => {
  const stored = { ...service };
  const { bodiesOf } = await open([], {
    "GET /api/aiService": () => ({ body: stored }),
    "PUT /api/aiService": ({ body }) => ({ body: Object.assign(stored, body) }),
  });
  await userEvent.click(await screen.findByRole("link", { name: "Ajuda da equipe" }));
  expect(await screen.findByText("Tokens: 1.200, respostas: 3, áudios: 2")).toBeTruthy();
  expect(screen.getByText("Tokens: 45.000, respostas: 90, áudios: 41")).toBeTruthy();
  expect(screen.getByRole("link", { current: "page" }).textContent).toBe("Ajuda da equipe");
  await userEvent.click(screen.getByRole("switch", { name: /^Transcrever áudios dos clientes/ }));
  await userEvent.type(screen.getByRole("textbox", { name: "Áudios por dia" }), "1x");
  await userEvent.click(screen.getByRole("button", { name: "Salvar" }));
  expect(await screen.findByText("De 0 a 100.000")).toBeTruthy();
  await userEvent.type(screen.getByRole("textbox", { name: "Áudios por dia" }), "{Backspace}50");
  await userEvent.click(screen.getByRole("button", { name: "Salvar" }));
  await waitFor(() =>
    expect(bodiesOf("PUT /api/aiService")).toEqual([
      {
        ...{ baseUrl: service.baseUrl, model: service.model, apiKey: service.apiKey },
        ...{ transcriptionModel: "whisper-1", helps: true, transcribes: true },
        ...{ dayTokens: 200_000, daySounds: 150 },
      },
    ]),
  );
});

test("a fault of the team's service says what it means; the service can be removed", async () => {
  const stored: AiService = { ...service, fault: "key", faultAt: at };
  const { bodiesOf } = await open([], {
    "GET /api/aiService": () => ({ body: stored }),
    "PUT /api/aiService": () => ({
      body: Object.assign(stored, { apiKey: "", fault: null, faultAt: null, usedToday: none }),
    }),
  });
  await userEvent.click(await screen.findByRole("link", { name: "Ajuda da equipe" }));
  const strip = await screen.findByText(/^Chave recusada na OpenAI desde/);
  expect(strip.closest("[role=status]")?.textContent).toContain("A equipe está sem ajuda");
  await userEvent.click(screen.getByRole("button", { name: "Remover o serviço" }));
  const question = within(await screen.findByRole("dialog"));
  await userEvent.click(question.getByRole("button", { name: "Remover o serviço" }));
  await waitFor(() => expect(screen.queryByText(/^Chave recusada/)).toBeNull());
  expect(bodiesOf("PUT /api/aiService")).toEqual([{ apiKey: "" }]);
  expect(screen.queryByRole("button", { name: "Remover o serviço" })).toBeNull();
});
