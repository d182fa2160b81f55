import type { Webhook, WebhookDelivery } from "@balcao/contract";
import { shownWebhookDelivery, webhook, webhookDelivery } from "@balcao/contract";
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
import { MessagesApiPage } from "./messages-api-page.tsx";

vi.mock("../../realtime/socket.ts", () => import("../../testing/sockets.ts"));

const at = "2026-11-19T13:12:04.000Z";
const minutesAgo = (minutes: number): string =>
  new Date(Date.now() - minutes * 60_000 - 1_000).toISOString();

const given = (id: number, fields: Partial<Webhook> = {}): Webhook =>
  webhook.parse({
    ...{ id, name: `Sistema ${id}`, url: `https://sistema-${id}.example/eventos` },
    ...{ events: ["message.received"], failingSince: null, stoppedAt: null },
    ...{ createdAt: at, updatedAt: at, ...fields },
  });

const erp = given(1, { name: "ERP", events: ["message.received", "ticket.changed"] });
const panel = given(2, { name: "Painel", failingSince: minutesAgo(14) });
const old = given(3, { name: "Antigo", failingSince: minutesAgo(90), stoppedAt: minutesAgo(30) });

const sent = (id: number, fields: Partial<WebhookDelivery> = {}): WebhookDelivery =>
  webhookDelivery.parse({
    ...{ id, webhookId: 2, webhookName: "Painel", ticketId: 4_800 + id, kind: "ticket.changed" },
    ...{ state: "failed", tries: 3, status: 500, fault: null, tookMs: 412 },
    ...{ createdAt: at, triedAt: at, ...fields },
  });

const plan = Object.fromEntries(planFlags.map((flag) => [flag, true])) as Record<PlanFlag, boolean>;

type Handlers = Parameters<typeof fakeServer>[0];

async function open(list: Webhook[], more: Handlers = {}, path = "") {
  const { requests } = fakeServer({
    "GET /api/webhooks": () => ({ body: { webhooks: list } }),
    "GET /api/webhook-deliveries": () => ({ body: { deliveries: [], hasMore: false } }),
    ...more,
  });
  startSession(givenToken("t", 3_600), givenUser({ company: { plan } }));
  const session = currentSession();
  if (!session) throw new Error("nobody is signed in");
  const steps = memorySteps(`/messages-api?tab=webhooks${path}`);
  renderOnCache(
    <>
      <LiveSession session={session} />
      <Router steps={steps}>
        <Suspense fallback={null}>
          <MessagesApiPage />
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

test("the table says what each is told and how it goes; one is tested, and a stopped one resumed", async () => {
  const list = [old, erp, panel];
  const { calls } = await open(list, {
    "POST /api/webhooks/1/test": () => ({
      body: { isOk: true, status: 204, fault: null, tookMs: 312 },
    }),
    "POST /api/webhooks/3/resume": () => {
      list[0] = { ...old, failingSince: null, stoppedAt: null };
      return { body: list[0] };
    },
  });
  const cells = async (name: string) =>
    (await rowOf(name))
      .getAllByRole("cell")
      .slice(0, 2)
      .map(({ textContent }) => textContent);
  expect(await cells("ERP")).toEqual(["Mensagem recebida, Atendimento alterado", "Em dia"]);
  expect(await cells("Painel")).toEqual(["Mensagem recebida", "Falha há 14 min"]);
  expect(await cells("Antigo")).toEqual(["Mensagem recebida", "ParadaRetomar"]);
  await userEvent.click(screen.getByRole("button", { name: "Testar ERP" }));
  expect(await (await rowOf("ERP")).findByText("Teste: 204 em 0,3 s")).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: "Retomar Antigo" }));
  expect(await screen.findByText(/será entregue em ordem/)).toBeTruthy();
  await waitFor(async () => expect(await cells("Antigo")).toEqual(["Mensagem recebida", "Em dia"]));
  expect(calls("POST /api/webhooks/3/resume")).toHaveLength(1);
});

test("without webhooks it says what they are for; a new one needs a name, an address and an event", async () => {
  const list: Webhook[] = [];
  const { bodies, calls } = await open(list, {
    "POST /api/webhooks": () => {
      list.push(erp);
      return { status: 201, body: erp };
    },
  });
  expect(await screen.findByText(/Um webhook avisa outro sistema/)).toBeTruthy();
  expect(calls("GET /api/webhook-deliveries")).toHaveLength(0);
  await userEvent.click(screen.getByRole("button", { name: "Adicionar webhook" }));
  const form = within(await screen.findByRole("dialog", { name: "Novo webhook" }));
  await userEvent.type(form.getByLabelText("Endereço"), "erp.example");
  await userEvent.click(form.getByRole("checkbox", { name: /^Mensagem recebida/ }));
  await userEvent.click(form.getByRole("button", { name: "Salvar" }));
  expect(await form.findByText("Dê um nome")).toBeTruthy();
  expect(form.getByText("Use um endereço que comece com https:// ou http://")).toBeTruthy();
  expect(form.getByText("Escolha pelo menos um evento")).toBeTruthy();
  await userEvent.type(form.getByLabelText("Nome"), "ERP");
  await userEvent.clear(form.getByLabelText("Endereço"));
  await userEvent.type(form.getByLabelText("Endereço"), "https://erp.example/eventos");
  await userEvent.click(form.getByRole("checkbox", { name: /^Atendimento alterado/ }));
  await userEvent.click(form.getByRole("button", { name: "Salvar" }));
  expect(await screen.findByText("Webhook salvo")).toBeTruthy();
  expect(bodies("POST /api/webhooks")).toEqual([
    { name: "ERP", url: "https://erp.example/eventos", events: ["ticket.changed"] },
  ]);
  expect(await screen.findByRole("row", { name: /ERP/ })).toBeTruthy();
});

test("a known one is changed, shows its secret on demand, and is deleted after a question", async () => {
  const list = [erp];
  const { address, bodies, calls } = await open(
    list,
    {
      "GET /api/webhooks/1/secret": () => ({ body: { secret: "segredo-antigo" } }),
      "POST /api/webhooks/1/secret": () => ({ body: { secret: "segredo-novo" } }),
      "PUT /api/webhooks/1": () => ({ body: erp }),
      "DELETE /api/webhooks/1": () => {
        list.length = 0;
        return { body: { message: "ok" } };
      },
    },
    "&edit=1",
  );
  const form = within(await screen.findByRole("dialog", { name: "Editar ERP" }));
  expect(calls("GET /api/webhooks/1/secret")).toHaveLength(0);
  await userEvent.click(form.getByRole("button", { name: "Mostrar o segredo" }));
  expect(await form.findByText("segredo-antigo")).toBeTruthy();
  await userEvent.click(form.getByRole("button", { name: "Novo segredo" }));
  const renewal = within(await screen.findByRole("dialog", { name: "Criar um novo segredo?" }));
  await userEvent.click(renewal.getByRole("button", { name: "Novo segredo" }));
  expect(await form.findByText("segredo-novo")).toBeTruthy();
  await userEvent.click(form.getByRole("checkbox", { name: /^Mensagem enviada/ }));
  await userEvent.click(form.getByRole("button", { name: "Salvar" }));
  await waitFor(() => expect(address()).toBe("?tab=webhooks"));
  const [{ events }] = bodies("PUT /api/webhooks/1") as [{ events: string[] }];
  expect(events.toSorted()).toEqual(["message.received", "message.sent", "ticket.changed"]);

  await userEvent.click(await screen.findByRole("button", { name: "Excluir ERP" }));
  const question = within(await screen.findByRole("dialog", { name: "Excluir ERP?" }));
  await userEvent.click(question.getByRole("button", { name: "Excluir" }));
  expect(await screen.findByText("Webhook excluído")).toBeTruthy();
  expect(await screen.findByText(/Um webhook avisa outro sistema/)).toBeTruthy();
  expect(calls("DELETE")).toHaveLength(1);
});

test("the log is narrowed in the address, follows events, and sends a failed one again", async () => {
  const rows = [sent(9), sent(8, { kind: "message.sent", state: "delivered", status: 200 })];
  const { address, bodies, calls } = await open([erp, panel], {
    "GET /api/webhook-deliveries": () => ({ body: { deliveries: rows, hasMore: false } }),
    "GET /api/webhook-deliveries/9": () => ({
      body: shownWebhookDelivery.parse({
        ...sent(9),
        ...{ method: "POST", url: "https://sistema-2.example/eventos", answer: "sem estoque" },
        ...{ requestHeaders: { "webhook-signature": "v1,•••" }, nextTryAt: null },
        request: '{"event":"ticket.changed"}',
      }),
    }),
    "POST /api/webhook-deliveries/again": () => ({ body: { again: 1 } }),
  });
  const list = await screen.findByRole("listbox", { name: "Últimas entregas" });
  const option = (name: RegExp) => within(list).findByRole("option", { name });
  expect(await option(/Mensagem enviada.*4808/)).toBeTruthy();
  await userEvent.click((await rowOf("Painel")).getByRole("button", { pressed: false }));
  await userEvent.click(screen.getByRole("button", { name: "Com falha" }));
  expect(address()).toBe("?tab=webhooks&webhook=2&failed");
  await waitFor(() =>
    expect(calls("GET /api/webhook-deliveries?").at(-1)?.call).toBe(
      "GET /api/webhook-deliveries?webhookId=2&state=failed",
    ),
  );
  expect(screen.queryByRole("searchbox")).toBeNull();

  await userEvent.click(await screen.findByRole("option", { name: /Atendimento alterado.*4809/ }));
  expect(await screen.findByText("O evento não foi entregue.")).toBeTruthy();
  expect(screen.getByRole("region", { name: "Pedido" }).textContent).toContain(
    '"event": "ticket.changed"',
  );
  expect(screen.getByRole("tab", { name: "Assinatura" })).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: "Enviar de novo" }));
  expect(await screen.findByText("1 entrega voltou para a fila")).toBeTruthy();
  expect(bodies("POST /api/webhook-deliveries/again")).toEqual([{ deliveryIds: [9] }]);

  rows.unshift(sent(10, { state: "waiting", tries: 0, status: null, tookMs: null }));
  act(() => sockets[0]?.receive(companyEvent(3, "integrationDelivery"), { action: "update" }));
  expect(await screen.findByRole("option", { name: /4810.*Na fila/ })).toBeTruthy();
});
