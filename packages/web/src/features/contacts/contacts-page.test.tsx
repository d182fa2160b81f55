import { listedContact } from "@balcao/contract";
import type { ListedContact } from "@balcao/contract";
import type { Profile } from "@balcao/contract/permissions";
import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import { endSession, startSession } from "../../api/session-store.ts";
import type { SeenRequest } from "../../testing/fake-server.ts";
import { fakeServer } from "../../testing/fake-server.ts";
import { givenToken, givenUser } from "../../testing/given.ts";
import { renderRoutes } from "../../testing/render.tsx";
import { readFilter, wireFilter, writeFilter } from "./contact-filter.ts";
import { ContactsPage } from "./contacts-page.tsx";

vi.mock("../../realtime/socket.ts", () => import("../../testing/sockets.ts"));

const at = "2026-11-20T13:00:00.000Z";

function given(id: number, fields: Partial<ListedContact> = {}): ListedContact {
  return listedContact.parse({
    ...{ id, name: `Cliente ${id}`, number: `551198456221${id}`, email: "", profilePicUrl: "" },
    ...{ isGroup: false, active: true, disableBot: false, companyId: 3, whatsappId: null },
    ...{ optOut: null, createdAt: at, updatedAt: at, tickets: [], tags: [], lastContactAt: null },
    duplicateId: null,
    ...fields,
  });
}

const rows = [
  given(1, { tags: [{ id: 4, name: "Cliente VIP", color: "#16808d" }] as never }),
  given(2, { name: "5511980001111", number: "5511980001111" }),
  given(3, { optOut: { at, source: "person", user: null } }),
];

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

function open(at_ = "/contacts", profile: Profile = "user") {
  const server = fakeServer({
    "GET /api/contacts": () => ({ body: { contacts: rows, count: 3, hasMore: true } }),
    "GET /api/contacts/duplicates": () => ({ body: { pairs: [], count: 0, hasMore: false } }),
    "GET /api/tags/list": () => ({ body: [] }),
    "GET /api/whatsapp": () => ({ body: [] }),
    "GET /api/companies/listPlan/3": () => ({ body: company }),
    "GET /api/contact-lists/list": () => ({ body: [] }),
    "POST /api/contact-lists": () => ({
      body: { id: 9, name: "VIP", companyId: 3, createdAt: at, updatedAt: at, contactsCount: 0 },
    }),
    "POST /api/contact-lists/9/contacts": () => ({ body: { added: 2, chosen: 2 } }),
    "POST /api/contacts/bulk": ({ body }) => ({
      body:
        typeof body === "object" && body !== null && "afterId" in body && body.afterId === null
          ? { changedIds: [1], refused: 1, afterId: 2 }
          : { changedIds: [3], refused: 0, afterId: null },
    }),
  });
  startSession(givenToken("t", 3_600), givenUser({ profile }));
  return { ...server, ...renderRoutes([{ path: "*", element: <ContactsPage /> }], at_) };
}

afterEach(() => {
  cleanup();
  endSession("logout");
  vi.restoreAllMocks();
});

/** The queries of the requests for the list, in order. */
const asked = (requests: readonly SeenRequest[]): Record<string, string>[] =>
  requests
    .filter(({ call }) => call.startsWith("GET /api/contacts?"))
    .map(({ call }) => Object.fromEntries(new URLSearchParams(call.split("?")[1])));

test("a row has the number as people write it, and marks who opted out and who has no name", async () => {
  open();
  const [, first, second, third] = await screen.findAllByRole("row");
  expect(first?.textContent).toContain("+55 11 98456-2211");
  expect(first?.textContent).toContain("Cliente VIP");
  expect(within(second ?? document.body).getByText("Sem nome")).toBeTruthy();
  expect(within(third ?? document.body).getByText("Não enviar")).toBeTruthy();
});

test("the server sorts: no further page is read for it, and the last contact begins with the newest", async () => {
  const { requests } = open();
  await userEvent.click(await screen.findByRole("button", { name: "Último contato" }));
  await waitFor(() =>
    expect(asked(requests).at(-1)).toMatchObject({ sort: "lastContact", descending: "true" }),
  );
  expect(asked(requests).map((query) => query["pageNumber"])).not.toContain("2");
});

test("the filter of the address is asked for and can be removed", async () => {
  const filter = encodeURIComponent(JSON.stringify({ optedOut: true, tags: [4, "x"] }));
  const { requests } = open(`/contacts?filter=${filter}`);
  await screen.findAllByRole("row");
  expect(asked(requests)[0]).toMatchObject({ optedOut: "true", tags: "[4]" });
  await userEvent.click(screen.getByRole("button", { name: "Remover o filtro Não enviar" }));
  await waitFor(() => expect(asked(requests).at(-1)).not.toHaveProperty("optedOut"));
  expect(asked(requests).at(-1)).toMatchObject({ tags: "[4]" });
});

const boxes = () => screen.getAllByRole("checkbox").slice(1);
const bulk = (requests: readonly SeenRequest[]) =>
  requests.filter(({ call }) => call === "POST /api/contacts/bulk").map(({ body }) => body);

test("rows are selected one by one, in a range with Shift, and all that the filter finds", async () => {
  const { requests } = open("/contacts?search=cli", "admin");
  await userEvent.click(await screen.findByRole("checkbox", { name: "Selecionar Cliente 1" }));
  expect(await screen.findByText("1 selecionado")).toBeTruthy();
  const user = userEvent.setup();
  await user.keyboard("{Shift>}");
  await user.click(screen.getByRole("checkbox", { name: "Selecionar Cliente 3" }));
  await user.keyboard("{/Shift}");
  expect(boxes().map((box) => box instanceof HTMLInputElement && box.checked)).toEqual([
    true,
    true,
    true,
  ]);
  await userEvent.click(screen.getByRole("checkbox", { name: "Selecionar as linhas carregadas" }));
  expect(screen.queryByText(/selecionado/)).toBeNull();
  await userEvent.click(boxes()[0] ?? expect.unreachable());
  await userEvent.click(screen.getByRole("button", { name: "Selecionar todos os 3" }));
  await userEvent.click(boxes()[1] ?? expect.unreachable());
  expect(screen.getByText("2 selecionados")).toBeTruthy();

  await userEvent.click(screen.getByRole("button", { name: "Excluir" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Excluir 2 contatos?" }));
  await userEvent.click(dialog.getByRole("button", { name: "Excluir" }));
  expect(
    await screen.findByText("2 contatos excluídos. 1 está em atendimento e fica."),
  ).toBeTruthy();
  const selection = { filter: { searchParam: "cli" }, except: [2] };
  expect(bulk(requests)).toEqual([
    { selection, action: "remove", afterId: null },
    { selection, action: "remove", afterId: 2 },
  ]);
  expect(screen.queryByText(/selecionado/)).toBeNull();
});

test("selected contacts are put on a new list, which remembers the filter if all of it was chosen", async () => {
  const { requests } = open("/contacts", "admin");
  await userEvent.click(await screen.findByRole("checkbox", { name: "Selecionar Cliente 1" }));
  await userEvent.click(await screen.findByRole("button", { name: "Selecionar todos os 3" }));
  await userEvent.click(await screen.findByRole("button", { name: "Adicionar a uma lista" }));
  const dialog = within(
    await screen.findByRole("dialog", { name: "Adicionar 3 contatos a uma lista" }),
  );
  await userEvent.type(dialog.getByLabelText("Nome"), "VIP");
  await userEvent.click(dialog.getByRole("checkbox", { name: "Guardar o filtro na lista" }));
  await userEvent.click(dialog.getByRole("button", { name: "Salvar" }));
  expect(await screen.findByText("2 contatos adicionados à lista")).toBeTruthy();
  expect(requests.find(({ call }) => call === "POST /api/contact-lists/9/contacts")?.body).toEqual({
    selection: { filter: {}, except: [] },
    keepsFilter: true,
  });
});

test("another search ends the selection, and says so", async () => {
  open();
  await userEvent.click(await screen.findByRole("checkbox", { name: "Selecionar Cliente 1" }));
  await screen.findByRole("toolbar", { name: "Contatos selecionados" });
  await userEvent.type(screen.getByRole("searchbox"), "ana");
  expect(await screen.findByText("A seleção terminou: a busca ou o filtro mudou")).toBeTruthy();
  expect(screen.queryByRole("toolbar", { name: "Contatos selecionados" })).toBeNull();
});

test("an agent neither deletes nor fills lists", async () => {
  open();
  await userEvent.click(await screen.findByRole("checkbox", { name: "Selecionar Cliente 1" }));
  const bar = within(await screen.findByRole("toolbar", { name: "Contatos selecionados" }));
  expect(
    bar.getAllByRole("button").map((one) => one.textContent || one.getAttribute("aria-label")),
  ).toEqual(["Selecionar todos os 3", "Não enviar", "Exportar", "Desfazer a seleção"]);
});

test.each([
  ["", {}],
  ["no JSON", {}],
  ['{"createdWithin":5,"contactedBefore":90,"unnamed":"yes"}', { contactedBefore: 90 }],
  ['{"createdWithin":30,"tags":[1,2],"whatsappIds":"3"}', { createdWithin: 30, tags: [1, 2] }],
])("of the address %j stays what is a filter", (text, filter) => {
  expect(readFilter(text)).toEqual(filter);
  expect(readFilter(writeFilter(filter))).toEqual(filter);
});

test("days of a filter count back from today", () => {
  const nowMs = Date.parse("2026-11-23T15:00:00.000Z");
  expect(wireFilter({ createdWithin: 7, contactedBefore: 90 }, nowMs)).toEqual({
    dateStart: "2026-11-16",
    lastEnd: "2026-08-25",
  });
});
