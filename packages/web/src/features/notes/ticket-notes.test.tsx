import { ticketNote } from "@balcao/contract";
import { act, cleanup, screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { currentSession, endSession, startSession } from "../../api/session-store.ts";
import { fakeServer } from "../../testing/fake-server.ts";
import { givenToken, givenUser } from "../../testing/given.ts";
import { LiveSession } from "../auth/index.ts";
import { renderOnCache } from "../messages/testing/render-feature.tsx";
import { TicketNotes } from "./ticket-notes.tsx";
import { sockets } from "../../testing/sockets.ts";

vi.mock("../../realtime/socket.ts", () => import("../../testing/sockets.ts"));

const at = "2026-11-20T13:00:00.000Z";
const note = ticketNote.parse({
  ...{ id: 3, note: "Prefere à tarde", companyId: 3, ticketId: 1, contactId: 1, userId: 7 },
  user: { id: 7, name: "Marina Prado", email: "" },
  contact: { id: 1, name: "Beatriz" },
  mentions: [],
  ticket: { id: 1, status: "open", createdAt: at },
  ...{ createdAt: at, updatedAt: at },
});

beforeEach(() => {
  startSession(givenToken("t", 3_600), givenUser());
});
afterEach(() => {
  cleanup();
  endSession("logout");
  vi.restoreAllMocks();
});

test("adding and deleting a note show a confirmation, and the list changes at once", async () => {
  fakeServer({
    "GET /api/ticket-notes/list": () => ({ body: [note] }),
    "POST /api/ticket-notes": ({ body }) => ({ body: { ...note, id: 4, ...(body as object) } }),
    "DELETE /api/ticket-notes/3": () => ({ body: { message: "Observação removida" } }),
  });
  renderOnCache(<TicketNotes ticketId={1} />);
  await screen.findByText("Prefere à tarde");
  await userEvent.type(screen.getByRole("textbox", { name: "Nova observação" }), "Mora perto");
  await userEvent.click(screen.getByRole("button", { name: "Adicionar observação" }));
  expect(await screen.findByText("Observação adicionada com sucesso!")).toBeTruthy();
  await screen.findByText("Mora perto");

  const [, remove] = screen.getAllByRole("button", { name: /^Excluir a observação/ });
  await userEvent.click(remove ?? document.body);
  expect(await screen.findByText("Observação excluída com sucesso!")).toBeTruthy();
  await waitFor(() => expect(screen.queryByText("Prefere à tarde")).toBeNull());
  expect(screen.getByText("Mora perto")).toBeTruthy();
});

test("notes of colleagues appear and disappear live, newest first, only in their ticket", async () => {
  fakeServer({ "GET /api/ticket-notes/list": () => ({ body: [note] }) });
  const session = currentSession();
  if (!session) throw new Error("nobody is signed in");
  renderOnCache(
    <>
      <LiveSession session={session} />
      <TicketNotes ticketId={1} />
    </>,
  );
  await screen.findByText("Prefere à tarde");
  const tell = (event: object): void =>
    act(() => sockets[0]?.receive("company-3-ticketNote", event));
  const texts = () => screen.queryAllByRole("listitem").map((item) => item.firstChild?.textContent);

  tell({ action: "create", note: { ...note, id: 5, note: "Pediu boleto" } });
  tell({ action: "create", note: { ...note, id: 4, note: "Mora perto" } });
  tell({ action: "create", note: { ...note, id: 6, note: "De outro", ticketId: 2 } });
  await waitFor(() => expect(texts()).toEqual(["Pediu boleto", "Mora perto", "Prefere à tarde"]));
  tell({ action: "delete", noteId: 4, ticketId: 1 });
  await waitFor(() => expect(texts()).toEqual(["Pediu boleto", "Prefere à tarde"]));
});
