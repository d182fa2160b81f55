import type { ListedTag } from "@balcao/contract";
import { listedTag } from "@balcao/contract";
import type { Profile } from "@balcao/contract/permissions";
import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import { endSession, startSession } from "../../api/session-store.ts";
import type { SeenRequest } from "../../testing/fake-server.ts";
import { fakeServer } from "../../testing/fake-server.ts";
import { Link } from "../../router/index.tsx";
import { givenToken, givenUser } from "../../testing/given.ts";
import { renderRoutes } from "../../testing/render.tsx";
import { UndoPlace } from "../../ui/undo.tsx";
import { TagsPage } from "./tags-page.tsx";

function given(id: number, fields: Partial<ListedTag> = {}): ListedTag {
  return listedTag.parse({
    id,
    name: `Etiqueta ${id}`,
    color: "#16808d",
    kanban: 0,
    companyId: 3,
    ticketsCount: id,
    createdAt: "2026-11-20T10:00:00.000Z",
    updatedAt: "2026-11-20T10:00:00.000Z",
    ...fields,
  });
}

function open(profile: Profile, at = "/tags", handlers: Parameters<typeof fakeServer>[0] = {}) {
  const answer = () => ({ body: given(1) });
  const server = fakeServer({
    "GET /api/tags": () => ({
      body: { tags: [given(1), given(2, { kanban: 1 })], count: 2, hasMore: false },
    }),
    "POST /api/tags": answer,
    "PUT /api/tags/1": answer,
    "PUT /api/tags/2": () => ({ status: 400, body: { error: "ERR_TAG_EXISTS" } }),
    "DELETE /api/tags/1": () => ({ body: { message: "Tag deleted" } }),
    "POST /api/tags/1/undo": () => ({ body: given(1) }),
    "GET /api/companies/listPlan/3": () => ({ status: 503, body: { error: "none" } }),
    ...handlers,
  });
  startSession(givenToken("t", 3_600), givenUser({ profile }));
  const page = (
    <>
      <Link to="/tags">Todas</Link>
      <TagsPage />
      <UndoPlace />
    </>
  );
  return { ...server, ...renderRoutes([{ path: "*", element: page }], at) };
}

afterEach(() => {
  cleanup();
  endSession("logout");
  vi.restoreAllMocks();
});

const writes = (requests: SeenRequest[]) => requests.filter(({ call }) => !call.startsWith("GET"));

test("the table shows the number of tickets of a tag and whether it is a lane", async () => {
  open("user");
  const rows = await screen.findAllByRole("row");
  expect(rows.slice(1).map(({ textContent }) => textContent)).toEqual([
    "Etiqueta 11 atendimentoFora do kanban",
    "Etiqueta 22 atendimentos Coluna do kanban",
  ]);
});

test("an agent adds, but neither changes nor deletes, and sees no board switch", async () => {
  const { requests } = open("user");
  await userEvent.click(await screen.findByRole("button", { name: "Adicionar" }));
  expect(screen.queryByRole("button", { name: /^(Editar|Excluir) / })).toBeNull();
  const dialog = await screen.findByRole("dialog", { name: "Nova etiqueta" });
  expect(within(dialog).queryByRole("switch")).toBeNull();
  const name = within(dialog).getByLabelText("Nome");
  await userEvent.click(within(dialog).getByRole("button", { name: "Salvar" }));
  expect(await within(dialog).findByText("Obrigatório")).toBeTruthy();
  await userEvent.type(name, "ab");
  expect(await within(dialog).findByText("Mensagem muito curta")).toBeTruthy();
  expect(within(dialog).getByText("Use ao menos 3 letras")).toBeTruthy();
  await userEvent.type(name, "c");
  await userEvent.click(within(dialog).getByRole("button", { name: "Salvar" }));
  await waitFor(() =>
    expect(writes(requests)).toMatchObject([
      { call: "POST /api/tags", body: { name: "abc", color: "#A4CCCC", kanban: 0 } },
    ]),
  );
});

test("a supervisor can change only the board switch", async () => {
  const { requests } = open("supervisor");
  await userEvent.click(await screen.findByRole("button", { name: "Editar Etiqueta 1" }));
  expect(screen.queryByRole("button", { name: "Excluir Etiqueta 1" })).toBeNull();
  const dialog = await screen.findByRole("dialog", { name: "Editar etiqueta" });
  expect(within(dialog).getByLabelText<HTMLInputElement>("Nome").readOnly).toBe(true);
  await userEvent.click(within(dialog).getByRole("switch", { name: "Usar como coluna do kanban" }));
  await userEvent.click(within(dialog).getByRole("button", { name: "Salvar" }));
  await waitFor(() =>
    expect(writes(requests)).toMatchObject([{ call: "PUT /api/tags/1", body: { kanban: 1 } }]),
  );
  expect(writes(requests)[0]?.body).toEqual({ kanban: 1 });
});

test("the deletion question shows how many tickets lose the tag", async () => {
  const { requests } = open("admin");
  await userEvent.click(await screen.findByRole("button", { name: "Excluir Etiqueta 1" }));
  const dialog = await screen.findByRole("dialog", { name: "Excluir a etiqueta Etiqueta 1?" });
  expect(within(dialog).getByText("Ela será removida de 1 atendimento.")).toBeTruthy();
  await userEvent.click(within(dialog).getByRole("button", { name: "Excluir" }));
  await waitFor(() =>
    expect(writes(requests)).toMatchObject([{ call: "DELETE /api/tags/1?undo=true" }]),
  );
  expect(await screen.findByText(/^Etiqueta Etiqueta 1 excluída\./)).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: "Desfazer" }));
  await waitFor(() => expect(writes(requests)[1]).toMatchObject({ call: "POST /api/tags/1/undo" }));
  await waitFor(() => expect(screen.queryByRole("button", { name: "Desfazer" })).toBeNull());
});

test("the search is in the address, and a link to the page without it empties the field", async () => {
  const { requests, address } = open("user", "/tags?search=troca");
  await screen.findByText("Etiqueta 1");
  const box = (): HTMLInputElement => screen.getByRole("searchbox");
  expect(box().value).toBe("troca");
  expect(requests.map(({ call }) => call)).toContain(
    "GET /api/tags?searchParam=troca&pageNumber=1",
  );
  await userEvent.type(box(), " VIP");
  await waitFor(() => expect(address()).toBe("/tags?search=troca+vip"));
  expect([box().value, document.activeElement]).toEqual(["troca VIP", box()]);
  await userEvent.click(screen.getByRole("link", { name: "Todas" }));
  await waitFor(() => expect(box().value).toBe(""));
});

test("a taken name shows the error at the field and keeps the input", async () => {
  open("admin");
  await userEvent.click(await screen.findByRole("button", { name: "Editar Etiqueta 2" }));
  const dialog = await screen.findByRole("dialog", { name: "Editar etiqueta" });
  const name = within(dialog).getByLabelText<HTMLInputElement>("Nome");
  await userEvent.type(name, "b");
  await userEvent.click(within(dialog).getByRole("button", { name: "Salvar" }));
  await waitFor(() => expect(name.getAttribute("aria-invalid")).toBe("true"));
  expect([name.value, within(dialog).queryByRole("alert")]).toEqual(["Etiqueta 2b", null]);
});

test("a pressed header sorts the rows of all pages, and the order is in the address", async () => {
  const pages: Record<string, object> = {
    1: { tags: [given(1, { name: "Troca" }), given(2, { name: "atraso" })], hasMore: true },
    2: { tags: [given(3, { name: "Época" })], hasMore: false },
  };
  const { address } = open("user", "/tags?search=a", {
    "GET /api/tags": ({ call }) => ({ body: { count: 3, ...pages[call.at(-1) ?? ""] } }),
  });
  const names = () => screen.getAllByRole("rowheader").map(({ textContent }) => textContent);
  const head = async (): Promise<HTMLElement> => screen.findByRole("button", { name: "Nome" });
  await userEvent.click(await head());
  await waitFor(() => expect(names()).toEqual(["atraso", "Época", "Troca"]));
  expect(address()).toBe("/tags?search=a&sort=name");
  await userEvent.click(await head());
  expect(names()).toEqual(["Troca", "Época", "atraso"]);
  expect(address()).toBe("/tags?search=a&sort=-name");
  const column = screen.getByRole("columnheader", { name: "Nome" });
  expect(column.getAttribute("aria-sort")).toBe("descending");
  await userEvent.click(await head());
  expect([names(), address()]).toEqual([["Troca", "atraso", "Época"], "/tags?search=a"]);
});

test("above two hundred rows only those near the visible part are rendered", async () => {
  vi.spyOn(HTMLElement.prototype, "clientHeight", "get").mockReturnValue(440);
  vi.spyOn(HTMLElement.prototype, "offsetHeight", "get").mockReturnValue(44);
  const tags = Array.from({ length: 300 }, (_, index) => given(index + 1));
  open("user", "/tags", {
    "GET /api/tags": () => ({ body: { tags, count: 300, hasMore: false } }),
  });
  const table = await screen.findByRole("table", { name: "Etiquetas" });
  expect(table.getAttribute("aria-rowcount")).toBe("301");
  const shown = (): HTMLElement[] => screen.getAllByRole("rowheader");
  await waitFor(() => expect(shown().length).toBeLessThan(60));
  expect(shown()[0]?.closest("tr")?.getAttribute("aria-rowindex")).toBe("2");
});

test("the open form is in the address: a reload keeps it, and Back closes it", async () => {
  const { address, back } = open("admin", "/tags?search=troca");
  await userEvent.click(await screen.findByRole("button", { name: "Editar Etiqueta 2" }));
  expect(await screen.findByRole("dialog", { name: "Editar etiqueta" })).toBeTruthy();
  expect(address()).toBe("/tags?search=troca&edit=2");
  back();
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(address()).toBe("/tags?search=troca");
  cleanup();
  const again = open("admin", "/tags?search=troca&edit=2");
  const dialog = await screen.findByRole("dialog", { name: "Editar etiqueta" });
  expect(within(dialog).getByLabelText<HTMLInputElement>("Nome").value).toBe("Etiqueta 2");
  await userEvent.click(within(dialog).getByRole("button", { name: "Cancelar" }));
  await waitFor(() => expect(again.address()).toBe("/tags?search=troca"));
});

test("the address opens no form of a deleted record or of one that the user may not edit", async () => {
  const gone = open("admin", "/tags?edit=9");
  await waitFor(() => expect(gone.address()).toBe("/tags"));
  cleanup();
  const forbidden = open("user", "/tags?edit=1");
  await waitFor(() => expect(forbidden.address()).toBe("/tags"));
  expect(screen.queryByRole("dialog")).toBeNull();
});

test("a form closed by Back or Escape keeps its input; Cancel drops it", async () => {
  const { address, back } = open("admin");
  const name = async (): Promise<HTMLInputElement> => {
    await userEvent.click(await screen.findByRole("button", { name: "Adicionar" }));
    const dialog = await screen.findByRole("dialog", { name: "Nova etiqueta" });
    return within(dialog).getByLabelText("Nome");
  };
  const leaveIsAsked = (): boolean =>
    !dispatchEvent(new Event("beforeunload", { cancelable: true }));
  await userEvent.type(await name(), "Troca");
  expect(address()).toBe("/tags?new");
  expect(leaveIsAsked()).toBe(true);
  back();
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(leaveIsAsked()).toBe(false);
  expect((await name()).value).toBe("Troca");
  expect(screen.getByText(/digitou e não salvou/)).toBeTruthy();
  await userEvent.keyboard("{Escape}");
  expect((await name()).value).toBe("Troca");
  await userEvent.click(screen.getByRole("button", { name: "Descartar" }));
  expect(screen.getByLabelText<HTMLInputElement>("Nome").value).toBe("");
  await userEvent.type(screen.getByLabelText("Nome"), "Outra");
  await userEvent.click(screen.getByRole("button", { name: "Cancelar" }));
  expect((await name()).value).toBe("");
});
