import type { Campaign, CampaignLine } from "@balcao/contract";
import {
  campaign as campaignShape,
  campaignCounts,
  campaignLine,
  defaultCampaignSettings,
} from "@balcao/contract";
import type { Profile } from "@balcao/contract/permissions";
import { QueryClientProvider } from "@tanstack/react-query";
import { act, cleanup, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { queryClient } from "../../api/query-client.ts";
import { endSession, startSession } from "../../api/session-store.ts";
import type * as Live from "../../realtime/live.ts";
import { fakeServer } from "../../testing/fake-server.ts";
import { givenToken, givenUser } from "../../testing/given.ts";
import { renderRoutes } from "../../testing/render.tsx";
import { CampaignsPage } from "./campaigns-page.tsx";

vi.mock("../../realtime/socket.ts", () => import("../../testing/sockets.ts"));
const heard = vi.hoisted(() => new Map<string, ((payload: never) => void)[]>());
vi.mock("../../realtime/live.ts", async (original) => ({
  ...(await original<typeof Live>()),
  onCompanyEvent: (subject: string, handler: (payload: never) => void) =>
    heard.set(subject, [...(heard.get(subject) ?? []), handler]),
  batchPerFrame: (apply: () => void) => apply(),
}));

const at = "2026-11-19T17:20:00.000Z";
const none = Object.fromEntries(Object.keys(campaignCounts.shape).map((key) => [key, 0]));

function given(id: number, fields: Partial<Record<keyof Campaign, unknown>> = {}): Campaign {
  const texts = ["message1", "message2", "message3", "message4", "message5"].flatMap((key) => [
    [key, ""],
    [key.replace("message", "confirmationMessage"), ""],
  ]);
  return campaignShape.parse({
    ...Object.fromEntries(texts),
    ...{ id, name: `Campanha ${id}`, message1: "Oi", status: "INATIVA", confirmation: false },
    ...{ scheduledAt: null, startedAt: null, completedAt: null, cancelledAt: null },
    ...{ cancelledBy: null, createdBy: null, mediaPath: null, mediaName: null, companyId: 3 },
    ...{ contactListId: null, whatsappId: null, fileListId: null, tagListId: null },
    ...{ answerQueueId: null, answerTagId: null, template: null, textInWindow: false },
    ...{ contactList: null, whatsapp: null, hold: null, endsAt: null, isEditable: true },
    ...{ counts: none, createdAt: at, updatedAt: at, ...fields },
  });
}

const running = given(1, {
  name: "Pré-Black Friday VIP",
  status: "EM_ANDAMENTO",
  startedAt: at,
  isEditable: false,
  ...{ message2: "Olá", message3: "Ei" },
  hold: { reason: "limit", until: "2026-11-20T11:00:00.000Z", since: null },
  counts: { ...none, people: 1_240, valid: 1_235, delivered: 398, waiting: 460 },
});
const cancelled = given(2, {
  name: "Convite",
  status: "CANCELADA",
  startedAt: at,
  cancelledAt: at,
  cancelledBy: { id: 7, name: "Renata Alves" },
  counts: { ...none, people: 796, valid: 796, delivered: 230 },
});
const draft = given(3, { name: "Natal", createdBy: { id: 7, name: "Renata Alves" } });

const line = (fields: object): CampaignLine =>
  campaignLine.parse({
    connection: {
      ...{ id: 1, name: "Loja Paulista", channel: "whatsapp" },
      ...{ status: "CONNECTED", disconnectedAt: null },
    },
    ...{ isOfficial: false, inUseSince: "2026-11-06", fixedLimit: null, newToday: 100 },
    ...{ knownToday: 0, newMax: 100, knownMax: 500, quality: null },
    hold: { reason: "limit", until: "2026-11-20T11:00:00.000Z", since: null },
    ...{ running: 1, planned: 1, ...fields },
  });

const plan = {
  ...{ id: 1, name: "Plano", users: 1, connections: 1, queues: 1, value: 1 },
  ...{ useCampaigns: true, useKanban: false, useOpenAi: false, useIntegrations: false },
  ...{ useSchedules: false, useInternalChat: false, useExternalApi: false },
  ...{ createdAt: at, updatedAt: at },
};

type Given = { rows?: Campaign[]; lines?: CampaignLine[]; path?: string; isDecided?: boolean };

function open(profile: Profile, options: Given = {}) {
  const { rows = [running, cancelled, draft], lines = [line({})], isDecided = true } = options;
  const counts = { INATIVA: 0, PROGRAMADA: 0, EM_ANDAMENTO: 0, CANCELADA: 0, FINALIZADA: 0 };
  for (const { status } of rows) counts[status] += 1;
  const settings = Object.entries({ ...defaultCampaignSettings, isDecided }).map(
    ([key, value], id) => ({ id, key, value: JSON.stringify(value), companyId: 3 }),
  );
  const server = fakeServer({
    "GET /api/campaigns": () => ({
      body: { records: rows, count: rows.length, hasMore: false, statusCounts: counts },
    }),
    "GET /api/campaign-lines": () => ({ body: lines }),
    "GET /api/campaign-settings": () => ({ body: settings }),
    "POST /api/campaign-settings": () => ({ body: settings }),
    "POST /api/campaigns/1/cancel": () => ({ status: 204 }),
    "POST /api/campaigns/2/restart": () => ({ status: 204 }),
    "DELETE /api/campaigns/3": () => ({ body: { message: "Campaign deleted" } }),
    "GET /api/companies/listPlan/3": () => ({ body: { id: 3, plan } }),
    "GET /api/companies/3": () => ({ status: 404, body: { error: "ERR_NO_COMPANY_FOUND" } }),
  });
  startSession(givenToken("t", 3_600), givenUser({ profile }));
  const opened = renderRoutes(
    [
      {
        path: "campaigns/:campaignId?",
        // Events change the cache of the product.
        element: (
          <QueryClientProvider client={queryClient}>
            <CampaignsPage />
          </QueryClientProvider>
        ),
      },
      { path: "campaign/:campaignId/report", element: <p>Relatório</p> },
    ],
    options.path ?? "/campaigns",
  );
  const writes = () => server.requests.filter(({ call }) => !call.startsWith("GET"));
  return { ...server, ...opened, writes };
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.parse(at) });
});
afterEach(() => {
  vi.useRealTimers();
  cleanup();
  endSession("logout");
});

const row = (name: RegExp) => screen.findByRole("row", { name });

test("each row says its state, what holds it up, and what was delivered", async () => {
  open("admin");
  const held = within(await row(/Pré-Black Friday VIP/));
  expect(held.getByText("3 mensagens em rodízio")).toBeTruthy();
  expect(held.getByText("Em andamento")).toBeTruthy();
  expect(held.getByText("Limite do dia. Segue amanhã, 08:00")).toBeTruthy();
  expect(held.getByText("398")).toBeTruthy();
  expect(held.getByText(/de 1\.235/)).toBeTruthy();
  expect(held.getByText("Não definida")).toBeTruthy();
  expect(within(await row(/Convite/)).getByText("Por Renata em 19/11, 14:20")).toBeTruthy();
  const inactive = within(await row(/Natal/));
  expect(inactive.getByText("Rascunho de Renata")).toBeTruthy();
  expect(inactive.getByText("Falta escolher a lista e a data")).toBeTruthy();
  expect(screen.getByRole("button", { name: "Todas 3" })).toBeTruthy();
});

test("the connections of campaigns say today's people and what holds them back; without campaigns they are left out", async () => {
  const down = line({
    connection: {
      ...{ id: 2, name: "Loja Centro", channel: "whatsapp", status: "DISCONNECTED" },
      disconnectedAt: "2026-11-19T17:02:00.000Z",
    },
    ...{ newToday: 38, newMax: 200, hold: null, quality: null },
  });
  const unused = line({
    connection: { ...line({}).connection, id: 3, name: "Sem uso" },
    ...{ running: 0, planned: 0 },
  });
  open("admin", { lines: [line({}), down, unused] });
  const strip = within(await screen.findByRole("region", { name: "Conexões das campanhas" }));
  expect(strip.getByText("Continua amanhã, 08:00")).toBeTruthy();
  expect(strip.getByText("Fora desde 14:02")).toBeTruthy();
  expect(strip.queryByText("Sem uso")).toBeNull();
});

test("an admin stops, restarts and deletes after a question; a running campaign is not deleted", async () => {
  const { writes } = open("admin");
  await row(/Pré-Black/);
  const press = async (name: RegExp | string): Promise<void> =>
    userEvent.click(await screen.findByRole("button", { name }));
  await press("Excluir Pré-Black Friday VIP. Pare o envio antes");
  expect(screen.queryByRole("dialog")).toBeNull();
  await press("Parar Pré-Black Friday VIP");
  expect(
    await screen.findByText("460 pessoas ainda não receberam. Você pode continuar depois."),
  ).toBeTruthy();
  await press("Parar envio");
  await waitFor(() => expect(writes().at(-1)?.call).toBe("POST /api/campaigns/1/cancel"));
  await press("Continuar Convite");
  await press("Continuar envio");
  await waitFor(() => expect(writes().at(-1)?.call).toBe("POST /api/campaigns/2/restart"));
  await press("Excluir Natal");
  await press("Excluir");
  await waitFor(() => expect(writes().at(-1)?.call).toBe("DELETE /api/campaigns/3"));
});

test("an agent sees the campaigns and their reports alone", async () => {
  const { address } = open("user");
  await row(/Natal/);
  expect(screen.queryByRole("button", { name: "Nova campanha" })).toBeNull();
  expect(screen.queryByRole("button", { name: /^(Parar|Editar|Excluir)/ })).toBeNull();
  await userEvent.click(screen.getByRole("link", { name: "Convite" }));
  expect(address()).toBe("/campaign/2/report");
});

test("search and filter stand in the address and reach the server", async () => {
  const { requests, address } = open("admin", { path: "/campaigns?search=natal" });
  await row(/Natal/);
  expect(requests.some(({ call }) => call.includes("searchParam=natal"))).toBe(true);
  await userEvent.click(screen.getByRole("button", { name: /^Canceladas/ }));
  expect(address()).toBe("/campaigns?search=natal&filter=CANCELADA");
  await waitFor(() =>
    expect(requests.some(({ call }) => call.includes("status=CANCELADA"))).toBe(true),
  );
});

test("an event changes its row in place and the counts, without reading the list again", async () => {
  const { requests } = open("admin");
  await row(/Pré-Black/);
  const reads = () => requests.filter(({ call }) => call.startsWith("GET /api/campaigns?")).length;
  const before = reads();
  const record = { ...running, status: "FINALIZADA", hold: null, completedAt: at };
  act(() => {
    for (const handle of heard.get("campaign") ?? []) handle({ action: "update", record } as never);
  });
  expect(within(await row(/Pré-Black/)).getByText("Finalizada")).toBeTruthy();
  const names = screen.getAllByRole("rowheader").map(({ textContent }) => textContent);
  expect(names[0]).toContain("Pré-Black Friday VIP");
  expect(screen.getByRole("button", { name: "Finalizadas 1" })).toBeTruthy();
  expect(screen.getByRole("button", { name: "Em andamento 0" })).toBeTruthy();
  expect(reads()).toBe(before);
});

test("without campaigns the page says what to do first", async () => {
  open("admin", { rows: [], lines: [] });
  expect(await screen.findByText("Nenhuma campanha")).toBeTruthy();
  expect(
    screen.getByText("Crie a primeira e veja quanto tempo ela leva antes de começar."),
  ).toBeTruthy();
  expect(screen.queryByRole("button", { name: /^Todas/ })).toBeNull();
});

test("protection is offered before a linked phone's first campaign, and stored with one press", async () => {
  const { writes } = open("admin", { isDecided: false });
  await userEvent.click(await screen.findByRole("button", { name: "Proteger o número" }));
  await waitFor(() =>
    expect(writes()).toMatchObject([
      {
        call: "POST /api/campaign-settings",
        body: {
          settings: { varies: true, pausesOnHolidays: true, limitsByDay: true, isDecided: true },
        },
      },
    ]),
  );
});
