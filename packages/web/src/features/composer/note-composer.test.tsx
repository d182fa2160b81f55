import type { TicketNote } from "@balcao/contract";
import { noteReaders, ticketNote } from "@balcao/contract";
import { screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";
import { queryClient } from "../../api/query-client.ts";
import { endSession, startSession } from "../../api/session-store.ts";
import { createFakeSocket } from "../../testing/fake-socket.ts";
import { givenToken, givenUser } from "../../testing/given.ts";
import { undoOffer } from "../../ui/undo.tsx";
import { MessageRowView } from "../messages/list/list-parts.tsx";
import { renderOnCache } from "../messages/testing/render-feature.tsx";
import { mentionable, toldBy } from "./note-composer.tsx";
import { composerServer } from "./testing/composer-server.ts";
import { field, renderComposer } from "./testing/render-composer.tsx";

vi.mock("../../realtime/socket.ts", () => ({ openSocket: () => createFakeSocket() }));

const readers = noteReaders.parse({
  users: [
    { id: 8, name: "Caio Nunes", queueIds: [2], canRead: true },
    { id: 9, name: "Davi Reis", queueIds: [], canRead: false },
    { id: 7, name: "Marina Prado", queueIds: [2], canRead: true },
    { id: 10, name: "Lia Costa", queueIds: [2], canRead: true },
  ],
  queues: [{ id: 2, name: "Suporte", color: "#112233" }],
});

function givenNote(fields: Partial<TicketNote> = {}): TicketNote {
  const at = new Date().toISOString();
  return {
    ...ticketNote.parse({
      ...{ id: 3, note: "@Caio Nunes pode liberar", companyId: 3, ticketId: 1, contactId: 1 },
      ...{ userId: 7, user: { id: 7, name: "Marina Prado", email: "" } },
      contact: { id: 1, name: "Helena Duarte" },
      ticket: { id: 1, status: "open", createdAt: at },
      mentions: [{ kind: "user", id: 8, name: "Caio Nunes" }],
      ...{ createdAt: at, updatedAt: at },
    }),
    ...fields,
  };
}

let server: ReturnType<typeof composerServer>;
beforeEach(() => {
  endSession("logout");
  startSession(givenToken("t"), givenUser());
  server = composerServer({
    more: {
      "GET /api/ticket-notes/readers": () => ({ body: readers }),
      "GET /api/ticket-notes/list": () => ({ body: [] }),
      "POST /api/ticket-notes": () => ({ body: givenNote() }),
      "PUT /api/ticket-notes/3": () => ({ body: givenNote({ note: "Mudou" }) }),
      "DELETE /api/ticket-notes/3": () => ({ body: { message: "Observação removida" } }),
      "POST /api/ticket-notes/3/undo": () => ({ body: givenNote() }),
    },
  });
});

const noteField = () =>
  screen.findByRole<HTMLTextAreaElement>("textbox", { name: /nota|observação/i });
const lastCall = (call: string) => server.requests.findLast((one) => one.call === call);

test("Alt N or a press opens the note's tab; both drafts stay, and a note needs no accepted ticket", async () => {
  renderComposer({ disabledReason: null });
  await userEvent.type(field(), "Para a cliente");
  await userEvent.keyboard("{Alt>}n{/Alt}");
  await userEvent.type(await noteField(), "Para a equipe");
  expect(screen.getByText("Só a equipe vê")).toBeTruthy();
  const reply = document.querySelector<HTMLTextAreaElement>("#composer");
  expect(reply?.closest("form")?.hidden).toBe(true);
  await userEvent.click(screen.getAllByRole("tab", { name: "Responder" }).at(-1) ?? document.body);
  expect(field().closest("form")?.hidden).toBe(false);
  expect(field().value).toBe("Para a cliente");
  await userEvent.keyboard("{Alt>}n{/Alt}");
  expect((await noteField()).value).toBe("Para a equipe");
  expect(server.sent()).toEqual([]);
});

test("@ offers people and queues, the line says who gets a notice, and Ctrl Enter saves with the mentions", async () => {
  renderComposer({ disabledReason: "Aceite para responder" });
  await userEvent.click(screen.getByRole("tab", { name: "Nota interna" }));
  await userEvent.type(await noteField(), "@cai");
  await screen.findByRole("option", { name: /Caio Nunes/ });
  await userEvent.keyboard("{Enter}pode liberar");
  expect((await noteField()).value).toBe("@Caio Nunes pode liberar");
  await screen.findByText("Caio recebe um aviso");
  await userEvent.keyboard("{Control>}{Enter}{/Control}");
  await waitFor(() =>
    expect(lastCall("POST /api/ticket-notes")?.body).toEqual({
      note: "@Caio Nunes pode liberar",
      mentionedUserIds: [8],
      mentionedQueueIds: [],
      ticketId: 1,
    }),
  );
  await screen.findByText("Observação adicionada com sucesso!");
  expect((await noteField()).value).toBe("");
});

test("a queue tells its people with access, never the author; somebody without access is named as such", () => {
  const queue = { kind: "queue", id: 2, name: "Suporte" } as const;
  const davi = { kind: "user", id: 9, name: "Davi Reis" } as const;
  expect(toldBy([queue, davi], readers, 7)).toEqual({ told: ["Caio", "Lia"], deaf: ["Davi"] });
  expect(mentionable(readers, 7, "").map(({ name }) => name)).toEqual([
    "Caio Nunes",
    "Lia Costa",
    "Suporte",
    "Davi Reis",
  ]);
});

test("the author's note in the conversation is edited in its tab, or removed, which can be undone", async () => {
  const note = givenNote();
  renderOnCache(
    <MessageRowView
      row={{
        kind: "entry",
        key: "note 3",
        entry: { kind: "note", key: "note 3", at: note.createdAt, note },
      }}
      {...{ unloaded: 0, total: 1, isFlashed: false, isMenuOpen: false, onMenuClose: vi.fn() }}
    />,
  );
  expect(screen.getByRole("note").querySelector("mark")?.textContent).toBe("@Caio Nunes");
  const openMenu = () => userEvent.click(screen.getByRole("button", { name: "Opções da nota" }));
  await openMenu();
  await userEvent.click(await screen.findByRole("menuitem", { name: "Excluir" }));
  await waitFor(() => expect(undoOffer.get()?.kind).toBe("noteDeleted"));
  await undoOffer.get()?.undo();
  expect(lastCall("POST /api/ticket-notes/3/undo")).toBeTruthy();

  await openMenu();
  await userEvent.click(await screen.findByRole("menuitem", { name: "Editar" }));
  queryClient.clear();
  renderComposer();
  const edited = await noteField();
  expect(edited.value).toBe("@Caio Nunes pode liberar");
  await userEvent.clear(edited);
  await userEvent.type(edited, "Mudou");
  await userEvent.click(screen.getByRole("button", { name: "Salvar nota" }));
  await waitFor(() =>
    expect(lastCall("PUT /api/ticket-notes/3")?.body).toEqual({
      note: "Mudou",
      mentionedUserIds: [],
      mentionedQueueIds: [],
    }),
  );
});
