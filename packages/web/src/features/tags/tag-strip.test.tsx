import { tag } from "@balcao/contract";
import { cleanup, screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { endSession, startSession } from "../../api/session-store.ts";
import type { SeenRequest } from "../../testing/fake-server.ts";
import { fakeServer } from "../../testing/fake-server.ts";
import { givenToken, givenUser } from "../../testing/given.ts";
import { renderScreen } from "../../testing/render.tsx";
import { givenTicket } from "../tickets/testing/given-ticket.ts";
import { TagStrip } from "./tag-strip.tsx";

const at = "2026-11-20T13:00:00.000Z";
const given = (id: number, name: string) =>
  tag.parse({ id, name, color: "#16808d", kanban: 0, companyId: 3, createdAt: at, updatedAt: at });
const vip = given(1, "VIP");
const late = given(2, "Atraso na entrega");
const ticket = givenTicket(1, { tags: [vip] });

function open(sync: Parameters<typeof fakeServer>[0][string] = () => ({ body: ticket })) {
  const server = fakeServer({
    "GET /api/tags/list": () => ({ body: [late, vip] }),
    "POST /api/tags": ({ body }) => ({ body: { ...given(3, ""), ...(body as object) } }),
    "POST /api/tags/sync": sync,
  });
  renderScreen(<TagStrip ticket={ticket} />);
  return server;
}

beforeEach(() => startSession(givenToken("t", 3_600), givenUser()));
afterEach(() => {
  cleanup();
  endSession("logout");
  vi.restoreAllMocks();
});

const sent = (requests: SeenRequest[]) =>
  requests.flatMap(({ call, body }) =>
    call.endsWith("/tags/sync")
      ? [(body as { tags: { id: number }[] }).tags.map(({ id }) => id)]
      : [],
  );
const shown = () =>
  screen
    .queryAllByRole("button", { name: /^Remover a etiqueta/ })
    .map((one) => one.getAttribute("aria-label"));

test("a chosen tag is shown at once and sent with the other tags", async () => {
  const { requests } = open();
  await userEvent.click(screen.getByRole("button", { name: "Etiqueta" }));
  await userEvent.type(await screen.findByLabelText("Buscar ou criar etiqueta"), "entreg");
  await userEvent.keyboard("{ArrowDown}{Enter}");
  await waitFor(() => expect(sent(requests)).toEqual([[1, 2]]));
  expect(shown()).toEqual(["Remover a etiqueta VIP", "Remover a etiqueta Atraso na entrega"]);
});

test("a new name can be created as a tag", async () => {
  const { requests } = open();
  await userEvent.click(screen.getByRole("button", { name: "Etiqueta" }));
  await userEvent.type(await screen.findByLabelText("Buscar ou criar etiqueta"), "Troca");
  await userEvent.click(await screen.findByRole("option", { name: "Criar “Troca”" }));
  await waitFor(() => expect(sent(requests)).toEqual([[1, 3]]));
});

test("while tags load, no tag can be created and none is reported as missing", async () => {
  fakeServer({ "GET /api/tags/list": () => "never" });
  renderScreen(<TagStrip ticket={ticket} />);
  await userEvent.click(screen.getByRole("button", { name: "Etiqueta" }));
  await userEvent.type(await screen.findByLabelText("Buscar ou criar etiqueta"), "VIP");
  expect(await screen.findByText("Carregando")).toBeTruthy();
  expect(screen.queryByRole("option")).toBeNull();
});

test("a refused change is reverted with an error", async () => {
  open(() => ({
    status: 403,
    body: { error: "Acesso não permitido", code: "ERR_TICKET_FORBIDDEN" },
  }));
  await userEvent.click(screen.getByRole("button", { name: "Remover a etiqueta VIP" }));
  expect(await screen.findByText("Acesso não permitido")).toBeTruthy();
  expect(shown()).toEqual(["Remover a etiqueta VIP"]);
});
