import { apiCall, apiToken } from "@balcao/contract";
import type { ApiCall, ApiToken } from "@balcao/contract";
import { screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { Suspense } from "react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { endSession, startSession } from "../../api/session-store.ts";
import { Router } from "../../router/index.tsx";
import { fakeServer } from "../../testing/fake-server.ts";
import { givenToken, givenUser } from "../../testing/given.ts";
import { memorySteps } from "../../testing/memory-steps.ts";
import { renderOnCache } from "../messages/testing/render-feature.tsx";
import { givenConnection } from "../tickets/testing/given-choices.ts";
import { MessagesApiPage } from "./messages-api-page.tsx";

const daysAgo = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString();

const given = (id: number, fields: Partial<ApiToken> = {}): ApiToken =>
  apiToken.parse({
    ...{ id, name: `Token ${id}`, kind: "company", user: null, end: "9Q2f" },
    ...{ scopes: ["messages:send"], lastUsedAt: null, lastUsedFrom: null, createdBy: null },
    ...{ createdAt: daysAgo(1), ...fields },
  });

const shop = given(1, {
  name: "Loja virtual",
  scopes: ["messages:send", "contacts:read", "contacts:write", "tags:read"],
  lastUsedAt: daysAgo(100),
  lastUsedFrom: "177.71.9.14",
});
const sheet = given(2, { name: "Planilha", kind: "user", end: "k7Tn" });
const legacy = { connectionId: 8, name: "Loja Paulista", end: "a41c", lastUsedAt: null };
const connection = givenConnection(8, "Loja Paulista", {
  status: "CONNECTED",
  token: "segredo-a41c",
});

type Handlers = Parameters<typeof fakeServer>[0];

function open(tokens: ApiToken[], more: Handlers = {}, path = "") {
  const { requests } = fakeServer({
    "GET /api/api-tokens": () => ({
      body: { tokens, connections: tokens.length === 0 ? [] : [legacy] },
    }),
    "GET /api/whatsapp": () => ({ body: [connection] }),
    ...more,
  });
  const steps = memorySteps(`/messages-api${path}`);
  renderOnCache(
    <Router steps={steps}>
      <Suspense fallback={null}>
        <MessagesApiPage />
      </Suspense>
    </Router>,
  );
  return {
    address: () => steps.current().search,
    callsTo: (call: string) => requests.filter((one) => one.call.startsWith(call)),
  };
}

const copied: string[] = [];

beforeEach(() => {
  copied.length = 0;
  startSession(givenToken("t", 3_600), givenUser());
});
afterEach(() => endSession("logout"));

/** After `userEvent`, which puts a clipboard of its own there. */
function noteCopies(): void {
  vi.spyOn(navigator.clipboard, "writeText").mockImplementation((text) => {
    copied.push(text);
    return Promise.resolve();
  });
}

test("the table shows what tokens may do and when they were used; connections stand as legacy", async () => {
  open([shop, sheet]);
  const cells = async (name: RegExp) =>
    within(await screen.findByRole("row", { name }))
      .getAllByRole("cell")
      .map(({ textContent }) => textContent);
  expect((await cells(/Loja virtual/)).slice(0, 3)).toEqual([
    "blc_live_…9Q2f",
    "messages:sendcontacts:read+2",
    "há 100 dias, 177.71.9.14",
  ]);
  expect((await cells(/Planilha/)).slice(0, 3)).toEqual([
    "blc_user_…k7Tn",
    "messages:send",
    "nunca usado",
  ]);
  expect((await cells(/Conexão Loja Paulista/)).slice(0, 3)).toEqual([
    "…a41c",
    "/api/messages/send",
    "sem uso em 30 dias",
  ]);
  const link = screen.getByRole("link", { name: "Ver conexão Loja Paulista" });
  expect(link.getAttribute("href")).toBe("/connections?edit=8");
});

test("a token is made with its permissions, shown once, tried and revoked", async () => {
  const tokens: ApiToken[] = [];
  const { callsTo } = open(tokens, {
    "POST /api/api-tokens": () => {
      tokens.push(sheet);
      return { status: 201, body: { ...sheet, token: "blc_user_inteiro-k7Tn" } };
    },
    "POST /api/v1/messages": () => ({ status: 201, body: { messageIds: [5], ticketId: 4827 } }),
    "DELETE /api/api-tokens/2": () => ({ body: { message: "ok" } }),
  });
  expect(await screen.findByText("Nenhum token ainda", { selector: "p" })).toBeTruthy();
  await userEvent.click(screen.getAllByRole("button", { name: "Criar token" })[0]!);
  const form = within(await screen.findByRole("dialog", { name: "Novo token" }));
  await userEvent.type(form.getByLabelText("Nome"), "Planilha");
  await userEvent.click(form.getByRole("radio", { name: "Pessoal" }));
  const messages = within(form.getByRole("group", { name: "Mensagens" }));
  await userEvent.click(messages.getByRole("checkbox", { name: "Enviar" }));
  await userEvent.click(form.getByRole("button", { name: "Criar token" }));
  expect(await form.findByText("Escolha pelo menos uma permissão")).toBeTruthy();
  await userEvent.click(messages.getByRole("checkbox", { name: "Enviar" }));
  await userEvent.click(form.getByRole("button", { name: "Criar token" }));
  const made = within(await screen.findByRole("dialog", { name: "Token de Planilha" }));
  expect(callsTo("POST /api/api-tokens")[0]?.body).toEqual({
    ...{ name: "Planilha", kind: "user", scopes: ["messages:send"] },
  });
  expect(made.getByText("blc_user_inteiro-k7Tn")).toBeTruthy();
  await userEvent.click(made.getByRole("button", { name: "Já guardei" }));
  await waitFor(() => expect(screen.queryByText("blc_user_inteiro-k7Tn")).toBeNull());

  // The code follows what is typed, masks the token, and is copied whole.
  await screen.findByRole("row", { name: /Planilha/ });
  await userEvent.type(screen.getByLabelText("Número"), "+55 11 98456-2210");
  await userEvent.type(screen.getByLabelText("Mensagem"), "Saiu para entrega.");
  const code = screen.getByRole("region", { name: "Código" });
  expect(code.textContent).toMatch(
    /Bearer blc_user_…k7Tn[\s\S]*"number": "5511984562210"[\s\S]*"body": "Saiu para entrega\."/,
  );
  noteCopies();
  await userEvent.click(screen.getByRole("button", { name: "Copiar o código" }));
  await waitFor(() => expect(copied.join()).toContain("Bearer blc_user_inteiro-k7Tn"));

  await userEvent.click(screen.getByRole("button", { name: "Enviar" }));
  expect(await screen.findByText("201")).toBeTruthy();
  expect(screen.getByText(/4827/)).toBeTruthy();
  const [sent] = callsTo("POST /api/v1/messages");
  expect(sent?.authorization).toBe("Bearer blc_user_inteiro-k7Tn");
  expect(sent?.body).toEqual({ number: "5511984562210", body: "Saiu para entrega." });

  await userEvent.click(screen.getByRole("button", { name: "Revogar Planilha" }));
  const question = within(await screen.findByRole("dialog", { name: "Revogar Planilha?" }));
  expect(question.getByText(/Último uso: nunca usado/)).toBeTruthy();
  await userEvent.click(question.getByRole("button", { name: "Revogar" }));
  expect(await screen.findByText("Planilha não vale mais")).toBeTruthy();
  expect(callsTo("DELETE")).toHaveLength(1);
});

test("an older token is pasted to be tried; a refusal says what to do, a fault its request", async () => {
  const answers = [
    { status: 403, body: { error: "ERR_API_SCOPE", code: "ERR_API_SCOPE" } },
    { status: 500, body: { error: "ERR_INTERNAL", code: "ERR_INTERNAL" } },
  ];
  const { callsTo } = open([shop], { "POST /api/v1/messages": () => answers.shift()! });
  const whole = await screen.findByLabelText("Token inteiro");
  await userEvent.type(screen.getByLabelText("Número"), "5511984562210");
  await userEvent.type(screen.getByLabelText("Mensagem"), "Oi");
  const send = screen.getByRole("button", { name: "Enviar" });
  expect(send).toHaveProperty("disabled", true);
  expect(screen.getByText(/traz SEU_TOKEN no lugar do token/)).toBeTruthy();
  await userEvent.type(whole, "blc_live_outro");
  expect(screen.getByText("Este não é o token que termina em 9Q2f")).toBeTruthy();
  await userEvent.clear(whole);
  await userEvent.type(whole, "blc_live_meu-9Q2f");
  await waitFor(() => expect(screen.queryByLabelText("Token inteiro")).toBeNull());
  const key = () =>
    /Idempotency-Key: ([\w-]+)/.exec(
      screen.getByRole("region", { name: "Código" }).textContent,
    )?.[1];
  const first = key();
  await userEvent.click(send);
  expect(await screen.findByText("403")).toBeTruthy();
  const second = key();
  expect(second).not.toBe(first);
  await userEvent.click(send);
  expect(await screen.findByText("500")).toBeTruthy();
  // Whether the message went out is unclear: its repetition must not send it twice.
  expect(key()).toBe(second);
  expect(screen.getByText(/Erro interno do sistema/)).toBeTruthy();
  expect(callsTo("POST /api/v1/messages").map((one) => one.authorization)).toEqual([
    "Bearer blc_live_meu-9Q2f",
    "Bearer blc_live_meu-9Q2f",
  ]);
});

test("the token of a connection makes its one call; without a connected number there is nothing to send", async () => {
  const { callsTo } = open([shop], {
    "POST /api/messages/send": () => ({ body: { mensagem: "Mensagem enviada" } }),
  });
  await screen.findByRole("row", { name: /Loja virtual/ });
  await userEvent.selectOptions(screen.getByLabelText("Token"), "Conexão Loja Paulista");
  expect(screen.getByLabelText("Chamada")).toHaveProperty("value", "legacy");
  await userEvent.type(screen.getByLabelText("Número"), "5511984562210");
  await userEvent.type(screen.getByLabelText("Mensagem"), "Oi");
  await userEvent.click(screen.getByRole("button", { name: "Enviar" }));
  expect(await screen.findByText("200")).toBeTruthy();
  const [sent] = callsTo("POST /api/messages/send");
  expect(sent?.authorization).toBe("Bearer segredo-a41c");
  expect(sent?.body).toMatchObject({ number: "5511984562210", body: "Oi" });
});

test("without a connected number a link leads to the connections", async () => {
  open([shop], {
    "GET /api/whatsapp": () => ({ body: [{ ...connection, status: "DISCONNECTED" }] }),
  });
  const link = await screen.findByRole("link", { name: "Conecte um número" });
  expect(link.getAttribute("href")).toBe("/connections");
  expect(screen.queryByRole("button", { name: "Enviar" })).toBeNull();
});

const call = (id: number, fields: Partial<ApiCall> = {}): ApiCall =>
  apiCall.parse({
    ...{ id, tokenId: 1, connectionId: null, tokenName: "Loja virtual", call: "POST /v1/messages" },
    ...{ status: 201, tookMs: 184, code: null, requestId: `r-${id}` },
    ...{ createdAt: new Date().toISOString(), ...fields },
  });

test("the log is narrowed by token and failures, which stand in the address", async () => {
  const { address, callsTo } = open(
    [shop],
    {
      "GET /api/api-calls": () => ({
        body: { calls: [call(9, { status: 403, code: "ERR_API_SCOPE" }), call(8)], hasMore: false },
      }),
    },
    "?tab=calls",
  );
  const row = await screen.findByRole("row", { name: /ERR_API_SCOPE/ });
  expect(within(row).getByText("403")).toBeTruthy();
  await screen.findByRole("option", { name: "Conexão Loja Paulista" });
  await userEvent.selectOptions(screen.getByLabelText("Token"), "Conexão Loja Paulista");
  await userEvent.click(screen.getByRole("button", { name: "Com falha" }));
  await waitFor(() =>
    expect(callsTo("GET /api/api-calls").at(-1)?.call).toBe(
      "GET /api/api-calls?connectionId=8&failed=true",
    ),
  );
  expect(address()).toBe("?tab=calls&token=connection+8&failed");
});

test("the reference shows each call with the user's own token in its example", async () => {
  const document = {
    paths: {
      "/api/v1/queues": { get: { summary: "The company's queues", responses: { "200": {} } } },
    },
  };
  open([shop], { "GET /api/v1/openapi.json": () => ({ body: document }) }, "?tab=reference");
  await userEvent.click(await screen.findByText("/api/v1/queues"));
  const code = await screen.findByRole("region", { name: "Código" });
  expect(code.textContent).toContain("Authorization: Bearer blc_live_…9Q2f");
  expect(code.textContent).toContain("/api/v1/queues'");
});

test("the MCP server is shown with its address, a configuration with the token, and what each tool needs", async () => {
  open([shop]);
  await screen.findByRole("row", { name: /Loja virtual/ });
  await userEvent.click(screen.getByRole("button", { name: "Servidor MCP" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Servidor MCP" }));
  const code = dialog.getByRole("region", { name: "Configuração do assistente" });
  expect(JSON.parse(code.textContent)).toEqual({
    mcpServers: {
      balcao: {
        ...{ type: "http", url: `${location.origin}/api/mcp` },
        headers: { Authorization: "Bearer blc_live_…9Q2f" },
      },
    },
  });
  const tools = dialog.getAllByRole("listitem").map((item) => item.textContent);
  expect(tools).toHaveLength(8);
  expect(tools.find((text) => text.startsWith("read_conversation"))).toContain(
    "tickets:readmessages:read",
  );
  noteCopies();
  await userEvent.click(dialog.getByRole("button", { name: "Copiar a configuração" }));
  await waitFor(() => expect(copied.join()).toContain("Bearer SEU_TOKEN"));
});
