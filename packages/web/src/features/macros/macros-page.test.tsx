import type { Macro } from "@balcao/contract";
import { macro } from "@balcao/contract";
import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import { endSession, startSession } from "../../api/session-store.ts";
import { later } from "../../i18n/pt/later.ts";
import type { SeenRequest } from "../../testing/fake-server.ts";
import { fakeServer } from "../../testing/fake-server.ts";
import { givenToken, givenUser } from "../../testing/given.ts";
import { renderRoutes } from "../../testing/render.tsx";
import { QuickMessagesPage } from "../quick-messages/quick-messages-page.tsx";
import { givenQueue, givenTag } from "../tickets/testing/given-choices.ts";

const at = { createdAt: "2026-11-20T10:00:00.000Z", updatedAt: "2026-11-20T10:00:00.000Z" };
const paid: Macro = macro.parse({
  ...{ id: 1, companyId: 3, name: "Pago", key: "1", message: "Recebemos!", tagId: 5, queueId: 2 },
  ...{ resolves: true, reasonId: null, ...at },
});

type Answer = { status?: number; body: unknown };

/** The macros of the company, reached from the quick messages. */
async function open(profile: "user" | "admin", post?: Answer): Promise<SeenRequest[]> {
  const { requests } = fakeServer({
    "GET /api/quick-messages": () => ({ body: { records: [], count: 0, hasMore: false } }),
    "GET /api/macros": () => ({ body: [paid] }),
    "GET /api/queue": () => ({ body: [givenQueue(2, "Financeiro")] }),
    "GET /api/tags/list": () => ({ body: [givenTag(5, "Cliente VIP")] }),
    "GET /api/resolve-reasons": () => ({ body: [] }),
    "POST /api/macros": ({ body }) => post ?? { body: { ...paid, ...(body as object), id: 2 } },
    "DELETE /api/macros/1": () => ({ body: { message: "Macro deleted" } }),
    "GET /api/companies/listPlan/3": () => ({ status: 503, body: { error: "none" } }),
  });
  startSession(givenToken("t"), givenUser({ profile }));
  renderRoutes([{ path: "*", element: <QuickMessagesPage /> }], "/quick-messages");
  await userEvent.click(await screen.findByRole("button", { name: "Macros" }));
  await screen.findByRole("row", { name: /^Pago/ });
  return requests;
}

afterEach(() => {
  cleanup();
  endSession("logout");
  vi.restoreAllMocks();
});

const writes = (requests: SeenRequest[]) => requests.filter(({ call }) => !call.startsWith("GET"));

test("the table shows key and steps; agents cannot change macros", async () => {
  await open("user");
  const row = await screen.findByRole("row", { name: /Financeiro/ });
  expect(row.textContent).toContain("Alt Shift 1");
  expect(row.textContent).toContain(
    "“Recebemos!” · Etiqueta Cliente VIP · Fila Financeiro · Resolver o atendimento",
  );
  expect(screen.queryByRole("button", { name: "Adicionar" })).toBeNull();
  expect(screen.queryByRole("button", { name: "Editar Pago" })).toBeNull();
});

test("a macro needs a name and a step, and is saved with its steps", async () => {
  const requests = await open("admin");
  await userEvent.click(screen.getByRole("button", { name: "Adicionar" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Nova macro" }));
  await userEvent.type(dialog.getByLabelText("Nome"), "Encerrar");
  await userEvent.click(dialog.getByRole("button", { name: "Salvar" }));
  expect(await dialog.findByText("Escolha ao menos um passo")).toBeTruthy();
  expect(writes(requests)).toEqual([]);
  await userEvent.selectOptions(dialog.getByLabelText("Etiqueta"), "Cliente VIP");
  await userEvent.selectOptions(dialog.getByLabelText("Tecla"), "Alt Shift 2");
  await userEvent.click(dialog.getByRole("switch", { name: "Resolver o atendimento" }));
  await userEvent.click(dialog.getByRole("button", { name: "Salvar" }));
  await waitFor(() => expect(writes(requests)).toHaveLength(1));
  expect(writes(requests)[0]?.body).toEqual({
    ...{ name: "Encerrar", message: "", key: "2", tagId: 5, queueId: null },
    ...{ resolves: true, reasonId: null },
  });
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
});

test("a key of another macro is refused at its field", async () => {
  await open("admin", { status: 400, body: { error: "ERR_MACRO_KEY_TAKEN" } });
  await userEvent.click(screen.getByRole("button", { name: "Adicionar" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Nova macro" }));
  await userEvent.type(dialog.getByLabelText("Nome"), "Encerrar");
  await userEvent.type(dialog.getByLabelText("Mensagem"), "Até logo");
  await userEvent.click(dialog.getByRole("button", { name: "Salvar" }));
  expect(await dialog.findByText(later.errors.ERR_MACRO_KEY_TAKEN)).toBeTruthy();
});
