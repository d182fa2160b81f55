import { campaignRecipient } from "@balcao/contract";
import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { endSession } from "../../api/session-store.ts";
import { fakeServer } from "../../testing/fake-server.ts";
import { renderRoutes } from "../../testing/render.tsx";
import { CampaignReportPage } from "./campaign-page.tsx";
import { at, campaign, counts, signIn, standing } from "./testing/given-campaign.ts";

vi.mock("../../realtime/socket.ts", () => import("../../testing/sockets.ts"));

const numbers = counts({
  ...{ people: 1240, valid: 1229, waiting: 460, sent: 12, delivered: 741, read: 512 },
  ...{ failed: 9, retryable: 6, invalid: 11, answered: 96, left: 16 },
});
const running = { status: "EM_ANDAMENTO", isEditable: false, startedAt: at, counts: numbers };

const person = (id: number, fields: object = {}) =>
  campaignRecipient.parse({
    ...{ id, name: `Pessoa ${id}`, number: "5511984562210", textNumber: 1, status: "delivered" },
    ...{ errorCode: null, at, isConfirmed: false, answeredAt: null, leftAt: null },
    ...{ ticketId: null, ...fields },
  });

function open(fields: object = {}, profile: "admin" | "user" = "admin", report: object = {}) {
  const server = fakeServer({
    ...standing,
    "GET /api/campaigns/12/report": () => ({
      body: {
        campaign: campaign({ ...running, ...fields }),
        chart: {
          step: "day",
          bars: [
            { at: "2026-11-17T12:00:00.000Z", done: 312, planned: 0, closed: null },
            { at: "2026-11-20T12:00:00.000Z", done: 0, planned: 0, closed: "holiday" },
            { at: "2026-11-24T12:00:00.000Z", done: 0, planned: 200, closed: null },
          ],
        },
        nextAt: null,
        line: { newToday: 68, knownToday: 0, newMax: 200 },
        listed: 1312,
        ...report,
      },
    }),
    "GET /api/campaigns/12/recipients": () => ({
      body: {
        records: [
          person(1, { answeredAt: at, ticketId: 4902 }),
          person(2, { status: "failed", errorCode: "ERR_WAPP_ACCOUNT_RESTRICTED" }),
          person(3, { status: "waiting" }),
        ],
        count: 3,
        hasMore: false,
      },
    }),
    "POST /api/campaigns/12/cancel": () => ({ status: 204 }),
    "POST /api/campaigns/12/restart": () => ({ status: 204 }),
    "POST /api/campaigns/12/resend": () => ({ body: campaign({ id: 15, scheduledAt: null }) }),
    "GET /api/tickets/4902": () => ({ body: { id: 4902, uuid: "u-4902" } }),
  });
  signIn(profile);
  const page = renderRoutes(
    [
      { path: "campaign/:campaignId/report", element: <CampaignReportPage /> },
      { path: "*", element: null },
    ],
    "/campaign/12/report",
  );
  const writes = () => server.requests.filter(({ call }) => !call.startsWith("GET"));
  const reads = (part: string) => server.requests.filter(({ call }) => call.includes(part));
  return { ...page, writes, reads };
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.parse(at) });
});
afterEach(() => {
  vi.useRealTimers();
  cleanup();
  endSession("logout");
});

test("the report says how many of the valid people have the message, and what comes next", async () => {
  open();
  const progress = within(await screen.findByRole("region", { name: "Andamento" }));
  expect(progress.getByText("60%")).toBeTruthy();
  expect(progress.getByText("de 1.229 válidos", { exact: false })).toBeTruthy();
  expect(progress.getByText("68 de 200 pessoas novas hoje.")).toBeTruthy();
  expect(screen.getByRole("button", { name: /^Entregues 741 98,4% das enviadas/ })).toBeTruthy();
  expect(screen.getByRole("button", { name: /^Pediram para sair 16/ })).toBeTruthy();
  expect(screen.queryByText("Confirmações pedidas")).toBeNull();
  expect(screen.getByRole("link", { name: "Clientes VIP" }).getAttribute("href")).toBe(
    "/contact-lists/5/contacts",
  );
});

test("each number shows its people; the search and the filter stand in the address", async () => {
  const { address, reads } = open();
  await userEvent.click(await screen.findByRole("button", { name: /^Falhas 9 6 podem/ }));
  await waitFor(() => expect(address()).toBe("/campaign/12/report?status=failed"));
  await waitFor(() => expect(reads("recipients").at(-1)?.call).toContain("status=failed"));
  await userEvent.type(screen.getByRole("searchbox", { name: "Nome ou número" }), "Ana");
  await waitFor(() => expect(address()).toBe("/campaign/12/report?search=ana&status=failed"));
});

test("rows say how far each person is, why one failed, and open the answer", async () => {
  const { address } = open();
  const rows = await screen.findAllByRole("row", { name: /Pessoa/ });
  expect(rows.map(({ textContent }) => textContent)).toEqual([
    expect.stringContaining("Entregue"),
    expect.stringContaining("Falha: número restrito pelo WhatsApp"),
    expect.stringContaining("Aguardando"),
  ]);
  await userEvent.click(screen.getByRole("button", { name: "Atendimento 4902" }));
  await waitFor(() => expect(address()).toBe("/tickets/u-4902"));
});

test("a running campaign is stopped after a question, a cancelled one goes on", async () => {
  const { writes } = open();
  await userEvent.click(await screen.findByRole("button", { name: "Parar envio" }));
  const question = within(await screen.findByRole("dialog", { name: "Parar Pré-venda?" }));
  expect(
    question.getByText("460 pessoas ainda não receberam. Você pode continuar depois."),
  ).toBeTruthy();
  await userEvent.click(question.getByRole("button", { name: "Parar envio" }));
  await waitFor(() =>
    expect(writes().map(({ call }) => call)).toEqual(["POST /api/campaigns/12/cancel"]),
  );
});

test("what is asked stays when another stops the campaign meanwhile", async () => {
  const fields = { status: "EM_ANDAMENTO" };
  const { writes } = open(fields);
  await userEvent.click(await screen.findByRole("button", { name: "Parar envio" }));
  const question = within(await screen.findByRole("dialog", { name: "Parar Pré-venda?" }));
  fields.status = "CANCELADA";
  window.dispatchEvent(new Event("visibilitychange"));
  expect(await screen.findByText("Continuar envio")).toBeTruthy();
  await userEvent.click(question.getByRole("button", { name: "Parar envio" }));
  await waitFor(() =>
    expect(writes().map(({ call }) => call)).toEqual(["POST /api/campaigns/12/cancel"]),
  );
});

test("people of a cancelled campaign who got nothing are shown so, and it can be continued", async () => {
  const { writes } = open({
    status: "CANCELADA",
    cancelledAt: at,
    cancelledBy: { id: 7, name: "Renata" },
  });
  expect(await screen.findByText(/^Parada sexta, 20\/11, 07:00. Renata/)).toBeTruthy();
  const row = await screen.findByRole("row", { name: /Pessoa 3/ });
  expect(row.textContent).toContain("Cancelada");
  await userEvent.click(screen.getByRole("button", { name: "Continuar envio" }));
  const question = within(await screen.findByRole("dialog", { name: "Continuar Pré-venda?" }));
  await userEvent.click(question.getByRole("button", { name: "Continuar envio" }));
  await waitFor(() => expect(writes()[0]?.call).toBe("POST /api/campaigns/12/restart"));
});

test("who failed and can be sent to again gets a new campaign, opened in the editor", async () => {
  const { writes, address } = open();
  await userEvent.click(await screen.findByRole("button", { name: "Enviar de novo para 6" }));
  await waitFor(() => expect(address()).toBe("/campaigns/15"));
  expect(writes().map(({ call }) => call)).toEqual(["POST /api/campaigns/12/resend"]);
});

test.each([
  [{ reason: "limit", until: "2099-11-21T11:00:00.000Z", since: null }, /^Limite do dia\. Segue/],
  [{ reason: "restricted", until: null, since: null }, /^Número restrito pelo WhatsApp/],
  [{ reason: "disconnected", until: null, since: at }, /^Conexão caiu .*Reconectar$/],
])("a campaign that is held up says why: %o", async (hold, words) => {
  open({ hold });
  const progress = await screen.findByRole("region", { name: "Andamento" });
  const line = within(progress)
    .getAllByRole("listitem")
    .find(({ dataset }) => dataset["tone"] !== undefined);
  expect(line?.textContent).toMatch(words);
});

test("the chart is a table, too; an agent neither stops nor repeats", async () => {
  open({}, "user");
  await userEvent.click(await screen.findByRole("button", { name: "Ver como tabela" }));
  const table = within(screen.getByRole("group", { name: "Envios por dia" }));
  expect(table.getAllByRole("row").map(({ textContent }) => textContent)).toEqual([
    "Quandofeitosprevistos",
    "17/113120",
    "hoje0feriado",
    "24/110200",
  ]);
  expect(screen.queryByRole("button", { name: /Parar|Enviar de novo/ })).toBeNull();
});
