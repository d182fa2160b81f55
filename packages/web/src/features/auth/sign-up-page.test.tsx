import type { Plan } from "@balcao/contract";
import { plan } from "@balcao/contract";
import { screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { SeenRequest } from "../../testing/fake-server.ts";
import { fakeServer } from "../../testing/fake-server.ts";
import { renderRoutes } from "../../testing/render.tsx";
import { LoginPage } from "./login-page.tsx";
import { maskPhone, SignUpPage } from "./sign-up-page.tsx";

const flags = {
  ...{ useCampaigns: false, useKanban: false, useOpenAi: false, useIntegrations: false },
  ...{ useSchedules: true, useInternalChat: false, useExternalApi: false },
};
const given = (id: number, name: string, value: number, more: Partial<Plan> = {}): Plan =>
  plan.parse({
    ...{ id, name, value, users: 3, connections: 1, queues: 3, ...flags },
    ...{ useInternal: true, ...more },
  });
const plans = [
  given(1, "Essencial", 99.9),
  given(2, "Equipe", 199.9, { users: 10, useKanban: true, useCampaigns: true }),
  given(3, "Básico novo", 249.9, { useSchedules: false }),
];

type Handlers = Parameters<typeof fakeServer>[0];
const setting = (key: string, value: string): Handlers => ({
  [`GET /api/settings/${key}`]: () => ({ body: { key, value } }),
});
const refused = (status: number, code: string, data?: object) => ({
  ...{ status, body: { error: code, code, data } },
});

let requests: SeenRequest[] = [];
function open(more: Handlers = {}, at = "/signup") {
  requests = fakeServer({
    "GET /api/plans/register": () => ({ body: plans }),
    ...setting("trial", "3"),
    ...setting("allowregister", "enabled"),
    ...setting("viewregister", "disabled"),
    "POST /api/companies/cadastro": () => ({ body: { id: 9 } }),
    ...more,
  }).requests;
  const routes = [
    { path: "/signup", element: <SignUpPage /> },
    { path: "/login", element: <LoginPage /> },
  ];
  return renderRoutes(routes, at);
}

const field = (name: string) => screen.getByLabelText<HTMLInputElement>(name);
const planRow = (name: RegExp) => screen.findByRole<HTMLInputElement>("radio", { name });
const submit = () => userEvent.click(screen.getByRole("button", { name: "Criar conta" }));
const sent = () =>
  requests.filter(({ call }) => call === "POST /api/companies/cadastro").map(({ body }) => body);

async function fill(more: Record<string, string> = {}): Promise<void> {
  await planRow(/Essencial/);
  const values = {
    ...{ "Nome da empresa": " Ateliê Mariposa ", "E-mail": "camila@ateliemariposa.com.br" },
    ...{ "Telefone com DDD": "11984562210", Senha: "Kmtpx-47", ...more },
  };
  for (const [name, value] of Object.entries(values)) {
    await userEvent.clear(field(name));
    if (value !== "") await userEvent.type(field(name), value);
  }
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: new Date("2026-11-19T15:00:00.000Z") });
});
afterEach(() => {
  vi.useRealTimers();
});

test("a company is created, and the sign-in has its e-mail and says that the account is there", async () => {
  const { address } = open({}, "/signup?companyId=1");
  await fill();
  await submit();
  expect(await screen.findByText("Conta criada. Entre com sua senha.")).toBeTruthy();
  expect(address()).toBe("/login");
  expect(field("E-mail").value).toBe("camila@ateliemariposa.com.br");
  expect(document.activeElement).toBe(field("Senha"));
  expect(sent()).toEqual([
    {
      ...{ name: "Ateliê Mariposa", email: "camila@ateliemariposa.com.br" },
      ...{ phone: "(11) 98456-2210", password: "Kmtpx-47", planId: 1 },
    },
  ]);
});

test("plans say what they add to the one before; below stand the price today, the first day that costs, and the price then", async () => {
  open();
  const text = async (name: RegExp) => (await planRow(name)).closest("label")?.textContent;
  expect(await text(/Essencial R\$\s99,90 por mês/)).toMatch(
    /3 usuários · 1 conexão · 3 filasRespostas rápidas, etiquetas e agendamentos$/,
  );
  expect(await text(/Equipe/)).toMatch(/Tudo do Essencial, mais campanhas e kanban$/);
  expect(await text(/Básico novo/)).toMatch(/Respostas rápidas e etiquetas$/);
  expect(screen.getByText(/3 dias grátis/)).toBeTruthy();
  const form = within(screen.getByRole("form"));
  const cost = () => form.getByText(/A partir de/).closest("div")?.textContent;
  expect(cost()).toMatch(/Hoje R\$\s0,00→A partir de 22\/11\/2026 R\$\s99,90 por mês, no PIX/);
  (await planRow(/Essencial/)).focus();
  await userEvent.click(await planRow(/Equipe/));
  expect(cost()).toMatch(/R\$\s199,90/);
});

test.each([
  ["?plan=2", "Equipe"],
  ["?plan=77", "Essencial"],
  ["", "Essencial"],
])("the address %j chooses the plan %s", async (search, name) => {
  open({}, `/signup${search}`);
  expect((await planRow(new RegExp(name))).checked).toBe(true);
});

test.each([
  ["11984562210", "(11) 98456-2210"],
  ["+55 (11) 98456-2210", "(11) 98456-2210"],
  ["5511984562210", "(11) 98456-2210"],
  ["1134562210", "(11) 3456-2210"],
  ["(55) 99812-44711", "(55) 99812-4471"],
  ["119", "(11) 9"],
  ["11", "(11"],
  ["abc", ""],
])("the phone %j is written as %j", (typed, shown) => {
  expect(maskPhone(typed)).toBe(shown);
});

test("the mask keeps the caret behind the digit where the user types", async () => {
  open();
  const phone = field("Telefone com DDD");
  await userEvent.type(phone, "11984562210");
  expect(phone.value).toBe("(11) 98456-2210");
  await userEvent.type(phone, "{Backspace}{Backspace}", {
    initialSelectionStart: 7,
    initialSelectionEnd: 7,
  });
  expect([phone.value, phone.selectionStart]).toEqual(["(11) 4562-210", 3]);
});

test("an empty form names what is missing at each field, focuses the first, and sends nothing", async () => {
  open();
  await planRow(/Essencial/);
  await submit();
  expect(await screen.findByText("O nome precisa ter pelo menos 2 letras")).toBeTruthy();
  expect(screen.getByText("Informe o e-mail")).toBeTruthy();
  expect(screen.getByText("Informe o telefone com DDD")).toBeTruthy();
  expect(field("Senha").getAttribute("aria-invalid")).toBe("true");
  expect(document.activeElement).toBe(field("Nome da empresa"));
  expect(sent()).toEqual([]);
});

test("the length of the password is ticked while it is typed; an easy one is said at its field", async () => {
  open({ "POST /api/companies/cadastro": () => refused(400, "ERR_PASSWORD_EASY") });
  const rules = () => {
    const ids = field("Senha").getAttribute("aria-describedby")?.split(" ") ?? [];
    return ids.map((id) => document.getElementById(id)?.textContent).join("");
  };
  expect(rules()).toBe("5 caracteres ou maisfalta");
  await userEvent.type(field("Senha"), "senha");
  expect(rules()).toBe("5 caracteres ou maiscumprido");
  await userEvent.clear(field("Senha"));
  await fill();
  await submit();
  expect(await screen.findByText("Esta senha é fácil de adivinhar. Escolha outra.")).toBeTruthy();
  await waitFor(() => expect(document.activeElement).toBe(field("Senha")));
});

test("a name and an e-mail in use are said at their fields, with the way to the sign-in", async () => {
  const refusals = ["ERR_COMPANY_NAME_ALREADY_EXISTS", "ERR_USER_EMAIL_EXISTS"];
  open({
    "POST /api/companies/cadastro": () => refused(400, refusals.shift() ?? "ERR_INTERNAL"),
  });
  await fill();
  await submit();
  expect(await screen.findByText("Já existe uma empresa com este nome.")).toBeTruthy();
  await waitFor(() => expect(document.activeElement).toBe(field("Nome da empresa")));
  await userEvent.type(field("Nome da empresa"), "Ateliê M");
  expect(screen.queryByText("Já existe uma empresa com este nome.")).toBeNull();
  await submit();
  const error = await screen.findByText(/Já existe uma conta com este e-mail\./);
  await userEvent.click(within(error).getByRole("link", { name: "Entrar" }));
  await waitFor(() => expect(field("E-mail").value).toBe("camila@ateliemariposa.com.br"));
  expect(screen.queryByText(/Conta criada/)).toBeNull();
});

test.each([
  [
    refused(429, "ERR_TOO_MANY_REQUESTS", { retryAfterSeconds: 350 }),
    "Muitas tentativas. Tente de novo em 6 minutos.",
  ],
  [refused(404, "ERR_NO_PLAN_FOUND"), "Este plano não é mais oferecido. Escolha outro."],
  ["unreachable" as const, "Sem resposta do servidor. Verifique sua conexão e tente de novo."],
])("a refusal is said above the price, and the input stays: %#", async (answer, words) => {
  open({ "POST /api/companies/cadastro": () => answer });
  await fill();
  await submit();
  expect((await screen.findByRole("alert")).textContent).toBe(words);
  expect(field("Senha").value).toBe("Kmtpx-47");
});

test("while the sign-up is closed the page says so and leads to the sign-in", async () => {
  open(setting("allowregister", "disabled"));
  expect(await screen.findByRole("heading", { name: "O cadastro está fechado" })).toBeTruthy();
  expect(screen.queryByRole("form")).toBeNull();
});

test("plans that cannot be read are read again on request, and nothing can be sent before", async () => {
  let isDown = true;
  open({
    "GET /api/plans/register": () => (isDown ? { status: 404, body: {} } : { body: plans }),
  });
  const again = await screen.findByRole("button", { name: "Tentar de novo" });
  expect(screen.getByRole<HTMLButtonElement>("button", { name: "Criar conta" }).disabled).toBe(
    true,
  );
  isDown = false;
  await userEvent.click(again);
  expect((await planRow(/Essencial/)).checked).toBe(true);
});
