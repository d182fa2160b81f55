import type { BoundFunctions, queries } from "@testing-library/react";
import { screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";
import { startSession } from "../../api/session-store.ts";
import { givenToken, givenUser } from "../../testing/given.ts";
import { givenConnection } from "../tickets/testing/given-choices.ts";
import { ConnectionsPage } from "./connections-page.tsx";
import { connectionServer, openConnected } from "./testing/connections-screen.tsx";
import { sockets } from "../../testing/sockets.ts";

vi.mock("../../realtime/socket.ts", () => import("../../testing/sockets.ts"));

const shop = givenConnection(1, "Loja Paulista", {
  channel: "whatsapp-web",
  greetingMessage: "Oi",
  queues: [{ id: 1, name: "Vendas", color: "#3b82c4", greetingMessage: "" }],
  promptId: 4,
  transferQueueId: 2,
  timeToTransfer: 15,
});
const official = givenConnection(3, "Central", {
  channel: "cloud-api",
  cloudApi: {
    phoneNumberId: "1001",
    businessAccountId: "2002",
    webhookUrl: "https://balcao.example/webhook/cloud/abc",
    verifyToken: "palavra",
  },
});

beforeEach(() => {
  startSession(givenToken("t", 3_600), givenUser());
});

type Ui = BoundFunctions<typeof queries>;

async function openDialog(opener: string, title: string): Promise<Ui> {
  await openConnected(<ConnectionsPage />, sockets);
  const [button] = await screen.findAllByRole("button", { name: opener });
  if (!button) throw new Error(`no button ${opener}`);
  await userEvent.click(button);
  return within(await screen.findByRole("dialog", { name: title }));
}

const save = (dialog: Ui): Promise<void> =>
  userEvent.click(dialog.getByRole("button", { name: "Salvar" }));

test("a new connection is saved with all settings, and its code is awaited", async () => {
  const server = connectionServer([], {
    "POST /api/whatsapp": () => {
      const saved = givenConnection(9, "Nova", { status: "OPENING" });
      server.connections = [saved];
      return { body: saved };
    },
  });
  const dialog = await openDialog("Adicionar", "Nova conexão");
  await userEvent.type(dialog.getByRole("textbox", { name: "Nome" }), "Nova");
  await userEvent.click(dialog.getByRole("switch", { name: /^Conexão padrão/ }));
  await userEvent.click(await dialog.findByRole("checkbox", { name: "Suporte" }));
  await userEvent.click(dialog.getByRole("button", { name: "Gerar token" }));
  await userEvent.click(dialog.getByRole("tab", { name: "Mensagens" }));
  await userEvent.type(dialog.getByRole("textbox", { name: "Mensagem ao resolver" }), "Até logo");
  await userEvent.click(dialog.getByRole("tab", { name: "Chatbot e prazos" }));
  const expiry = dialog.getByRole("textbox", { name: "Encerrar após (minutos)" });
  await userEvent.clear(expiry);
  await userEvent.type(expiry, "90");
  await userEvent.selectOptions(
    dialog.getByRole("combobox", { name: "Fila de destino" }),
    "Vendas",
  );
  await userEvent.type(dialog.getByRole("textbox", { name: "Redirecionar após (minutos)" }), "20");
  await save(dialog);
  expect(await screen.findByText("Conexão salva com sucesso")).toBeTruthy();
  expect(server.bodyOf("POST /api/whatsapp")).toEqual({
    name: "Nova",
    channel: "whatsapp-web",
    isDefault: true,
    queueIds: [2],
    token: expect.stringMatching(/^[\da-f]{32}$/),
    provider: "beta",
    greetingMessage: "",
    complationMessage: "Até logo",
    outOfHoursMessage: "",
    ratingMessage: "",
    farewellMessage: "",
    expiresInactiveMessage: "",
    maxUseBotQueues: 3,
    timeUseBotQueues: 0,
    expiresTicket: 90,
    transferQueueId: 1,
    timeToTransfer: 20,
    ...{ promptId: null, integrationId: null },
  });
  expect(await screen.findByRole("dialog", { name: "Conectar Nova" })).toBeTruthy();
});

test("a known connection is shown with its settings, and untouched ones are sent unchanged", async () => {
  const server = connectionServer([shop]);
  const dialog = await openDialog("Editar Loja Paulista", "Editar Loja Paulista");
  expect((await dialog.findByRole<HTMLInputElement>("checkbox", { name: "Vendas" })).checked).toBe(
    true,
  );
  await save(dialog);
  await waitFor(() => expect(server.writes()).toEqual(["PUT /api/whatsapp/1"]));
  expect(server.bodyOf("PUT /api/whatsapp/1")).toMatchObject({
    name: "Loja Paulista",
    greetingMessage: "Oi",
    queueIds: [1],
    transferQueueId: 2,
    timeToTransfer: 15,
    token: null,
    ...{ promptId: 4, integrationId: null },
  });
  expect(screen.queryByRole("dialog", { name: /^Conectar/ })).toBeNull();
});

test("a name needs two characters", async () => {
  const server = connectionServer([]);
  const dialog = await openDialog("Adicionar", "Nova conexão");
  await save(dialog);
  expect(await dialog.findByText("Obrigatório")).toBeTruthy();
  const name = dialog.getByRole("textbox", { name: "Nome" });
  expect(document.activeElement).toBe(name);
  await userEvent.type(name, "a");
  expect(await dialog.findByText("Use ao menos 2 caracteres")).toBeTruthy();
  expect(server.writes()).toEqual([]);
});

test("two queues without a greeting show the messages tab and focus the field", async () => {
  const server = connectionServer([]);
  const dialog = await openDialog("Adicionar", "Nova conexão");
  await userEvent.type(dialog.getByRole("textbox", { name: "Nome" }), "Nova");
  await userEvent.click(await dialog.findByRole("checkbox", { name: "Vendas" }));
  await userEvent.click(dialog.getByRole("checkbox", { name: "Suporte" }));
  await save(dialog);
  expect(await dialog.findByText("Com mais de uma fila, a saudação é obrigatória")).toBeTruthy();
  expect(dialog.getByRole("tab", { selected: true }).textContent).toBe("Mensagens");
  expect(document.activeElement).toBe(dialog.getByRole("textbox", { name: "Saudação" }));
  expect(server.writes()).toEqual([]);
});

test.each([
  ["1,5", "Encerrar após (minutos)", "Use um número inteiro de 0 a 43200"],
  ["43201", "Intervalo entre menus (minutos)", "Use um número inteiro de 0 a 43200"],
  ["101", "Repetições do menu", "Use um número inteiro de 0 a 100"],
])("%s is refused for %s", async (value, label, problem) => {
  const server = connectionServer([shop]);
  const dialog = await openDialog("Editar Loja Paulista", "Editar Loja Paulista");
  await userEvent.click(dialog.getByRole("tab", { name: "Chatbot e prazos" }));
  const field = dialog.getByRole("textbox", { name: label });
  await userEvent.clear(field);
  await userEvent.type(field, value);
  await save(dialog);
  expect(await dialog.findByText(problem)).toBeTruthy();
  expect(server.writes()).toEqual([]);
});

test("a taken name shows the error at the field and keeps the input", async () => {
  connectionServer([], {
    "POST /api/whatsapp": () => ({ status: 400, body: { error: "ERR_WAPP_NAME_EXISTS" } }),
  });
  const dialog = await openDialog("Adicionar", "Nova conexão");
  const name = dialog.getByRole<HTMLInputElement>("textbox", { name: "Nome" });
  await userEvent.type(name, "Loja");
  await userEvent.click(dialog.getByRole("tab", { name: "Mensagens" }));
  await save(dialog);
  expect(await dialog.findByText("Outra conexão já usa este nome.")).toBeTruthy();
  expect(dialog.queryByRole("alert")).toBeNull();
  await waitFor(() => expect(document.activeElement).toBe(name));
  expect(name.value).toBe("Loja");
});

test("the last default connection cannot be unset: the error is shown in the dialog", async () => {
  connectionServer([shop], {
    "PUT /api/whatsapp/1": () => ({ status: 400, body: { error: "ERR_NO_OTHER_WHATSAPP" } }),
  });
  const dialog = await openDialog("Editar Loja Paulista", "Editar Loja Paulista");
  await save(dialog);
  expect((await dialog.findByRole("alert")).textContent).toBe(
    "É necessário ter ao menos uma conexão padrão.",
  );
});

test("the official API requires credentials; after saving, the webhook is shown", async () => {
  const server = connectionServer([], { "POST /api/whatsapp": () => ({ body: official }) });
  const dialog = await openDialog("Adicionar", "Nova conexão");
  await userEvent.type(dialog.getByRole("textbox", { name: "Nome" }), "Central");
  expect(dialog.queryByLabelText("Token de acesso")).toBeNull();
  await userEvent.click(dialog.getByRole("radio", { name: "API oficial do WhatsApp" }));
  await save(dialog);
  expect(await dialog.findAllByText("Obrigatório")).toHaveLength(4);
  await userEvent.type(dialog.getByLabelText("ID do número de telefone"), "1001");
  await userEvent.type(dialog.getByLabelText("ID da conta do WhatsApp Business"), "20x");
  expect(await dialog.findByText("Só números")).toBeTruthy();
  await userEvent.type(dialog.getByLabelText("ID da conta do WhatsApp Business"), "{Backspace}02");
  await userEvent.type(dialog.getByLabelText("Token de acesso"), "EAAG");
  await userEvent.type(dialog.getByLabelText("Chave secreta do aplicativo"), "s3gredo");
  await save(dialog);
  const told = within(
    await screen.findByRole("dialog", { name: "Falta informar o endereço à Meta" }),
  );
  expect(server.bodyOf("POST /api/whatsapp")).toMatchObject({
    channel: "cloud-api",
    cloudApi: {
      phoneNumberId: "1001",
      businessAccountId: "2002",
      accessToken: "EAAG",
      appSecret: "s3gredo",
    },
  });
  expect(told.getByLabelText<HTMLInputElement>("Endereço do webhook").value).toBe(
    "https://balcao.example/webhook/cloud/abc",
  );
  expect(told.getByLabelText<HTMLInputElement>("Token de verificação").value).toBe("palavra");
  expect(told.getByRole("button", { name: "Copiar endereço" })).toBeTruthy();
});

test("saved secrets are not required again and not sent if blank", async () => {
  const server = connectionServer([official]);
  const dialog = await openDialog("Editar Central", "Editar Central");
  expect(dialog.getByLabelText<HTMLInputElement>("Token de acesso").value).toBe("");
  await save(dialog);
  await waitFor(() => expect(server.writes()).toEqual(["PUT /api/whatsapp/3"]));
  expect(server.bodyOf("PUT /api/whatsapp/3")).toHaveProperty("cloudApi", {
    phoneNumberId: "1001",
    businessAccountId: "2002",
  });
});
