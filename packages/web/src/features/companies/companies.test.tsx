import type { ManagedCompany } from "@balcao/contract";
import { managedCompany, plan as planShape } from "@balcao/contract";
import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { Suspense } from "react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { endSession, startSession } from "../../api/session-store.ts";
import { Router } from "../../router/index.tsx";
import { fakeServer } from "../../testing/fake-server.ts";
import { givenToken, givenUser } from "../../testing/given.ts";
import { memorySteps } from "../../testing/memory-steps.ts";
import { renderOnCache } from "../messages/testing/render-feature.tsx";
import { addMonths } from "./api.ts";
import { CompaniesPanel } from "./index.ts";

const flags = {
  ...{ useCampaigns: true, useKanban: true, useOpenAi: true, useIntegrations: true },
  ...{ useSchedules: true, useInternalChat: true, useExternalApi: true, useInternal: true },
};
const team = planShape.parse({
  ...{ id: 2, name: "Equipe", users: 10, connections: 3, queues: 10, value: 199.9, ...flags },
});
const essential = planShape.parse({
  ...{ id: 1, name: "Essencial", users: 3, connections: 1, queues: 4, value: 99.9, ...flags },
  useCampaigns: false,
});

const line = (id: number, isUp: boolean, disconnectedAt: string | null = null) => ({
  ...{ id, name: `Loja ${id}`, isUp, disconnectedAt },
});
const lostAt = "2026-11-19T17:20:00.000Z";

function given(id: number, fields: Partial<Record<keyof ManagedCompany, unknown>> = {}) {
  return managedCompany.parse({
    ...{ id, name: `Empresa ${id}`, email: `contato${id}@empresa.com.br`, phone: "48998124471" },
    ...{ status: true, planId: 2, plan: team, recurrence: "MENSAL", suspensionReason: "" },
    ...{ dueDate: "2026-11-20T02:59:59.999Z", daysLeft: 60, timeZone: "America/Sao_Paulo" },
    ...{ createdAt: "2025-03-10T12:00:00.000Z", trialExpiration: null, lastSeenAt: null },
    ...{ isProvider: false, campaignsEnabled: true, users: 7, queues: 5, connections: [] },
    usage: {
      messages: 9_871,
      media: 1_204,
      fileBytes: 7.8e9,
      countedAt: "2026-11-19T12:19:00.000Z",
    },
    invoice: null,
    ...fields,
  });
}

const money = {
  ...{ revenue: 41_870, revenueBefore: 38_680 },
  ...{ open: { count: 47, value: 9_380 }, late: { count: 11, value: 2_190 } },
};

type Handlers = Parameters<typeof fakeServer>[0];

function open(rows: ManagedCompany[], more: Handlers = {}, at = "/settings?tab=companies") {
  const totals = { all: 214, due: 18, overdue: 11, down: 4, trial: 9, suspended: 2 };
  const server = fakeServer({
    "GET /api/companies": () => ({
      body: {
        ...{ companies: rows, count: rows.length, hasMore: false },
        totals: { ...totals, connectionsDown: 6, ...money },
      },
    }),
    "GET /api/plans/all": () => ({ body: [team, essential] }),
    "POST /api/companies": () => ({ body: givenUser().company }),
    "PUT /api/companies/1": () => ({ body: givenUser().company }),
    "DELETE /api/companies/1": () => ({ body: undefined }),
    ...more,
  });
  const steps = memorySteps(at);
  renderOnCache(
    <Router steps={steps}>
      <Suspense fallback={null}>
        <CompaniesPanel />
      </Suspense>
    </Router>,
  );
  const asked = (): string[] =>
    server.requests
      .filter(({ call }) => call.startsWith("GET /api/companies?"))
      .map(({ call }) => decodeURIComponent(call.split("?")[1] ?? ""));
  const sent = (call: string): unknown[] =>
    server.requests.filter((one) => one.call === call).map(({ body }) => body);
  return { asked, sent, address: () => steps.current().search };
}

const row = (name: string) => {
  const found = screen.getByRole("button", { name }).closest("tr");
  if (!found) throw new Error(`no row of ${name}`);
  return found;
};
const dialog = async (name: RegExp) => within(await screen.findByRole("dialog", { name }));
const save = (form: Awaited<ReturnType<typeof dialog>>) =>
  userEvent.click(form.getByRole("button", { name: "Salvar" }));

beforeEach(() => startSession(givenToken("t", 3_600), givenUser({ super: true })));
afterEach(() => {
  vi.useRealTimers();
  cleanup();
  endSession("logout");
  vi.restoreAllMocks();
});

test.each([
  ["2026-11-19", 1, "2026-12-19"],
  ["2026-01-31", 1, "2026-02-28"],
  ["2028-01-31", 1, "2028-02-29"],
  ["2026-10-31", 2, "2026-12-31"],
  ["2026-11-30", 3, "2027-02-28"],
  ["2026-08-31", 6, "2027-02-28"],
  ["2028-02-29", 12, "2029-02-28"],
])("%s and %i months are %s", (day, count, later) => {
  expect(addMonths(day, count)).toBe(later);
});

test("a row says with words and ground when its company is due", async () => {
  const cases: [daysLeft: number | null, words: string, tint: string | undefined][] = [
    [-95, "vencida há 3 meses", "bad-edge"],
    [-4, "vencida há 4 dias", "bad-edge"],
    [-3, "vencida há 3 dias", "warn-edge"],
    [-1, "vencida há 1 dia", "warn-edge"],
    [0, "vence hoje", "warn-edge"],
    [4, "vence em 4 dias", "warn-edge"],
    [5, "vence em 5 dias", "warn"],
    [6, "em 6 dias", undefined],
    [59, "em 59 dias", undefined],
    [93, "em 3 meses", undefined],
    // Far away a day has its year and no words.
    [800, "19/11/2026", undefined],
    [null, "sem vencimento", undefined],
  ];
  open(
    cases.map(([daysLeft], id) =>
      given(id + 1, { daysLeft, ...(daysLeft === null ? { dueDate: null } : {}) }),
    ),
  );
  await screen.findByRole("button", { name: "Empresa 1" });
  for (const [index, [daysLeft, words, tint]] of cases.entries()) {
    const one = row(`Empresa ${index + 1}`);
    expect([daysLeft, one.dataset["tint"]]).toEqual([daysLeft, tint]);
    expect(within(one).getByText(words)).toBeTruthy();
    // The day in the zone of the company, where the moment is still the 19th.
    if (daysLeft !== null && daysLeft < 100) expect(within(one).getByText("19/11")).toBeTruthy();
  }
});

test("a row shows standing, use, connections and activity, with words beside each colour", async () => {
  const ago = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString();
  open([
    given(1, { status: false, users: 10, lastSeenAt: ago(12.5) }),
    given(2, {
      trialExpiration: ago(-600),
      lastSeenAt: ago(5 * 24 * 60 + 1),
      connections: [line(1, true), line(2, false, lostAt), line(3, false)],
    }),
    given(3, { connections: Array.from({ length: 9 }, (_, id) => line(id + 1, true)) }),
    given(4, { trialExpiration: ago(5) }),
  ]);
  await screen.findByRole("button", { name: "Empresa 1" });
  const [suspended, trial, large] = [row("Empresa 1"), row("Empresa 2"), row("Empresa 3")];
  expect(suspended.textContent).toMatch(/Suspensa.*10\/10.*há 12 min/);
  expect(suspended.querySelector("[data-full]")).not.toBeNull();
  expect(trial.textContent).toMatch(/Teste.*7\/10.*1 caída.*há 5 dias/);
  expect(trial.querySelector("[data-full]")).toBeNull();
  // The keyboard reaches the name and the time of a loss too.
  const dots = within(trial).getByRole("button", {
    name: /^3 conexões: Loja 1; Loja 2, caída desde 19\/11.*, 14:20; Loja 3, nunca conectada$/,
  });
  expect(dots.dataset["tip"]).toMatch(/Loja 2, caída desde/);
  expect(dots.children).toHaveLength(3);
  expect(within(large).getByRole("img").textContent).toBe("9");
  expect(large.textContent).toMatch(/nunca$/);
  expect(row("Empresa 4").textContent).not.toMatch(/Teste/);
});

test("a row tells the month's messages and the files, and the list is ordered by them", async () => {
  const none = { messages: 0, media: 0, fileBytes: 0, countedAt: null };
  const { asked } = open([given(1), given(2, { usage: none })]);
  await screen.findByRole("button", { name: "Empresa 1" });
  expect(plain(row("Empresa 1").textContent)).toMatch(/9\.871.*7,8 GB/);
  expect(row("Empresa 2").querySelectorAll("[data-empty]")).toHaveLength(2);
  for (const [title, order] of [
    ["Mensagens/mês", "messages"],
    ["Arquivos", "fileBytes"],
  ] as const) {
    await userEvent.click(screen.getByRole("button", { name: title }));
    await waitFor(() => expect(asked().at(-1)).toBe(`pageNumber=1&order=${order}&descending=true`));
  }
});

test("the form tells the use of the plan, of the month, and of the disk", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: new Date("2026-12-01T01:30:00.000Z") });
  const fields = {
    users: 10,
    connections: [line(1, true)],
    lastSeenAt: "2026-12-01T01:30:00.000Z",
  };
  open([given(1, fields)], {}, "/settings?tab=companies&edit=1");
  const form = await dialog(/^Empresa 1/);
  const use = within(form.getByRole("group", { name: "Uso" }));
  expect(use.getAllByRole("definition").map((one) => plain(one.textContent))).toEqual([
    ...["10 de 10", "1 de 3", "5 de 10", "7,8 GB"],
  ]);
  // In São Paulo it is still November.
  expect(use.getByText("novembro até hoje")).toBeTruthy();
  expect(use.getByText("9.871 mensagens, 1.204 com mídia. Última atividade agora.")).toBeTruthy();
});

test("the menu of a row leads to the invoices and to the plan", async () => {
  const { address } = open([given(1)]);
  const choose = async (name: string) => {
    await userEvent.click(await screen.findByRole("button", { name: "Ações de Empresa 1" }));
    await userEvent.click(await screen.findByRole("menuitem", { name }));
  };
  await choose("Mudar plano");
  const form = await dialog(/^Empresa 1/);
  await waitFor(() => expect(document.activeElement).toBe(form.getByLabelText("Plano")));
  await userEvent.keyboard("{Escape}");
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  await choose("Ver faturas");
  expect(address()).toBe("?companyId=1");
});

test("filter, search and order stand in the address and are asked of the server", async () => {
  const { asked, address } = open([given(1)]);
  await userEvent.click(await screen.findByRole("button", { name: "Vencidas 11" }));
  expect(address()).toBe("?tab=companies&filter=overdue");
  expect(screen.getByRole("button", { name: "Vencidas 11", pressed: true })).toBeTruthy();
  await userEvent.type(screen.getByRole("searchbox"), "padaria");
  await waitFor(() => expect(address()).toBe("?tab=companies&search=padaria&filter=overdue"));
  const head = (name: string) => screen.getByRole("columnheader", { name });
  expect(head("Vencimento").getAttribute("aria-sort")).toBe("ascending");
  await userEvent.click(screen.getByRole("button", { name: "Atividade" }));
  expect(head("Atividade").getAttribute("aria-sort")).toBe("descending");
  expect(address()).toContain("sort=-lastSeenAt");
  await waitFor(() =>
    expect(asked().at(-1)).toBe(
      "searchParam=padaria&pageNumber=1&order=lastSeenAt&descending=true&state=overdue",
    ),
  );
  expect(asked()[0]).toBe("pageNumber=1&order=dueDate&descending=false");
  await userEvent.click(screen.getByRole("button", { name: "Vencimento" }));
  expect(address()).not.toContain("sort=");
});

/** The text with usual spaces. */
const plain = (text: string | null): string => (text ?? "").replaceAll("\u00a0", " ");

test("the figures tell revenue, open and late invoices, and lost connections; two of them filter", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: new Date("2026-12-01T01:30:00.000Z") });
  const { address } = open([given(1)]);
  const figures = within(await screen.findByRole("group", { name: "Números" }));
  const late = await figures.findByRole("button", { name: /^Vencidas 11 R\$\s2\.190,00$/ });
  const texts = [...screen.getByRole("group", { name: "Números" }).children].map((one) =>
    plain(one.textContent),
  );
  expect(texts).toEqual([
    // In São Paulo it is still November.
    "Receita de novembro R$ 41.870,00 R$ 3.190,00 a mais que outubro",
    "Faturas em aberto 47 R$ 9.380,00",
    "Vencidas 11 R$ 2.190,00",
    "Conexões caídas 6 em 4 de 214 empresas",
  ]);
  expect(figures.getAllByRole("button")).toHaveLength(2);
  await userEvent.click(late);
  expect(address()).toContain("filter=overdue");
  expect(late.getAttribute("aria-pressed")).toBe("true");
  await userEvent.click(figures.getByRole("button", { name: /^Conexões caídas/ }));
  expect(address()).toContain("filter=down");
  expect(late.getAttribute("aria-pressed")).toBe("false");
  await userEvent.click(figures.getByRole("button", { name: /^Conexões caídas/ }));
  expect(address()).not.toContain("filter=");
});

test("the form shows the open invoice and says its new price", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: new Date("2026-11-19T12:00:00.000Z") });
  const invoice = { id: 1192, value: 199.9, dueDate: "2026-11-20T02:59:59.999Z" };
  open([given(1, { invoice })], {}, "/settings?tab=companies&edit=1");
  const form = await dialog(/^Empresa 1/);
  await form.findByRole("option", { name: /^Essencial/ });
  const line = form.getByText(/Fatura nº 1192/);
  expect(plain(line.textContent)).toBe("Em aberto Fatura nº 1192, R$ 199,90, vence hoje Faturas");
  expect(form.getByRole("link", { name: "Faturas" }).getAttribute("href")).toBe(
    "/financeiro?companyId=1",
  );
  const hint = () => plain(form.queryByText(/^A fatura em aberto passa/)?.textContent ?? "");
  expect(hint()).toBe("");
  await userEvent.selectOptions(form.getByLabelText("Recorrência"), "Bimestral");
  expect(hint()).toBe("A fatura em aberto passa a R$ 399,80.");
  await userEvent.selectOptions(form.getByLabelText("Plano"), "1");
  expect(hint()).toBe("A fatura em aberto passa a R$ 199,80.");
  await userEvent.selectOptions(form.getByLabelText("Plano"), "2");
  await userEvent.selectOptions(form.getByLabelText("Recorrência"), "Mensal");
  expect(hint()).toBe("");
});

test("a company is deleted once its name is typed; the provider's own cannot be", async () => {
  const { sent } = open([
    given(1, { users: 7, connections: [line(1, true)] }),
    given(2, { isProvider: true }),
  ]);
  await userEvent.click(await screen.findByRole("button", { name: "Ações de Empresa 2" }));
  await screen.findByRole("menuitem", { name: "Editar" });
  expect(screen.queryByRole("menuitem", { name: "Excluir" })).toBeNull();
  await userEvent.keyboard("{Escape}");
  await userEvent.click(screen.getByRole("button", { name: "Ações de Empresa 1" }));
  await userEvent.click(await screen.findByRole("menuitem", { name: "Excluir" }));
  const question = await dialog(/^Excluir Empresa 1\?$/);
  expect(question.getAllByRole("listitem").map((item) => item.textContent)).toEqual([
    "7 usuários",
    "1 conexão, que se desliga do celular",
    "todas as conversas, contatos, arquivos (7,8 GB) e faturas",
  ]);
  const confirm = question.getByRole("button", { name: "Excluir" });
  await userEvent.type(question.getByLabelText("Digite Empresa 1 para confirmar"), "Empresa");
  await userEvent.click(confirm);
  expect(question.getByText("O nome não confere")).toBeTruthy();
  expect(sent("DELETE /api/companies/1")).toEqual([]);
  await userEvent.type(question.getByLabelText("Digite Empresa 1 para confirmar"), " 1");
  await userEvent.click(confirm);
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(sent("DELETE /api/companies/1")).toHaveLength(1);
});

test("the due date grows by the recurrence and can be undone; a smaller plan says what stays", async () => {
  const { sent } = open([given(1, { users: 10, connections: [line(1, true), line(2, true)] })]);
  const cell = within(await screen.findByRole("row", { name: /Empresa 1/ })).getByText("19/11");
  await userEvent.click(cell);
  const form = await dialog(/^Empresa 1/);
  await form.findByRole("option", { name: /^Essencial, R\$\s99,90$/ });
  const date = form.getByLabelText<HTMLInputElement>("Vencimento");
  const add = form.getByRole("button", { name: "Vencimento" });
  expect(date.value).toBe("2026-11-19");
  expect(form.queryByRole("button", { name: "Desfazer" })).toBeNull();
  await userEvent.selectOptions(form.getByLabelText("Recorrência"), "Trimestral");
  await userEvent.click(add);
  await userEvent.click(add);
  expect(date.value).toBe("2027-05-19");
  expect(
    form.getByText("Era 19/11/2026. Cada clique soma 3 meses, como a recorrência."),
  ).toBeTruthy();
  await userEvent.click(form.getByRole("button", { name: "Desfazer" }));
  expect(date.value).toBe("2026-11-19");
  await userEvent.click(add);
  await userEvent.selectOptions(form.getByLabelText("Plano"), "1");
  expect(form.getByText("Ficam 10 usuários; novos só abaixo do limite de 3.")).toBeTruthy();
  expect(form.getByText("Ficam 2 conexões; novas só abaixo do limite de 1.")).toBeTruthy();
  expect(form.getByText("Ficam 5 filas; novas só abaixo do limite de 4.")).toBeTruthy();
  expect(form.getByText("O plano Essencial não inclui envio em massa.")).toBeTruthy();
  await save(form);
  await waitFor(() => expect(sent("PUT /api/companies/1")).toHaveLength(1));
  expect(sent("PUT /api/companies/1")[0]).toEqual({
    ...{ name: "Empresa 1", email: "contato1@empresa.com.br", phone: "48998124471" },
    ...{ planId: 1, recurrence: "TRIMESTRAL", dueDate: "2027-02-19" },
    campaignsEnabled: true,
  });
});

test("a new company begins today, needs a plan and a password, and shows the server's errors at their fields", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: new Date("2026-11-20T01:30:00.000Z") });
  const refusals = ["ERR_USER_EMAIL_EXISTS", "ERR_COMPANY_NAME_ALREADY_EXISTS"];
  const { sent } = open([], {
    "POST /api/companies": () => {
      const code = refusals.shift();
      return code === undefined
        ? { body: givenUser().company }
        : { status: 400, body: { error: code, code } };
    },
  });
  await userEvent.click(await screen.findByRole("button", { name: "Nova empresa" }));
  const form = await dialog(/^Nova empresa$/);
  await form.findByRole("option", { name: /^Equipe/ });
  expect(form.queryByText("Uso")).toBeNull();
  await userEvent.type(form.getByLabelText("Nome"), "P");
  await userEvent.type(form.getByLabelText("E-mail"), "dono@petshop.com.br");
  await userEvent.click(form.getByRole("radio", { name: "Definir senha" }));
  await userEvent.type(form.getByLabelText("Senha do administrador"), "12345");
  await save(form);
  expect(await form.findByText("O nome precisa ter pelo menos 2 letras")).toBeTruthy();
  expect(form.getAllByText("Escolha um plano")).toHaveLength(2);
  expect(document.activeElement).toBe(form.getByLabelText("Nome"));
  const password = form.getByLabelText("Senha do administrador");
  expect(password.getAttribute("aria-invalid")).toBe("true");
  await userEvent.type(form.getByLabelText("Nome"), "et Shop");
  await userEvent.selectOptions(form.getByLabelText("Plano"), "2");
  await userEvent.clear(password);
  await userEvent.type(password, "girafa-lilás-27");
  await userEvent.click(form.getByRole("button", { name: "Vencimento" }));
  await save(form);
  await waitFor(() => expect(document.activeElement).toBe(form.getByLabelText("E-mail")));
  expect(form.getByLabelText("E-mail").getAttribute("aria-invalid")).toBe("true");
  await save(form);
  expect(await form.findByText("Já existe uma empresa com este nome")).toBeTruthy();
  expect(document.activeElement).toBe(form.getByLabelText("Nome"));
  await save(form);
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(sent("POST /api/companies").at(-1)).toEqual({
    ...{ name: "Pet Shop", email: "dono@petshop.com.br", phone: "", password: "girafa-lilás-27" },
    // In the zone of the company it is still the 19th.
    ...{ planId: 2, recurrence: "MENSAL", dueDate: "2026-12-19" },
    campaignsEnabled: true,
  });
});

test("the first admin of a new company is invited by e-mail, which the toast says", async () => {
  const { sent } = open([], { "POST /api/companies": () => ({ body: givenUser().company }) });
  await userEvent.click(await screen.findByRole("button", { name: "Nova empresa" }));
  const form = await dialog(/^Nova empresa$/);
  await form.findByRole("option", { name: /^Equipe/ });
  expect(form.queryByLabelText("Senha do administrador")).toBeNull();
  await userEvent.type(form.getByLabelText("Nome"), "Pet Shop");
  await userEvent.type(form.getByLabelText("E-mail"), "dono@petshop.com.br");
  await userEvent.selectOptions(form.getByLabelText("Plano"), "2");
  await save(form);
  expect(await screen.findByText("Convite enviado para contato@aurora.com.br")).toBeTruthy();
  expect(sent("POST /api/companies")).toMatchObject([
    { email: "dono@petshop.com.br", password: "", language: "pt" },
  ]);
});

test("a form closes at once, and with changes after a question", async () => {
  const { address } = open([given(1)], {}, "/settings?tab=companies&edit=1");
  await dialog(/^Empresa 1/);
  await userEvent.keyboard("{Escape}");
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(address()).toBe("?tab=companies");
  await userEvent.click(screen.getByRole("button", { name: "Editar Empresa 1" }));
  await userEvent.type((await dialog(/^Empresa 1/)).getByLabelText("Nome"), "!");
  await userEvent.keyboard("{Escape}");
  const question = await dialog(/^Descartar as alterações\?$/);
  await userEvent.keyboard("{Escape}");
  await waitFor(() => expect(screen.getAllByRole("dialog")).toHaveLength(1));
  await userEvent.keyboard("{Escape}");
  await dialog(/^Descartar as alterações\?$/);
  expect(question).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: "Descartar" }));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  await userEvent.click(screen.getByRole("button", { name: "Editar Empresa 1" }));
  const again = (await dialog(/^Empresa 1/)).getByLabelText<HTMLInputElement>("Nome");
  expect(again.value).toBe("Empresa 1");
});

test("suspending asks for a reason and sends it; the provider's own company cannot be suspended", async () => {
  const { sent } = open([
    given(1),
    given(2, { isProvider: true }),
    given(3, { status: false, suspensionReason: "Não pagou" }),
  ]);
  const put = () => sent("PUT /api/companies/1");
  await userEvent.click(await screen.findByRole("button", { name: "Ações de Empresa 2" }));
  await screen.findByRole("menuitem", { name: "Editar" });
  expect(screen.queryByRole("menuitem", { name: "Suspender" })).toBeNull();
  await userEvent.keyboard("{Escape}");
  await userEvent.click(screen.getByRole("button", { name: "Ações de Empresa 1" }));
  await userEvent.click(await screen.findByRole("menuitem", { name: "Suspender" }));
  const question = await dialog(/^Suspender Empresa 1\?$/);
  const confirm = question.getByRole("button", { name: "Suspender" });
  await userEvent.click(confirm);
  expect(question.getByText("Diga o motivo da suspensão")).toBeTruthy();
  expect(put()).toEqual([]);
  await userEvent.type(question.getByLabelText("Motivo"), " Três faturas vencidas ");
  await userEvent.click(confirm);
  await waitFor(() =>
    expect(put()).toEqual([{ status: false, suspensionReason: "Três faturas vencidas" }]),
  );

  // In the form it is saved by itself; what else is saved later does not end the suspension.
  await userEvent.click(screen.getByRole("button", { name: "Editar Empresa 1" }));
  const form = await dialog(/^Empresa 1/);
  await userEvent.click(form.getByRole("button", { name: "Suspender" }));
  const second = await dialog(/^Suspender Empresa 1\?$/);
  await userEvent.type(second.getByLabelText("Motivo"), "Fraude");
  await userEvent.click(second.getByRole("button", { name: "Suspender" }));
  expect(await form.findByText("Motivo da suspensão: Fraude")).toBeTruthy();
  await userEvent.type(form.getByLabelText("Nome"), "0");
  await save(form);
  await waitFor(() => expect(put()).toHaveLength(3));
  expect(put()[2]).toEqual({
    ...{ name: "Empresa 10", email: "contato1@empresa.com.br", phone: "48998124471" },
    ...{ planId: 2, dueDate: "2026-11-19", recurrence: "MENSAL", campaignsEnabled: true },
  });
});
