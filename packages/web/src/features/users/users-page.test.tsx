import type { Colleague } from "@balcao/contract";
import { colleague, companyEvent, queueRef } from "@balcao/contract";
import { act, cleanup, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { endSession, startSession } from "../../api/session-store.ts";
import type { SeenRequest } from "../../testing/fake-server.ts";
import { fakeServer } from "../../testing/fake-server.ts";
import { givenToken, givenUser } from "../../testing/given.ts";
import { memorySteps } from "../../testing/memory-steps.ts";
import { Router } from "../../router/index.tsx";
import { LiveSession, useStoredSession } from "../auth/index.ts";
import { renderOnCache } from "../messages/testing/render-feature.tsx";
import { UsersPage } from "./users-page.tsx";
import { sockets } from "../../testing/sockets.ts";

vi.mock("../../realtime/socket.ts", () => import("../../testing/sockets.ts"));

const sales = queueRef.parse({ id: 1, name: "Vendas", color: "#3b82c4" });
const support = queueRef.parse({ id: 2, name: "Suporte", color: "#c4683b" });

function given(id: number, fields: Partial<Colleague> = {}): Colleague {
  return colleague.parse({
    id,
    name: `Pessoa ${id}`,
    email: `pessoa${id}@aurora.com.br`,
    profile: "user",
    online: false,
    queues: [],
    ...fields,
  });
}

const editable = {
  ...{
    id: 8,
    name: "Ana",
    email: "ana@aurora.com.br",
    companyId: 3,
    profile: "user",
    super: false,
  },
  ...{ allTicket: "desabled", whatsappId: null, ticketLimit: 6, queues: [sales] },
};

type Handlers = Parameters<typeof fakeServer>[0];

function open(
  handlers: Handlers = {},
  users = [
    given(7, { name: "Marina Prado", profile: "admin" }),
    given(8, { name: "Ana", online: true, queues: [sales, support] }),
  ],
) {
  const server = fakeServer({
    "GET /api/users": () => ({ body: { users, count: users.length, hasMore: false } }),
    "GET /api/users/8": () => ({ body: editable }),
    "GET /api/users/8/use": () => ({ body: { openTickets: 2 } }),
    "POST /api/users": () => ({ body: givenUser({ id: 9 }) }),
    "PUT /api/users/8": () => ({ body: givenUser({ id: 8, name: "Ana Reis" }) }),
    "DELETE /api/users/8": () => ({ body: { message: "User deleted" } }),
    "GET /api/queue": () => ({ body: [sales, support] }),
    "GET /api/whatsapp": () => ({ body: [] }),
    "GET /api/roles": () => ({ body: [] }),
    "GET /api/companies/listPlan/3": () => ({ status: 503, body: { error: "none" } }),
    ...handlers,
  });
  startSession(givenToken("t", 3_600), givenUser());
  renderOnCache(<Screen />);
  return server;
}

function Screen() {
  const session = useStoredSession();
  if (!session) return <p>signed out</p>;
  return (
    <>
      <LiveSession session={session} />
      <Router steps={memorySteps("/users")}>
        <UsersPage />
      </Router>
    </>
  );
}

beforeEach(() => {});
afterEach(() => {
  cleanup();
  endSession("logout");
  vi.restoreAllMocks();
});

const writes = (requests: SeenRequest[]) => requests.filter(({ call }) => !call.startsWith("GET"));

async function openDialog(opener: string, title: string) {
  await userEvent.click(await screen.findByRole("button", { name: opener }));
  return within(await screen.findByRole("dialog", { name: title }));
}
type Ui = Awaited<ReturnType<typeof openDialog>>;

const save = (dialog: Ui): Promise<void> =>
  userEvent.click(dialog.getByRole("button", { name: "Salvar" }));

/** The other choice beside an invitation. */
const setPassword = (dialog: Ui): Promise<void> =>
  userEvent.click(dialog.getByRole("radio", { name: "Definir senha" }));

test("the table shows presence, profile and queues; the signed-in user cannot be deleted", async () => {
  open();
  const ana = await screen.findByRole("row", { name: /Ana/ });
  expect(within(ana).getByRole("img", { name: "Está conectado agora" })).toBeTruthy();
  expect(within(ana).getByText("pessoa8@aurora.com.br")).toBeTruthy();
  expect(within(ana).getByText("Atendente")).toBeTruthy();
  expect(within(ana).getByText("Vendas")).toBeTruthy();
  expect(within(ana).getByRole("button", { name: "Excluir Ana" })).toBeTruthy();
  const self = screen.getByRole("row", { name: /Marina Prado/ });
  expect(within(self).getByRole("img", { name: "Não está conectado" })).toBeTruthy();
  expect(within(self).getByText("você")).toBeTruthy();
  expect(within(self).getByText("Sem fila")).toBeTruthy();
  expect(within(self).queryByRole("button", { name: /^Excluir/ })).toBeNull();
  expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("Usuários 2");
});

test("three queues are named and the others counted", async () => {
  const queues = [1, 2, 3, 4, 5].map((id) =>
    queueRef.parse({ id, name: `Fila ${id}`, color: "#3b82c4" }),
  );
  open({}, [given(8, { queues })]);
  const row = await screen.findByRole("row", { name: /Pessoa 8/ });
  expect(within(row).getByText("Fila 3")).toBeTruthy();
  expect(within(row).queryByText("Fila 4")).toBeNull();
  expect(within(row).getByText("+2").title).toBe("Fila 4, Fila 5");
});

test("a search is sent to the server, and an empty result names its words", async () => {
  const { requests } = open({
    "GET /api/users": ({ call }) => ({
      body: call.includes("zz")
        ? { users: [], count: 0, hasMore: false }
        : { users: [given(8)], count: 1, hasMore: false },
    }),
  });
  await screen.findByText("Pessoa 8");
  await userEvent.type(screen.getByRole("searchbox", { name: "Buscar por nome ou e-mail" }), "ZZ");
  expect(await screen.findByText("Nada encontrado para “zz”")).toBeTruthy();
  const searches = requests.filter(({ call }) => call.startsWith("GET /api/users?"));
  expect(searches.at(-1)?.call).toContain("searchParam=zz");
});

test("a list that fails to load shows the error and a retry", async () => {
  let isDown = true;
  open({
    "GET /api/users": () =>
      isDown
        ? { status: 403, body: { error: "x", code: "ERR_NO_PERMISSION" } }
        : { body: { users: [given(8)], count: 1, hasMore: false } },
  });
  expect(await screen.findByText("Não foi possível carregar")).toBeTruthy();
  isDown = false;
  await userEvent.click(screen.getByRole("button", { name: "Tentar de novo" }));
  expect(await screen.findByText("Pessoa 8")).toBeTruthy();
});

test("a new user is saved with all fields", async () => {
  const { requests } = open();
  const dialog = await openDialog("Adicionar", "Novo usuário");
  await userEvent.type(dialog.getByRole("textbox", { name: "Nome" }), " Caio Lima ");
  await userEvent.type(dialog.getByRole("textbox", { name: "E-mail" }), "caio@aurora.com.br");
  await setPassword(dialog);
  await userEvent.type(dialog.getByLabelText("Senha"), "segredo-456");
  await userEvent.click(dialog.getByRole("radio", { name: "Supervisor" }));
  await userEvent.click(await dialog.findByRole("checkbox", { name: "Suporte" }));
  await userEvent.click(dialog.getByRole("switch", { name: /^Ver atendimentos sem fila/ }));
  const limit = dialog.getByRole("textbox", { name: "Limite de atendimentos" });
  await userEvent.clear(limit);
  await userEvent.type(limit, "0");
  await save(dialog);
  expect(await dialog.findByText("De 1 a 200")).toBeTruthy();
  await userEvent.clear(limit);
  await userEvent.type(limit, "12");
  await save(dialog);
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(writes(requests)).toMatchObject([
    {
      call: "POST /api/users",
      body: {
        name: "Caio Lima",
        email: "caio@aurora.com.br",
        password: "segredo-456",
        profile: "supervisor",
        allTicket: "enabled",
        whatsappId: null,
        ticketLimit: 12,
        queueIds: [2],
      },
    },
  ]);
});

test("a new user is invited by e-mail, which the toast says; then no password is asked for or sent", async () => {
  const { requests } = open({
    "POST /api/users": () => ({ body: givenUser({ id: 9, email: "caio@aurora.com.br" }) }),
  });
  const dialog = await openDialog("Adicionar", "Novo usuário");
  expect(
    dialog.getByRole<HTMLInputElement>("radio", { name: "Enviar convite por e-mail" }).checked,
  ).toBe(true);
  expect(dialog.queryByLabelText("Senha")).toBeNull();
  await userEvent.type(dialog.getByRole("textbox", { name: "Nome" }), "Caio Lima");
  await userEvent.type(dialog.getByRole("textbox", { name: "E-mail" }), "caio@aurora.com.br");
  // One that was begun is not sent with an invitation.
  await setPassword(dialog);
  await userEvent.type(dialog.getByLabelText("Senha"), "123");
  await userEvent.click(dialog.getByRole("radio", { name: "Enviar convite por e-mail" }));
  await save(dialog);
  expect(await screen.findByText("Convite enviado para caio@aurora.com.br")).toBeTruthy();
  expect(writes(requests)).toMatchObject([
    { call: "POST /api/users", body: { name: "Caio Lima", password: "", language: "pt" } },
  ]);
});

test("name, e-mail and password are validated before sending, and the first invalid field gets the focus", async () => {
  const { requests } = open();
  const dialog = await openDialog("Adicionar", "Novo usuário");
  await setPassword(dialog);
  await save(dialog);
  expect(dialog.getAllByText("Obrigatório")).toHaveLength(3);
  const name = dialog.getByRole("textbox", { name: "Nome" });
  expect(document.activeElement).toBe(name);
  await userEvent.type(name, "A");
  await userEvent.type(dialog.getByRole("textbox", { name: "E-mail" }), "caio");
  await userEvent.type(dialog.getByLabelText("Senha"), "1234");
  expect(dialog.getByText("Muito curto: no mínimo 2 caracteres")).toBeTruthy();
  expect(dialog.getByText("E-mail inválido")).toBeTruthy();
  expect(dialog.getByText("Muito curto: no mínimo 5 caracteres")).toBeTruthy();
  await userEvent.type(name, "a".repeat(50));
  expect(dialog.getByText("Muito longo: no máximo 50 caracteres")).toBeTruthy();
  await save(dialog);
  expect(writes(requests)).toEqual([]);
});

test("a password can be shown while it is typed", async () => {
  open();
  const dialog = await openDialog("Adicionar", "Novo usuário");
  await setPassword(dialog);
  const password = dialog.getByLabelText<HTMLInputElement>("Senha");
  expect(password.type).toBe("password");
  await userEvent.click(dialog.getByRole("button", { name: "Mostrar senha" }));
  expect(password.type).toBe("text");
});

test("only the changed fields of a user are sent, and no empty password", async () => {
  const { requests } = open();
  const dialog = await openDialog("Editar Ana", "Editar Ana");
  const name = await dialog.findByRole("textbox", { name: "Nome" });
  await userEvent.type(name, " Reis");
  await userEvent.click(await dialog.findByRole("checkbox", { name: "Vendas" }));
  await save(dialog);
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(writes(requests)).toMatchObject([{ call: "PUT /api/users/8" }]);
  expect(writes(requests)[0]?.body).toEqual({ name: "Ana Reis", queueIds: [] });
});

test("a taken e-mail is reported at its field, and the input stays", async () => {
  open({
    "POST /api/users": () => ({
      status: 400,
      body: { error: "An user with this email already exists.", code: "ERR_USER_EMAIL_EXISTS" },
    }),
  });
  const dialog = await openDialog("Adicionar", "Novo usuário");
  await userEvent.type(dialog.getByRole("textbox", { name: "Nome" }), "Caio");
  const email = dialog.getByRole<HTMLInputElement>("textbox", { name: "E-mail" });
  await userEvent.type(email, "ana@aurora.com.br");
  await setPassword(dialog);
  await userEvent.type(dialog.getByLabelText("Senha"), "segredo-456");
  await save(dialog);
  expect(await dialog.findByText("Outra pessoa já usa este e-mail.")).toBeTruthy();
  expect(email.getAttribute("aria-invalid")).toBe("true");
  expect(email.value).toBe("ana@aurora.com.br");
  expect(dialog.queryByRole("alert")).toBeNull();
});

test("the error of the plan's limit names the number", async () => {
  open({
    "POST /api/users": () => ({
      status: 400,
      body: { error: "Número máximo", code: "ERR_USER_LIMIT_REACHED", data: { max: 5 } },
    }),
  });
  const dialog = await openDialog("Adicionar", "Novo usuário");
  await userEvent.type(dialog.getByRole("textbox", { name: "Nome" }), "Caio");
  await userEvent.type(dialog.getByRole("textbox", { name: "E-mail" }), "caio@aurora.com.br");
  await setPassword(dialog);
  await userEvent.type(dialog.getByLabelText("Senha"), "segredo-456");
  await save(dialog);
  expect((await dialog.findByRole("alert")).textContent).toContain("permite 5 usuários");
});

test("the question before a deletion says what happens to the user's tickets", async () => {
  const { requests } = open();
  const dialog = await openDialog("Excluir Ana", "Excluir Ana?");
  expect(await dialog.findByText(/2 atendimentos abertos voltam a aguardar/)).toBeTruthy();
  expect(dialog.getByText(/O histórico das conversas é mantido/)).toBeTruthy();
  expect(writes(requests)).toEqual([]);
  await userEvent.click(dialog.getByRole("button", { name: "Excluir" }));
  await waitFor(() => expect(writes(requests)).toMatchObject([{ call: "DELETE /api/users/8" }]));
});

test("changes by other admins appear without a reload", async () => {
  const users = [given(8, { name: "Ana" })];
  open({ "GET /api/users": () => ({ body: { users, count: users.length, hasMore: false } }) });
  await screen.findByText("Ana");
  await waitFor(() => expect(sockets).not.toHaveLength(0));
  act(() => sockets.at(-1)?.receive("ready"));
  users.push(given(9, { name: "Bia" }));
  act(() =>
    sockets
      .at(-1)
      ?.receive(companyEvent(3, "user"), { action: "create", user: givenUser({ id: 9 }) }),
  );
  expect(await screen.findByText("Bia")).toBeTruthy();
});

test("no profile can be chosen before the roles are known, nor when they cannot be read", async () => {
  const { promise: known, resolve: answer } = Promise.withResolvers<void>();
  open({
    "GET /api/roles": async () => {
      await known;
      return { status: 400, body: { error: "none" } };
    },
  });
  const dialog = await openDialog("Editar Ana", "Editar Ana");
  const choice = await dialog.findByRole<HTMLSelectElement>("combobox", { name: "Perfil" });
  expect(choice.disabled).toBe(true);
  expect(choice.selectedOptions[0]?.textContent).toBe("Atendente");
  answer();
  await waitFor(() => expect(choice.getAttribute("aria-invalid")).toBe("true"));
  expect(choice.disabled).toBe(true);
});

test("where the company has roles, a user gets a profile or one of them", async () => {
  const role = {
    id: 5,
    companyId: 3,
    name: "Líder",
    profile: "supervisor",
    permissions: [],
    usersCount: 0,
  };
  const { requests } = open({ "GET /api/roles": () => ({ body: [role] }) });
  const dialog = await openDialog("Editar Ana", "Editar Ana");
  const choice = await dialog.findByRole<HTMLSelectElement>("combobox", { name: "Perfil" });
  await waitFor(() => expect(dialog.getByRole("option", { name: "Líder" })).toBeTruthy());
  expect(choice.value).toBe("user");
  await userEvent.selectOptions(choice, "Líder");
  expect(dialog.getByText(/baseado em Supervisor.*quando a pessoa entrar de novo/)).toBeTruthy();
  await save(dialog);
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(writes(requests)[0]?.body).toEqual({ profile: "supervisor", roleId: 5 });
});
