import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { campaignEstimate, contactList } from "@balcao/contract";
import { endSession } from "../../api/session-store.ts";
import { fakeServer } from "../../testing/fake-server.ts";
import { renderRoutes } from "../../testing/render.tsx";
import { CampaignEditor } from "./campaign-editor.tsx";
import { at, campaign, signIn, standing } from "./testing/given-campaign.ts";

vi.mock("../../realtime/socket.ts", () => import("../../testing/sockets.ts"));

const estimate = (total: number) =>
  campaignEstimate.parse({
    people: {
      ...{ listed: 1312, invalid: 38, optedOut: 21, repeated: 13, total },
      ...{ known: 212, unchecked: 0, unnamed: 38 },
    },
    startsAt: "2026-11-17T12:00:00.000Z",
    endsAt: "2026-11-25T13:20:00.000Z",
    days: [
      { day: "2026-11-17", count: 312, closed: null },
      { day: "2026-11-20", count: 0, closed: "holiday" },
    ],
    limits: [{ kind: "limit", costsHours: 120 }],
    limit: { perDay: 100, inUseDays: 11, next: { day: "2026-11-21", perDay: 200 } },
    faster: { id: 3, name: "Atacado", endsAt: "2026-11-17T23:00:00.000Z" },
  });

type Wish = { id?: number | null; fields?: object; total?: number; answers?: object };

function open({ id = 12, fields = {}, total = 1240, answers = {} }: Wish = {}) {
  const onClose = vi.fn();
  const server = fakeServer({
    ...standing,
    "GET /api/contact-lists/list": () => ({
      body: [
        contactList.parse({
          ...{ id: 5, name: "Clientes VIP", companyId: 3, createdAt: at, updatedAt: at },
        }),
      ],
    }),
    "GET /api/files": () => ({ body: { files: [], count: 0, hasMore: false } }),
    "GET /api/campaign-settings": () => ({
      body: [{ id: 1, companyId: 3, key: "variables", value: '[{"key":"loja","value":"Centro"}]' }],
    }),
    "POST /api/campaign-settings": ({ body }) => ({
      body: [
        {
          ...{ id: 1, companyId: 3, key: "variables" },
          value: JSON.stringify(
            (body as { settings: { variables?: unknown } }).settings.variables ?? [],
          ),
        },
      ],
    }),
    "GET /api/campaigns/12": () => ({ body: { ...campaign(fields), shipping: [] } }),
    "POST /api/campaigns": () => ({ body: campaign({ id: 12 }) }),
    "PUT /api/campaigns/12": () => ({ body: campaign(fields) }),
    "POST /api/campaigns/12/start": () => ({ status: 204 }),
    "POST /api/campaigns/12/test": () => ({ body: { message: "ok" } }),
    "POST /api/campaigns/12/duplicate": () => ({ body: campaign({ id: 14, scheduledAt: null }) }),
    "POST /api/campaigns/estimate": () => ({ body: estimate(total) }),
    "POST /api/campaigns/preview": ({ body }) => {
      const { position } = body as { position: number };
      return {
        body: {
          person: {
            name: position === 0 ? "Helena Duarte" : "",
            number: "5511984562210",
            email: "",
          },
          ...{ position, total: 1240, textNumber: position + 1, confirmation: null },
          message: position === 0 ? "Oi, Helena!" : "Oi, !",
        },
      };
    },
    ...answers,
  });
  signIn();
  const page = renderRoutes(
    [
      {
        path: "campaigns/:id",
        element: <CampaignEditor campaignId={id as never} onClose={onClose} />,
      },
    ],
    `/campaigns/${id ?? "new"}`,
  );
  const writes = () =>
    server.requests.filter(({ call }) => !call.startsWith("GET") && !/estimate|preview/.test(call));
  return { ...server, ...page, onClose, writes };
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.parse(at) });
});
afterEach(() => {
  vi.useRealTimers();
  cleanup();
  endSession("logout");
});

const text = () => screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Mensagem 1" });

test("the editor shows who gets a campaign, when it ends, what takes the time, and a real person's text", async () => {
  open();
  const dialog = within(await screen.findByRole("dialog", { name: /Editar campanha/ }));
  const people = within(await dialog.findByRole("region", { name: "Quem recebe" }));
  expect(await people.findByText("1.240")).toBeTruthy();
  expect(people.getByText("– 38")).toBeTruthy();
  expect(people.getByRole("link", { name: "Pediram para não receber" }).getAttribute("href")).toBe(
    "/contact-lists/5/contacts?filter=optedOut",
  );
  const ends = within(dialog.getByRole("region", { name: "Quando termina" }));
  expect(ends.getByText("quarta, 25/11, por volta das 10:20")).toBeTruthy();
  expect(ends.getByText("feriado")).toBeTruthy();
  const holds = within(dialog.getByRole("region", { name: "O que segura o envio" }));
  expect(holds.getByText("+ 5 dias")).toBeTruthy();
  expect(holds.getByText(/sobe para 200 em 21\/11/)).toBeTruthy();
  const preview = within(dialog.getByRole("region", { name: "Como fica" }));
  expect(await preview.findByText("Oi, Helena!")).toBeTruthy();
  await userEvent.click(preview.getByRole("button", { name: "Próxima pessoa" }));
  expect(await preview.findByText("Oi, !")).toBeTruthy();
  expect(preview.getByText("38 pessoas sem nome: o espaço dele fica vazio.")).toBeTruthy();
  expect(dialog.getByRole("tab", { name: /Msg. 2/ }).getAttribute("aria-selected")).toBe("true");
  expect(dialog.getByText("1.240 pessoas, termina em 9 dias")).toBeTruthy();
});

test("Salvar keeps a campaign inactive; the main button plans it for its date", async () => {
  const { writes, onClose } = open();
  await screen.findByDisplayValue("Pré-venda");
  await userEvent.type(text(), " Até já!");
  await userEvent.keyboard("{Control>}s{/Control}");
  await waitFor(() =>
    expect(writes()).toMatchObject([
      {
        call: "PUT /api/campaigns/12",
        body: {
          ...{ isDraft: true, scheduledAt: "2099-11-17 09:00:00", name: "Pré-venda" },
          ...{ message1: "Oi, {nome}! Até já!", contactListId: 5, tagListId: null },
        },
      },
    ]),
  );
  expect(onClose).not.toHaveBeenCalled();
  const plan = screen.getByRole("button", { name: "Programar para 17/11, 09:00" });
  await waitFor(() => expect(plan).toHaveProperty("disabled", false));
  await userEvent.click(plan);
  await waitFor(() => expect(onClose).toHaveBeenCalled());
  expect(writes().at(-1)).toMatchObject({ body: { isDraft: false } });
});

test("without a date it is sent after a question that says to how many", async () => {
  const { writes, onClose } = open({ fields: { scheduledAt: null } });
  await screen.findByText("1.240 pessoas, termina em 9 dias");
  await userEvent.click(screen.getByRole("button", { name: "Enviar agora" }));
  const question = within(await screen.findByRole("dialog", { name: "Enviar Pré-venda agora?" }));
  expect(question.getByText("1.240 pessoas recebem a mensagem.")).toBeTruthy();
  await userEvent.click(question.getByRole("button", { name: "Enviar agora" }));
  await waitFor(() => expect(onClose).toHaveBeenCalled());
  expect(writes().map(({ call }) => call)).toEqual([
    "PUT /api/campaigns/12",
    "POST /api/campaigns/12/start",
  ]);
  expect(writes()[0]).toMatchObject({ body: { isDraft: true, scheduledAt: null } });
});

test("an unknown variable keeps a campaign from being planned, and can be created", async () => {
  const { writes } = open();
  await screen.findByDisplayValue("Pré-venda");
  await userEvent.type(text(), " {{cupom}");
  expect(await screen.findByText(/\{cupom\} não existe/)).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: /^Programar/ }));
  expect(writes()).toEqual([]);
  await userEvent.click(screen.getByRole("button", { name: "Criar {cupom}?" }));
  const question = within(await screen.findByRole("dialog", { name: "Criar {cupom}" }));
  await userEvent.type(question.getByLabelText("Texto"), "AURORA30");
  await userEvent.click(question.getByRole("button", { name: "Criar" }));
  await waitFor(() => expect(writes()).toHaveLength(1));
  expect(writes()).toMatchObject([
    {
      call: "POST /api/campaign-settings",
      body: {
        settings: {
          variables: [
            { key: "loja", value: "Centro" },
            { key: "cupom", value: "AURORA30" },
          ],
        },
      },
    },
  ]);
});

test("a text with an unknown variable is shown and gets the focus, also in another tab", async () => {
  open();
  await screen.findByDisplayValue("Pré-venda");
  await userEvent.click(screen.getByRole("tab", { name: /Msg. 2/ }));
  const second = () => screen.getByRole("textbox", { name: "Mensagem 2" });
  await userEvent.type(second(), " {{cupom}");
  await userEvent.click(screen.getByRole("tab", { name: /Msg. 1/ }));
  await userEvent.click(screen.getByRole("button", { name: /^Programar/ }));
  await waitFor(() => expect(document.activeElement).toBe(second()));
  expect(second().getAttribute("aria-invalid")).toBe("true");
});

test("protection is offered for a linked phone, and not on the official API", async () => {
  open();
  expect(await screen.findByRole("button", { name: "Proteger o número" })).toBeTruthy();
  await userEvent.selectOptions(screen.getByLabelText("Conexão"), "Oficial");
  expect(screen.queryByRole("button", { name: "Proteger o número" })).toBeNull();
});

test("a brace offers the variables, and the keyboard chooses one", async () => {
  open();
  await screen.findByDisplayValue("Pré-venda");
  await userEvent.clear(text());
  await userEvent.type(text(), "Loja {{lo");
  const list = await screen.findByRole("listbox", { name: "Variáveis" });
  expect(within(list).getAllByRole("option")).toHaveLength(1);
  await userEvent.keyboard("{Enter}");
  expect(text().value).toBe("Loja {loja}");
  expect(screen.queryByRole("listbox")).toBeNull();
});

test("a new campaign says what is missing, keeps its input when saving fails, and asks before it closes", async () => {
  const { writes, onClose } = open({
    id: null,
    answers: { "POST /api/campaigns": () => "unreachable" },
  });
  await screen.findByRole("dialog", { name: "Nova campanha" });
  await userEvent.click(screen.getByRole("button", { name: "Enviar agora" }));
  for (const problem of [
    ...["Informe o nome", "Escolha uma lista ou etiqueta"],
    ...["Escolha a conexão", "Escreva ao menos uma mensagem"],
  ]) {
    expect(screen.getByText(problem)).toBeTruthy();
  }
  expect(writes()).toEqual([]);
  await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText("Nome")));
  await userEvent.type(screen.getByLabelText("Nome"), "Natal");
  await userEvent.click(screen.getByRole("button", { name: "Salvar" }));
  await waitFor(() => expect(writes()).toHaveLength(1));
  expect(await screen.findByRole("alert")).toBeTruthy();
  expect(screen.getByLabelText<HTMLInputElement>("Nome").value).toBe("Natal");
  const editor = within(screen.getByRole("dialog", { name: "Nova campanha" }));
  await userEvent.click(editor.getByRole("button", { name: "Fechar" }));
  const question = within(await screen.findByRole("dialog", { name: "Descartar as alterações?" }));
  expect(onClose).not.toHaveBeenCalled();
  await userEvent.click(question.getByRole("button", { name: "Descartar" }));
  expect(onClose).toHaveBeenCalled();
});

test("a test goes to one number, after the changes are saved, and not again at once", async () => {
  const { writes } = open();
  await screen.findByDisplayValue("Pré-venda");
  await userEvent.type(screen.getByLabelText("Nome"), " 2");
  await userEvent.click(screen.getByRole("button", { name: "Enviar teste" }));
  const question = within(await screen.findByRole("dialog", { name: "Enviar teste" }));
  await userEvent.type(question.getByLabelText("Número com DDD"), "11 98456-2210");
  await userEvent.click(question.getByRole("button", { name: "Enviar" }));
  expect(await screen.findByText("Teste enviado")).toBeTruthy();
  expect(writes().map(({ call }) => call)).toEqual([
    "PUT /api/campaigns/12",
    "POST /api/campaigns/12/test",
  ]);
  expect(writes()[1]?.body).toEqual({ number: "11 98456-2210", position: 0 });
  expect(screen.getByRole("button", { name: "Enviar teste" })).toHaveProperty("disabled", true);
});

test("a campaign that cannot be changed is only read, and can be duplicated", async () => {
  const { writes, address } = open({ fields: { status: "EM_ANDAMENTO", isEditable: false } });
  await screen.findByText("Só é permitido alterar campanha Inativa e Programada");
  expect(screen.getByLabelText("Nome").hasAttribute("readonly")).toBe(true);
  expect(screen.queryByRole("button", { name: "Salvar" })).toBeNull();
  await userEvent.click(screen.getByRole("button", { name: "Duplicar" }));
  await waitFor(() => expect(address()).toBe("/campaigns/14"));
  expect(writes().map(({ call }) => call)).toEqual(["POST /api/campaigns/12/duplicate"]);
});

test("a campaign that nobody gets cannot be planned", async () => {
  open({ total: 0 });
  expect((await screen.findAllByText("Ninguém recebe esta campanha")).length).toBe(2);
  expect(screen.getByRole("button", { name: /^Programar/ })).toHaveProperty("disabled", true);
});

test("on the official API the texts are a template with a variable for each parameter", async () => {
  open({
    fields: { whatsappId: 4, scheduledAt: null },
    answers: {
      "GET /api/whatsapp/4/templates": () => ({
        body: {
          templates: [
            {
              ...{ name: "promo", language: "pt_BR", category: "MARKETING", header: null },
              ...{ body: "Olá {{1}}!", bodyParameters: 1, footer: null, buttons: [] },
            },
          ],
        },
      }),
    },
  });
  const choice = await screen.findByLabelText("Modelo aprovado");
  await screen.findByRole("option", { name: "promo (pt_BR)" });
  await userEvent.selectOptions(choice, "promo (pt_BR)");
  expect(screen.queryByRole("tab")).toBeNull();
  await userEvent.click(screen.getByRole("button", { name: "Enviar agora" }));
  expect(screen.getByText("Escolha um modelo e preencha os campos")).toBeTruthy();
  await userEvent.type(screen.getByLabelText("Texto 1"), "{{nome}");
  const preview = within(screen.getByRole("region", { name: "Como fica" }));
  expect(await preview.findByText("Olá {nome}!")).toBeTruthy();
});
