import { contactListItem, listedContactList, shownContactList } from "@balcao/contract";
import type { Profile } from "@balcao/contract/permissions";
import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import { endSession, startSession } from "../../api/session-store.ts";
import { fakeServer } from "../../testing/fake-server.ts";
import { givenToken, givenUser } from "../../testing/given.ts";
import { renderRoutes, renderScreen } from "../../testing/render.tsx";
import { AddToListDialog } from "./add-to-list-dialog.tsx";
import { ContactListsPage } from "./contact-lists-page.tsx";

vi.mock("../../realtime/socket.ts", () => import("../../testing/sockets.ts"));

const at = "2026-11-20T10:00:00.000Z";
const plan = {
  ...{ id: 1, name: "Plano", users: 1, connections: 1, queues: 1, value: 1 },
  ...{ useCampaigns: true, useKanban: false, useOpenAi: false, useIntegrations: false },
  ...{ useSchedules: false, useInternalChat: false, useExternalApi: false },
  ...{ createdAt: at, updatedAt: at },
};
const company = {
  ...{ id: 3, name: "Loja", email: "", phone: null, status: true, dueDate: null, createdAt: at },
  plan,
};

const list = (id: number) =>
  listedContactList.parse({
    ...{ id, name: `Lista ${id}`, companyId: 3, createdAt: at, updatedAt: at, contactsCount: 4 },
  });
const shown = shownContactList.parse({
  ...list(1),
  counts: { valid: 1, invalid: 1, unchecked: 2, optedOut: 1 },
  check: { state: "idle", connection: "Loja Paulista", checkedAt: at },
  filter: { tags: [4], contactedWithin: 90 },
  fitting: 8,
});
const member = (id: number, fields: object) =>
  contactListItem.parse({
    ...{ id, name: `Pessoa ${id}`, number: "5511984562210", email: "", isWhatsappValid: false },
    ...{ checkedAt: at, isOptedOut: false, contactListId: 1, companyId: 3 },
    ...{ createdAt: at, updatedAt: at, ...fields },
  });
const members = [
  member(1, { isWhatsappValid: true }),
  member(2, { isOptedOut: true }),
  member(3, { checkedAt: null }),
];

function open(profile: Profile, path = "/contact-lists") {
  const server = fakeServer({
    "GET /api/contact-lists": () => ({
      body: { records: [list(1), list(2)], count: 2, hasMore: false },
    }),
    "POST /api/contact-lists": () => ({ body: list(3) }),
    "DELETE /api/contact-lists/1": () => ({ body: { message: "Deleted" } }),
    "GET /api/contact-lists/1": () => ({ body: shown }),
    "GET /api/contact-list-items": () => ({
      body: { contacts: members, count: 3, hasMore: false },
    }),
    "POST /api/contact-list-items": () => ({
      status: 400,
      body: { error: "ERR_NUMBER_FORMAT", code: "ERR_NUMBER_FORMAT" },
    }),
    "DELETE /api/contact-list-items/1": () => ({ body: { message: "Deleted" } }),
    "POST /api/contact-lists/1/check": () => ({ body: { message: "ok" } }),
    "POST /api/contact-lists/1/refresh": () => ({ body: { added: 8, chosen: 12 } }),
    "GET /api/tags/list": () => ({
      body: [
        {
          id: 4,
          name: "VIP",
          color: "#16808d",
          kanban: 0,
          companyId: 3,
          createdAt: at,
          updatedAt: at,
        },
      ],
    }),
    "GET /api/whatsapp": () => ({ body: [] }),
    "GET /api/companies/listPlan/3": () => ({ body: company }),
  });
  startSession(givenToken("t", 3_600), givenUser({ profile }));
  renderRoutes(
    [{ path: "contact-lists/:contactListId?/:part?", element: <ContactListsPage /> }],
    path,
  );
  const writes = () => server.requests.filter(({ call }) => !call.startsWith("GET"));
  return { ...server, writes };
}

afterEach(() => {
  cleanup();
  endSession("logout");
});

test("an admin adds a list with a name of two letters, and deletes one after a question", async () => {
  const { writes } = open("admin");
  await userEvent.click(await screen.findByRole("button", { name: "Adicionar" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Nova lista de contatos" }));
  await userEvent.type(dialog.getByLabelText("Nome"), "V");
  await userEvent.click(dialog.getByRole("button", { name: "Salvar" }));
  expect(await dialog.findByText("Use de 2 a 50 caracteres")).toBeTruthy();
  await userEvent.type(dialog.getByLabelText("Nome"), "IP");
  await userEvent.click(dialog.getByRole("button", { name: "Salvar" }));
  await waitFor(() =>
    expect(writes()).toMatchObject([{ call: "POST /api/contact-lists", body: { name: "VIP" } }]),
  );
  await userEvent.click(await screen.findByRole("button", { name: "Excluir Lista 1" }));
  const question = within(await screen.findByRole("dialog", { name: /Lista 1/ }));
  expect(question.getByText("4 pessoas saem da lista. Os contatos da agenda ficam.")).toBeTruthy();
  await userEvent.click(question.getByRole("button", { name: "Excluir" }));
  await waitFor(() => expect(writes().at(-1)?.call).toBe("DELETE /api/contact-lists/1"));
});

test("the members page says whether the list can be sent to, and what its filter is", async () => {
  open("admin", "/contact-lists/1/contacts");
  const state = within(await screen.findByRole("region", { name: "Situação da lista" }));
  expect(
    state.getByText("Há números por conferir. A campanha confere antes de sair."),
  ).toBeTruthy();
  expect(await state.findByText(/^Etiqueta VIP, Último contato nos últimos 90 dias/)).toBeTruthy();
  expect(state.getByText(/8 contatos novos cabem nele/)).toBeTruthy();
  const filter = state.getByRole("link", { name: "Ver o filtro" }).getAttribute("href");
  expect(new URLSearchParams(filter?.split("?")[1]).get("filter")).toBe(
    JSON.stringify({ tags: [4], contactedWithin: 90 }),
  );
  const rows = await screen.findAllByRole("row");
  expect(rows.slice(1).map(({ textContent }) => textContent)).toEqual([
    expect.stringContaining("VálidoPessoa 1+55 11 98456-2210"),
    expect.stringContaining("Sem WhatsAppPessoa 2Não enviar"),
    expect.stringContaining("Por conferirPessoa 3"),
  ]);
});

test("numbers are checked and the list is updated when an admin asks; pills narrow the list", async () => {
  const { writes, requests } = open("admin", "/contact-lists/1/contacts");
  await userEvent.click(await screen.findByRole("button", { name: "Conferir agora" }));
  await userEvent.click(screen.getByRole("button", { name: "Atualizar a lista" }));
  expect(await screen.findByText("8 contatos adicionados à lista")).toBeTruthy();
  expect(writes().map(({ call }) => call)).toEqual([
    "POST /api/contact-lists/1/check",
    "POST /api/contact-lists/1/refresh",
  ]);
  await userEvent.click(screen.getByRole("button", { name: "Válidos 1" }));
  await waitFor(() => expect(requests.at(-1)?.call).toContain("validity=valid"));
});

test("a number that is none is reported at its field; an agent changes nothing", async () => {
  const { writes } = open("admin", "/contact-lists/1/contacts");
  await userEvent.click(await screen.findByRole("button", { name: "Adicionar" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Adicionar à lista" }));
  await userEvent.type(dialog.getByLabelText("Nome"), "Ana");
  await userEvent.type(dialog.getByLabelText("Número"), "onze nove nove");
  await userEvent.click(dialog.getByRole("button", { name: "Salvar" }));
  await waitFor(() =>
    expect(dialog.getByLabelText("Número").getAttribute("aria-invalid")).toBe("true"),
  );
  expect(writes()).toMatchObject([
    { call: "POST /api/contact-list-items", body: { name: "Ana", contactListId: 1, email: "" } },
  ]);
  cleanup();
  open("user", "/contact-lists/1/contacts");
  await screen.findByText("Pessoa 1");
  expect(
    screen.queryByRole("button", { name: /^(Adicionar|Editar|Excluir|Conferir|Atualizar)/ }),
  ).toBeNull();
});

test("the choice of a list ignores accents, and none is missing while they are read", async () => {
  startSession(givenToken("t", 3_600), givenUser({ profile: "admin" }));
  let answer = (): void => undefined;
  const lists = new Promise<{ body: unknown }>((resolve) => {
    answer = () => resolve({ body: [{ ...list(1), name: "Feira de São João" }] });
  });
  fakeServer({ "GET /api/contact-lists/list": () => lists });
  const props = { selection: { ids: [] }, count: 2, mayKeepFilter: false };
  renderScreen(<AddToListDialog {...props} onDone={vi.fn()} onClose={vi.fn()} />);
  const field = await screen.findByRole("combobox");
  await userEvent.clear(field);
  await userEvent.type(field, "sao");
  expect(await screen.findByText("Carregando")).toBeTruthy();
  answer();
  expect(await screen.findByRole("option", { name: "Feira de São João" })).toBeTruthy();
});
