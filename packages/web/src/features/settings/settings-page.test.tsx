import type { Company, Role, Setting } from "@balcao/contract";
import { defaultSchedules, isSettingKey, settingKeys } from "@balcao/contract";
import { companyEvent } from "@balcao/contract/event-names";
import { act, cleanup, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { Router } from "../../router/index.tsx";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { queryClient } from "../../api/query-client.ts";
import { currentSession, endSession, startSession } from "../../api/session-store.ts";
import type { SeenRequest } from "../../testing/fake-server.ts";
import { fakeServer } from "../../testing/fake-server.ts";
import { givenToken, givenUser } from "../../testing/given.ts";
import { memorySteps } from "../../testing/memory-steps.ts";
import { LiveSession } from "../auth/index.ts";
import { renderOnCache } from "../messages/testing/render-feature.tsx";
import { givenConnection } from "../tickets/testing/given-choices.ts";
import { readSetting } from "./index.ts";
import { SettingsPage } from "./settings-page.tsx";
import { sockets } from "../../testing/sockets.ts";

vi.mock("../../realtime/socket.ts", () => import("../../testing/sockets.ts"));

type Handlers = Parameters<typeof fakeServer>[0];

let requests: SeenRequest[] = [];
let stored: Record<string, string> = {};
let schedules = defaultSchedules();

const reason = (id: number) => ({
  ...{ id, companyId: 3, name: `Motivo ${id}` },
  ...{ createdAt: "2026-11-20T10:00:00.000Z", updatedAt: "2026-11-20T10:00:00.000Z" },
});
let reasons: unknown[] = [];

function all(): Setting[] {
  return Object.entries(settingKeys).map(([key, { default: value }], index) => ({
    ...{ id: index + 1, key, companyId: 3 as Setting["companyId"] },
    value: stored[key] ?? value,
  }));
}

const usualHolidays: Company["holidays"] = { national: {}, own: [] };
let holidays = usualHolidays;
const company = () => ({ ...givenUser().company, schedules, holidays });
const refused = { status: 403, body: { error: "ERR_NO_PERMISSION", code: "ERR_NO_PERMISSION" } };

async function open(at = "/settings", more: Handlers = {}): Promise<void> {
  const session = currentSession();
  if (!session) throw new Error("nobody is signed in");
  const writes = Object.keys(settingKeys).map((key) => [
    `PUT /api/settings/${key}`,
    ({ body }: SeenRequest) => ({
      body: { id: 1, key, companyId: 3, value: (body as { value: string }).value },
    }),
  ]);
  requests = fakeServer({
    "GET /api/support-visits": () => ({ body: { visits: [], count: 0, hasMore: false } }),
    "GET /api/settings": () => ({ body: all() }),
    "GET /api/resolve-reasons": () => ({ body: reasons }),
    "POST /api/resolve-reasons": ({ body }) => ({ body: { ...reason(9), ...(body as object) } }),
    "PUT /api/resolve-reasons/1": ({ body }) => ({ body: { ...reason(1), ...(body as object) } }),
    "DELETE /api/resolve-reasons/1": () => ({ body: { message: "Reason deleted" } }),
    "GET /api/companies/3": () => ({ body: company() }),
    "PUT /api/companies/3/schedules": ({ body }) => ({
      body: { ...company(), schedules: (body as { schedules: unknown }).schedules },
    }),
    "GET /api/whatsapp": () => ({
      body: [
        givenConnection(1, "Loja", { outOfHoursMessage: "Voltamos amanhã." }),
        givenConnection(2, "Atacado"),
      ],
    }),
    ...Object.fromEntries(writes),
    ...more,
  }).requests;
  renderOnCache(
    <>
      <LiveSession session={session} />
      <Router steps={memorySteps(at)}>
        <SettingsPage />
      </Router>
    </>,
  );
  await waitFor(() => expect(sockets).toHaveLength(1));
  act(() => sockets[0]?.receive("ready"));
}

const rating = () =>
  screen.findByRole<HTMLInputElement>("switch", { name: "Pesquisa de satisfação" });
const hear = (key: string, value: string) =>
  act(() =>
    sockets[0]?.receive(companyEvent(3, "settings"), {
      action: "update",
      setting: { id: 1, key, value, companyId: 3 },
    }),
  );
const sent = (call: string) => requests.filter((one) => one.call === call).map(({ body }) => body);

beforeEach(() => {
  stored = {};
  schedules = defaultSchedules();
  startSession(givenToken("t"), givenUser());
});

afterEach(() => {
  cleanup();
  endSession("logout");
  vi.restoreAllMocks();
});

test("every setting with an effect is shown with its description, and no other", async () => {
  await open();
  await rating();
  await screen.findByRole("switch", { name: "Exigir segundo fator de todos" });
  const shown = [
    ...screen.getAllByRole("switch"),
    ...screen.getAllByRole("radiogroup"),
    ...screen.getAllByRole("combobox"),
    screen.getByRole("textbox", { name: "Motivos de pausa" }),
  ];
  // The menu of the chatbot has one kind only.
  const withoutEffect = /ipixc|mkauth|asaas|campaignsEnabled|tokenixc|^view|chatBotType/;
  const ofOtherTabs = /auditDays/;
  const ofProvider = /register|trial/;
  const expected = Object.keys(settingKeys).filter(
    (key) => !withoutEffect.test(key) && !ofProvider.test(key) && !ofOtherTabs.test(key),
  );
  expect(shown).toHaveLength(expected.length);
  for (const control of shown) {
    const textOf = (attribute: string): string =>
      (control.getAttribute(attribute) ?? "")
        .split(" ")
        .map((id) => document.getElementById(id)?.textContent ?? "")
        .join("");
    expect(textOf("aria-describedby").length).toBeGreaterThan(20);
    expect(textOf("aria-labelledby").length).toBeGreaterThan(5);
  }
  expect(screen.queryByRole("tab", { name: "Horários" })).toBeNull();
});

test("super users decide about the sign-up of companies", async () => {
  startSession(givenToken("t"), givenUser({ super: true }));
  await open();
  const group = within(await screen.findByRole("region", { name: "Cadastro" }));
  await userEvent.click(group.getByRole("switch", { name: "Permitir cadastro" }));
  await userEvent.click(group.getByRole("switch", { name: "Mostrar o cadastro ao entrar" }));
  await userEvent.selectOptions(group.getByRole("combobox", { name: "Dias de teste" }), "7 dias");
  await waitFor(() => expect(sent("PUT /api/settings/trial")).toEqual([{ value: "7" }]));
  expect(sent("PUT /api/settings/allowregister")).toEqual([{ value: "disabled" }]);
  expect(sent("PUT /api/settings/viewregister")).toEqual([{ value: "disabled" }]);
});

test("a switch changes at once, is sent, and is confirmed beside the title", async () => {
  await open();
  await userEvent.click(await rating());
  expect((await rating()).checked).toBe(true);
  const saved = await screen.findByText("Configuração salva");
  expect(saved.closest("[role=status]")).toBeTruthy();
  expect(sent("PUT /api/settings/userRating")).toEqual([{ value: "enabled" }]);
});

test("the reasons for a pause are saved when their field is left", async () => {
  await open();
  await rating();
  const field = screen.getByRole("textbox", { name: "Motivos de pausa" });
  await userEvent.type(field, "Almoço{Enter}Banco{Enter}");
  expect(sent("PUT /api/settings/pauseReasons")).toEqual([]);
  await userEvent.tab();
  await waitFor(() =>
    expect(sent("PUT /api/settings/pauseReasons")).toEqual([{ value: "Almoço\nBanco" }]),
  );
});

test("a refused change is reverted, with the error beside it", async () => {
  await open("/settings", { "PUT /api/settings/userRating": () => refused });
  await userEvent.click(await rating());
  expect((await screen.findByRole("alert")).textContent).toContain(
    "Você não tem permissão para fazer isso.",
  );
  expect((await rating()).checked).toBe(false);
  await userEvent.click(screen.getByRole("button", { name: "Tentar de novo" }));
  await waitFor(() => expect(sent("PUT /api/settings/userRating")).toHaveLength(2));
});

test("the search finds options by their words, marks them, and finds the other tabs", async () => {
  await open();
  await rating();
  const field = screen.getByRole("searchbox", { name: "Buscar nas configurações" });
  await userEvent.type(field, "SATISFACAO");
  await waitFor(() => expect(screen.getAllByRole("switch")).toHaveLength(1));
  expect(document.querySelector("mark")?.textContent).toBe("satisfação");
  await userEvent.keyboard("{Enter}");
  expect(document.activeElement).toBe(await rating());
  await userEvent.clear(field);
  await userEvent.type(field, "histórico");
  await userEvent.click(await screen.findByRole("button", { name: "Motivos" }));
  expect(await screen.findByRole("tab", { name: "Motivos", selected: true })).toBeTruthy();
});

test("the search finds what the company demands of a sign-in, which only full admins change", async () => {
  await open();
  await rating();
  const field = () => screen.getByRole("searchbox", { name: "Buscar nas configurações" });
  await userEvent.type(field(), "SEGUNDO fator");
  await waitFor(() => expect(screen.getAllByRole("switch")).toHaveLength(1));
  expect(screen.getByRole("heading", { name: "Segurança" })).toBeTruthy();
  const demand = screen.getByRole<HTMLInputElement>("switch", { name: /segundo fator/ });
  await userEvent.click(demand);
  await waitFor(() => expect(sent("PUT /api/settings/secondFactor")).toHaveLength(1));
  await userEvent.clear(field());
  await userEvent.type(field(), "xyz");
  expect(await screen.findByText(/xyz/)).toBeTruthy();
  cleanup();
  const permissions = ["settings:write", "settings:read"] as const;
  const role = { id: 4 as Role["id"], name: "Chefia", permissions: [...permissions] };
  startSession(givenToken("t"), givenUser({ profile: "admin", role }));
  await open();
  await rating();
  await userEvent.type(field(), "vários aparelhos");
  await waitFor(() => expect(screen.getAllByRole("switch")).toHaveLength(1));
  const closed = screen.getByRole<HTMLInputElement>("switch", { name: /vários aparelhos/ });
  expect(closed.disabled).toBe(true);
  expect(screen.getByText(/todas as permissões/)).toBeTruthy();
});

test("super users have the tabs of the installation, by address and by search", async () => {
  startSession(givenToken("t"), givenUser({ super: true }));
  const none = { count: 0, value: 0 };
  const totals = {
    ...{ all: 0, due: 0, overdue: 0, down: 0, trial: 0, suspended: 0, connectionsDown: 0 },
    ...{ revenue: 0, revenueBefore: 0, open: none, late: none },
  };
  await open("/settings?tab=companies", {
    "GET /api/companies": () => ({
      body: { companies: [], count: 0, hasMore: false, totals },
    }),
    "GET /api/plans": () => ({ body: { plans: [], count: 0, hasMore: false } }),
  });
  expect(await screen.findByRole("button", { name: "Nova empresa" })).toBeTruthy();
  const names = screen.getAllByRole("tab").map(({ textContent }) => textContent);
  expect(names.slice(-6)).toEqual([
    ...["Empresas", "Planos", "Pagamentos", "E-mails", "Marca", "Ajuda"],
  ]);
  // The list has a search of its own.
  expect(screen.getAllByRole("searchbox")).toHaveLength(1);
  await userEvent.click(screen.getByRole("tab", { name: "Opções" }));
  await rating();
  await userEvent.type(screen.getByRole("searchbox"), "planos");
  await userEvent.click(await screen.findByRole("button", { name: "Planos" }));
  expect((await screen.findAllByRole("button", { name: "Novo plano" })).length).toBeGreaterThan(0);
});

test("a colleague's change is live, also for code outside of components", async () => {
  await open();
  await rating();
  hear("userRating", "enabled");
  await waitFor(async () => expect((await rating()).checked).toBe(true));
  const reads = sent("GET /api/settings").length;
  expect(await readSetting("userRating")).toBe("enabled");
  expect(sent("GET /api/settings")).toHaveLength(reads);
});

test("a change during the load is not overwritten by the older reply", async () => {
  let answer: (() => void) | null = null;
  await open();
  await rating();
  const fetchNow = globalThis.fetch;
  vi.stubGlobal("fetch", async (url: string, init: RequestInit) => {
    const reply = await fetchNow(url, init);
    if (!url.endsWith("/settings")) return reply;
    await new Promise<void>((resolve) => (answer = resolve));
    return reply;
  });
  act(() => sockets[0]?.receive("ready"));
  await waitFor(() => expect(answer).not.toBeNull());
  hear("userRating", "enabled");
  act(() => answer?.());
  await waitFor(async () => expect((await rating()).checked).toBe(true));
});

test("the stored session has the changed setting", async () => {
  await open();
  hear("campaignsEnabled", "false");
  expect(currentSession()?.user.company.settings).toContainEqual({
    key: "campaignsEnabled",
    value: "false",
  });
});

test("the hours are shown only while the company has them, also live", async () => {
  await open();
  await userEvent.click(await screen.findByRole("radio", { name: "Um horário para a empresa" }));
  await userEvent.click(screen.getByRole("link", { name: "Definir os horários" }));
  expect(await screen.findByRole("group", { name: "Domingo" })).toBeTruthy();
  expect(screen.getByRole("link", { name: "Definir a mensagem nas conexões" })).toHaveProperty(
    "pathname",
    "/connections",
  );
  expect(await screen.findByText("Sem mensagem, nada é enviado: Atacado.")).toBeTruthy();
  hear("scheduleType", "queue");
  await waitFor(() => expect(screen.queryByRole("group", { name: "Domingo" })).toBeNull());
  // Holidays close the queues too.
  expect(await screen.findByRole("region", { name: "Feriados" })).toBeTruthy();
  hear("scheduleType", "disabled");
  await waitFor(() => expect(screen.queryByRole("tab", { name: "Horários" })).toBeNull());
});

const sundayState = () => screen.findByRole("combobox", { name: "Atendimento, Domingo" });
const mondayEnd = () =>
  screen.findByRole<HTMLInputElement>("textbox", { name: "Fim, Segunda-feira" });
const save = () => userEvent.click(screen.getByRole("button", { name: "Salvar" }));

const inBothNames = (day: Partial<Company["schedules"][number]>) => ({
  ...day,
  ...{ startTimeA: day.startTime, endTimeA: day.endTime, startTimeB: "", endTimeB: "" },
});

test("hours are saved as a whole; unknown keys of other clients are kept", async () => {
  stored = { scheduleType: "company" };
  schedules = schedules.map((day) => ({ ...day, note: "13:00" }));
  await open("/settings?tab=hours");
  await userEvent.selectOptions(await sundayState(), "Aberto");
  await userEvent.clear(await mondayEnd());
  await userEvent.type(await mondayEnd(), "1930{Enter}");
  expect(await screen.findByText("Horários atualizados com sucesso.")).toBeTruthy();
  const [monday, ...rest] = schedules;
  const sunday = rest.pop();
  expect(sent("PUT /api/companies/3/schedules")).toEqual([
    {
      schedules: [
        { ...monday, endTime: "19:30" },
        ...rest,
        // Opened with Monday's hours of that moment.
        { ...sunday, startTime: "08:00", endTime: "18:00" },
      ].map(inBothNames),
    },
  ]);
});

test("invalid hours are not sent; the first invalid field is focused", async () => {
  stored = { scheduleType: "company" };
  await open("/settings?tab=hours");
  await userEvent.clear(await mondayEnd());
  await save();
  expect(document.activeElement).toBe(await mondayEnd());
  expect(
    within(screen.getByRole("group", { name: "Segunda-feira" })).getByText(
      "Informe o início e o fim",
    ),
  ).toBeTruthy();
  expect(sent("PUT /api/companies/3/schedules")).toEqual([]);
});

test("national holidays are switched one by one, own days are added and removed, each change saved at once", async () => {
  stored = { scheduleType: "company" };
  holidays = usualHolidays;
  await open("/settings?tab=hours", {
    "PUT /api/companies/3/holidays": ({ body }) => {
      holidays = body as Company["holidays"]; // what the page itself sends
      return { body: company() };
    },
  });
  const card = within(await screen.findByRole("region", { name: "Feriados" }));
  const christmas = card.getByRole("switch", { name: /^Natal, 25\/12/ });
  expect(christmas).toHaveProperty("checked", true);
  expect(card.getByRole("switch", { name: /^Terça-feira de Carnaval/ })).toHaveProperty(
    "checked",
    false,
  );
  await userEvent.click(christmas);
  await waitFor(() => expect(holidays.national).toEqual({ christmas: false }));

  const add = card.getByRole("button", { name: "Adicionar dia" });
  await userEvent.click(add);
  expect(card.getByText("Informe a data")).toBeTruthy();
  await userEvent.type(card.getByLabelText("Data"), "2027-06-24");
  await userEvent.type(card.getByRole("textbox", { name: "Nome" }), "São João");
  await userEvent.click(card.getByRole("checkbox", { name: "Todo ano" }));
  await userEvent.click(add);
  const own = { date: "2027-06-24", name: "São João", everyYear: true, isOn: true };
  await waitFor(() => expect(holidays.own).toEqual([own]));
  expect(holidays.national).toEqual({ christmas: false });
  await userEvent.click(await card.findByRole("switch", { name: "São João, 24/06/2027" }));
  await waitFor(() => expect(holidays.own).toEqual([{ ...own, isOn: false }]));
  await userEvent.click(card.getByRole("button", { name: "Remover São João" }));
  await waitFor(() => expect(holidays.own).toEqual([]));
});

test("a refused save shows the error and keeps the input", async () => {
  stored = { scheduleType: "company" };
  await open("/settings?tab=hours", { "PUT /api/companies/3/schedules": () => refused });
  await userEvent.selectOptions(await sundayState(), "Aberto");
  await save();
  expect((await screen.findByRole("alert")).textContent).toBe(
    "Você não tem permissão para fazer isso.",
  );
  expect(await sundayState()).toHaveProperty("value", "open");
});

test("a colleague's hours are shown, but never replace unsaved input", async () => {
  stored = { scheduleType: "company" };
  await open("/settings?tab=hours");
  await sundayState();
  const hearHours = (endTime: string) =>
    act(() =>
      sockets[0]?.receive(companyEvent(3, "company"), {
        action: "update",
        company: { id: 3, schedules: schedules.map((day) => ({ ...day, endTime })) },
      }),
    );
  hearHours("20:00");
  await waitFor(async () => expect((await mondayEnd()).value).toBe("20:00"));
  await userEvent.clear(await mondayEnd());
  await userEvent.type(await mondayEnd(), "17");
  hearHours("21:00");
  const sundayEnd = () => queryClient.getQueryData<Company>(["company", 3])?.schedules[6]?.endTime;
  await waitFor(() => expect(sundayEnd()).toBe("21:00"));
  expect((await mondayEnd()).value).toBe("17");
});

test("keys of the page are keys of the contract", async () => {
  const { optionGroups } = await import("./options-panel.tsx");
  expect(optionGroups.flatMap(({ options }) => options).every(({ key }) => isSettingKey(key))).toBe(
    true,
  );
});

test("access data of billing systems save themselves, are masked, changed, tried and removed", async () => {
  const mask = "********";
  stored = { asaas: mask };
  const plan = {
    ...{ useCampaigns: true, useKanban: true, useOpenAi: true, useIntegrations: true },
    ...{ useSchedules: true, useInternalChat: true, useExternalApi: true },
  };
  startSession(givenToken("t"), givenUser({ company: { plan } }));
  const kept: Record<string, string> = {};
  const secret = (key: string) => ({
    [`PUT /api/settings/${key}`]: ({ body }: SeenRequest) => {
      const { value } = body as { value: string };
      if (value.startsWith("ftp:")) {
        return { status: 400, body: { error: "ERR_INVALID_REQUEST", code: "ERR_INVALID_REQUEST" } };
      }
      kept[key] = value;
      return { body: { id: 1, key, companyId: 3, value: value === "" ? "" : mask } };
    },
  });
  const answers = [
    { isOk: false, fault: "status", status: 502 },
    { isOk: true, fault: null, status: null },
  ];
  await open("/settings?tab=lookups", {
    ...{ ...secret("asaas"), ...secret("ipixc"), ...secret("tokenixc") },
    "POST /api/billingLookups/test": () => ({ body: answers.shift() }),
  });
  const ixc = within(await screen.findByRole("region", { name: "IXC" }));
  await userEvent.type(ixc.getByLabelText("Endereço do IXC"), "ftp://ixc.exemplo");
  await userEvent.tab();
  expect(await ixc.findByText(/^Informe um endereço que comece com http/)).toBeTruthy();
  await userEvent.clear(ixc.getByLabelText("Endereço do IXC"));
  await userEvent.type(ixc.getByLabelText("Endereço do IXC"), "https://ixc.exemplo{Enter}");
  expect(await ixc.findByRole("button", { name: "Trocar: Endereço do IXC" })).toBeTruthy();
  expect(ixc.queryByRole("button", { name: "Testar IXC" })).toBeNull();
  await userEvent.type(ixc.getByLabelText("Token do IXC"), "12:segredo");
  await userEvent.tab({ shift: true });
  expect(await ixc.findByRole("button", { name: "Testar IXC" })).toBeTruthy();
  expect(kept).toEqual({ ipixc: "https://ixc.exemplo", tokenixc: "12:segredo" });
  expect(document.body.innerHTML).not.toContain("segredo");

  const asaas = within(screen.getByRole("region", { name: "Asaas" }));
  await userEvent.click(asaas.getByRole("button", { name: "Trocar: Token do Asaas" }));
  expect(document.activeElement).toBe(asaas.getByLabelText("Token do Asaas"));
  await userEvent.keyboard("{Escape}");
  await userEvent.click(asaas.getByRole("button", { name: "Testar Asaas" }));
  expect(
    await asaas.findByText("O sistema respondeu com o erro 502: confira o endereço."),
  ).toBeTruthy();
  await userEvent.click(asaas.getByRole("button", { name: "Testar Asaas" }));
  expect(await asaas.findByText("Funciona: os dados foram aceitos.")).toBeTruthy();
  expect(kept).not.toHaveProperty("asaas");
  await userEvent.click(asaas.getByRole("button", { name: "Remover os dados de Asaas" }));
  const dialog = await screen.findByRole("dialog", { name: "Remover os dados de Asaas?" });
  await userEvent.click(within(dialog).getByRole("button", { name: "Remover" }));
  await waitFor(() => expect(kept["asaas"]).toBe(""));
  expect(await asaas.findByLabelText("Token do Asaas")).toHaveProperty("value", "");
});

test("reasons to resolve are added, renamed and deleted", async () => {
  reasons = [reason(1)];
  await open("/settings?tab=reasons");
  const section = await screen.findByRole("region", { name: "Motivos ao resolver" });
  const names = () =>
    within(section)
      .queryAllByRole("button", { name: /^Editar o motivo/ })
      .map((button) => button.getAttribute("aria-label")?.replace("Editar o motivo ", ""));
  await waitFor(() => expect(names()).toEqual(["Motivo 1"]));

  const add = within(section).getByRole("button", { name: "Adicionar" });
  await userEvent.click(add);
  expect(await within(section).findByText("Use ao menos 2 letras")).toBeTruthy();
  await userEvent.type(within(section).getByLabelText("Novo motivo"), "Dúvida{Enter}");
  await waitFor(() => expect(names()).toEqual(["Dúvida", "Motivo 1"]));
  expect(within(section).getByLabelText("Novo motivo")).toHaveProperty("value", "");

  await userEvent.click(within(section).getByRole("button", { name: "Editar o motivo Motivo 1" }));
  const field = within(section).getByLabelText("Nome do motivo");
  expect(document.activeElement).toBe(field);
  await userEvent.clear(field);
  await userEvent.type(field, "Venda{Enter}");
  await waitFor(() => expect(names()).toEqual(["Dúvida", "Venda"]));

  await userEvent.click(within(section).getByRole("button", { name: "Excluir o motivo Venda" }));
  const dialog = await screen.findByRole("dialog", { name: "Excluir o motivo Venda?" });
  await userEvent.click(within(dialog).getByRole("button", { name: "Excluir" }));
  await waitFor(() => expect(names()).toEqual(["Dúvida"]));
  const writes = requests.map(({ call }) => call).filter((call) => /^[^G].*reasons/.test(call));
  expect(writes).toEqual([
    "POST /api/resolve-reasons",
    "PUT /api/resolve-reasons/1",
    "DELETE /api/resolve-reasons/1",
  ]);
});
