import type { Delivery, Integration } from "@balcao/contract";
import { delivery, integration, shownDelivery } from "@balcao/contract";
import { companyEvent } from "@balcao/contract/event-names";
import type { PlanFlag } from "@balcao/contract/permissions";
import { planFlags } from "@balcao/contract/permissions";
import { act, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { Suspense } from "react";
import { expect, test, vi } from "vitest";
import { currentSession, startSession } from "../../api/session-store.ts";
import { Router } from "../../router/index.tsx";
import { fakeServer } from "../../testing/fake-server.ts";
import { givenToken, givenUser } from "../../testing/given.ts";
import { memorySteps } from "../../testing/memory-steps.ts";
import { sockets } from "../../testing/sockets.ts";
import { LiveSession } from "../auth/index.ts";
import { renderOnCache } from "../messages/testing/render-feature.tsx";
import { QueueIntegrationPage } from "./queue-integration-page.tsx";

vi.mock("../../realtime/socket.ts", () => import("../../testing/sockets.ts"));

const at = "2026-11-19T13:12:04.000Z";
const minutesAgo = (minutes: number): string =>
  new Date(Date.now() - minutes * 60_000 - 1_000).toISOString();
const nowhere = { connections: [], queues: [] };

const given = (id: number, fields: Partial<Integration> = {}): Integration =>
  integration.parse({
    ...{ id, companyId: 3, type: "webhook", name: `Sistema ${id}`, projectName: "", language: "" },
    ...{ jsonContent: "", urlN8N: "https://logistica.example/balcao", typebotSlug: "" },
    ...{ typebotExpires: 0, typebotKeywordFinish: "", typebotUnknownMessage: "" },
    ...{ typebotDelayMessage: 1_000, typebotKeywordRestart: "", typebotRestartMessage: "" },
    ...{ usedBy: nowhere, lastDelivery: null, failingSince: null, delivered: 0, sent: 0 },
    ...{ stoppedAt: null, createdAt: at, updatedAt: at, ...fields },
  });

const sent = (id: number, fields: Partial<Delivery> = {}): Delivery =>
  delivery.parse({
    ...{ id, integrationId: 2, integrationName: "Painel da logística", ticketId: 4_800 + id },
    ...{ kind: "message.received", state: "failed", tries: 3, status: 500, fault: null },
    ...{ tookMs: 412, createdAt: at, triedAt: at, ...fields },
  });

const erp = given(1, {
  type: "n8n",
  name: "Pedidos no ERP",
  usedBy: { connections: [{ id: 8, name: "Loja Paulista" }], queues: [] },
  lastDelivery: { at: minutesAgo(2), state: "delivered", status: 200, fault: null },
  ...{ delivered: 318, sent: 318 },
});
const panel = given(2, {
  name: "Painel da logística",
  usedBy: { connections: [], queues: [{ id: 5, name: "Suporte", color: "#3b82c4" }] },
  lastDelivery: { at: minutesAgo(1), state: "failed", status: null, fault: "no-answer" },
  failingSince: minutesAgo(14),
  ...{ delivered: 41, sent: 54 },
});
const rows = [sent(9, { status: null, fault: "no-answer", tookMs: 10_000 }), sent(8), sent(7)];

const detailOf = (one: Delivery, fields: object = {}) =>
  shownDelivery.parse({
    ...one,
    ...{ method: "POST", url: "https://logistica.example/balcao", answer: "" },
    requestHeaders: { "x-ticket-id": String(one.ticketId), "webhook-signature": "v1,••••" },
    request: '{"text":"Conseguem me responder ainda hoje?","fromMe":false}',
    nextTryAt: null,
    ...fields,
  });

const plan = Object.fromEntries(planFlags.map((flag) => [flag, true])) as Record<PlanFlag, boolean>;

type Handlers = Parameters<typeof fakeServer>[0];

async function open(
  list: Integration[],
  { log = rows, more = {}, path = "" }: { log?: Delivery[]; more?: Handlers; path?: string } = {},
) {
  const { requests } = fakeServer({
    "GET /api/queueIntegration": () => ({
      body: { queueIntegrations: list, count: list.length, hasMore: false },
    }),
    "GET /api/integration-deliveries": () => ({
      body: { deliveries: log, hasMore: false, failed: log.length },
    }),
    ...Object.fromEntries(
      log.map((one) => [
        `GET /api/integration-deliveries/${one.id}`,
        () => ({ body: detailOf(one) }),
      ]),
    ),
    "POST /api/integration-deliveries/again": ({ body }) => ({
      body: { again: (body as { deliveryIds: number[] }).deliveryIds.length },
    }),
    ...more,
  });
  startSession(givenToken("t", 3_600), givenUser({ company: { plan } }));
  const session = currentSession();
  if (!session) throw new Error("nobody is signed in");
  const steps = memorySteps(`/queue-integration${path}`);
  renderOnCache(
    <>
      <LiveSession session={session} />
      <Router steps={steps}>
        <Suspense fallback={null}>
          <QueueIntegrationPage />
        </Suspense>
      </Router>
    </>,
  );
  await waitFor(() => expect(sockets).toHaveLength(1));
  act(() => sockets[0]?.receive("ready"));
  return {
    address: () => steps.current().search,
    calls: (start: string) => requests.filter(({ call }) => call.startsWith(start)),
    bodies: (call: string) => requests.filter((one) => one.call === call).map(({ body }) => body),
  };
}

const rowOf = async (name: string) =>
  within(await screen.findByRole("row", { name: new RegExp(name) }));
const log = () => screen.findByRole("listbox", { name: "Últimas entregas" });
const option = (number: number) =>
  screen.getByRole("option", { name: new RegExp(`atendimento nº ${number}`) });

test("the table says where each is used and how its last delivery ended", async () => {
  await open([erp, panel, given(3, { type: "dialogflow", name: "Dúvidas" })]);
  const cells = async (name: string) =>
    (await rowOf(name)).getAllByRole("cell").map(({ textContent }) => textContent);
  expect((await cells("Pedidos no ERP")).slice(0, 3)).toEqual([
    "Conexão Loja Paulista",
    "há 2 min",
    "318 de 318",
  ]);
  expect((await cells("Painel da logística")).slice(0, 3)).toEqual([
    " Suporte",
    "Sem resposta há 14 min",
    "41 de 54",
  ]);
  expect((await cells("Dúvidas")).slice(0, 3)).toEqual([
    "Em nenhuma fila ou conexão",
    "Nunca",
    expect.stringMatching(/^–/),
  ]);
});

test.for([
  [{ isOk: true, status: 200, fault: null }, "Teste: 200 em 0,3 s"],
  [{ isOk: false, status: 502, fault: null }, "Teste: 502 em 0,3 s"],
  [{ isOk: false, status: null, fault: "refused-address" }, "Teste: Endereço recusado"],
  [{ isOk: true, status: 200, fault: null, messages: ["Olá!"] }, "Teste: “Olá!”"],
] as const)("a test answers inside the row: %o", async ([answer, words]) => {
  const body = { tookMs: 312, messages: [], ...answer };
  await open([panel], { more: { "POST /api/queueIntegration/2/test": () => ({ body }) } });
  const row = await rowOf("Painel da logística");
  await userEvent.click(row.getByRole("button", { name: "Testar Painel da logística" }));
  expect(await row.findByText(words)).toBeTruthy();
  await userEvent.click(row.getByRole("button", { name: "Fechar o resultado do teste" }));
  expect(row.getByText("Sem resposta há 14 min")).toBeTruthy();
});

test("a stopped one is resumed from its row", async () => {
  const stopped = { ...panel, stoppedAt: minutesAgo(5) };
  const { calls } = await open([stopped], {
    more: { "POST /api/queueIntegration/2/resume": () => ({ body: panel }) },
  });
  const row = await rowOf("Painel da logística");
  expect(row.getByText("Parada")).toBeTruthy();
  await userEvent.click(row.getByRole("button", { name: "Retomar Painel da logística" }));
  expect(await screen.findByText(/será entregue em ordem/)).toBeTruthy();
  expect(calls("POST /api/queueIntegration/2/resume")).toHaveLength(1);
});

test("a row, the failures and a number narrow the log; they stand in the address", async () => {
  const { address, calls } = await open([erp, panel]);
  const choose = (await rowOf("Painel da logística")).getByRole("button", { pressed: false });
  await userEvent.click(choose);
  await userEvent.click(screen.getByRole("button", { name: /^Com falha/ }));
  await userEvent.type(screen.getByRole("searchbox", { name: "Nº do atendimento" }), "nº 4809");
  await waitFor(() => expect(address()).toBe("?integration=2&failed&ticket=4809"));
  await waitFor(() =>
    expect(calls("GET /api/integration-deliveries?").at(-1)?.call).toBe(
      "GET /api/integration-deliveries?integrationId=2&ticketId=4809&state=failed",
    ),
  );
  expect(choose.getAttribute("aria-pressed")).toBe("true");
  await userEvent.click(
    screen.getByRole("button", { name: "Remover o filtro Painel da logística" }),
  );
  await waitFor(() => expect(address()).toBe("?failed&ticket=4809"));
});

test("↑ ↓ move the detail; Shift and Space mark rows, which are sent again together", async () => {
  const waiting = sent(6, { state: "waiting", tries: 1 });
  const { address, bodies } = await open([panel], { log: [...rows, waiting] });
  (await log()).focus();
  await userEvent.keyboard("{ArrowDown}");
  expect(address()).toBe("?delivery=8");
  expect(await screen.findByText("Respondeu com o erro 500.")).toBeTruthy();
  await userEvent.keyboard("{ArrowUp}");
  expect(await screen.findByText("Sem resposta em 10 s.")).toBeTruthy();
  await userEvent.keyboard("{Shift>}{ArrowDown}{/Shift}{ArrowDown}{ArrowDown} ");
  expect(screen.getByRole("heading", { name: "3 selecionadas" })).toBeTruthy();
  expect(screen.getAllByRole("option").map((one) => one.getAttribute("aria-selected"))).toEqual([
    "true",
    "true",
    "false",
    "true",
  ]);
  // The waiting one is sent anyway.
  await userEvent.click(screen.getByRole("button", { name: "Enviar 2 de novo" }));
  expect(await screen.findByText("2 entregas voltaram para a fila")).toBeTruthy();
  expect(bodies("POST /api/integration-deliveries/again")).toEqual([{ deliveryIds: [9, 8] }]);
  expect(await screen.findByRole("heading", { name: "Últimas entregas" })).toBeTruthy();
});

test("the detail shows request, answer and signature; one that runs is not sent again", async () => {
  const waiting = sent(9, { state: "waiting", tries: 1 });
  const { calls } = await open([panel], {
    log: [waiting, sent(8)],
    path: "?delivery=8",
    more: {
      "GET /api/integration-deliveries/8": () => ({
        body: detailOf(sent(8), { answer: '{"error":"sem estoque"}' }),
      }),
      "GET /api/queueIntegration/2/secret": () => ({ body: { secret: "segredo-antigo" } }),
      "POST /api/queueIntegration/2/secret": () => ({ body: { secret: "segredo-novo" } }),
    },
  });
  const request = await screen.findByRole("region", { name: "Pedido" });
  expect(request.textContent).toBe(
    'POST https://logistica.example/balcao\nx-ticket-id: 4808\nwebhook-signature: v1,••••\n\n{\n  "text": "Conseguem me responder ainda hoje?",\n  "fromMe": false\n}',
  );
  await userEvent.click(screen.getByRole("tab", { name: "Resposta" }));
  expect((await screen.findByRole("region", { name: "Resposta" })).textContent).toContain(
    '"error": "sem estoque"',
  );
  await userEvent.click(screen.getByRole("tab", { name: "Assinatura" }));
  expect(calls("GET /api/queueIntegration/2/secret")).toHaveLength(0);
  await userEvent.click(await screen.findByRole("button", { name: "Mostrar o segredo" }));
  expect(await screen.findByText("segredo-antigo")).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: "Novo segredo" }));
  const question = within(await screen.findByRole("dialog", { name: "Criar um novo segredo?" }));
  await userEvent.click(question.getByRole("button", { name: "Novo segredo" }));
  expect(await screen.findByText("segredo-novo")).toBeTruthy();
  expect(screen.getByText(/ainda assina por um dia/)).toBeTruthy();

  await userEvent.click(option(4_809));
  expect(await screen.findByText(/Espera a vez na fila/)).toBeTruthy();
  expect(screen.getByRole("button", { name: "Enviar de novo" })).toHaveProperty("disabled", true);
});

test("a longer log offers the newest instead of moving; a short one follows each event", async () => {
  const ids = (from: number) => Array.from({ length: 2 }, (_, index) => sent(from - index));
  const known: number[] = [];
  await open([panel], {
    more: {
      "GET /api/integration-deliveries": ({ call }) => {
        const before = Number(new URL(call.slice(4), "http://x").searchParams.get("before")) || 101;
        known.push(before);
        return { body: { deliveries: ids(before - 1), hasMore: before > 95, failed: 1 } };
      },
    },
  });
  const list = await log();
  const event = () =>
    act(() => sockets[0]?.receive(companyEvent(3, "integrationDelivery"), { action: "update" }));
  await waitFor(() => expect(known.length).toBeGreaterThan(0));
  list.focus();
  known.length = 0;
  event();
  await waitFor(() => expect(known.length).toBeGreaterThan(0));
  // The end of the list reads on until it has four pages.
  await userEvent.keyboard("{End}{ArrowDown}");
  await waitFor(() => expect(screen.getAllByRole("option").length).toBeGreaterThanOrEqual(4));
  await userEvent.keyboard("{End}{ArrowDown}");
  await waitFor(() => expect(screen.getAllByRole("option").length).toBeGreaterThanOrEqual(6));
  await userEvent.keyboard("{End}{ArrowDown}");
  await waitFor(() => expect(screen.getAllByRole("option").length).toBeGreaterThanOrEqual(8));
  known.length = 0;
  event();
  await userEvent.click(await screen.findByRole("button", { name: "Mostrar as mais novas" }));
  await waitFor(() => expect(screen.getAllByRole("option")).toHaveLength(2));
  expect(known).toEqual([101]);
});

test("a new one begins with its type; the server's refusal stands at its field", async () => {
  const { bodies } = await open([], {
    more: {
      "POST /api/queueIntegration": () => ({
        status: 400,
        body: { error: "…", code: "ERR_INTEGRATION_NAME_EXISTS" },
      }),
    },
  });
  await userEvent.click((await screen.findAllByRole("button", { name: "Adicionar" }))[0]!);
  const dialog = within(await screen.findByRole("dialog", { name: "Nova integração" }));
  expect(
    dialog
      .getAllByRole("button")
      .slice(-4)
      .map(({ textContent }) => textContent),
  ).toEqual([
    expect.stringMatching(/^n8n/),
    expect.stringMatching(/^Webhook/),
    expect.stringMatching(/^Typebot/),
    expect.stringMatching(/^Dialogflow/),
  ]);
  await userEvent.click(dialog.getByRole("button", { name: /^Typebot/ }));
  const form = within(await screen.findByRole("dialog", { name: "Nova integração: Typebot" }));
  await userEvent.type(form.getByLabelText("Nome"), "Catálogo");
  await userEvent.type(form.getByLabelText("Endereço do Typebot"), "typebot.io");
  await userEvent.click(form.getByRole("button", { name: "Salvar" }));
  expect(await form.findByText("Use um endereço que comece com https:// ou http://")).toBeTruthy();
  expect(form.getByText("Informe o nome público do fluxo")).toBeTruthy();
  await userEvent.clear(form.getByLabelText("Endereço do Typebot"));
  await userEvent.type(form.getByLabelText("Endereço do Typebot"), "https://typebot.io");
  await userEvent.type(form.getByLabelText("Nome público do fluxo"), "verao");
  await userEvent.type(form.getByLabelText("Palavra que encerra"), " sair ");
  await userEvent.click(form.getByRole("button", { name: "Salvar" }));
  expect(await form.findByText("Já existe uma integração com este nome")).toBeTruthy();
  expect(bodies("POST /api/queueIntegration")).toEqual([
    {
      ...{ type: "typebot", name: "Catálogo", urlN8N: "https://typebot.io", typebotSlug: "verao" },
      ...{ typebotExpires: 0, typebotDelayMessage: 1_000, typebotKeywordFinish: "sair" },
      ...{ typebotKeywordRestart: "", typebotUnknownMessage: "", typebotRestartMessage: "" },
    },
  ]);
});

test("Dialogflow keeps its key, is asked with what is in the form, and takes only a key", async () => {
  const agent = given(4, {
    ...{ type: "dialogflow", name: "Dúvidas", projectName: "loja-123", language: "pt-BR" },
    jsonContent: "bot@loja-123.iam.gserviceaccount.com",
  });
  const { bodies } = await open([agent], {
    path: "?edit=4",
    more: {
      "POST /api/queueIntegration/testSession": () => ({ body: { messages: ["Olá! Sou a Lia."] } }),
      "PUT /api/queueIntegration/4": () => ({ status: 201, body: agent }),
    },
  });
  const form = within(await screen.findByRole("dialog", { name: "Editar Dúvidas" }));
  expect(form.getByText("bot@loja-123.iam.gserviceaccount.com")).toBeTruthy();
  await userEvent.clear(form.getByLabelText("Idioma"));
  await userEvent.type(form.getByLabelText("Idioma"), "es");
  await userEvent.click(form.getByRole("button", { name: "Perguntar “Ola” ao agente" }));
  expect(await form.findByText("“Olá! Sou a Lia.”")).toBeTruthy();
  expect(bodies("POST /api/queueIntegration/testSession")).toEqual([
    { projectName: "loja-123", language: "es", jsonContent: "", integrationId: 4 },
  ]);
  await userEvent.click(form.getByRole("button", { name: "Trocar" }));
  await userEvent.type(form.getByLabelText("Chave da conta de serviço"), "senha");
  await userEvent.click(form.getByRole("button", { name: "Salvar" }));
  expect(await form.findByText(/Esta não é a chave JSON/)).toBeTruthy();
  await userEvent.clear(form.getByLabelText("Chave da conta de serviço"));
  await userEvent.click(form.getByRole("button", { name: "Salvar" }));
  expect(await screen.findByText("Integração salva")).toBeTruthy();
  expect(bodies("PUT /api/queueIntegration/4")).toEqual([
    {
      type: "dialogflow",
      name: "Dúvidas",
      projectName: "loja-123",
      language: "es",
      jsonContent: "",
    },
  ]);
});

test("one that is used is not deleted: it says where, with links; another one is", async () => {
  const { calls } = await open([panel, given(3, { name: "Antiga" })], {
    more: { "DELETE /api/queueIntegration/3": () => ({ status: 204 }) },
  });
  await userEvent.click(await screen.findByRole("button", { name: "Excluir Painel da logística" }));
  const refusal = within(
    await screen.findByRole("dialog", { name: "Painel da logística está em uso" }),
  );
  expect(refusal.getByRole("link", { name: "Fila Suporte" }).getAttribute("href")).toBe(
    "/queues?edit=5",
  );
  await userEvent.click(refusal.getAllByRole("button", { name: "Fechar" })[0]!);
  await userEvent.click(await screen.findByRole("button", { name: "Excluir Antiga" }));
  const question = within(await screen.findByRole("dialog", { name: "Excluir Antiga?" }));
  await userEvent.click(question.getByRole("button", { name: "Excluir" }));
  expect(await screen.findByText("Integração excluída")).toBeTruthy();
  expect(calls("DELETE").map(({ call }) => call)).toEqual(["DELETE /api/queueIntegration/3"]);
});

test("under 1024 px the detail is over the page, and Back closes it", async () => {
  vi.spyOn(window, "matchMedia").mockImplementation(
    (media) =>
      // The parts that are used.
      ({ matches: false, media, addEventListener() {}, removeEventListener() {} }) as never,
  );
  const { address } = await open([panel]);
  await log();
  await userEvent.click(option(4_809));
  const over = within(await screen.findByRole("dialog", { name: "Entrega" }));
  expect(await over.findByText("Sem resposta em 10 s.")).toBeTruthy();
  expect(address()).toBe("?delivery=9");
  await userEvent.click(over.getByRole("button", { name: "Fechar" }));
  await waitFor(() => expect(address()).toBe(""));
  vi.restoreAllMocks();
});
