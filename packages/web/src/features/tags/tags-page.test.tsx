import type { ListedTag } from "@balcao/contract";
import { listedTag } from "@balcao/contract";
import type { Profile } from "@balcao/contract/permissions";
import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import { endSession, startSession } from "../../api/session-store.ts";
import type { SeenRequest } from "../../testing/fake-server.ts";
import { fakeServer } from "../../testing/fake-server.ts";
import { givenToken, givenUser } from "../../testing/given.ts";
import { renderScreen } from "../../testing/render.tsx";
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

function open(profile: Profile) {
  const answer = () => ({ body: given(1) });
  const server = fakeServer({
    "GET /api/tags": () => ({
      body: { tags: [given(1), given(2, { kanban: 1 })], count: 2, hasMore: false },
    }),
    "POST /api/tags": answer,
    "PUT /api/tags/1": answer,
    "DELETE /api/tags/1": () => ({ body: { message: "Tag deleted" } }),
    "GET /api/companies/listPlan/3": () => ({ status: 503, body: { error: "none" } }),
  });
  startSession(givenToken("t", 3_600), givenUser({ profile }));
  renderScreen(<TagsPage />);
  return server;
}

afterEach(() => {
  cleanup();
  endSession("logout");
  vi.restoreAllMocks();
});

const writes = (requests: SeenRequest[]) => requests.filter(({ call }) => !call.startsWith("GET"));

test("the table tells how many tickets carry a tag and whether it is a lane", async () => {
  open("user");
  const rows = await screen.findAllByRole("row");
  expect(rows.slice(1).map(({ textContent }) => textContent)).toEqual([
    "Etiqueta 11 atendimentoFora do quadro",
    "Etiqueta 22 atendimentos Coluna do quadro",
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
  await userEvent.type(name, "c");
  await userEvent.click(within(dialog).getByRole("button", { name: "Salvar" }));
  await waitFor(() =>
    expect(writes(requests)).toMatchObject([
      { call: "POST /api/tags", body: { name: "abc", color: "#A4CCCC", kanban: 0 } },
    ]),
  );
});

test("a supervisor changes the board switch alone", async () => {
  const { requests } = open("supervisor");
  await userEvent.click(await screen.findByRole("button", { name: "Editar Etiqueta 1" }));
  expect(screen.queryByRole("button", { name: "Excluir Etiqueta 1" })).toBeNull();
  const dialog = await screen.findByRole("dialog", { name: "Editar etiqueta" });
  expect(within(dialog).getByLabelText<HTMLInputElement>("Nome").readOnly).toBe(true);
  await userEvent.click(within(dialog).getByRole("switch", { name: "É uma coluna do kanban" }));
  await userEvent.click(within(dialog).getByRole("button", { name: "Salvar" }));
  await waitFor(() =>
    expect(writes(requests)).toMatchObject([{ call: "PUT /api/tags/1", body: { kanban: 1 } }]),
  );
  expect(writes(requests)[0]?.body).toEqual({ kanban: 1 });
});

test("an admin deletes after being told how many tickets lose it", async () => {
  const { requests } = open("admin");
  await userEvent.click(await screen.findByRole("button", { name: "Excluir Etiqueta 1" }));
  const dialog = await screen.findByRole("dialog", { name: "Excluir a etiqueta Etiqueta 1?" });
  expect(within(dialog).getByText("Ela sai de 1 atendimento.")).toBeTruthy();
  await userEvent.click(within(dialog).getByRole("button", { name: "Excluir" }));
  await waitFor(() => expect(writes(requests)).toMatchObject([{ call: "DELETE /api/tags/1" }]));
});
